//! Locks of a write: state homes that know claims first, then ledgers.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{LEASES_NAME, Leases, parse};
use crate::ledger::LockedLedger;
use crate::model::lease::Lease;
use crate::model::time::{Instant, SECOND};
use crate::store::records::{Put, RecordError, StateLock};
use crate::store::{Result, StateDir, Store, StoreError};
use crate::sys::Entropy;

/// A state home whose lock is held, and its claims as they are: nobody else can change them.
#[derive(Debug)]
pub struct HeldHome {
    dir: StateDir,
    lock: StateLock,
    leases: Mutex<Leases>,
    floor: Floor,
}

/// Above which number the claims on an issue begin that the file says nothing of. Lines are never taken out of the file, so one
/// without any was emptied, if there ever were claims: their numbers are not known any more, and no count of grants reaches the
/// seconds of the clock.
#[derive(Debug)]
struct Floor {
    epoch: i64,
    /// The state home remembers it.
    is_noted: Mutex<bool>,
}

impl Floor {
    fn of(dir: &StateDir, leases: &Leases, now: Instant) -> Self {
        let noted = dir.epoch_floor();
        let epoch = match noted {
            Some(epoch) if leases.is_empty() => epoch.max(now.nanos() / SECOND),
            _ => noted.unwrap_or(0),
        };
        Floor { epoch, is_noted: Mutex::new(noted == Some(epoch)) }
    }
}

impl HeldHome {
    pub fn dir(&self) -> &StateDir {
        &self.dir
    }

    /// The lock, for other files of the same state home.
    pub fn lock(&self) -> &StateLock {
        &self.lock
    }

    /// What is known of an issue, by its key.
    pub fn lease(&self, key: &str) -> Lease {
        let leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        leases.get(key).cloned().unwrap_or_else(|| Lease { epoch: self.floor.epoch, ..Lease::new(key) })
    }

    pub fn all(&self) -> Leases {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Somebody has locked a workflow, once at least.
    pub fn has_locks(&self) -> bool {
        let leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        leases.keys().any(|key| super::lock::is_lock(super::fence::issue_of(key)))
    }

    /// Writes leases to the disk. What this version does not know of a line is left in it.
    pub fn put(&self, changed: &[Lease], entropy: &Entropy) -> std::result::Result<(), RecordError> {
        let mut is_noted = self.floor.is_noted.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_noted {
            self.dir.note_epoch_floor(self.floor.epoch)?;
            *is_noted = true;
        }
        self.dir.file(LEASES_NAME).edit::<RecordError>(&self.lock, entropy, |_| {
            Ok(changed.iter().map(|lease| Put::Line { id: lease.id.clone(), text: lease.render() }).collect())
        })?;
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        for lease in changed {
            leases.insert(lease.id.clone(), lease.clone());
        }
        Ok(())
    }
}

/// As long as this is there, nobody else claims anything or writes to the state home.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct Stillness {
    _held: Arc<HeldHome>,
}

/// The locks of some ledgers, and of the state homes that know claims on their issues.
#[derive(Debug)]
#[must_use = "the locks are released when this is dropped"]
pub struct Locks {
    /// Released first.
    pub ledgers: Vec<(usize, LockedLedger)>,
    _homes: Vec<Arc<HeldHome>>,
}

impl Locks {
    pub fn none() -> Self {
        Locks { ledgers: Vec::new(), _homes: Vec::new() }
    }
}

impl Deref for Locks {
    type Target = Vec<(usize, LockedLedger)>;

    fn deref(&self) -> &Self::Target {
        &self.ledgers
    }
}

impl DerefMut for Locks {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.ledgers
    }
}

impl Store {
    /// Takes the lock of a state home, or shares it with whoever holds it in this store already.
    pub(in crate::store) fn hold(&self, dir: StateDir) -> Result<Arc<HeldHome>> {
        self.hold_within(dir, self.lock_wait)
    }

    /// Keeps the state home of the project as it is, for a decision that rests on it.
    pub fn keep_still(&self) -> Result<Stillness> {
        Ok(Stillness { _held: self.hold(self.state())? })
    }

    /// The same for the state home of another repo of the project.
    pub fn keep_still_in(&self, state: &StateDir) -> Result<Stillness> {
        Ok(Stillness { _held: self.hold(state.clone())? })
    }

    /// The same, waiting no longer than this.
    pub(in crate::store) fn hold_within(&self, dir: StateDir, wait: Duration) -> Result<Arc<HeldHome>> {
        if let Some(held) = self.held_home(dir.path()) {
            return Ok(held);
        }
        // Which state home it should be is not known.
        if self.settings.held.iter().any(|held| held.setting.key.name == "state.mode") {
            self.refuse_unmarked()?;
        }
        let lock = dir.lock(wait)?;
        let leases = parse(&self.records(&dir.file(LEASES_NAME))?);
        let floor = Floor::of(&dir, &leases, self.host.clock.now());
        let held = Arc::new(HeldHome { dir, lock, leases: Mutex::new(leases), floor });
        let mut homes = self.held_homes.borrow_mut();
        homes.retain(|known| known.strong_count() > 0);
        homes.push(Arc::downgrade(&held));
        Ok(held)
    }

    /// A state home that this store holds the lock of.
    pub(in crate::store) fn held_home(&self, path: &Path) -> Option<Arc<HeldHome>> {
        self.held_homes.borrow().iter().filter_map(std::sync::Weak::upgrade).find(|held| held.dir.path() == path)
    }

    /// Locks ledgers, in the order of their paths; before them the state homes in which somebody has claimed something, so that
    /// no claim changes between a look at it and the write.
    pub(in crate::store) fn lock(&self, wanted: &[usize]) -> Result<Locks> {
        let mut homes: Vec<StateDir> = wanted.iter().map(|source| self.lease_home(*source)).collect();
        homes.sort_by(|a, b| a.path().cmp(b.path()));
        homes.dedup_by(|a, b| a.path() == b.path());
        homes.retain(|home| home.path().join(LEASES_NAME).exists());
        let homes = homes.into_iter().map(|home| self.hold(home)).collect::<Result<Vec<_>>>()?;
        Ok(Locks { ledgers: self.lock_ledgers(wanted)?, _homes: homes })
    }

    /// Locks ledgers alone, for what runs programs meanwhile and changes no issue of its own accord.
    pub(in crate::store) fn lock_ledgers(&self, wanted: &[usize]) -> Result<Vec<(usize, LockedLedger)>> {
        self.writing.borrow_mut().start();
        let mut order: Vec<usize> = wanted.to_vec();
        order.sort_by(|a, b| self.sources.ledger(*a).path().cmp(self.sources.ledger(*b).path()));
        order.dedup();
        let directory = |n: usize| self.sources.ledger(n).path().parent();
        // They share one lock, and nobody knows which of them to write.
        if let Some(pair) = order.windows(2).find(|pair| directory(pair[0]) == directory(pair[1])) {
            let directory = directory(pair[0]).unwrap_or(Path::new(".")).to_owned();
            return Err(StoreError::TwoLedgers { directory });
        }
        let mut ledgers = Vec::new();
        for n in order {
            ledgers.push((n, self.sources.ledger(n).lock(self.lock_wait)?));
        }
        Ok(ledgers)
    }
}
