//! The lock of a workflow: only its holder plans.
//!
//! It is a lease under the workflow's `wf_` id, so like a claim it expires, has a growing epoch, and ends if its holder
//! dies; the ledger does not mention it. While it is held, others may read, comment, claim ready tasks and work on
//! claimed ones, but no one else may change the workflow, its order, or a task that has not begun. It binds agents and
//! people alike.

use crate::model::change::ChangeError;
use crate::model::lease::{Holder, Lease, Standing};
use crate::store::leases::messages::{locked, since};
use crate::store::state::leases::standing;
use crate::store::{ClaimWish, Evidence, Result, Snapshot, Store, WorkflowRow};

/// The lock of a workflow, as reported to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedWorkflow {
    /// The workflow's issue.
    pub id: String,
    /// The workflow's `wf_` id.
    pub workflow: String,
    pub epoch: i64,
    pub holder: Holder,
    /// The caller already held it.
    pub again: bool,
    pub taken_from: Option<Evidence>,
}

impl Snapshot {
    /// The lock of a workflow, if someone holds it.
    pub fn workflow_lock(&self, row: &WorkflowRow) -> Result<Option<(Lease, Standing)>> {
        let source = self.owner_of(row.id())?;
        let now = self.host.clock.both();
        let lease = self.leases_of(source)?.remove(&row.workflow.id).filter(|lease| lease.holder.is_some());
        Ok(lease.map(|lease| (standing(&lease, &now), lease)).map(|(standing, lease)| (lease, standing)))
    }
}

impl Store {
    /// Locks a workflow for the actor, or renews its lock. Of the wish, only the duration and the takeover matter.
    pub fn lock_workflow(&mut self, id: &str, wish: &ClaimWish) -> Result<LockedWorkflow> {
        let source = self.owner_of(id)?;
        let home = self.hold(self.lease_home(source))?;
        self.look_again()?;
        let row = self.find_workflow(id)?;
        if row.state.is_final() {
            let (id, status) = (id.to_owned(), row.state.word().to_owned());
            return Err(ChangeError::Done { id, status, what: "locked" }.into());
        }
        let key = self.lease_key(source, home.dir(), &row.workflow.id)?;
        self.refuse_damaged_claim(home.dir(), &key, id)?;
        let mut lease = home.lease(&key);
        let now = self.host.clock.both();
        let standing = standing(&lease, &now);
        let again = standing == Standing::Live && self.is_mine(&lease);
        if standing == Standing::Live && !again && wish.takeover.is_none() {
            return Err(locked(id, &lease).into());
        }
        let evidence = lease.holder.clone().filter(|_| !again).map(|holder| {
            let why = match &wish.takeover {
                Some(reason) if standing == Standing::Live => format!("taken over: {reason}"),
                _ => since(&lease, &now),
            };
            Evidence { holder, epoch: lease.epoch, why }
        });
        if again {
            if let Some(holder) = lease.holder.as_mut().filter(|_| wish.ttl.is_some() || wish.forever) {
                holder.ttl = if wish.forever { None } else { wish.ttl };
            }
            lease.renew(&now);
        } else {
            lease.grant(self.new_holder(wish, &now)?);
        }
        self.put_leases(&home, std::slice::from_ref(&lease))?;
        let holder = lease.holder.clone().unwrap_or_default();
        let workflow = row.workflow.id;
        Ok(LockedWorkflow { id: id.to_owned(), workflow, epoch: lease.epoch, holder, again, taken_from: evidence })
    }

    /// Unlocks a workflow: the actor's own lock, an expired one, or with `force` anyone's. Returns its former holder.
    pub fn unlock_workflow(&mut self, id: &str, force: bool) -> Result<Option<Holder>> {
        let source = self.owner_of(id)?;
        let home = self.hold(self.lease_home(source))?;
        self.look_again()?;
        let row = self.find_workflow(id)?;
        let key = self.lease_key(source, home.dir(), &row.workflow.id)?;
        let mut lease = home.lease(&key);
        let me = self.actor().to_owned();
        let now = self.host.clock.both();
        let mine = self.is_mine(&lease);
        let had_lost = lease.lost_by(&me).is_some();
        if standing(&lease, &now) == Standing::Live && !mine && !force && !had_lost {
            return Err(locked(id, &lease).into());
        }
        lease.lost.retain(|lost| lost.holder != me);
        let holder = lease.holder.clone();
        match (mine, force || standing(&lease, &now) == Standing::Expired) {
            (true, _) => lease.end(),
            (false, true) => lease.take_away(),
            // The actor lost the lock and only acknowledges that; the new holder keeps it.
            (false, false) => {}
        }
        self.put_leases(&home, std::slice::from_ref(&lease))?;
        Ok(holder.filter(|_| lease.holder.is_none()))
    }

    /// Releases every lock that an agent holds.
    pub fn unlock_all(&mut self, name: &str) -> Result<Vec<String>> {
        let mut free = Vec::new();
        for row in self.workflows()? {
            let held = self.workflow_lock(&row)?;
            if held
                .is_some_and(|(lease, _)| lease.holder.is_some_and(|holder| holder.name == name && holder.is_agent()))
            {
                self.unlock_workflow(row.id(), true)?;
                free.push(row.row.issue.id);
            }
        }
        Ok(free)
    }

    /// Refuses a change of a workflow or its plan if someone else holds its lock.
    pub fn refuse_locked(&self, row: &WorkflowRow) -> Result<()> {
        let source = self.owner_of(row.id())?;
        Ok(self.judge_lock(source, row.id(), &row.workflow.id)?)
    }
}
