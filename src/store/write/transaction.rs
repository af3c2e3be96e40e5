//! A write: lock, read from disk, change, write back.

use std::sync::Arc;

use super::guard_input::RestOfTransaction;
use super::guards::{GUARDS, Guard};
use super::intent::{Answer, Intent, Scope, Write, WriteError, Written};
use super::lock::Locks;
use super::round::{Round, Staged, Where};
use super::status;
use crate::ledger::LedgerError;
use crate::store::{Result, Store, StoreError};

/// Holds the locks of the ledgers it writes. Dropping it without [`Transaction::commit`] changes nothing.
#[derive(Debug)]
#[must_use = "a transaction that is dropped writes nothing"]
pub struct Transaction<'s> {
    pub(super) store: &'s mut Store,
    /// The locked ledgers, each with its source.
    pub(super) locks: Arc<Locks>,
    /// What to write, to which source; a write may have parts for several.
    staged: Vec<Staged>,
    /// How many writes there are.
    slots: usize,
    rest: RestOfTransaction,
    /// The numbering of sources when they were locked.
    numbering: u64,
}

/// How often to look up the owners again if issues moved before the locks were taken.
const MAX_TRIES: usize = 20;

impl Store {
    /// Locks ledgers for writing, in the order of their paths, so that two transactions cannot deadlock.
    pub fn begin(&mut self, scope: Scope) -> Result<Transaction<'_>> {
        let locks = self.locked_for(scope)?;
        let (numbering, rest) = (self.numbering, RestOfTransaction::default());
        Ok(Transaction { store: self, locks, staged: Vec::new(), slots: 0, rest, numbering })
    }

    fn locked_for(&mut self, scope: Scope) -> Result<Arc<Locks>> {
        if let Scope::Issues(_) = scope {
            self.look_again()?;
        }
        // With them, it is unknown where a write belongs.
        self.refuse_broken()?;
        if let Some(locks) = self.held_together() {
            return Ok(locks);
        }
        for _ in 0..MAX_TRIES {
            let wanted = self.sources_of(&scope)?;
            let locks = self.lock(&wanted)?;
            // An issue may have moved to another ledger before this one was locked.
            let settled = match &scope {
                Scope::Issues(_) => self.sources_of(&scope)?.iter().all(|n| wanted.contains(n)),
                Scope::Repos(_) | Scope::All => true,
            };
            if settled {
                return Ok(Arc::new(locks));
            }
        }
        let path = self.repos.primary_member().repo.beads().to_owned();
        Err(LedgerError::Unstable { path }.into())
    }

    /// Releases locks and updates the index. A write that may not be on disk has failed.
    pub(super) fn give_back(&mut self, locks: Arc<Locks>, staged: &[Staged], answers: &mut [Answer]) {
        for (source, error) in Locks::release(locks) {
            for part in staged.iter().filter(|part| part.source == source) {
                answers[part.slot] = Err(error.clone().into());
            }
        }
        self.sources.follow_writes();
        self.look_at_issues_again();
    }

    /// Makes one write in a transaction of its own.
    pub(in crate::store) fn write_one(&mut self, scope: Scope, intent: Intent, write: Write) -> Result<Written> {
        let mut transaction = self.begin(scope)?;
        transaction.stage_as(intent, write)?;
        Ok(transaction.commit()?.into_iter().next().expect("one write gives one answer")?)
    }
}

