//! An image in the place of the ledgers: as long as they are what it was made from, nobody reads them.

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{Duration, Instant as Moment};

use super::super::image::{Label, text_hash, whole_hash};
use super::{Mirror, Read, Sources};
use crate::cache::{Cache, Key};
use crate::ledger::{LedgerError, Stamp};
use crate::model::record::Record;
use crate::store::{Result, StoreError};
use crate::sys::fs;

/// So many lines are read one by one.
const MANY_LINES: usize = 1000;

/// Who takes longer over one answer looks closely again.
const ONE_ANSWER: Duration = Duration::from_secs(1);

impl Sources {
    /// One answer is wanted.
    pub fn ask_once(&mut self) {
        self.once = Some(Moment::now());
    }

    /// Wants one answer and leaves no image. Tells whether it comes soon: from an image, or from ledgers no larger than this.
    pub fn glance(&mut self, most: u64, cache: &mut Cache) -> bool {
        self.ask_once();
        self.leaves_no_image = true;
        let size = |source: &super::Source| fs::stat_link(source.ledger.path()).map_or(0, |stamp| stamp.size);
        self.ask(cache) || self.all.iter().map(size).sum::<u64>() <= most
    }

    /// The image stands in the place of the ledgers.
    pub fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// Removes the image that is asked, or that rows were taken from: what it says does not fit the ledgers. Tells whether there was
    /// one.
    pub fn give_up_image(&self) -> bool {
        let label = self.asked.as_ref().or(self.recalled.as_ref());
        let (Some(label), Some(place)) = (label, self.image.as_deref()) else { return false };
        label.drop(place);
        true
    }

    /// Removes an image that is not what its label says.
    pub fn drop_torn_image(&self) -> Option<PathBuf> {
        let place = self.image.as_deref()?;
        Label::load(place)?.drop_torn(place)
    }

    /// Takes the image of the ledgers in their place, if it is theirs. Only at the beginning, since who has read them has no need of
    /// it; and only for one answer, since who asks again and again is better off with rows in memory.
    pub(super) fn ask(&mut self, cache: &mut Cache) -> bool {
        if self.once.is_none() {
            return false;
        }
        let is_untouched = self.places.len() == 1 && !self.all.is_empty();
        let is_unread = self.all.iter().all(|source| source.read.is_none() && source.trouble.is_none());
        is_untouched && is_unread && self.try_ask(cache).is_some()
    }

    fn try_ask(&mut self, cache: &mut Cache) -> Option<()> {
        let place = self.image.clone()?;
        let mut label = Label::load(&place)?;
        if !label.is_plain || label.ledgers.len() != self.all.len() || !label.holds_in(|| self.clock.calendar()) {
            return None;
        }
        let mut found = Vec::new();
        let mut renewed = false;
        for (source, known) in self.all.iter().zip(&mut label.ledgers) {
            let read_at = fs::stamp_time();
            let (document, file) = source.ledger.open().ok()?;
            let mut stamp = Stamp::noted(known.file, known.read_at, source.ledger.path());
            if file.size != known.file.size {
                return None;
            }
            let is_own = || self.is_one_answer() && file == known.file && self.written.borrow().contains(&file);
            if !stamp.proves_unchanged(&file) && !is_own() {
                let hash = whole_hash(label.seed, &[document.bytes()]);
                if known.hash != Some(hash) || document.failure().is_some() {
                    return None;
                }
                stamp = Stamp::noted(file, read_at, source.ledger.path());
                (known.file, known.read_at) = (file, read_at);
                renewed |= stamp.proves_unchanged(&file);
            }
            found.push(Read { document, stamp, mirror: Mirror::Image });
        }
        let known = label.clone();
        let asked = label.ask(&place)?;
        renewed |= label != known;
        let pairs = asked.pairs().ok()?;
        let of = |wanted: bool| {
            pairs.iter().filter(move |(.., accepted)| *accepted == wanted).map(|(copy, shown, _)| (*copy, *shown))
        };
        (self.lent, self.accepted) = (of(false).collect(), of(true).collect());
        if renewed && !self.leaves_no_image {
            label.renew(&place);
        }
        self.reads += found.len() as u64;
        for (source, read) in self.all.iter_mut().zip(found) {
            source.read = Some(read);
        }
        (self.asked, *cache) = (Some(label), asked);
        Some(())
    }

