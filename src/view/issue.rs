//! An issue as JSON.
//!
//! The values are the line's own, unknown fields included, so programs lose nothing. The keys that every client needs are always
//! present and of one type: `id title status priority issue_type created_at updated_at`. Raw dependency records are
//! never under `dependencies`: clients expect issues there.

use std::sync::LazyLock;

use super::answer::{Field, Fields, List, answer, each, filled, object};
use super::elsewhere::elsewhere;
use super::history::past;
use crate::model::field::{self, Kind};
use crate::model::issue::{Comment, FieldValue, Issue, Time};
use crate::model::json::Object;
use crate::model::record::Record;
use crate::ops::{Neighbour, Private, Shown};
use crate::store::{Access, Place, Row, Written};

const EPOCH: &str = "1970-01-01T00:00:00.000Z";

/// Keys of answers that do not come from the line; a line's values for them are not shown.
const ANSWERS: &[&str] = &["shadowed", "writable", "copies", "private", "worktree_id", "worktree", "elsewhere"];

/// Fields that may have a private value for the reader: texts and times, then numbers.
static OWN: LazyLock<Vec<field::Field>> = LazyLock::new(|| {
    let mut own: Vec<field::Field> = field::with(|row| row.own).collect();
    own.sort_by_key(|field| field.row().kind == Kind::Number);
    own
});

/// A key that this view writes itself, whatever the line contains.
fn is_answered(key: &str) -> bool {
    field::Field::of(key).map_or_else(|| ANSWERS.contains(&key), |field| field.row().answered)
}

fn base<'a>(record: &Record<'_>, issue: &'a Issue, source_repo: &str) -> Object {
    let time = |time: &'a Option<Time>| time.as_ref().map(|time| time.text.as_str());
    let (created, updated) = (time(&issue.created_at), time(&issue.updated_at));
    let known = created.or(updated).unwrap_or(EPOCH);
    // Little is added to a line.
    let mut object = Object::sized(record.text().len() + 512).text("id", &issue.id).text("title", &issue.title);
    let own_assignee = issue.assignee.as_deref().filter(|name| record.text_of("assignee").as_deref() != Some(*name));
    for (key, raw) in record.iter() {
        let is_unset = matches!(raw, "null" | "\"\"" | "[]") || key == "assignee" && own_assignee.is_some();
        if !is_unset && !is_answered(&key) {
            object = object.raw(&key, raw);
        }
    }
    object = object.optional("assignee", own_assignee);
    for field in OWN.iter().filter(|field| record.raw_of(**field).is_none()) {
        object = match issue.value(*field) {
            FieldValue::Text(text) => object.text(field.key(), text),
            FieldValue::Time(time) => object.text(field.key(), &time.text),
            FieldValue::Number(number) => object.number(field.key(), number),
            FieldValue::Nothing => object,
        };
    }
    object = object
        .text("status", issue.status.as_str())
        .number("priority", issue.priority.number())
        .text("issue_type", issue.issue_type.as_str())
        .text("created_at", created.unwrap_or(known))
        .text("updated_at", updated.unwrap_or(known));
    if !issue.labels.is_empty() {
        object = object.texts("labels", &issue.labels);
    }
    object
        .optional("parent", issue.parent())
        .text("visibility", issue.visibility.as_deref().unwrap_or("canonical"))
        .text("source_repo", source_repo)
}

/// An element of `list`, `ready`, `search`: with counts, without others' texts.
pub fn summary(row: &Row) -> Object {
    base(&row.record(), &row.issue, &row.source_repo).join(detached(row))
}

/// The answer of a command that wrote an issue.
pub fn reply(written: &Written) -> Object {
    let issue = written.issue();
    let record = Record::parse(&written.line).expect("a written line is a record");
    base(&record, &issue, &written.source_repo)
        .number("dependency_count", issue.dependencies.len() as i64)
        .number("comment_count", issue.comments.len() as i64)
}

/// The other end of a dependency: the whole issue and the type; or what is known of it if no repo has it.
pub fn edge_issue(id: &str, kind: &str, row: Option<&Row>) -> Object {
    let object = match row {
        Some(row) => summary(row),
        None => object! {
            id: id, title: "", status: "unknown", priority: 0, issue_type: "task", created_at: EPOCH, updated_at: EPOCH,
            missing: true,
        },
    };
    object.text("dependency_type", kind)
}

