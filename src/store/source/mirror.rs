//! The cache as a mirror of the documents: filled whole, from an image as far as that goes, or line by line.

use std::collections::HashSet;
use std::path::Path;

use twox_hash::XxHash3_64;

use super::super::Result;
use super::super::image::{self, Image, ImageLine};
use super::super::lines::Versions;
use super::{Read, Row, Sources};
use crate::cache::{Cache, Entry, Key};
use crate::ledger::{Document, Line, Stamp};
use crate::model::issue::Zone;
use crate::model::proposal;
use crate::sys::Entropy;

/// For each line of a document the line of an older version that it is, if there is one.
type Origins = Vec<Option<usize>>;

impl Sources {
    /// Loads what the cache does not mirror yet.
    pub(super) fn mirror(&mut self, cache: &mut Cache) -> Result<usize> {
        let waiting: Vec<usize> = (0..self.all.len()).filter(|n| self.is_unmirrored(*n)).collect();
        if waiting.is_empty() {
            return Ok(0);
        }
        self.unsettled = true;
        let lines: usize = self.all.iter().filter_map(|s| s.read.as_ref()).map(|read| read.document.len()).sum();
        let all = waiting.len() == self.all.len() && self.places.len() == 1;
        let place = self.image.clone().filter(|_| all && lines >= image::MIN_LINES);
        let known = place.as_deref().and_then(Image::load).and_then(|image| self.recall(&image, cache));
        let mut parsed = 0;
        match known {
            Some(parts) => {
                for (n, (rows, origins)) in parts.into_iter().enumerate() {
                    if let Some(read) = self.all[n].read.take() {
                        parsed += self.adopt(n, &rows, &origins, read.document, read.stamp, cache)?;
                    }
                }
            }
            None => {
                let mut seen = HashSet::with_capacity(lines);
                self.maybe_doubled |= !all;
                for n in waiting {
                    parsed += self.parse_all(n, &mut seen, cache)?;
                }
            }
        }
        // Lines that depend on the zone are parsed each time, image or not.
        if let Some(place) = place.filter(|_| parsed.saturating_sub(self.zoned.len()) > image::STALE_LINES) {
            self.keep_image(&place, cache)?;
        }
        Ok(parsed)
    }

    fn is_unmirrored(&self, n: usize) -> bool {
        self.all[n].read.as_ref().is_some_and(|read| read.rows.is_none())
    }

    /// Takes the database of an image and tells which lines of the documents it knows; `None` if it is of no use.
    fn recall(&mut self, image: &Image, cache: &mut Cache) -> Option<Vec<(Vec<Row>, Origins)>> {
        if image.parts.len() != self.all.len() {
            return None;
        }
        let mut found = Vec::new();
        let (mut new, mut total) = (0, 0);
        for (source, lines) in self.all.iter().zip(&image.parts) {
            let document = &source.read.as_ref()?.document;
            let hashes: Vec<u64> = (0..document.len()).map(|n| image::line_hash(image.seed, document, n)).collect();
            let versions = Versions {
                old_len: lines.len(),
                new_len: hashes.len(),
                same: |old: usize, new: usize| lines[old].0 == hashes[new] && lines[old].1 >= 0,
                old_hash: |old: usize| lines[old].0,
                new_hash: |new: usize| hashes[new],
            };
            let origins = versions.origins();
            new += origins.iter().filter(|from| from.is_none()).count();
            total += document.len();
            let row = |(_, key): &ImageLine| if *key > 0 { Row::Issue(*key) } else { Row::Silent };
            found.push((lines.iter().map(row).collect(), origins));
        }
        if new > total / 4 {
            return None;
        }
        let highest = image.parts.iter().flatten().map(|(_, key)| *key).max();
        let highest = highest.and_then(|key| usize::try_from(key).ok())?;
        *cache = Cache::from_image(&image.database).ok()?;
        self.places = vec![(0, 0); highest + 1];
        // Whether ids are doubled the image does not say.
        self.maybe_doubled = true;
        Some(found)
    }

    fn keep_image(&mut self, place: &Path, cache: &mut Cache) -> Result<()> {
        // Not the host's entropy, which a test may have fixed: nobody is to foresee this seed.
        let seed = u64::from_le_bytes(Entropy::System.bytes());
        let mut parts = Vec::new();
        for source in &self.all {
            let Some(Read { document, rows: Some(rows), .. }) = &source.read else { return Ok(()) };
            let line = |(n, row): (usize, &Row)| {
                let key = match row {
                    Row::Issue(key) => *key,
                    Row::Silent => 0,
                    Row::Damaged(_) => -1,
                };
                let hash = image::line_hash(seed, document, n);
                // The next reader may be in another zone: no line is to equal this one.
                (if self.zoned.contains(&key) { !hash } else { hash }, key)
            };
            parts.push(rows.iter().enumerate().map(line).collect());
        }
        let database = cache.to_image(self.unknown)?;
        Image { seed, parts, database }.save(place);
        Ok(())
    }

