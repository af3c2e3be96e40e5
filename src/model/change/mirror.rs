//! Two copies of a proposed issue: which part of an edit the target sees, and what flows back.

use super::{Change, NewComment, Stamp, WorkflowEdit, comment_edit};
use crate::model::dependency::Dependency;
use crate::model::issue::{self, Status};
use crate::model::json::Dialect;
use crate::model::merge::AGREED;
use crate::model::proposal::export::{Include, public_status, shared_keys};
use crate::model::proposal::{Joined, Proposal, State, Visibility, agreed};
use crate::model::record::{KeyEdit, Record};
use crate::model::row::Row;
use crate::model::time::{self, Instant};

/// An edit of a proposed issue, split into the part for the target and the whole for the planning copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Split {
    /// For the target.
    pub public: Vec<Change>,
    /// For the planning copy: everything.
    pub planning: Vec<Change>,
}

/// Splits changes as `export` splits fields. `visible` tells whether the target can see an id.
pub fn split(changes: &[Change], include: Include, visible: impl Fn(&str) -> bool) -> Split {
    let mut public = Vec::new();
    for change in changes {
        match change {
            Change::Title(_)
            | Change::Priority(_)
            | Change::Type(_)
            | Change::AddLabel(_)
            | Change::RemoveLabel(_)
            | Change::SetLabels(_)
            | Change::RemoveDependency { .. }
            | Change::Force
            | Change::Parent(None) => public.push(change.clone()),
            Change::AddDependency { target, .. } if visible(target) => public.push(change.clone()),
            Change::Parent(Some(parent)) if visible(parent) => public.push(change.clone()),
            // Below a private issue: the target sees no parent any more.
            Change::Parent(Some(_)) => public.push(Change::Parent(None)),
            Change::Text(field, _) | Change::Date(field, _) if field.is_shared() || include.has(*field) => {
                public.push(change.clone());
            }
            Change::AppendNotes(_) if include.notes => public.push(change.clone()),
            Change::AddComment(_) if include.comments => public.push(change.clone()),
            Change::Status(status) => public.push(Change::Status(Status::new(public_status(status.as_str())))),
            // The reason is private; that the issue is closed is not.
            Change::Close { .. } => public.push(Change::Close { reason: None }),
            Change::Reopen { comment } => {
                public.push(Change::Reopen { comment: comment.clone().filter(|_| include.comments) });
            }
            Change::Defer { .. } => public.push(Change::Status(Status::new("deferred"))),
            Change::Undefer => public.push(Change::Undefer),
            Change::Workflow(WorkflowEdit::Move { to, .. }) => {
                public.push(Change::Status(Status::new(public_status(to.status().as_str()))));
            }
            Change::Delete { .. }
            | Change::Workflow(_)
            | Change::Task(_)
            | Change::Synced(_)
            | Change::Project(_)
            | Change::Claim { .. }
            | Change::Text(..)
            | Change::AppendNotes(_)
            | Change::AddComment(_)
            | Change::Metadata(_)
            | Change::MetadataKey { .. }
            | Change::Estimate(_)
            | Change::Date(..)
            | Change::AddDependency { .. } => {}
        }
    }
    Split { public, planning: changes.to_vec() }
}

/// Whether the target's copy was edited since the planning copy was last in sync with it.
pub fn has_moved_on(planning: &Record<'_>, target: &Record<'_>) -> bool {
    let synced = Proposal::of(planning).and_then(|proposal| proposal.synced);
    synced.as_deref() != target.string("updated_at").as_deref()
}

/// Whether the planning copy was edited since it was last in sync.
pub fn was_edited(planning: &Record<'_>) -> bool {
    let at = planning.time("updated_at");
    let synced = Proposal::of(planning).and_then(|proposal| proposal.synced).and_then(|text| Instant::parse(&text));
    synced.is_none() || at > synced
}

/// The edits that bring the target's line in line with an export; everything else in it stays.
pub fn public_edits(target: &Record<'_>, made: &Record<'_>, dialect: Dialect) -> Vec<KeyEdit> {
    let raw = |record: &Record<'_>, key: &str| {
        record.raw(key).filter(|raw| !matches!(*raw, "null" | "\"\"" | "[]")).map(str::to_owned)
    };
    let mut edits: Vec<KeyEdit> = Vec::new();
    for key in shared_keys() {
        if raw(made, key) != raw(target, key) {
            edits.push((key, raw(made, key)));
        }
    }
    if issue::status_of(made) != issue::status_of(target) {
        edits.push(("status", raw(made, "status")));
        edits.push(("closed_at", raw(made, "closed_at")));
    }
    if let (Some(notes), None) = (raw(made, "notes"), raw(target, "notes")) {
        edits.push(("notes", Some(notes)));
    }
    edits.extend(added(target, made, dialect));
    edits
}

/// Dependencies and comments that only another copy has, to be added to a line.
fn added(line: &Record<'_>, other: &Record<'_>, dialect: Dialect) -> Vec<KeyEdit> {
    let known = issue::dependencies_of(line);
    let is_known = |d: Dependency| known.iter().any(|k| (&k.target, &k.kind) == (&d.target, &d.kind));
    let mut edges = line.elements("dependencies");
    edges.extend(
        other.elements("dependencies").into_iter().filter(|raw| !Dependency::decode(raw).is_some_and(is_known)),
    );
    let mut remarks = line.elements("comments");
    let count = remarks.len();
    remarks.extend(other.elements("comments").into_iter().filter(|raw| !line.elements("comments").contains(raw)));
    let edges = (edges.len() > known.len()).then(|| ("dependencies", Some(dialect.array(edges))));
    let remarks = (remarks.len() > count).then(|| ("comments", Some(dialect.array(remarks))));
    edges.into_iter().chain(remarks).collect()
}

