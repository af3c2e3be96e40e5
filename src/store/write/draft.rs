//! The planned edits of one ledger. Every edit in a draft has passed every guard of lines.

use std::collections::HashMap;

use super::guard_input::GuardedEdit;
use super::guards;
use super::intent::{Intent, WriteError};
use crate::ledger::{Document, Edit, Ledger};
use crate::store::Store;

/// The plan for one ledger, based on the document that was just read.
#[derive(Debug)]
pub struct Draft<'a> {
    store: &'a Store,
    /// `None` for a ledger outside the project: there are no claims on its issues.
    source: Option<usize>,
    ledger: &'a Ledger,
    document: &'a Document,
    edits: Vec<Edit>,
    /// The edit of each line or new issue.
    places: HashMap<Spot, usize>,
}

/// The line or new issue that an edit is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Spot {
    Line(usize),
    New(String),
}

impl<'a> Draft<'a> {
    pub(super) fn new(store: &'a Store, ledger: &'a Ledger, document: &'a Document) -> Self {
        Draft { store, source: store.sources.find(ledger), ledger, document, edits: Vec::new(), places: HashMap::new() }
    }

    /// The ledger as it is on disk.
    pub fn document(&self) -> &'a Document {
        self.document
    }

    /// Adds an edit, replacing an earlier one of the same line, unless a guard refuses it.
    pub(in crate::store) fn push(&mut self, intent: Intent, edit: Edit) -> Result<(), WriteError> {
        // This change includes what is already planned for the line.
        let text = |line: usize| self.document.text_in_file(line).and_then(|text| std::str::from_utf8(text).ok());
        let of_line = |line: usize| self.document.record(line).and_then(|record| record.string("id"));
        let (id, before, after) = match &edit {
            Edit::Set { line, id, text: after } => (Some(id.into()), text(*line), Some(after.as_str())),
            Edit::Insert { id, text: after } => (Some(id.into()), None, Some(after.as_str())),
            Edit::Remove { line } => (of_line(*line), text(*line), None),
            Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => (None, None, None),
        };
        if let (Some(source), Some(id)) = (self.source, &id) {
            let Draft { store, ledger, document, .. } = *self;
            guards::ask(&GuardedEdit { store, intent, source, ledger, document, edit: &edit, id, before, after })?;
        }
        let spot = match &edit {
            Edit::Set { line, .. } => Some(Spot::Line(*line)),
            Edit::Insert { id, .. } => Some(Spot::New(id.clone())),
            Edit::Remove { .. } | Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => None,
        };
        // Of several texts for one line or new id, the last wins.
        match spot.as_ref().and_then(|spot| self.places.get(spot)) {
            Some(at) => self.edits[*at] = edit,
            None => {
                self.places.extend(spot.map(|spot| (spot, self.edits.len())));
                self.edits.push(edit);
            }
        }
        Ok(())
    }

    /// The same for several edits that belong together.
    pub(in crate::store) fn carry(&mut self, edits: impl IntoIterator<Item = Edit>) -> Result<(), WriteError> {
        edits.into_iter().try_for_each(|edit| self.push(Intent::Carry, edit))
    }

    /// Where an issue is, in the file or among the new ones, and its text so far.
    pub(super) fn find(&self, id: &str) -> Option<(Spot, Option<&str>)> {
        let spot = match self.document.effective(id) {
            Some(line) => Spot::Line(line),
            None if self.inserts(id) => Spot::New(id.to_owned()),
            None => return None,
        };
        let text = self.places.get(&spot).and_then(|at| match &self.edits[*at] {
            Edit::Set { text, .. } | Edit::Insert { text, .. } => Some(text.as_str()),
            _ => None,
        });
        Some((spot, text))
    }

    pub(super) fn inserts(&self, id: &str) -> bool {
        self.places.contains_key(&Spot::New(id.to_owned()))
    }

    pub(super) fn into_edits(self) -> Vec<Edit> {
        self.edits
    }
}
