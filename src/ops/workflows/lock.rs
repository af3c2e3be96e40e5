//! Locking a workflow, and notifying former holders of the lock.

use crate::model::lease::Holder;
use crate::model::message::{Kind, Urgency};
use crate::ops::agents::identity;
use crate::ops::mail::{Letter, Sender};
use crate::ops::{OpError, Result, mail};
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
        tell(store, &from.holder, &id, body);
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
        tell(store, holder, &id, format!("{me} has taken your lock off {id}: {reason}"));
    }
    Ok((id, was))
}

fn refuse_workers(store: &Store, what: &'static str) -> Result<()> {
    match store.agent().filter(|agent| !agent.is_coordinator) {
        Some(agent) => Err(OpError::NotCoordinator { actor: agent.name.clone(), what }),
        None => Ok(()),
    }
}

/// Notifies an agent that held the lock. A failure has no effect.
fn tell(store: &mut Store, holder: &Holder, id: &str, body: String) {
    let Some(agent) = holder.agent.clone() else { return };
    let letter = Letter {
        from: Sender::System,
        to: vec![agent],
        kind: Kind::StatusUpdate,
        priority: Urgency::High,
        subject: Some(format!("your lock on {id} is over")),
        body,
        issue: Some(id.to_owned()),
        ..Letter::default()
    };
    // An agent that never registered has no mailbox.
    let _ = mail::send(store, letter);
}
