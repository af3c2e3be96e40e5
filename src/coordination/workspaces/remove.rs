//! Removing a workspace, in steps of which each can be taken up again after a crash.
//!
//! It is recorded as `removing`. A clone or a copy gets another name, so that nobody finds it any more, and is looked at once
//! more; by force, everything is kept in the repository that it was made from. Then it gets a name that means that only the
//! deletion is left. When the directory is gone, `removed` is recorded. A worktree is removed by its version control.

use std::path::{Path, PathBuf};

use super::lines::bring_home;
use super::look::{Around, Look, look, owner_lives};
use super::proof::{self, DELETING, REMOVING};
use super::records::{self, Known};
use super::{WorkspaceError, finish};
use crate::coordination::checkout_changes::not_kept;
use crate::coordination::losses::{Loss, Reason};
use crate::coordination::{CoordinationError, KeptFiles, Result};
use crate::model::state_id::{self, CHECKPOINT};
use crate::model::workspace::{Kind, State, Workspace};
use crate::store::{Store, StoreError, Worktree};
use crate::sys::fs::FsError;
use crate::sys::{self, removal::remove as delete_tree};
use crate::vcs;

/// How to remove a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removal {
    pub keep_branch: bool,
    /// Although something would be lost: it is kept first.
    pub force: bool,
    /// Only say what would happen.
    pub dry_run: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedWorkspace {
    pub workspace: Workspace,
    /// What was kept of it.
    pub kept: Option<KeptFiles>,
    /// What stood against it and did not count.
    pub forced: Vec<Reason>,
    /// Issues that only its ledger had in this version, and that of its parent has now.
    pub brought: Vec<String>,
    /// The branch that went with it.
    pub branch: Option<String>,
    /// Its files stay, because `bd` did not make them.
    pub is_forgotten: bool,
    pub dry_run: bool,
}

/// Removes a workspace in which nothing would be lost, or by force after everything was kept.
pub fn remove(store: &mut Store, typed: &str, removal: Removal, cwd: &Path) -> Result<RemovedWorkspace> {
    store.worktree()?;
    let known = records::find(store, typed)?;
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
            if !removal.dry_run && proof::oddity(one).is_none() {
                let finished = finish::finish(store, known, around)?;
                if finished.state == State::Removed {
                    return Ok(removed(finished, removal));
                }
            }
        }
        _ => {}
    }
    if let Some(why) = proof::oddity(one) {
        return Err(kept(one, vec![Reason::new(Loss::NotOurs, why)]));
    }
    if one.is_adopted {
        return forget(store, known, removal);
    }
    let path = PathBuf::from(&one.path);
    if std::fs::symlink_metadata(&path).is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound) {
        let gone = if removal.dry_run { one.clone() } else { note_removed(store, known, None)? };
        return Ok(removed(gone, removal));
    }
    let seen = look(store, known, &path, around)?;
    refuse(one, &seen.reasons, removal.force).map_err(|error| overtaken(store, known).unwrap_or(error))?;
    let branch = branch_to_delete(one, &seen, removal);
    if removal.dry_run {
        let brought = seen.homeward.lines.iter().map(|(id, _)| id.clone()).collect();
        return Ok(RemovedWorkspace { forced: seen.reasons, branch, brought, ..removed(one.clone(), removal) });
    }
    let brought = match bring(store, one, &seen) {
        Ok(brought) => brought,
        Err(error) => return Err(kept(one, vec![not_brought(&seen, &error)])),
    };
    let begun = begin(store, known, one)?;
    let kept = match one.kind {
        Kind::Worktree => worktree(store, &begun, &seen, removal, branch.as_deref())?,
        Kind::Clone | Kind::Copy => directory(store, &begun, one, removal, around)?,
    };
    let gone = note_removed(store, known, seen.merged.and_then(|merged| merged.commit))?;
    Ok(RemovedWorkspace { kept, forced: seen.reasons, branch, brought, ..removed(gone, removal) })
}

