//! Exchanging commits with another copy of the repository: the values that the adapters share.
//!
//! The way is always the same. [`fetch`](super::Vcs::fetch) talks to the network and changes no file. With the ledger
//! locked, [`commit`](super::Vcs::commit) and [`integrate`](super::Vcs::integrate) bring both sides together: files of
//! ledgers by the function that the caller gives, all others by the program's own merge, and if those conflict nothing at
//! all is changed. [`push`](super::Vcs::push) sends the result, and never by force.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use super::commit::CommitError;
use super::{HistoryError, Kind};
use crate::sys::Env;
use crate::sys::process::RunError;

/// How the working copy stands to what it exchanges commits with, as far as the last fetch knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// The branch or bookmark that would be sent; `None` where no branch is checked out.
    pub branch: Option<String>,
    /// What it follows, such as `origin/main`; `None` if nothing is configured or known.
    pub upstream: Option<String>,
    /// Commits here that the other side lacks.
    pub ahead: usize,
    /// Commits there that are missing here.
    pub behind: usize,
}

/// One file in the last common version and in those of both sides; `None` where there is no such file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Versions {
    pub base: Option<Vec<u8>>,
    pub ours: Option<Vec<u8>>,
    pub theirs: Option<Vec<u8>>,
}

/// Merges one ledger; the path is as seen from the root of the working copy.
pub type Merge<'a> = &'a mut dyn FnMut(&Path, &Versions) -> Vec<u8>;

/// What bringing both sides together did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrated {
    /// The other side had nothing new.
    UpToDate,
    /// Only the other side had something new.
    Forwarded,
    /// Both had, and a merge commit joins them.
    Merged,
    /// Both had, and our commits now stand on theirs.
    Rebased,
}

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    Done,
    NothingToPush,
    /// Somebody else was faster: fetch, integrate and push again.
    Outrun,
    /// Not sent, and why that is no error: no remote, no branch, or changes that are not ours to publish.
    Held(String),
}

#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error("{} is under no version control", root.display())]
    NoVcs { root: PathBuf },
    #[error("{kind} cannot do this: {what}")]
    Unsupported { kind: Kind, what: &'static str },
    #[error("another program holds a lock in {}", root.display())]
    Busy { root: PathBuf },
    #[error("{what} is not finished in {}", root.display())]
    Unfinished { root: PathBuf, what: String },
    #[error("{upstream} conflicts with {}: {}", root.display(), list(files))]
    Conflicts { root: PathBuf, upstream: String, files: Vec<PathBuf> },
    #[error("{upstream} changes files that are changed in {} and not committed: {}", root.display(), list(files))]
    InTheWay { root: PathBuf, upstream: String, files: Vec<PathBuf> },
    #[error("cannot reach {remote}: {said}")]
    Unreachable { remote: String, said: String },
    #[error("{remote} refuses the push: {said}")]
    Refused { remote: String, said: String },
    #[error("{program} failed with {status}: {said}")]
    Failed { program: String, status: ExitStatus, said: String },
    #[error("cannot make a checkout at {}: {why}", path.display())]
    NoCheckout { path: PathBuf, why: String },
    #[error("{} is kept: {why}", root.display())]
    Kept { root: PathBuf, why: String },
    #[error("there is no snapshot {key} in {}", root.display())]
    NoSnapshot { key: String, root: PathBuf },
    #[error("cannot use {}", path.display())]
    Path { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Run(#[from] RunError),
}

fn list(files: &[PathBuf]) -> String {
    let shown: Vec<String> = files.iter().take(5).map(|file| file.display().to_string()).collect();
    let more = files.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

/// A merge to make in one working copy.
pub struct Integration<'a> {
    /// The files that `merge` settles, relative to the root.
    pub ledgers: &'a [PathBuf],
    pub merge: Merge<'a>,
    /// Of a merge commit, where there is one.
    pub message: &'a str,
    /// Counts where no identity is configured.
    pub author: &'a str,
    pub env: &'a Env,
}
