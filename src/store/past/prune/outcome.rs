//! Options and results of pruning.

use std::path::PathBuf;

use crate::ledger::Document;
use crate::model::time::Instant;

/// A ledger in commits.
pub(super) struct Commits {
    /// In the checked-out commit.
    pub(super) committed: Document,
    /// In the commit last exchanged with others, if there are others.
    pub(super) published: Option<Document>,
}

/// Why an old enough issue stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The last commit does not have this line.
    Uncommitted,
    /// Others do not have it yet: an unpublished commit can still be rewritten.
    Unpublished,
    /// Without it, these would be ready, blocked or complete in a different way.
    Needed(Vec<String>),
    /// It is the parent of these unfinished issues.
    Children(Vec<String>),
    /// Its proposal awaits a decision.
    Proposed,
    /// It tells others of a decision or a deletion; pruned on request.
    News,
    Pinned,
    /// It is on several lines, in one ledger or in several.
    Copies,
    /// Its closing time is unknown.
    Undated,
}

/// How long the author of a proposal has to learn that it was accepted.
pub(super) const NEWS_DAYS: i64 = 90;

/// Which issues to prune.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruneRequest {
    /// Closed before this; by default 30 days ago, or any time with a budget.
    pub before: Option<Instant>,
    /// Only as many, oldest first, as necessary to shrink the file to this size.
    pub budget: Option<u64>,
    /// Also news for other clones: deleted issues and rejected proposals.
    pub tombstones: bool,
}

/// An issue that was pruned, or in a dry run would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedIssue {
    pub id: String,
    pub title: String,
    pub status: String,
    /// When it was closed or deleted.
    pub at: Instant,
    /// The bytes freed.
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptIssue {
    pub id: String,
    pub why: Kept,
}

/// The result of pruning one ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pruned {
    pub source_repo: String,
    pub file: PathBuf,
    /// Oldest first.
    pub pruned: Vec<PrunedIssue>,
    /// By id.
    pub kept: Vec<KeptIssue>,
    pub bytes_before: u64,
    pub bytes_after: u64,
    pub budget: Option<u64>,
}

impl Pruned {
    pub fn ids(&self) -> Vec<String> {
        self.pruned.iter().map(|one| one.id.clone()).collect()
    }

    /// The file is within its budget.
    pub fn fits(&self) -> bool {
        self.budget.is_none_or(|budget| self.bytes_after <= budget)
    }
}
