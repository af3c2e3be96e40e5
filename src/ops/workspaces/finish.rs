//! Cleaning up after a crash: workspaces that were being created or removed by a process that is gone.

use std::path::Path;

use super::inspect::{Around, inspect};
use super::proof::{DELETING, REMOVING};
use super::removal::{bring, check_over, kept, refuse};
use super::steps::{delete, delete_context, give_up, note_removed};
use super::{checkout, proof};
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::Result;
use crate::ops::removal_reasons::{Loss, Reason};
use crate::ops::workspace_records::Known;
use crate::store::{Store, StoreError};
use crate::sys::removal;
use crate::{sys, vcs};

/// Finishes what was started: a workspace being created is removed; one being removed is removed, or restored if
/// something in it would be lost. Returns the resulting record.
pub(super) fn finish(store: &Store, known: &Known, around: &Around) -> Result<Workspace> {
    let one = &known.workspace;
    check_over(store, one)?;
    match one.state {
        State::Creating => unmake(store, known, around),
        State::Removing if one.kind == Kind::Worktree => remove_worktree(store, known),
        State::Removing => remove_directory(store, known, around),
        _ => Ok(one.clone()),
    }
}

/// Removes one that was never ready, and so never used.
pub(super) fn unmake(store: &Store, known: &Known, around: &Around) -> Result<Workspace> {
    let one = &known.workspace;
    let path = Path::new(&one.path);
    if proof::has_right(one) && sys::path::is_there(path) {
        let seen = inspect(store, known, path, around)?;
        refuse(one, &seen.reasons, false)?;
        if one.kind == Kind::Worktree && vcs::root(path).as_deref() == Some(path) {
            checkout::unmake(store, one, path).map_err(StoreError::from)?;
        }
        removal::remove(path).map_err(StoreError::from)?;
    }
    delete_context(store, one).map_err(StoreError::from)?;
    let text = "the process that made it ended before it was ready".to_owned();
    give_up(store, known, State::Failed, Some(text).filter(|_| one.state == State::Creating))?;
    note_removed(store, known, None)
}

fn remove_directory(store: &Store, known: &Known, around: &Around) -> Result<Workspace> {
    let one = &known.workspace;
    let is_there = |path: &Path| sys::path::is_there(path);
    let (path, hidden) = (Path::new(&one.path), proof::beside(one, REMOVING));
    let doomed = proof::beside(one, DELETING);
    if is_there(&doomed) {
        refuse_doubt(store, known, &doomed)?;
        delete(store, known, &doomed)?;
        return note_removed(store, known, None);
    }
    if is_there(&hidden) && !is_there(path) {
        let seen = inspect(store, known, &hidden, around)?;
        let counts = |reason: &Reason| reason.loss.is_final() || one.rescue.is_none();
        let is_home = seen.homeward.lines.is_empty() || one.rescue.is_some();
        if is_home && !seen.reasons.iter().any(counts) {
            bring(store, one, &seen, &hidden)?;
            // With force, everything was saved before; otherwise there was nothing to save.
            delete(store, known, &hidden)?;
            return note_removed(store, known, seen.merged.and_then(|merged| merged.commit));
        }
        refuse_doubt(store, known, &hidden)?;
        sys::path::rename(&hidden, path).map_err(StoreError::from)?;
    }
    match is_there(path) {
        true => give_up(store, known, State::Idle, None),
        false => {
            delete_context(store, one).map_err(StoreError::from)?;
            note_removed(store, known, None)
        }
    }
}

/// A half-deleted directory may have lost its id; its name and place must match.
fn refuse_doubt(store: &Store, known: &Known, at: &Path) -> Result<()> {
    let unnamed = Workspace { worktree_id: None, ..known.workspace.clone() };
    let by_name = Known { workspace: unnamed, state: known.state.clone() };
    let doubt = proof::doubt(store, known, at).and_then(|why| proof::doubt(store, &by_name, at).map(|_| why));
    match doubt {
        Some(why) => Err(kept(&known.workspace, vec![Reason::new(Loss::NotOurs, why)])),
        None => Ok(()),
    }
}

/// A marker directory beside it shows whether version control was already told to delete it.
fn remove_worktree(store: &Store, known: &Known) -> Result<Workspace> {
    let one = &known.workspace;
    let (path, mark) = (Path::new(&one.path), proof::beside(one, DELETING));
    let is_there = sys::path::is_there(path);
    if !mark.is_dir() && is_there {
        return give_up(store, known, State::Idle, None);
    }
    if is_there {
        refuse_doubt(store, known, path)?;
        let parent = vcs::open(Path::new(&one.parent));
        let is_checkout = vcs::root(path).as_deref() == Some(path);
        if is_checkout {
            let removed = vcs::remove_checkout(&*parent, path, true, &store.host().env);
            removed.map_err(StoreError::from)?;
        }
        removal::remove(path).map_err(StoreError::from)?;
    }
    delete_context(store, one).and_then(|()| removal::remove(&mark)).map_err(StoreError::from)?;
    if let (Some(name), Some(base), true) = (&one.branch, &one.base_commit, one.is_branch_made) {
        // Only if it is still where it started: then nothing is on it.
        let _ = vcs::open(Path::new(&one.parent)).delete_branch(name, base, &store.host().env);
    }
    note_removed(store, known, None)
}
