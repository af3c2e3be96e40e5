//! Where else the commits of a checkout are: what would be gone for good if it went away together with its repository.
//!
//! A commit is elsewhere if a remote is known to have it, if the repository that the checkout was made from has it in a ref, or if
//! what it changes has come into the branch that the work began at, in whatever form.

use crate::model::words::words;
use std::path::Path;

use super::Loose;

/// The repository that a checkout was made from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// One of its checkouts.
    pub root: &'a Path,
    /// The branch that the work began at; without one, or if there is none of that name, the one that is checked out there.
    pub base: Option<&'a str>,
    /// The commit that this was.
    pub base_commit: Option<&'a str>,
}

words! {
    /// How work came into a branch.
    pub enum How {
        /// The branch has its last commit.
        Ancestor = "ancestor",
        /// Each of its commits, or all of them as one, are in the branch as other commits that change the same.
        Patches = "patches",
        /// The files are the same.
        SameTree = "same_tree",
        /// Merging it would change nothing.
        NothingToAdd = "nothing_to_add",
    }
}

impl How {}

/// Work that is in a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    pub how: How,
    /// The branch, as people write it.
    pub into: String,
    /// The commit that brought it, where that can be told.
    pub commit: Option<String>,
}

/// Commits that are nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsaved {
    /// What holds them: `the branch x`, `HEAD`.
    pub holder: String,
    pub commits: usize,
    /// What is checked out holds them.
    pub is_here: bool,
}

/// Where else the commits of a checkout are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Whereabouts {
    pub unsaved: Vec<Unsaved>,
    /// Tags that only this repository has.
    pub tags: Vec<String>,
    /// The last commits of lines of history that no branch has.
    pub loose: Vec<Loose>,
    /// What was put aside and is nowhere else.
    pub stashes: usize,
    /// How what is checked out came into the branch that it began at. `None` if it did not, if that cannot be told, and if
    /// nothing was committed.
    pub merged: Option<Merged>,
    /// Nothing was committed in it.
    pub is_untouched: bool,
}
