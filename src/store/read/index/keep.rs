//! Stores the image of a new index for the next reader.

use super::image::{self, Label, LabelledLedger};
use super::parts::{Index, Read, Row, Sources, Texts};
use crate::cache::{Chunk, KeptLine, Key};
use crate::model::field;
use crate::model::field::Kind;
use crate::model::record::Record;
use crate::model::when::Calendar;
use crate::store::Result;
use crate::sys::Entropy;

/// How many lines of a ledger form a chunk of its image.
pub(super) const LINES_OF_A_CHUNK: u32 = 128;

impl Index {
    /// Stores an image if the existing one is worth less.
    pub(super) fn keep_image(&mut self, sources: &Sources, texts: &Texts) -> Result<()> {
        let Some(place) = sources.image.as_ref().filter(|_| self.parsed > 0) else { return Ok(()) };
        let reads: Vec<&Read> = texts.all.iter().filter_map(|text| text.read.as_ref()).collect();
        let lines: usize = reads.iter().map(|read| read.document.len()).sum();
        if reads.len() < texts.all.len() || lines < image::MIN_LINES {
            return Ok(());
        }
        let seed = u64::from_le_bytes(Entropy::System.bytes());
        let ledger = |read: &&Read| LabelledLedger {
            file: read.stamp.file,
            read_at: read.stamp.read_at,
            hash: Some(image::whole_hash(seed, &[read.document.bytes()])),
        };
        let ledgers = reads.iter().map(ledger).collect();
        let days = self.days_named(sources, texts);
        let is_plain = self.oddities(sources, texts).is_empty() && days.len() <= image::MAX_DAYS;
        // Damaged ledgers are read each time, whatever an image says.
        if !is_plain && self.parsed <= image::STALE_LINES {
            return Ok(());
        }
        let label = Label::new(seed, is_plain, days, ledgers);
        let chunks = match self.chunked(texts, seed) {
            Some(chunks) => chunks,
            None => {
                let lines: Vec<u32> = self.keys.places.iter().map(|(_, line)| line / LINES_OF_A_CHUNK).collect();
                self.cache_mut().put_in_chunks(&lines)?;
                self.keys.chunks = lines;
                self.chunked(texts, seed).unwrap_or_default()
            }
        };
        let pair = |accepted: bool| move |(copy, shown): &(Key, Key)| (*copy, *shown, accepted);
        let pairs: Vec<(Key, Key, bool)> =
            self.proposed_copies.iter().map(pair(false)).chain(self.accepted.iter().map(pair(true))).collect();
        let counted = |n: usize| texts.prefixes(n).into_iter().map(move |(prefix, count)| (n, prefix, count));
        let prefixes: Vec<(usize, String, usize)> = (0..texts.all.len()).flat_map(counted).collect();
        let database = self.cache_mut().to_file(sources.unknown, &label.id, &chunks, &prefixes, &pairs)?;
        label.save(place, &database);
        Ok(())
    }

    /// The days in rows, with their beginning and end here.
    fn days_named(&self, sources: &Sources, texts: &Texts) -> Vec<(String, i64, i64)> {
        let mut days = self.days.clone();
        let calendar = sources.clock.calendar();
        for key in &self.keys.zoned {
            let text = self.text(texts, *key);
            days.extend(Record::parse(&text).iter().flat_map(|record| days_of(record, &calendar)));
        }
        days.into_iter().collect()
    }

    /// The lines in the chunks of the rows; `None` if these are out of order or too long.
    fn chunked(&self, texts: &Texts, seed: u64) -> Option<Vec<Chunk>> {
        let mut chunks: Vec<Chunk> = Vec::new();
        for (source, rows) in self.rows.iter().enumerate() {
            let document = texts.document(source)?;
            for (n, row) in rows.as_ref()?.1.iter().enumerate() {
                let key = match row {
                    Row::Issue(key) => *key,
                    Row::Silent => 0,
                    Row::Damaged(_) => -1,
                };
                let last = chunks.last().filter(|chunk| chunk.source == source).map(|chunk| chunk.number);
                let number = usize::try_from(key).ok().filter(|key| *key > 0).map(|key| self.keys.chunks[key]);
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
                lines.push(KeptLine { hash, key, length: (span.end - span.start) as u32 });
                if lines.len() > 8 * LINES_OF_A_CHUNK as usize {
                    return None;
                }
            }
        }
        Some(chunks)
    }
}

/// The days in a record, with their beginning and end.
pub(super) fn days_of(record: &Record<'_>, calendar: &Calendar) -> Vec<(String, i64, i64)> {
    let dates = field::with(|row| matches!(row.kind, Kind::Until | Kind::From));
    let texts = dates.filter_map(|field| record.string(field.key()));
    let days = texts.filter_map(|text| Some((calendar.day_of(&text)?, text.into_owned())));
    days.map(|(day, text)| (text, day.start.micros(), day.end.micros())).collect()
}
