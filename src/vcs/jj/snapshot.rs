//! Snapshots with jj: commits in the git repository behind it, like git's own.
//!
//! jj itself records its working copy in a commit, but it may be configured to skip new or large files, and it drops
//! commits that no operation refers to. A ref that jj ignores keeps the snapshot, which `jj log` does not show. jj's
//! own commit and its operations do not change.

use std::path::Path;

use super::program::Repo;
use crate::sys::Env;
use crate::vcs::SyncError;
use crate::vcs::files::path_of;
use crate::vcs::git::{Known, WorkTree};
use crate::vcs::layout::jj::git_behind;

pub(super) fn checkout<'a>(root: &'a Path, env: &'a Env) -> Result<WorkTree<'a>, SyncError> {
    Ok(WorkTree { root, dot_git: Some(git_behind(root)?), env })
}

/// The files that jj has recorded, and the commits below them.
pub(super) fn known(repo: &Repo) -> Result<Known, SyncError> {
    let list = repo.ask(None, &["file", "list", "--revision=@", "--template=path ++ \"\\0\""])?;
    let names = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut parents = repo.ids(None, "@-")?;
    // jj's root commit is not in git.
    parents.retain(|id| id.bytes().any(|byte| byte != b'0'));
    Ok(Known { tracked: names.map(path_of).collect(), parents, ..Known::default() })
}
