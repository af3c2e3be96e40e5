//! The lines of single issues, as the ledgers have them.

use std::borrow::Cow;

use crate::cache::Key;
use crate::store::{Result, Snapshot};

impl Snapshot {
    /// The ledger that a change of an issue goes to: that of the first repo that holds it. A rejected proposal counts only
    /// where there is nothing else.
    pub(in crate::store) fn owner(&self, id: &str) -> Option<usize> {
        self.sources.owner(id)
    }

    /// Every ledger that holds an issue. A companion of it is not the issue.
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

    /// The text of the line that a key stands for.
    pub(in crate::store) fn text_of(&self, key: Key) -> Result<Cow<'_, str>> {
        self.sources.text(key)
    }

    /// Where that line is: the ledger, and the line in it from 0.
    pub(in crate::store) fn place_of(&self, key: Key) -> Result<(usize, usize)> {
        self.sources.place(key)
    }

    /// Refuses what was found if a ledger that it was to come from could not be read.
    pub fn refuse_failed_read(&self) -> Result<()> {
        self.sources.failed_read().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Leaves nothing behind. Tells whether the answer comes soon, or the ledgers are larger than this together and must be read.
    pub fn glance(&mut self, most: u64) -> bool {
        self.sources.glance(most)
    }
}
