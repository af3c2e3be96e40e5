//! Claiming an issue: exactly one of all claimants wins.

use std::sync::Arc;

use super::wish::{AutoClaim, ClaimWish, Claimed, Evidence};
use crate::model::change::{self, CLAIMING, Change, ChangeError, Stamp};
use crate::model::field::Field;
use crate::model::issue::Status;
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::lease::{Holder, Lease, Owner, Standing, ends};
use crate::model::proposal::COMPANION;
use crate::model::record::Record;
use crate::store::error::LeaseError;
use crate::store::leases::HeldHome;
use crate::store::leases::messages::claimed;
use crate::store::state::leases::standing;
use crate::store::write::Intent;
use crate::store::{Access, Result, Row, Scope, Snapshot, Store, StoreError, Write, Written};
use crate::sys;

impl Snapshot {
    /// The open issues that an issue waits for. Most issues have no edges, so the whole project need not be compared.
    fn blockers_of(&self, row: &Row) -> Result<Vec<String>> {
        if row.issue.dependencies.is_empty() { Ok(Vec::new()) } else { self.waits_for(&row.issue.id) }
    }

    /// Refuses an issue that another checkout has closed, or that someone works on without a claim known here.
    fn refuse_elsewhere(&self, row: &Row, lease: &Lease, wish: &ClaimWish) -> Result<()> {
        let takes_over = wish.takeover.is_some();
        let me = self.actor().to_owned();
        for other in self.elsewhere(&row.issue.id)? {
            let done = Status::new(other.status.as_str()).is_done();
            let working =
                other.status == "in_progress" && lease.epoch == 0 && other.assignee.as_deref() != Some(me.as_str());
            if done || (working && !takes_over) {
                let (id, status, worktree) = (row.issue.id.clone(), other.status, other.worktree);
                return Err(LeaseError::Elsewhere { id, status, worktree }.into());
            }
        }
        Ok(())
    }
}

impl Store {
    /// Claims an issue, named by its full id, for the actor.
    pub fn claim(&mut self, id: &str, wish: &ClaimWish) -> Result<Claimed> {
        let home = self.hold_home_of(id)?;
        self.look_again()?;
        self.claim_held(&home, id, wish)
    }

    /// Claims the first ready issue that may be handed out; `None` if there is none.
    pub fn claim_ready(&mut self, auto: &AutoClaim) -> Result<Option<Claimed>> {
        // Lock all homes, in the order of their paths, so that no one else can claim one of the issues meanwhile.
        let homes = self.lease_homes(0..self.sources.len());
        let _held = homes.into_iter().map(|home| self.hold(home)).collect::<Result<Vec<_>>>()?;
        let wish = ClaimWish { to_write: true, ..auto.wish.clone() };
        let mut passed = auto.passed.clone();
        while let Some(id) = self.next_to_hand_out(auto, &passed)? {
            let home = self.hold_home_of(&id)?;
            passed.push(id.clone());
            match self.claim_held(&home, &id, &wish) {
                Err(
                    StoreError::Lease(_) | StoreError::Change(ChangeError::Claimed { .. } | ChangeError::Done { .. }),
                ) => {}
                // Skip a repo that this user may not write.
                Err(StoreError::ReadOnly { .. }) => {}
                other => return other.map(Some),
            }
        }
        Ok(None)
    }

    fn hold_home_of(&mut self, id: &str) -> Result<Arc<HeldHome>> {
        let source = self.lease_source(id)?;
        self.hold(self.lease_home(source))
    }

