//! Writing: locks first, then what is on disk, then the change, then the disk again.

use super::asked::Along;
use super::draft::Draft;
use super::guards::{GUARDS, Guard};
use super::intent::{Answer, Fresh, Intent, Scope, Write, WriteError, Written};
use super::lock::Locks;
use super::plan::Plan;
use super::status;
use crate::ledger::{LedgerError, LockedLedger, Outcome};
use crate::model::change::Change;
use crate::model::time::Instant;
use crate::store::{Result, Store, StoreError};

/// A part of a write.
#[derive(Debug)]
struct Staged {
    source: usize,
    write: Write,
    intent: Intent,
    /// Which write it is a part of.
    slot: usize,
}

/// Holds the locks of the ledgers it writes. Dropping it without [`Transaction::commit`] changes nothing.
#[derive(Debug)]
#[must_use = "a transaction that is dropped writes nothing"]
pub struct Transaction<'s> {
    store: &'s mut Store,
    /// The locked ledgers and which source each is.
    locks: Locks,
    /// What to write, and to which source; a write may have parts for several.
    staged: Vec<Staged>,
    /// How many writes there are.
    slots: usize,
    along: Along,
    /// Under which numbers the sources were locked.
    numbering: u64,
}

/// How often owners of issues are looked up again if issues moved before the locks were taken.
const MAX_TRIES: usize = 20;

impl Store {
    /// Locks ledgers for writing, in the order of their paths, so that two transactions cannot wait for each other.
    pub fn begin(&mut self, scope: Scope) -> Result<Transaction<'_>> {
        if let Scope::Issues(_) = scope {
            self.look_around()?;
        }
        if let Some(error) = self.settings.broken.first() {
            // Where a write belongs is not known.
            return Err(error.clone().into());
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
                let (numbering, along) = (self.numbering, Along::default());
                return Ok(Transaction { store: self, locks, staged: Vec::new(), slots: 0, along, numbering });
            }
        }
        let path = self.repos.primary_member().repo.beads().to_owned();
        Err(LedgerError::Unstable { path }.into())
    }

    /// Makes one write as a transaction of its own.
    pub(in crate::store) fn write_one(&mut self, scope: Scope, intent: Intent, write: Write) -> Result<Written> {
        let mut transaction = self.begin(scope)?;
        transaction.stage_as(intent, write)?;
        Ok(transaction.commit()?.into_iter().next().expect("one write gives one answer")?)
    }
}

