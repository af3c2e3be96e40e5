//! The edits that are planned for one ledger. Whatever gets in here was let through by every guard of lines.

use super::asked::Asked;
use super::guards;
use super::intent::{Intent, WriteError};
use crate::ledger::{Document, Edit, Ledger};
use crate::store::Store;

/// A plan for one ledger, on the document that was just read.
#[derive(Debug)]
pub struct Draft<'a> {
    store: &'a Store,
    /// `None` for a ledger that is none of the project's: there are no claims on its issues.
    source: Option<usize>,
    ledger: &'a Ledger,
    document: &'a Document,
    edits: Vec<Edit>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(store: &'a Store, ledger: &'a Ledger, document: &'a Document) -> Self {
        Draft { store, source: store.sources.find(ledger), ledger, document, edits: Vec::new() }
    }

    /// The ledger as it is on disk.
    pub fn document(&self) -> &'a Document {
        self.document
    }

    /// Takes an edit into the plan, in the place of an earlier one of the same line, unless a guard refuses it.
    pub(in crate::store) fn push(&mut self, intent: Intent, edit: Edit) -> Result<(), WriteError> {
        let text = |line: usize| std::str::from_utf8(self.document.text(line)).ok();
        let of_line = |line: usize| self.document.record(line).and_then(|record| record.string("id"));
        let (id, before, after) = match &edit {
            Edit::Set { line, id, text: after } => (Some(id.into()), text(*line), Some(after.as_str())),
            Edit::Insert { id, text: after } => (Some(id.into()), None, Some(after.as_str())),
            Edit::Remove { line } => (of_line(*line), text(*line), None),
            Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => (None, None, None),
        };
        if let (Some(source), Some(id)) = (self.source, &id) {
            let Draft { store, ledger, document, .. } = *self;
            guards::ask(&Asked { store, intent, source, ledger, document, edit: &edit, id, before, after })?;
        }
        self.edits.retain(|earlier| !is_same_line(earlier, &edit));
        self.edits.push(edit);
        Ok(())
    }

    /// The same for several edits that belong together.
    pub(in crate::store) fn carry(&mut self, edits: impl IntoIterator<Item = Edit>) -> Result<(), WriteError> {
        edits.into_iter().try_for_each(|edit| self.push(Intent::Carry, edit))
    }

    /// The text that a line gets.
    pub(super) fn pending(&self, line: usize) -> Option<&str> {
        self.edits.iter().find_map(|edit| match edit {
            Edit::Set { line: at, text, .. } if *at == line => Some(text.as_str()),
            _ => None,
        })
    }

    pub(super) fn inserts(&self, id: &str) -> bool {
        self.edits.iter().any(|edit| matches!(edit, Edit::Insert { id: other, .. } if other == id))
    }

    pub(super) fn into_edits(self) -> Vec<Edit> {
        self.edits
    }
}

/// The last of several texts for one line, or for one new id, stands.
fn is_same_line(one: &Edit, other: &Edit) -> bool {
    match (one, other) {
        (Edit::Set { line: one, .. }, Edit::Set { line: other, .. }) => one == other,
        (Edit::Insert { id: one, .. }, Edit::Insert { id: other, .. }) => one == other,
        _ => false,
    }
}
