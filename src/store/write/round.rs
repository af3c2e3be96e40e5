//! Turns staged writes into lines, ledger by ledger: on disk, in memory until the operations written together are
//! complete, or nowhere.

use super::draft::Draft;
use super::intent::{Answer, Fresh, Intent, Write, WriteError, Written};
use super::lock::Locks;
use super::plan::Plan;
use crate::ledger::{LockedLedger, OnDisk, Outcome};
use crate::model::change::Change;
use crate::model::time::Instant;
use crate::store::{Result, Store};

/// One part of a write.
#[derive(Debug)]
pub(super) struct Staged {
    pub source: usize,
    pub write: Write,
    pub intent: Intent,
    /// The time of the write.
    pub at: Instant,
    /// The index of the write it is part of.
    pub slot: usize,
}

/// Where to write the lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    Disk,
    /// Only visible in this store, until written together with those of other operations.
    Memory,
    Nowhere,
}

#[derive(Debug)]
pub(super) struct Round<'a> {
    store: &'a mut Store,
    locks: &'a Locks,
    actor: String,
    /// If one write to a ledger is refused, none of them is made.
    pub is_whole: bool,
    /// The ledgers that were written, with the new lines of each.
    pub committed: Vec<(usize, Vec<Written>)>,
}

impl<'a> Round<'a> {
    pub(super) fn new(store: &'a mut Store, locks: &'a Locks) -> Self {
        let actor = store.actor().to_owned();
        Round { store, locks, actor, is_whole: false, committed: Vec::new() }
    }

