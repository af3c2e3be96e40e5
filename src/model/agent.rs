//! An agent: a name that outlives the sessions which bear it, and the last word that was heard of it.
//!
//! What is stored is what the agent said of itself. Whether it is there is judged by who looks, and when.

use super::json::{Dialect, Object};
use super::lease::Owner;
use super::record::Record;
use super::state_id::{self, AGENT};
use super::time::{Instant, SECOND};

/// An agent that has said nothing for so long is offline.
pub const SILENCE: i64 = 15 * 60 * SECOND;
/// How often an agent should say a word if it runs no other command.
pub const INTERVAL: i64 = 5 * 60 * SECOND;
const MAX_NAME: usize = 100;

/// What an agent is for. A coordinator may change what others hold; the other words say whom to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    #[default]
    Worker,
    Coordinator,
    Reviewer,
    Human,
}

impl Role {
    pub const ALL: [Role; 4] = [Role::Worker, Role::Coordinator, Role::Reviewer, Role::Human];

    pub fn word(self) -> &'static str {
        match self {
            Role::Worker => "worker",
            Role::Coordinator => "coordinator",
            Role::Reviewer => "reviewer",
            Role::Human => "human",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// How an agent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    #[default]
    Online,
    Busy,
    Offline,
    /// It has unregistered; its record stays, and its id is given to the next one of this name.
    Gone,
}

impl Status {
    pub const ALL: [Status; 4] = [Status::Online, Status::Busy, Status::Offline, Status::Gone];

    pub fn word(self) -> &'static str {
        match self {
            Status::Online => "online",
            Status::Busy => "busy",
            Status::Offline => "offline",
            Status::Gone => "gone",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    pub fn is_alive(self) -> bool {
        matches!(self, Status::Online | Status::Busy)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub id: String,
    pub name: String,
    pub role: Role,
    /// What it said last.
    pub status: Status,
    /// What it runs in.
    pub runtime: Option<String>,
    pub capabilities: Vec<String>,
    /// Keys, and values as JSON.
    pub metadata: Vec<(String, String)>,
    /// The process that it lives and dies with.
    pub owner: Option<Owner>,
    pub host: Option<String>,
    /// The checkout in which it was heard of last.
    pub worktree_id: Option<String>,
    /// What it says it is doing.
    pub note: Option<String>,
    /// How often it has registered.
    pub sessions: i64,
    pub registered: Instant,
    pub heartbeat: Instant,
}

impl Agent {
    /// How it stands now, not looking at its process.
    pub fn standing(&self, now: Instant) -> Status {
        let silent = now.nanos().abs_diff(self.heartbeat.nanos()) > SILENCE.unsigned_abs();
        if self.status.is_alive() && silent { Status::Offline } else { self.status }
    }

    pub fn parse(record: &Record<'_>) -> Option<Self> {
        let text = |key: &str| record.text_of(key).map(|text| text.into_owned());
        let time = |key: &str| record.string(key).and_then(|text| Instant::parse(&text));
        let texts = |key: &str| {
            let elements = record.elements(key).into_iter();
            elements.filter_map(|raw| super::json::decode_string(raw).map(|text| text.into_owned())).collect()
        };
        let metadata = record.raw("metadata").and_then(|raw| Record::parse_part(raw).ok());
        let metadata =
            metadata.map(|inner| inner.iter().map(|(key, raw)| (key.into_owned(), raw.to_owned())).collect());
        Some(Agent {
            id: text("id")?,
            name: text("name")?,
            role: text("role").and_then(|word| Role::parse(&word)).unwrap_or_default(),
            status: text("status").and_then(|word| Status::parse(&word)).unwrap_or_default(),
            runtime: text("runtime"),
            capabilities: texts("capabilities"),
            metadata: metadata.unwrap_or_default(),
            owner: text("pid_start")
                .and_then(|start| Some(Owner { boot: text("pid_boot")?, pid: record.integer("pid")?, start })),
            host: text("host"),
            worktree_id: text("worktree_id"),
            note: text("note"),
            sessions: record.integer("sessions").unwrap_or(1),
            registered: time("registered")?,
            heartbeat: time("heartbeat")?,
        })
    }

    /// The line of a state home.
    pub fn render(&self) -> String {
        let mut object = Object::new()
            .text("id", &self.id)
            .text("name", &self.name)
            .text("role", self.role.word())
            .text("status", self.status.word())
            .optional("runtime", self.runtime.as_deref());
        if !self.capabilities.is_empty() {
            object = object.texts("capabilities", &self.capabilities);
        }
        if !self.metadata.is_empty() {
            let inner = self.metadata.iter().fold(Object::new(), |inner, (key, raw)| inner.raw(key, raw));
            object = object.raw("metadata", &inner.finish());
        }
        if let Some(owner) = &self.owner {
            object = object.number("pid", owner.pid).text("pid_boot", &owner.boot).text("pid_start", &owner.start);
        }
        object
            .optional("host", self.host.as_deref())
            .optional("worktree_id", self.worktree_id.as_deref())
            .optional("note", self.note.as_deref())
            .number("sessions", self.sessions)
            .text("registered", &self.registered.to_string())
            .text("heartbeat", &self.heartbeat.to_string())
            .finish()
    }

    /// The line of a state home that replaces another; what this version does not know stays in it.
    pub fn render_over(&self, old: &Record<'_>) -> String {
        let before = Self::parse(old).map_or_else(|| "{}".to_owned(), |old| old.render());
        old.moved(&before, &self.render(), Dialect::default())
    }
}

/// Why a text cannot be the name of an agent; `None` if it can. Addresses of mail must not look like names.
pub fn name_problem(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("it is empty"),
        "human" => Some("mail to human goes to people"),
        _ if name.len() > MAX_NAME => Some("it is longer than 100 bytes"),
        _ if name.trim() != name => Some("it begins or ends with a blank"),
        _ if name.chars().any(char::is_control) => Some("it holds control characters"),
        _ if name.starts_with(['@', '-']) => Some("it begins with @ or -"),
        _ if name.contains(':') => Some("it holds a colon"),
        _ if state_id::is(AGENT, name) => Some("it has the form of an id"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_makes_offline_whichever_way_the_clock_jumped() {
        let at = |seconds: i64| Instant::from_nanos(1_700_000_000 * SECOND + seconds * SECOND);
        let line =
            format!(r#"{{"id":"ag_1","name":"a","status":"busy","registered":"{}","heartbeat":"{}"}}"#, at(0), at(0));
        let agent = Agent::parse(&Record::parse(&line).unwrap()).unwrap();
        assert_eq!((agent.role, agent.sessions), (Role::Worker, 1));
        for (seconds, status) in [
            (0, Status::Busy),
            (900, Status::Busy),
            (901, Status::Offline),
            (-900, Status::Busy),
            (-901, Status::Offline),
        ] {
            assert_eq!(agent.standing(at(seconds)), status, "{seconds}");
        }
        let gone = Agent { status: Status::Gone, ..agent };
        assert_eq!((gone.standing(at(0)), gone.standing(at(9999))), (Status::Gone, Status::Gone));
    }

    #[test]
    fn names_that_addresses_need() {
        for name in ["ann", "worker-3", "Ann Example", "漢字", "ag_short"] {
            assert_eq!(name_problem(name), None, "{name}");
        }
        let long = "x".repeat(101);
        for name in ["", "human", "@all", "role:worker", " a", "a\n", "-x", "ag_0123456789ab", &long] {
            assert!(name_problem(name).is_some(), "{name}");
        }
    }
}