    fn is_one_answer(&self) -> bool {
        self.once.is_some_and(|since| since.elapsed() < ONE_ANSWER)
    }

    /// The ledgers still are what the image was made from.
    pub(super) fn still_holds(&self) -> bool {
        let is_one_answer = self.is_one_answer();
        self.failed_read().is_none()
            && self.all.iter().all(|source| {
                let Some(read) = &source.read else { return false };
                let now = fs::stat_link(source.ledger.path());
                now.is_ok_and(
                    |now| if is_one_answer { now == read.stamp.file } else { read.stamp.proves_unchanged(&now) },
                )
            })
    }

    /// Why a ledger that was opened could not be read when it was needed: what was answered since is not to be believed.
    pub fn failed_read(&self) -> Option<LedgerError> {
        self.documents().find_map(|(.., document)| document.failure()).map(|error| LedgerError::from(error.clone()))
    }

    /// From now on the ledgers are read.
    pub(super) fn leave_image(&mut self, cache: &mut Cache) {
        self.all.iter_mut().for_each(|source| source.read = None);
        (self.lent, self.accepted) = (Vec::new(), Vec::new());
        self.asked = None;
        *cache = Cache::empty();
    }

    pub(super) fn asked_text(&self, cache: &Cache, key: Key) -> Result<Cow<'_, str>> {
        let place = cache.line_place(key)?;
        let text = place.and_then(|place| {
            let document = &self.all.get(place.source)?.read.as_ref()?.document;
            let raw = document.part(place.start, place.of.length as usize)?;
            let raw = (text_hash(self.asked.as_ref()?.seed, &raw) == place.of.hash).then_some(raw)?;
            let mut text = match raw {
                Cow::Borrowed(raw) => Cow::Borrowed(std::str::from_utf8(raw).ok()?),
                Cow::Owned(raw) => Cow::Owned(String::from_utf8(raw).ok()?),
            };
            if text.ends_with('\r') {
                text.to_mut().pop();
            }
            Some(text)
        });
        text.ok_or_else(|| {
            // It would be as wrong for the next one who asks.
            self.give_up_image();
            let path = place.and_then(|place| self.all.get(place.source)).map(|source| source.ledger.path().to_owned());
            StoreError::from(LedgerError::Unstable { path: path.unwrap_or_default() })
        })
    }

    /// Many lines are about to be asked for: reading the ledgers whole costs less then than line after line.
    pub fn expect_lines(&self, count: usize) {
        if self.asked.is_some() && count > MANY_LINES {
            self.documents().for_each(|(_, _, document)| document.read_whole());
        }
    }

    /// Brings the texts that a search needs: from the file beside the image, which the first search makes.
    pub fn bring_texts(&self, cache: &mut Cache) -> Option<()> {
        let (label, place) = (self.asked.as_ref()?, self.image.as_deref()?);
        if label.attach_texts(place, cache) {
            return Some(());
        }
        let text = |key: Key| self.asked_text(cache, key).ok().map(Cow::into_owned);
        if label.follow_texts(place, text).is_none() {
            let chunks = cache.chunks().ok()?;
            let mut lines: Vec<(Key, &[u8])> = Vec::new();
            for chunk in &chunks {
                let document = &self.all.get(chunk.source)?.read.as_ref()?.document;
                let of = chunk.lines.iter().enumerate().filter(|(_, line)| line.key > 0);
                lines.extend(of.map(|(n, line)| (line.key, document.text(chunk.first + n))));
            }
            // An index of what could not be read would stay.
            if self.failed_read().is_some() {
                return None;
            }
            let records = lines.into_iter().filter_map(|(key, text)| {
                let text = std::str::from_utf8(text).ok()?;
                Some((key, Record::parse(text).ok()?))
            });
            label.save_texts(place, cache, records)?;
        }
        label.attach_texts(place, cache).then_some(())
    }

    /// The line of an issue in one ledger, if the image that is asked has it.
    pub(super) fn asked_line(&self, cache: &Cache, source: usize, id: &str) -> Option<String> {
        self.asked.as_ref()?;
        let key = cache.key_in(source, id).ok()??;
        self.asked_text(cache, key).ok().map(Cow::into_owned)
    }
}
