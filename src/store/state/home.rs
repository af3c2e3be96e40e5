//! A state home, and how its place is chosen.

use std::path::PathBuf;

use crate::model::words::words;

words! {
    /// Which directory is the state home.
    pub enum StateMode {
        /// A named one.
        Named = "named",
        /// That of a workspace's original repository.
        Workspace = "workspace",
        /// One for all of the user's repositories.
        Global = "global",
        /// One for this checkout only.
        Worktree = "worktree",
        /// One for all checkouts of the repository.
        Repo = "repo",
    }
}

impl StateMode {
    /// The values of `state.mode`.
    pub const CHOICES: &'static [&'static str] = &["repo", "global", "worktree"];

    /// The mode that a setting asks for.
    pub fn requested(word: &str) -> Self {
        match word {
            "global" => StateMode::Global,
            "worktree" => StateMode::Worktree,
            _ => StateMode::Repo,
        }
    }
}

/// A state home, and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateHome {
    pub path: PathBuf,
    pub mode: StateMode,
    pub reason: String,
}
