//! Errors of records in a state home.

use std::path::PathBuf;

use crate::ledger::LedgerError;
use crate::sys::fs::FsError;
use crate::sys::lock::LockError;

#[derive(Debug, Clone, thiserror::Error)]
pub enum RecordError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error("{} has layout {found}, this bd knows up to {LAYOUT}", path.display())]
    Newer { path: PathBuf, found: i64 },
    #[error("the state home {} was moved to {}", path.display(), to.display())]
    Moved { path: PathBuf, to: PathBuf },
    #[error("{} does not hold an id", path.display())]
    NoId { path: PathBuf },
    #[error("the state home {} is not there: {reason}", path.display())]
    Unreachable { path: PathBuf, reason: String },
    #[error("the state home {} cannot be written", home.display())]
    ReadOnly { home: PathBuf },
    #[error("records cannot wait in {}: it is under version control, and a commit must not bring claims", path.display())]
    Tracked { path: PathBuf },
}

impl RecordError {
    /// Whether this process may not write there.
    pub(in crate::store) fn is_forbidden(&self) -> bool {
        match self {
            RecordError::Fs(error)
            | RecordError::Ledger(LedgerError::Fs(error) | LedgerError::Lock(LockError::Open(error))) => {
                error.is_forbidden()
            }
            RecordError::ReadOnly { .. } => true,
            _ => false,
        }
    }
}

/// 2: one log of writes instead of a journal and a log for `bd undo`. 3: outboxes.
pub(in crate::store) const LAYOUT: i64 = 3;
