//! The types of answers.

use std::ops::Deref;
use std::sync::Arc;

use super::issue::{Issue, IssueId};
use crate::cache::Statistics;
use crate::store::{self, BlockedRow, SearchRow};

/// A state of the project: while two are equal, every answer is the same. It covers ledgers and settings, claims and
/// their expiry, other checkouts, and dates. Generations of different stores cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Generation(pub(super) u64);

/// Issues, in order, and how many there would be without the limit. Can be used like a slice; cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    issues: Arc<[Issue]>,
    total: usize,
}

impl Page {
    pub(super) fn of(page: store::Page) -> Self {
        Page { issues: page.rows.into_iter().map(Issue::from).collect(), total: page.total }
    }

    pub(super) fn found((rows, total): (Vec<SearchRow>, usize)) -> Self {
        Page { issues: rows.into_iter().map(|found| found.row.into()).collect(), total }
    }

    /// The number of issues, including those beyond the limit.
    pub fn total(&self) -> usize {
        self.total
    }
}

impl Deref for Page {
    type Target = [Issue];

    fn deref(&self) -> &[Issue] {
        &self.issues
    }
}

impl<'a> IntoIterator for &'a Page {
    type Item = &'a Issue;
    type IntoIter = std::slice::Iter<'a, Issue>;

    fn into_iter(self) -> Self::IntoIter {
        self.issues.iter()
    }
}

/// An issue that cannot be worked on, and its blockers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Blocked {
    /// The issue.
    pub issue: Issue,
    /// Open issues that it waits for directly.
    pub blockers: Vec<IssueId>,
    /// Blocked ancestors, which block it too.
    pub ancestors: Vec<IssueId>,
}

impl Blocked {
    pub(super) fn of(row: BlockedRow) -> Self {
        Blocked {
            blockers: row.blocked.blockers.iter().map(|one| IssueId::of(&one.id)).collect(),
            ancestors: row.blocked.inherited.iter().map(|one| IssueId::of(&one.ancestor)).collect(),
            issue: row.row.into(),
        }
    }
}

/// The number of issues in each state. Deleted ones do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// All of them.
    pub total: usize,
    /// With the status `open`.
    pub open: usize,
    /// With the status `in_progress`.
    pub in_progress: usize,
    /// With the status `deferred`.
    pub deferred: usize,
    /// With the status `closed`.
    pub closed: usize,
    /// Unfinished, and waiting for something.
    pub blocked: usize,
    /// The issues that `ready` returns.
    pub ready: usize,
}

impl Counts {
    pub(super) fn of(numbers: &Statistics, ready: usize) -> Self {
        let count = |number: i64| usize::try_from(number).unwrap_or(0);
        Counts {
            total: count(numbers.total),
            open: count(numbers.open),
            in_progress: count(numbers.in_progress),
            deferred: count(numbers.deferred),
            closed: count(numbers.closed),
            blocked: count(numbers.blocked),
            ready,
        }
    }
}
