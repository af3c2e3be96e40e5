//! All workspaces at once: which to remove and why, which are unused, which are merged.

use crate::model::words::words;
use std::path::Path;

use super::inspect::{Around, Inspection, inspect, is_leased, owner_lives};
use super::proof::{self, DELETING, REMOVING};
use crate::model::time::Instant;
use crate::model::workspace::{State, Workspace};
use crate::ops::Result;
use crate::ops::removal_reasons::{Loss, Reason};
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::Known;
use crate::store::Store;
use crate::{sys, vcs};

words! {
    /// Why to remove a workspace, in the order of removal, or why not.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Class {
        /// The process that made or removed it is gone.
        Crashed = "crashed",
        /// Only its record exists.
        Gone = "gone",
        Abandoned = "abandoned",
        Merged = "merged",
        /// It could not be made.
        Failed = "failed",
        /// Its issue is closed, and no one works in it.
        Closed = "closed",
        Idle = "idle",
        /// Someone works in it.
        InUse = "in_use",
        /// Its files existed before.
        Adopted = "adopted",
        /// It was set aside, and is never deleted.
        Orphaned = "orphaned",
    }
}

/// A workspace and its state.
pub(super) struct Surveyed {
    pub known: Known,
    pub class: Class,
    pub look: Inspection,
    /// How long it has been unused, in nanoseconds.
    pub age: i64,
}

/// A workspace, what should happen to it, and what did.
#[derive(Debug, Clone)]
pub struct GcRow {
    pub workspace: Workspace,
    pub class: Class,
    /// It should be removed; with `artifacts_only`, some of its files.
    pub goes: bool,
    /// A description of why.
    pub why: String,
    /// The reasons against it.
    pub reasons: Vec<Reason>,
    /// Its size on disk; with `artifacts_only`, what would be freed.
    pub bytes: u64,
    pub done: bool,
    pub error: Option<String>,
}

/// Inspects all existing workspaces. Those to remove come first, each class with the oldest first.
pub(super) fn survey(store: &Store, around: &Around) -> Result<Vec<Surveyed>> {
    let mut found = Vec::new();
    let step = store.activity().begin("looking at workspaces");
    let there: Vec<&Known> = around.all.iter().filter(|known| known.workspace.state != State::Removed).collect();
    for (n, known) in there.iter().enumerate() {
        step.at(n as u64, there.len() as u64);
        let (class, look) = classify(store, known, around)?;
        found.push(Surveyed { age: age(store, &known.workspace), known: (*known).clone(), class, look });
    }
    found.sort_by(|a, b| (a.class, b.age, &a.known.workspace.id).cmp(&(b.class, a.age, &b.known.workspace.id)));
    Ok(found)
}

/// How long it has been unused.
pub(super) fn age(store: &Store, one: &Workspace) -> i64 {
    let times = [one.used_at.as_deref(), one.updated_at.as_deref(), Some(one.created_at.as_str())];
    let last = times.into_iter().flatten().filter_map(Instant::parse).map(|at| at.nanos()).max();
    last.map_or(i64::MAX, |at| store.host().clock.now().nanos().saturating_sub(at).max(0))
}

fn classify(store: &Store, known: &Known, around: &Around) -> Result<(Class, Inspection)> {
    let one = &known.workspace;
    let path = Path::new(&one.path);
    let is_there = |path: &Path| sys::path::is_there(path);
    let lives = one.owner.as_ref().is_some_and(|owner| owner_lives(store, one, owner) != Some(false));
    if one.is_adopted {
        return Ok((if is_there(path) { Class::Adopted } else { Class::Gone }, Inspection::default()));
    }
    if matches!(one.state, State::Creating | State::Removing) {
        return Ok((if lives { Class::InUse } else { Class::Crashed }, Inspection::default()));
    }
    if !proof::has_right(one) {
        return Ok((Class::Failed, Inspection::default()));
    }
    let remains = [path.to_owned(), proof::beside(one, REMOVING), proof::beside(one, DELETING)];
    if proof::oddity(one).is_none() && !remains.iter().any(|path| is_there(path)) {
        return Ok((Class::Gone, Inspection::default()));
    }
    let look = inspect(store, known, path, around)?;
    let at_work = |loss: Loss| matches!(loss, Loss::Lease | Loss::Process | Loss::CurrentDirectory);
    let is_busy = look.reasons.iter().any(|reason| at_work(reason.loss));
    let class = match one.state {
        State::Orphaned => Class::Orphaned,
        State::Abandoned => Class::Abandoned,
        State::Merged => Class::Merged,
        State::Failed => Class::Failed,
        _ if is_busy => Class::InUse,
        _ if look.merged.is_some() => Class::Merged,
        _ if is_closed(store, one)? => Class::Closed,
        _ => Class::Idle,
    };
    Ok((class, look))
}

