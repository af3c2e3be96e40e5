//! A claim that an agent holds.

use std::sync::Arc;
use std::time::SystemTime;

use super::acting::{Acting, closing};
use super::error::Result;
use super::issue::Issue;
use super::update::Update;
use crate::ops;
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
    expires_at: Option<SystemTime>,
}

impl Lease {
    pub(super) fn new(acting: Arc<Acting>, claimed: Claimed) -> Self {
        let expires_at = claimed.holder.expires.map(sys::to_system);
        let (epoch, attempts) = (claimed.epoch, claimed.attempts);
        Lease { acting, issue: claimed.written.into(), epoch, attempts, expires_at }
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
        self.expires_at
    }

    /// Renews the lease for its full time.
    pub fn renew(&mut self) -> Result<()> {
        let (id, epoch) = (self.issue.id().clone(), self.epoch);
        let ends = self.acting.act(|store| ops::renew(store, id.as_str(), epoch))?;
        self.expires_at = ends.map(sys::to_system);
        Ok(())
    }

    /// Changes the issue.
    pub fn update(&mut self, update: &Update) -> Result<()> {
        self.issue = self.write(|store, id| Ok(ops::revise(store, id, &update.wishes)?.into()))?;
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
        let reason = Some(reason.to_owned()).filter(|reason| !reason.is_empty());
        self.give_back(ReleaseWish { reason, ..ReleaseWish::default() })
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
