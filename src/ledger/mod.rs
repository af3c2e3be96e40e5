//! One JSONL file of issues: its lines, how it is read while other programs rewrite it, and the only way to write it.
//!
//! Owns `<repo>/.beads/beads.jsonl` (or `issues.jsonl`, or the file that the config names). Invariants: a line keeps
//! its bytes unless a change names it; an unreadable line is kept and reported; an absent or empty file never silently
//! means "no issues". Knows neither the cache nor version control.

mod check;
mod diff;
mod document;
mod edit;
mod gate;
mod line;
mod markers;
mod merge;
mod pieces;
mod read;
mod repair;
mod text;
mod write;

pub use check::{Finding, Problem};
pub use document::{Document, MAX_LEDGER};
pub use edit::{Edit, LineChange};
pub use line::{Damage, Line, MAX_LINE, line_id};
pub use markers::{BadMarkers, Parts};
pub use merge::{Merged, MergedLine, add_lines, merge};
pub use read::{Expectation, ReadLedger, Stamp};
pub use repair::{Repair, RepairStep};
pub use write::{Applied, LeftFile, LockedLedger, OnDisk, Outcome, Planned, REFUSED_PREFIX};

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::sys;
use crate::sys::Entropy;
use crate::sys::fs::FsError;
use crate::sys::lock::{self, LockError};

#[derive(Debug, Clone, thiserror::Error)]
pub enum LedgerError {
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("{}: the ledger is missing", path.display())]
    Missing { path: PathBuf },
    /// The file should hold issues, according to `what`, and does not.
    #[error("{}: the ledger is {what}, but version control or an earlier read knows issues in it", path.display())]
    Vanished { path: PathBuf, what: &'static str },
    #[error("{}: the file kept changing while it was read", path.display())]
    Unstable { path: PathBuf },
    #[error("{}:{line}: the last line is cut off ({reason}); the ledger is read-only until it is repaired", path.display())]
    Torn { path: PathBuf, line: usize, reason: String },
    #[error("{}:{line}: conflict markers; {what}", path.display())]
    Conflicted { path: PathBuf, line: usize, what: &'static str },
    #[error("{}:{line}: conflict markers that do not fit together: {what}", path.display())]
    Markers { path: PathBuf, line: usize, what: &'static str },
    #[error("{} is a link to {}; a ledger must be a regular file", path.display(), target.display())]
    Linked { path: PathBuf, target: PathBuf },
    #[error("{} is not a ledger: its name must end in .jsonl", path.display())]
    NotJsonl { path: PathBuf },
    /// Its owner has no write permission: someone took it away.
    #[error("{} is write-protected", path.display())]
    WriteProtected { path: PathBuf },
    #[error("{} has {links} hard links; replacing it would split them", path.display())]
    HardLinks { path: PathBuf, links: u64 },
    #[error("{} would grow beyond 1 GiB", path.display())]
    TooLarge { path: PathBuf },
    #[error("conservation check failed on {}: {what}; nothing was written{}", path.display(), kept.as_ref().map(|k| format!(", the refused text is in {}", k.display())).unwrap_or_default())]
    Gate { path: PathBuf, what: String, kept: Option<PathBuf> },
}

impl LedgerError {
    /// Whether the file or its lock failed, and nothing about the issues in it was refused.
    pub fn is_of_file(&self) -> bool {
        use LedgerError::{Fs, Lock, Missing, Unstable, Vanished};
        matches!(self, Fs(_) | Lock(_) | Missing { .. } | Vanished { .. } | Unstable { .. })
    }
}

/// The location of one ledger. That is enough for reading; writing needs [`Ledger::lock`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    path: PathBuf,
    /// The directory below which no link is followed.
    root: PathBuf,
}

impl Ledger {
    /// A ledger at a path below a directory. A link is refused: it could lead anywhere.
    pub fn at(path: &Path, root: &Path) -> Result<Self, LedgerError> {
        if path.extension().is_none_or(|end| end != "jsonl") {
            return Err(LedgerError::NotJsonl { path: path.to_owned() });
        }
        match sys::path::link(path) {
            Ok(target) => Err(LedgerError::Linked { path: path.to_owned(), target }),
            Err(_) => Ok(Ledger { path: path.to_owned(), root: root.to_owned() }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path relative to the root.
    fn inside(&self) -> &Path {
        self.path.strip_prefix(&self.root).unwrap_or(&self.path)
    }

    fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or("beads.jsonl")
    }

    fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Creates an empty ledger; `false` if it exists.
    pub fn create(&self, wait: Duration, entropy: &Entropy) -> Result<bool, LedgerError> {
        let lock = lock::lock(self.directory(), wait)?;
        Ok(lock.dir().create(self.name(), b"", entropy)?)
    }
}
