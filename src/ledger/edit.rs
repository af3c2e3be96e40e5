//! Changes to the lines of a document, and the text that they make of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::document::Document;
use super::markers::Parts;

/// A change to the lines of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// New text for the line that holds this issue.
    Set { line: usize, id: String, text: String },
    /// A new line, placed by its id if the file is sorted, else at the end.
    Insert { id: String, text: String },
    /// Takes a line out: a damaged one that was put elsewhere, or a copy that was joined with another.
    Remove { line: usize },
    /// Puts the lines into the order of their ids.
    Sort,
    /// Drops carriage returns and a byte order mark.
    Normalise,
    /// The whole text of a conflicted file, merged. Goes alone.
    Resolve {
        text: Vec<u8>,
        /// The versions that it was merged from, where version control keeps them.
        kept: Option<Parts>,
    },
}

/// An issue before and after a write; without a line where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    pub id: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl Document {
    /// Lets lines say what edits make of them, before that is written. Gives the lines.
    pub fn plan_edits(&mut self, edits: Vec<Edit>) -> Vec<usize> {
        let mut plan = |edit| match edit {
            Edit::Set { line, text, .. } => Some(self.plan(Some(line), text)),
            Edit::Insert { text, .. } => Some(self.plan(None, text)),
            Edit::Remove { .. } | Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => None,
        };
        edits.into_iter().filter_map(&mut plan).collect()
    }
}

/// The issues that edits name, before and after. Only where lines go can an id stand on more lines than its edit tells.
pub(super) fn changes(old: &Document, new: &Document, edits: &[Edit]) -> Vec<LineChange> {
    let text = |document: &Document, line: usize| String::from_utf8_lossy(document.text(line)).into_owned();
    if !edits.iter().any(|edit| matches!(edit, Edit::Remove { .. } | Edit::Resolve { .. })) {
        let change = |edit: &Edit| {
            let (id, before, after) = match edit {
                Edit::Set { line, id, text: after } => (id, Some(text(old, *line)), after),
                Edit::Insert { id, text: after } => (id, None, after),
                Edit::Remove { .. } | Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => return None,
            };
            Some(LineChange { id: id.clone(), before, after: Some(after.clone()) })
        };
        return edits.iter().filter_map(change).collect();
    }
    let named: BTreeSet<String> = edits
        .iter()
        .flat_map(|edit| match edit {
            Edit::Set { id, .. } | Edit::Insert { id, .. } => vec![id.clone()],
            Edit::Remove { line } => {
                let id = old.record(*line).and_then(|record| record.string("id").map(Cow::into_owned));
                id.into_iter().collect()
            }
            Edit::Resolve { .. } => old.ids().chain(new.ids()).map(Cow::into_owned).collect(),
            Edit::Sort | Edit::Normalise => Vec::new(),
        })
        .collect();
    let (before, after) = (old.effective_among(&named), new.effective_among(&named));
    let line_of =
        |document: &Document, lines: &HashMap<String, usize>, id: &str| lines.get(id).map(|line| text(document, *line));
    let change = |id: String| LineChange { before: line_of(old, &before, &id), after: line_of(new, &after, &id), id };
    named.into_iter().map(change).filter(|change| change.before != change.after).collect()
}

/// The text that edits make of a document.
pub(super) fn render(document: &Document, edits: &[Edit]) -> Vec<u8> {
    if let [Edit::Resolve { text, .. }] = edits {
        return text.clone();
    }
    let mut set: BTreeMap<usize, &str> = BTreeMap::new();
    let mut removed = BTreeSet::new();
    let mut inserted: Vec<(&str, &str)> = Vec::new();
    let (mut sort, mut normalise) = (false, false);
    for edit in edits {
        match edit {
            Edit::Set { line, text, .. } => drop(set.insert(*line, text)),
            Edit::Insert { id, text } => inserted.push((id, text)),
            Edit::Remove { line } => drop(removed.insert(*line)),
            Edit::Sort => sort = true,
            Edit::Normalise => normalise = true,
            // Never among others; the gate sees that nothing came of it.
            Edit::Resolve { .. } => {}
        }
    }
    inserted.sort();
    let sorted = sort || inserted.is_empty() || document.is_sorted();
    let mut order: Vec<usize> = (0..document.len()).filter(|n| !removed.contains(n)).collect();
    if sort {
        // Lines without an id keep their order, after those with one.
        order.sort_by_cached_key(|n| document.id(*n).map_or((1, String::new()), |id| (0, id.into_owned())));
    }
    let end = if normalise { &b"\n"[..] } else { document.line_end() };
    let mut out = Vec::with_capacity(document.bytes().len() + inserted.iter().map(|(_, t)| t.len() + 2).sum::<usize>());
    if document.has_bom() && !normalise {
        out.extend_from_slice(&document.bytes()[..3]);
    }
    let mut waiting = inserted.into_iter().peekable();
    let last_with_id = order.iter().rposition(|n| document.id(*n).is_some());
    for (place, n) in order.iter().enumerate() {
        if sorted && waiting.peek().is_some() {
            let id = document.id(*n);
            while waiting.peek().is_some_and(|(new, _)| id.as_deref().is_some_and(|id| *new < id)) {
                push(&mut out, waiting.next().map_or("", |(_, text)| text).as_bytes(), end);
            }
        }
        let raw = document.raw(*n);
        let cr = raw.ends_with(b"\r") && !normalise;
        match set.get(n) {
            Some(text) => push(&mut out, text.as_bytes(), if cr { b"\r\n" } else { b"\n" }),
            None if normalise => push(&mut out, document.text(*n), b"\n"),
            None => push(&mut out, raw, b"\n"),
        }
        if sorted && Some(place) == last_with_id {
            for (_, text) in waiting.by_ref() {
                push(&mut out, text.as_bytes(), end);
            }
        }
    }
    for (_, text) in waiting {
        push(&mut out, text.as_bytes(), end);
    }
    out
}

fn push(out: &mut Vec<u8>, text: &[u8], end: &[u8]) {
    out.extend_from_slice(text);
    out.extend_from_slice(end);
}
