//! The lines of single issues in the ledgers.

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

    /// Refuses a result if a ledger that it depends on could not be read.
    pub fn refuse_failed_read(&self) -> Result<()> {
        self.sources.failed_read().map_or(Ok(()), |error| Err(error.into()))
    }
}
