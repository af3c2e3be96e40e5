//! The contents of the ledgers.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Mutex;

use super::parts::{Read, Sources, Text, Texts, locked};
use crate::ledger::{Document, Expectation, Ledger, LedgerError, Stamp};
use crate::store::{Result, StoreError, missing};
use crate::sys::fs;
use crate::sys::fs::FileStamp;
use crate::vcs;

/// An issue that moves from a file read later to one read earlier would be in neither: several files are read
/// repeatedly until nothing has changed since the first was read. This is the maximum; a faster writer is not waited
/// for.
const MAX_PASSES: usize = 8;

impl Texts {
    pub(super) fn unread(count: usize) -> Self {
        let all = (0..count).map(|_| Text::default()).collect();
        Texts { all, image: None, loaded: Mutex::new(None), reads: 0, changed: 0 }
    }

    /// A ledger with past content.
    pub(super) fn frozen(&mut self, document: Document) -> Text {
        self.reads += 1;
        Text { read: Some(Read { document, stamp: Stamp::of_the_past(), version: self.reads }), ..Text::default() }
    }

    pub(super) fn documents(&self) -> impl Iterator<Item = &Document> {
        self.all.iter().filter_map(|text| text.read.as_ref()).map(|read| &read.document)
    }

    pub(super) fn document(&self, n: usize) -> Option<&Document> {
        self.all.get(n)?.read.as_ref().map(|read| &read.document)
    }

    pub(super) fn is_held(&self) -> bool {
        self.all.iter().any(|text| text.held.is_some())
    }

    /// Checks whether the ledgers are still those that were read, and reads changed ones.
    pub(super) fn bring_up_to_date(&mut self, sources: &Sources) -> Result<()> {
        self.changed = 0;
        if self.image.is_some() {
            if self.still_holds(sources) {
                return Ok(());
            }
            self.leave_image();
        }
        if self.load(sources) {
            return Ok(());
        }
        for _ in 0..MAX_PASSES {
            let before = self.changed;
            for n in 0..self.all.len() {
                self.bring_one(sources, n)?;
            }
            if self.changed == before || self.all.len() == 1 {
                break;
            }
        }
        Ok(())
    }

    /// The same for one of them.
    pub(super) fn bring_one(&mut self, sources: &Sources, n: usize) -> Result<()> {
        let Some(read) = self.look(sources, n)? else { return Ok(()) };
        self.changed += 1;
        let text = &mut self.all[n];
        if let Some(old) = text.read.replace(read).filter(|_| sources.index.has_result()) {
            locked(&text.indexed).get_or_insert(old.document);
        }
        Ok(())
    }

    /// Read the ledgers from now on.
    pub(super) fn leave_image(&mut self) {
        self.all.iter_mut().for_each(|text| text.read = None);
        (self.image, self.loaded) = (None, Mutex::new(None));
    }

    /// Reads a ledger if it has changed. Failure is an error for the primary; for another repo it is recorded as
    /// trouble, and the earlier content stays.
    fn look(&mut self, sources: &Sources, n: usize) -> Result<Option<Read>> {
        let (source, text) = (&sources.all[n], &mut self.all[n]);
        if source.frozen || text.held.is_some() {
            return Ok(None);
        }
        let path = source.ledger.path();
        // Waiting for a file that vanished takes seconds: do not repeat it while the file is still missing or empty.
        if let Some((then, StoreError::Ledger(LedgerError::Vanished { .. }))) = &text.trouble
            && then.is_none_or(|then| then.size == 0)
            && fs::stat(path).ok() == *then
        {
            return Ok(None);
        }
        let found = match &mut text.read {
            None => source.ledger.read(|| expected(path)).map(Some),
            Some(_) if text.stale => source.ledger.read(|| expected(path)).map(Some),
            Some(read) => {
                let known = !read.document.is_empty();
                let expectation = || if known { Expectation::Issues } else { expected(path) };
                match source.ledger.refresh(&mut read.stamp, &read.document, expectation) {
                    // If version control expects no issues in an empty file, it has none.
                    Err(LedgerError::Vanished { what: "empty", .. }) if expected(path) != Expectation::Issues => {
                        source.ledger.read(|| Expectation::Nothing).map(Some)
                    }
                    other => other,
                }
            }
        };
        match found {
            Ok(found) => {
                (text.trouble, text.stale) = (None, false);
                self.reads += u64::from(found.is_some());
                let version = self.reads;
                Ok(found.map(|found| Read { document: found.document, stamp: found.stamp, version }))
            }
            Err(error) => {
                let error = match error {
                    LedgerError::Missing { path } => missing(&path),
                    other => other.into(),
                };
                if source.member == 0 {
                    return Err(error);
                }
                text.trouble = Some((fs::stat(path).ok(), error));
                Ok(None)
            }
        }
    }
}

impl Sources {
    /// A ledger as read.
    pub(crate) fn read_of(&self, source: usize) -> Option<(&Document, &FileStamp)> {
        let read = self.texts().ok()?.all[source].read.as_ref()?;
        Some((&read.document, &read.stamp.file))
    }

    /// The stamp of the last read of a ledger.
    pub(crate) fn last_read(&self, source: usize) -> Option<FileStamp> {
        self.texts.last(|texts| texts.all[source].read.as_ref().map(|read| read.stamp.file))?
    }

    /// Every readable ledger.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (usize, &Ledger, &Document)> {
        let texts = self.texts().into_iter().flat_map(|texts| &texts.all);
        let both = self.all.iter().zip(texts);
        both.filter_map(|(source, text)| Some((source.member, &source.ledger, &text.read.as_ref()?.document)))
    }

    /// Every id on any line.
    pub(crate) fn ids(&self) -> Result<Vec<Cow<'_, str>>> {
        match self.texts()?.image {
            Some(_) => Ok(self.ask(|cache| cache.all_ids())?.into_iter().map(Cow::Owned).collect()),
            None => Ok(self.documents().flat_map(|(.., document)| document.ids()).collect()),
        }
    }

    /// Why an open ledger could not be read when needed: answers since then are invalid.
    pub(crate) fn failed_read(&self) -> Option<LedgerError> {
        let failed = self.texts.known()?.documents().find_map(Document::failure);
        failed.map(|error| LedgerError::from(error.clone()))
    }
}

/// The content that version control expects in a missing or empty file.
pub(in crate::store) fn expected(path: &Path) -> Expectation {
    if vcs::committed_size(path).is_some_and(|size| size > 0) {
        Expectation::Issues
    } else if vcs::is_busy(path) {
        Expectation::Rewriting
    } else {
        Expectation::Nothing
    }
}
