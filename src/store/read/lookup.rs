//! The lines of single issues, wherever they are known from: the ledgers as last read, or the image that is asked instead.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::cache::Key;
use crate::store::{Result, View};

impl View {
    /// The ledger that a change of an issue goes to: that of the first repo that holds it. A rejected proposal counts only
    /// where there is nothing else.
    pub(in crate::store) fn owner(&self, id: &str) -> Option<usize> {
        self.sources.owner(&self.cache, id)
    }

    /// Every ledger that holds an issue. A companion of it is not the issue.
    pub(in crate::store) fn holders(&self, id: &str) -> Vec<usize> {
        self.sources.holders(&self.cache, id)
    }

    /// The line of an issue in one ledger.
    pub(in crate::store) fn line_in(&self, source: usize, id: &str) -> Option<String> {
        self.sources.line(&self.cache, source, id)
    }

    /// Every id on any line.
    pub(in crate::store) fn ids(&self) -> Result<Vec<Cow<'_, str>>> {
        match self.cache.is_in_file() {
            true => Ok(self.cache.all_ids()?.into_iter().map(Cow::Owned).collect()),
            false => Ok(self.sources.ids()),
        }
    }

    /// The text of the line that a key stands for.
    pub(in crate::store) fn text_of(&self, key: Key) -> Result<Cow<'_, str>> {
        self.sources.text(&self.cache, key)
    }

    /// Where that line is: the ledger, and the line in it from 0.
    pub(in crate::store) fn place_of(&self, key: Key) -> Result<(usize, usize)> {
        self.sources.place(&self.cache, key)
    }

    /// Removes the image of the cache if it is not what its label says; the next reader makes another. Gives its path.
    pub fn drop_torn_image(&self) -> Option<PathBuf> {
        self.sources.drop_torn_image()
    }

    /// Removes the image that this answer was to come from; tells whether there was one.
    pub fn give_up_image(&self) -> bool {
        self.sources.give_up_image()
    }

    /// Refuses what was found if a ledger that it was to come from could not be read.
    pub fn refuse_failed_read(&self) -> Result<()> {
        self.sources.failed_read().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Only one answer is wanted: what was read for it holds until then.
    pub fn ask_once(&mut self) {
        self.sources.ask_once();
    }

    /// The same, without leaving an image. Tells whether the answer comes soon: an image has it, or the ledgers are not larger
    /// than this together.
    pub fn glance(&mut self, most: u64) -> bool {
        self.sources.glance(most, &mut self.cache)
    }
}
