//! Stores the image of a new index for the next reader.

use std::collections::BTreeSet;

use super::image::{self, Label, LabelledFile};
use super::parts::{Index, Read, Row, Sources, Texts};
use crate::cache::{Chunk, KeptLine, Key};
use crate::model::field;
use crate::model::field::Kind;
use crate::model::record::Record;
use crate::model::when::Calendar;
use crate::store::Result;
use crate::sys::Entropy;

/// How many lines of a ledger form a chunk of its image.
pub(super) const LINES_OF_A_CHUNK: usize = 128;

impl Index {
    /// Stores an image of a new index. Damaged ledgers are read each time, so they have none.
    pub(super) fn keep_image(&mut self, sources: &Sources, texts: &Texts) -> Result<()> {
        let Some(place) = &sources.image else { return Ok(()) };
        let reads: Vec<&Read> = texts.all.iter().filter_map(|text| text.read.as_ref()).collect();
        let lines: usize = reads.iter().map(|read| read.document.len()).sum();
        if reads.len() < texts.all.len() || lines < image::MIN_LINES {
            return Ok(());
        }
        let seed = u64::from_le_bytes(Entropy::System.bytes());
        let ledger = |read: &&Read| LabelledFile {
            file: read.stamp.file,
            read_at: read.stamp.read_at,
            hash: Some(image::whole_hash(seed, &[read.document.bytes()])),
        };
        let ledgers = reads.iter().map(ledger).collect();
        let days = self.days_named(sources, texts);
        if days.len() > image::MAX_DAYS || !self.oddities(sources, texts).is_empty() {
            return Ok(());
        }
        let label = Label::new(seed, days, ledgers);
        let pair = |accepted: bool| move |(copy, shown): &(Key, Key)| (*copy, *shown, accepted);
        let pairs: Vec<(Key, Key, bool)> =
            self.proposed_copies.iter().map(pair(false)).chain(self.accepted.iter().map(pair(true))).collect();
        let counted = |n: usize| texts.prefixes(n).into_iter().map(move |(prefix, count)| (n, prefix, count));
        let prefixes: Vec<(usize, String, usize)> = (0..texts.all.len()).flat_map(counted).collect();
        let chunks = self.chunks(texts, seed);
        let database = self.cache_mut().make_file(sources.unknown, &label.id, &chunks, &prefixes, &pairs)?;
        label.save(place, &database);
        Ok(())
    }

    /// The days in rows, with their beginning and end here.
    fn days_named(&self, sources: &Sources, texts: &Texts) -> Vec<(String, i64, i64)> {
        let mut days = BTreeSet::new();
        let calendar = sources.clock.calendar();
        for key in &self.keys.zoned {
            let text = self.text(texts, *key);
            days.extend(Record::parse(&text).iter().flat_map(|record| days_of(record, &calendar)));
        }
        days.into_iter().collect()
    }

    /// The lines of the ledgers in chunks.
    fn chunks(&self, texts: &Texts, seed: u64) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        for (source, rows) in self.rows.iter().enumerate() {
            let (Some(document), Some((_, rows))) = (texts.document(source), rows) else { continue };
            let kept = |n: usize| {
                let key = if let Row::Issue(key) = rows[n] { key } else { 0 };
                let length = document.span(n).len() as u32;
                KeptLine { hash: image::text_hash(seed, document.raw(n)), key, length }
            };
            for first in (0..rows.len()).step_by(LINES_OF_A_CHUNK) {
                let lines = (first..rows.len().min(first + LINES_OF_A_CHUNK)).map(kept).collect();
                let (number, start) = ((first / LINES_OF_A_CHUNK) as u32, document.span(first).start as u64);
                chunks.push(Chunk { source, number, first, start, lines });
            }
        }
        chunks
    }
}

/// The days in a record, with their beginning and end.
pub(super) fn days_of(record: &Record<'_>, calendar: &Calendar) -> Vec<(String, i64, i64)> {
    let dates = field::with(|row| matches!(row.kind, Kind::Until | Kind::From));
    let texts = dates.filter_map(|field| record.string(field.key()));
    let days = texts.filter_map(|text| Some((calendar.day_of(&text)?, text.into_owned())));
    days.map(|(day, text)| (text, day.start.micros(), day.end.micros())).collect()
}
