//! Reasons against removing a workspace, and what to do about them first.

use std::path::Path;

use super::WorkspaceError;
use super::inspect::{Inspection, owner_lives, parent_of};
use super::lines::bring_home;
use crate::model::workspace::Workspace;
use crate::ops::removal_reasons::{Loss, Reason};
use crate::ops::{OpError, Result};
use crate::store::Store;

/// How to remove a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removal {
    pub keep_branch: bool,
    /// Even if something would be lost: save it first.
    pub force: bool,
    /// Only report what would happen.
    pub dry_run: bool,
}

/// Transfers changes that only its ledger has, if nothing else prevents removal.
pub(super) fn bring(store: &Store, one: &Workspace, seen: &Inspection, at: &Path) -> Result<Vec<String>> {
    if seen.homeward.lines.is_empty() {
        return Ok(Vec::new());
    }
    let brought = match store.opened_at(&parent_of(one)) {
        Ok(mut parent) => bring_home(&mut parent, one, at),
        Err(error) => Err(error.into()),
    };
    brought.map_err(|error| kept(one, vec![not_brought(seen, &error)]))
}

/// Why that was not done.
fn not_brought(seen: &Inspection, error: &OpError) -> Reason {
    let ids: Vec<&str> = seen.homeward.lines.iter().map(|(id, _)| id.as_str()).collect();
    let text = format!("its ledger has what that of its parent has not: {}; {error}", ids.join(", "));
    Reason::new(Loss::Ledger, text)
}

/// Checks that the process that makes or removes it is gone.
pub(super) fn check_over(store: &Store, one: &Workspace) -> Result<()> {
    match one.owner.as_ref().filter(|owner| owner_lives(store, one, owner) != Some(false)) {
        Some(owner) => {
            let (id, state, pid) = (one.id.clone(), one.state.word(), owner.pid);
            Err(WorkspaceError::Busy { id, state, pid }.into())
        }
        None => Ok(()),
    }
}

pub(super) fn refuse(one: &Workspace, reasons: &[Reason], force: bool) -> Result<()> {
    let against: Vec<Reason> = reasons.iter().filter(|reason| !force || reason.loss.is_final()).cloned().collect();
    match against.is_empty() {
        true => Ok(()),
        false => Err(kept(one, against)),
    }
}

pub(super) fn kept(one: &Workspace, reasons: Vec<Reason>) -> OpError {
    WorkspaceError::Kept { id: one.id.clone(), path: one.path.clone().into(), reasons }.into()
}
