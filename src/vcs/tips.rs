//! The branches and bookmarks of the repository, including those of remotes as last fetched.

/// The position of a branch or a bookmark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// Its name for people: `topic`, `origin/topic`, `topic@origin`.
    pub name: String,
    pub commit: String,
    /// The working copy's commit has this one among its ancestors, or is it.
    pub is_merged: bool,
}

/// Some tips, most recently changed first, and whether there are more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tips {
    pub all: Vec<Tip>,
    pub is_cut: bool,
}

impl Tips {
    /// The first `most` of them.
    pub(super) fn first(mut all: Vec<Tip>, most: usize) -> Self {
        let is_cut = all.len() > most;
        all.truncate(most);
        Tips { all, is_cut }
    }
}
