//! The hooks directory of a git repository, and related queries.

use std::path::{Path, PathBuf};

use super::history::Repository;
use super::{HistoryError, Kind, git, layout, place};
use crate::sys::Env;

/// The root of a git working copy, and the directory that all its worktrees share.
pub fn git_dirs(path: &Path) -> Result<(PathBuf, PathBuf), HistoryError> {
    let (kind, root) = place(path).unwrap_or((Kind::None, path.to_owned()));
    let common = if kind == Kind::Git { layout::git::common_dir(&root.join(".git")) } else { None };
    match common {
        Some(common) => Ok((root, common)),
        None => Err(HistoryError::NotGit { root, kind }),
    }
}

/// Whether git leaves a file out of commits; `None` without git. A tracked file is never ignored.
pub fn is_ignored(file: &Path, env: &Env) -> Option<bool> {
    let (_, root) = place(file)?;
    root.join(".git").exists().then(|| git::is_ignored(&root, file, env).unwrap_or(false))
}

/// Whether git tracks a file; `None` without git.
pub fn is_tracked(file: &Path, env: &Env) -> Option<bool> {
    let (_, root) = place(file)?;
    root.join(".git").exists().then(|| git::is_tracked(&root, file, env))
}

/// The staged paths: changed, added, removed, and renamed under both names.
pub fn staged_paths(path: &Path, env: &Env) -> Result<Vec<PathBuf>, HistoryError> {
    let (kind, root) = place(path).unwrap_or((Kind::None, path.to_owned()));
    let git_dir = root.join(".git");
    if kind != Kind::Git || !git_dir.exists() {
        return Err(HistoryError::NotGit { root, kind });
    }
    git::staged_paths(&Repository { root: &root, git_dir, env })
}
