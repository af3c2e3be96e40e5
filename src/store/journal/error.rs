//! What can go wrong with the journal.

use crate::sys::fs::FsError;
use crate::sys::lock::LockError;

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error(transparent)]
    Lock(#[from] LockError),
}
