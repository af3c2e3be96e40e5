//! Facts that version control has about the user and the repository, read from files alone.

use super::Kind;

/// Another copy of the repository, as this one knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    pub url: String,
}

/// Everything that is known without running a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    pub kind: Kind,
    /// The value of `beads.role`, and the file that sets it.
    pub role: Option<(String, String)>,
    pub email: Option<String>,
    /// In the order of the settings, `origin` first; hg's `default` is called `origin`.
    pub remotes: Vec<Remote>,
    /// Every address that a fetch or a push would use, as written and as rewritten by the settings.
    pub addresses: Vec<String>,
    /// The default branch of `origin` (or of the only remote), if its reflog shows a push from here: `origin/main`. hg
    /// keeps no reflog, and neither does a jj repository without `.git` beside it.
    pub pushed: Option<String>,
}
