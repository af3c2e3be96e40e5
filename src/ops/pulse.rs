//! The life of agents: heartbeats, what they hold, and their end.

use crate::model::agent::{Agent, Status};
use crate::model::lease::Standing;
use crate::model::workspace::{State, Workspace};
use crate::ops::agents::identity;
use crate::ops::agents::roster::{Seen, all, touch};
use crate::ops::claims::by_id;
use crate::ops::{OpError, Result, here, mail, workspace_records};
use crate::store::{LeaseRow, Store};

/// The answer to a heartbeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulse {
    pub agent: Agent,
    /// When the first of its claims expires.
    pub lease_expires: Option<String>,
    pub unread: usize,
    pub urgent: usize,
}

/// An agent found to be offline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept {
    pub agent: Agent,
    /// Freed issues.
    pub released: Vec<String>,
}

/// What an agent holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InHand {
    /// Its claims, latest first.
    pub claims: Vec<LeaseRow>,
    /// Its workspaces in use, latest first.
    pub workspaces: Vec<Workspace>,
}

/// The issues and files that each of these agents holds, in the same order.
pub fn in_hand(store: &Store, agents: &[Seen]) -> Result<Vec<InHand>> {
    let mut claims = store.leases()?;
    claims.retain(|row| row.standing == Standing::Live);
    let acquired = |row: &LeaseRow| row.lease.holder.as_ref().map(|holder| holder.acquired.clone());
    claims.sort_by_key(|row| std::cmp::Reverse(acquired(row)));
    let mut made = workspace_records::workspaces(store)?;
    made.retain(|one| one.state == State::Active);
    made.reverse();
    let of = |seen: &Seen| {
        let agent = &seen.agent;
        let holds = |row: &&LeaseRow| {
            row.lease.holder.as_ref().is_some_and(|holder| holder.is_agent() && holder.name == agent.name)
        };
        let workspaces = made.iter().filter(|one| one.agent.as_deref() == Some(agent.id.as_str()));
        InHand { claims: claims.iter().filter(holds).cloned().collect(), workspaces: workspaces.cloned().collect() }
    };
    Ok(agents.iter().map(of).collect())
}

/// A heartbeat of the acting agent, with its own status.
pub fn heartbeat(store: &mut Store, status: Option<Status>, note: Option<&str>) -> Result<Pulse> {
    let agent = match identity::ensure_registered(store)? {
        Some(agent) => agent,
        None => return Err(OpError::Person { person: store.actor().to_owned() }),
    };
    let now = store.host().clock.now();
    let worktree_id = here::own_id(store);
    let touched = touch(store, store.lock_wait(), &agent.id, |agent| {
        agent.heartbeat = now;
        agent.worktree_id = worktree_id.clone().or_else(|| agent.worktree_id.take());
        agent.status = match status {
            Some(requested) => requested,
            None if agent.status.is_alive() => agent.status,
            None => Status::Online,
        };
        if let Some(note) = note {
            agent.note = Some(note.to_owned()).filter(|note| !note.is_empty());
        }
    })?;
    let agent = touched.unwrap_or(agent);
    let lease_expires = by_id::first_expiry(store)?;
    let (unread, urgent) = mail::inbox_counts(store)?;
    Ok(Pulse { agent, lease_expires, unread, urgent })
}

/// Ends the session of an agent and releases everything it holds or is assigned, with the reason on each issue. Its
/// record and id stay. Returns the freed issues. A live agent is unregistered only by itself, a coordinator or a
/// person.
pub fn unregister(store: &mut Store, seen: &Seen, reason: Option<&str>) -> Result<(Agent, Vec<String>)> {
    let name = &seen.agent.name;
    if let Some(actor) = store.agent().filter(|actor| actor.name != *name && !actor.is_coordinator)
        && seen.status.is_alive()
    {
        return Err(OpError::NotYours { name: name.clone(), actor: actor.name.clone() });
    }
    let released = by_id::release_all(store, &seen.agent.name, reason)?;
    let ended = touch(store, store.lock_wait(), &seen.agent.id, |agent| {
        agent.status = Status::Gone;
        agent.owner = None;
    })?;
    Ok((ended.unwrap_or_else(|| seen.agent.clone()), released))
}

/// Records which agents are offline: silent for this long, or without their process. Takes back those of their claims
/// that have expired.
pub fn sweep(store: &mut Store, older_than: Option<i64>, dry_run: bool) -> Result<Vec<Swept>> {
    let now = store.host().clock.now();
    let is_over = |seen: &Seen| {
        let silence = now.nanos().saturating_sub(seen.agent.heartbeat.nanos());
        let silent = older_than.map_or(seen.status == Status::Offline, |limit| silence >= limit);
        seen.agent.status.is_alive() && (silent || seen.has_lost_its_process)
    };
    let mut swept = Vec::new();
    for seen in all(store)?.into_iter().filter(is_over) {
        let (mut agent, mut released) = (seen.agent.clone(), Vec::new());
        if !dry_run {
            let still = |agent: &Agent| is_over(&Seen::of(agent.clone(), now));
            let touched = touch(store, store.lock_wait(), &agent.id, |agent| {
                if still(agent) {
                    agent.status = Status::Offline;
                }
            })?;
            // It has sent a heartbeat in the meantime.
            let Some(offline) = touched.filter(|agent| agent.status == Status::Offline) else { continue };
            agent = offline;
            released = by_id::reclaim_from(store, &agent.name)?;
        }
        swept.push(Swept { agent, released });
    }
    Ok(swept)
}