fn is_closed(store: &Store, one: &Workspace) -> Result<bool> {
    match &one.issue {
        Some(issue) => Ok(store.get(issue)?.is_some_and(|row| row.issue.status.is_done())),
        None => Ok(false),
    }
}

/// Records that its work is merged.
pub(super) fn note_merged(store: &Store, found: &Surveyed) -> Result<Workspace> {
    let (one, merged) = (&found.known.workspace, found.look.merged.as_ref());
    let commit = merged.and_then(|merged| merged.commit.clone());
    let now = store.host().clock.now().to_string();
    if merged.is_none() || one.state == State::Merged {
        return Ok(one.clone());
    }
    let changed = records::change(store, &found.known.state, &one.id, |there| {
        let is_same = |there: &Workspace| (there.state, &there.used_at) == (one.state, &one.used_at);
        Ok(there.filter(is_same).map(|there| Workspace {
            state: State::Merged,
            merge_commit: commit.clone().or(there.merge_commit.clone()),
            owner: None,
            updated_at: Some(now.clone()),
            ..there
        }))
    })?;
    Ok(changed.unwrap_or_else(|| one.clone()))
}

/// The workspaces whose work is merged into the branch they started from. That is recorded, if no one works in them.
pub fn merged(store: &Store, cwd: &Path) -> Result<Vec<Workspace>> {
    store.worktree()?;
    let around = Around::of(store, cwd)?;
    let found = survey(store, &around)?;
    found.iter().filter(|one| one.class == Class::Merged).map(|one| note_merged(store, one)).collect()
}

/// The workspaces that are unused for this long, or whose process is gone.
pub fn stale(store: &Store, older_than: i64) -> Result<Vec<Workspace>> {
    let leases = store.leases()?;
    let all = records::known(store)?;
    let is_stale = |one: &Workspace| {
        let dead = one.owner.as_ref().is_some_and(|owner| owner_lives(store, one, owner) == Some(false));
        let lives = one.owner.as_ref().is_some_and(|owner| owner_lives(store, one, owner) != Some(false));
        let unused = !lives && age(store, one) >= older_than && !is_leased(one, &leases);
        match one.state {
            State::Removed | State::Orphaned => false,
            State::Creating | State::Removing => !lives,
            _ => dead || unused,
        }
    };
    Ok(all.into_iter().map(|known| known.workspace).filter(is_stale).collect())
}

/// Workspaces in an odd state, each with a description. Only records and directories are inspected.
pub fn odd(store: &Store) -> Result<Vec<(Workspace, String)>> {
    let mut found = Vec::new();
    for known in records::known(store)?.into_iter().filter(|known| known.workspace.state != State::Removed) {
        let one = known.workspace;
        let path = Path::new(&one.path);
        let is_there = sys::path::is_there(path);
        let lives = one.owner.as_ref().is_some_and(|owner| owner_lives(store, &one, owner) != Some(false));
        let what = match one.state {
            State::Failed if !proof::has_right(&one) => None,
            _ if proof::oddity(&one).is_some() => proof::oddity(&one),
            State::Creating if !lives => Some("it was being made by a process that is gone".to_owned()),
            State::Removing if !lives => Some("it was being removed by a process that is gone".to_owned()),
            State::Creating | State::Removing => None,
            State::Failed if is_there => Some("it could not be made, and something of it is left".to_owned()),
            State::Failed => None,
            _ if !is_there => Some("its directory is gone".to_owned()),
            State::Active if one.owner.is_some() && !lives => Some("the process that worked in it is gone".to_owned()),
            _ => None,
        };
        found.extend(what.map(|what| (one, what)));
    }
    Ok(found)
}

/// Fetches the newest commits from the remotes of workspaces' parents, so that merges there are recognised. Changes no
/// branch and no file. Returns what could not be reached.
pub fn fetch_parents(store: &Store) -> Result<Vec<String>> {
    let there = records::known(store)?.into_iter().map(|known| known.workspace);
    let parents: std::collections::BTreeSet<String> =
        there.filter(|one| one.state != State::Removed).map(|one| one.parent).collect();
    let mut problems = Vec::new();
    for parent in parents {
        let place = Path::new(&parent);
        let fetched = store.refuse_programs_of(place).and_then(|()| {
            let vcs = vcs::open(place);
            Ok(vcs.exchange()?.fetch(&store.host().env)?)
        });
        problems.extend(fetched.err().map(|why| format!("{parent} was not brought up to date: {why}")));
    }
    Ok(problems)
}
