//! A checkout of the project, as reported to callers.

use std::path::{Path, PathBuf};

/// A checkout of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Worktree {
    /// `wt_` and 12 characters; `None` if it has none and cannot get one.
    pub id: Option<String>,
    /// `main`, or the name of its directory.
    pub name: String,
    pub root: PathBuf,
    pub branch: Option<String>,
    pub is_main: bool,
    /// The project was found in it.
    pub is_here: bool,
    /// Its directory exists.
    pub exists: bool,
    /// When it was found to be deleted.
    pub gone_at: Option<String>,
}

impl Worktree {
    /// Its name in answers: the id, if it has one, else the name.
    pub fn key(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.name)
    }

    /// The registry entry is about this checkout. A new checkout at the path of a deleted one is a different one.
    pub(in crate::store) fn is_entry(&self, id: &str, root: &Path) -> bool {
        match &self.id {
            Some(own) => own == id,
            None => !self.exists && self.root == root,
        }
    }

    /// Whether a person who typed this means it.
    pub fn is_called(&self, text: &str) -> bool {
        self.id.as_deref() == Some(text) || self.name == text || self.root.to_str() == Some(text)
    }
}
