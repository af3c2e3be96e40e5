//! The edits of a line's keys that a change needs. Each function returns nothing if the line has the value already.

use std::collections::BTreeSet;

use super::stamp::{NewComment, Stamp};
use crate::model::dependency::{Dependency, DependencyType};
use crate::model::issue::{self, Status};
use crate::model::json::{Json, is_unset};
use crate::model::record::{KeyEdit, Record};

pub(in crate::model) fn comment_edit(record: &Record<'_>, comment: &NewComment, stamp: Stamp<'_>) -> KeyEdit {
    let text = stamp.dialect.render(&Json::Object(vec![
        ("id".into(), Json::Int(comment.id)),
        ("issue_id".into(), Json::Text(record.string("id").unwrap_or_default().into_owned())),
        ("author".into(), Json::Text(comment.author.clone())),
        ("text".into(), Json::Text(comment.text.clone())),
        ("created_at".into(), Json::Text(stamp.now.to_string())),
    ]));
    let mut parts = record.elements("comments");
    parts.push(&text);
    ("comments", Some(stamp.dialect.array(parts)))
}

pub(super) fn edit_unless(known: bool, key: &'static str, value: Option<String>) -> Vec<KeyEdit> {
    if known { Vec::new() } else { vec![(key, value)] }
}

pub(super) fn text_edit(record: &Record<'_>, key: &'static str, text: &str, stamp: Stamp<'_>) -> Vec<KeyEdit> {
    let old = record.text_of(key);
    let known = old.as_deref().unwrap_or_default() == text;
    edit_unless(known, key, (!text.is_empty()).then(|| stamp.dialect.string(text)))
}

/// Keeps `closed` and `closed_at` together, and records the first start of work.
pub(in crate::model) fn status_edits(
    record: &Record<'_>,
    status: &Status,
    reason: Option<&str>,
    stamp: Stamp<'_>,
) -> Vec<KeyEdit> {
    let now = stamp.dialect.string(&stamp.now.to_string());
    let was = issue::status_of(record);
    let mut edits = Vec::new();
    if was != *status {
        edits.push(("status", Some(stamp.dialect.string(status.as_str()))));
    }
    if status.as_str() == "closed" {
        if was != *status || record.text_of("closed_at").is_none() {
            edits.push(("closed_at", Some(now)));
        }
        let known = record.text_of("close_reason").unwrap_or_default();
        if let Some(reason) = reason.filter(|reason| known != *reason) {
            edits.push(("close_reason", (!reason.is_empty()).then(|| stamp.dialect.string(reason))));
        }
        return edits;
    }
    if was == *status {
        return edits;
    }
    if status.as_str() == "in_progress" && record.text_of("started_at").is_none() {
        edits.push(("started_at", Some(now)));
    }
    if status.as_str() == "open" && was.as_str() == "deferred" && record.raw("defer_until").is_some() {
        edits.push(("defer_until", None));
    }
    for key in ["closed_at", "close_reason", "closed_by_session"] {
        if record.raw(key).is_some() {
            edits.push((key, None));
        }
    }
    edits
}

pub(super) fn reopen_edits(record: &Record<'_>, stamp: Stamp<'_>) -> Vec<KeyEdit> {
    if !issue::status_of(record).is_done() {
        return Vec::new();
    }
    let mut edits = status_edits(record, &Status::open(), None, stamp);
    if let Some(kind) = record.text_of("original_type") {
        edits.push(("issue_type", Some(stamp.dialect.string(&kind))));
    }
    for key in ["deleted_at", "deleted_by", "delete_reason", "original_type"] {
        if record.raw(key).is_some() {
            edits.push((key, None));
        }
    }
    edits
}

pub(super) fn delete_edits(record: &Record<'_>, reason: Option<&str>, stamp: Stamp<'_>) -> Vec<KeyEdit> {
    if issue::status_of(record).is_tombstone() {
        return Vec::new();
    }
    let text = |text: &str| Some(stamp.dialect.string(text));
    let mut edits = vec![
        ("status", text("tombstone")),
        ("deleted_at", text(&stamp.now.to_string())),
        ("deleted_by", text(stamp.actor)),
        ("original_type", text(issue::type_of(record).as_str())),
    ];
    edits.extend(reason.filter(|reason| !reason.is_empty()).map(|reason| ("delete_reason", text(reason))));
    edits
}

/// Labels are a sorted set; elements that are not text are kept at the end.
pub(super) fn label_edits(
    record: &Record<'_>,
    stamp: Stamp<'_>,
    change: impl FnOnce(&mut Vec<String>),
) -> Vec<KeyEdit> {
    let old = issue::labels_of(record);
    let mut new = old.clone();
    change(&mut new);
    let [before, new] = [old, new].map(|labels| labels.into_iter().collect::<BTreeSet<String>>());
    let is_list = record.raw("labels").is_none_or(|raw| !raw.starts_with('"') || is_unset(raw));
    if new == before && is_list {
        return Vec::new();
    }
    let odd = record.elements("labels").into_iter().filter(|raw| !raw.starts_with('"')).map(str::to_owned);
    let parts: Vec<String> = new.iter().map(|label| stamp.dialect.string(label)).chain(odd).collect();
    let value = (!parts.is_empty()).then(|| stamp.dialect.array(parts.iter().map(String::as_str)));
    vec![("labels", value)]
}

/// Remaining edges keep their bytes, unreadable ones included.
pub(super) fn dependency_edits(
    record: &Record<'_>,
    stamp: Stamp<'_>,
    stays: impl Fn(&Dependency) -> bool,
    add: Option<(&String, &DependencyType)>,
) -> Vec<KeyEdit> {
    let before = record.elements("dependencies");
    let mut parts: Vec<&str> = before.clone();
    parts.retain(|raw| Dependency::decode(raw).is_none_or(|d| stays(&d)));
    let present = |target: &String, kind: &DependencyType| {
        let same = |d: Dependency| d.target == *target && d.kind == *kind;
        parts.iter().any(|raw| Dependency::decode(raw).is_some_and(same))
    };
    let added = add.filter(|(target, kind)| !present(target, kind)).map(|(target, kind)| {
        let issue_id = record.string("id").unwrap_or_default().into_owned();
        edge(&issue_id, target, kind, stamp)
    });
    if added.is_none() && parts.len() == before.len() {
        return Vec::new();
    }
    parts.extend(added.as_deref());
    vec![("dependencies", (!parts.is_empty()).then(|| stamp.dialect.array(parts)))]
}

pub(super) fn edge(issue_id: &str, target: &str, kind: &DependencyType, stamp: Stamp<'_>) -> String {
    stamp.dialect.render(&Json::Object(vec![
        ("issue_id".into(), Json::Text(issue_id.to_owned())),
        ("depends_on_id".into(), Json::Text(target.to_owned())),
        ("type".into(), Json::Text(kind.to_string())),
        ("created_at".into(), Json::Text(stamp.now.to_string())),
        ("created_by".into(), Json::Text(stamp.actor.to_owned())),
    ]))
}
