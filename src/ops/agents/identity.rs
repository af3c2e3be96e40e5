//! The actor: the agent that the environment names, as far as the state home knows it.
//!
//! Without such a name it is the agent of the current workspace; a person at a terminal is never taken for it.
//! Otherwise it is a person, perhaps in a client session, which tells the claims of that person's agents apart. Every
//! command of an agent is a heartbeat. A read command never waits for it and never fails because of it.

use std::time::Duration;

use super::roster::{self, Registration, Seen, identity};
use crate::model::agent::{Agent, Status};
use crate::model::reservation::Party;
use crate::model::state_id::AGENT;
use crate::model::time::{Instant, SECOND};
use crate::model::workspace::State;
use crate::model::{client, state_id};
use crate::ops::{OpError, Result, here, workspace_records};
use crate::store::{AGENT_VARIABLE, ClaimWish, Identity, Store, StoreError};
use crate::sys;

/// A more recent heartbeat is not worth a write.
const FRESH: i64 = 60 * SECOND;

/// Makes the store act as the agent that the environment names, if any, and records its heartbeat.
pub(crate) fn join_as_agent(store: &mut Store) -> Result<()> {
    if let Some(seen) = identify(store)? {
        beat(store, &seen);
    }
    if store.agent().is_some() || store.session().is_some() {
        // A lease that cannot be renewed at once is renewed by the agent's next command.
        let _ = store.renew_leases(false, Duration::ZERO);
    }
    Ok(())
}

/// Makes the store act as the agent that the environment names. Any name will do, registered or not; an id must be
/// registered.
pub fn identify(store: &mut Store) -> Result<Option<Seen>> {
    let Some(named) = store.host().env.var(AGENT_VARIABLE) else {
        let found = of_workspace(store);
        if found.is_none() && !store.is_actor_named() {
            let session = client::session(|name| store.host().env.var(name));
            store.act_in(session);
        }
        return Ok(found);
    };
    let is_id = state_id::is(AGENT, &named);
    let known = match roster::all(store) {
        Ok(known) => known,
        Err(error) if is_id => return Err(error),
        Err(_) => Vec::new(),
    };
    let found = known.into_iter().find(|seen| seen.agent.name == named || seen.agent.id == named);
    match &found {
        None if is_id => return Err(OpError::NoSuchAgent { typed: named }),
        None => store.act_as(Identity { name: named, ..Identity::default() }),
        Some(seen) => store.act_as(identity(&seen.agent, seen.is_registered())),
    }
    Ok(found)
}

/// The agent of the current workspace, if it is registered and the actor is not named otherwise.
fn of_workspace(store: &mut Store) -> Option<Seen> {
    if store.is_actor_named() || sys::terminal::has_person() {
        return None;
    }
    let workspace = workspace_records::here(store).filter(|one| one.state == State::Active)?;
    let id = workspace.agent.as_ref()?;
    let seen = roster::all(store).ok()?.into_iter().find(|seen| seen.agent.id == *id && seen.is_registered())?;
    store.act_as(Identity { workspace: Some(workspace.id), ..identity(&seen.agent, true) });
    Some(seen)
}

/// The acting agent, registered as a worker if necessary; `None` for a person.
pub fn ensure_registered(store: &mut Store) -> Result<Option<Agent>> {
    let Some(name) = store.agent().map(|agent| agent.name.clone()) else { return Ok(None) };
    let known = roster::all(store)?.into_iter().find(|seen| seen.agent.name == name);
    match known {
        Some(seen) if seen.is_registered() && !seen.has_lost_its_process => {
            store.act_as(identity(&seen.agent, true));
            if seen.status.is_alive() {
                return Ok(Some(seen.agent));
            }
            let now = store.host().clock.now();
            let back = roster::touch(store, store.lock_wait(), &seen.agent.id, |agent| revive(agent, now))?;
            Ok(Some(back.unwrap_or(seen.agent)))
        }
        // The same agent returns, with its earlier capabilities.
        Some(_) => roster::register(store, Registration { name, again: true, ..Registration::default() }).map(Some),
        None => match roster::register(store, Registration { name, ..Registration::default() }) {
            // Another command of this agent registered it first.
            Err(OpError::Alive { id, .. }) => {
                let seen = roster::find_agent(store, &id)?;
                store.act_as(identity(&seen.agent, true));
                Ok(Some(seen.agent))
            }
            registered => registered.map(Some),
        },
    }
}

/// The actor, for a command that leaves records behind: an agent is registered if necessary.
pub(crate) fn ensure_actor(store: &mut Store) -> Result<Party> {
    ensure_registered(store)?;
    Ok(here::acting(store))
}

/// Registers the acting agent if necessary, and completes its claim: the claim of an agent registered with a process
/// ends with that process.
pub(in crate::ops) fn claiming(store: &mut Store, wish: &ClaimWish) -> Result<ClaimWish> {
    if wish.ttl.is_some_and(|ttl| ttl <= 0) {
        return Err(StoreError::BadValue("a claim must last longer than no time".to_owned()).into());
    }
    let process = ensure_registered(store)?.and_then(|agent| agent.owner);
    Ok(ClaimWish { owner: wish.owner.clone().or(process), ..wish.clone() })
}

/// Refuses what only a coordinator or a person may do.
pub(in crate::ops) fn refuse_workers(store: &Store, what: &'static str) -> Result<()> {
    match store.agent().filter(|agent| !agent.is_coordinator) {
        Some(agent) => Err(OpError::NotCoordinator { actor: agent.name.clone(), what }),
        None => Ok(()),
    }
}

/// A heartbeat. An agent that has unregistered in the meantime stays unregistered.
fn revive(agent: &mut Agent, now: Instant) {
    agent.heartbeat = now;
    if agent.status == Status::Offline {
        agent.status = Status::Online;
    }
}

/// Records a heartbeat, if that needs no waiting. An agent whose process is gone is not revived by its name.
fn beat(store: &Store, seen: &Seen) {
    let now = store.host().clock.now();
    let age = now.nanos().abs_diff(seen.agent.heartbeat.nanos());
    let worktree_id = store.known_worktree_id();
    let is_here = worktree_id.is_none() || worktree_id == seen.agent.worktree_id;
    let fresh = seen.agent.status.is_alive() && age < FRESH.unsigned_abs() && is_here;
    if fresh || !seen.is_registered() || seen.has_lost_its_process {
        return;
    }
    let beaten = roster::touch(store, Duration::ZERO, &seen.agent.id, |agent| {
        revive(agent, now);
        agent.worktree_id = worktree_id.clone().or_else(|| agent.worktree_id.take());
    });
    // If the state home is busy or not writable, the next command records it.
    drop(beaten);
}
