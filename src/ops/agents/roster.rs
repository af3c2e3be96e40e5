//! The agents of a state home: `agents.jsonl`.
//!
//! A name has one record for ever, so its id outlives sessions. Records are changed under the lock of the state home.

use std::time::Duration;

use crate::model::agent::{Agent, Role, Status, name_problem};
use crate::model::state_id::{self, AGENT};
use crate::model::time::Instant;
use crate::ops::{OpError, Result, clones, here};
use crate::store::{AGENTS, Identity, Put, RecordFile, Store, Worktree};
use crate::sys;

/// An agent and its current state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub agent: Agent,
    pub status: Status,
    pub has_lost_its_process: bool,
}

impl Seen {
    pub fn is_registered(&self) -> bool {
        self.agent.status != Status::Gone
    }

    pub(in crate::ops) fn of(agent: Agent, now: Instant) -> Self {
        let has_lost_its_process = agent.owner.as_ref().is_some_and(sys::is_gone);
        let status = match agent.standing(now) {
            status if status.is_alive() && has_lost_its_process => Status::Offline,
            status => status,
        };
        Seen { agent, status, has_lost_its_process }
    }
}

/// An agent's description of itself. Omitted parts stay as in its last registration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Registration {
    pub name: String,
    /// By default a worker.
    pub role: Option<Role>,
    /// Empty to remove it.
    pub runtime: Option<String>,
    /// Replaces all of them; a list with only an empty one removes them.
    pub capabilities: Option<Vec<String>>,
    /// Keys, and values as JSON; other keys stay.
    pub metadata: Vec<(String, String)>,
    /// The process that the agent's life is tied to.
    pub pid: Option<u32>,
    /// Register even if an agent with this name seems to be alive.
    pub again: bool,
}

/// Which agents to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentFilter {
    pub status: Option<Status>,
    pub role: Option<Role>,
    pub capability: Option<String>,
    /// Only those that disappeared without unregistering.
    pub stale: bool,
    /// Only those last seen in this checkout, by id, name or path.
    pub worktree: Option<String>,
}

pub(in crate::ops) fn file(store: &Store) -> RecordFile {
    AGENTS.file(&store.state())
}

/// Every registered agent, past ones included, by name.
pub(in crate::ops) fn all(store: &Store) -> Result<Vec<Seen>> {
    let now = store.host().clock.now();
    let document = store.records(&file(store))?;
    let mut found: Vec<Seen> = AGENTS.rows(&document).map(|agent| Seen::of(agent, now)).collect();
    found.sort_by(|a, b| (&a.agent.name, &a.agent.id).cmp(&(&b.agent.name, &b.agent.id)));
    Ok(found)
}

/// The agents that match a filter. Unregistered ones are left out unless requested.
pub fn agents(store: &Store, filter: &AgentFilter) -> Result<Vec<Seen>> {
    let worktree = filter.worktree.as_deref().map(|text| store.find_worktree(text)).transpose()?;
    let mut found = all(store)?;
    found.retain(|seen| {
        let is_there = |one: &Worktree| one.id.is_some() && one.id == seen.agent.worktree_id;
        filter.status.map_or(seen.is_registered(), |status| status == seen.status)
            && filter.role.is_none_or(|role| role == seen.agent.role)
            && filter.capability.as_ref().is_none_or(|wanted| seen.agent.capabilities.contains(wanted))
            && (!filter.stale || seen.status == Status::Offline)
            && worktree.as_ref().is_none_or(is_there)
    });
    Ok(found)
}

/// Finds an agent by name, id or unambiguous beginning of an id.
pub fn find_agent(store: &Store, typed: &str) -> Result<Seen> {
    let mut known = all(store)?;
    if let Some(at) = known.iter().position(|seen| seen.agent.name == typed || seen.agent.id == typed) {
        return Ok(known.swap_remove(at));
    }
    let is_start = typed.strip_prefix(AGENT).is_some_and(|rest| !rest.is_empty());
    known.retain(|seen| is_start && seen.agent.id.starts_with(typed));
    let found = here::only(known, |seen| &seen.agent.id);
    let found = found.map_err(|candidates| OpError::Ambiguous { typed: typed.to_owned(), candidates })?;
    found.ok_or_else(|| OpError::NoSuchAgent { typed: typed.to_owned() })
}

