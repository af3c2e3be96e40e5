//! A reservation: who works on which files, exclusively or shared, and until when.

use serde::{Deserialize, Serialize};

use super::glob::{Glob, GlobError};
use super::lease::{Now, Ticks, ends, is_over};
use super::row;
use super::time::Instant;

/// The default lifetime, in nanoseconds.
pub const DEFAULT_TTL: i64 = 3600 * super::time::SECOND;

/// The holder of a reservation, or a requester.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Party {
    #[serde(rename = "holder")]
    pub name: String,
    /// An agent's id; a person has none.
    pub agent: Option<String>,
}

impl Party {
    /// Agents are identified by their ids, which survive a rename; people by their names.
    pub fn is(&self, other: &Party) -> bool {
        match (&self.agent, &other.agent) {
            (Some(ours), Some(theirs)) => ours == theirs,
            (None, None) => self.name == other.name,
            _ => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reservation {
    pub id: String,
    #[serde(rename = "..holder")]
    pub holder: Party,
    /// Relative to the root of the repository.
    pub glob: String,
    #[serde(rename = "shared", default)]
    pub is_shared: bool,
    pub issue: Option<String>,
    pub reason: Option<String>,
    /// The repository, if several share a state home.
    pub repo: Option<String>,
    pub worktree_id: Option<String>,
    pub worktree: Option<String>,
    #[serde(default)]
    pub acquired: String,
    pub renewed: Option<String>,
    /// Nanoseconds; `None` never expires.
    #[serde(rename = "ttl_ms", default, with = "row::millis")]
    pub ttl: Option<i64>,
    pub expires: Option<Instant>,
    /// The same on the monotonic clock.
    #[serde(rename = "..deadline")]
    pub deadline: Option<Ticks>,
}

impl Reservation {
    pub fn is_over(&self, now: &Now) -> bool {
        is_over(self.deadline.as_ref(), self.expires, now)
    }

    /// Starts or restarts its lifetime now.
    pub fn last(&mut self, ttl: Option<i64>, now: &Now) {
        self.ttl = ttl;
        (self.expires, self.deadline) = ends(ttl, now);
    }

    pub fn parsed(&self) -> Result<Glob, GlobError> {
        Glob::parse(&self.glob)
    }

    /// Whether this reservation keeps another party from reserving the glob. An unreadable glob, perhaps from a later
    /// version, may match everything.
    pub fn forbids(&self, who: &Party, repo: Option<&str>, glob: &Glob, is_shared: bool, now: &Now) -> bool {
        let concerns = self.repo.as_deref() == repo && !self.is_over(now);
        let allows = self.holder.is(who) || (self.is_shared && is_shared);
        concerns && !allows && self.parsed().map_or(true, |ours| ours.overlaps(glob))
    }
}
