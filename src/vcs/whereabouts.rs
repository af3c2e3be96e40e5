//! Where else the commits of a checkout are: what would be lost for good with it and its repository.
//!
//! A commit is elsewhere if a remote is known to have it, if the repository that the checkout was made from has it in a
//! ref, or if its changes have reached the branch that the work started at, in any form.

use crate::model::words::words;
use std::path::Path;

use super::Loose;

/// The repository that a checkout was made from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// One of its checkouts.
    pub root: &'a Path,
    /// The branch that the work started at; by default, or if it does not exist, the one that is checked out there.
    pub base: Option<&'a str>,
    /// The commit of that branch at the start.
    pub base_commit: Option<&'a str>,
}

words! {
    /// How work reached a branch.
    pub enum How {
        /// The branch contains its last commit.
        Ancestor = "ancestor",
        /// Each of its commits, or all of them as one, are in the branch as other commits with the same changes.
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
    /// The commit that brought it, if that is known.
    pub commit: Option<String>,
}

/// Commits that are nowhere else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsaved {
    /// The ref that contains them: `the branch x`, `HEAD`.
    pub holder: String,
    pub commits: usize,
    /// Whether the checked-out commit contains them.
    pub is_here: bool,
}

/// Where else the commits of a checkout are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Whereabouts {
    pub unsaved: Vec<Unsaved>,
    /// Tags that only this repository has.
    pub tags: Vec<String>,
    /// The last commits of lines of history that are on no branch.
    pub loose: Vec<Loose>,
    /// The number of stashes that are nowhere else.
    pub stashes: usize,
    /// How the checked-out commit reached the branch that it started at. `None` if it did not, if that is unknown, or
    /// if nothing was committed.
    pub merged: Option<Merged>,
    /// Whether nothing was committed in it.
    pub is_untouched: bool,
}
