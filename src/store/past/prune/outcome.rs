//! What is asked of a prune, and what came of it.

use std::path::PathBuf;

use crate::ledger::Document;
use crate::model::time::Instant;

/// A ledger as commits have it.
pub(super) struct Commits {
    /// The one below the working copy.
    pub(super) committed: Document,
    /// The one that was last exchanged with others, where there are any.
    pub(super) published: Option<Document>,
}

/// Why an issue stays that is old enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// The last commit does not have the line as it is.
    Uncommitted,
    /// Others do not have it yet: a commit that is nowhere else can still be rewritten.
    Unpublished,
    /// These would be ready, blocked or complete in another way without it.
    Needed(Vec<String>),
    /// It is the parent of these, which are not done.
    Children(Vec<String>),
    /// Its proposal awaits a decision.
    Proposed,
    /// It tells others of a decision or a deletion; leaves on request.
    News,
    Pinned,
    /// It stands on several lines, in one ledger or in several.
    Copies,
    /// Nothing says when it was closed.
    Undated,
}

/// How long the one who proposed an issue has to hear that it was accepted.
pub(super) const NEWS_DAYS: i64 = 90;

/// Which issues are to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruneRequest {
    /// Closed before this. Without it 30 days ago; with a budget any time.
    pub before: Option<Instant>,
    /// Only as many, the oldest first, as it takes to bring the file down to this size.
    pub budget: Option<u64>,
    /// Also what carries news to other clones: deleted issues and rejected proposals.
    pub tombstones: bool,
}

/// An issue that left, or would leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedIssue {
    pub id: String,
    pub title: String,
    pub status: String,
    /// When it was closed or deleted.
    pub at: Instant,
    /// What that saves.
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptIssue {
    pub id: String,
    pub why: Kept,
}

/// What pruning one ledger came to, or would come to.
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

    /// The file is no larger than it was meant to be.
    pub fn fits(&self) -> bool {
        self.budget.is_none_or(|budget| self.bytes_after <= budget)
    }
}