/// Brings home what only its ledger says.
fn bring(store: &Store, one: &Workspace, seen: &Look) -> Result<Vec<String>> {
    if seen.homeward.lines.is_empty() {
        return Ok(Vec::new());
    }
    let mut parent = store.opened_at(Path::new(&one.parent))?;
    bring_home(&mut parent, seen.homeward.clone())
}

/// Why that was not done.
fn not_brought(seen: &Look, error: &CoordinationError) -> Reason {
    let ids: Vec<&str> = seen.homeward.lines.iter().map(|(id, _)| id.as_str()).collect();
    let text = format!("its ledger has what that of its parent has not: {}; {error}", ids.join(", "));
    Reason::new(Loss::Ledger, text)
}

fn removed(workspace: Workspace, removal: Removal) -> RemovedWorkspace {
    let (kept, forced, branch, brought, is_forgotten) = (None, Vec::new(), None, Vec::new(), false);
    RemovedWorkspace { workspace, kept, forced, branch, brought, is_forgotten, dry_run: removal.dry_run }
}

/// The process that makes or removes it is not there any more.
pub(super) fn check_over(store: &Store, one: &Workspace) -> Result<()> {
    match one.owner.as_ref().filter(|owner| owner_lives(store, one, owner) != Some(false)) {
        Some(owner) => {
            let (id, state, pid) = (one.id.clone(), one.state.word(), owner.pid);
            Err(WorkspaceError::Busy { id, state, pid }.into())
        }
        None => Ok(()),
    }
}

/// Somebody else has begun to remove it while it was looked at.
fn overtaken(store: &Store, known: &Known) -> Option<CoordinationError> {
    let one = &known.workspace;
    let now = records::known(store).ok()?.into_iter().find(|now| now.workspace.id == one.id)?.workspace;
    match now.state {
        _ if now.state == one.state => None,
        State::Removed => Some(WorkspaceError::AlreadyGone { id: now.id }.into()),
        _ => Some(WorkspaceError::Changed { id: now.id }.into()),
    }
}

fn refuse(one: &Workspace, reasons: &[Reason], force: bool) -> Result<()> {
    let against: Vec<Reason> = reasons.iter().filter(|reason| !force || reason.loss.is_final()).cloned().collect();
    match against.is_empty() {
        true => Ok(()),
        false => Err(kept(one, against)),
    }
}

fn kept(one: &Workspace, reasons: Vec<Reason>) -> CoordinationError {
    WorkspaceError::Kept { id: one.id.clone(), path: one.path.clone().into(), reasons }.into()
}

/// Only the record goes; the files were there before.
fn forget(store: &Store, known: &Known, removal: Removal) -> Result<RemovedWorkspace> {
    let gone = if removal.dry_run { known.workspace.clone() } else { note_removed(store, known, None)? };
    Ok(RemovedWorkspace { is_forgotten: true, ..removed(gone, removal) })
}

/// The branch of a worktree that `bd` made, if nothing is on it that is not elsewhere. That of a clone goes with the clone.
fn branch_to_delete(one: &Workspace, seen: &Look, removal: Removal) -> Option<String> {
    let is_spent = seen.merged.is_some() || seen.is_untouched;
    let is_ours = one.kind == Kind::Worktree && one.is_branch_made;
    one.branch.clone().filter(|_| is_ours && is_spent && !removal.keep_branch)
}

/// Records that it is being removed, if it still is what it was, and nobody has claimed anything there meanwhile.
fn begin(store: &Store, known: &Known, one: &Workspace) -> Result<Known> {
    let now = store.host().clock.now().to_string();
    let begun = records::change(store, &known.state, &one.id, |now_there| {
        let same = now_there.as_ref().is_some_and(|other| (other.state, &other.owner) == (one.state, &one.owner));
        let Some(workspace) = now_there.filter(|_| same) else {
            return Err(WorkspaceError::Changed { id: one.id.clone() }.into());
        };
        let owner = sys::owner(std::process::id());
        Ok(Some(Workspace { state: State::Removing, owner, updated_at: Some(now.clone()), ..workspace }))
    })?;
    let workspace = begun.unwrap_or_else(|| one.clone());
    Ok(Known { workspace, state: known.state.clone() })
}

