//! Proves that every field of a workspace, a workflow, a task and a proposal comes back as it was, and that unknown keys stay.

use beads::internal::model::change::{self, Change, Stamp, TaskEdit, WorkflowEdit};
use beads::internal::model::json::Dialect;
use beads::internal::model::lease::Owner;
use beads::internal::model::proposal::{self, Proposal};
use beads::internal::model::record::Record;
use beads::internal::model::time::Instant;
use beads::internal::model::workflow::{self, Task, Workflow};
use beads::internal::model::workspace::{Kind, Ports, State, Workspace};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::cases;
use super::records::comes_back;

/// A text that says something; an empty one reads as absent.
/// Boxed, as there are dozens of them in one record: their sum outgrows the stack of a test otherwise.
pub fn text() -> BoxedStrategy<String> {
    prop_oneof!["[a-z]{1,8}", "\\PC{1,12}", Just("two\nlines \"\\ \u{1b}\u{2028}".to_owned())].boxed()
}

pub fn maybe() -> BoxedStrategy<Option<String>> {
    option::of(text()).boxed()
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
        any::<(bool, bool, bool)>(),
        0i64..9,
        any::<u32>(),
    );
    let end = (maybe(), maybe(), maybe(), maybe(), text(), maybe(), maybe(), maybe(), maybe());
    (place, work, made, end).prop_map(|(place, work, made, end)| {
        let (id, kind, state, repo, path, parent, work_dir, context_dir) = place;
        let (worktree_id, branch, base, base_commit, issue, workflow, agent, actor, host) = work;
        let (owner, ports, setup, copied, (is_adopted, is_branch_made, is_made), reused, size) = made;
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
            is_made,
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

fn made_workflow() -> impl Strategy<Value = Workflow> {
    let raw = select(vec!["1e400", "\"\\u00e9\"", "[1, {\"a\": null}]", "true"]).prop_map(str::to_owned);
    let config = vec(("[a-z]{1,6}", raw), 0..3).prop_map(|mut config| {
        config.sort();
        config.dedup_by(|one, other| one.0 == other.0);
        config
    });
    let what = (text(), select(workflow::State::ALL.to_vec()), 1i64..100, any::<bool>());
    let source = (maybe(), maybe(), maybe(), maybe(), maybe());
    (what, source, vec(text(), 0..3), config, maybe(), maybe()).prop_map(
        |(what, source, repos, config, reason, merge_commit)| {
            let (id, state, max_parallel, auto_workspace) = what;
            let (source_type, source_ref, source_content, plan_summary, initial_plan) = source;
            Workflow {
                id,
                state,
                max_parallel,
                auto_workspace,
                source_type,
                source_ref,
                source_content,
                plan_summary,
                initial_plan,
                repos,
                config,
                reason,
                merge_commit,
            }
        },
    )
}

fn task() -> impl Strategy<Value = Task> {
    let number = || option::of(any::<i32>().prop_map(i64::from));
    let plan = (text(), number(), number(), maybe(), maybe(), maybe(), maybe(), vec(text(), 0..3));
    let end = (maybe(), maybe(), maybe(), maybe(), maybe(), 0i64..9);
    (plan, end).prop_map(|(plan, end)| {
        let (name, place, sequence, parallel_group, plan, plan_summary, context, context_from) = plan;
        let (outcome, outcome_detail, repo, workspace, last_error, attempts) = end;
        Task {
            name,
            place,
            sequence,
            parallel_group,
            plan,
            plan_summary,
            context,
            context_from,
            outcome,
            outcome_detail,
            repo,
            workspace,
            last_error,
            attempts,
        }
    })
}

fn made_proposal() -> impl Strategy<Value = Proposal> {
    use proposal::State::{Accepted, Open, Rejected, Withdrawn};
    let state = select(vec![Open, Accepted, Rejected, Withdrawn]);
    (text(), text(), text(), state, text(), text(), maybe(), vec(text(), 0..3), maybe()).prop_map(
        |(id, author, target, state, by, at, reason, include, synced)| Proposal {
            id,
            author,
            target,
            state,
            by,
            at,
            reason,
            include,
            synced,
        },
    )
}

/// The line of an issue with an object under a key, and in the object a key that nobody knows.
fn line(key: &str, object: &str) -> String {
    let object = object.replacen('{', "{\"later\": [1e400],", 1);
    format!("{{\"id\":\"a-1\",\"title\":\"t\",\"status\":\"open\",\"{key}\":{object}}}")
}

/// The object of a line after a change, which has what nobody knows still.
fn changed(line: &str, key: &str, change: Change) -> String {
    let stamp = Stamp { now: Instant::from_millis(1), actor: "ann", dialect: Dialect::default() };
    let line = change::apply(line, &[change], stamp).unwrap().unwrap_or_else(|| line.to_owned());
    let record = Record::parse(&line).unwrap();
    let inner = Record::parse_part(record.raw(key).unwrap()).unwrap();
    assert_eq!(inner.raw("later"), Some("[1e400]"), "{line}");
    line
}

proptest! {
    #![proptest_config(cases(400, 42))]

    #[test]
    fn a_workspace_comes_back(one in workspace(), other in workspace()) {
        comes_back(one, other)?;
    }

    #[test]
    fn a_workflow_comes_back(one in made_workflow(), summary in maybe()) {
        let line = line("workflow", &one.render(Dialect::default()));
        prop_assert_eq!(Workflow::of_line(&line), Some(one.clone()));
        let value = summary.clone().map(beads::internal::model::json::Json::Text);
        let edit = WorkflowEdit::Set { key: "plan_summary", value };
        let line = changed(&line, "workflow", Change::Workflow(edit));
        prop_assert_eq!(Workflow::of_line(&line), Some(Workflow { plan_summary: summary, ..one }));
    }

    #[test]
    fn a_task_comes_back(one in task(), error in text(), attempts in 1i64..9) {
        let line = line("task", &one.render(Dialect::default()));
        prop_assert_eq!(Task::of_line(&line), Some(one.clone()));
        let edit = TaskEdit::Failed { error: error.clone(), attempts };
        let line = changed(&line, "task", Change::Task(edit));
        prop_assert_eq!(Task::of_line(&line), Some(Task { last_error: Some(error), attempts, ..one }));
    }

    #[test]
    fn a_proposal_comes_back(one in made_proposal()) {
        let line = line("proposal", &one.render(Dialect::default()));
        prop_assert_eq!(Proposal::of(&Record::parse(&line).unwrap()), Some(one));
    }
}
