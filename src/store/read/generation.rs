//! Whether an earlier answer still holds, for callers that ask repeatedly.
//!
//! Answers depend on ledgers and settings, on claims and their expiry, on other checkouts, and on dates. While none of
//! these has changed, the generation is the same number, and so is every answer. Checking that costs `stat` calls.

use super::grounds::{Grounds, Known};
use crate::model::lease::Standing;
use crate::store::state::leases::standing;
use crate::store::{Result, Store};

impl Store {
    /// The number of the project's state as of this look: from 1 on, it grows with everything that can change an answer.
    pub fn generation(&mut self) -> Result<u64> {
        let now = self.host.clock.both();
        let claims = self.claims()?.iter().filter_map(|(id, lease)| {
            let holder = lease.holder.as_ref()?.name.clone();
            Some((id.clone(), lease.epoch, holder, standing(lease, &now) == Standing::Live))
        });
        let known = Known {
            files: (self.numbering, self.sources.reads()),
            troubles: self.sources.troubles(),
            claims: claims.collect(),
            elsewhere: self.taken_elsewhere()?,
        };
        let has_come = self.grounds.until.is_some_and(|at| at <= now.wall);
        if self.grounds.generation == 0 || known != self.grounds.known || has_come {
            let until = self.ask(|cache| cache.next_date(now.wall))?;
            self.grounds = Grounds { generation: self.grounds.generation + 1, known, until };
        }
        Ok(self.grounds.generation)
    }
}
