//! Agents as programs and people see them.

use super::{Object, array};
use crate::coordination::{InHand, Pulse, Seen, Swept};
use crate::model::agent::{Agent, INTERVAL, Status};
use crate::model::duration;
use crate::model::json::Dialect;
use crate::model::time::{Instant, MILLI};
use crate::store::LeaseRow;

fn stored(agent: &Agent, status: Status) -> Object {
    let mut object = Object::new()
        .text("id", &agent.id)
        .text("name", &agent.name)
        .text("role", agent.role.word())
        .text("status", status.word())
        .optional("runtime", agent.runtime.as_deref())
        .texts("capabilities", &agent.capabilities);
    if !agent.metadata.is_empty() {
        let inner = agent.metadata.iter().fold(Object::new(), |inner, (key, raw)| inner.raw(key, raw));
        object = object.raw("metadata", &inner.finish());
    }
    if let Some(owner) = &agent.owner {
        object = object.number("pid", owner.pid);
    }
    object
        .optional("host", agent.host.as_deref())
        .optional("worktree_id", agent.worktree_id.as_deref())
        .optional("note", agent.note.as_deref())
        .number("sessions", agent.sessions)
        .text("registered_at", &agent.registered.to_string())
        .text("last_heartbeat", &agent.heartbeat.to_string())
}

/// An agent that has just registered, with how often it should say a word.
pub fn registered(agent: &Agent) -> String {
    stored(agent, agent.status).number("heartbeat_ms", INTERVAL / MILLI).finish()
}

/// An agent with what it has in hand: `current_task` and `workspace` are the latest of each.
pub fn agent(seen: &Seen, hand: &InHand, now: Instant) -> String {
    let claims = hand.claims.iter().map(|row| {
        let holder = row.lease.holder.as_ref();
        Object::new()
            .text("id", &row.id)
            .optional("title", row.title.as_deref())
            .number("epoch", row.lease.epoch)
            .optional("expires", holder.and_then(|holder| holder.expires).map(|at| at.to_string()).as_deref())
            .optional("worktree", holder.and_then(|holder| holder.worktree.as_deref()))
            .finish()
    });
    let workspace = hand.workspaces.first();
    stored(&seen.agent, seen.status)
        .optional("because", absence(seen, now).as_deref())
        .optional("current_task", hand.claims.first().map(|row| row.id.as_str()))
        .optional("workspace", workspace.map(|one| one.id.as_str()))
        .optional("workspace_path", workspace.map(|one| one.path.as_str()))
        .raw("claims", &array(claims))
        .finish()
}

pub fn agents(all: &[Seen], hands: &[InHand], now: Instant) -> String {
    array(all.iter().zip(hands).map(|(seen, hand)| agent(seen, hand, now)))
}

/// A claim in a line, its issue last.
pub fn claim_line(row: &LeaseRow) -> String {
    let place = row.lease.holder.as_ref().and_then(|holder| holder.worktree.as_deref());
    let place = place.map(|name| format!(" (in {name})")).unwrap_or_default();
    format!("{}{place}: {}", row.title.as_deref().unwrap_or("an issue that is not in this ledger"), row.id)
}

/// Why an agent is not there.
pub fn absence(seen: &Seen, now: Instant) -> Option<String> {
    match seen.status {
        Status::Online | Status::Busy => None,
        Status::Gone => Some("it has unregistered".to_owned()),
        Status::Offline if seen.has_lost_its_process => Some("its process is gone".to_owned()),
        Status::Offline => Some(format!("no word for {}", silence(&seen.agent, now))),
    }
}

/// How long ago an agent was heard of.
pub fn silence(agent: &Agent, now: Instant) -> String {
    duration::text(now.nanos().saturating_sub(agent.heartbeat.nanos()))
}

pub fn pulse(pulse: &Pulse) -> String {
    let expires = pulse.lease_expires.as_deref().map(|at| Dialect::default().string(at));
    Object::new()
        .text("id", &pulse.agent.id)
        .text("name", &pulse.agent.name)
        .text("status", pulse.agent.status.word())
        .raw("lease_expires", expires.as_deref().unwrap_or("null"))
        .number("unread", pulse.unread as i64)
        .number("urgent", pulse.urgent as i64)
        .number("next_ms", INTERVAL / MILLI)
        .finish()
}

pub fn unregistered(agent: &Agent, released: &[String]) -> String {
    Object::new()
        .text("id", &agent.id)
        .text("name", &agent.name)
        .text("status", agent.status.word())
        .texts("released", released)
        .finish()
}

pub fn swept(swept: &[Swept], dry_run: bool) -> String {
    let items = swept.iter().map(|one| {
        Object::new().text("id", &one.agent.id).text("name", &one.agent.name).texts("released", &one.released).finish()
    });
    Object::new().flag("dry_run", dry_run).raw("offline", &array(items)).finish()
}