/// Records what it was before.
pub(super) fn give_up(store: &Store, known: &Known, state: State, error: Option<String>) -> Result<Workspace> {
    let now = store.host().clock.now().to_string();
    let changed = records::change(store, &known.state, &known.workspace.id, |there| {
        Ok(there.map(|one| Workspace {
            state,
            owner: None,
            error: error.clone().or(one.error.clone()),
            rescue: one.rescue.clone().filter(|_| state == State::Removing),
            updated_at: Some(now.clone()),
            ..one
        }))
    })?;
    Ok(changed.unwrap_or_else(|| known.workspace.clone()))
}

/// A clone or a copy. What was seen before is looked at again when nobody can find it any more.
fn directory(
    store: &Store,
    known: &Known,
    before: &Workspace,
    removal: Removal,
    around: &Around,
) -> Result<Option<KeptFiles>> {
    let one = &known.workspace;
    let (path, hidden) = (PathBuf::from(&one.path), proof::beside(one, REMOVING));
    let failed = |e| StoreError::from(FsError::new("rename", &path, e));
    let undo = |error: CoordinationError| {
        let back = if hidden.exists() { std::fs::rename(&hidden, &path) } else { Ok(()) };
        match back {
            Ok(()) => match give_up(store, known, before.state, None) {
                Ok(_) => error,
                Err(other) => other,
            },
            Err(e) => {
                WorkspaceError::HalfRemoved { id: one.id.clone(), key: None, error: Box::new(failed(e).into()) }.into()
            }
        }
    };
    if let Err(e) = std::fs::rename(&path, &hidden) {
        return Err(undo(failed(e).into()));
    }
    let again = look(store, &known_as(known, before), &hidden, around);
    let kept = again.and_then(|seen| {
        // It was written while it was brought home.
        if !seen.homeward.lines.is_empty() {
            return Err(WorkspaceError::Changed { id: one.id.clone() }.into());
        }
        refuse(before, &seen.reasons, removal.force)?;
        match removal.force {
            true => rescue(store, known, &hidden).map(Some),
            false => {
                let handed = vcs::open(&hidden).hand_over(Path::new(&one.parent), &store.host().env);
                // Without version control nothing was kept in it.
                handed.map_err(StoreError::from)?;
                Ok(None)
            }
        }
    });
    match kept {
        Ok(kept) => {
            delete(store, known, &hidden).map_err(|error| half(one, kept.as_ref(), error))?;
            Ok(kept)
        }
        Err(error) => Err(undo(error)),
    }
}

/// The same workspace as it was recorded before: that it is being removed by us is no reason against it.
fn known_as(known: &Known, before: &Workspace) -> Known {
    Known { workspace: before.clone(), state: known.state.clone() }
}

fn half(one: &Workspace, kept: Option<&KeptFiles>, error: CoordinationError) -> CoordinationError {
    let key = kept.map(|kept| kept.key.clone());
    WorkspaceError::HalfRemoved { id: one.id.clone(), key, error: Box::new(error) }.into()
}

/// Deletes a directory that nobody misses. From here on there is no way back.
pub(super) fn delete(store: &Store, known: &Known, hidden: &Path) -> Result<()> {
    let doomed = proof::beside(&known.workspace, DELETING);
    let gone = match hidden == doomed {
        true => Ok(()),
        false => std::fs::rename(hidden, &doomed).map_err(|e| FsError::new("rename", hidden, e)),
    };
    let deleted = gone.and_then(|()| delete_tree(&doomed)).and_then(|()| delete_context(&known.workspace));
    deleted.map_err(|error| {
        let text = error.to_string();
        // What is left is found by gc; if even this cannot be noted, the record says `removing`.
        let _ = give_up(store, known, State::Removing, Some(text));
        StoreError::from(error).into()
    })
}

/// What was about the job. Only a directory with the name that `bd` gives it.
pub(super) fn delete_context(one: &Workspace) -> std::result::Result<(), FsError> {
    let Some(context) = one.context_dir.as_deref().map(Path::new) else { return Ok(()) };
    let is_ours = context.is_absolute() && context.file_name().is_some_and(|name| *name == *format!("{}.job", one.id));
    if is_ours { delete_tree(context) } else { Ok(()) }
}

