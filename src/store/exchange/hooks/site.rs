//! Where the hooks of a repository are.

use std::path::{Path, PathBuf};

/// The hooks that look for leaks.
pub(super) const CHECKED: [&str; 2] = ["pre-commit", "pre-push"];

/// What the name of a hook that stands aside ends with.
pub(super) const ASIDE: &str = ".bd-previous";

/// Where things are.
pub(super) struct Place {
    pub(super) root: PathBuf,
    /// git's own directory, shared by all worktrees.
    pub(super) common: PathBuf,
    pub(super) home: PathBuf,
    /// Where git looks for hooks, as the settings say, and really.
    pub(super) named: PathBuf,
    pub(super) directory: PathBuf,
}

pub(super) fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ASIDE);
    name.into()
}
