//! One edit as a value: what changes, whether it is allowed, and the new text of the line.
//!
//! A change is applied to the line that was just read under the lock, never to a cache. Changes are idempotent, except
//! for comments and appended notes. A change to a value that the line already has does nothing: the line keeps its
//! bytes and its `updated_at`.

pub mod companion;
mod edits;
pub mod mirror;
mod new_issue;
mod restore;
mod stamp;
mod workflow;

pub(in crate::model) use edits::{comment_edit, status_edits};
pub use new_issue::NewIssue;
pub use restore::{before_deletion, restore};
pub use stamp::{NewComment, Stamp};
pub use workflow::{TaskEdit, WorkflowEdit, WorkflowError};

use super::dependency::{Dependency, DependencyType};
use super::field::Field;
use super::issue::{self, IssueType, Priority, Status};
use super::json::is_unset;
use super::merge::{AGREED, edited};
use super::proposal::{self, Owner, PROJECT, Proposal};
use super::record::{KeyEdit, Record};
use super::row::Row;
use super::time::{self, Instant};
use super::unseen::is_unseen;
use super::workflow::WORKFLOW;
use edits::{delete_edits, dependency_edits, edit_unless, label_edits, reopen_edits, text_edit};

pub const MAX_TITLE: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Title(String),
    /// Replaces a text; an empty one clears it.
    Text(Field, String),
    AppendNotes(String),
    Status(Status),
    Close {
        reason: Option<String>,
    },
    /// Reopens a closed or deleted issue; the comment is added only if it was one.
    Reopen {
        comment: Option<NewComment>,
    },
    /// Defers an issue until a moment, or indefinitely.
    Defer {
        until: Option<Instant>,
    },
    /// Ends a deferral: removes the date, and opens the issue if it was deferred.
    Undefer,
    /// Assigns the issue and starts it, unless it is assigned to someone else. Decided on the line just read, so that
    /// exactly one of many concurrent claims wins.
    Claim {
        assignee: String,
    },
    Priority(Priority),
    Type(IssueType),
    Estimate(Option<i64>),
    Date(Field, Option<Instant>),
    AddLabel(String),
    RemoveLabel(String),
    SetLabels(Vec<String>),
    /// Replaces `metadata` by JSON, or removes it.
    Metadata(Option<String>),
    /// Sets one key of `metadata` to JSON, or removes it.
    MetadataKey {
        key: String,
        value: Option<String>,
    },
    AddDependency {
        target: String,
        kind: DependencyType,
    },
    /// Removes edges to the target; of one type, or of every type.
    RemoveDependency {
        target: String,
        kind: Option<DependencyType>,
    },
    /// `None` removes the issue from its parent.
    Parent(Option<String>),
    AddComment(NewComment),
    /// Records in the planning copy of a proposed issue that it is in sync with this line of the target, and the agreed
    /// values.
    Synced(String),
    /// The project that a planning issue belongs to; `None` means all projects that plan there.
    Project(Option<Owner>),
    /// Lets the other changes close the issue although its blockers, children or tasks are open.
    Force,
    /// Changes the `workflow` object of an issue.
    Workflow(WorkflowEdit),
    /// Changes the `task` object of an issue.
    Task(TaskEdit),
    /// Replaces the issue with a tombstone that keeps every field.
    Delete {
        reason: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// Clients match both halves of this text.
    #[error("title required: a title is required")]
    EmptyTitle,
    #[error("the title has {0} bytes, {MAX_TITLE} are allowed")]
    LongTitle(usize),
    #[error("a title is one line; put the rest into the description")]
    TitleLines,
    #[error("a label cannot be empty")]
    EmptyLabel,
    #[error("a comment cannot be empty")]
    EmptyComment,
    #[error("estimate must be a non-negative number of minutes")]
    NegativeEstimate,
    #[error("{0} is not a field that this kind of change sets")]
    NotSettable(&'static str),
    #[error("{0} cannot depend on itself")]
    SelfDependency(String),
    #[error("{id}: {key} has an unexpected type; editing would destroy it")]
    OddValue { id: String, key: &'static str },
    #[error("the line of {id} would have {bytes} bytes, 16 MiB are allowed")]
    TooLong { id: String, bytes: usize },
    /// Clients match the first words of this text.
    #[error("no issue found: {0} is deleted")]
    Deleted(String),
    #[error("{id} is already claimed by {holder}")]
    Claimed { id: String, holder: String },
    #[error("{id} is {status} and cannot be {what}")]
    Done { id: String, status: String, what: &'static str },
    // Clients of the original match these two texts.
    #[error("cannot close {id}: blocked by open issues [{}] (use --force to override)", blockers.join(" "))]
    OpenBlockers { id: String, blockers: Vec<String> },
    #[error("cannot close epic {id}: {} open child issue(s); close children first or use --force to override", children.len())]
    OpenChildren { id: String, children: Vec<String> },
    #[error(transparent)]
    Workflow(#[from] WorkflowError),
}

/// Checks a new title.
pub fn check_title(title: &str) -> Result<(), ChangeError> {
    if title.chars().all(|c| c.is_whitespace() || c.is_control() || is_unseen(c)) {
        return Err(ChangeError::EmptyTitle);
    }
    if title.contains(['\n', '\r']) {
        return Err(ChangeError::TitleLines);
    }
    if title.len() > MAX_TITLE {
        return Err(ChangeError::LongTitle(title.len()));
    }
    Ok(())
}

/// Applies changes in order to one line; `None` if they change nothing.
pub fn apply(line: &str, changes: &[Change], stamp: Stamp<'_>) -> Result<Option<String>, ChangeError> {
    let mut text = line.to_owned();
    for change in changes {
        let record = Record::parse(&text).expect("the ledger hands over valid records");
        change.validate(&record)?;
        let edits = change.edits(&record, stamp);
        if !edits.is_empty() {
            text = record.with(&edits, stamp.dialect);
        }
    }
    if text == line {
        return Ok(None);
    }
    let record = Record::parse(&text).expect("an edited record stays a valid object");
    let previous = record.time("updated_at");
    Ok(Some(edited(line, &text, time::after(previous, stamp.now), stamp.dialect)))
}

impl Change {
    /// Checks whether this change may be made to this line.
    pub fn validate(&self, record: &Record<'_>) -> Result<(), ChangeError> {
        let id = || record.string("id").unwrap_or_default().into_owned();
        let deleted = issue::status_of(record).is_tombstone();
        // A deleted issue does not change; only `Reopen` brings it back.
        if deleted && !matches!(self, Change::Reopen { .. } | Change::Delete { .. } | Change::Synced(_)) {
            return Err(ChangeError::Deleted(id()));
        }
        if let Some((key, start)) = self.adds_to() {
            // A text instead of labels is one label, and stays one.
            let is_label = |raw: &str| key == "labels" && raw.starts_with('"');
            let odd = |raw: &str| !raw.starts_with(start) && !is_label(raw) && !is_unset(raw);
            if record.raw(key).is_some_and(odd) {
                return Err(ChangeError::OddValue { id: id(), key });
            }
        }
        match self {
            Change::Title(title) => check_title(title),
            Change::AddLabel(label) if label.trim().is_empty() => Err(ChangeError::EmptyLabel),
            Change::SetLabels(labels) if labels.iter().any(|l| l.trim().is_empty()) => Err(ChangeError::EmptyLabel),
            Change::AddComment(comment) | Change::Reopen { comment: Some(comment) }
                if comment.text.trim().is_empty() =>
            {
                Err(ChangeError::EmptyComment)
            }
            Change::Text(field, _) if !field.row().settable || field.is_time() => {
                Err(ChangeError::NotSettable(field.key()))
            }
            Change::Date(field, _) if !field.row().settable || !field.is_time() => {
                Err(ChangeError::NotSettable(field.key()))
            }
            Change::Defer { .. } => not_done(record, "deferred"),
            Change::Estimate(Some(minutes)) if *minutes < 0 => Err(ChangeError::NegativeEstimate),
            Change::Claim { assignee } => claimable(record, assignee),
            Change::Workflow(edit) => Ok(workflow::validate_workflow(edit, record)?),
            Change::Task(edit) => Ok(workflow::validate_task(edit, record)?),
            Change::AddDependency { target, .. } | Change::Parent(Some(target)) if *target == id() => {
                Err(ChangeError::SelfDependency(id()))
            }
            _ => Ok(()),
        }
    }

    /// The key whose value this change extends or shrinks, and the character with which the value must start for
    /// nothing to be lost.
    fn adds_to(&self) -> Option<(&'static str, char)> {
        match self {
            Change::AddLabel(_) | Change::RemoveLabel(_) | Change::SetLabels(_) => Some(("labels", '[')),
            Change::AddDependency { .. } | Change::RemoveDependency { .. } | Change::Parent(_) => {
                Some(("dependencies", '['))
            }
            Change::AddComment(_) | Change::Reopen { comment: Some(_) } => Some(("comments", '[')),
            Change::AppendNotes(_) => Some(("notes", '"')),
            Change::MetadataKey { .. } => Some(("metadata", '{')),
            Change::Workflow(_) => Some((WORKFLOW, '{')),
            _ => None,
        }
    }

    fn edits(&self, record: &Record<'_>, stamp: Stamp<'_>) -> Vec<KeyEdit> {
        match self {
            Change::Title(title) => text_edit(record, "title", title, stamp),
            Change::Text(field, text) => text_edit(record, field.key(), text, stamp),
            Change::AppendNotes(text) => {
                let notes = match record.text_of("notes") {
                    Some(old) => format!("{old}\n{text}"),
                    None => text.clone(),
                };
                text_edit(record, "notes", &notes, stamp)
            }
            Change::Status(status) => {
                let mut edits = status_edits(record, status, None, stamp);
                edits.extend(match (issue::status_of(record).is_done(), status.is_done()) {
                    (false, true) => workflow::close_edits(record, None, stamp.dialect),
                    (true, false) => workflow::reopen_edits(record, status, stamp.dialect),
                    _ => Vec::new(),
                });
                edits
            }
            Change::Close { reason } => {
                let mut edits = status_edits(record, &Status::new("closed"), reason.as_deref(), stamp);
                edits.extend(workflow::close_edits(record, reason.as_deref(), stamp.dialect));
                edits
            }
            Change::Reopen { comment } => {
                let mut edits = reopen_edits(record, stamp);
                if !edits.is_empty() {
                    edits.extend(workflow::reopen_edits(record, &Status::open(), stamp.dialect));
                }
                if let Some(comment) = comment.as_ref().filter(|_| !edits.is_empty()) {
                    edits.push(comment_edit(record, comment, stamp));
                }
                edits
            }
            Change::Defer { until } => {
                let mut edits = status_edits(record, &Status::new("deferred"), None, stamp);
                if until.is_some() {
                    edits.extend(Change::Date(Field::Defer, *until).edits(record, stamp));
                }
                edits
            }
            Change::Undefer => {
                let mut edits = match issue::status_of(record).as_str() {
                    "deferred" => status_edits(record, &Status::open(), None, stamp),
                    _ => Vec::new(),
                };
                if edits.is_empty() && record.raw("defer_until").is_some() {
                    edits.push(("defer_until", None));
                }
                edits
            }
            Change::Force => Vec::new(),
            Change::Synced(line) => match (Proposal::of(record), Record::parse(line)) {
                (Some(known), Ok(target)) => {
                    let proposal = known.in_step_with(&target);
                    let mark = (proposal != known).then(|| ("proposal", Some(proposal.render(stamp.dialect))));
                    let base = proposal::agreed(record, &target, stamp.dialect);
                    let is_known = base.as_deref() == record.raw(AGREED);
                    mark.into_iter().chain((!is_known).then_some((AGREED, base))).collect()
                }
                _ => Vec::new(),
            },
            Change::Project(owner) => {
                let known = Owner::of(record) == *owner;
                edit_unless(known, PROJECT, owner.as_ref().map(|owner| owner.render(stamp.dialect)))
            }
            Change::Claim { assignee } => {
                let mut edits = text_edit(record, Field::Assignee.key(), assignee, stamp);
                edits.extend(status_edits(record, &Status::new("in_progress"), None, stamp));
                edits
            }
            Change::Priority(priority) => {
                let known = record.raw("priority").is_some() && issue::priority_of(record) == *priority;
                edit_unless(known, "priority", Some(priority.number().to_string()))
            }
            Change::Type(kind) => text_edit(record, "issue_type", kind.as_str(), stamp),
            Change::Estimate(minutes) => {
                let known = record.integer(Field::Estimate.key()) == *minutes;
                edit_unless(known, Field::Estimate.key(), minutes.map(|n| n.to_string()))
            }
            Change::Date(field, instant) => {
                let old = record.time(field.key());
                let new = instant.map(|at| Instant::from_millis(at.millis()));
                // An unreadable value is present too, and can be cleared.
                let known = old == new && (new.is_some() || record.raw(field.key()).is_none_or(is_unset));
                edit_unless(known, field.key(), new.map(|at| stamp.dialect.string(&at.to_string())))
            }
            // Blanks around a label come from a list (`a, b`), and no filter would match them.
            Change::AddLabel(label) => label_edits(record, stamp, |labels| labels.push(label.trim().to_owned())),
            Change::RemoveLabel(label) => {
                label_edits(record, stamp, |labels| labels.retain(|old| old != label && old != label.trim()))
            }
            Change::SetLabels(new) => label_edits(record, stamp, |labels| *labels = new.clone()),
            Change::Metadata(json) => edit_unless(record.raw("metadata") == json.as_deref(), "metadata", json.clone()),
            Change::MetadataKey { key, value } => {
                let old = record.raw("metadata").filter(|raw| !is_unset(raw)).unwrap_or("{}");
                let Ok(object) = Record::parse_part(old) else { return Vec::new() };
                let new = object.with_key(key, value.as_deref(), stamp.dialect);
                let is_empty = Record::parse_part(&new).is_ok_and(|new| new.iter().next().is_none());
                edit_unless(new == old, "metadata", (!is_empty).then_some(new))
            }
            Change::AddDependency { target, kind } => dependency_edits(record, stamp, |_| true, Some((target, kind))),
            Change::RemoveDependency { target, kind } => {
                let other = |d: &Dependency| d.target != *target || kind.as_ref().is_some_and(|kind| d.kind != *kind);
                dependency_edits(record, stamp, other, None)
            }
            Change::Parent(parent) => {
                let kind = DependencyType::parent_child();
                let stays = |d: &Dependency| !d.kind.is_parent_child() || parent.as_ref() == Some(&d.target);
                dependency_edits(record, stamp, stays, parent.as_ref().map(|target| (target, &kind)))
            }
            Change::AddComment(comment) => vec![comment_edit(record, comment, stamp)],
            Change::Workflow(edit) => workflow::workflow_edits(edit, record, stamp),
            Change::Task(edit) => workflow::task_edits(edit, record, stamp.dialect),
            Change::Delete { reason } => delete_edits(record, reason.as_deref(), stamp),
        }
    }
}

fn claimable(record: &Record<'_>, assignee: &str) -> Result<(), ChangeError> {
    let id = || record.string("id").unwrap_or_default().into_owned();
    not_done(record, CLAIMING)?;
    match record.text_of("assignee") {
        Some(holder) if holder != assignee => Err(ChangeError::Claimed { id: id(), holder: holder.into_owned() }),
        _ => Ok(()),
    }
}

fn not_done(record: &Record<'_>, what: &'static str) -> Result<(), ChangeError> {
    let status = issue::status_of(record);
    if !status.is_done() {
        return Ok(());
    }
    let id = record.string("id").unwrap_or_default().into_owned();
    Err(ChangeError::Done { id, status: status.to_string(), what })
}

/// What a finished issue cannot be: [`ChangeError::Done`].
pub const CLAIMING: &str = "claimed";

#[cfg(test)]
mod tests;
