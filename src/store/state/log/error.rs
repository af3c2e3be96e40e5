//! Errors of the log of writes.

use crate::sys::fs::FsError;
use crate::sys::lock::LockError;

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error(transparent)]
    Lock(#[from] LockError),
}
