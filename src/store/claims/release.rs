//! Releasing a claim, and taking back claims whose holders are gone.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::model::change::{Change, NewComment, TaskEdit};
use crate::model::field::Field;
use crate::model::issue::Status;
use crate::model::lease::{Holder, Lease, Standing};
use crate::model::workflow::Task;
use crate::store::error::LeaseError;
use crate::store::leases::NEEDS_ATTENTION;
use crate::store::leases::messages::claimed;
use crate::store::state::leases::{is_lock, standing};
use crate::store::write::Intent;
use crate::store::{Access, Project, RemoteChange, Result, Snapshot, Store, StoreError, Written};

/// How to release an issue.
#[derive(Debug, Clone, Default)]
pub struct ReleaseWish {
    /// Why, for the next claimant; stored as a comment.
    pub reason: Option<String>,
    /// The work failed: this counts as an attempt.
    pub failed: Option<String>,
}

/// A released issue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Released {
    pub id: String,
    pub epoch: i64,
    pub attempts: i64,
    pub needs_attention: bool,
    /// The claim was already lost, so there was nothing to release.
    pub was_lost: bool,
    pub reason: Option<String>,
    pub written: Option<Written>,
}

/// A claim that was taken back, or in a dry run would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reclaimed {
    pub id: String,
    pub epoch: i64,
    pub holder: Holder,
    pub attempts: i64,
    pub needs_attention: bool,
    pub written: Option<Written>,
}

impl Project {
    /// Claims on the issue have failed so often that it is not handed out any more.
    pub(super) fn has_failed(&self, lease: &Lease) -> bool {
        let most = self.settings.word("lease.max_attempts").parse().unwrap_or(3);
        lease.attempts > 0 && lease.attempts >= most
    }
}

impl Snapshot {
    /// Another checkout has closed the issue, and that is not merged here yet.
    pub fn is_done_elsewhere(&self, id: &str) -> Result<bool> {
        Ok(self.elsewhere(id)?.iter().any(|other| Status::new(other.status.as_str()).is_done()))
    }

    pub(in crate::store) fn owner_of(&self, id: &str) -> Result<usize> {
        self.read_ledgers()?;
        self.owner(id).ok_or_else(|| StoreError::NotFound { typed: id.to_owned() })
    }
}

impl Store {
    /// Releases an issue, named by its full id: open again, without an assignee.
    pub fn release(&mut self, id: &str, wish: &ReleaseWish) -> Result<Released> {
        let source = self.lease_source(id)?;
        let home = self.hold(self.lease_home(source))?;
        self.look_again()?;
        let key = self.lease_key(source, home.dir(), id)?;
        let mut lease = home.lease(&key);
        let me = self.actor().to_owned();
        let mine = lease.holder.as_ref().is_some_and(|holder| holder.name == me);
        let now = self.host.clock.both();
        let released = Released { id: id.to_owned(), reason: wish.reason.clone(), ..Released::default() };
        if !mine && lease.lost_by(&me).is_some() {
            lease.lost.retain(|lost| lost.holder != me);
            self.put_leases(&home, std::slice::from_ref(&lease))?;
            self.refused_to_loser.borrow_mut().insert(id.to_owned());
            return Ok(Released { epoch: lease.epoch, attempts: lease.attempts, was_lost: true, ..released });
        }
        // A coordinator and a person may release what others hold.
        let may = self.agent.as_ref().is_none_or(|agent| agent.is_coordinator);
        let has_holder = standing(&lease, &now) == Standing::Live;
        if !mine && has_holder && !may {
            return Err(claimed(id, &lease).into());
        }
        let row = self.get(id)?.ok_or_else(|| StoreError::NotFound { typed: id.to_owned() })?;
        let in_ledger =
            row.issue.status.as_str() == "in_progress" && (row.issue.assignee.as_deref() == Some(me.as_str()) || may);
        if !mine && !has_holder && !in_ledger {
            return Err(LeaseError::NotClaimed { id: id.to_owned() }.into());
        }
        if let Some(error) = &wish.failed {
            lease.attempts += 1;
            lease.last_error = Some(error.clone());
        }
        let needs_attention = wish.failed.is_some() && self.has_failed(&lease);
        // Write the ledger first, while the claim still lets its holder write.
        let failed =
            wish.failed.as_ref().map(|error| TaskEdit::Failed { error: error.clone(), attempts: lease.attempts });
        let written = self.write_release(Intent::Edit, id, needs_attention, failed, wish.reason.as_deref())?;
        // The write itself may have ended the claim.
        let ended = home.lease(&key);
        // The work may be over in another checkout.
        let is_done = row.issue.status.is_done() || self.is_done_elsewhere(id)?;
        self.tell_remote(&lease, if is_done { RemoteChange::Closed } else { RemoteChange::Ended });
        let lease = Lease { holder: None, lost: ended.lost.clone(), epoch: ended.epoch, ..lease };
        self.put_leases(&home, std::slice::from_ref(&lease))?;
        let Lease { epoch, attempts, .. } = lease;
        Ok(Released { epoch, attempts, needs_attention, written, ..released })
    }

