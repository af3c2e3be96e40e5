//! Where jj keeps itself, and the git repository behind it.

use std::path::{Path, PathBuf};

use super::git;
use crate::vcs::{Kind, SyncError, files};

/// The repository behind a workspace: in the first workspace a directory, in others a file that names it.
pub(crate) fn repo_dir(dot_jj: &Path) -> Option<PathBuf> {
    let repo = dot_jj.join("repo");
    match repo.is_dir() {
        true => Some(repo),
        false if repo.exists() => files::named(&repo, dot_jj),
        false => None,
    }
}

/// The same without links.
pub(crate) fn repo(root: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(repo_dir(&root.join(".jj"))?).ok()
}

/// The git repository that keeps the commits: a `.git`, or a directory inside of `.jj`.
pub(crate) fn git_target(dot_jj: &Path) -> Option<PathBuf> {
    let store = repo_dir(dot_jj)?.join("store");
    files::named(&store.join("git_target"), &store)
}

/// The directory that all workspaces share. With a git repository behind it that is git's, so that both programs agree; `None`
/// if that is not there any more.
pub(crate) fn common_dir(dot_jj: &Path) -> Option<PathBuf> {
    match git_target(dot_jj) {
        Some(target) => git::common_dir(&target),
        None => std::fs::canonicalize(repo_dir(dot_jj)?).ok()?.parent().map(Path::to_owned),
    }
}

/// The git repository that keeps the commits; an error where another kind of store does.
pub(crate) fn git_behind(root: &Path) -> Result<PathBuf, SyncError> {
    let unsupported = SyncError::Unsupported { kind: Kind::Jj, what: "its commits are not kept in git" };
    git_target(&root.join(".jj")).ok_or(unsupported)
}
