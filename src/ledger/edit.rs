//! Edits of a document's lines, and the resulting text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::document::Document;
use super::markers::Parts;
use super::pieces::Pieces;
use super::text::BOM;

/// An edit of a document's lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// New text for the line that holds this issue.
    Set { line: usize, id: String, text: String },
    /// A new line, placed by its id if the file is sorted, else at the end.
    Insert { id: String, text: String },
    /// Removes a line: a damaged one that was stored elsewhere, or a copy that was joined with another.
    Remove { line: usize },
    /// Sorts the lines by id.
    Sort,
    /// Drops carriage returns and a byte order mark.
    Normalise,
    /// The whole text of a conflicted file, merged. Always the only edit.
    Resolve {
        text: Vec<u8>,
        /// The versions that it was merged from, if version control keeps them.
        kept: Option<Parts>,
    },
}

/// An issue before and after a write; `None` where it does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    pub id: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl Document {
    /// A document with these edits.
    pub fn edited(&self, edits: &[Edit]) -> Document {
        render(self, edits).joined()
    }

    /// Applies edits to the document in memory, before they are written. Returns the affected lines.
    pub fn plan_edits(&mut self, edits: Vec<Edit>) -> Vec<usize> {
        let mut plan = |edit| match edit {
            Edit::Set { line, text, .. } => Some(self.plan(Some(line), text)),
            Edit::Insert { text, .. } => Some(self.plan(None, text)),
            Edit::Remove { .. } | Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => None,
        };
        edits.into_iter().filter_map(&mut plan).collect()
    }
}

/// The issues that edits name, before and after. Only when lines are removed can an id be on more lines than its edit
/// shows.
pub(super) fn changes<'n>(old: &Document, new: impl FnOnce() -> &'n Document, edits: &[Edit]) -> Vec<LineChange> {
    if !edits.iter().any(|edit| matches!(edit, Edit::Remove { .. } | Edit::Resolve { .. })) {
        let change = |edit: &Edit| {
            let (id, before, after) = match edit {
                Edit::Set { line, id, text: after } => (id, Some(old.line_text(*line)), after),
                Edit::Insert { id, text: after } => (id, None, after),
                Edit::Remove { .. } | Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => return None,
            };
            Some(LineChange { id: id.clone(), before, after: Some(after.clone()) })
        };
        return edits.iter().filter_map(change).collect();
    }
    let new = new();
    let named: BTreeSet<String> = edits
        .iter()
        .flat_map(|edit| match edit {
            Edit::Set { id, .. } | Edit::Insert { id, .. } => vec![id.clone()],
            Edit::Remove { line } => {
                let id = old.record(*line).and_then(|record| record.string("id").map(Cow::into_owned));
                id.into_iter().collect()
            }
            Edit::Resolve { .. } => new.changed_ids(old).into_iter().collect(),
            Edit::Sort | Edit::Normalise => Vec::new(),
        })
        .collect();
    new.changes_among(old, named)
}

/// The text of a document after edits.
pub(super) fn render<'d>(document: &'d Document, edits: &[Edit]) -> Pieces<'d> {
    let mut out = Pieces::of(document);
    if let [Edit::Resolve { text, .. }] = edits {
        out.add(text, b"");
    } else if edits.iter().any(|edit| matches!(edit, Edit::Sort | Edit::Normalise)) {
        line_by_line(document, edits, &mut out);
    } else {
        in_place(document, edits, &mut out);
    }
    out
}

/// Changes lines, and leaves all others where they are.
fn in_place(document: &Document, edits: &[Edit], out: &mut Pieces<'_>) {
    let is_sorted = edits.iter().any(|edit| matches!(edit, Edit::Insert { .. })) && document.is_sorted();
    let mut steps: Vec<(usize, &Edit)> = Vec::new();
    for edit in edits {
        match edit {
            Edit::Set { line, .. } | Edit::Remove { line } => steps.push((*line, edit)),
            Edit::Insert { id, .. } => {
                steps.push((if is_sorted { document.place_for(id) } else { document.len() }, edit));
            }
            // Of all lines, and made afterwards, or never combined with others.
            Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => {}
        }
    }
    // New lines go before the line whose place they take, sorted by id.
    let new = |edit: &Edit| match edit {
        Edit::Insert { id, .. } => (false, Some(id.clone())),
        _ => (true, None),
    };
    steps.sort_by_cached_key(|(line, edit)| (*line, new(edit)));
    let size = document.bytes().len();
    let start = |line: usize| if line < document.len() { document.span(line).start } else { size };
    let (mut at, mut more, mut fewer) = (0, 0, 0);
    let keep = |out: &mut Pieces<'_>, range: Range<usize>| {
        // The file may consist of a byte order mark only.
        let ends_file = range.end == size && !range.is_empty() && !document.is_empty();
        out.keep(range);
        if ends_file && !document.ends_well() {
            out.add(b"", b"\n");
        }
    };
    for (line, edit) in steps {
        keep(out, at..start(line).max(at));
        at = at.max(start(line));
        match edit {
            Edit::Insert { id, text } => {
                out.place(id, line + more - fewer);
                out.add(text.as_bytes(), document.line_end());
                more += 1;
            }
            Edit::Set { id, text, .. } => {
                out.place(id, line + more - fewer);
                let end: &[u8] = if document.raw(line).ends_with(b"\r") { b"\r\n" } else { b"\n" };
                out.add(text.as_bytes(), end);
                at = start(line + 1);
            }
            _ => {
                at = start(line + 1);
                fewer += 1;
            }
        }
    }
    keep(out, at..size);
}

/// Sorts the lines, or changes their line ends, once all other edits are made.
fn line_by_line(document: &Document, edits: &[Edit], out: &mut Pieces<'_>) {
    let mut edited = Pieces::of(document);
    in_place(document, edits, &mut edited);
    let edited = edited.joined();
    let normalise = edits.contains(&Edit::Normalise);
    let mut order: Vec<usize> = (0..edited.len()).collect();
    if edits.contains(&Edit::Sort) {
        // Lines without an id keep their order, after those with one.
        order.sort_by_cached_key(|n| edited.id(*n).map_or((1, String::new()), |id| (0, id.into_owned())));
    }
    if edited.has_bom() && !normalise {
        out.add(BOM, b"");
    }
    for n in order {
        out.add(if normalise { edited.text(n) } else { edited.raw(n) }, b"\n");
    }
}