    /// Takes back claims that expired or whose process is gone: one issue's, or all of the project's.
    pub fn reclaim(&mut self, id: Option<&str>, dry_run: bool) -> Result<Vec<Reclaimed>> {
        self.look_again()?;
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for source in 0..self.sources.len() {
            if self.leases_of(source)?.is_empty() {
                continue;
            }
            let home = self.hold(self.lease_home(source))?;
            let now = self.host.clock.both();
            for (issue, _) in self.leases_of(source)? {
                // An issue that is in no ledger here belongs to another branch; its claim is known here nevertheless.
                let is_of_another = self.owner(&issue).is_some() && self.lease_source(&issue)? != source;
                // An expired lock blocks no one.
                let is_other = id.is_some_and(|id| id != issue) || is_lock(&issue);
                if is_other || is_of_another || !seen.insert(issue.clone()) {
                    continue;
                }
                let mut lease = home.lease(&self.lease_key(source, home.dir(), &issue)?);
                let Some(holder) = lease.holder.clone() else { continue };
                if self.get(&issue)?.is_some_and(|row| row.issue.status.is_done()) {
                    // Closed by a merge: the work is done and did not fail.
                    if !dry_run {
                        self.tell_remote(&lease, RemoteChange::Closed);
                        lease.end();
                        self.put_leases(&home, &[lease])?;
                    }
                    continue;
                }
                match standing(&lease, &now) {
                    Standing::Expired => {}
                    Standing::Live if id.is_some() => return Err(claimed(&issue, &lease).into()),
                    Standing::Live | Standing::Free => continue,
                }
                if !dry_run {
                    self.tell_remote(&lease, RemoteChange::Ended);
                }
                lease.attempts += 1;
                lease.last_error = Some(format!("{} did not finish: no word since {}", holder.name, holder.renewed));
                lease.take_away();
                let needs_attention = self.has_failed(&lease);
                let (epoch, attempts) = (lease.epoch, lease.attempts);
                let mut written = None;
                if !dry_run {
                    self.put_leases(&home, std::slice::from_ref(&lease))?;
                    let row = self.get(&issue)?;
                    let is_theirs = row.is_some_and(|row| {
                        row.issue.status.as_str() == "in_progress"
                            && row.issue.assignee.as_deref() == Some(holder.name.as_str())
                    });
                    if is_theirs || needs_attention {
                        // The actor may have lost it before.
                        written = self.write_release(Intent::Claim, &issue, needs_attention, None, None)?;
                    }
                }
                found.push(Reclaimed { id: issue, epoch, holder, attempts, needs_attention, written });
            }
        }
        match id {
            Some(id) if found.is_empty() => Err(LeaseError::NotClaimed { id: id.to_owned() }.into()),
            _ => Ok(found),
        }
    }

