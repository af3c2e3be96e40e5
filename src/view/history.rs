//! The past, as programs and people read it.

use super::answer::{Any, answer, each, or_null};
use super::escape::inline;
use super::value::{change_text, is_bookkeeping, is_shown, value_text, winner};
use crate::model::difference::{ChangeKind, FieldChange};
use crate::model::issue::Issue;
use crate::model::json::decode_string;
use crate::model::record::Record;
use crate::model::when::Calendar;
use crate::ops::ClosedIssue;
use crate::store::{Blame, BlamedField, Commit, DiffEntry, DiffKind, Event, PastLine};

/// How many characters of a hash people see.
const SHORT: usize = 10;

pub fn short(commit: &Commit) -> &str {
    commit.id.get(..SHORT).unwrap_or(&commit.id)
}

answer! {
    pub(super) fn commit(commit: &Commit) {
        id: &commit.id, author: &commit.author, email: &commit.email,
        authored_at: commit.authored, committed_at: commit.committed, summary: &commit.summary,
    }

    fn field(change: &FieldChange) {
        field: &change.field, before: raw(&change.before), after: raw(&change.after), won: winner(change),
    }

    /// One change of an issue.
    pub fn event(event: &Event) {
        id: &event.id, title: title(&event.line), source_repo: &event.source_repo, change: event.kind.word(),
        turn: turn(&event.fields).map(Turn::word),
        commit: or_null(event.commit.as_ref().map(commit)), fields: each(&event.fields, field),
    }

    fn blamed(one: &BlamedField) {
        field: &one.field, value: raw(&one.value), commit: or_null(one.commit.as_ref().map(commit)),
        source_repo: &one.source_repo,
    }

    pub fn blame(blame: &Blame) {
        id: &blame.id, source_repo: &blame.source_repo, fields: each(&blame.fields, blamed),
        past: blame.past.as_ref().map(past),
    }

    fn difference(entry: &DiffEntry) {
        id: &entry.id, title: title(entry.after.as_ref().or(entry.before.as_ref()).map_or("", String::as_str)),
        source_repo: &entry.source_repo,
        moved_from: if let DiffKind::Moved(from) = &entry.kind { Some(from) } else { None },
        turn: turn(&entry.fields).map(Turn::word),
        fields: each(&entry.fields, field),
    }

    pub fn differences(entries: &[DiffEntry]) {
        added: each(entries.iter().filter(|one| one.kind == DiffKind::Added), difference),
        changed: each(entries.iter().filter(|one| one.kind == DiffKind::Changed), difference),
        moved: each(entries.iter().filter(|one| matches!(one.kind, DiffKind::Moved(_))), difference),
        removed: each(entries.iter().filter(|one| one.kind == DiffKind::Removed), difference),
    }

    /// An issue that was closed, for release notes.
    pub fn changelog(one: &ClosedIssue) {
        id: &one.issue.id, title: &one.issue.title, issue_type: &one.issue.issue_type, priority: one.issue.priority,
        closed_at: &one.issue.closed_at, close_reason: &one.issue.close_reason, source_repo: &one.source_repo,
    }

    /// Where to find an issue that has left the ledger.
    pub(super) fn past(past: &PastLine) {
        commit: commit(&past.commit), removed_in: or_null(past.removed.as_ref().map(commit)), called_now: &past.called_now,
    }
}

/// The raw value of a line.
fn raw(value: &Option<String>) -> Any {
    Any(value.clone().unwrap_or_else(|| "null".to_owned()))
}

fn title(line: &str) -> String {
    let found = Record::parse(line).ok().and_then(|record| record.string("title").map(|title| title.into_owned()));
    found.unwrap_or_default()
}

/// What happens to an issue as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Closed,
    Reopened,
    Deleted,
    Restored,
}

impl Turn {
    fn word(self) -> &'static str {
        match self {
            Turn::Closed => "closed",
            Turn::Reopened => "reopened",
            Turn::Deleted => "deleted",
            Turn::Restored => "restored",
        }
    }
}

/// The fields that say no more than the turn does.
const OF_A_TURN: [&str; 8] = [
    "status",
    "closed_at",
    "close_reason",
    "closed_by_session",
    "deleted_at",
    "deleted_by",
    "delete_reason",
    "original_type",
];

