//! What version control knows about the user and the repository, from files alone.

use std::path::Path;

use super::{Kind, git, hg, jj, place};
use crate::sys::Env;

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
    /// The default branch of `origin` (or of the only remote), if its reflog shows a push from here: `origin/main`. hg keeps no
    /// reflog, and neither does a repository of jj that has no `.git` beside it.
    pub pushed: Option<String>,
}

/// The facts of the repository that a path is in. Settings are looked for where the environment says the user keeps them.
pub fn facts(path: &Path, env: &Env) -> Facts {
    let Some((kind, root)) = place(path) else { return Facts::default() };
    match kind {
        Kind::Git => {
            let dot_git = root.join(".git");
            let directories = git::own_dir(&dot_git).zip(git::common_dir(&dot_git));
            directories
                .map_or_else(|| Facts { kind, ..Facts::default() }, |(own, common)| git::facts(&own, &common, env))
        }
        Kind::Jj => jj::facts(&root.join(".jj"), env),
        Kind::Hg | Kind::Sl => hg::facts(kind, &root, env),
        Kind::None => Facts::default(),
    }
}
