//! Where the hooks of a git repository are, and the settings that say so.

use std::path::{Path, PathBuf};

use super::{HistoryError, Kind, git, place};
use crate::sys::Env;

/// The root of a git working copy and the directory that all its worktrees share.
pub fn git_dirs(path: &Path) -> Result<(PathBuf, PathBuf), HistoryError> {
    let (kind, root) = place(path).unwrap_or((Kind::None, path.to_owned()));
    let common = if kind == Kind::Git { git::common_dir(&root.join(".git")) } else { None };
    match common {
        Some(common) => Ok((root, common)),
        None => Err(HistoryError::NotGit { root, kind }),
    }
}

/// The directory in which git looks for hooks, as the settings name it: relative is from the root of the working copy.
pub fn hooks_path(root: &Path, env: &Env) -> Result<PathBuf, HistoryError> {
    git::hooks_path(root, env)
}

/// A setting of this repository's own file.
pub fn setting(root: &Path, key: &str, env: &Env) -> Result<Option<String>, HistoryError> {
    git::local_setting(root, key, env)
}

/// Sets or removes a setting in this repository's own file.
pub fn set_setting(root: &Path, key: &str, value: Option<&str>, env: &Env) -> Result<(), HistoryError> {
    git::set_local(root, key, value, env)
}

/// Whether git leaves a file out of commits; `None` where there is no git to ask. A tracked file is never ignored.
pub fn is_ignored(file: &Path, env: &Env) -> Option<bool> {
    let (_, root) = place(file)?;
    root.join(".git").exists().then(|| git::is_ignored(&root, file, env).unwrap_or(false))
}
