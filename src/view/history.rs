//! The past, as programs and people read it.

use super::escape::inline;
use super::value::{change_text, is_told, shortened, winner};
use super::{Object, array};
use crate::model::difference::{ChangeKind, FieldChange};
use crate::model::issue::Issue;
use crate::model::json::decode_string;
use crate::model::record::Record;
use crate::ops::ClosedIssue;
use crate::store::{Blame, Commit, DiffEntry, DiffKind, Event, PastLine};

/// How much of a hash people are shown.
const SHORT: usize = 10;

pub fn short(commit: &Commit) -> &str {
    commit.id.get(..SHORT).unwrap_or(&commit.id)
}

pub(super) fn commit(commit: &Commit) -> String {
    Object::new()
        .text("id", &commit.id)
        .text("author", &commit.author)
        .text("email", &commit.email)
        .text("authored_at", &commit.authored.to_string())
        .text("committed_at", &commit.committed.to_string())
        .text("summary", &commit.summary)
        .finish()
}

fn optional(commit_: Option<&Commit>) -> String {
    commit_.map_or_else(|| "null".to_owned(), commit)
}

fn field(change: &FieldChange) -> String {
    let raw = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".to_owned());
    Object::new()
        .text("field", &change.field)
        .raw("before", &raw(&change.before))
        .raw("after", &raw(&change.after))
        .optional("won", winner(change).as_deref())
        .finish()
}

fn title(line: &str) -> String {
    let found = Record::parse(line).ok().and_then(|record| record.string("title").map(|title| title.into_owned()));
    found.unwrap_or_default()
}

pub fn event(event: &Event) -> String {
    Object::new()
        .text("id", &event.id)
        .text("title", &title(&event.line))
        .text("source_repo", &event.source_repo)
        .text("change", event.kind.word())
        .raw("commit", &optional(event.commit.as_ref()))
        .raw("fields", &array(event.fields.iter().map(field)))
        .finish()
}

/// The first line on a change: what became of the issue.
pub fn event_text(event: &Event) -> String {
    let title = title(&event.line);
    match event.kind {
        ChangeKind::Added => format!("{}  added: {title}", event.id),
        ChangeKind::Changed => format!("{}  {title}", event.id),
        ChangeKind::Removed => format!("{}  removed{}: {title}", event.id, was_closed(&event.line)),
    }
}

fn was_closed(line: &str) -> &'static str {
    let status = Record::parse(line).ok().and_then(|record| record.string("status").map(|word| word.into_owned()));
    if status.as_deref() == Some("closed") { " (it was closed)" } else { "" }
}

/// The changes of fields that say something to a person; all of them if none does.
pub fn told_changes(fields: &[FieldChange]) -> Vec<String> {
    let told: Vec<String> = fields.iter().filter(|change| is_told(&change.field)).map(change_text).collect();
    if told.is_empty() { fields.iter().map(change_text).collect() } else { told }
}

pub fn blame(blame: &Blame) -> String {
    let fields = blame.fields.iter().map(|one| {
        let object = Object::new().text("field", &one.field).raw("value", one.value.as_deref().unwrap_or("null"));
        let object = object.raw("commit", &optional(one.commit.as_ref()));
        object.optional("source_repo", one.source_repo.as_deref()).finish()
    });
    let object = Object::new().text("id", &blame.id).text("source_repo", &blame.source_repo);
    let object = object.raw("fields", &array(fields));
    match &blame.past {
        Some(line) => object.raw("past", &past(line)).finish(),
        None => object.finish(),
    }
}

/// A value that was given to a field, or that it was taken away.
pub fn blamed_value(value: Option<&str>) -> String {
    value.map_or_else(|| "nothing".to_owned(), shortened)
}

/// That an issue has left the ledger, and when.
pub fn departure(past: &PastLine) -> String {
    match (&past.called_now, &past.removed) {
        (Some(id), _) => renamed_text(&past.id, id),
        (None, Some(commit)) => format!("{} is not in the ledger any more: {} removed it", past.id, short(commit)),
        (None, None) => format!("{} is not in the ledger any more", past.id),
    }
}

/// That an issue has another id now.
pub fn renamed_text(old: &str, new: &str) -> String {
    format!("{old} is called {new} now")
}

pub fn differences(entries: &[DiffEntry]) -> String {
    let entry = |entry: &DiffEntry| {
        let object = Object::new()
            .text("id", &entry.id)
            .text("title", &title(entry.after.as_ref().or(entry.before.as_ref()).map_or("", String::as_str)))
            .text("source_repo", &entry.source_repo);
        let object = match &entry.kind {
            DiffKind::Moved(from) => object.text("moved_from", from),
            _ => object,
        };
        object.raw("fields", &array(entry.fields.iter().map(field))).finish()
    };
    let of = |wanted: fn(&DiffKind) -> bool| array(entries.iter().filter(|one| wanted(&one.kind)).map(entry));
    Object::new()
        .raw("added", &of(|kind| *kind == DiffKind::Added))
        .raw("changed", &of(|kind| *kind == DiffKind::Changed))
        .raw("moved", &of(|kind| matches!(kind, DiffKind::Moved(_))))
        .raw("removed", &of(|kind| *kind == DiffKind::Removed))
        .finish()
}

