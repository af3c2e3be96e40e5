//! The lines of single issues in the ledgers.

use std::borrow::Cow;

use crate::cache::Key;
use crate::store::{Result, Snapshot};

impl Snapshot {
    /// The ledger that a change of an issue goes to: that of the first repo that has it. A rejected proposal counts
    /// only if there is nothing else.
    pub(in crate::store) fn owner(&self, id: &str) -> Option<usize> {
        self.sources.owner(id)
    }

    /// Every ledger that has an issue. Its companion does not count.
    pub(in crate::store) fn holders(&self, id: &str) -> Vec<usize> {
        self.sources.holders(id)
    }

    /// The line of an issue in one ledger.
    pub(in crate::store) fn line_in(&self, source: usize, id: &str) -> Option<String> {
        self.sources.line(source, id)
    }

    /// Every id on any line.
    pub(in crate::store) fn ids(&self) -> Result<Vec<Cow<'_, str>>> {
        self.sources.ids()
    }

    /// The line of a key.
    pub(in crate::store) fn text_of(&self, key: Key) -> Result<Cow<'_, str>> {
        self.sources.text(key)
    }

    /// Where that line is: the ledger, and the line counted from 0.
    pub(in crate::store) fn place_of(&self, key: Key) -> Result<(usize, usize)> {
        self.sources.place(key)
    }

    /// Refuses a result if a ledger that it depends on could not be read.
    pub fn refuse_failed_read(&self) -> Result<()> {
        self.sources.failed_read().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Turns off making an image. Returns whether the answer will be fast; if not, ledgers larger than this in total
    /// must be read.
    pub fn glance(&mut self, most: u64) -> bool {
        self.sources.glance(most)
    }
}
