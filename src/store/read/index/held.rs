//! Ledgers whose locks are held for several operations. What one of them plans the next one sees, though no file has it yet.

use super::super::fact::Fact;
use super::build::row_of;
use super::parts::{Held, Index, Read, Row, Sources, Texts, locked};
use crate::ledger::{Document, Edit, Ledger};
use crate::store::Result;

impl Sources {
    /// Reads ledgers whose locks were just taken, and looks at their files no more until [`Sources::let_go`].
    pub fn hold(&mut self, locked: &[usize]) -> Result<()> {
        let mut texts = self.texts.take().unwrap_or_else(|| Texts::unread(self.all.len()));
        self.index.again();
        if texts.image.is_some() {
            texts.leave_image();
        }
        for n in locked {
            texts.bring_one(self, *n)?;
            // One that cannot be read is not written either.
            texts.all[*n].held = texts.all[*n].read.is_some().then(Held::default);
        }
        self.texts = Fact::after(texts);
        self.is_held = true;
        self.read()
    }

    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// A ledger that is held, with what was planned for it.
    pub fn held(&self, ledger: &Ledger) -> Option<&Document> {
        let text = &self.texts().ok()?.all[self.find(ledger)?];
        text.read.as_ref().filter(|_| text.held.is_some()).map(|read| &read.document)
    }

    /// Shows what edits make of a ledger that is held.
    pub fn plan(&mut self, n: usize, edits: Vec<Edit>) {
        let is_indexed = self.index.is_begun();
        let _ = self.texts();
        let Some(text) = self.texts.known_mut().map(|texts| &mut texts.all[n]) else { return };
        let (Some(read), Some(held)) = (&mut text.read, &mut text.held) else { return };
        let lines = read.document.plan_edits(edits);
        held.is_planned |= !lines.is_empty();
        if is_indexed {
            locked(&held.unindexed).extend(lines);
        }
        self.index.again();
    }

    /// The files decide again. What was planned is found in them, or it is gone.
    pub fn let_go(&mut self) {
        let mut texts = self.texts.take();
        for text in texts.iter_mut().flat_map(|texts| &mut texts.all) {
            let held = text.held.take();
            text.stale |= held.is_some_and(|held| held.is_planned);
        }
        self.texts = texts.map(Fact::after).unwrap_or_default();
        self.is_held = false;
        self.index.again();
    }
}

impl Index {
    /// Lets the index have what was planned since the last question. Gives how many lines were parsed.
    pub(super) fn add_planned(&mut self, sources: &Sources, texts: &Texts) -> Result<usize> {
        let mut parsed = 0;
        for (n, text) in texts.all.iter().enumerate() {
            let (Some(held), Some(Read { document, .. })) = (&text.held, &text.read) else { continue };
            let mut lines = std::mem::take(&mut *locked(&held.unindexed));
            lines.sort_unstable();
            lines.dedup();
            let Some((version, mut rows)) = self.rows[n].take_if(|_| !lines.is_empty()) else { continue };
            let (mut gone, mut added) = (Vec::new(), Vec::new());
            for line in &lines {
                let old = rows.get(*line).cloned();
                let (row, entry) = row_of(document.text(*line), self.keys.next(), &|| sources.clock.calendar());
                let mut chunk = 0;
                if let Some(Row::Issue(key)) = old {
                    chunk = self.keys.chunks[key as usize];
                    gone.push(key);
                }
                added.extend(entry.map(|entry| self.keys.add(entry, (n, *line), chunk)));
                match rows.get_mut(*line) {
                    Some(place) => *place = row,
                    // New lines come in their order.
                    None => rows.push(row),
                }
            }
            self.cache_mut().change(n, &gone, added)?;
            parsed += lines.len();
            self.unsettled = true;
            self.maybe_doubled |= texts.all.len() > 1;
            self.rows[n] = Some((version, rows));
        }
        Ok(parsed)
    }
}
