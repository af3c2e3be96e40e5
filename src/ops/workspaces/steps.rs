//! The steps of removing a workspace, each of which can be resumed after a crash.
//!
//! First `removing` is recorded. A clone or a copy is renamed, so that no one finds it any more, and inspected once
//! more; with force, everything is saved in its original repository. Then it gets a name that means that only deletion
//! is left. When the directory is gone, `removed` is recorded. A worktree is removed by its version control.

use std::path::{Path, PathBuf};

use super::inspect::{Around, as_worktree, inspect};
use super::proof::{DELETING, REMOVING};
use super::removal::{Removal, bring, kept, refuse};
use super::{WorkspaceError, proof};
use crate::ledger::MAX_LEDGER;
use crate::model::state_id::{self, CHECKPOINT};
use crate::model::workspace::{State, Workspace};
use crate::ops::removal_reasons::{Loss, Reason};
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::Known;
use crate::ops::worktrees::change::not_kept;
use crate::ops::{KeptFiles, OpError, Result};
use crate::store::{Store, StoreError, Worktree};
use crate::sys::below;
use crate::sys::fs::FsError;
use crate::sys::removal::remove as delete_tree;
use crate::{sys, vcs};

/// Records that it is being removed, if it is unchanged and no one has claimed anything there meanwhile.
pub(super) fn begin(store: &Store, known: &Known, around: &Around) -> Result<Known> {
    let one = &known.workspace;
    let now = store.host().clock.now().to_string();
    let started = records::change(store, &known.state, &one.id, |there| {
        let same = there.as_ref().is_some_and(|there| (there.state, &there.owner) == (one.state, &one.owner));
        let Some(workspace) = there.filter(|_| same) else {
            return Err(WorkspaceError::Changed { id: one.id.clone() }.into());
        };
        let held = one.worktree_id.as_deref().map_or(Ok(Vec::new()), |id| store.held_in_worktree(id))?;
        let is_new = |id: &str| !around.leases.iter().any(|row| row.id == id);
        if let Some((id, holder)) = held.iter().find(|(id, _)| is_new(id)) {
            let text = format!("{holder} has claimed {id} there just now");
            return Err(kept(one, vec![Reason::new(Loss::Lease, text)]));
        }
        let owner = sys::owner(std::process::id());
        Ok(Some(Workspace { state: State::Removing, owner, updated_at: Some(now.clone()), ..workspace }))
    })?;
    let workspace = started.unwrap_or_else(|| one.clone());
    Ok(Known { workspace, state: known.state.clone() })
}

/// Records its previous state again.
fn put_back(store: &Store, known: &Known, before: &Workspace) -> Result<()> {
    let (state, owner) = (before.state, &before.owner);
    records::set(store, known, |there| Workspace { state, owner: owner.clone(), rescue: None, ..there }).map(drop)
}

/// Records its state after a failure; no process owns it any more.
pub(super) fn give_up(store: &Store, known: &Known, state: State, error: Option<String>) -> Result<Workspace> {
    let now = store.host().clock.now().to_string();
    records::set(store, known, |one| Workspace {
        state,
        owner: None,
        error: error.clone().or(one.error),
        rescue: one.rescue.filter(|_| state == State::Removing),
        updated_at: Some(now.clone()),
        ..one
    })
}

