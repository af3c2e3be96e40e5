//! A claim that an agent holds.

use std::sync::Arc;
use std::time::SystemTime;

use super::acting::{Acting, closing, given};
use super::checkpoint::{Checkpoint, NewCheckpoint};
use super::error::Result;
use super::issue::Issue;
use super::renewal::Renewal;
use super::update::Update;
use crate::model::lease::Holder;
use crate::ops::{self, Upkeep};
use crate::store::{self, Claimed, ReleaseWish};
use crate::sys;

/// An issue that an agent holds for a time. Every call checks the claim's epoch: once the lease has expired, or another
/// agent has the issue, the call fails with the kind [`Stale`](crate::ErrorKind::Stale), and nothing is written. A
/// dropped lease continues until it expires.
#[derive(Debug)]
#[must_use = "the issue stays claimed until it is closed, failed or released"]
pub struct Lease {
    acting: Arc<Acting>,
    issue: Issue,
    epoch: i64,
    attempts: i64,
    holder: Holder,
}

impl Lease {
    pub(super) fn new(acting: Arc<Acting>, claimed: Claimed) -> Self {
        let Claimed { epoch, attempts, holder, written, .. } = claimed;
        Lease { acting, issue: written.into(), epoch, attempts, holder }
    }

    /// The issue as it was when it was claimed, or last changed through this lease.
    pub fn issue(&self) -> &Issue {
        &self.issue
    }

    /// The epoch of the claim. It grows with every claim on the issue.
    pub fn epoch(&self) -> i64 {
        self.epoch
    }

    /// How often work on the issue has failed before.
    pub fn attempts(&self) -> i64 {
        self.attempts
    }

    /// When the lease ends unless it is renewed.
    pub fn expires_at(&self) -> Option<SystemTime> {
        self.holder.expires.map(sys::to_system)
    }

    /// Renews the lease for its full time.
    pub fn renew(&mut self) -> Result<()> {
        let (id, epoch) = (self.issue.id().clone(), self.epoch);
        self.holder.expires = self.acting.act(|store| ops::renew(store, id.as_str(), epoch))?;
        Ok(())
    }

    /// Renews the lease now, and from then on in the background until the returned value is dropped. Each renewal is a
    /// heartbeat of the agent, and renews its other leases too; `expires_at` stays as of now.
    pub fn keep(&mut self) -> Result<Renewal> {
        self.renew()?;
        let upkeep = Upkeep::of(self.issue.id().as_str(), self.epoch, &self.holder.name, self.holder.ttl);
        Renewal::start(Arc::clone(&self.acting), upkeep)
    }

    /// Records the progress on the issue. See [`Agent::checkpoint`](crate::Agent::checkpoint).
    pub fn checkpoint(&self, new: NewCheckpoint) -> Result<Checkpoint> {
        self.write(|store, id| new.add(store, id))
    }

    /// Changes the issue.
    pub fn update(&mut self, update: &Update) -> Result<()> {
        self.issue = self.write(|store, id| update.apply(store, id))?;
        Ok(())
    }

    /// Closes the issue: the work is done, and the lease ends. If that fails, the lease is unchanged, and the call can
    /// be repeated.
    pub fn close(&mut self, reason: &str) -> Result<Issue> {
        let closed: Issue = self.write(|store, id| Ok(ops::revise(store, id, &[closing(reason)])?.into()))?;
        self.issue = closed.clone();
        Ok(closed)
    }

    /// Releases the issue because the work failed. That counts as an attempt; after too many of them
    /// (`lease.max_attempts`) it is not handed out any more.
    pub fn fail(&self, why: &str) -> Result<()> {
        self.give_back(ReleaseWish { failed: Some(why.to_owned()), ..ReleaseWish::default() })
    }

    /// Releases the issue for the next claimant. A reason becomes a comment.
    pub fn release(&self, reason: &str) -> Result<()> {
        self.give_back(ReleaseWish { reason: given(reason), ..ReleaseWish::default() })
    }

    fn give_back(&self, wish: ReleaseWish) -> Result<()> {
        let epoch = self.epoch;
        self.write(|store, id| ops::give_back(store, id, epoch, &wish))
    }

    fn write<T>(&self, work: impl FnOnce(&mut store::Store, &str) -> ops::Result<T>) -> Result<T> {
        let id = self.issue.id().as_str();
        self.acting.act_under(id, self.epoch, |store| work(store, id))
    }
}
