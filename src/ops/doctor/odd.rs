//! Values in a form that is not understood, and that would be ignored silently.

use std::collections::BTreeMap;

use super::health::Report;
use crate::ledger::{Document, Line};
use crate::model::odd::odd_values;
use crate::model::proposal;
use crate::ops::Result;
use crate::store::Store;

/// How many issues to name for each kind of value.
const NAMED: usize = 10;
/// The maximum length of a value shown.
const MAX_SHOWN: usize = 40;

/// The issues of one ledger with one kind of odd value: the line of the first, and the value of each.
struct Found {
    line: usize,
    issues: Vec<String>,
}

/// Reports, for each ledger and field, the issues whose value cannot be read.
pub(in crate::ops) fn check_values(store: &mut Store, report: &mut Report) -> Result<()> {
    store.look_again()?;
    for (_, ledger, document) in store.documents() {
        for ((key, is_read), Found { line, issues }) in odd(document) {
            let (what, remedy) = words(key, is_read);
            let named: Vec<&str> = issues.iter().take(NAMED).map(String::as_str).collect();
            let more = match issues.len() - named.len() {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            report.warn(format!("{key} {what}: {}{more}", named.join(", "))).in_line(ledger.path(), line).with(remedy);
        }
    }
    Ok(())
}

/// By field, and by whether the value counts.
fn odd(document: &Document) -> BTreeMap<(&'static str, bool), Found> {
    let mut found: BTreeMap<(&'static str, bool), Found> = BTreeMap::new();
    for n in 0..document.len() {
        let Line::Issue(record) = document.line(n) else { continue };
        if proposal::is_companion_line(document.text(n)) {
            continue;
        }
        for odd in odd_values(&record) {
            let id = record.string("id").unwrap_or_default();
            let one = found.entry((odd.key, odd.is_read)).or_insert(Found { line: n + 1, issues: Vec::new() });
            one.issues.push(format!("{id} ({})", shown(odd.raw)));
        }
    }
    found
}

fn shown(raw: &str) -> String {
    match raw.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &raw[..end]),
        None => raw.to_owned(),
    }
}

/// The problem with a field's value, and its consequence; and the remedy.
fn words(key: &str, is_read: bool) -> (&'static str, &'static str) {
    const BY_HAND: &str = "correct the value in the file; docs/format.md lists the forms that are read";
    match key {
        "due_at" => ("is not a date, so these issues have no due date", "run `bd update ID --due DATE`"),
        "defer_until" => (
            "is not a date, so these issues stay deferred",
            "run `bd update ID --defer DATE`, or `bd defer ID --clear` to work on it now",
        ),
        "updated_at" => ("is not a time, so these lines count as older than any other version", BY_HAND),
        "labels" if is_read => {
            ("is a text, which counts as one label; it should be a list", "run `bd update ID --set-labels LABEL,LABEL`")
        }
        "labels" => ("has something that is not a label and does not count", BY_HAND),
        "dependencies" => (
            "has something that is not a dependency and blocks nothing",
            "take it out of the file, then run `bd dep add ID TARGET`",
        ),
        "comments" => ("has something that is not a comment and is not shown", BY_HAND),
        _ => ("is not a time and does not count", BY_HAND),
    }
}
