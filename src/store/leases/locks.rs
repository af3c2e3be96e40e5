//! A state home whose lock is held, and the claims that it knows.

use std::sync::{Arc, Mutex, PoisonError};

use crate::model::lease::Lease;
use crate::model::time::{Instant, SECOND};
use crate::store::StateDir;
use crate::store::state::leases::Leases;
use crate::store::state::leases::{is_lock, issue_of};
use crate::store::state::record_error::RecordError;
use crate::store::state::records::StateLock;
use crate::store::state::tables::LEASES;
use crate::sys::Entropy;

/// A state home whose lock is held, and its claims as they are: nobody else can change them.
#[derive(Debug)]
pub struct HeldHome {
    pub(in crate::store) dir: StateDir,
    pub(in crate::store) lock: StateLock,
    pub(in crate::store) leases: Mutex<Leases>,
    pub(in crate::store) floor: Floor,
}

/// Above which number the claims on an issue begin that the file says nothing of. Lines are never taken out of the file, so one
/// without any was emptied, if there ever were claims: their numbers are not known any more, and no count of grants reaches the
/// seconds of the clock.
#[derive(Debug)]
pub(in crate::store) struct Floor {
    pub(in crate::store) epoch: i64,
    /// The state home remembers it.
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

    /// The same, if the file says something of it.
    pub fn known(&self, key: &str) -> Option<Lease> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub fn all(&self) -> Leases {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Somebody has locked a workflow, once at least.
    pub fn has_locks(&self) -> bool {
        let leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        leases.keys().any(|key| is_lock(issue_of(key)))
    }

    /// Writes leases to the disk. What this version does not know of a line is left in it.
    pub fn put(&self, changed: &[Lease], entropy: &Entropy) -> std::result::Result<(), RecordError> {
        let mut is_noted = self.floor.is_noted.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_noted {
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

/// As long as this is there, nobody else claims anything or writes to the state home.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct Idleness {
    pub(in crate::store) _held: Arc<HeldHome>,
}
