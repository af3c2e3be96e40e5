//! Showing other machines what the agents of this clone do.

use super::overview::{Doing, FinishedWork, FleetMember, FleetWish, overview};
use super::shared::{place, put};
use crate::model::fleet_note::{FleetNote, NotedAgent, NotedIssue};
use crate::ops::Result;
use crate::store::Store;
use crate::sys;

/// Shows the other machines what this clone does.
pub fn publish(store: &mut Store) -> Result<()> {
    if place(store)?.is_none() {
        return Ok(());
    }
    let seen = overview(store, FleetWish { remotes: false })?;
    let Some(own) = seen.clones.iter().find(|clone| clone.is_here) else { return Ok(()) };
    let mut agents: Vec<NotedAgent> = own.members.iter().map(noted).collect();
    agents.retain(|agent| agent.status != "offline" || !agent.holds.is_empty());
    let held = || own.members.iter().flat_map(|member| &member.holds);
    let is_own = |one: &&FinishedWork| one.clone == own.path && !one.is_private;
    let finished = seen.finished.iter().filter(is_own).map(|one| NotedIssue {
        id: one.id.clone(),
        title: one.title.clone(),
        ..NotedIssue::default()
    });
    let note = FleetNote {
        id: store.clone_id()?,
        at: store.host().clock.now().to_string(),
        host: sys::host_name(),
        agents,
        finished: finished.collect(),
        private: held().filter(|doing| doing.is_private).count() as i64,
    };
    put(store, &note)
}

fn noted(member: &FleetMember) -> NotedAgent {
    let issue = |doing: &Doing| NotedIssue {
        id: doing.claim.id.clone(),
        title: doing.claim.title.clone().unwrap_or_default(),
        since: doing.claim.lease.holder.as_ref().map(|holder| holder.acquired.clone()),
        attempts: doing.claim.lease.attempts,
        last_error: doing.claim.lease.last_error.clone(),
        checkpoint: doing.checkpoint.as_ref().map(|one| format!("{}: {}", one.kind.as_str(), one.summary)),
    };
    NotedAgent {
        name: member.name.clone(),
        status: member.seen.as_ref().map_or("human", |seen| seen.status.word()).to_owned(),
        heartbeat: member.seen.as_ref().map(|seen| seen.agent.heartbeat.to_string()),
        holds: member.holds.iter().filter(|doing| !doing.is_private).map(issue).collect(),
    }
}