    fn claim_held(&mut self, home: &HeldHome, id: &str, wish: &ClaimWish) -> Result<Claimed> {
        let row = self.get(id)?.ok_or_else(|| StoreError::NotFound { typed: id.to_owned() })?;
        let source = self.lease_source(id)?;
        if row.issue.status.is_tombstone() {
            return Err(ChangeError::Deleted(id.to_owned()).into());
        }
        if row.issue.status.is_done() {
            let (id, status) = (id.to_owned(), row.issue.status.as_str().to_owned());
            return Err(ChangeError::Done { id, status, what: CLAIMING }.into());
        }
        if self.is_workflow(&row) {
            return Err(LeaseError::IsWorkflow { id: id.to_owned() }.into());
        }
        let key = self.lease_key(source, home.dir(), id)?;
        self.refuse_damaged_claim(home.dir(), &key, id)?;
        let before = home.lease(&key);
        let me = self.actor().to_owned();
        let now = self.host.clock.both();
        let standing = standing(&before, &now);
        let holder = before.holder.clone();
        if let (Standing::Live, Some(holder)) = (standing, &holder) {
            if self.is_held_as(holder, &me) && holder.agent.is_some() == self.agent.is_some() {
                return self.claim_again(home, before, &row, wish);
            }
            if wish.takeover.is_none() {
                return Err(claimed(id, &before).into());
            }
        }
        if let (true, Access::Read(reason)) = (wish.to_write, self.access_to(&row)?) {
            return Err(StoreError::ReadOnly { what: id.to_owned(), repo: row.source_repo.clone(), reason });
        }
        self.refuse_elsewhere(&row, &before, wish)?;
        let workflow = self.refuse_task(&row, &[])?;
        let blockers = self.blockers_of(&row)?;
        let evidence = holder.map(|holder| {
            let why = match (&wish.takeover, standing) {
                (Some(reason), Standing::Live) => format!("taken over: {reason}"),
                _ if holder.owner.as_ref().is_some_and(sys::is_gone) => "its process is gone".to_owned(),
                _ => match holder.expires {
                    Some(at) => format!("it ended at {at}, last renewed {}", holder.renewed),
                    None => "it was over".to_owned(),
                },
            };
            Evidence { holder, epoch: before.epoch, why }
        });
        let mut lease = before.clone();
        // The same person continuing in another session has not failed.
        if evidence.as_ref().is_some_and(|found| found.holder.name != me) && wish.takeover.is_none() {
            lease.attempts += 1;
            lease.last_error =
                evidence.as_ref().map(|found| format!("{} did not finish: {}", found.holder.name, found.why));
        }
        let attempts = lease.attempts;
        // It was named although it failed so often: a new start.
        if self.has_failed(&before) {
            lease.attempts = 0;
        }
        lease.grant(Holder { workflow, ..self.new_holder(wish, &now)? });
        self.put_leases(home, std::slice::from_ref(&lease))?;
        let takes = evidence.is_some()
            || wish.takeover.is_some()
            || before.lost.iter().any(|lost| Some(&lost.holder) == row.issue.assignee.as_ref());
        match self.write_claim(&row, &me, takes, wish) {
            Ok(written) => Ok(Claimed { taken_from: evidence, attempts, ..outcome(&row, lease, blockers, written) }),
            Err(error) => {
                // The claim failed, and its epoch was never reported: take it back.
                match self.put_leases(home, &[before]) {
                    Ok(()) => Err(error),
                    Err(stays) => {
                        let problem = format!("{error}; {stays}");
                        Err(LeaseError::HalfMade { id: id.to_owned(), problem }.into())
                    }
                }
            }
        }
    }

    /// The actor already holds the issue: renews the claim, and corrects the ledger if it says otherwise.
    fn claim_again(&mut self, home: &HeldHome, mut lease: Lease, row: &Row, wish: &ClaimWish) -> Result<Claimed> {
        let blockers = self.blockers_of(row)?;
        let now = self.host.clock.both();
        let here = self.worktree().ok();
        if let Some(holder) = &mut lease.holder {
            // The work is where the issue was claimed last.
            if let Some(here) = here {
                (holder.worktree_id, holder.worktree) = (here.id, Some(here.name));
            }
            if wish.ttl.is_some() || wish.forever {
                holder.ttl = if wish.forever { None } else { wish.ttl };
            }
            if wish.remote.is_some() {
                holder.remote = wish.remote.clone();
            }
            if wish.owner.is_some() {
                holder.owner = wish.owner.clone();
            }
        }
        lease.renew(&now);
        self.put_leases(home, std::slice::from_ref(&lease))?;
        let me = self.actor().to_owned();
        let written = self.write_claim(row, &me, false, wish)?;
        Ok(Claimed { again: true, ..outcome(row, lease, blockers, written) })
    }

    /// Notes the version that a claim has on its remote from now on, if the claim is still this one.
    pub fn note_remote(&mut self, id: &str, epoch: i64, version: String) -> Result<()> {
        let source = self.lease_source(id)?;
        let home = self.hold(self.lease_home(source))?;
        let mut lease = home.lease(&self.lease_key(source, home.dir(), id)?);
        match &mut lease.holder {
            Some(holder) if lease.epoch == epoch => holder.remote = Some(version),
            _ => return Ok(()),
        }
        Ok(self.put_leases(&home, &[lease])?)
    }

