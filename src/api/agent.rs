//! A handle that acts as an agent.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::acting::Acting;
use super::batch::Batch;
use super::checkpoint::{Checkpoint, NewCheckpoint};
use super::error::Result;
use super::issue::{Issue, IssueId};
use super::lease::Lease;
use super::new_issue::NewIssue;
use super::query::Query;
use super::update::Update;
use crate::ops::{self, OpError};
use crate::store::{AutoClaim, ClaimWish, ReadyFilter, StoreError};

/// An agent at work in a project: its writes carry its name, and its claims are its own. Cheap to clone, and usable
/// from many threads; several agents of one process do not disturb each other. Every call that writes is a heartbeat,
/// and renews the agent's leases after a quarter of their time.
#[derive(Debug, Clone)]
pub struct Agent {
    name: Arc<str>,
    acting: Arc<Acting>,
}

impl Agent {
    pub(super) fn new(name: &str, acting: Arc<Acting>) -> Self {
        Agent { name: name.into(), acting }
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Claims the first ready issue that matches a query; `None` if there is none. Of many concurrent callers, each
    /// gets a different one. Expired claims are taken back first. Issues kept for people (`no-auto-claim`), or that
    /// this user may not write, are skipped.
    pub fn claim_next(&self, query: &Query, ttl: Duration) -> Result<Option<Lease>> {
        let claimed = self.acting.act(|store| {
            let filter = ReadyFilter { limit: None, ..query.ready(store)? };
            let wish = ClaimWish { ttl: Some(nanos(ttl)?), ..ClaimWish::default() };
            ops::claim_ready(store, &AutoClaim { filter, wish, ..AutoClaim::default() })
        })?;
        Ok(claimed.map(|claimed| Lease::new(Arc::clone(&self.acting), claimed)))
    }

    /// Claims an issue, by its id. If another agent holds it, the error is of the kind
    /// [`Claimed`](crate::ErrorKind::Claimed); a claim of this agent is renewed.
    pub fn claim(&self, id: impl AsRef<str>, ttl: Duration) -> Result<Lease> {
        let claimed = self.acting.act(|store| {
            let wish = ClaimWish { ttl: Some(nanos(ttl)?), ..ClaimWish::default() };
            ops::take(store, id.as_ref(), &wish)
        })?;
        Ok(Lease::new(Arc::clone(&self.acting), claimed))
    }

    /// Files an issue, and returns it once it is on disk.
    pub fn create(&self, issue: NewIssue) -> Result<Issue> {
        self.acting.create(issue)
    }

    /// Changes an issue. One that another agent holds can be commented, labelled and linked, but not changed otherwise.
    pub fn update(&self, id: impl AsRef<str>, update: &Update) -> Result<Issue> {
        self.acting.update(id.as_ref(), update)
    }

    /// Closes an issue. Refused while it waits for open issues, or has open children.
    pub fn close(&self, id: impl AsRef<str>, reason: &str) -> Result<Issue> {
        self.acting.close(id.as_ref(), reason)
    }

    /// Reopens a closed or deleted issue. A reason becomes a comment.
    pub fn reopen(&self, id: impl AsRef<str>, reason: &str) -> Result<Issue> {
        self.acting.reopen(id.as_ref(), reason)
    }

    /// Deletes an issue. Its line stays in the ledger, marked as deleted, and [`reopen`](Self::reopen) brings it back.
    pub fn delete(&self, id: impl AsRef<str>, reason: &str) -> Result<Issue> {
        self.acting.delete(id.as_ref(), reason)
    }

    /// Defers an issue: it is not ready until then; with `None`, until it gets the status `open`.
    pub fn defer(&self, id: impl AsRef<str>, until: Option<SystemTime>) -> Result<Issue> {
        self.acting.defer(id.as_ref(), until)
    }

    /// Undoes the last writes of this agent in this checkout, all or none, as one new write, which the next undo takes back.
    /// Later changes by others stay; if they touch the same fields, nothing is undone. Returns the changed issues.
    pub fn undo(&self, count: usize) -> Result<Vec<IssueId>> {
        self.acting.undo(count)
    }

    /// Records the progress on an issue: a numbered checkpoint, outside of the ledger. Refused while another agent holds
    /// the issue.
    pub fn checkpoint(&self, id: impl AsRef<str>, new: NewCheckpoint) -> Result<Checkpoint> {
        self.acting.act(|store| new.add(store, id.as_ref()))
    }

    /// Begins a batch: many new issues, written at once.
    pub fn batch(&self) -> Batch {
        Batch::new(Arc::clone(&self.acting))
    }
}

/// A duration in nanoseconds, as claims use it.
fn nanos(ttl: Duration) -> ops::Result<i64> {
    let too_long = |_| OpError::Store(StoreError::BadValue(format!("{ttl:?} is too long for a claim")));
    i64::try_from(ttl.as_nanos()).map_err(too_long)
}