    /// Makes all writes that were not refused, one ledger after the other. One answer per write, in order.
    pub(super) fn make(
        &mut self,
        staged: &[Staged],
        mut answers: Vec<Option<Answer>>,
        place: Where,
    ) -> Result<Vec<Answer>> {
        // With several ledgers, sync each before writing the next.
        let on_disk = if self.locks.len() == 1 { OnDisk::AtRelease } else { OnDisk::Now };
        for (source, lock) in self.in_order(staged) {
            let failed = |slot: usize| matches!(answers[slot], Some(Err(_)));
            let mine: Vec<&Staged> = staged.iter().filter(|part| part.source == source && !failed(part.slot)).collect();
            if mine.is_empty() {
                continue;
            }
            let writes: Vec<Write> =
                mine.iter().map(|part| in_step(&part.write, answers[part.slot].as_ref())).collect();
            let fresh = self.store.fresh_for(source, &writes.iter().collect::<Vec<_>>())?;
            let mut planned = Vec::new();
            let outcome = {
                let (store, is_whole) = (&*self.store, self.is_whole);
                let plan = Plan::new(store, source, &fresh, &self.actor);
                let mut draw = |draft: &mut Draft<'_>| {
                    planned =
                        plan.make(draft, mine.iter().zip(&writes).map(|(part, write)| (part.intent, part.at, write)));
                    let refused = planned.iter().find_map(|answer| answer.as_ref().err());
                    refused.filter(|_| is_whole).map_or(Ok(()), |error| Err(error.clone()))
                };
                match place {
                    Where::Disk => {
                        store.write_ledger_until::<WriteError>(on_disk, lock, draw).map(|outcome| (outcome, Vec::new()))
                    }
                    Where::Memory => store
                        .draft_ledger::<WriteError>(lock.ledger(), &mut draw)
                        .map(|edits| (if edits.is_empty() { Outcome::Unchanged } else { Outcome::Written }, edits)),
                    Where::Nowhere => store
                        .rehearse_ledger::<WriteError>(lock.ledger(), draw)
                        .map(|()| (Outcome::Written, Vec::new())),
                }
            };
            match outcome {
                Ok((Outcome::Unchanged, _)) => {
                    planned.iter_mut().flatten().for_each(|written: &mut Written| written.changed = false);
                }
                Ok((Outcome::Written, edits)) => {
                    self.store.sources.plan(source, edits);
                    self.committed.push((source, planned.iter().flatten().cloned().collect()));
                }
                Err(error) => planned = writes.iter().map(|_| Err(error.clone())).collect(),
            }
            for (part, answer) in mine.into_iter().zip(planned) {
                let before = answers[part.slot].take();
                let is_started = matches!(&before, Some(Ok(first)) if first.changed) && place == Where::Disk;
                let answer =
                    answer.map_err(|error| if is_started { self.partly(part.slot, staged, error) } else { error });
                answers[part.slot] = Some(united(before, answer));
            }
        }
        Ok(answers.into_iter().map(|answer| answer.expect("every write is of a locked ledger")).collect())
    }

    /// A write whose earlier part is on disk.
    fn partly(&self, slot: usize, staged: &[Staged], error: WriteError) -> WriteError {
        let is_written = |source: usize| self.committed.iter().any(|(known, _)| *known == source);
        let parts = staged.iter().filter(|part| part.slot == slot && is_written(part.source));
        let path = |part: &Staged| self.store.sources.ledger(part.source).path().display().to_string();
        WriteError::Partly { changed: parts.map(path).collect(), source: Box::new(error) }
    }

    /// The result of one write on what is on disk now; `None` if its ledger is not locked.
    pub(super) fn rehearsed(&self, part: &Staged) -> Option<Answer> {
        let (_, lock) = self.locks.iter().find(|(locked, _)| *locked == part.source)?;
        let (fresh, mut answers) = (Fresh::default(), Vec::new());
        let plan = Plan::new(self.store, part.source, &fresh, &self.actor);
        let drawn = self.store.rehearse_ledger::<WriteError>(lock.ledger(), |draft| {
            answers = plan.make(draft, [(part.intent, part.at, &part.write)]);
            Ok(())
        });
        Some(drawn.and_then(|()| answers.remove(0)))
    }

    /// The ledgers to write, in order: the target's copy of a proposed issue before the planning copy.
    fn in_order(&self, staged: &[Staged]) -> Vec<(usize, &'a LockedLedger)> {
        let place = |source: usize| {
            let second = staged.windows(2).any(|pair| pair[0].slot == pair[1].slot && pair[1].source == source);
            (second, staged.iter().position(|part| part.source == source))
        };
        let mut order: Vec<(usize, &LockedLedger)> = self.locks.iter().map(|(source, lock)| (*source, lock)).collect();
        order.sort_by_cached_key(|(source, _)| place(*source));
        order
    }

    /// An edit of a proposed issue goes to two ledgers: if one refuses it, it is not made in the other. Returns the
    /// refusals, by write.
    pub(super) fn refused_halves(&self, staged: &[Staged], slots: usize) -> Vec<Option<Answer>> {
        let mut found: Vec<Option<Answer>> = (0..slots).map(|_| None).collect();
        for parts in staged.chunk_by(|one, other| one.slot == other.slot).filter(|parts| parts.len() > 1) {
            let mut before: Option<Answer> = None;
            for part in parts {
                let write = in_step(&part.write, before.as_ref());
                let Some(answer) = self.rehearsed(&Staged { write, ..*part }) else { continue };
                before = Some(united(before.take(), answer));
            }
            // Whether the change itself is valid may depend on an earlier one of this transaction, so this error is
            // found when it is made.
            found[parts[0].slot] =
                before.filter(|found| matches!(found, Err(WriteError::Lease(_) | WriteError::Ledger(_))));
        }
        found
    }
}

/// The planning part of an edit to a proposed issue records the target's line as just written, with which it is in
/// step.
fn in_step(write: &Write, before: Option<&Answer>) -> Write {
    let line = before.and_then(|answer| answer.as_ref().ok()).map(|written| &written.line);
    match (write, line) {
        (Write::Change { id, changes }, line) => {
            let noted = changes.iter().filter_map(|change| match (change, line) {
                (Change::Synced(_), Some(line)) => Some(Change::Synced(line.clone())),
                (Change::Synced(_), None) => None,
                (other, _) => Some(other.clone()),
            });
            Write::Change { id: id.clone(), changes: noted.collect() }
        }
        _ => write.clone(),
    }
}

/// The answer to a write of several parts: that of the first ledger, changed if any part changed something.
fn united(before: Option<Answer>, answer: Answer) -> Answer {
    match (before, answer) {
        (Some(Ok(first)), Ok(second)) if first.source_repo == second.source_repo => {
            Ok(Written { changed: first.changed || second.changed, before: first.before, ..second })
        }
        (Some(Ok(first)), Ok(second)) => Ok(Written { changed: first.changed || second.changed, ..first }),
        (Some(first @ Err(_)), _) => first,
        (_, answer) => answer,
    }
}