impl Transaction<'_> {
    /// The store, for questions whose answer must hold until the commit. Ask
    /// [`Snapshot::refresh`](crate::store::Snapshot::refresh) first.
    pub fn store(&mut self) -> &mut Store {
        self.store
    }

    /// Adds a write to the transaction, if it is allowed.
    pub fn stage(&mut self, write: Write) -> Result<()> {
        self.stage_as(Intent::Edit, write)
    }

    fn stage_as(&mut self, intent: Intent, write: Write) -> Result<()> {
        self.check_numbering()?;
        let placed = self.store.place(write, intent)?;
        for (n, guard) in GUARDS.iter().enumerate() {
            let Guard::Write(refuse) = guard else { continue };
            let verdict = refuse(self.store, &placed, &mut self.rest);
            // The guards may have refreshed the store.
            self.check_numbering()?;
            if let Err(error) = verdict {
                let is_later = GUARDS[..n].iter().any(|guard| matches!(guard, Guard::Line(_)));
                return Err(is_later.then(|| self.refused_line(intent, &placed.parts)).flatten().unwrap_or(error));
            }
        }
        let is_locked = |n: usize| self.locks.iter().any(|(locked, _)| *locked == n);
        if let Some((n, _)) = placed.parts.iter().find(|(n, _)| !is_locked(*n)) {
            return Err(LedgerError::Unstable { path: self.store.sources.ledger(*n).path().to_owned() }.into());
        }
        let slot = self.slots;
        self.slots += 1;
        // The final time is set when it is written.
        let at = self.store.host.clock.now();
        self.staged.extend(placed.parts.into_iter().map(|(source, write)| Staged { source, write, intent, at, slot }));
        Ok(())
    }

    /// Why claims or locks refuse a line of a write, if they do.
    fn refused_line(&mut self, intent: Intent, parts: &[(usize, Write)]) -> Option<StoreError> {
        let at = self.store.host.clock.now();
        let staged =
            |(source, write): &(usize, Write)| Staged { source: *source, write: write.clone(), intent, at, slot: 0 };
        parts.iter().find_map(|part| {
            let answer = Round::new(self.store, &self.locks).rehearsed(&staged(part))?;
            answer.err().filter(|error| matches!(error, WriteError::Lease(_))).map(StoreError::from)
        })
    }

    /// Refuses a line from elsewhere that claims a task against the rules of its workflow.
    pub fn refuse_taking(&mut self, write: &Write) -> Result<()> {
        status::refuse_taking(self.store, write, &mut self.rest)
    }

    /// Settings may be edited while the locks are held; repos then have other numbers.
    fn check_numbering(&self) -> Result<()> {
        if self.numbering == self.store.numbering {
            return Ok(());
        }
        Err(LedgerError::Unstable { path: self.store.settings.files.shared.clone() }.into())
    }

    /// Checks every write on what is on disk now, for writes that belong together. Writes nothing.
    pub fn rehearse(&mut self) -> Result<()> {
        self.check_numbering()?;
        let none = (0..self.slots).map(|_| None).collect();
        let answers = Round::new(self.store, &self.locks).make(&self.staged, none, Where::Nowhere)?;
        Ok(answers.into_iter().try_for_each(|answer| answer.map(drop))?)
    }

    /// Writes what was staged. Gives what was written, and why the first that was refused was.
    pub fn commit_all(self) -> Result<(Vec<Written>, Option<StoreError>)> {
        let (mut written, mut failed) = (Vec::new(), None);
        for answer in self.commit()? {
            match answer {
                Ok(one) => written.push(one),
                Err(error) => failed = failed.or(Some(error.into_store())),
            }
        }
        Ok((written, failed))
    }

    /// Writes what was staged, one ledger after the other. One answer per write, in order; successful ones are on disk
    /// when this returns, or with the owner of the locks ([`Together`](super::Together)) when that is committed.
    pub fn commit(self) -> Result<Vec<std::result::Result<Written, WriteError>>> {
        if !self.staged.is_empty() {
            self.check_numbering()?;
            self.store.refuse_failed_read()?;
        }
        let Transaction { store, locks, mut staged, slots, .. } = self;
        // One time for all parts, so that the copies of an issue stay equal.
        let now = store.host.clock.now();
        staged.iter_mut().for_each(|part| part.at = now);
        let is_together = store.held_together().is_some();
        let place = if is_together { Where::Memory } else { Where::Disk };
        let mut round = Round::new(store, &locks);
        let refused = round.refused_halves(&staged, slots);
        let mut answers = round.make(&staged, refused, place)?;
        let committed = round.committed;
        store.give_back(locks, &staged, &mut answers);
        if is_together {
            store.gather(staged, &answers);
        } else {
            store.commit_ledgers(&committed);
        }
        Ok(answers)
    }
}