/// Registers an agent: a new name, or one whose agent is gone.
pub fn register(store: &mut Store, registration: Registration) -> Result<Agent> {
    let Registration { name, role, runtime, capabilities, metadata, pid, again } = registration;
    if let Some(problem) = name_problem(&name) {
        return Err(OpError::BadName { name, problem });
    }
    let owner = match pid {
        None => None,
        Some(pid) => Some(sys::owner(pid).ok_or(OpError::NoSuchProcess { pid })?),
    };
    let capabilities = capabilities.map(|mut all| {
        all.retain(|one| !one.is_empty());
        all.sort_unstable();
        all.dedup();
        all
    });
    let now = store.host().clock.now();
    let fresh = Agent {
        id: state_id::mint(AGENT, store.host().entropy.bytes()),
        name,
        role: role.unwrap_or_default(),
        status: Status::Online,
        runtime: runtime.clone().filter(|text| !text.is_empty()),
        capabilities: capabilities.clone().unwrap_or_default(),
        metadata: joined(Vec::new(), &metadata),
        owner,
        host: sys::host_name(),
        worktree_id: None,
        note: None,
        sessions: 1,
        registered: now,
        heartbeat: now,
    };
    // After its own id: a checkout may need an id, and failing to get one must not block an agent.
    let worktree_id = here::own_id(store);
    let fresh = Agent { worktree_id, ..fresh };
    let mut registered = fresh.clone();
    let held = store.state().lock(store.lock_wait())?;
    file(store).edit(&held, &store.host().entropy, |document| -> Result<Vec<Put>> {
        registered = fresh.clone();
        if let Some(old) = AGENTS.rows(document).find(|agent| agent.name == fresh.name) {
            let same_process = fresh.owner.is_some() && fresh.owner == old.owner;
            let seen = Seen::of(old, now);
            if seen.status.is_alive() && !again && !same_process {
                let Agent { name, id, heartbeat, .. } = seen.agent;
                return Err(OpError::Alive { name, id, heartbeat: heartbeat.to_string() });
            }
            let old = seen.agent;
            registered.id = old.id;
            registered.sessions = old.sessions.saturating_add(1);
            registered.role = role.unwrap_or(old.role);
            registered.runtime = runtime.clone().or(old.runtime).filter(|text| !text.is_empty());
            registered.capabilities = capabilities.clone().unwrap_or(old.capabilities);
            registered.metadata = joined(old.metadata, &metadata);
        }
        Ok(vec![AGENTS.put(document, &registered.id, &registered)])
    })?;
    drop(held);
    // Only for an overview of all clones.
    let _ = clones::note_clone(store);
    if store.agent().is_some_and(|agent| agent.name == registered.name) {
        store.act_as(identity(&registered, true));
    }
    Ok(registered)
}

/// Keys and values, later ones replacing earlier ones.
fn joined(mut known: Vec<(String, String)>, added: &[(String, String)]) -> Vec<(String, String)> {
    for (key, raw) in added {
        known.retain(|(other, _)| other != key);
        known.push((key.clone(), raw.clone()));
    }
    known
}

/// Changes one record based on its current content; `None` if there is no such agent.
pub(in crate::ops) fn touch(
    store: &Store,
    wait: Duration,
    id: &str,
    change: impl Fn(&mut Agent),
) -> Result<Option<Agent>> {
    let held = store.state().lock(wait)?;
    let mut changed = None;
    file(store).edit(&held, &store.host().entropy, |document| -> Result<Vec<Put>> {
        let Some(mut agent) = AGENTS.row(document, id) else { return Ok(Vec::new()) };
        change(&mut agent);
        let put = AGENTS.put(document, id, &agent);
        changed = Some(agent);
        Ok(vec![put])
    })?;
    Ok(changed)
}

/// What the store needs to know of an agent.
pub(in crate::ops) fn identity(agent: &Agent, is_registered: bool) -> Identity {
    Identity {
        name: agent.name.clone(),
        id: is_registered.then(|| agent.id.clone()),
        is_coordinator: agent.role == Role::Coordinator,
        capabilities: agent.capabilities.clone(),
        workspace: None,
    }
}
