//! Errors of records in a state home.

use std::path::PathBuf;

use crate::ledger::LedgerError;
use crate::sys::fs::FsError;

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
}

/// 2: one log of writes instead of a journal and a log for `bd undo`.
pub(in crate::store) const LAYOUT: i64 = 2;