/// Removes a clone or a copy. It is inspected again after no one can find it any more.
pub(super) fn directory(
    store: &Store,
    known: &Known,
    before: &Workspace,
    removal: Removal,
    around: &Around,
) -> Result<(Option<KeptFiles>, Vec<String>)> {
    let one = &known.workspace;
    let (path, hidden) = (PathBuf::from(&one.path), proof::beside(one, REMOVING));
    let undo = |error: OpError, is_hidden: bool| {
        let back = if is_hidden { sys::path::rename(&hidden, &path) } else { Ok(()) };
        match back {
            Ok(()) => put_back(store, known, before).err().unwrap_or(error),
            Err(e) => {
                let error = Box::new(StoreError::from(e).into());
                WorkspaceError::HalfRemoved { id: one.id.clone(), key: None, error }.into()
            }
        }
    };
    if let Err(e) = sys::path::rename(&path, &hidden) {
        return Err(undo(StoreError::from(e).into(), false));
    }
    let again = inspect(store, &known_as(known, before), &hidden, around);
    let done = again.and_then(|seen| {
        refuse(before, &seen.reasons, removal.force)?;
        let kept = match removal.force {
            true => Some(rescue(store, known, &hidden)?),
            false => {
                let handed = vcs::open(&hidden).hand_over(Path::new(&one.parent), &store.host().env);
                // Without version control nothing was saved in it.
                handed.map_err(StoreError::from)?;
                None
            }
        };
        // Last of all: if the workspace stays, its parent's ledger must be unchanged.
        match bring(store, before, &seen, &hidden) {
            Ok(brought) => Ok((kept, brought)),
            Err(error) => Err(drop_saved(store, one, kept.as_ref()).err().unwrap_or(error)),
        }
    });
    match done {
        Ok((kept, brought)) => {
            delete(store, known, &hidden).map_err(|error| half(one, kept.as_ref(), error))?;
            Ok((kept, brought))
        }
        Err(error) => Err(undo(error, true)),
    }
}

/// Deletes what was saved from a workspace that stays.
fn drop_saved(store: &Store, one: &Workspace, saved: Option<&KeptFiles>) -> Result<()> {
    let Some(saved) = saved else { return Ok(()) };
    let parent = vcs::open(Path::new(&one.parent));
    Ok(parent.drop_rescue(&saved.key, &store.host().env).map_err(StoreError::from)?)
}

/// The same workspace with its previous record: our removal is not a reason against it.
fn known_as(known: &Known, before: &Workspace) -> Known {
    Known { workspace: before.clone(), state: known.state.clone() }
}

fn half(one: &Workspace, kept: Option<&KeptFiles>, error: OpError) -> OpError {
    let key = kept.map(|kept| kept.key.clone());
    WorkspaceError::HalfRemoved { id: one.id.clone(), key, error: Box::new(error) }.into()
}

/// Deletes the directory. This cannot be reverted.
pub(super) fn delete(store: &Store, known: &Known, hidden: &Path) -> Result<()> {
    let doomed = proof::beside(&known.workspace, DELETING);
    let gone = match hidden == doomed {
        true => Ok(()),
        false => sys::path::rename(hidden, &doomed),
    };
    let deleted = gone.and_then(|()| delete_tree(&doomed)).and_then(|()| delete_context(store, &known.workspace));
    deleted.map_err(|error| {
        let text = error.to_string();
        // gc finds the rest; if even this cannot be recorded, the record says `removing`.
        let _ = give_up(store, known, State::Removing, Some(text));
        StoreError::from(error).into()
    })
}

/// Deletes the data of the job. Only a directory with the name and place that `bd` uses.
pub(super) fn delete_context(store: &Store, one: &Workspace) -> std::result::Result<(), FsError> {
    let Some(context) = one.context_dir.as_deref().map(Path::new) else { return Ok(()) };
    let places = [proof::usual_place(store, one), Path::new(&one.path).parent().map(Path::to_owned)];
    let is_placed = places.iter().flatten().any(|place| context.parent() == Some(place));
    let is_named = context.file_name().is_some_and(|name| *name == *format!("{}.job", one.id));
    if is_placed && is_named { delete_tree(context) } else { Ok(()) }
}

/// Saves everything in the original repository, completely or not at all.
fn rescue(store: &Store, known: &Known, at: &Path) -> Result<KeptFiles> {
    let (one, env) = (&known.workspace, &store.host().env);
    let key = state_id::mint(CHECKPOINT, store.host().entropy.bytes());
    let parent = Path::new(&one.parent);
    let drop_it = || vcs::open(parent).drop_rescue(&key, env).map_err(StoreError::from);
    let rescued = match vcs::open(at).rescue(&key, parent, env) {
        Ok(rescued) => rescued,
        Err(error) => {
            drop_it()?;
            return Err(kept(one, vec![Reason::new(Loss::NotKept, format!("it cannot be kept: {error}"))]));
        }
    };
    let lost = not_kept(&rescued.snapshot);
    if !lost.is_empty() {
        drop_it()?;
        return Err(kept(one, lost.into_iter().map(|text| Reason::new(Loss::NotKept, text)).collect()));
    }
    records::set(store, known, |there| Workspace { rescue: Some(key.clone()), ..there })?;
    let (name, files) = (rescued.snapshot.name, rescued.snapshot.files.len());
    Ok(KeptFiles { key, name, files })
}

