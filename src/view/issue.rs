//! An issue as JSON.
//!
//! The values come from the line as they are, unknown fields included, so nothing is lost on the way to a program. What
//! every client needs is always there and of one kind: `id title status priority issue_type created_at updated_at`. Raw
//! dependency records are never under `dependencies`: clients read issues there.

use super::{Object, array};
use crate::model::issue::{Comment, Issue, Time};
use crate::model::merge::AGREED;
use crate::model::record::Record;
use crate::store::{Access, Row, Written};

const EPOCH: &str = "1970-01-01T00:00:00.000Z";

/// Keys that this view writes itself, whatever the line holds.
const OWN: &[&str] = &[
    "_type",
    "id",
    "title",
    "status",
    "priority",
    "issue_type",
    "created_at",
    "updated_at",
    "labels",
    "dependencies",
    "comments",
    "dependency_count",
    "dependent_count",
    "comment_count",
    "parent",
    "source_repo",
    "source_repo_path",
    "shadowed",
    "writable",
    "copies",
    "private",
    "visibility",
    AGREED,
    "worktree_id",
    "worktree",
    "elsewhere",
];

fn base(line: &str, issue: &Issue, source_repo: &str) -> Object {
    let record = Record::parse(line).expect("a row holds a valid record");
    let time = |time: &Option<Time>| time.as_ref().map(|time| time.text.clone());
    let created = time(&issue.created_at);
    let updated = time(&issue.updated_at);
    let known = created.clone().or_else(|| updated.clone()).unwrap_or_else(|| EPOCH.to_owned());
    let mut object = Object::new().text("id", &issue.id).text("title", &issue.title);
    let own_assignee = issue.assignee.as_deref().filter(|name| record.text_of("assignee").as_deref() != Some(*name));
    for (key, raw) in record.iter() {
        let says_nothing = matches!(raw, "null" | "\"\"" | "[]") || key == "assignee" && own_assignee.is_some();
        if !says_nothing && !OWN.contains(&key.as_ref()) {
            object = object.raw(&key, raw);
        }
    }
    object = object.optional("assignee", own_assignee);
    for (key, own) in [("due_at", &issue.due_at), ("defer_until", &issue.defer_until)] {
        object = object.optional(key, own.as_ref().filter(|_| record.raw(key).is_none()).map(|own| own.text.as_str()));
    }
    if let Some(minutes) = issue.estimated_minutes.filter(|_| record.raw("estimated_minutes").is_none()) {
        object = object.number("estimated_minutes", minutes);
    }
    object = object
        .text("status", issue.status.as_str())
        .number("priority", issue.priority.number())
        .text("issue_type", issue.issue_type.as_str())
        .text("created_at", created.as_deref().unwrap_or(&known))
        .text("updated_at", updated.as_deref().unwrap_or(&known));
    if !issue.labels.is_empty() {
        object = object.texts("labels", &issue.labels);
    }
    object
        .optional("parent", issue.parent())
        .text("visibility", issue.visibility.as_deref().unwrap_or("canonical"))
        .text("source_repo", source_repo)
}

/// An element of `list`, `ready`, `search`: with counts, without texts of others.
pub fn summary(row: &Row) -> Object {
    let mut object = base(&row.line, &row.issue, &row.source_repo);
    if row.shadowed {
        object = object.flag("shadowed", true);
    }
    if let Some(place) = &row.place {
        object = object.optional("worktree_id", place.worktree_id.as_deref()).text("worktree", &place.worktree);
    }
    if let Some(beside) = &row.beside {
        object = object.raw("private", &private(&row.issue.id, &beside.clone().into()));
    }
    if !row.elsewhere.is_empty() {
        object = object.raw("elsewhere", &super::elsewhere::elsewhere(&row.elsewhere));
    }
    object
        .number("dependency_count", row.counts.dependencies)
        .number("dependent_count", row.counts.dependents)
        .number("comment_count", row.counts.comments)
}

/// The answer of a command that wrote an issue.
pub fn reply(written: &Written) -> Object {
    let issue = written.issue();
    base(&written.line, &issue, &written.source_repo)
        .number("dependency_count", issue.dependencies.len() as i64)
        .number("comment_count", issue.comments.len() as i64)
}

/// The other end of a dependency: the whole issue and the type; what is known of it where no repo holds it.
pub fn edge_issue(id: &str, kind: &str, row: Option<&Row>) -> Object {
    let object = match row {
        Some(row) => summary(row),
        None => Object::new()
            .text("id", id)
            .text("title", "")
            .text("status", "unknown")
            .number("priority", 0)
            .text("issue_type", "task")
            .text("created_at", EPOCH)
            .text("updated_at", EPOCH)
            .flag("missing", true),
    };
    object.text("dependency_type", kind)
}

/// A comment as clients want it: its id is a string.
pub(super) fn comment_object(issue_id: &str, comment: &Comment) -> Object {
    let time = comment.created_at.as_ref().map_or(EPOCH, |time| &time.text);
    Object::new()
        .text("id", &comment.id)
        .text("issue_id", issue_id)
        .text("author", &comment.author)
        .text("text", &comment.text)
        .text("created_at", time)
}

/// What only the user says about an issue.
fn private(id: &str, yours: &crate::ops::Private) -> String {
    let comments = yours.comments.iter().map(|comment| comment_object(id, comment).finish());
    Object::new()
        .text("source_repo", &yours.repo)
        .optional("notes", yours.notes.as_deref())
        .optional("assignee", yours.assignee.as_deref())
        .texts("dependencies", &yours.dependencies)
        .raw("comments", &array(comments))
        .finish()
}

/// An element of `show`.
pub fn detail(shown: &crate::ops::Shown) -> Object {
    let row = &shown.row;
    let edges = |edges: &[crate::ops::Neighbour]| {
        array(edges.iter().map(|e| edge_issue(&e.id, &e.kind, e.row.as_ref()).finish()))
    };
    let mut object = summary(row).flag("writable", shown.access == Access::Write);
    if !shown.copies.is_empty() {
        object = object.texts("copies", &shown.copies);
    }
    if let Some(past) = &shown.past {
        object = object.flag("pruned", true).raw("past", &super::history::past(past));
    }
    if let Some(yours) = shown.private.as_ref().filter(|_| row.beside.is_none()) {
        object = object.raw("private", &private(&row.issue.id, yours));
    }
    if !shown.dependencies.is_empty() {
        object = object.raw("dependencies", &edges(&shown.dependencies));
    }
    if !shown.dependents.is_empty() {
        object = object.raw("dependents", &edges(&shown.dependents));
    }
    if !row.issue.comments.is_empty() {
        let comments = row.issue.comments.iter().map(|c| comment_object(&row.issue.id, c).finish());
        object = object.raw("comments", &array(comments));
    }
    if row.issue.issue_type.as_str() == "epic" {
        let children = shown.dependents.iter().filter(|e| e.kind == "parent-child");
        let states: Vec<bool> =
            children.filter_map(|e| e.row.as_ref()).map(|r| r.issue.status.as_str() == "closed").collect();
        let closed = states.iter().filter(|closed| **closed).count();
        object = object
            .number("epic_total_children", states.len() as i64)
            .number("epic_closed_children", closed as i64)
            .flag("epic_closeable", !states.is_empty() && closed == states.len());
    }
    object
}
