//! The files of a checkpoint, stored by version control under the checkpoint's id.

use std::path::{Path, PathBuf};

use crate::model::checkpoint::Saved;
use crate::ops::here;
use crate::store::{Store, SyncError};
use crate::vcs::{self, LARGEST};

/// Saves all current files of the checkout.
pub(super) fn save(store: &Store, id: &str) -> Result<Saved, SyncError> {
    let kept = vcs::open(&here::root(store)).snapshot(id, LARGEST, &store.host().env)?;
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

/// Deletes them, if they still exist.
pub(super) fn forget(store: &Store, id: &str) -> Result<(), SyncError> {
    vcs::open(&here::root(store)).drop_snapshot(id, &store.host().env)
}
