//! Updates the image after a write, so that the next reader need not parse the whole ledger.
//!
//! A copy is changed and replaces it: an image in use by others stays as it is. Where the update is not simple, the
//! image becomes outdated, and the next reader reads the ledger.

use std::collections::BTreeSet;

use super::build::row_of;
use super::followed::{Followed, Following};
use super::image::{Label, LabelledFile, text_hash, whole_hash};
use super::keep::days_of;
use super::parts::{Sources, locked};
use crate::cache::{Cache, Chunk, KeptLine};
use crate::ledger::{Applied, Document, Ledger, LineChange, Planned, Stamp};
use crate::model::id;
use crate::model::record::Record;
use crate::sys::Clock;

/// After a write with more changed lines the image is left outdated.
const MAX_CHANGES: usize = 200;
/// Larger chunks are not useful.
const MAX_LINES: usize = 2048;

/// Up to this size, hashing a ledger is faster than waiting for the clock to tick. For a larger one the writer waits,
/// and the stamp is enough.
const SMALL: u64 = 4 << 20;

impl Sources {
    /// Starts updating the image for a write that is about to be made: a copy is changed while the ledger goes to disk.
    /// The lock is held.
    pub(crate) fn begin_write(&self, ledger: &Ledger, planned: &Planned<'_>, before: &Document) {
        *locked(&self.image_update) = self.find(ledger).and_then(|source| self.begin(source, planned, before));
    }

    /// Drops the update for a write that was not made.
    pub(crate) fn end_write(&self) {
        locked(&self.image_update).take();
    }

    /// Records that the write was made. The lock is held.
    pub(crate) fn note_write(&self, ledger: &Ledger, applied: &Applied<'_>) {
        let started = locked(&self.image_update).take().filter(|started| self.find(ledger) == Some(started.source));
        let (Some(following), Some(left)) = (started, applied.left) else { return };
        let is_hashed = left.size <= SMALL || !applied.file.can_be_proven();
        let hash = is_hashed.then(|| whole_hash(following.earlier.seed, &applied.planned.pieces()));
        locked(&self.following).push(Followed { following, left, file: applied.file.clone(), hash });
    }

    /// Updates the image with the recorded writes. They remain even if that fails.
    pub(crate) fn follow_writes(&self) {
        let noted = std::mem::take(&mut *locked(&self.following));
        for followed in noted {
            self.follow(followed);
        }
    }

    fn begin(&self, source: usize, planned: &Planned<'_>, before: &Document) -> Option<Following> {
        let place = self.image.clone()?;
        let is_simple =
            planned.in_order && (1..=MAX_CHANGES).contains(&planned.changes.len()) && before.line_end() == b"\n";
        let earlier = Label::load(&place).filter(|_| is_simple)?;
        let known = earlier.ledgers.get(source).filter(|_| earlier.ledgers.len() == self.all.len())?;
        let path = self.all[source].ledger.path();
        let is_same = || known.hash.is_some_and(|hash| hash == whole_hash(earlier.seed, &[before.bytes()]));
        let is_known = known.file.size == planned.read.size
            && (Stamp::noted(known.file, known.read_at, path).proves_unchanged(&planned.read) || is_same());
        if !is_known || !earlier.holds_in(|| self.clock.calendar()) {
            return None;
        }
        let mut days: BTreeSet<_> = earlier.days.iter().cloned().collect();
        for line in planned.changes.iter().filter_map(|change| change.after.as_deref()) {
            days.extend(days_of(&Record::parse(line).ok()?, &self.clock.calendar()));
        }
        let new = Label::after(earlier.clone(), days.into_iter().collect());
        let changes: Vec<_> =
            planned.changes.iter().map(|change| (change.clone(), planned.line_of(&change.id))).collect();
        let (from, id, clock, earlier_seed) = (earlier.clone(), new.id, self.clock.clone(), earlier.seed);
        let change = move |cache: &mut Cache| change_image(cache, &clock, earlier_seed, source, &changes);
        let work = move || from.changed(&place, &id, change);
        let copy = std::thread::Builder::new().spawn(work).ok();
        Some(Following { source, earlier, new, copy })
    }

    fn follow(&self, followed: Followed) -> Option<()> {
        let Followed { mut following, left, file, hash } = followed;
        let copy = following.join()?;
        let stamp = if left.size > SMALL { file.settled_stamp() } else { file.stamp() };
        let stamp = stamp.filter(|stamp| stamp.file == left)?;
        let mut label = following.new.clone();
        label.ledgers[following.source] = LabelledFile { file: left, read_at: stamp.read_at, hash };
        copy.put(label, self.image.as_deref()?)
    }
}

/// Applies the changes of a write to the database of an image.
fn change_image(
    cache: &mut Cache,
    clock: &Clock,
    seed: u64,
    source: usize,
    changes: &[(LineChange, Option<usize>)],
) -> Option<()> {
    let ids: BTreeSet<&str> = changes.iter().map(|(change, _)| change.id.as_str()).collect();
    let mut inserted: Vec<(usize, &str)> = Vec::new();
    let line_of = |text: &str, key| KeptLine { hash: text_hash(seed, text.as_bytes()), key, length: text.len() as u32 };
    let mut key = cache.next_key().ok()?;
    // Copies in several repos must be compared.
    let is_alone = |id: &str| cache.sources_of(id).is_ok_and(|found| found.iter().all(|n| *n == source));
    if !ids.iter().all(|id| is_alone(id)) {
        return None;
    }
    for (change, _) in changes {
        let more = i64::from(change.after.is_some()) - i64::from(change.before.is_some());
        if let Some(prefix) = id::prefix_of(&change.id).filter(|_| more != 0) {
            cache.count_prefix(source, prefix, more).ok()?;
        }
    }
    let (mut gone, mut added): (_, Vec<(&str, _, _)>) = (Vec::new(), Vec::new());
    for (LineChange { id, before, after }, line) in changes {
        let Some(text) = before else {
            // An existing id is now on two lines.
            if cache.key_in(source, id).ok()?.is_some() {
                return None;
            }
            inserted.push(((*line)?, after.as_deref()?));
            continue;
        };
        let old = cache.key_in(source, id).ok()??;
        let chunk = cache.chunk_of(old).ok()??;
        let at = chunk.lines.iter().position(|line| line.key == old)?;
        if chunk.lines[at].hash != text_hash(seed, text.as_bytes()) {
            return None;
        }
        let mut lines = chunk.lines.clone();
        match after {
            Some(text) => {
                lines[at] = line_of(text, key);
                added.push((text, key, chunk.number));
                key += 1;
            }
            None => drop(lines.remove(at)),
        }
        gone.push(old);
        cache.set_lines(&chunk, lines).ok()?;
    }
    inserted.sort_by_key(|(line, _)| *line);
    for (line, text) in inserted {
        let chunk: Chunk = cache.chunk_at(source, line).ok()??;
        let mut lines = chunk.lines.clone();
        if line - chunk.first > lines.len() || lines.len() >= MAX_LINES {
            return None;
        }
        lines.insert(line - chunk.first, line_of(text, key));
        added.push((text, key, chunk.number));
        key += 1;
        cache.set_lines(&chunk, lines).ok()?;
    }
    let mut entries = Vec::new();
    for (text, key, chunk) in added {
        let (_, entry) = row_of(text.as_bytes(), key, &|| clock.calendar());
        let mut entry = entry?;
        entry.chunk = chunk;
        entries.push((key, entry));
    }
    cache.change(source, &gone, entries).ok()
}
