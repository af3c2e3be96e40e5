//! Where the hooks of a repository are.

use std::path::{Path, PathBuf};

/// The hooks that check for leaks.
pub(super) const CHECKED: [&str; 2] = ["pre-commit", "pre-push"];

/// The suffix of a renamed previous hook.
pub(super) const ASIDE: &str = ".bd-previous";

/// The paths involved.
pub(super) struct Place {
    pub(super) root: PathBuf,
    /// git's own directory, shared by all worktrees.
    pub(super) common: PathBuf,
    pub(super) home: PathBuf,
    /// Where git looks for hooks: as the settings say, and with links resolved.
    pub(super) named: PathBuf,
    pub(super) directory: PathBuf,
}

pub(super) fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ASIDE);
    name.into()
}
