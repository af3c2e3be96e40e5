//! Loading an image instead of the ledgers: while they are unchanged, they are not read.

use std::borrow::Cow;
use std::sync::Mutex;

use super::super::fact::Fact;
use super::image::{Label, text_hash, whole_hash};
use super::parts::{Index, Read, Source, Sources, Texts, locked};
use crate::cache::{Cache, Key, LinePlace};
use crate::ledger::{LedgerError, Stamp};
use crate::model::record::Record;
use crate::store::{Result, StoreError};
use crate::sys::fs;

/// Up to this many lines are read one by one.
const MANY_LINES: usize = 1000;

impl Sources {
    /// Turns off making an image. Returns whether answers will be fast: from an image, or from ledgers no larger than
    /// this.
    pub(crate) fn glance(&mut self, most: u64) -> bool {
        self.leaves_no_image = true;
        let size = |source: &Source| fs::stat_link(source.ledger.path()).map_or(0, |stamp| stamp.size);
        let mut texts = Texts::unread(self.all.len());
        let is_soon = texts.load(self) || self.all.iter().map(size).sum::<u64>() <= most;
        self.texts = Fact::after(texts);
        is_soon
    }

    /// The index in the cache directory answers; the ledgers were not read.
    pub(crate) fn is_in_storage(&self) -> bool {
        self.texts.known().is_some_and(|texts| texts.image.is_some())
    }
}

impl Texts {
    /// Loads the image of the ledgers, if it matches. Only before they are read: later it is useless.
    pub(super) fn load(&mut self, sources: &Sources) -> bool {
        let is_unread = self.all.iter().all(|text| text.read.is_none() && text.trouble.is_none());
        is_unread && !self.all.is_empty() && self.try_load(sources).is_some()
    }

    fn try_load(&mut self, sources: &Sources) -> Option<()> {
        let place = sources.image.as_ref()?;
        let mut label = Label::load(place)?;
        if label.ledgers.len() != self.all.len() || !label.holds_in(|| sources.clock.calendar()) {
            return None;
        }
        let mut found = Vec::new();
        let mut renewed = false;
        for (source, known) in sources.all.iter().zip(&mut label.ledgers) {
            let read_at = fs::stamp_time();
            let (document, file) = source.ledger.open().ok()?;
            let hash = || {
                let hash = whole_hash(label.seed, &[document.bytes()]);
                document.failure().is_none().then_some(hash)
            };
            let path = source.ledger.path();
            renewed |= known.holds(path, (file, read_at), hash)?;
            found.push((document, Stamp::noted(known.file, known.read_at, path)));
        }
        let (cache, is_proven) = label.open(place)?;
        renewed |= is_proven;
        let pairs = cache.pairs().ok()?;
        let of = |wanted: bool| {
            pairs.iter().filter(move |(.., accepted)| *accepted == wanted).map(|(copy, shown, _)| (*copy, *shown))
        };
        let (proposed_copies, accepted) = (of(false).collect(), of(true).collect());
        if renewed && !sources.leaves_no_image {
            label.renew(place);
        }
        for (text, (document, stamp)) in self.all.iter_mut().zip(found) {
            self.reads += 1;
            text.read = Some(Read { document, stamp, version: self.reads });
        }
        let image = Some((label.id, label.seed));
        let index = Index { image, proposed_copies, accepted, ..Index::over(cache, self.all.len()) };
        (self.image, self.loaded) = (Some(label), Mutex::new(Some(index)));
        Some(())
    }

    /// The ledgers are still those of the image.
    pub(super) fn still_holds(&self, sources: &Sources) -> bool {
        self.documents().all(|document| document.failure().is_none())
            && sources.all.iter().zip(&self.all).all(|(source, text)| {
                let now = fs::stat_link(source.ledger.path());
                text.read.as_ref().is_some_and(|read| now.is_ok_and(|now| read.stamp.proves_unchanged(&now)))
            })
    }
}

/// Reads a single line whose place an image knows; `None` if it has changed.
fn read_at<'t>(texts: &'t Texts, seed: u64, place: LinePlace) -> Option<Cow<'t, str>> {
    let raw = texts.document(place.source)?.part(place.start, place.of.length as usize)?;
    let raw = (text_hash(seed, &raw) == place.of.hash).then_some(raw)?;
    let mut text = match raw {
        Cow::Borrowed(raw) => Cow::Borrowed(std::str::from_utf8(raw).ok()?),
        Cow::Owned(raw) => Cow::Owned(String::from_utf8(raw).ok()?),
    };
    if text.ends_with('\r') {
        text.to_mut().pop();
    }
    Some(text)
}

impl Sources {
    /// The line of a key in an image.
    pub(super) fn loaded_text<'t>(&self, texts: &'t Texts, index: &Index, seed: u64, key: Key) -> Result<Cow<'t, str>> {
        let place = locked(&index.cache).line_place(key)?;
        place.and_then(|place| read_at(texts, seed, place)).ok_or_else(|| {
            if let Some(error) = self.failed_read() {
                return StoreError::from(error);
            }
            // Another program is writing into the open file.
            let path = place.and_then(|place| self.all.get(place.source)).map(|source| source.ledger.path().to_owned());
            StoreError::from(LedgerError::Unstable { path: path.unwrap_or_default() })
        })
    }

    /// Announces how many lines will be needed: for many, reading the complete ledgers is cheaper.
    pub(crate) fn expect_lines(&self, count: usize) {
        if self.is_in_storage() && count > MANY_LINES {
            self.documents().for_each(|(_, _, document)| document.read_whole());
        }
    }

    /// Loads the texts needed by a search: from the file beside an image, which the first search makes, or into memory.
    pub(crate) fn bring_texts(&self) -> Result<()> {
        let (texts, index) = (self.texts()?, self.index()?);
        let mut cache = locked(&index.cache);
        if self.bring_file(texts, &mut cache).is_some() {
            return Ok(());
        }
        // From here on the database is in memory.
        let missing = cache.missing_texts()?;
        drop(cache);
        let lines =
            missing.into_iter().map(|key| Ok((key, self.text(key)?.into_owned()))).collect::<Result<Vec<_>>>()?;
        let parse = |line| Record::parse(line).expect("a key stands for a valid record");
        Ok(locked(&index.cache).insert_texts(lines.iter().map(|(key, line)| (*key, parse(line))))?)
    }

    fn bring_file(&self, texts: &Texts, cache: &mut Cache) -> Option<()> {
        let (label, place) = (texts.image.as_ref().filter(|_| cache.is_in_file())?, self.image.as_deref()?);
        let mut label = label.clone();
        if label.attach_texts(place, cache).is_some() {
            return Some(());
        }
        let seed = label.seed;
        let text = |key: Key| read_at(texts, seed, cache.line_place(key).ok()??).map(Cow::into_owned);
        if label.follow_texts(place, text).is_none() {
            let chunks = cache.chunks().ok()?;
            let mut lines: Vec<(Key, &[u8])> = Vec::new();
            for chunk in &chunks {
                let document = texts.document(chunk.source)?;
                let of = chunk.lines.iter().enumerate().filter(|(_, line)| line.key > 0);
                lines.extend(of.map(|(n, line)| (line.key, document.text(chunk.first + n))));
            }
            // An incomplete index would be kept.
            if self.failed_read().is_some() {
                return None;
            }
            let records = lines.into_iter().filter_map(|(key, text)| {
                let text = std::str::from_utf8(text).ok()?;
                Some((key, Record::parse(text).ok()?))
            });
            label.save_texts(place, cache, records)?;
        }
        label.attach_texts(place, cache)
    }
}