    /// Parses a document whole. `seen` holds hashes of the ids so far: whether one comes again, a query has to confirm.
    fn parse_all(&mut self, n: usize, seen: &mut HashSet<u64>, cache: &mut Cache) -> Result<usize> {
        let Some(read) = self.all[n].read.take() else { return Ok(0) };
        let document = &read.document;
        let mut rows = Vec::with_capacity(document.len());
        let (places, zoned, clock) = (&mut self.places, &mut self.zoned, &self.clock);
        let mut doubled = false;
        let entries = (0..document.len()).filter_map(|line| {
            let (row, entry) = row_of(document, line, places.len() as Key, &|| clock.calendar());
            if let Some((key, entry)) = &entry {
                zoned.extend(entry.depends_on_zone().then_some(*key));
                places.push((n as u32, line as u32));
                doubled |= !seen.insert(XxHash3_64::oneshot(entry.id().as_bytes()));
            }
            rows.push(row);
            entry
        });
        cache.insert(n, entries)?;
        self.maybe_doubled |= doubled;
        let parsed = rows.len();
        self.all[n].read = Some(Read { rows: Some(rows), ..read });
        Ok(parsed)
    }

    /// Puts a new document in the place of an old one; only lines that were not there before are parsed.
    pub(super) fn replace(&mut self, n: usize, read: Read, cache: &mut Cache) -> Result<usize> {
        let Some(Read { document: old, rows: Some(old_rows), .. }) = self.all[n].read.take() else {
            self.all[n].read = Some(read);
            return Ok(0);
        };
        let new = read.document;
        let versions = Versions {
            old_len: old.len(),
            new_len: new.len(),
            same: |a: usize, b: usize| old.raw(a) == new.raw(b),
            old_hash: |line: usize| image::line_hash(0, &old, line),
            new_hash: |line: usize| image::line_hash(0, &new, line),
        };
        let origins = versions.origins();
        self.unsettled = true;
        self.maybe_doubled = true;
        self.adopt(n, &old_rows, &origins, new, read.stamp, cache)
    }

    /// Makes a document the current one: rows of lines that have an origin are kept, the other lines are parsed.
    fn adopt(
        &mut self,
        n: usize,
        old_rows: &[Row],
        origins: &[Option<usize>],
        new: Document,
        stamp: Stamp,
        cache: &mut Cache,
    ) -> Result<usize> {
        let mut taken = vec![false; old_rows.len()];
        let mut rows = Vec::with_capacity(new.len());
        let mut added = Vec::new();
        for (line, from) in origins.iter().enumerate() {
            match from {
                Some(from) => {
                    taken[*from] = true;
                    if let Row::Issue(key) = old_rows[*from] {
                        self.places[key as usize] = (n as u32, line as u32);
                    }
                    rows.push(old_rows[*from].clone());
                }
                None => {
                    let (row, entry) = row_of(&new, line, self.places.len() as Key, &|| self.clock.calendar());
                    if let Some(entry) = entry {
                        self.zoned.extend(entry.1.depends_on_zone().then_some(entry.0));
                        self.places.push((n as u32, line as u32));
                        added.push(entry);
                    }
                    rows.push(row);
                }
            }
        }
        let gone = old_rows.iter().zip(&taken).filter_map(|(row, taken)| match row {
            Row::Issue(key) if !taken => Some(*key),
            _ => None,
        });
        cache.change(n, &gone.collect::<Vec<_>>(), added)?;
        let parsed = origins.iter().filter(|from| from.is_none()).count();
        self.all[n].read = Some(Read { document: new, stamp, rows: Some(rows) });
        Ok(parsed)
    }
}

fn row_of<'a>(document: &'a Document, line: usize, key: Key, zone: Zone<'_>) -> (Row, Option<(Key, Entry<'a>)>) {
    match document.line(line) {
        // It says something about an issue and is none.
        Line::Issue(_) if proposal::is_companion_line(document.text(line)) => (Row::Silent, None),
        Line::Issue(record) => (Row::Issue(key), Some((key, Entry::read(&record, zone)))),
        Line::Damaged(damage) => (Row::Damaged(damage), None),
        Line::Other | Line::Blank => (Row::Silent, None),
    }
}
