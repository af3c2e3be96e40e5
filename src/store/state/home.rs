//! A state home, and the choice of where it is.

use std::path::PathBuf;

use crate::model::words::words;

words! {
    /// Which directory is the state home.
    pub enum StateMode {
        /// One that was named.
        Named = "named",
        /// That of the repository which this checkout is a workspace of.
        Workspace = "workspace",
        /// One for all repositories of the user.
        Global = "global",
        /// One for this checkout alone.
        Worktree = "worktree",
        /// One for all checkouts of the repository.
        Repo = "repo",
    }
}

impl StateMode {
    /// What `state.mode` may say.
    pub const CHOICES: &'static [&'static str] = &["repo", "global", "worktree"];

    /// The mode that a setting asks for.
    pub fn asked(word: &str) -> Self {
        match word {
            "global" => StateMode::Global,
            "worktree" => StateMode::Worktree,
            _ => StateMode::Repo,
        }
    }
}

/// A state home, and why it is this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateHome {
    pub path: PathBuf,
    pub mode: StateMode,
    pub reason: String,
}
