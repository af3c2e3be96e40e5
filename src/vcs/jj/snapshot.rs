//! Snapshots with jj: commits in the git repository behind it, as git's own are.
//!
//! jj itself records its working copy in a commit, but it may have been told not to take new or large files, and it gives up
//! what no operation leads to. A ref that jj does not look at keeps these, and `jj log` does not show them. jj's own commit
//! and its operations stay as they are.

use std::path::Path;

use super::program::Repo;
use crate::sys::Env;
use crate::vcs::SyncError;
use crate::vcs::files::path_of;
use crate::vcs::git::{Known, WorkTree};
use crate::vcs::layout::jj::git_behind;

pub fn checkout<'a>(root: &'a Path, env: &'a Env) -> Result<WorkTree<'a>, SyncError> {
    Ok(WorkTree { root, dot_git: Some(git_behind(root)?), env })
}

/// The files that jj has recorded, and what they stand on.
pub fn known(repo: &Repo) -> Result<Known, SyncError> {
    let list = repo.ask(None, &["file", "list", "--revision=@", "--template=path ++ \"\\0\""])?;
    let names = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let mut parents = repo.ids(None, "@-")?;
    // Below everything jj has a commit that is nowhere else.
    parents.retain(|id| id.bytes().any(|byte| byte != b'0'));
    Ok(Known { tracked: names.map(path_of).collect(), parents, ..Known::default() })
}
