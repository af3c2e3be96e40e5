//! The image follows a write, so that the next reader does not pay for the whole ledger.
//!
//! A copy of it is changed and put in its place: one that somebody has open stays as it is. Where following is not simple, it
//! stays behind, and the next reader reads the ledger.

use std::collections::{BTreeSet, HashMap};

use super::Sources;
use super::mirror::{days_of, row_of};
use crate::cache::{Cache, Chunk, ImageLine};
use crate::ledger::{Applied, Document, Ledger, LineChange};
use crate::model::id;
use crate::model::record::Record;
use crate::store::image::{Label, LabelledLedger, text_hash, whole_hash};
use crate::sys::fs::{self, FileStamp};

/// Who changes more lines than this at once leaves the image behind.
const MOST_CHANGES: usize = 200;
/// A chunk that has grown beyond this is not worth its name.
const MOST_LINES: usize = 2048;

impl Sources {
    /// Lets the image follow a write. The write stands even if that fails.
    pub fn follow_write(&self, ledger: &Ledger, applied: &Applied, before: &Document) {
        let Some(source) = self.find(ledger) else { return };
        if let Some(left) = self.try_follow(source, applied, before) {
            self.written.borrow_mut().push(left);
        }
    }

    fn try_follow(&self, source: usize, applied: &Applied, before: &Document) -> Option<FileStamp> {
        let place = self.image.as_deref()?;
        let left = applied.left?;
        let is_simple = applied.in_order && (1..=MOST_CHANGES).contains(&applied.changes.len());
        let label = Label::load(place).filter(|label| is_simple && label.is_plain)?;
        let known = label.ledgers.get(source).filter(|_| label.ledgers.len() == self.all.len())?;
        // The bytes are at hand, and tell more than a stamp does.
        let is_known = known.file.size == applied.read.size && whole_hash(label.seed, before.bytes()) == known.hash;
        if !is_known || !label.is_of_this_boot() || !label.holds_in(|| self.clock.calendar()) {
            return None;
        }
        let mut days: BTreeSet<_> = label.days.iter().cloned().collect();
        for line in applied.changes.iter().filter_map(|change| change.after.as_deref()) {
            days.extend(days_of(&Record::parse(line).ok()?, &self.clock.calendar()));
        }
        let mut ledgers = label.ledgers.clone();
        let hash = whole_hash(label.seed, applied.document.bytes());
        ledgers[source] = LabelledLedger { file: left, read_at: fs::realtime(), hash };
        let new = Label::new(label.seed, true, days.into_iter().collect(), ledgers);
        let change = |cache: &mut Cache| self.change_image(cache, label.seed, source, applied);
        new.save_changed(place, &label, change)?;
        Some(left)
    }

    /// Makes the changes of a write in the database of an image.
    fn change_image(&self, cache: &mut Cache, seed: u64, source: usize, applied: &Applied) -> Option<()> {
        let document = &applied.document;
        let ids: BTreeSet<&str> = applied.changes.iter().map(|change| change.id.as_str()).collect();
        let mut places: HashMap<String, Vec<usize>> = document.naming(|id| ids.contains(id));
        let mut inserted: Vec<(usize, &LineChange)> = Vec::new();
        let mut key = cache.next_key().ok()?;
        let line_at = |line: usize, key| ImageLine {
            hash: text_hash(seed, document.raw(line)),
            key,
            length: document.raw(line).len() as u32,
        };
        // What another repo holds as well is settled between the two.
        let is_alone = |id: &str| cache.sources_of(id).is_ok_and(|found| found.iter().all(|n| *n == source));
        if !ids.iter().all(|id| is_alone(id)) {
            return None;
        }
        for change in &applied.changes {
            let more = i64::from(change.after.is_some()) - i64::from(change.before.is_some());
            if let Some(prefix) = id::prefix_of(&change.id).filter(|_| more != 0) {
                cache.count_prefix(source, prefix, more).ok()?;
            }
        }
        let (mut gone, mut added) = (Vec::new(), Vec::new());
        for change in &applied.changes {
            let line = match (&change.after, places.remove(&change.id).as_deref()) {
                (None, None) => None,
                (Some(_), Some([line])) => Some(*line),
                _ => return None,
            };
            let Some(text) = &change.before else {
                inserted.push((line?, change));
                continue;
            };
            let old = cache.key_in(source, &change.id).ok()??;
            let chunk = cache.chunk_of(old).ok()??;
            let at = chunk.lines.iter().position(|line| line.key == old)?;
            if chunk.lines[at].hash != text_hash(seed, text.as_bytes()) {
                return None;
            }
            let mut lines = chunk.lines.clone();
            match line {
                Some(line) => {
                    lines[at] = line_at(line, key);
                    added.push((line, key, chunk.number));
                    key += 1;
                }
                None => drop(lines.remove(at)),
            }
            gone.push(old);
            cache.set_lines(&chunk, lines).ok()?;
        }
        inserted.sort_by_key(|(line, _)| *line);
        for (line, _) in inserted {
            let chunk: Chunk = cache.chunk_at(source, line).ok()??;
            let mut lines = chunk.lines.clone();
            if line - chunk.first > lines.len() || lines.len() >= MOST_LINES {
                return None;
            }
            lines.insert(line - chunk.first, line_at(line, key));
            added.push((line, key, chunk.number));
            key += 1;
            cache.set_lines(&chunk, lines).ok()?;
        }
        let mut entries = Vec::new();
        for (line, key, chunk) in added {
            let (_, entry) = row_of(document, line, key, &|| self.clock.calendar());
            let (key, mut entry) = entry?;
            entry.chunk = chunk;
            entries.push((key, entry));
        }
        cache.change(source, &gone, entries).ok()
    }
}