answer! {
    /// A comment as clients expect it: its id is a string.
    pub fn comment(issue_id: &str, comment: &Comment) {
        id: &comment.id, issue_id: issue_id, author: &comment.author, text: &comment.text,
        created_at: comment.created_at.as_ref().map_or(EPOCH, |time| &time.text),
    }

    /// The user's private data about an issue.
    fn private(id: &str, yours: &Private) {
        source_repo: &yours.repo, notes: &yours.notes, assignee: &yours.assignee, dependencies: &yours.dependencies,
        comments: each(&yours.comments, |one| comment(id, one)),
    }

    fn detached(row: &Row) {
        shadowed: row.shadowed.then_some(true), ..placed?(&row.place),
        private: row.beside.as_ref().map(|beside| private(&row.issue.id, &beside.clone().into())),
        elsewhere: filled(&row.elsewhere).map(|all| each(all, elsewhere)),
        dependency_count: row.counts.dependencies, dependent_count: row.counts.dependents,
        comment_count: row.counts.comments,
    }

    pub(super) fn placed(place: &Place) {
        worktree_id: &place.worktree_id, worktree: &place.worktree,
    }

    fn children(states: &[bool]) {
        epic_total_children: states.len(), epic_closed_children: states.iter().filter(|closed| **closed).count(),
        epic_closeable: !states.is_empty() && states.iter().all(|closed| *closed),
    }

    /// Additional keys of `show`.
    fn around(shown: &Shown) {
        writable: shown.access == Access::Write, copies: filled(&shown.copies), branches: filled(&shown.branches),
        pruned: shown.past.as_ref().map(|_| true), past: shown.past.as_ref().map(past),
        private: shown.private.as_ref().filter(|_| shown.row.beside.is_none()).map(|one| private(&shown.row.issue.id, one)),
        dependencies: filled(&shown.dependencies).map(edges), dependents: filled(&shown.dependents).map(edges),
        comments: filled(&shown.row.issue.comments).map(|all| each(all, |one| comment(&shown.row.issue.id, one))),
    }
}

fn edges(edges: &[Neighbour]) -> List {
    each(edges, |edge| edge_issue(&edge.id, &edge.kind, edge.row.as_ref()))
}

/// An element of `show`.
pub fn detail(shown: &Shown) -> Object {
    let object = summary(&shown.row).join(around(shown));
    if shown.row.issue.issue_type.as_str() != "epic" {
        return object;
    }
    let parts = shown.dependents.iter().filter(|e| e.kind == "parent-child").filter_map(|e| e.row.as_ref());
    object.join(children(&parts.map(|row| row.issue.status.as_str() == "closed").collect::<Vec<_>>()))
}

/// Keys before the fields of the line, with JSON types and whether every issue has them.
const ISSUE: &[(&str, &str, bool)] = &[
    ("id", "string", true),
    ("title", "string", true),
    ("status", "string", true),
    ("priority", "integer", true),
    ("issue_type", "string", true),
    ("created_at", "string", true),
    ("updated_at", "string", true),
    ("source_repo", "string", true),
    ("visibility", "string", true),
    ("writable", "boolean", false),
    ("shadowed", "boolean", false),
    ("worktree_id", "string", false),
    ("worktree", "string", false),
    ("elsewhere", "array", false),
    ("copies", "array", false),
    ("branches", "array", false),
    ("private", "object", false),
    ("pruned", "boolean", false),
    ("past", "object", false),
];

/// The same after those of the line.
const MORE: &[(&str, &str, bool)] = &[
    ("parent", "string", false),
    ("project", "object", false),
    ("former_id", "string", false),
    ("labels", "array", false),
    ("dependencies", "array", false),
    ("dependents", "array", false),
    ("comments", "array", false),
    ("dependency_count", "integer", false),
    ("dependent_count", "integer", false),
    ("comment_count", "integer", false),
    ("blocked_by", "array", false),
    ("blocked_by_count", "integer", false),
    ("matched_fields", "array", false),
    ("dependency_type", "string", false),
    ("depth", "integer", false),
    ("parent_id", "string", false),
    ("truncated", "boolean", false),
];

/// Every key that an issue may have, in schema order.
fn keys() -> impl Iterator<Item = (&'static str, &'static str, bool)> {
    let kind = |kind| match kind {
        Kind::Text | Kind::Word | Kind::Person | Kind::Time | Kind::Until | Kind::From => "string",
        Kind::Number => "integer",
        Kind::Flag => "boolean",
        Kind::Labels | Kind::Edges | Kind::Comments => "array",
        Kind::Other => "object",
    };
    let typed = field::with(|row| row.typed).map(move |field| (field.key(), kind(field.row().kind), false));
    ISSUE.iter().copied().chain(typed).chain(MORE.iter().copied())
}

/// The name of every key that an issue may have.
pub fn issue_fields() -> impl Iterator<Item = &'static str> {
    keys().map(|(key, ..)| key)
}

/// Adds the keys of an issue to a shape, with the additional ones that it always has.
macro_rules! issue_keys {
    ($($shape:ident: $also:expr;)*) => {$(
        #[doc = "The keys of what the function of this name gives."]
        #[expect(non_camel_case_types, reason = "it goes by the name of its function")]
        pub enum $shape {}

        impl $shape {
            pub fn fields(into: &mut Fields) {
                let also: &[&str] = &$also;
                for (key, kind, always) in keys() {
                    into.push(Field { key, kind, required: always || also.contains(&key) });
                }
            }
        }
    )*};
}

issue_keys! {
    reply: [];
    summary: ["dependency_count", "dependent_count", "comment_count"];
    edge_issue: ["dependency_type"];
}
