//! A checkout of the project, as others know it.

use std::path::{Path, PathBuf};

/// A checkout of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    /// `wt_` and 12 characters; `None` if it has none yet and could not be given one.
    pub id: Option<String>,
    /// `main`, or the name of its directory.
    pub name: String,
    pub root: PathBuf,
    pub branch: Option<String>,
    pub is_main: bool,
    /// It is the one that the project was found in.
    pub is_here: bool,
    /// Its directory is there.
    pub exists: bool,
    /// When it was noted that it is not.
    pub gone_at: Option<String>,
}

impl Worktree {
    /// How answers name it: its id, if it has one, else its name.
    pub fn key(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.name)
    }

    /// It is the one that was noted like this. A new one at the place of one that is gone is another.
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
