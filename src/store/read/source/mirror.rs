//! The cache as a mirror of the documents: filled whole, from an image as far as that goes, or line by line.

use std::collections::HashSet;

use twox_hash::XxHash3_64;

use super::super::image;
use super::super::image::{Label, LabelledLedger};
use super::super::lines::Versions;
use super::{Mirror, Read, Row, Sources};
use crate::cache::{Cache, Chunk, Entry, ImageLine, Key};
use crate::ledger::{Document, Line, MAX_LINE, Stamp};
use crate::model::field::Kind;
use crate::model::issue::Zone;
use crate::model::record::Record;
use crate::model::when::Calendar;
use crate::model::{field, proposal};
use crate::store::Result;
use crate::sys::Entropy;
use crate::sys::parallel::in_order;

/// So many lines of a ledger make a chunk of its image.
const LINES_OF_A_CHUNK: u32 = 128;

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
        let known = place.and_then(|place| Some((Label::load(&place)?, place)));
        let known = known.and_then(|(label, place)| self.recall(&label, label.read(&place)?, cache));
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
        Ok(parsed)
    }

    fn is_unmirrored(&self, n: usize) -> bool {
        self.all[n].read.as_ref().is_some_and(|read| matches!(read.mirror, Mirror::No))
    }

    /// Takes the database of an image and tells which lines of the documents it knows; `None` if it is of no use.
    fn recall(&mut self, label: &Label, known: Cache, cache: &mut Cache) -> Option<Vec<(Vec<Row>, Origins)>> {
        if label.ledgers.len() != self.all.len() || !label.holds_in(|| self.clock.calendar()) {
            return None;
        }
        let mut parts: Vec<Vec<ImageLine>> = vec![Vec::new(); self.all.len()];
        let mut chunks: Vec<u32> = vec![0];
        for chunk in known.chunks().ok()? {
            for line in chunk.lines {
                if let Some(key) = usize::try_from(line.key).ok().filter(|key| *key > 0) {
                    chunks.resize(chunks.len().max(key + 1), 0);
                    chunks[key] = chunk.number;
                }
                parts.get_mut(chunk.source)?.push(line);
            }
        }
        let mut found = Vec::new();
        let (mut new, mut total) = (0, 0);
        for (source, lines) in self.all.iter().zip(&parts) {
            let document = &source.read.as_ref()?.document;
            let hashes: Vec<u64> = (0..document.len()).map(|n| image::line_hash(label.seed, document, n)).collect();
            let versions = Versions {
                old_len: lines.len(),
                new_len: hashes.len(),
                same: |old: usize, new: usize| lines[old].hash == hashes[new] && lines[old].key >= 0,
                old_hash: |old: usize| lines[old].hash,
                new_hash: |new: usize| hashes[new],
            };
            let origins = versions.origins();
            new += origins.iter().filter(|from| from.is_none()).count();
            total += document.len();
            let row = |line: &ImageLine| if line.key > 0 { Row::Issue(line.key) } else { Row::Silent };
            found.push((lines.iter().map(row).collect(), origins));
        }
        if new > total / 4 {
            return None;
        }
        // No key means two lines, not even one after the other.
        chunks.resize(chunks.len().max(usize::try_from(known.next_key().ok()?).ok()?), 0);
        self.places = vec![(0, 0); chunks.len()];
        self.chunks = chunks;
        self.days = label.days.iter().cloned().collect();
        // Whether ids are doubled the image does not say.
        self.maybe_doubled = true;
        *cache = known;
        self.recalled = Some(label.clone());
        Some(found)
    }

    /// Keeps an image of the cache, if the one that is there is worth less.
    pub(super) fn keep_image(&mut self, parsed: usize, cache: &mut Cache) -> Result<()> {
        let Some(place) = self.image.clone().filter(|_| parsed > 0) else { return Ok(()) };
        let reads: Vec<&Read> = self.all.iter().filter_map(|source| source.read.as_ref()).collect();
        let lines: usize = reads.iter().map(|read| read.document.len()).sum();
        if reads.len() < self.all.len() || lines < image::MIN_LINES {
            return Ok(());
        }
        let seed = u64::from_le_bytes(Entropy::System.bytes());
        let ledger = |read: &&Read| LabelledLedger {
            file: read.stamp.file,
            read_at: read.stamp.read_at,
            hash: Some(image::whole_hash(seed, &[read.document.bytes()])),
        };
        let ledgers = reads.iter().map(ledger).collect();
        let days = self.days();
        let is_plain = self.warnings().is_empty() && days.len() <= image::MOST_DAYS;
        // What is damaged is read again each time, whatever an image says.
        if !is_plain && parsed <= image::STALE_LINES {
            return Ok(());
        }
        let label = Label::new(seed, is_plain, days, ledgers);
        let chunks = match self.chunked(seed) {
            Some(chunks) => chunks,
            None => {
                let lines = self.places.iter().map(|(_, line)| line / LINES_OF_A_CHUNK);
                self.chunks = lines.collect();
                cache.put_in_chunks(&self.chunks)?;
                self.chunked(seed).unwrap_or_default()
            }
        };
        let pair = |accepted: bool| move |(copy, shown): &(Key, Key)| (*copy, *shown, accepted);
        let pairs: Vec<(Key, Key, bool)> =
            self.lent.iter().map(pair(false)).chain(self.accepted.iter().map(pair(true))).collect();
        let counted = |n: usize| self.prefixes(n).into_iter().map(move |(prefix, count)| (n, prefix, count));
        let prefixes: Vec<(usize, String, usize)> = (0..self.all.len()).flat_map(counted).collect();
        let database = cache.to_image(self.unknown, &label.id, &chunks, &prefixes, &pairs)?;
        label.save(&place, &database);
        Ok(())
    }

    /// The days that rows name, with when they begin and end here.
    fn days(&self) -> Vec<(String, i64, i64)> {
        let mut days = self.days.clone();
        let calendar = self.clock.calendar();
        for key in &self.zoned {
            let text = self.read_text(*key);
            days.extend(Record::parse(&text).iter().flat_map(|record| days_of(record, &calendar)));
        }
        days.into_iter().collect()
    }

    /// The lines in the chunks that the rows say; `None` if these are out of order, or too long.
    fn chunked(&self, seed: u64) -> Option<Vec<Chunk>> {
        let mut chunks: Vec<Chunk> = Vec::new();
        for (source, of) in self.all.iter().enumerate() {
            let read = of.read.as_ref()?;
            let document = &read.document;
            for (n, row) in read.rows()?.iter().enumerate() {
                let key = match row {
                    Row::Issue(key) => *key,
                    Row::Silent => 0,
                    Row::Damaged(_) => -1,
                };
                let last = chunks.last().filter(|chunk| chunk.source == source).map(|chunk| chunk.number);
                let number = usize::try_from(key).ok().filter(|key| *key > 0).map(|key| self.chunks[key]);
                let number = number.or(last).unwrap_or(0);
                if last.is_some_and(|last| number < last) {
                    return None;
                }
                if last != Some(number) {
                    let start = document.span(n).start as u64;
                    chunks.push(Chunk { source, number, first: n, start, lines: Vec::new() });
                }
                let span = document.span(n);
                let hash = image::line_hash(seed, document, n);
                let lines = &mut chunks.last_mut()?.lines;
                lines.push(ImageLine { hash, key, length: (span.end - span.start) as u32 });
                if lines.len() > 8 * LINES_OF_A_CHUNK as usize {
                    return None;
                }
            }
        }
        Some(chunks)
    }

    /// Parses a document whole. `seen` holds hashes of the ids so far: whether one comes again, a query has to confirm.
    fn parse_all(&mut self, n: usize, seen: &mut HashSet<u64>, cache: &mut Cache) -> Result<usize> {
        let Some(read) = self.all[n].read.take() else { return Ok(0) };
        let document = &read.document;
        let mut rows = Vec::with_capacity(document.len());
        let (places, chunks, zoned, clock) = (&mut self.places, &mut self.chunks, &mut self.zoned, &self.clock);
        let mut doubled = false;
        let parse = |line: usize| row_of(document.text(line), 0, &|| clock.calendar());
        in_order(document.len(), parse, |parsed| {
            let entries = parsed.enumerate().filter_map(|(line, (row, entry))| {
                let Some((_, mut entry)) = entry else {
                    rows.push(row);
                    return None;
                };
                // Which it gets is known only here: lines before it may hold no issue.
                let key = places.len() as Key;
                entry.chunk = line as u32 / LINES_OF_A_CHUNK;
                chunks.push(entry.chunk);
                zoned.extend(entry.depends_on_zone().then_some(key));
                places.push((n as u32, line as u32));
                doubled |= !seen.insert(XxHash3_64::oneshot(entry.id().as_bytes()));
                rows.push(Row::Issue(key));
                Some((key, entry))
            });
            cache.insert(n, entries)
        })?;
        self.maybe_doubled |= doubled;
        let parsed = rows.len();
        self.all[n].read = Some(Read { mirror: Mirror::Rows(rows), ..read });
        Ok(parsed)
    }

    /// Puts a new document in the place of an old one; only lines that were not there before are parsed.
    pub(super) fn replace(&mut self, n: usize, read: Read, cache: &mut Cache) -> Result<usize> {
        let Some(Read { document: old, mirror: Mirror::Rows(old_rows), .. }) = self.all[n].read.take() else {
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
        let mut chunk = 0;
        for (line, from) in origins.iter().enumerate() {
            match from {
                Some(from) => {
                    taken[*from] = true;
                    if let Row::Issue(key) = old_rows[*from] {
                        self.places[key as usize] = (n as u32, line as u32);
                        chunk = self.chunks[key as usize];
                    }
                    rows.push(old_rows[*from].clone());
                }
                None => {
                    let (row, entry) = row_of(new.text(line), self.places.len() as Key, &|| self.clock.calendar());
                    if let Some(mut entry) = entry {
                        entry.1.chunk = chunk;
                        self.chunks.push(chunk);
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
        self.all[n].read = Some(Read { document: new, stamp, mirror: Mirror::Rows(rows) });
        Ok(parsed)
    }
}

/// The days that a record names, with when they begin and end.
pub(super) fn days_of(record: &Record<'_>, calendar: &Calendar) -> Vec<(String, i64, i64)> {
    let dates = field::with(|row| matches!(row.kind, Kind::Until | Kind::From));
    let texts = dates.filter_map(|field| record.string(field.key()));
    let days = texts.filter_map(|text| Some((calendar.day_of(&text)?, text.into_owned())));
    days.map(|(day, text)| (text, day.start.micros(), day.end.micros())).collect()
}

pub(super) fn row_of<'a>(text: &'a [u8], key: Key, zone: Zone<'_>) -> (Row, Option<(Key, Entry<'a>)>) {
    match Line::read(text, MAX_LINE) {
        // It says something about an issue and is none.
        Line::Issue(record) if proposal::is_companion(&record) => (Row::Silent, None),
        Line::Issue(record) => (Row::Issue(key), Some((key, Entry::read(&record, zone)))),
        Line::Damaged(damage) => (Row::Damaged(damage), None),
        Line::Other | Line::Blank => (Row::Silent, None),
    }
}
