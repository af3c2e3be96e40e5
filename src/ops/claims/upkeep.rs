//! Renewing one claim for as long as work on it goes on.

use std::time::{Duration, Instant};

use super::remote;
use crate::model::lease::Standing;
use crate::ops::Result;
use crate::store::Store;

/// How often a claim without expiry is checked.
const GLANCE: Duration = Duration::from_secs(30);

/// A claim that is to be renewed until its work ends.
#[derive(Debug, Clone)]
pub struct Upkeep {
    id: String,
    epoch: i64,
    holder: String,
    ttl: Option<Duration>,
    /// When the claim was last known to be held.
    sure: Instant,
}

impl Upkeep {
    /// For a claim that has just been granted or renewed.
    pub fn of(id: &str, epoch: i64, holder: &str, ttl: Option<i64>) -> Self {
        let ttl = ttl.map(|nanos| Duration::from_nanos(nanos.unsigned_abs()));
        Upkeep { id: id.to_owned(), epoch, holder: holder.to_owned(), ttl, sure: Instant::now() }
    }

    /// How long to wait before the next renewal.
    pub fn pause(&self) -> Duration {
        self.ttl.map_or(GLANCE, |ttl| (ttl / 3).max(Duration::from_millis(50)))
    }

    /// Renews the holder's claims, and returns whether this one is still held.
    pub fn renew(&self, store: &mut Store) -> Result<bool> {
        store.renew_leases(true, self.pause())?;
        // A remote that cannot be reached is asked again at the next beat.
        let _ = remote::follow(store);
        let row = store.lease(&self.id)?;
        Ok(match row {
            Some(row) if row.lease.epoch == self.epoch && row.lease.holder.is_some() => row.standing == Standing::Live,
            // The holder itself has closed or released the issue, and is still cleaning up.
            Some(row) if row.lease.epoch == self.epoch => row.lease.lost_by(&self.holder).is_none(),
            _ => false,
        })
    }

    /// Whether the claim counts as lost after this attempt to renew it.
    pub fn is_lost<E>(&mut self, renewed: std::result::Result<bool, E>) -> bool {
        match renewed {
            Ok(true) => {
                self.sure = Instant::now();
                false
            }
            Ok(false) => true,
            // If it is unknown whether the claim is still ours, it counts as lost before others may take it.
            Err(_) => self.ttl.is_some_and(|ttl| self.sure.elapsed() + self.pause() * 3 / 2 >= ttl),
        }
    }
}
