//! A reservation: who works on which files, alone or beside others, and until when.

use serde::{Deserialize, Serialize};

use super::glob::{Glob, GlobError};
use super::lease::{Now, Ticks, ends};
use super::row;
use super::time::Instant;

/// How long one lasts if nothing else is said, in nanoseconds.
pub const DEFAULT_TTL: i64 = 3600 * super::time::SECOND;

/// Who has, or wants, a reservation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Party {
    #[serde(rename = "holder")]
    pub name: String,
    /// An agent's id; a person has none.
    pub agent: Option<String>,
}

impl Party {
    /// Agents are told apart by their ids, which stay when a name changes; persons by their names.
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
    /// Which repository, where several share a state home.
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
    /// The same on the clock that does not jump.
    #[serde(rename = "..deadline")]
    pub deadline: Option<Ticks>,
}

impl Reservation {
    pub fn is_over(&self, now: &Now) -> bool {
        match (&self.deadline, &now.ticks, self.expires) {
            (Some(end), Some(ticks), _) if end.boot == ticks.boot => ticks.millis >= end.millis,
            (_, _, Some(expires)) => now.wall >= expires,
            (_, _, None) => false,
        }
    }

    /// Lets it begin, or begin again, now.
    pub fn last(&mut self, ttl: Option<i64>, now: &Now) {
        self.ttl = ttl;
        (self.expires, self.deadline) = ends(ttl, now);
    }

    pub fn parsed(&self) -> Result<Glob, GlobError> {
        Glob::parse(&self.glob)
    }

    /// Whether somebody else may not have this glob, in this way, beside this reservation. A glob that cannot be read, as a later
    /// version may have written it, may match everything.
    pub fn forbids(&self, who: &Party, repo: Option<&str>, glob: &Glob, is_shared: bool, now: &Now) -> bool {
        let concerns = self.repo.as_deref() == repo && !self.is_over(now);
        let allows = self.holder.is(who) || (self.is_shared && is_shared);
        concerns && !allows && self.parsed().map_or(true, |ours| ours.overlaps(glob))
    }
}