/// Removes a worktree. An empty directory beside it records the decision.
pub(super) fn worktree(
    store: &Store,
    known: &Known,
    before: &Workspace,
    removal: Removal,
    branch: Option<&str>,
    around: &Around,
) -> Result<(Option<KeptFiles>, Vec<String>)> {
    let (one, env) = (&known.workspace, &store.host().env);
    let (path, parent) = (Path::new(&one.path), vcs::open(Path::new(&one.parent)));
    let tip = vcs::open(path).head(env).map_err(StoreError::from)?;
    let mark = proof::beside(one, DELETING);
    let (mut saved, mut ledgers) = (None, Vec::new());
    let mut take = || -> Result<Vec<String>> {
        let seen = inspect(store, &known_as(known, before), path, around)?;
        refuse(before, &seen.reasons, removal.force)?;
        if removal.force {
            saved = Some(rescue(store, known, path)?);
        }
        let brought = bring(store, before, &seen, path)?;
        if !removal.force {
            ledgers = set_back(store, path, &seen.homeward.ledgers)?;
        }
        sys::path::make(&mark).map_err(StoreError::from)?;
        let removed = vcs::remove_checkout(&*parent, path, removal.force, env);
        removed.map_err(|error| match error {
            vcs::SyncError::Kept { why, .. } => kept(one, vec![Reason::new(Loss::Unknown, why)]),
            other => OpError::from(StoreError::from(other)),
        })?;
        Ok(brought)
    };
    let brought = match take() {
        Ok(brought) => brought,
        Err(error) => {
            // It is still complete, or version control has started to delete it.
            let _ = sys::path::remove(&mark);
            for (ledger, bytes) in ledgers.iter().filter(|(ledger, _)| path.join(ledger).exists()) {
                below::put(path, ledger, bytes).map_err(StoreError::from)?;
            }
            drop_saved(store, one, saved.as_ref())?;
            put_back(store, known, before)?;
            return Err(error);
        }
    };
    let deleted = delete_context(store, one).and_then(|()| delete_tree(&mark)).map_err(StoreError::from);
    deleted.map_err(|error| half(one, saved.as_ref(), error.into()))?;
    if let (Some(name), Some(tip)) = (branch, tip) {
        // Another checkout may use it, or it has moved on: then it stays.
        let _ = parent.delete_branch(name, &tip, env);
    }
    Ok((saved, brought))
}

/// Resets a worktree's ledgers to the committed text: their changes are at home, and version control refuses to remove
/// a worktree with changed files. Returns the previous contents.
fn set_back(store: &Store, at: &Path, ledgers: &[PathBuf]) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let (env, vcs) = (&store.host().env, vcs::open(at));
    let changed = vcs.work(env).map_err(StoreError::from)?.changed;
    let mut before = Vec::new();
    for inside in ledgers.iter().filter(|inside| changed.contains(inside)) {
        let Some(committed) = vcs.committed(inside, env).map_err(StoreError::from)? else { continue };
        let bytes = below::read(at, inside, MAX_LEDGER).map_err(StoreError::from)?.bytes;
        below::put(at, inside, &committed).map_err(StoreError::from)?;
        before.push((inside.clone(), bytes));
    }
    Ok(before)
}

/// Records that the directory is gone.
pub(super) fn note_removed(store: &Store, known: &Known, merge_commit: Option<String>) -> Result<Workspace> {
    let now = store.host().clock.now().to_string();
    let one = &known.workspace;
    let gone = records::set(store, known, |there| Workspace {
        state: State::Removed,
        owner: None,
        ports: None,
        error: there.error.filter(|_| there.ready_at.is_none()),
        merge_commit: there.merge_commit.or(merge_commit.clone()),
        removed_at: Some(now.clone()),
        updated_at: Some(now.clone()),
        ..there
    })?;
    if !one.is_adopted {
        store.mark_gone(&[Worktree { exists: false, branch: None, ..as_worktree(one, Path::new(&one.path)) }])?;
    }
    Ok(gone)
}
