//! The files of a checkpoint, stored by version control under the checkpoint's id.
//!
//! A snapshot that is made in a clone is copied to the repository that the clone was made from, so that it outlives the
//! clone and every checkout can restore it.

use std::path::{Path, PathBuf};

use crate::model::checkpoint::Saved;
use crate::model::workspace::Kind;
use crate::ops::{here, workspace_records};
use crate::store::{Store, SyncError, Worktree};
use crate::vcs::{self, LARGEST};

/// Saves all current files of the checkout.
pub(super) fn save(store: &Store, id: &str) -> Result<Saved, SyncError> {
    let (here, env) = (vcs::open(&here::root(store)), &store.host().env);
    let kept = here.snapshot(id, LARGEST, env)?;
    if let Some(parent) = parent(store) {
        // One that may not be written gets it when the workspace is removed.
        let _ = here.hand_over(&parent, env);
    }
    let text = |path: &Path| path.to_string_lossy().into_owned();
    Ok(Saved {
        name: kept.name,
        files: kept.files.iter().map(|path| text(path)).collect(),
        base: kept.base,
        left_out: kept.left_out.iter().map(|one| format!("{}: {}", text(&one.path), one.why)).collect(),
    })
}

/// Writes them into a missing or empty directory; returns where the versions that were only staged are in it.
pub(super) fn restore(store: &Store, id: &str, to: &Path) -> Result<Option<PathBuf>, SyncError> {
    vcs::open(&here::root(store)).restore_snapshot(id, to, &store.host().env)
}

/// Deletes them, if they still exist: here, and in the repositories that may have a copy.
pub(super) fn forget(store: &Store, id: &str, worktree_id: Option<&str>) -> Result<(), SyncError> {
    let is_its = |one: &Worktree| one.exists && worktree_id.is_some() && one.id.as_deref() == worktree_id;
    let its = store.worktrees().unwrap_or_default().into_iter().filter(is_its).map(|one| one.root);
    for root in its.chain(parent(store)) {
        let _ = vcs::open(&root).drop_snapshot(id, &store.host().env);
    }
    vcs::open(&here::root(store)).drop_snapshot(id, &store.host().env)
}

/// The checkout that this one was cloned or copied from as a workspace.
fn parent(store: &Store) -> Option<PathBuf> {
    let one = workspace_records::here(store).filter(|one| one.kind != Kind::Worktree)?;
    Some(PathBuf::from(one.parent)).filter(|parent| parent.is_dir())
}
