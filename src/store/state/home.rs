//! A state home, and how its place is chosen.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    pub outboxes: Outboxes,
}

/// Where records for a state home may wait; nowhere if every process that works with it can write it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outboxes {
    all: Arc<[PathBuf]>,
    /// That of this checkout, if other checkouts can find it.
    own: Option<PathBuf>,
}

impl Outboxes {
    pub fn new(all: Vec<PathBuf>, own: Option<PathBuf>) -> Self {
        Outboxes { all: all.into(), own }
    }

    /// The one to write to.
    pub fn own(&self) -> Option<&Path> {
        self.own.as_deref()
    }
}

impl Deref for Outboxes {
    type Target = [PathBuf];

    fn deref(&self) -> &[PathBuf] {
        &self.all
    }
}

impl StateHome {
    /// A state home without outboxes.
    pub fn alone(path: PathBuf, mode: StateMode, reason: &str) -> Self {
        StateHome { path, mode, reason: reason.to_owned(), outboxes: Outboxes::default() }
    }
}
