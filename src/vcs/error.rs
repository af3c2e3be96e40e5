//! Errors of version control.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use super::Kind;
use crate::sys::fs::cause;
use crate::sys::process::RunError;

#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    #[error("{} and {} are not in one working copy", one.display(), other.display())]
    Apart { one: PathBuf, other: PathBuf },
    #[error("cannot commit in {}: another program holds a lock there", root.display())]
    Busy { root: PathBuf },
    #[error("cannot commit in {}: {what} is not finished", root.display())]
    Unfinished { root: PathBuf, what: String },
    #[error("cannot commit in {}: files are staged with git, and jj would unstage them: {}", root.display(), list(files))]
    Staged { root: PathBuf, files: Vec<PathBuf> },
    #[error("git is told to overlook changes of {} ({flag})", path.display())]
    Overlooked { path: PathBuf, flag: &'static str },
    #[error("cannot tell what git is in the middle of in {}: {message}", root.display())]
    Beside { root: PathBuf, message: String },
    #[error("cannot commit {}: version control ignores it", path.display())]
    Ignored { path: PathBuf },
    #[error("cannot commit in {}: the name of a file is not text", root.display())]
    Name { root: PathBuf },
    #[error("cannot reach {}: {}", path.display(), cause(source))]
    Path { path: PathBuf, source: std::io::Error },
    #[error("{program} failed with {status}: {printed}")]
    Failed { program: String, status: ExitStatus, printed: String },
    #[error(transparent)]
    Run(#[from] RunError),
}

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("{} is not a git working copy (version control: {kind})", root.display())]
    NotGit { root: PathBuf, kind: Kind },
    #[error("{text:?} is not {what}")]
    NotARange { text: String, what: &'static str },
    #[error("{program} failed with {status}: {printed}")]
    Failed { program: &'static str, status: ExitStatus, printed: String },
    #[error("{program} printed more than bd can read")]
    TooMuch { program: &'static str },
    #[error("cannot read the object {id}: {message}")]
    Object { id: String, message: String },
    #[error(transparent)]
    Run(#[from] RunError),
}

impl HistoryError {
    pub(super) fn object(id: impl ToString, error: impl std::fmt::Display) -> Self {
        HistoryError::Object { id: id.to_string(), message: error.to_string() }
    }
}

/// Why jj does not push a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpushable {
    Conflict,
    NoDescription,
    Other,
}

#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error("{} is not under version control", root.display())]
    NoVcs { root: PathBuf },
    /// The same for a question about the past.
    #[error("{} is not under version control, so it has no history", root.display())]
    NoHistory { root: PathBuf },
    #[error("{}{what}", cannot(*kind))]
    Unsupported { kind: Kind, what: &'static str },
    #[error("another program holds a lock in {}", root.display())]
    Busy { root: PathBuf },
    #[error("{what} is not finished in {}", root.display())]
    Unfinished { root: PathBuf, what: String },
    #[error("{upstream} conflicts with {}: {}", root.display(), list(files))]
    Conflicts { root: PathBuf, upstream: String, files: Vec<PathBuf> },
    #[error("{upstream} changes files that are changed in {} and not committed: {}", root.display(), list(files))]
    InTheWay { root: PathBuf, upstream: String, files: Vec<PathBuf> },
    #[error("{upstream} was rewritten and no longer contains {commit}")]
    Rewritten { upstream: String, commit: String },
    #[error("cannot reach {remote}: {printed}")]
    Unreachable { remote: String, printed: String },
    #[error("{remote} refuses the push: {printed}")]
    Refused { remote: String, printed: String },
    #[error("a hook of this repository refuses the push: {printed}")]
    HookRefused { printed: String },
    #[error("{program} failed with {status}: {printed}")]
    Failed { program: String, status: ExitStatus, printed: String },
    #[error("cannot make a checkout at {}: {why}", path.display())]
    NoCheckout { path: PathBuf, why: String },
    #[error("{} passes the filter {filter} on its way into a commit: it cannot be compared with what is committed", path.display())]
    Filtered { path: PathBuf, filter: String },
    #[error("{upstream} has several heads with code: {}", heads.join(", "))]
    Heads { upstream: String, heads: Vec<String> },
    #[error("a push would make a new head of {branch} at {remote}, beside {}", heads.join(", "))]
    NewHead { remote: String, branch: String, heads: Vec<String> },
    #[error("{revision:?} means several commits")]
    Several { revision: String },
    #[error("jj does not push {what}")]
    Unfit { what: String, why: Unpushable },
    #[error("{} is left as it is: {why}", root.display())]
    Kept { root: PathBuf, why: String },
    #[error("no snapshot {key} in {}", root.display())]
    NoSnapshot { key: String, root: PathBuf },
    #[error("cannot use {}: {}", path.display(), cause(source))]
    Path { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Run(#[from] RunError),
}

impl SyncError {
    /// If its program was not started: the repository and its settings that the user has not agreed to.
    pub fn untrusted(&self) -> Option<(&Path, &[String])> {
        match self {
            SyncError::Run(error)
            | SyncError::Commit(CommitError::Run(error))
            | SyncError::History(HistoryError::Run(error)) => match error {
                RunError::Untrusted { root, settings, .. } => Some((root, settings)),
                _ => None,
            },
            _ => None,
        }
    }
}

fn cannot(kind: Kind) -> String {
    if kind == Kind::None { String::new() } else { format!("{kind} cannot do this: ") }
}

fn list(files: &[PathBuf]) -> String {
    let shown: Vec<String> = files.iter().take(5).map(|file| file.display().to_string()).collect();
    let more = files.len().saturating_sub(shown.len());
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

/// The commit that an expression of hg or jj means, if it means exactly one. A program fails where a name is unknown.
pub(super) fn only_one(found: Result<Vec<String>, SyncError>) -> Result<Option<String>, SyncError> {
    match found {
        Ok(ids) => Ok(<[String; 1]>::try_from(ids).ok().map(|[id]| id)),
        Err(SyncError::Failed { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn not_a_range(text: &str, what: &'static str) -> SyncError {
    HistoryError::NotARange { text: text.to_owned(), what }.into()
}
