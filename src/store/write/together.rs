//! Several operations as one write: one lock, one file and one log line per ledger.
//!
//! While the locks are held, each operation makes its transaction as usual: every guard is asked, and later operations
//! see earlier plans as if they were on disk (`index::held`). [`Together::commit`] then makes all of it on what is on
//! disk, as one transaction with many writes; dropping it writes nothing.

use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::intent::{Answer, Scope, Write, WriteError, Written};
use super::lock::Locks;
use super::round::{Round, Staged, Where};
use super::transaction::Transaction;
use crate::model::id::IssueId;
use crate::store::{Result, Store};

/// What operations have planned under common locks.
#[derive(Debug)]
pub(in crate::store) struct Gathered {
    locks: Arc<Locks>,
    staged: Vec<Staged>,
    slots: usize,
}

/// A store whose changes are written together. Operations use it like a store.
#[derive(Debug)]
#[must_use = "what is dropped is not written"]
pub struct Together<'s> {
    store: &'s mut Store,
}

impl Store {
    /// Locks some ledgers for several operations. Operations that need other ledgers are refused.
    pub fn together(&mut self, scope: Scope) -> Result<Together<'_>> {
        let Transaction { locks, store, .. } = self.begin(scope)?;
        let locked: Vec<usize> = locks.iter().map(|(source, _)| *source).collect();
        store.snapshot.sources.hold(&locked)?;
        store.gathered = Some(Gathered { locks, staged: Vec::new(), slots: 0 });
        Ok(Together { store })
    }

    pub(super) fn held_together(&self) -> Option<Arc<Locks>> {
        self.gathered.as_ref().map(|gathered| Arc::clone(&gathered.locks))
    }

    /// Adds what a transaction has planned, except refused writes. A new issue keeps its id.
    pub(super) fn gather(&mut self, staged: Vec<Staged>, answers: &[Answer]) {
        let Some(gathered) = &mut self.gathered else { return };
        let accepted = answers.iter().scan(gathered.slots, |next, answer| {
            let slot = *next;
            *next += usize::from(answer.is_ok());
            Some(slot)
        });
        let accepted: Vec<usize> = accepted.collect();
        for mut part in staged {
            let Ok(written) = &answers[part.slot] else { continue };
            if let Write::File { id: id @ None, .. } = &mut part.write {
                *id = IssueId::parse(&written.id).ok();
            }
            gathered.staged.push(Staged { slot: accepted[part.slot], ..part });
        }
        gathered.slots += answers.iter().flatten().count();
    }
}

impl Deref for Together<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.store
    }
}

impl DerefMut for Together<'_> {
    fn deref_mut(&mut self) -> &mut Store {
        self.store
    }
}

impl Drop for Together<'_> {
    fn drop(&mut self) {
        self.store.gathered = None;
        self.store.snapshot.sources.let_go();
    }
}

impl Together<'_> {
    /// How many writes the operations have planned so far.
    pub fn planned(&self) -> usize {
        self.store.gathered.as_ref().map_or(0, |gathered| gathered.slots)
    }

    /// The repos whose ledgers would be written.
    pub fn repos(&self) -> Vec<String> {
        let staged = self.store.gathered.iter().flat_map(|gathered| &gathered.staged);
        let sources: BTreeSet<usize> = staged.map(|part| part.source).collect();
        let name = |source| self.store.name(self.store.sources.member_of(source)).to_owned();
        sources.into_iter().map(name).collect()
    }

    /// Writes everything planned. One answer per write, in order; successful ones are on disk when this returns. With
    /// `is_whole`, a ledger gets all of its writes or none.
    pub fn commit(self, is_whole: bool) -> Result<Vec<std::result::Result<Written, WriteError>>> {
        // A refusal by one ledger must be found before another is on disk.
        let is_alone = self.repos().len() < 2;
        let Some(Gathered { locks, staged, slots }) = self.store.gathered.take() else { return Ok(Vec::new()) };
        let refused = match is_alone {
            true => no_answers(slots),
            false => {
                let found = Round::new(self.store, &locks).make(&staged, no_answers(slots), Where::Nowhere)?;
                found.into_iter().map(|answer| answer.is_err().then_some(answer)).collect()
            }
        };
        let mut round = Round::new(self.store, &locks);
        round.is_whole = is_whole;
        let mut answers = round.make(&staged, refused, Where::Disk)?;
        let committed = round.committed;
        self.store.give_back(locks, &staged, &mut answers);
        self.store.snapshot.sources.let_go();
        self.store.commit_ledgers(&committed);
        Ok(answers)
    }

    /// The same, without writing.
    pub fn rehearse(self) -> Result<Vec<std::result::Result<Written, WriteError>>> {
        let Some(Gathered { locks, staged, slots }) = self.store.gathered.take() else { return Ok(Vec::new()) };
        Round::new(self.store, &locks).make(&staged, no_answers(slots), Where::Nowhere)
    }
}

fn no_answers(slots: usize) -> Vec<Option<Answer>> {
    (0..slots).map(|_| None).collect()
}
