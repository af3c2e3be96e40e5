//! Holding state homes: each is locked once, however many parts of a command need it.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::locks::{Floor, HeldHome, Idleness};
use crate::model::lease::Lease;
use crate::store::file_names::LEASES_NAME;
use crate::store::state::leases::parse;
use crate::store::{RecordError, Result, StateDir, Store};

impl Store {
    /// Locks a state home, or shares the lock that this store already holds.
    pub(in crate::store) fn hold(&mut self, dir: StateDir) -> Result<Arc<HeldHome>> {
        self.hold_within(dir, self.lock_wait)
    }

    /// Keeps the project's state home unchanged for a decision that depends on it.
    pub fn hold_unchanged(&mut self) -> Result<Idleness> {
        Ok(Idleness { _held: self.hold(self.state())? })
    }

    /// The same for the state home of another repo of the project.
    pub fn hold_unchanged_in(&self, state: &StateDir) -> Result<Idleness> {
        Ok(Idleness { _held: self.hold_file(state.clone(), self.lock_wait)? })
    }

    /// [`Store::hold`] with a time limit.
    pub(in crate::store) fn hold_within(&mut self, dir: StateDir, wait: Duration) -> Result<Arc<HeldHome>> {
        let held = self.hold_file(dir, wait)?;
        self.look_at_issues_again();
        Ok(held)
    }

    /// The same for files without issues or claims: what is cached of these stays valid.
    pub(in crate::store) fn hold_file(&self, dir: StateDir, wait: Duration) -> Result<Arc<HeldHome>> {
        if let Some(held) = self.held_home(dir.path()) {
            return Ok(held);
        }
        // It is unknown which state home to use.
        if self.settings.held.iter().any(|held| held.setting.key.name == "state.mode") {
            self.refuse_unmarked()?;
        }
        let lock = dir.lock(wait)?;
        // Other checkouts may have appeared while we waited.
        let dir = self.with_outboxes_now(dir);
        let leases = parse(&self.records(&dir.file(LEASES_NAME))?);
        let floor = Floor::of(&dir, &leases, self.host.clock.now());
        let held = Arc::new(HeldHome { dir, lock, leases: Mutex::new(leases), floor });
        let mut homes = self.held_homes.borrow_mut();
        homes.retain(|known| known.strong_count() > 0);
        homes.push(Arc::downgrade(&held));
        Ok(held)
    }

    /// Writes claims to disk.
    pub(in crate::store) fn put_leases(
        &mut self,
        home: &HeldHome,
        changed: &[Lease],
    ) -> std::result::Result<(), RecordError> {
        home.put(changed, &self.host.entropy)?;
        self.look_at_issues_again();
        Ok(())
    }

    /// A state home that this store has locked.
    pub(in crate::store) fn held_home(&self, path: &Path) -> Option<Arc<HeldHome>> {
        self.held_homes.borrow().iter().filter_map(std::sync::Weak::upgrade).find(|held| held.dir.path() == path)
    }
}
