//! Locks of a write: state homes that know claims first, then ledgers.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::known::parse;
use super::locks::{Floor, HeldHome, Locks, Stillness};
use crate::ledger::LockedLedger;
use crate::store::names::LEASES_NAME;
use crate::store::{Result, StateDir, Store, StoreError};

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