fn turn(fields: &[FieldChange]) -> Option<Turn> {
    let status = fields.iter().find(|change| change.field == "status")?;
    match (status.before.as_deref(), status.after.as_deref()) {
        (_, Some("\"tombstone\"")) => Some(Turn::Deleted),
        (Some("\"tombstone\""), Some(_)) => Some(Turn::Restored),
        (_, Some("\"closed\"")) => Some(Turn::Closed),
        (Some("\"closed\""), Some(_)) => Some(Turn::Reopened),
        _ => None,
    }
}

/// A turn and its reason, for people.
fn turn_text(turn: Turn, fields: &[FieldChange]) -> String {
    let given =
        |name: &str| fields.iter().find(|change| change.field == name)?.after.as_deref().and_then(decode_string);
    let reason = match turn {
        Turn::Closed => given("close_reason"),
        Turn::Deleted => given("delete_reason"),
        Turn::Reopened | Turn::Restored => None,
    };
    match reason.filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{}: {reason}", turn.word()),
        None => turn.word().to_owned(),
    }
}

/// What else changed in a turn. A merge says of every value who won.
fn beside_turn(fields: &[FieldChange]) -> Vec<FieldChange> {
    let of_turn = |change: &FieldChange| change.won.is_none() && OF_A_TURN.contains(&change.field.as_str());
    let is_left = |change: &&FieldChange| !of_turn(change) && !is_bookkeeping(&change.field);
    fields.iter().filter(is_left).cloned().collect()
}

/// The first line about a change: what happened to the issue.
pub fn event_text(event: &Event) -> String {
    let title = title(&event.line);
    let turn = turn(&event.fields).map(|turn| turn_text(turn, &event.fields));
    match (event.kind, turn) {
        (ChangeKind::Added, Some(turn)) => format!("{}  added: {title} ({turn})", event.id),
        (ChangeKind::Added, None) => format!("{}  added: {title}", event.id),
        (ChangeKind::Changed, Some(turn)) => format!("{}  {title} ({turn})", event.id),
        (ChangeKind::Changed, None) => format!("{}  {title}", event.id),
        (ChangeKind::Removed, _) => format!("{}  removed{}: {title}", event.id, was_closed(&event.line)),
    }
}

/// The fields to show below it.
pub fn event_changes(event: &Event, calendar: &Calendar) -> Vec<String> {
    changes_of(event.kind == ChangeKind::Changed, &event.fields, calendar)
}

fn changes_of(is_changed: bool, fields: &[FieldChange], calendar: &Calendar) -> Vec<String> {
    match turn(fields) {
        _ if !is_changed => Vec::new(),
        Some(_) => beside_turn(fields).iter().map(|change| change_text(change, Some(calendar))).collect(),
        None => shown_changes(fields, Some(calendar)),
    }
}

fn was_closed(line: &str) -> &'static str {
    let status = Record::parse(line).ok().and_then(|record| record.string("status").map(|word| word.into_owned()));
    if status.as_deref() == Some("closed") { " (it was closed)" } else { "" }
}

/// The informative changes of fields, or all if none is. With a calendar the text is for people: times are local, and a
/// rewrite without other changes is mentioned.
pub fn shown_changes(fields: &[FieldChange], calendar: Option<&Calendar>) -> Vec<String> {
    if calendar.is_some() && is_touched(fields) {
        return vec!["touched".to_owned()];
    }
    let some_shown = fields.iter().any(|change| is_shown(&change.field));
    let shown = fields.iter().filter(|change| !some_shown || is_shown(&change.field));
    shown.map(|change| change_text(change, calendar)).collect()
}

/// Only fields that change with every write have changed.
fn is_touched(fields: &[FieldChange]) -> bool {
    fields.iter().all(|change| is_bookkeeping(&change.field))
}

/// The informative differences, and the number of others.
pub fn shown_differences(entries: &[DiffEntry]) -> (Vec<&DiffEntry>, usize) {
    let is_shown = |entry: &&DiffEntry| entry.kind != DiffKind::Changed || !is_touched(&entry.fields);
    let shown: Vec<&DiffEntry> = entries.iter().filter(is_shown).collect();
    let others = entries.len() - shown.len();
    (shown, others)
}

/// The value given to a field, or that it was removed.
pub fn blamed_value(one: &BlamedField, calendar: &Calendar) -> String {
    value_text(&one.field, one.value.as_deref(), Some(calendar))
}

/// When an issue left the ledger.
pub fn departure(past: &PastLine) -> String {
    match (&past.called_now, &past.removed) {
        (Some(id), _) => renamed_text(&past.id, id),
        (None, Some(commit)) => format!("{} is not in the ledger any more: {} removed it", past.id, short(commit)),
        (None, None) => format!("{} is not in the ledger any more", past.id),
    }
}

