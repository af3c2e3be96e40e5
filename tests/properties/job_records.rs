//! Proves that every field of a workspace comes back as it was, and that unknown keys stay.

use beads::model::lease::Owner;
use beads::model::record::Record;
use beads::model::workspace::{Kind, Ports, State, Workspace};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::cases;

/// A text that says something; an empty one reads as absent.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,8}", "\\PC{1,12}", Just("two\nlines \"\\ \u{1b}\u{2028}".to_owned())]
}

pub fn maybe() -> impl Strategy<Value = Option<String>> {
    option::of(text())
}

fn workspace() -> impl Strategy<Value = Workspace> {
    let kind = select(vec![Kind::Clone, Kind::Worktree, Kind::Copy]);
    let owner = (text(), any::<u32>(), text());
    let owner = owner.prop_map(|(boot, pid, start)| Owner { boot, pid: i64::from(pid), start });
    let ports = (any::<u16>(), any::<u16>()).prop_map(|(first, count)| Ports { first, count });
    let place = (text(), kind, select(State::ALL.to_vec()), maybe(), text(), text(), maybe(), maybe());
    let work = (maybe(), maybe(), maybe(), maybe(), maybe(), maybe(), maybe(), text(), maybe());
    let made = (
        option::of(owner),
        option::of(ports),
        maybe(),
        vec(text(), 0..4),
        any::<(bool, bool)>(),
        0i64..9,
        any::<u32>(),
    );
    let end = (maybe(), maybe(), maybe(), maybe(), text(), maybe(), maybe(), maybe(), maybe());
    (place, work, made, end).prop_map(|(place, work, made, end)| {
        let (id, kind, state, repo, path, parent, work_dir, context_dir) = place;
        let (worktree_id, branch, base, base_commit, issue, workflow, agent, actor, host) = work;
        let (owner, ports, setup, copied, (is_adopted, is_branch_made), reused, size) = made;
        let (error, merge_commit, pr_url, rescue, created_at, ready_at, used_at, updated_at, removed_at) = end;
        Workspace {
            id,
            kind,
            state,
            repo,
            path,
            parent,
            work_dir,
            context_dir,
            worktree_id,
            branch,
            base,
            base_commit,
            issue,
            workflow,
            agent,
            actor,
            host,
            owner,
            ports,
            setup,
            copied,
            is_adopted,
            is_branch_made,
            reused,
            size: (size % 3 > 0).then_some(i64::from(size)),
            error,
            merge_commit,
            pr_url,
            rescue,
            created_at,
            ready_at,
            used_at,
            updated_at,
            removed_at,
        }
    })
}

proptest! {
    #![proptest_config(cases(400, 42))]

    #[test]
    fn a_workspace_comes_back(one in workspace(), other in workspace()) {
        let line = one.render(None);
        prop_assert!(!line.contains('\n'));
        let record = Record::parse(&line).unwrap();
        prop_assert_eq!(Workspace::parse(&record), Some(one));
        let strange = line.replacen('{', "{\"later\": [1e400],", 1);
        let edited = other.render(Some(&strange));
        let record = Record::parse(&edited).unwrap();
        prop_assert_eq!(record.raw("later"), Some("[1e400]"));
        prop_assert_eq!(Workspace::parse(&record), Some(other));
    }
}