/// The proposer's private status and assignee of a proposed issue, as long as the target does not override them. `None`
/// if the target's line has the same.
pub fn own_state(planning: &Record<'_>, target: &Record<'_>) -> Option<(String, Option<String>)> {
    let (ours, theirs) = (issue::status_of(planning), issue::status_of(target));
    let status = if public_status(ours.as_str()) == theirs.as_str() { ours } else { theirs.clone() };
    let assignee = |record: &Record<'_>| record.text_of("assignee").map(|name| name.into_owned());
    let own = (status, assignee(target).or_else(|| assignee(planning)));
    (own != (theirs, assignee(target))).then(|| (own.0.as_str().to_owned(), own.1))
}

/// The planning line with the target's values in the shared fields. A text that loses stays as a comment.
fn with_target(planning: &Record<'_>, target: &Record<'_>, stamp: Stamp<'_>, comment_id: i64) -> String {
    let mut edits: Vec<KeyEdit> = Vec::new();
    let mut lost = Vec::new();
    let edited = was_edited(planning);
    for key in shared_keys() {
        let (ours, theirs) = (planning.raw(key), target.raw(key));
        if ours == theirs {
            continue;
        }
        if let Some(raw) = ours.filter(|raw| edited && !matches!(*raw, "null" | "\"\"" | "[]")) {
            lost.push(format!("{key}: {}", planning.text_of(key).as_deref().unwrap_or(raw)));
        }
        edits.push((key, theirs.map(str::to_owned)));
    }
    let (ours, theirs) = (issue::status_of(planning), issue::status_of(target));
    if public_status(ours.as_str()) != theirs.as_str() {
        edits.push(("status", Some(stamp.dialect.string(theirs.as_str()))));
        edits.push(("closed_at", target.raw("closed_at").map(str::to_owned)));
    }
    // Remarks by others are worth keeping, however the proposal ends.
    edits.extend(added(planning, target, stamp.dialect));
    let own_notes = planning.text_of("notes").unwrap_or_default();
    if let Some(notes) = target.text_of("notes").filter(|notes| !own_notes.contains(notes.as_ref())) {
        let has_notes = planning.elements("comments").iter().any(|raw| raw.contains("notes in the target"));
        if !has_notes {
            lost.push(format!("notes in the target: {notes}"));
        }
    }
    let mut line = planning.with(&edits, stamp.dialect);
    if !lost.is_empty() {
        let text = format!("Before the target's version came in:\n{}", lost.join("\n"));
        let comment = NewComment { id: comment_id, author: stamp.actor.to_owned(), text };
        let record = Record::parse(&line).expect("an edited record stays a valid object");
        line = record.with(&[comment_edit(&record, &comment, stamp)], stamp.dialect);
    }
    line
}

/// Makes a planning copy private again: withdrawn, or rejected with a reason that becomes a comment. `joined` is its
/// merge with the target's line, if the agreed values are known.
pub fn take_back(
    planning: &Record<'_>,
    target: Option<&Record<'_>>,
    joined: Option<&Joined>,
    proposal: &Proposal,
    stamp: Stamp<'_>,
    comment_id: i64,
) -> String {
    let mut line = match (joined, target) {
        (Some(joined), _) => joined.planning.clone(),
        // A rejection closes the target's copy; that does not concern the plan.
        (None, Some(target)) if proposal.state != State::Rejected && has_moved_on(planning, target) => {
            with_target(planning, target, stamp, comment_id)
        }
        _ => planning.text().to_owned(),
    };
    if let (State::Rejected, Some(reason)) = (proposal.state, &proposal.reason) {
        let record = Record::parse(&line).expect("a planning line is a record");
        let comment = NewComment { id: comment_id, author: proposal.by.clone(), text: format!("Rejected: {reason}") };
        line = record.with(&[comment_edit(&record, &comment, stamp)], stamp.dialect);
    }
    marked(&line, Visibility::Local, &proposal.public(), None, stamp)
}

/// Updates a planning copy from its proposal: the target's later values, and the proposal's state.
pub fn follow(
    planning: &Record<'_>,
    target: &Record<'_>,
    visibility: Visibility,
    proposal: &Proposal,
    stamp: Stamp<'_>,
    comment_id: i64,
) -> String {
    let line = with_target(planning, target, stamp, comment_id);
    in_step(&line, target, visibility, proposal, stamp)
}

/// A planning line with the target's values, in sync with it.
pub fn in_step(
    line: &str,
    target: &Record<'_>,
    visibility: Visibility,
    proposal: &Proposal,
    stamp: Stamp<'_>,
) -> String {
    marked(line, visibility, &proposal.in_step_with(target), Some(target), stamp)
}

fn marked(
    line: &str,
    visibility: Visibility,
    proposal: &Proposal,
    target: Option<&Record<'_>>,
    stamp: Stamp<'_>,
) -> String {
    let record = Record::parse(line).expect("a planning line is a record");
    let word = stamp.dialect.string(visibility.word());
    let mark = [("visibility", Some(word)), ("proposal", Some(proposal.render(stamp.dialect)))];
    let line = record.with(&mark, stamp.dialect);
    let record = Record::parse(&line).expect("an edited record stays a valid object");
    // The two copies may differ only while a proposal is open.
    let base = target.filter(|_| visibility == Visibility::Proposed);
    let mark = [(AGREED, base.and_then(|target| agreed(&record, target, stamp.dialect)))];
    let line = record.with(&mark, stamp.dialect);
    let record = Record::parse(&line).expect("an edited record stays a valid object");
    let previous = record.time("updated_at");
    let updated = stamp.dialect.string(&time::after(previous, stamp.now).to_string());
    record.with(&[("updated_at", Some(updated))], stamp.dialect)
}
