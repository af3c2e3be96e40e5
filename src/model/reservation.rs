//! A reservation: who works on which files, alone or beside others, and until when.

use super::glob::{Glob, GlobError};
use super::lease::{Now, Ticks, ends};
use super::row::{Millis, Part, row};
use super::time::Instant;

/// How long one lasts if nothing else is said, in nanoseconds.
pub const DEFAULT_TTL: i64 = 3600 * super::time::SECOND;

row! {
    /// Who has, or wants, a reservation.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct Party {
        pub name: String as "holder",
        /// An agent's id; a person has none.
        pub agent: Option<String>,
    }
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

row! {
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct Reservation {
        pub id: String,
        pub holder: Party as Part,
        /// Relative to the root of the repository.
        pub glob: String,
        pub is_shared: bool as "shared" = false,
        pub issue: Option<String>,
        pub reason: Option<String>,
        /// Which repository, where several share a state home.
        pub repo: Option<String>,
        pub worktree_id: Option<String>,
        pub worktree: Option<String>,
        pub acquired: String = String::new(),
        pub renewed: Option<String>,
        /// Nanoseconds; `None` never expires.
        pub ttl: Option<i64> as "ttl_ms" Millis,
        pub expires: Option<Instant>,
        /// The same on the clock that does not jump.
        pub deadline: Option<Ticks> as Part,
    }
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
