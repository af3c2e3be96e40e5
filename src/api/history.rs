//! The past of an issue.

use std::time::SystemTime;

use super::issue::Issue;
use crate::model::difference::ChangeKind;
use crate::model::issue as model;
use crate::model::record::Record;
use crate::ops;
use crate::store::{self, Event, LogQuery};
use crate::sys;

/// One change of an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// What happened to the issue.
    pub kind: VersionKind,
    /// The fields that changed.
    pub changes: Vec<FieldChange>,
    /// The issue after the change; before it, if the change removed it.
    pub issue: Issue,
    /// The commit with the change; `None` if it is not committed yet.
    pub commit: Option<String>,
    /// Who made the commit.
    pub author: Option<String>,
    /// When the commit was made.
    pub at: Option<SystemTime>,
}

/// What happened to an issue in a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum VersionKind {
    /// It came into the ledger.
    Added,
    /// It was changed.
    Changed,
    /// It left the ledger.
    Removed,
}

/// A field before and after a change, as the ledger writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldChange {
    /// The key in the ledger.
    pub field: String,
    /// The old value.
    pub before: Option<String>,
    /// The new value.
    pub after: Option<String>,
}

pub(super) fn of(store: &store::Store, id: &str) -> ops::Result<Vec<Version>> {
    let mut found = Vec::new();
    ops::log(store, Some(id), None, LogQuery::default(), |event| found.extend(version(event)))?;
    Ok(found)
}

fn version(event: Event) -> Option<Version> {
    let issue = model::Issue::decode(&Record::parse(&event.line).ok()?);
    let field = |change: crate::model::difference::FieldChange| FieldChange {
        field: change.field,
        before: change.before,
        after: change.after,
    };
    Some(Version {
        kind: match event.kind {
            ChangeKind::Added => VersionKind::Added,
            ChangeKind::Changed => VersionKind::Changed,
            ChangeKind::Removed => VersionKind::Removed,
        },
        changes: event.fields.into_iter().map(field).collect(),
        issue: Issue::new(issue, event.line, event.source_repo),
        at: event.commit.as_ref().map(|commit| sys::to_system(commit.authored)),
        author: event.commit.as_ref().map(|commit| commit.author.clone()),
        commit: event.commit.map(|commit| commit.id),
    })
}
