//! The lines of single issues: in the ledgers as last read, or in the image that is asked instead.

use std::borrow::Cow;

use super::{Row, Source, Sources, is_rejected};
use crate::cache::{Cache, Key};
use crate::ledger::Document;
use crate::model::proposal;
use crate::store::Result;

impl Sources {
    /// The handle of the issue on a line.
    pub fn key_at(&self, cache: &Cache, source: usize, line: usize) -> Option<Key> {
        let read = self.all[source].read.as_ref()?;
        if self.asked.is_some() {
            return cache.key_in(source, &read.document.id(line)?).ok()?;
        }
        match read.rows()?.get(line)? {
            Row::Issue(key) => Some(*key),
            Row::Damaged(_) | Row::Silent => None,
        }
    }

    /// The ledger that a change of an issue goes to: that of the first repo that holds it. A rejected proposal counts only
    /// where there is nothing else.
    pub fn owner(&self, cache: &Cache, id: &str) -> Option<usize> {
        let holders = self.holders(cache, id);
        let rejected = |n: &usize| self.line(cache, *n, id).is_some_and(|line| is_rejected(&line));
        match holders.as_slice() {
            [] | [_] => holders.first().copied(),
            _ => holders.iter().find(|n| !rejected(n)).or(holders.first()).copied(),
        }
    }

    /// The line of an issue in one ledger, as last read.
    pub fn line(&self, cache: &Cache, source: usize, id: &str) -> Option<String> {
        self.asked_line(cache, source, id).or_else(|| self.read_line(source, id))
    }

    /// The same in a ledger that was read.
    pub(super) fn read_line(&self, source: usize, id: &str) -> Option<String> {
        let document = &self.all[source].read.as_ref()?.document;
        let line = document.effective(id)?;
        Some(String::from_utf8_lossy(document.text(line)).into_owned())
    }

    /// The ids in one ledger whose lines hold a text.
    pub fn ids_mentioning(&self, source: usize, text: &str) -> Vec<String> {
        let Some(read) = &self.all[source].read else { return Vec::new() };
        let document = &read.document;
        let lines = (0..document.len()).filter(|n| memchr::memmem::find(document.text(*n), text.as_bytes()).is_some());
        lines.filter_map(|n| document.id(n).map(Cow::into_owned)).collect()
    }

    /// Every ledger that holds an issue. A companion of it is not the issue.
    pub fn holders(&self, cache: &Cache, id: &str) -> Vec<usize> {
        if let Some(found) = self.asked.as_ref().and_then(|_| cache.sources_of(id).ok()) {
            return found;
        }
        let is_issue = |document: &Document, line: usize| !proposal::is_companion_line(document.text(line));
        let holds = |source: &Source| {
            let document = source.read.as_ref().map(|read| &read.document);
            document.is_some_and(|document| document.effective(id).is_some_and(|line| is_issue(document, line)))
        };
        (0..self.all.len()).filter(|n| holds(&self.all[*n])).collect()
    }

    /// The text of the line that a key stands for.
    pub fn text(&self, cache: &Cache, key: Key) -> Result<Cow<'_, str>> {
        if self.asked.is_some() { self.asked_text(cache, key) } else { Ok(self.read_text(key)) }
    }

    /// The same in a ledger that was read.
    pub(super) fn read_text(&self, key: Key) -> Cow<'_, str> {
        let (source, line) = self.places[key as usize];
        match &self.all[source as usize].read {
            Some(read) => String::from_utf8_lossy(read.document.text(line as usize)),
            None => Cow::default(),
        }
    }

    /// Where the line of a key is: the ledger, and the line in it from 0.
    pub fn place(&self, cache: &Cache, key: Key) -> Result<(usize, usize)> {
        Ok(match self.asked {
            Some(_) => cache.line_place(key)?.map_or((0, 0), |place| (place.source, place.line)),
            None => (self.places[key as usize].0 as usize, self.places[key as usize].1 as usize),
        })
    }
}