/// One difference in words: a line on the issue, then one for each field.
pub fn difference_text(entry: &DiffEntry) -> Vec<String> {
    let (before, after) = (entry.before.as_deref().unwrap_or_default(), entry.after.as_deref().unwrap_or_default());
    let head = match &entry.kind {
        DiffKind::Added => format!("+ {}  {}", entry.id, title(after)),
        DiffKind::Removed => format!("- {}  {}{}", entry.id, title(before), was_closed(before)),
        DiffKind::Changed => format!("~ {}  {}", entry.id, title(after)),
        DiffKind::Moved(from) => format!("> {}  {} (from {from} to {})", entry.id, title(after), entry.source_repo),
    };
    let mut lines = vec![head];
    if matches!(entry.kind, DiffKind::Changed | DiffKind::Moved(_)) && !entry.fields.is_empty() {
        lines.extend(told_changes(&entry.fields).into_iter().map(|text| format!("    {text}")));
    }
    lines
}

/// A heading, and what belongs below it.
type Section = (&'static str, fn(&DiffEntry) -> bool);

/// The same as a list for a pull request, by what became of the issues.
pub fn differences_markdown(entries: &[DiffEntry]) -> String {
    let sections: [Section; 5] = [
        ("Closed", is_closed),
        ("Added", |entry| entry.kind == DiffKind::Added && !is_closed(entry)),
        ("Changed", |entry| entry.kind == DiffKind::Changed && !is_closed(entry)),
        ("Moved", |entry| matches!(entry.kind, DiffKind::Moved(_)) && !is_closed(entry)),
        ("Removed", |entry| entry.kind == DiffKind::Removed),
    ];
    let mut parts = Vec::new();
    for (heading, belongs) in sections {
        let items: Vec<String> = entries.iter().filter(|entry| belongs(entry)).map(markdown_item).collect();
        if !items.is_empty() {
            parts.push(format!("### {heading}\n\n{}", items.join("\n")));
        }
    }
    if parts.is_empty() { "No issue is different.".to_owned() } else { parts.join("\n\n") }
}

/// It is closed, and was not.
fn is_closed(entry: &DiffEntry) -> bool {
    let closed = |change: &FieldChange| change.field == "status" && change.after.as_deref() == Some("\"closed\"");
    entry.kind != DiffKind::Removed && entry.fields.iter().any(closed)
}

fn markdown_item(entry: &DiffEntry) -> String {
    let line = entry.after.as_deref().or(entry.before.as_deref()).unwrap_or_default();
    let reason = entry.fields.iter().find(|change| change.field == "close_reason").and_then(|c| c.after.as_deref());
    let what = match &entry.kind {
        _ if is_closed(entry) => {
            reason.and_then(decode_string).map_or_else(String::new, |r| format!(": {}", markdown(&r)))
        }
        DiffKind::Changed => format!(": {}", markdown(&told_changes(&entry.fields).join("; "))),
        DiffKind::Moved(from) => format!(" (from {})", markdown(from)),
        DiffKind::Added | DiffKind::Removed => String::new(),
    };
    format!("- {} ({}){what}", markdown(&title(line)), markdown(&entry.id))
}

/// Text that Markdown shows as it is.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for c in inline(text).chars() {
        if "\\`*_[]<>|~#&".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// What was closed, for release notes: by type, the newest first.
pub fn changelog_markdown(closed: &[ClosedIssue]) -> String {
    let sections: [(&str, &[&str]); 2] = [("Features", &["feature", "epic"]), ("Fixes", &["bug"])];
    let kind =
        |one: &ClosedIssue| sections.iter().position(|(_, types)| types.contains(&one.issue.issue_type.as_str()));
    let mut parts = Vec::new();
    for (n, heading) in sections.iter().map(|(heading, _)| *heading).chain(["Other"]).enumerate() {
        let mine = closed.iter().filter(|one| kind(one).unwrap_or(sections.len()) == n);
        let items: Vec<String> = mine.map(|one| changelog_item(&one.issue)).collect();
        if !items.is_empty() {
            parts.push(format!("### {heading}\n\n{}", items.join("\n")));
        }
    }
    if parts.is_empty() { "Nothing was closed.".to_owned() } else { parts.join("\n\n") }
}

fn changelog_item(issue: &Issue) -> String {
    format!("- {} ({})", markdown(&issue.title), markdown(&issue.id))
}

pub fn changelog(closed: &[ClosedIssue]) -> String {
    array(closed.iter().map(|one| {
        let issue = &one.issue;
        Object::new()
            .text("id", &issue.id)
            .text("title", &issue.title)
            .text("issue_type", issue.issue_type.as_str())
            .number("priority", issue.priority.number())
            .optional("closed_at", issue.closed_at.as_ref().map(|time| time.text.as_str()))
            .optional("close_reason", issue.close_reason.as_deref())
            .text("source_repo", &one.source_repo)
            .finish()
    }))
}

/// Where an issue is found that has left the ledger.
pub fn past(past: &PastLine) -> String {
    Object::new()
        .raw("commit", &commit(&past.commit))
        .raw("removed_in", &optional(past.removed.as_ref()))
        .optional("called_now", past.called_now.as_deref())
        .finish()
}