/// An issue's new id.
pub fn renamed_text(old: &str, new: &str) -> String {
    format!("{old} is called {new} now")
}

/// A difference as text: a line about the issue, then one for each field.
pub fn difference_text(entry: &DiffEntry, calendar: &Calendar) -> Vec<String> {
    let (before, after) = (entry.before.as_deref().unwrap_or_default(), entry.after.as_deref().unwrap_or_default());
    let turn = turn(&entry.fields);
    let what = turn.map(|turn| format!(" ({})", turn_text(turn, &entry.fields))).unwrap_or_default();
    let head = match (&entry.kind, turn) {
        (DiffKind::Removed, _) => format!("- {}  {}{}", entry.id, title(before), was_closed(before)),
        (DiffKind::Moved(from), _) => {
            format!("> {}  {} (from {from} to {}){what}", entry.id, title(after), entry.source_repo)
        }
        (DiffKind::Added, Some(Turn::Deleted)) => format!("- {}  {} (added and deleted)", entry.id, title(after)),
        (_, Some(Turn::Deleted)) => format!("- {}  {}{what}", entry.id, title(after)),
        (DiffKind::Added, _) | (_, Some(Turn::Restored)) => format!("+ {}  {}{what}", entry.id, title(after)),
        (DiffKind::Changed, _) => format!("~ {}  {}{what}", entry.id, title(after)),
    };
    let is_changed = matches!(entry.kind, DiffKind::Changed | DiffKind::Moved(_)) && !entry.fields.is_empty();
    let fields = changes_of(is_changed, &entry.fields, calendar);
    std::iter::once(head).chain(fields.into_iter().map(|text| format!("    {text}"))).collect()
}

/// A heading, and its entries.
type Section = (&'static str, fn(&DiffEntry) -> bool);

/// The same as a list for a pull request, grouped by kind of change.
pub fn differences_markdown(entries: &[&DiffEntry], calendar: &Calendar) -> String {
    let sections: [Section; 6] = [
        ("Closed", is_closed),
        ("Added", |entry| entry.kind == DiffKind::Added && !is_closed(entry) && !is_deleted(entry)),
        ("Changed", |entry| entry.kind == DiffKind::Changed && !is_closed(entry) && !is_deleted(entry)),
        ("Moved", |entry| matches!(entry.kind, DiffKind::Moved(_)) && !is_closed(entry) && !is_deleted(entry)),
        ("Deleted", is_deleted),
        ("Removed", |entry| entry.kind == DiffKind::Removed),
    ];
    let mut parts = Vec::new();
    for (heading, belongs) in sections {
        let mine = entries.iter().filter(|entry| belongs(entry));
        let items: Vec<String> = mine.map(|entry| markdown_item(entry, calendar)).collect();
        if !items.is_empty() {
            parts.push(format!("### {heading}\n\n{}", items.join("\n")));
        }
    }
    if parts.is_empty() { "No issue is different.".to_owned() } else { parts.join("\n\n") }
}

/// It was closed in between.
fn is_closed(entry: &DiffEntry) -> bool {
    entry.kind != DiffKind::Removed && turn(&entry.fields) == Some(Turn::Closed)
}

/// It was deleted in between.
fn is_deleted(entry: &DiffEntry) -> bool {
    entry.kind != DiffKind::Removed && turn(&entry.fields) == Some(Turn::Deleted)
}

fn markdown_item(entry: &DiffEntry, calendar: &Calendar) -> String {
    let line = entry.after.as_deref().or(entry.before.as_deref()).unwrap_or_default();
    let reason = entry.fields.iter().find(|change| change.field == "close_reason").and_then(|c| c.after.as_deref());
    let what = match &entry.kind {
        _ if is_closed(entry) => {
            reason.and_then(decode_string).map_or_else(String::new, |r| format!(": {}", markdown(&r)))
        }
        _ if is_deleted(entry) => String::new(),
        DiffKind::Changed if turn(&entry.fields).is_some() => {
            turn(&entry.fields).map_or_else(String::new, |turn| format!(": {}", turn.word()))
        }
        DiffKind::Changed => format!(": {}", markdown(&shown_changes(&entry.fields, Some(calendar)).join("; "))),
        DiffKind::Moved(from) => format!(" (from {})", markdown(from)),
        DiffKind::Added | DiffKind::Removed => String::new(),
    };
    format!("- {} ({}){what}", markdown(&title(line)), markdown(&entry.id))
}

/// Escapes text for Markdown.
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

/// Closed issues, for release notes: by type, newest first.
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