impl Transaction<'_> {
    /// The store, for questions whose answer must hold until the commit. Ask [`View::refresh`](crate::store::View::refresh) first.
    pub fn store(&mut self) -> &mut Store {
        self.store
    }

    /// Takes a write into the transaction, unless it may not be made.
    pub fn stage(&mut self, write: Write) -> Result<()> {
        self.stage_as(Intent::Edit, write)
    }

    fn stage_as(&mut self, intent: Intent, write: Write) -> Result<()> {
        self.check_numbering()?;
        let placed = self.store.place(write, intent)?;
        for (n, guard) in GUARDS.iter().enumerate() {
            let Guard::Write(refuse) = guard else { continue };
            let verdict = refuse(self.store, &placed, &mut self.along);
            // It may have looked around.
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
        self.staged.extend(placed.parts.into_iter().map(|(source, write)| Staged { source, write, intent, slot }));
        Ok(())
    }

    /// Why claims or locks refuse a line of a write, if they do.
    fn refused_line(&mut self, intent: Intent, parts: &[(usize, Write)]) -> Option<StoreError> {
        let (actor, now) = (self.store.actor().to_owned(), self.store.host.clock.now());
        parts.iter().find_map(|(source, write)| {
            let lock = lock_of(&self.locks, *source)?;
            let answer = rehearsed(self.store, (*source, lock), intent, write, (&actor, now));
            answer.err().filter(|error| matches!(error, WriteError::Lease(_))).map(StoreError::from)
        })
    }

    /// Refuses a line from elsewhere that takes a task past the rules of its workflow.
    pub fn refuse_taking(&mut self, write: &Write) -> Result<()> {
        status::refuse_taking(self.store, write, &mut self.along)
    }

    /// The settings may be edited while the locks are held; the numbers of repos then mean something else.
    fn check_numbering(&self) -> Result<()> {
        if self.numbering == self.store.numbering {
            return Ok(());
        }
        Err(LedgerError::Unstable { path: self.store.settings.files.shared.clone() }.into())
    }

    /// Asks whether every write would be made, on what is on disk now: for those that belong together. Nothing is written.
    pub fn rehearse(&mut self) -> Result<()> {
        self.check_numbering()?;
        let actor = self.store.actor().to_owned();
        let now = self.store.host.clock.now();
        for (source, lock) in self.locks.iter() {
            let mine = || self.staged.iter().filter(|part| part.source == *source);
            if mine().next().is_none() {
                continue;
            }
            let fresh = self.store.fresh_for(*source, &mine().map(|part| &part.write).collect::<Vec<_>>())?;
            let plan = Plan::new(self.store, *source, &fresh, &actor, now);
            self.store.rehearse_ledger::<WriteError>(lock.ledger(), |draft| {
                plan.make(draft, mine().map(|part| (part.intent, &part.write)))
                    .into_iter()
                    .try_for_each(|one| one.map(drop))
            })?;
        }
        Ok(())
    }

    /// Writes what was staged, one ledger after the other. One answer per write, in order; the good ones are on disk when
    /// this returns.
    pub fn commit(self) -> Result<Vec<std::result::Result<Written, WriteError>>> {
        if !self.staged.is_empty() {
            self.check_numbering()?;
        }
        let Transaction { store, mut locks, staged, slots, .. } = self;
        let actor = store.actor().to_owned();
        // One moment for all parts, so that the copies of an issue stay alike.
        let now = store.host.clock.now();
        // The target's copy of a proposed issue before the planning copy: what it refuses is not made in the other.
        locks.sort_by_key(|(source, _)| staged.iter().position(|part| part.source == *source));
        let mut answers = refused_halves(store, &locks, &staged, slots, (&actor, now));
        let mut committed = Vec::new();
        for (source, lock) in locks.iter() {
            let failed = |slot: usize| matches!(answers[slot], Some(Err(_)));
            let mine: Vec<&Staged> =
                staged.iter().filter(|part| part.source == *source && !failed(part.slot)).collect();
            if mine.is_empty() {
                continue;
            }
            let writes: Vec<Write> =
                mine.iter().map(|part| in_step(&part.write, answers[part.slot].as_ref())).collect();
            let fresh = store.fresh_for(*source, &writes.iter().collect::<Vec<_>>())?;
            let plan = Plan::new(store, *source, &fresh, &actor, now);
            let mut planned = Vec::new();
            let outcome = store.write_ledger::<WriteError>(lock, |draft: &mut Draft<'_>| {
                planned = plan.make(draft, mine.iter().map(|part| part.intent).zip(&writes));
                Ok(())
            });
            match outcome {
                Ok(Outcome::Unchanged) => planned.iter_mut().flatten().for_each(|written| written.changed = false),
                Ok(Outcome::Written) => committed.push((*source, planned.iter().flatten().cloned().collect())),
                Err(error) => planned = writes.iter().map(|_| Err(error.clone())).collect(),
            }
            for (part, answer) in mine.into_iter().zip(planned) {
                let before = answers[part.slot].take();
                answers[part.slot] = Some(united(before, answer));
            }
        }
        drop(locks);
        store.commit_ledgers(&committed);
        Ok(answers.into_iter().map(|answer| answer.expect("every write is of a locked ledger")).collect())
    }
}

fn lock_of(locks: &Locks, source: usize) -> Option<&LockedLedger> {
    locks.iter().find(|(locked, _)| *locked == source).map(|(_, lock)| lock)
}

/// What would come of one write, on what is on disk now.
fn rehearsed(
    store: &Store,
    (source, lock): (usize, &LockedLedger),
    intent: Intent,
    write: &Write,
    (actor, now): (&str, Instant),
) -> Answer {
    let fresh = Fresh::default();
    let mut answers = Vec::new();
    store.rehearse_ledger::<WriteError>(lock.ledger(), |draft| {
        answers = Plan::new(store, source, &fresh, actor, now).make(draft, [(intent, write)]);
        Ok(())
    })?;
    answers.remove(0)
}

/// An edit of a proposed issue goes to two ledgers: what one of them refuses is not made in the other. Gives the refusals, by write.
fn refused_halves(
    store: &Store,
    locks: &Locks,
    staged: &[Staged],
    slots: usize,
    by: (&str, Instant),
) -> Vec<Option<Answer>> {
    let refused = |slot: usize| {
        let parts: Vec<&Staged> = staged.iter().filter(|part| part.slot == slot).collect();
        let mut before: Option<Answer> = None;
        for part in parts.iter().filter(|_| parts.len() > 1) {
            let Some(lock) = lock_of(locks, part.source) else { continue };
            let write = in_step(&part.write, before.as_ref());
            let answer = rehearsed(store, (part.source, lock), part.intent, &write, by);
            before = Some(united(before.take(), answer));
        }
        // What a change itself does not allow may depend on an earlier one of this transaction: that is found when it is made.
        before.filter(|found| matches!(found, Err(WriteError::Lease(_) | WriteError::Ledger(_))))
    };
    (0..slots).map(refused).collect()
}

/// The planning part of an edit of a proposed issue notes what it is in step with: the target's line as just written.
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

/// The answer to a write of several parts: that of the first ledger, which changed something if any part did.
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
