//! jj: its files are read, and the program `jj` commits.

mod commit;
mod config;

use std::path::{Path, PathBuf};

use super::{files, git};

pub(super) use commit::commit;
pub(super) use config::facts;

/// The repository behind a workspace: in the first workspace a directory, in others a file that names it.
fn repo_dir(dot_jj: &Path) -> Option<PathBuf> {
    let repo = dot_jj.join("repo");
    if repo.is_dir() {
        return Some(repo);
    }
    files::named(&repo, dot_jj)
}

/// The git repository that keeps the commits: a `.git`, or a directory inside of `.jj`.
pub(super) fn git_target(dot_jj: &Path) -> Option<PathBuf> {
    let store = repo_dir(dot_jj)?.join("store");
    files::named(&store.join("git_target"), &store)
}

/// The directory that all workspaces share. With a git repository behind it that is git's, so that both programs agree.
pub(super) fn common_dir(dot_jj: &Path) -> Option<PathBuf> {
    let git = git_target(dot_jj).and_then(|target| git::common_dir(&target));
    git.or_else(|| std::fs::canonicalize(repo_dir(dot_jj)?).ok()?.parent().map(Path::to_owned))
}
