//! What version control knows about the user and the repository, from files alone.

use super::Kind;

/// Another copy of the repository, as this one knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    pub url: String,
}

/// What can be said without running a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    pub kind: Kind,
    /// The value of `beads.role`, and where it was set.
    pub role: Option<(String, String)>,
    pub email: Option<String>,
    /// In the order of the settings, `origin` before all; hg's `default` is called `origin`.
    pub remotes: Vec<Remote>,
    /// Every address that a fetch or a push would use, with what the settings put in its place, and as it is written.
    pub addresses: Vec<String>,
    /// The default branch of `origin` (or of the only remote), if its reflog shows a push from here: `origin/main`. hg keeps no
    /// reflog, and neither does a repository of jj that has no `.git` beside it.
    pub pushed: Option<String>,
}
