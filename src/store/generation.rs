//! Whether an answer given before still holds, for those who ask again and again.
//!
//! Answers rest on ledgers and settings, on claims and their ends, on other checkouts, and on dates that come. As long as none of
//! these has changed, the generation is the same number, and so is every answer. To find that out costs `stat` calls.

use super::leases::standing;
use super::{Result, View};
use crate::model::lease::Standing;
use crate::model::time::Instant;

/// What answers rest on.
#[derive(Debug, Default)]
pub(super) struct Grounds {
    generation: u64,
    known: Known,
    /// When the next date comes.
    until: Option<Instant>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Known {
    /// How often repos were numbered, and ledgers read.
    files: (u64, u64),
    /// Ledgers that cannot be read, and why.
    troubles: Vec<(usize, String)>,
    /// Claims that somebody has: the issue, the number, the holder, and whether it is over.
    claims: Vec<(String, i64, String, bool)>,
    /// Issues that other checkouts have closed, or work on.
    elsewhere: Vec<String>,
}

impl View {
    /// The number of the state in which the project is now: it rises with everything that can change an answer, from 1 on.
    pub fn generation(&mut self) -> Result<u64> {
        self.refresh()?;
        let now = self.host.clock.both();
        let claims = self.claims()?.iter().filter_map(|(id, lease)| {
            let holder = lease.holder.as_ref()?.name.clone();
            Some((id.clone(), lease.epoch, holder, standing(lease, &now) == Standing::Live))
        });
        let claims = claims.collect();
        let known = Known {
            files: (self.numbering, self.sources.reads()),
            troubles: self.sources.troubles().collect(),
            claims,
            elsewhere: self.taken_elsewhere()?,
        };
        let has_come = self.grounds.until.is_some_and(|at| at <= now.wall);
        if self.grounds.generation == 0 || known != self.grounds.known || has_come {
            let until = self.cache.next_date(now.wall)?;
            self.grounds = Grounds { generation: self.grounds.generation + 1, known, until };
        }
        Ok(self.grounds.generation)
    }
}
