//! Ledgers whose locks are held for several operations. What one of them plans the next one sees, though no file has it yet.

use super::mirror::row_of;
use super::{Held, Mirror, Read, Row, Sources};
use crate::cache::{Cache, Key};
use crate::ledger::{Document, Edit, Ledger};
use crate::store::Result;

impl Sources {
    /// Reads ledgers whose locks were just taken, and looks at their files no more until [`Sources::let_go`].
    pub fn hold(&mut self, locked: &[usize], cache: &mut Cache) -> Result<()> {
        if self.asked.is_some() {
            self.leave_image(cache);
        }
        for n in locked {
            if let Some(read) = self.look(*n)? {
                self.replace(*n, read, cache)?;
            }
            // One that cannot be read is not written either.
            self.all[*n].held = self.all[*n].read.is_some().then(Held::default);
        }
        Ok(())
    }

    pub fn is_held(&self) -> bool {
        self.all.iter().any(|source| source.held.is_some())
    }

    /// A ledger that is held, with what was planned for it.
    pub fn held(&self, ledger: &Ledger) -> Option<&Document> {
        let source = self.all.iter().find(|source| source.held.is_some() && source.ledger == *ledger)?;
        source.read.as_ref().map(|read| &read.document)
    }

    /// Shows what edits make of a ledger that is held.
    pub fn plan(&mut self, n: usize, edits: Vec<Edit>) {
        let source = &mut self.all[n];
        let (Some(read), Some(held)) = (&mut source.read, &mut source.held) else { return };
        let lines = read.document.plan_edits(edits);
        held.is_planned |= !lines.is_empty();
        if matches!(read.mirror, Mirror::Rows(_)) {
            held.unmirrored.extend(lines);
        }
    }

    /// The files decide again. What was planned is found in them, or it is gone.
    pub fn let_go(&mut self) {
        for source in &mut self.all {
            let held = source.held.take();
            source.stale |= held.is_some_and(|held| held.is_planned);
        }
    }

    /// Lets the cache have what was planned since the last question. Gives how many lines were parsed.
    pub(super) fn mirror_planned(&mut self, cache: &mut Cache) -> Result<usize> {
        let mut parsed = 0;
        for n in 0..self.all.len() {
            let Some(held) = &mut self.all[n].held else { continue };
            let mut lines = std::mem::take(&mut held.unmirrored);
            lines.sort_unstable();
            lines.dedup();
            let Some(Read { document, stamp, mirror: Mirror::Rows(mut rows) }) =
                self.all[n].read.take_if(|_| !lines.is_empty())
            else {
                continue;
            };
            let (mut gone, mut added) = (Vec::new(), Vec::new());
            for line in &lines {
                let old = rows.get(*line).cloned();
                let (row, entry) = row_of(document.text(*line), self.places.len() as Key, &|| self.clock.calendar());
                let mut chunk = 0;
                if let Some(Row::Issue(key)) = old {
                    chunk = self.chunks[key as usize];
                    gone.push(key);
                }
                if let Some(mut entry) = entry {
                    entry.1.chunk = chunk;
                    self.chunks.push(chunk);
                    self.zoned.extend(entry.1.depends_on_zone().then_some(entry.0));
                    self.places.push((n as u32, *line as u32));
                    added.push(entry);
                }
                match rows.get_mut(*line) {
                    Some(place) => *place = row,
                    // New lines come in their order.
                    None => rows.push(row),
                }
            }
            cache.change(n, &gone, added)?;
            parsed += lines.len();
            self.unsettled = true;
            self.maybe_doubled |= self.all.len() > 1;
            self.all[n].read = Some(Read { document, stamp, mirror: Mirror::Rows(rows) });
        }
        Ok(parsed)
    }
}
