//! The index of the ledgers: a database that mirrors their lines. It is loaded from an image, built from the lines, or
//! updated from an earlier one in memory with the changed lines.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::keep::LINES_OF_A_CHUNK;
use super::parts::{Index, Keys, Read, Row, Sources, Texts, locked};
use crate::cache::{Cache, Entry, Key};
use crate::ledger::{Line, MAX_LINE};
use crate::model::issue::Zone;
use crate::model::lines;
use crate::model::proposal;
use crate::store::Result;
use crate::sys::parallel::in_order;

impl Keys {
    /// The next key.
    pub(super) fn next(&self) -> Key {
        self.places.len() as Key
    }

    /// Gives an entry its key and its place.
    pub(super) fn add<'a>(&mut self, entry: Entry<'a>, (source, line): (usize, usize)) -> (Key, Entry<'a>) {
        let key = self.next();
        self.zoned.extend(entry.depends_on_zone().then_some(key));
        self.places.push((source as u32, line as u32));
        (key, entry)
    }
}

impl Index {
    pub(super) fn over(cache: Cache, sources: usize) -> Self {
        Index {
            cache: Mutex::new(cache),
            image: None,
            rows: (0..sources).map(|_| None).collect(),
            keys: Keys { places: vec![(0, 0)], zoned: HashSet::new() },
            doubled: Vec::new(),
            unsettled: false,
            proposed_copies: Vec::new(),
            accepted: Vec::new(),
            parsed: 0,
        }
    }

    /// Updates an earlier index to the ledgers as read, or builds a new one.
    pub(super) fn make(sources: &Sources, texts: &Texts, earlier: &mut Option<Index>) -> Result<Self> {
        if let Some(label) = &texts.image {
            let is_same = |known: &Index| known.image.is_some_and(|(id, _)| id == label.id);
            let loaded = earlier.take().filter(is_same).or_else(|| locked(&texts.loaded).take());
            if let Some(index) = loaded {
                return Ok(Index { parsed: 0, ..index });
            }
        }
        let earlier = earlier.take().filter(|known| known.image.is_none());
        let is_new = earlier.is_none();
        let mut index = match earlier {
            Some(earlier) => earlier,
            None => Self::over(Cache::empty()?, texts.all.len()),
        };
        index.parsed = 0;
        for (n, text) in texts.all.iter().enumerate() {
            let old = locked(&text.indexed).take();
            let is_other =
                |(version, _): &mut (u64, Vec<Row>)| text.read.as_ref().is_some_and(|read| read.version != *version);
            let (Some(read), Some((_, rows))) = (&text.read, index.rows[n].take_if(is_other)) else { continue };
            let Some(old) = old else { return Self::make(sources, texts, &mut None) };
            index.unsettled = true;
            let [old, new] = [&old, &read.document].map(|one| (0..one.len()).map(|n| one.raw(n)).collect::<Vec<_>>());
            index.parsed += index.adopt(sources, n, &rows, &lines::origins(&old, &new), read)?;
        }
        index.parsed += index.add_unknown(sources, texts)? + index.add_planned(sources, texts)?;
        if index.unsettled {
            index.settle_copies(sources, texts)?;
            index.unsettled = false;
        }
        if is_new && !texts.is_held() && !sources.leaves_no_image {
            index.keep_image(sources, texts)?;
        }
        Ok(index)
    }

    pub(super) fn cache_mut(&mut self) -> &mut Cache {
        self.cache.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the ledgers that it lacks.
    fn add_unknown(&mut self, sources: &Sources, texts: &Texts) -> Result<usize> {
        let is_waiting = |n: &usize| texts.all[*n].read.is_some() && self.rows[*n].is_none();
        let waiting: Vec<usize> = (0..texts.all.len()).filter(is_waiting).collect();
        let mut parsed = 0;
        for n in waiting {
            self.unsettled = true;
            parsed += self.parse_all(sources, texts, n)?;
        }
        Ok(parsed)
    }

    /// Parses a complete document.
    fn parse_all(&mut self, sources: &Sources, texts: &Texts, n: usize) -> Result<usize> {
        let Some(read) = &texts.all[n].read else { return Ok(0) };
        let document = &read.document;
        let mut rows = Vec::with_capacity(document.len());
        let parse = |line: usize| row_of(document.text(line), 0, &|| sources.clock.calendar());
        let (keys, cache) = (&mut self.keys, self.cache.get_mut().unwrap_or_else(PoisonError::into_inner));
        in_order(document.len(), parse, |parsed| {
            let entries = parsed.enumerate().filter_map(|(line, (row, entry))| {
                let Some(mut entry) = entry else {
                    rows.push(row);
                    return None;
                };
                entry.chunk = (line / LINES_OF_A_CHUNK) as u32;
                // The key is only known here: earlier lines may not be issues.
                let (key, entry) = keys.add(entry, (n, line));
                rows.push(Row::Issue(key));
                Some((key, entry))
            });
            cache.insert(n, entries)
        })?;
        let parsed = rows.len();
        self.rows[n] = Some((read.version, rows));
        Ok(parsed)
    }

    /// Makes a document the current one: keeps the rows of lines with an origin, and parses the others.
    fn adopt(
        &mut self,
        sources: &Sources,
        n: usize,
        old_rows: &[Row],
        origins: &[Option<usize>],
        read: &Read,
    ) -> Result<usize> {
        let mut rows = Vec::with_capacity(read.document.len());
        let mut added = Vec::new();
        for (line, from) in origins.iter().enumerate() {
            match from {
                Some(from) => {
                    if let Row::Issue(key) = old_rows[*from] {
                        self.keys.places[key as usize] = (n as u32, line as u32);
                    }
                    rows.push(old_rows[*from].clone());
                }
                None => {
                    let text = read.document.text(line);
                    let (row, entry) = row_of(text, self.keys.next(), &|| sources.clock.calendar());
                    added.extend(entry.map(|entry| self.keys.add(entry, (n, line))));
                    rows.push(row);
                }
            }
        }
        let gone = lines::gone(origins, old_rows.len()).filter_map(|from| match old_rows[from] {
            Row::Issue(key) => Some(key),
            _ => None,
        });
        self.cache_mut().change(n, &gone.collect::<Vec<_>>(), added)?;
        let parsed = origins.iter().filter(|from| from.is_none()).count();
        self.rows[n] = Some((read.version, rows));
        Ok(parsed)
    }
}

/// The content of a line, and its index entry if it is an issue.
pub(super) fn row_of<'a>(text: &'a [u8], key: Key, zone: Zone<'_>) -> (Row, Option<Entry<'a>>) {
    match Line::read(text, MAX_LINE) {
        // It is about an issue, but is not one.
        Line::Issue(record) if proposal::is_companion(&record) => (Row::Silent, None),
        Line::Issue(record) => (Row::Issue(key), Some(Entry::read(&record, zone))),
        Line::Damaged(damage) => (Row::Damaged(damage), None),
        Line::Other | Line::Blank => (Row::Silent, None),
    }
}
