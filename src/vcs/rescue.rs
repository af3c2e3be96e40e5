//! What is kept of a checkout before it goes away by force, in the repository that it was made from.

use std::path::PathBuf;

use super::Snapshot;

/// What was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// Its files.
    pub snapshot: Snapshot,
    /// Branches, tags and what was put aside: each is a name in the other repository.
    pub names: usize,
}

/// Where it was written again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Returned {
    /// What was staged and is another version than the file, as seen from the directory.
    pub staged: Option<PathBuf>,
    /// The directory is a repository with the branches that there were.
    pub with_commits: bool,
}
