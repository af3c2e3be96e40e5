//! The ids that a checkout and its repository bear.

use std::path::Path;

use crate::model::state_id;
use crate::sys::below;
use crate::vcs;

pub(in crate::store) const ID_NAME: &str = "beads-id";
/// The file with the id of a repository, which its workspaces share.
pub(in crate::store) const REPO_ID_NAME: &str = "repo-id";

pub(in crate::store) fn read_text(directory: &Path, name: &str) -> Option<String> {
    Some(below::text(directory, name).ok()??.trim().to_owned())
}

pub(in crate::store) fn read_id(admin: &Path) -> Option<String> {
    read_text(admin, ID_NAME).filter(|id| state_id::is(state_id::WORKTREE, id))
}

/// The id of the checkout at a path, if it has one.
pub fn worktree_id_at(root: &Path) -> Option<String> {
    read_id(&vcs::open(root).admin_dir()?)
}
