//! Workspaces whose work is done and has not come home yet.

use std::collections::BTreeSet;
use std::path::Path;

use crate::model::time::Instant;
use crate::model::workspace::{State, Workspace};
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::Known;
use crate::ops::{Result, here};
use crate::store::{Row, Store, real_path};

/// A workspace whose issue is closed there, and whose work is not known to be merged.
pub(in crate::ops) struct Finished {
    pub known: Known,
    pub issue: String,
    /// What the issue waits for.
    pub waits_for: BTreeSet<String>,
    closed_at: Option<Instant>,
}

/// The finished workspaces that were made from this checkout, in the order in which their issues were closed. Of those
/// for one issue only the latest counts.
pub(in crate::ops) fn finished(store: &Store) -> Result<Vec<Finished>> {
    let root = here::root(store);
    let mut found: Vec<Finished> = Vec::new();
    let all = records::known(store)?;
    let is_usable = |one: &Workspace| {
        (one.state.is_usable() || one.state == State::Merged && !is_merged(store, one))
            && real_path(Path::new(&one.parent)) == root
    };
    for known in all.iter().filter(|known| is_usable(&known.workspace)) {
        let Some(issue) = known.workspace.issue.clone() else { continue };
        let is_latest = |other: &&Known| {
            let (one, other) = (&known.workspace, &other.workspace);
            // One that was made earlier may have been taken again later.
            other.issue.as_ref() == Some(&issue) && other.used_at > one.used_at
        };
        if all.iter().any(|other| is_latest(&other)) {
            continue;
        }
        let Some(row) = closed_there(store, known, &issue) else { continue };
        let here = store.get(&issue)?;
        let edges = row.issue.dependencies.iter().chain(here.iter().flat_map(|row| &row.issue.dependencies));
        let waits_for = edges.filter(|edge| edge.kind.is_blocking()).map(|edge| edge.target.clone()).collect();
        let closed_at = row.issue.closed_at.as_ref().map(|at| at.instant);
        found.push(Finished { known: known.clone(), issue, waits_for, closed_at });
    }
    found.sort_by(|a, b| (&a.closed_at, &a.issue).cmp(&(&b.closed_at, &b.issue)));
    Ok(found)
}

/// Its work is in what is checked out. A merge may have been taken back, or was made elsewhere.
pub(super) fn is_merged(home: &Store, one: &Workspace) -> bool {
    let commit = one.merge_commit.as_deref();
    one.state == State::Merged && commit.is_none_or(|commit| !matches!(home.contains(commit), Ok(false)))
}

/// Its issue as the workspace has it, if it is done there.
pub(super) fn closed_there(home: &Store, known: &Known, issue: &str) -> Option<Row> {
    let mut there = home.opened_at(&known.workspace.directory()).ok()?;
    there.look_again().ok()?;
    let row = there.get(issue).ok()??;
    Some(row).filter(|row| row.issue.status.is_done() && !row.issue.status.is_tombstone())
}
