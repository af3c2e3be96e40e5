//! Locking a workflow, and notifying former holders of the lock.

use crate::model::lease::Holder;
use crate::ops::agents::identity;
use crate::ops::claims::by_id::tell;
use crate::ops::{OpError, Result};
use crate::store::{ClaimWish, LockedWorkflow, Store};

/// Locks a workflow. Of the wish, only the duration and the takeover matter; the latter is for people and coordinators.
pub fn lock(store: &mut Store, typed: &str, wish: &ClaimWish) -> Result<LockedWorkflow> {
    let wish = &identity::claiming(store, wish)?;
    if wish.takeover.is_some() {
        refuse_workers(store, "take over locks")?;
    }
    let id = store.find_workflow(typed)?.id().to_owned();
    let locked = store.lock_workflow(&id, wish)?;
    if let Some(from) = &locked.taken_from {
        let body = format!(
            "{} has locked {id} now, under number {}. Your lock, number {}, is over: {}.",
            locked.holder.name, locked.epoch, from.epoch, from.why
        );
        tell_holder(store, &from.holder, &id, body);
    }
    Ok(locked)
}

/// Unlocks a workflow, another's lock only with a reason. Returns the issue and the former holder.
pub fn unlock(store: &mut Store, typed: &str, force: Option<&str>) -> Result<(String, Option<Holder>)> {
    if force.is_some() {
        refuse_workers(store, "take off locks of others")?;
    }
    let me = store.actor().to_owned();
    let id = store.find_workflow(typed)?.id().to_owned();
    let was = store.unlock_workflow(&id, force.is_some())?;
    if let (Some(holder), Some(reason)) = (was.as_ref().filter(|holder| holder.name != me), force) {
        tell_holder(store, holder, &id, format!("{me} has taken your lock off {id}: {reason}"));
    }
    Ok((id, was))
}

fn refuse_workers(store: &Store, what: &'static str) -> Result<()> {
    match store.agent().filter(|agent| !agent.is_coordinator) {
        Some(agent) => Err(OpError::NotCoordinator { actor: agent.name.clone(), what }),
        None => Ok(()),
    }
}

/// Writes to an agent that had the lock. The change is kept whether or not that works.
fn tell_holder(store: &mut Store, holder: &Holder, id: &str, body: String) {
    if let Some(agent) = holder.agent.clone() {
        tell(store, agent, id, format!("your lock on {id} is over"), body);
    }
}