    /// Renews all claims of the acting agent or session, where that is worth a write. Returns the earliest expiry.
    pub fn renew_leases(&mut self, force: bool, wait: Duration) -> Result<Option<String>> {
        let (agent, session) = (self.agent.clone().map(|agent| agent.name), self.session().map(str::to_owned));
        if agent.is_none() && session.is_none() {
            return Ok(None);
        }
        let is_mine = |holder: &Holder| match &agent {
            Some(name) => holder.name == *name,
            None => holder.session.is_some() && holder.session == session,
        };
        let mut earliest: Option<String> = None;
        for source in 0..self.sources.len() {
            let now = self.host.clock.both();
            let mine = |lease: &Lease| lease.holder.as_ref().is_some_and(is_mine);
            let due = |lease: &Lease| force || lease.wants_renewal(&now);
            let known = self.leases_of(source)?;
            if known.values().any(|lease| mine(lease) && due(lease)) {
                let home = self.hold_within(self.lease_home(source), wait)?;
                let now = self.host.clock.both();
                let renewed = home.all().into_values().filter(|lease| mine(lease)).filter_map(|mut lease| {
                    (standing(&lease, &now) == Standing::Live && lease.renew(&now)).then_some(lease)
                });
                let renewed: Vec<Lease> = renewed.collect();
                self.put_leases(&home, &renewed)?;
                renewed.iter().for_each(|lease| self.tell_remote(lease, RemoteChange::Renewed));
            }
            let known = self.leases_of(source)?;
            let live = known
                .values()
                .filter(|lease| mine(lease) && standing(lease, &self.host.clock.both()) == Standing::Live);
            let ends = live.filter_map(|lease| lease.holder.as_ref()?.expires).map(|at| at.to_string());
            earliest = ends.chain(earliest).min();
        }
        Ok(earliest)
    }

    /// Marks a claim as lost, if it still is this one.
    pub fn yield_lease(&mut self, id: &str, epoch: i64) -> Result<bool> {
        let source = self.lease_source(id)?;
        let home = self.hold(self.lease_home(source))?;
        let mut lease = home.lease(&self.lease_key(source, home.dir(), id)?);
        if lease.epoch != epoch || lease.holder.is_none() {
            return Ok(false);
        }
        self.tell_remote(&lease, RemoteChange::Ended);
        lease.take_away();
        self.put_leases(&home, &[lease])?;
        Ok(true)
    }

    /// Opens an issue in the ledger and removes its assignee, if it is in progress there.
    fn write_release(
        &mut self,
        intent: Intent,
        id: &str,
        needs_attention: bool,
        failed: Option<TaskEdit>,
        reason: Option<&str>,
    ) -> Result<Option<Written>> {
        let row = self.get(id)?.filter(|row| !row.issue.status.is_tombstone());
        let Some(row) = row else { return Ok(None) };
        let mut changes = Vec::new();
        // Undo only what this ledger says: opening an issue that another checkout closed would revert that in the next
        // merge.
        if self.access_to(&row)? == Access::Write && !self.is_done_elsewhere(id)? {
            if row.issue.status.as_str() == "in_progress" {
                changes.push(Change::Status(Status::new("open")));
                changes.push(Change::Text(Field::Assignee, String::new()));
            }
            if needs_attention {
                changes.push(Change::AddLabel(NEEDS_ATTENTION.to_owned()));
            }
            // A failed task records the reason in the ledger.
            changes.extend(failed.filter(|_| Task::of_line(&row.line).is_some()).map(Change::Task));
        }
        if let Some(reason) = reason.filter(|reason| !reason.trim().is_empty()) {
            let (id, author) = (self.host.entropy.comment_id(), self.actor().to_owned());
            changes.push(Change::AddComment(NewComment { id, author, text: format!("Released: {reason}") }));
        }
        if changes.is_empty() {
            return Ok(None);
        }
        self.change_one(intent, id, changes).map(Some)
    }
}
