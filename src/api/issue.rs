//! An issue as other programs see it.

#[cfg(feature = "serde")]
mod json;

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::Error;
use crate::model::{id, issue as model};
use crate::store::{Row, StoreError, Written};
use crate::sys;

/// The id of an issue. Cheap to clone; a text can be used wherever an id is expected.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IssueId(Arc<str>);

impl IssueId {
    pub(super) fn of(id: &str) -> Self {
        IssueId(id.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for IssueId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// A map with ids as keys can be asked by text.
impl Borrow<str> for IssueId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl FromStr for IssueId {
    type Err = Error;

    /// Whether an issue is called that, only a [`Store`](crate::Store) knows.
    fn from_str(text: &str) -> Result<Self, Error> {
        id::IssueId::parse(text).map_err(StoreError::Id)?;
        Ok(IssueId::of(text))
    }
}

impl fmt::Display for IssueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq<str> for IssueId {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for IssueId {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

/// One issue as it was when it was read. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    inner: Arc<Inner>,
}

#[derive(Debug, PartialEq, Eq)]
struct Inner {
    id: IssueId,
    issue: model::Issue,
    line: String,
    repo: String,
}

/// A remark on an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Comment {
    /// The id, which the ledger stores as a number or as text.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// The text.
    pub text: String,
    /// When it was written, if the ledger says so.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none", serialize_with = "time_as_text"))]
    pub created_at: Option<SystemTime>,
}

#[cfg(feature = "serde")]
fn time_as_text<S: serde::Serializer>(at: &Option<SystemTime>, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&at.map(sys::from_system), serializer)
}

/// A dependency of an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Dependency {
    /// The type: `blocks`, `parent-child`, `discovered-from`, and others.
    #[cfg_attr(feature = "serde", serde(rename = "type"))]
    pub kind: String,
    /// The other issue; an id that starts with `external:` is none of this project.
    #[cfg_attr(feature = "serde", serde(rename = "depends_on_id"))]
    pub target: IssueId,
}

fn time(at: &Option<model::Time>) -> Option<SystemTime> {
    at.as_ref().map(|time| sys::to_system(time.instant))
}

impl Issue {
    pub(super) fn new(issue: model::Issue, line: String, repo: String) -> Self {
        Issue { inner: Arc::new(Inner { id: IssueId::of(&issue.id), issue, line, repo }) }
    }

    /// The id.
    pub fn id(&self) -> &IssueId {
        &self.inner.id
    }

    /// The title, one line.
    pub fn title(&self) -> &str {
        &self.inner.issue.title
    }

    /// The description.
    pub fn description(&self) -> Option<&str> {
        self.inner.issue.description.as_deref()
    }

    /// How it should be done.
    pub fn design(&self) -> Option<&str> {
        self.inner.issue.design.as_deref()
    }

    /// When it counts as done.
    pub fn acceptance_criteria(&self) -> Option<&str> {
        self.inner.issue.acceptance_criteria.as_deref()
    }

    /// Notes, one after the other.
    pub fn notes(&self) -> Option<&str> {
        self.inner.issue.notes.as_deref()
    }

    /// The status: `open`, `in_progress`, `blocked`, `deferred`, `closed`, or another word of the project.
    pub fn status(&self) -> &str {
        self.inner.issue.status.as_str()
    }

    /// Work on it has ended: it is closed or deleted.
    pub fn is_done(&self) -> bool {
        self.inner.issue.status.is_done()
    }

    /// The priority, 0 (urgent) to 4. A ledger may contain other numbers.
    pub fn priority(&self) -> i64 {
        self.inner.issue.priority.number()
    }

    /// The type: `bug`, `feature`, `task`, `epic`, `chore`, or another word of the project.
    pub fn kind(&self) -> &str {
        self.inner.issue.issue_type.as_str()
    }

    /// The assignee.
    pub fn assignee(&self) -> Option<&str> {
        self.inner.issue.assignee.as_deref()
    }

    /// The labels.
    pub fn labels(&self) -> &[String] {
        &self.inner.issue.labels
    }

    /// Its dependencies, including its parent.
    pub fn dependencies(&self) -> Vec<Dependency> {
        let edges = self.inner.issue.dependencies.iter();
        edges.map(|edge| Dependency { kind: edge.kind.to_string(), target: IssueId::of(&edge.target) }).collect()
    }

    /// The parent issue.
    pub fn parent(&self) -> Option<IssueId> {
        self.inner.issue.parent().map(IssueId::of)
    }

    /// Remarks on it, oldest first.
    pub fn comments(&self) -> Vec<Comment> {
        let comment = |one: &model::Comment| Comment {
            id: one.id.clone(),
            author: one.author.clone(),
            text: one.text.clone(),
            created_at: time(&one.created_at),
        };
        self.inner.issue.comments.iter().map(comment).collect()
    }

    /// An external reference, such as `gh-9`.
    pub fn external_ref(&self) -> Option<&str> {
        self.inner.issue.external_ref.as_deref()
    }

    /// The estimated time.
    pub fn estimate(&self) -> Option<Duration> {
        let minutes = u64::try_from(self.inner.issue.estimated_minutes?).ok()?;
        Some(Duration::from_secs(minutes.saturating_mul(60)))
    }

    /// When it was filed.
    pub fn created_at(&self) -> Option<SystemTime> {
        time(&self.inner.issue.created_at)
    }

    /// Who filed it.
    pub fn created_by(&self) -> Option<&str> {
        self.inner.issue.created_by.as_deref()
    }

    /// When it was last changed.
    pub fn updated_at(&self) -> Option<SystemTime> {
        time(&self.inner.issue.updated_at)
    }

    /// When work on it started.
    pub fn started_at(&self) -> Option<SystemTime> {
        time(&self.inner.issue.started_at)
    }

    /// When it was closed.
    pub fn closed_at(&self) -> Option<SystemTime> {
        time(&self.inner.issue.closed_at)
    }

    /// Why it was closed.
    pub fn close_reason(&self) -> Option<&str> {
        self.inner.issue.close_reason.as_deref()
    }

    /// When it is due.
    pub fn due_at(&self) -> Option<SystemTime> {
        time(&self.inner.issue.due_at)
    }

    /// Until when it is deferred.
    pub fn defer_until(&self) -> Option<SystemTime> {
        time(&self.inner.issue.defer_until)
    }

    /// The repo that owns it; `.` is the project's own.
    pub fn repo(&self) -> &str {
        &self.inner.repo
    }

    /// The ledger line: JSON, with every field, including those that this library does not know.
    pub fn json(&self) -> &str {
        &self.inner.line
    }
}

impl From<Row> for Issue {
    fn from(row: Row) -> Self {
        Issue::new(row.issue, row.line, row.source_repo)
    }
}

impl From<Written> for Issue {
    fn from(written: Written) -> Self {
        Issue::new(written.issue(), written.line, written.source_repo)
    }
}
