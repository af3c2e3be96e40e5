//! Agents as programs and people see them.

use super::{Object, array};
use crate::coordination::{Pulse, Seen, Swept};
use crate::model::agent::{Agent, INTERVAL, Status};
use crate::model::duration;
use crate::model::json::Dialect;
use crate::model::time::{Instant, MILLI};

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

pub fn agent(seen: &Seen, now: Instant) -> String {
    stored(&seen.agent, seen.status).optional("because", absence(seen, now).as_deref()).finish()
}

pub fn agents(all: &[Seen], now: Instant) -> String {
    array(all.iter().map(|seen| agent(seen, now)))
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
