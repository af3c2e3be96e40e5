//! Reads records of state homes, and warns about unreadable ones.

use std::path::Path;

use crate::ledger::Document;
use crate::store::state::damage::{DamagedRecord, damaged};
use crate::store::{Project, RecordError, RecordFile, Warning};

impl Project {
    /// Reads records, and keeps a warning about unreadable ones.
    pub fn records(&self, file: &RecordFile) -> std::result::Result<Document, RecordError> {
        let document = file.read()?;
        self.note_damage(file.path(), &document);
        file.unread().into_iter().for_each(|(path, what)| self.notices.add(Warning::Outbox { path, what }));
        Ok(document)
    }

    pub(in crate::store) fn note_damage(&self, path: &Path, document: &Document) {
        for DamagedRecord { path, line, what, .. } in damaged(path, document) {
            self.notices.add(Warning::Record { path, line, what });
        }
    }
}
