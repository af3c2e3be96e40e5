//! Locking a workflow, and notifying former holders of the lock.

use crate::model::lease::Holder;
use crate::ops::Result;
use crate::ops::agents::identity;
use crate::ops::claims::by_id::tell;
use crate::store::{ClaimWish, LockedWorkflow, Store};

/// Locks a workflow. Of the wish, only the duration and the takeover matter; the latter is for people and coordinators.
pub fn lock(store: &mut Store, typed: &str, wish: &ClaimWish) -> Result<LockedWorkflow> {
    let wish = &identity::claiming(store, wish)?;
    if wish.takeover.is_some() {
        identity::refuse_workers(store, "take over locks")?;
    }
    let id = store.find_workflow(typed)?.id().to_owned();
    let locked = store.lock_workflow(&id, wish)?;
    if let Some(from) = &locked.taken_from {
        let body = format!(
            "{} has locked {id} now, under number {}. Your lock, number {}, is over: {}.",
            locked.holder.name, locked.epoch, from.epoch, from.why
        );
        // The lock is ours whether or not that works.
        tell(store, &from.holder, &id, format!("your lock on {id} is over"), body);
    }
    Ok(locked)
}

/// Unlocks a workflow, another's lock only with a reason. Returns the issue and the former holder.
pub fn unlock(store: &mut Store, typed: &str, force: Option<&str>) -> Result<(String, Option<Holder>)> {
    if force.is_some() {
        identity::refuse_workers(store, "take off locks of others")?;
    }
    let me = store.actor().to_owned();
    let id = store.find_workflow(typed)?.id().to_owned();
    let was = store.unlock_workflow(&id, force.is_some())?;
    if let (Some(holder), Some(reason)) = (was.as_ref().filter(|holder| holder.name != me), force) {
        let body = format!("{me} has taken your lock off {id}: {reason}");
        tell(store, holder, &id, format!("your lock on {id} is over"), body);
    }
    Ok((id, was))
}
