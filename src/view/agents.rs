//! Agents as programs and people see them.

use super::answer::{List, answer, each, filled, or_null, raw_object};
use crate::model::agent::{Agent, INTERVAL, Status};
use crate::model::duration;
use crate::model::time::{Instant, MILLI};
use crate::model::when::Calendar;
use crate::ops::{InHand, Pulse, Seen, Swept};
use crate::store::LeaseRow;

answer! {
    pub fn stored(agent: &Agent, status: Status) {
        id: &agent.id, name: &agent.name, role: agent.role.word(), status: status.word(),
        runtime: &agent.runtime, capabilities: &agent.capabilities,
        metadata: filled(&agent.metadata).map(raw_object),
        pid: agent.owner.as_ref().map(|owner| owner.pid),
        host: &agent.host, worktree_id: &agent.worktree_id, note: &agent.note,
        sessions: agent.sessions, registered_at: agent.registered, last_heartbeat: agent.heartbeat,
    }

    /// An agent that has just registered, with the interval of its heartbeats.
    pub fn registered(agent: &Agent) {
        ..stored(agent, agent.status), heartbeat_ms: INTERVAL / MILLI,
    }

    fn in_hand(row: &LeaseRow) {
        id: &row.id, title: &row.title, epoch: row.lease.epoch,
        expires: row.lease.holder.as_ref().and_then(|holder| holder.expires),
        worktree: row.lease.holder.as_ref().and_then(|holder| holder.worktree.as_ref()),
    }

    /// An agent with what it holds: `current_task` and `workspace` are the latest of each.
    pub fn agent(seen: &Seen, hand: &InHand, now: Instant) {
        ..stored(&seen.agent, seen.status), because: absence(seen, now),
        current_task: hand.claims.first().map(|row| &row.id),
        workspace: hand.workspaces.first().map(|one| &one.id),
        workspace_path: hand.workspaces.first().map(|one| &one.path),
        claims: each(&hand.claims, in_hand),
    }

    /// The answer to a heartbeat.
    pub fn pulse(pulse: &Pulse) {
        id: &pulse.agent.id, name: &pulse.agent.name, status: pulse.agent.status.word(),
        lease_expires: or_null(pulse.lease_expires.as_ref()),
        unread: pulse.unread, urgent: pulse.urgent, next_ms: INTERVAL / MILLI,
    }

    pub fn unregistered(agent: &Agent, released: &[String]) {
        id: &agent.id, name: &agent.name, status: agent.status.word(), released: released,
    }

    fn silent(one: &Swept) {
        id: &one.agent.id, name: &one.agent.name, released: &one.released,
    }

    pub fn swept(swept: &[Swept], dry_run: bool) {
        dry_run: dry_run, offline: each(swept, silent),
    }
}

pub fn agents(all: &[Seen], hands: &[InHand], now: Instant) -> List {
    each(all.iter().zip(hands), |(seen, hand)| agent(seen, hand, now))
}

/// A claim on one line, with the issue last.
pub fn claim_line(row: &LeaseRow) -> String {
    let place = row.lease.holder.as_ref().and_then(|holder| holder.worktree.as_deref());
    let place = place.map(|name| format!(" (in {name})")).unwrap_or_default();
    format!("{}{place}: {}", row.title.as_deref().unwrap_or("an issue that is not in this ledger"), row.id)
}

/// Why an agent is absent.
pub fn absence(seen: &Seen, now: Instant) -> Option<String> {
    match seen.status {
        Status::Online | Status::Busy => None,
        Status::Gone => Some("it has unregistered".to_owned()),
        Status::Offline if seen.has_lost_its_process => Some("its process is gone".to_owned()),
        Status::Offline => Some(format!("no word for {}", duration::text(silence(&seen.agent, now)))),
    }
}

/// When an agent was last heard of.
pub fn heard_of(agent: &Agent, now: Instant, calendar: &Calendar) -> String {
    format!("{} ({})", calendar.full(agent.heartbeat), duration::ago(silence(agent, now)))
}

/// How long an agent has been silent, in nanoseconds.
fn silence(agent: &Agent, now: Instant) -> i64 {
    now.nanos().saturating_sub(agent.heartbeat.nanos())
}