/// Keeps everything in the repository that it was made from, all of it or nothing.
fn rescue(store: &Store, known: &Known, at: &Path) -> Result<KeptFiles> {
    let (one, env) = (&known.workspace, &store.host().env);
    let key = state_id::mint(CHECKPOINT, store.host().entropy.bytes());
    let message = format!("bd: the workspace {} before it was removed", one.id);
    let parent = Path::new(&one.parent);
    let drop_it = || vcs::open(parent).drop_rescue(&key, env).map_err(StoreError::from);
    let rescued = match vcs::open(at).rescue(&key, &message, parent, env) {
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
    records::change(store, &known.state, &one.id, |there| {
        Ok(there.map(|there| Workspace { rescue: Some(key.clone()), ..there }))
    })?;
    let (name, files) = (rescued.snapshot.name, rescued.snapshot.files.len());
    Ok(KeptFiles { key, name, files })
}

/// A worktree. An empty directory beside it says that it was decided.
fn worktree(
    store: &Store,
    known: &Known,
    seen: &Look,
    removal: Removal,
    branch: Option<&str>,
) -> Result<Option<KeptFiles>> {
    let (one, env) = (&known.workspace, &store.host().env);
    let (path, parent) = (Path::new(&one.path), vcs::open(Path::new(&one.parent)));
    let tip = vcs::open(path).head(env).map_err(StoreError::from)?;
    let mark = proof::beside(one, DELETING);
    let mut saved = None;
    let mut take = || -> Result<()> {
        if removal.force {
            saved = Some(rescue(store, known, path)?);
        }
        std::fs::create_dir(&mark).map_err(|e| StoreError::from(FsError::new("make", &mark, e)))?;
        Ok(parent.remove_checkout(path, removal.force, env).map_err(|error| match error {
            vcs::SyncError::Kept { why, .. } => kept(one, vec![Reason::new(Loss::Unknown, why)]),
            other => StoreError::from(other).into(),
        })?)
    };
    if let Err(error) = take() {
        // It is whole still, or version control has begun to delete it.
        let _ = std::fs::remove_dir(&mark);
        if let Some(saved) = &saved {
            parent.drop_rescue(&saved.key, env).map_err(StoreError::from)?;
        }
        give_up(store, known, State::Idle, Some(error.to_string()))?;
        return Err(error);
    }
    let deleted = delete_context(one).and_then(|()| delete_tree(&mark)).map_err(StoreError::from);
    deleted.map_err(|error| half(one, saved.as_ref(), error.into()))?;
    if let (Some(name), Some(tip)) = (branch, tip) {
        debug_assert!(seen.merged.is_some() || seen.is_untouched);
        // Another checkout may have it, or it has moved on: then it stays.
        let _ = parent.delete_branch(name, &tip, env);
    }
    Ok(saved)
}

/// Records that the directory is gone.
pub(super) fn note_removed(store: &Store, known: &Known, merge_commit: Option<String>) -> Result<Workspace> {
    let now = store.host().clock.now().to_string();
    let one = &known.workspace;
    let gone = records::change(store, &known.state, &one.id, |there| {
        Ok(there.map(|there| Workspace {
            state: State::Removed,
            owner: None,
            ports: None,
            error: there.error.clone().filter(|_| there.ready_at.is_none()),
            merge_commit: there.merge_commit.clone().or(merge_commit.clone()),
            removed_at: Some(now.clone()),
            updated_at: Some(now.clone()),
            ..there
        }))
    })?;
    if let Some(id) = one.worktree_id.clone().filter(|_| !one.is_adopted) {
        let gone = Worktree {
            id: Some(id),
            name: one.id.clone(),
            root: PathBuf::from(&one.path),
            branch: None,
            is_main: false,
            is_here: false,
            exists: false,
            gone_at: None,
        };
        store.mark_gone(&[gone])?;
    }
    Ok(gone.unwrap_or_else(|| one.clone()))
}
