//! Ledgers locked for several operations. Plans of one operation are visible to the next, though no file has them yet.

use super::super::fact::Fact;
use super::build::row_of;
use super::parts::{Held, Index, Read, Row, Sources, Texts, locked};
use crate::ledger::{Document, Edit, Ledger};
use crate::store::Result;

impl Sources {
    /// Reads ledgers that were just locked, and ignores their files until [`Sources::let_go`].
    pub(crate) fn hold(&mut self, locked: &[usize]) -> Result<()> {
        let mut texts = self.texts.take().unwrap_or_else(|| Texts::unread(self.all.len()));
        self.index.invalidate();
        if texts.image.is_some() {
            texts.leave_image();
        }
        for n in locked {
            texts.bring_one(self, *n)?;
            // An unreadable ledger is not written either.
            texts.all[*n].held = texts.all[*n].read.is_some().then(Held::default);
        }
        self.texts = Fact::after(texts);
        self.is_held = true;
        self.read()
    }

    pub(crate) fn is_held(&self) -> bool {
        self.is_held
    }

    /// A held ledger, including planned edits.
    pub(crate) fn held(&self, ledger: &Ledger) -> Option<&Document> {
        let text = &self.texts().ok()?.all[self.find(ledger)?];
        text.read.as_ref().filter(|_| text.held.is_some()).map(|read| &read.document)
    }

    /// Shows the result of edits in a held ledger.
    pub(crate) fn plan(&mut self, n: usize, edits: Vec<Edit>) {
        let is_indexed = self.index.has_result();
        let _ = self.texts();
        let Some(text) = self.texts.known_mut().map(|texts| &mut texts.all[n]) else { return };
        let (Some(read), Some(held)) = (&mut text.read, &mut text.held) else { return };
        let lines = read.document.plan_edits(edits);
        held.is_planned |= !lines.is_empty();
        if is_indexed {
            locked(&held.unindexed).extend(lines);
        }
        self.index.invalidate();
    }

    /// The files count again. Planned edits are either in them or gone.
    pub(crate) fn let_go(&mut self) {
        let mut texts = self.texts.take();
        for text in texts.iter_mut().flat_map(|texts| &mut texts.all) {
            let held = text.held.take();
            text.stale |= held.is_some_and(|held| held.is_planned);
        }
        self.texts = texts.map(Fact::after).unwrap_or_default();
        self.is_held = false;
        self.index.invalidate();
    }
}

impl Index {
    /// Adds edits planned since the last question to the index. Returns how many lines were parsed.
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
                if let Some(Row::Issue(key)) = old {
                    gone.push(key);
                }
                added.extend(entry.map(|entry| self.keys.add(entry, (n, *line))));
                match rows.get_mut(*line) {
                    Some(place) => *place = row,
                    // New lines come in order.
                    None => rows.push(row),
                }
            }
            self.cache_mut().change(n, &gone, added)?;
            parsed += lines.len();
            self.unsettled |= texts.all.len() > 1 || !self.doubled.is_empty();
            self.rows[n] = Some((version, rows));
        }
        Ok(parsed)
    }
}
