//! The branches and bookmarks that the repository knows, those of remotes as they were fetched last included.

/// Where a branch or a bookmark stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// As people name it: `topic`, `origin/topic`, `topic@origin`.
    pub name: String,
    pub commit: String,
    /// The working copy stands on this commit or on one that has it in its past.
    pub is_merged: bool,
}

/// Some tips, those that changed last first, and whether there are more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tips {
    pub all: Vec<Tip>,
    pub is_cut: bool,
}

impl Tips {
    /// The first of them, as far as somebody wants to look.
    pub(super) fn first(mut all: Vec<Tip>, most: usize) -> Self {
        let is_cut = all.len() > most;
        all.truncate(most);
        Tips { all, is_cut }
    }
}
