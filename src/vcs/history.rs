//! What commits bring: every file that is staged, or that a range of commits changes, in its old and its new version.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use super::{Kind, SyncError, git, hg, jj, place};
use crate::sys::Env;
use crate::sys::process::RunError;

/// Which commits to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span<'a> {
    /// The one that would be made of what is staged.
    Staged,
    /// `A..B` as git understands it, or the revset of jj or hg.
    Range(&'a str),
    /// These, each against its parents.
    Commits(&'a [String]),
    /// What a push would bring to a remote: the lines that git gives to its hook.
    Push { remote: &'a str, refs: &'a str },
}

/// A file that a commit adds or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// `None` for what is only staged.
    pub commit: Option<String>,
    /// As seen from the root of the working copy.
    pub path: PathBuf,
    /// What the parents of the commit have under this name; nothing for a new file.
    pub old: Vec<Vec<u8>>,
    /// `None` if it is too large to look at.
    pub new: Option<Vec<u8>>,
}

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("{} is not a git working copy (version control: {kind})", root.display())]
    NotGit { root: PathBuf, kind: Kind },
    #[error("{text:?} is not {what}")]
    NotARange { text: String, what: &'static str },
    #[error("{program} failed with {status}: {said}")]
    Failed { program: &'static str, status: ExitStatus, said: String },
    #[error("{program} said more than can be looked at")]
    TooMuch { program: &'static str },
    #[error("cannot read the object {id}: {message}")]
    Object { id: String, message: String },
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The git repository of a working copy, its own or the one that jj keeps its commits in.
pub(super) struct Repository<'a> {
    pub root: &'a Path,
    pub git_dir: PathBuf,
    pub env: &'a Env,
}

/// Hands over each changed file of each commit. A file of a merge counts only if it is what no parent has. What is staged is,
/// with jj and hg, what a commit would take now.
pub fn changes(path: &Path, span: Span<'_>, env: &Env, each: &mut dyn FnMut(Changed)) -> Result<(), SyncError> {
    let (kind, root) = place(path).unwrap_or((Kind::None, path.to_owned()));
    match kind {
        Kind::Git => {
            let repository = Repository { root: &root, git_dir: root.join(".git"), env };
            match span {
                Span::Staged => git::staged(&repository, each)?,
                Span::Commits(ids) => git::commits(&repository, ids, each)?,
                Span::Range(text) if text.starts_with('-') || !text.contains("..") || text.contains("...") => {
                    return Err(not_a_range(text, "a range of commits"));
                }
                Span::Range(_) | Span::Push { .. } => git::range(&repository, span, each)?,
            }
            Ok(())
        }
        Kind::Jj => jj::changes(&root, span, env, each),
        Kind::Hg | Kind::Sl => hg::changes(kind, &root, span, env, each),
        Kind::None => Err(HistoryError::NotGit { root, kind }.into()),
    }
}

pub(super) fn not_a_range(text: &str, what: &'static str) -> SyncError {
    HistoryError::NotARange { text: text.to_owned(), what }.into()
}

/// The paths that git has staged: changed, added, removed, under their old names and their new ones.
pub fn staged_paths(path: &Path, env: &Env) -> Result<Vec<PathBuf>, HistoryError> {
    let (kind, root) = place(path).unwrap_or((Kind::None, path.to_owned()));
    let git_dir = root.join(".git");
    if kind != Kind::Git || !git_dir.exists() {
        return Err(HistoryError::NotGit { root, kind });
    }
    git::staged_paths(&Repository { root: &root, git_dir, env })
}
