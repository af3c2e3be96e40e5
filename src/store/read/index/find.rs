//! The lines of single issues, in the ledgers as read.

use std::borrow::Cow;

use super::parts::{Index, Row, Sources, Texts, locked};
use crate::cache::{Cache, Key};
use crate::ledger::Document;
use crate::model::proposal;
use crate::model::record::Record;
use crate::store::Result;

impl Sources {
    /// Asks the image that replaces the ledgers, if there is one.
    fn ask_image<T>(&self, question: impl FnOnce(&Cache) -> crate::cache::Result<T>) -> Option<T> {
        let index = self.texts().ok()?.image.is_some().then(|| self.index().ok())??;
        question(&locked(&index.cache)).ok()
    }

    /// The key of the issue on a line.
    pub(crate) fn key_at(&self, source: usize, line: usize) -> Option<Key> {
        let index = self.index().ok()?;
        if index.image.is_some() {
            let id = self.texts().ok()?.document(source)?.id(line)?;
            return self.ask_image(|cache| cache.key_in(source, &id))?;
        }
        match index.rows.get(source)?.as_ref()?.1.get(line)? {
            Row::Issue(key) => Some(*key),
            Row::Damaged(_) | Row::Silent => None,
        }
    }

    /// The ledger that a change of an issue goes to: that of the first repo that has it. A rejected proposal counts
    /// only if there is nothing else.
    pub(crate) fn owner(&self, id: &str) -> Option<usize> {
        let holders = self.holders(id);
        let rejected = |n: &usize| self.line(*n, id).is_some_and(|line| is_rejected(&line));
        match holders.as_slice() {
            [] | [_] => holders.first().copied(),
            _ => holders.iter().find(|n| !rejected(n)).or(holders.first()).copied(),
        }
    }

    /// The line of an issue in one ledger.
    pub(crate) fn line(&self, source: usize, id: &str) -> Option<String> {
        let texts = self.texts().ok()?;
        if let Some(key) = self.ask_image(|cache| cache.key_in(source, id)).flatten()
            && let Ok(text) = self.text(key)
        {
            return Some(text.into_owned());
        }
        texts.line(source, id)
    }

    /// The ids in one ledger whose lines contain a text.
    pub(crate) fn ids_mentioning(&self, source: usize, text: &str) -> Vec<String> {
        let Some((document, _)) = self.read_of(source) else { return Vec::new() };
        let lines = (0..document.len()).filter(|n| memchr::memmem::find(document.text(*n), text.as_bytes()).is_some());
        lines.filter_map(|n| document.id(n).map(Cow::into_owned)).collect()
    }

    /// Every ledger that has an issue. Its companion does not count.
    pub(crate) fn holders(&self, id: &str) -> Vec<usize> {
        if let Some(found) = self.ask_image(|cache| cache.sources_of(id)) {
            return found;
        }
        let is_issue = |document: &Document, line: usize| !proposal::is_companion_line(document.text(line));
        let holds = |n: &usize| {
            let document = self.read_of(*n).map(|(document, _)| document);
            document.is_some_and(|document| document.effective(id).is_some_and(|line| is_issue(document, line)))
        };
        (0..self.all.len()).filter(holds).collect()
    }

    /// The line of a key.
    pub(crate) fn text(&self, key: Key) -> Result<Cow<'_, str>> {
        let (texts, index) = (self.texts()?, self.index()?);
        match index.image {
            Some((_, seed)) => self.loaded_text(texts, index, seed, key),
            None => Ok(index.text(texts, key)),
        }
    }

    /// Where the line of a key is: the ledger, and the line counted from 0.
    pub(crate) fn place(&self, key: Key) -> Result<(usize, usize)> {
        let index = self.index()?;
        Ok(match index.image {
            Some(_) => locked(&index.cache).line_place(key)?.map_or((0, 0), |place| (place.source, place.line)),
            None => (index.keys.places[key as usize].0 as usize, index.keys.places[key as usize].1 as usize),
        })
    }
}

impl Texts {
    /// The line of an issue in a ledger that was read.
    pub(super) fn line(&self, source: usize, id: &str) -> Option<String> {
        self.document(source)?.effective_line(id)
    }
}

impl Index {
    /// The line of a key, in a ledger that was read.
    pub(super) fn text<'t>(&self, texts: &'t Texts, key: Key) -> Cow<'t, str> {
        let (source, line) = self.keys.places[key as usize];
        let document = texts.document(source as usize);
        document.map_or(Cow::default(), |document| String::from_utf8_lossy(document.text(line as usize)))
    }
}

/// The line is a proposal that the maintainers rejected.
pub(crate) fn is_rejected(line: &str) -> bool {
    Record::parse(line).is_ok_and(|record| proposal::is_turned_down(&record))
}
