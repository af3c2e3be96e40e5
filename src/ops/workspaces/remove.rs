//! Removing a workspace: whether it may be removed, and what is removed with it. `steps.rs` does it.

use std::path::{Path, PathBuf};

use super::inspect::{Around, Inspection, inspect};
use super::removal::{Removal, check_over, kept, refuse};
use super::steps::{begin, directory, note_removed, worktree};
use super::{WorkspaceError, finish, proof};
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::removal_reasons::{Loss, Reason};
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::Known;
use crate::ops::{KeptFiles, OpError, Result};
use crate::store::Store;
use crate::sys;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedWorkspace {
    pub workspace: Workspace,
    /// Where its files were saved.
    pub kept: Option<KeptFiles>,
    /// The reasons that were overridden.
    pub forced: Vec<Reason>,
    /// Issues whose version in its ledger was brought to its parent's.
    pub brought: Vec<String>,
    /// The branch that was deleted with it.
    pub branch: Option<String>,
    /// Its files stay, because `bd` did not create them.
    pub is_forgotten: bool,
    pub dry_run: bool,
}

/// Removes a workspace in which nothing would be lost, or, with force, after everything was saved.
pub fn remove(store: &Store, typed: &str, removal: Removal, cwd: &Path) -> Result<RemovedWorkspace> {
    store.worktree()?;
    let known = records::find(store, typed)?;
    let _step = store.activity().begin(format!("removing {}", known.workspace.id));
    let around = Around::of(store, cwd)?;
    remove_known(store, &known, removal, &around)
}

pub(super) fn remove_known(
    store: &Store,
    known: &Known,
    removal: Removal,
    around: &Around,
) -> Result<RemovedWorkspace> {
    let one = &known.workspace;
    match one.state {
        State::Removed => return Err(WorkspaceError::AlreadyGone { id: one.id.clone() }.into()),
        State::Creating | State::Removing => {
            check_over(store, one)?;
            if !removal.dry_run && (proof::oddity(one).is_none() || !proof::has_right(one)) {
                let finished = finish::finish(store, known, around)?;
                if finished.state == State::Removed {
                    return Ok(removed(finished, removal));
                }
            }
        }
        _ => {}
    }
    if !proof::has_right(one) {
        // Only its record exists.
        let gone = if removal.dry_run { one.clone() } else { finish::unmake(store, known, around)? };
        return Ok(removed(gone, removal));
    }
    if let Some(why) = proof::oddity(one) {
        return Err(kept(one, vec![Reason::new(Loss::NotOurs, why)]));
    }
    if one.is_adopted {
        return forget(store, known, removal);
    }
    let path = PathBuf::from(&one.path);
    if sys::path::look(&path).is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound) {
        let gone = if removal.dry_run { one.clone() } else { note_removed(store, known, None)? };
        return Ok(removed(gone, removal));
    }
    let seen = inspect(store, known, &path, around)?;
    refuse(one, &seen.reasons, removal.force).map_err(|error| overtaken(store, known).unwrap_or(error))?;
    let branch = branch_to_delete(one, &seen, removal);
    if removal.dry_run {
        let brought = seen.homeward.lines.iter().map(|(id, _)| id.clone()).collect();
        return Ok(RemovedWorkspace { forced: seen.reasons, branch, brought, ..removed(one.clone(), removal) });
    }
    if one.state == State::Failed && one.ready_at.is_none() {
        return Ok(removed(finish::unmake(store, known, around)?, removal));
    }
    store.take_in_outboxes()?;
    let started = begin(store, known, around)?;
    let (kept, brought) = match one.kind {
        Kind::Worktree => worktree(store, &started, one, removal, branch.as_deref(), around)?,
        Kind::Clone | Kind::Copy => directory(store, &started, one, removal, around)?,
    };
    let gone = note_removed(store, known, seen.merged.and_then(|merged| merged.commit))?;
    Ok(RemovedWorkspace { kept, forced: seen.reasons, branch, brought, ..removed(gone, removal) })
}

fn removed(workspace: Workspace, removal: Removal) -> RemovedWorkspace {
    let (kept, forced, branch, brought, is_forgotten) = (None, Vec::new(), None, Vec::new(), false);
    RemovedWorkspace { workspace, kept, forced, branch, brought, is_forgotten, dry_run: removal.dry_run }
}

/// Another process has started to remove it while it was inspected.
fn overtaken(store: &Store, known: &Known) -> Option<OpError> {
    let one = &known.workspace;
    let now = records::known(store).ok()?.into_iter().find(|now| now.workspace.id == one.id)?.workspace;
    match now.state {
        _ if now.state == one.state => None,
        State::Removed => Some(WorkspaceError::AlreadyGone { id: now.id }.into()),
        _ => Some(WorkspaceError::Changed { id: now.id }.into()),
    }
}

/// Removes only the record; the files existed before.
fn forget(store: &Store, known: &Known, removal: Removal) -> Result<RemovedWorkspace> {
    let gone = if removal.dry_run { known.workspace.clone() } else { note_removed(store, known, None)? };
    Ok(RemovedWorkspace { is_forgotten: true, ..removed(gone, removal) })
}

/// The branch of a worktree that `bd` created, if everything on it is also elsewhere. A clone's branch is deleted with
/// the clone.
fn branch_to_delete(one: &Workspace, seen: &Inspection, removal: Removal) -> Option<String> {
    let is_spent = seen.merged.is_some() || seen.is_untouched;
    let is_ours = one.kind == Kind::Worktree && one.is_branch_made;
    one.branch.clone().filter(|_| is_ours && is_spent && !removal.keep_branch)
}
