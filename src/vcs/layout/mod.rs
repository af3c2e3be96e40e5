//! Where each system keeps its directories, and the checkouts that they name, read from files alone.

use std::path::PathBuf;

pub(super) mod git;
#[cfg(feature = "git")]
pub(super) mod git_worktrees;
pub(super) mod hg;
pub(super) mod jj;
mod jj_fields;
#[cfg(feature = "git")]
pub(super) mod jj_view;
#[cfg(feature = "git")]
pub(super) mod jj_workspaces;
#[cfg(feature = "git")]
pub(super) mod opened;

/// A checkout of the repository. Paths are absolute and without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    pub root: PathBuf,
    /// What [`Vcs::admin_dir`](crate::vcs::Vcs::admin_dir) gives there.
    pub admin: PathBuf,
    /// The one that the others were made from. A bare repository has none.
    pub is_main: bool,
    pub branch: Option<String>,
    /// The directory is there and leads back to `admin`.
    pub exists: bool,
}
