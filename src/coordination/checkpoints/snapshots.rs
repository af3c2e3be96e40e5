//! The files of a checkpoint, kept by version control under the checkpoint's id.

use std::path::Path;

use crate::model::checkpoint::Saved;
use crate::store::{Store, SyncError};
use crate::vcs;

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SnapshotError(#[from] pub SyncError);

/// Keeps all files of the checkout as they are.
pub fn save(store: &Store, id: &str, message: &str) -> Result<Saved, SnapshotError> {
    let _ = (id, message);
    Err(unsupported(store))
}

/// Writes them into a directory that is not there or empty.
pub fn restore(store: &Store, id: &str, to: &Path) -> Result<(), SnapshotError> {
    let _ = (id, to);
    Err(unsupported(store))
}

pub fn forget(store: &Store, id: &str) -> Result<(), SnapshotError> {
    let _ = id;
    Err(unsupported(store))
}

fn unsupported(store: &Store) -> SnapshotError {
    let kind = vcs::kind(store.repo().root());
    SnapshotError(SyncError::Unsupported { kind, what: "snapshots" })
}