    /// Ties a claim to a process from now on, if the claim is still this one.
    pub fn set_lease_owner(&mut self, claimed: &Claimed, owner: Option<Owner>) -> Result<()> {
        let source = self.lease_source(&claimed.id)?;
        let home = self.hold(self.lease_home(source))?;
        let mut lease = home.lease(&self.lease_key(source, home.dir(), &claimed.id)?);
        match &mut lease.holder {
            Some(holder) if lease.epoch == claimed.epoch => holder.owner = owner,
            _ => return Ok(()),
        }
        Ok(self.put_leases(&home, &[lease])?)
    }

    /// Writes the claim into the ledger: assignee and status. Leaves a ledger alone that this user may not write: the
    /// claim is stored in their own state home, and remarks go to the companion.
    fn write_claim(&mut self, row: &Row, me: &str, takes: bool, wish: &ClaimWish) -> Result<Written> {
        let (id, with) = (row.issue.id.as_str(), &wish.with);
        if wish.aside {
            return Ok(as_it_is(row));
        }
        if self.access_to(row)? != Access::Write {
            // The ledger's assignee still decides whether the issue can be claimed.
            if !takes {
                let stamp = Stamp { now: self.host.clock.now(), actor: me, dialect: Dialect::default() };
                change::apply(&row.line, &[Change::Claim { assignee: me.to_owned() }], stamp)?;
            }
            return match with.is_empty() {
                true => Ok(taken_beside(row, me)),
                false => self.change_one(Intent::Edit, id, with.to_vec()),
            };
        }
        let mut changes = if takes {
            vec![Change::Text(Field::Assignee, me.to_owned()), Change::Status(Status::new("in_progress"))]
        } else {
            vec![Change::Claim { assignee: me.to_owned() }]
        };
        changes.extend_from_slice(with);
        self.change_one(Intent::Claim, id, changes)
    }

    pub(super) fn change_one(&mut self, intent: Intent, id: &str, changes: Vec<Change>) -> Result<Written> {
        let write = Write::Change { id: id.to_owned(), changes };
        self.write_one(Scope::Issues(vec![id.to_owned()]), intent, write)
    }

    pub(super) fn new_holder(&self, wish: &ClaimWish, now: &crate::model::lease::Now) -> Result<Holder> {
        let usual = || crate::model::duration::parse(self.settings.word("lease.ttl"));
        // Sessions, like agents, end without notice, so their claims expire.
        let ttl = match (self.agent.is_some() || self.session().is_some(), wish.forever) {
            (_, true) => None,
            (false, false) => wish.ttl,
            (true, false) => wish.ttl.or_else(usual),
        };
        let (expires, deadline) = ends(ttl, now);
        let agent = self.agent.as_ref().map(|agent| agent.id.clone().unwrap_or_else(|| agent.name.clone()));
        let worktree = self.worktree().ok();
        let at = now.wall.to_string();
        Ok(Holder {
            name: self.actor().to_owned(),
            agent,
            acquired: at.clone(),
            renewed: at,
            ttl,
            expires,
            deadline,
            owner: wish.owner.clone(),
            host: sys::host_name(),
            worktree_id: worktree.as_ref().and_then(|one| one.id.clone()),
            worktree: worktree.map(|one| one.name),
            remote: wish.remote.clone(),
            workflow: None,
            session: self.session().map(str::to_owned),
        })
    }
}

/// The issue as its claimant sees it, where no ledger records the claim.
fn taken_beside(row: &Row, me: &str) -> Written {
    let written = as_it_is(row);
    let Ok(record) = Record::parse(&row.line) else { return written };
    let dialect = DialectEvidence::of(&row.line).or(Dialect::default());
    let own = [("status", dialect.string("in_progress")), ("assignee", dialect.string(me)), (COMPANION, "true".into())];
    let own = own.map(|(key, raw)| (key, Some(raw)));
    let is_new = row.issue.status.as_str() != "in_progress" || row.issue.assignee.as_deref() != Some(me);
    Written { line: record.with(&own, dialect), changed: is_new, ..written }
}

/// The answer for a write that was not made.
fn as_it_is(row: &Row) -> Written {
    let (id, line, before) = (row.issue.id.clone(), row.line.clone(), Some(row.line.clone()));
    Written { id, line, before, changed: false, source_repo: row.source_repo.clone() }
}

/// A new claim, by its record and what was written.
fn outcome(row: &Row, lease: Lease, blockers: Vec<String>, written: Written) -> Claimed {
    let Lease { epoch, holder, attempts, last_error, .. } = lease;
    let (id, holder) = (row.issue.id.clone(), holder.unwrap_or_default());
    Claimed { id, epoch, holder, again: false, taken_from: None, attempts, last_error, blockers, written }
}
