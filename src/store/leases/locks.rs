//! A locked state home and its claims.

use std::sync::{Arc, Mutex, PoisonError};

use crate::model::lease::Lease;
use crate::model::time::{Instant, SECOND};
use crate::store::StateDir;
use crate::store::state::leases::{Leases, is_lock, issue_of};
use crate::store::state::record_error::RecordError;
use crate::store::state::records::StateLock;
use crate::store::state::tables::LEASES;
use crate::sys::Entropy;

/// A locked state home and its current claims: no one else can change them.
#[derive(Debug)]
pub(crate) struct HeldHome {
    pub(in crate::store) dir: StateDir,
    pub(in crate::store) lock: StateLock,
    pub(in crate::store) leases: Mutex<Leases>,
    pub(in crate::store) floor: Floor,
}

/// Claims on an issue without a record start above this epoch. Records are never removed, so a file without any has
/// been emptied if there ever were claims: their epochs are lost, and no count of claims reaches the clock's seconds.
#[derive(Debug)]
pub(in crate::store) struct Floor {
    pub(in crate::store) epoch: i64,
    /// The state home has recorded it.
    pub(in crate::store) is_noted: Mutex<bool>,
}

impl Floor {
    pub(in crate::store) fn of(dir: &StateDir, leases: &Leases, now: Instant) -> Self {
        let noted = dir.epoch_floor();
        let epoch = match noted {
            Some(epoch) if leases.is_empty() => epoch.max(now.nanos() / SECOND),
            _ => noted.unwrap_or(0),
        };
        Floor { epoch, is_noted: Mutex::new(noted == Some(epoch)) }
    }
}

impl HeldHome {
    pub(crate) fn dir(&self) -> &StateDir {
        &self.dir
    }

    /// The lock, for other files of the same state home.
    pub(crate) fn lock(&self) -> &StateLock {
        &self.lock
    }

    /// The claim record of an issue, by its key.
    pub(crate) fn lease(&self, key: &str) -> Lease {
        let leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        leases.get(key).cloned().unwrap_or_else(|| Lease { epoch: self.floor.epoch, ..Lease::new(key) })
    }

    /// The same, if the file has one.
    pub(crate) fn known(&self, key: &str) -> Option<Lease> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub(crate) fn all(&self) -> Leases {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A workflow has been locked at least once.
    pub(crate) fn has_locks(&self) -> bool {
        let leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        leases.keys().any(|key| is_lock(issue_of(key)))
    }

    /// Writes leases to disk. Unknown keys of a line are kept.
    pub(crate) fn put(&self, changed: &[Lease], entropy: &Entropy) -> std::result::Result<(), RecordError> {
        let mut is_noted = self.floor.is_noted.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_noted && !self.lock.is_outside() {
            self.dir.note_epoch_floor(self.floor.epoch)?;
            *is_noted = true;
        }
        LEASES.file(&self.dir).edit::<RecordError>(&self.lock, entropy, |document| {
            Ok(changed.iter().map(|lease| LEASES.replace_row(document, &lease.id, lease)).collect())
        })?;
        let mut leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        for lease in changed {
            leases.insert(lease.id.clone(), lease.clone());
        }
        Ok(())
    }
}

/// While this exists, no one else claims anything or writes to the state home.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct Idleness {
    pub(in crate::store) _held: Arc<HeldHome>,
}
