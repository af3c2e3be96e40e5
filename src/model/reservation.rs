//! A reservation: who works on which files, alone or beside others, and until when.

use super::glob::{Glob, GlobError};
use super::json::Dialect;
use super::lease::{Now, Ticks, ends};
use super::record::{KeyEdit, Record};
use super::time::Instant;

/// How long one lasts if nothing else is said, in nanoseconds.
pub const DEFAULT_TTL: i64 = 3600 * super::time::SECOND;

/// Who has, or wants, a reservation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Party {
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

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reservation {
    pub id: String,
    pub holder: Party,
    /// Relative to the root of the repository.
    pub glob: String,
    pub is_shared: bool,
    pub issue: Option<String>,
    pub reason: Option<String>,
    /// Which repository, where several share a state home.
    pub repo: Option<String>,
    pub worktree_id: Option<String>,
    pub worktree: Option<String>,
    pub acquired: String,
    pub renewed: Option<String>,
    /// Nanoseconds; `None` never expires.
    pub ttl: Option<i64>,
    pub expires: Option<Instant>,
    /// The same on the clock that does not jump.
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

    pub fn parse(record: &Record<'_>) -> Option<Self> {
        let text = |key: &str| record.text_of(key).map(|text| text.into_owned());
        Some(Reservation {
            id: text("id")?,
            holder: Party { name: text("holder")?, agent: text("agent") },
            glob: text("glob")?,
            is_shared: record.flag("shared"),
            issue: text("issue"),
            reason: text("reason"),
            repo: text("repo"),
            worktree_id: text("worktree_id"),
            worktree: text("worktree"),
            acquired: text("acquired").unwrap_or_default(),
            renewed: text("renewed"),
            ttl: record.integer("ttl_ms").map(|millis| millis.saturating_mul(1_000_000)),
            expires: text("expires").and_then(|at| Instant::parse(&at)),
            deadline: text("boot").and_then(|boot| Some(Ticks { boot, millis: record.integer("deadline_ms")? })),
        })
    }

    /// The line of a state home; what an earlier line says beyond this stays.
    pub fn render(&self, earlier: Option<&str>) -> String {
        let dialect = Dialect::default();
        let text = |value: &str| Some(dialect.string(value));
        let maybe = |value: &Option<String>| value.as_deref().map(|value| dialect.string(value));
        let edits: Vec<KeyEdit> = vec![
            ("id", text(&self.id)),
            ("holder", text(&self.holder.name)),
            ("agent", maybe(&self.holder.agent)),
            ("glob", text(&self.glob)),
            ("shared", Some(self.is_shared.to_string())),
            ("issue", maybe(&self.issue)),
            ("reason", maybe(&self.reason)),
            ("repo", maybe(&self.repo)),
            ("worktree_id", maybe(&self.worktree_id)),
            ("worktree", maybe(&self.worktree)),
            ("acquired", text(&self.acquired)),
            ("renewed", maybe(&self.renewed)),
            ("ttl_ms", self.ttl.map(|ttl| (ttl / 1_000_000).to_string())),
            ("expires", self.expires.map(|at| dialect.string(&at.to_string()))),
            ("boot", self.deadline.as_ref().map(|end| dialect.string(&end.boot))),
            ("deadline_ms", self.deadline.as_ref().map(|end| end.millis.to_string())),
        ];
        let earlier = earlier.and_then(|line| Record::parse(line).ok());
        let base = earlier.unwrap_or_else(|| Record::parse("{}").expect("an empty object is a record"));
        base.with(&edits, dialect)
    }
}
