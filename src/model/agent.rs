//! An agent: a name that outlives its sessions, and the last sign of life.
//!
//! The record holds what the agent reported. Whether it is active is decided when someone looks.

use serde::{Deserialize, Serialize};

use super::lease::Owner;
use super::row;
use super::state_id::{self, AGENT};
use super::time::{Instant, SECOND};
use super::words::words;

/// An agent is offline after this much silence.
pub const SILENCE: i64 = 15 * 60 * SECOND;
/// How often an agent should send a heartbeat if it runs no other command.
pub const INTERVAL: i64 = 5 * 60 * SECOND;
const MAX_NAME: usize = 100;

words! {
    /// What an agent is for. A coordinator may change what others hold; the other roles tell whom to ask.
    #[derive(Default)]
    pub enum Role {
        #[default]
        Worker = "worker",
        Coordinator = "coordinator",
        Reviewer = "reviewer",
        Human = "human",
    }
}

words! {
    /// The status of an agent, as far as it is known.
    #[derive(Default)]
    pub enum Status {
        #[default]
        Online = "online",
        Busy = "busy",
        Offline = "offline",
        /// It has unregistered; its record stays, and the next agent of this name gets its id.
        Gone = "gone",
    }
}

impl Status {
    pub fn is_alive(self) -> bool {
        matches!(self, Status::Online | Status::Busy)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub role: Role,
    /// The last status that it reported.
    #[serde(default)]
    pub status: Status,
    /// The program that it runs in.
    pub runtime: Option<String>,
    #[serde(default, deserialize_with = "row::list")]
    pub capabilities: Vec<String>,
    /// Keys, and values as JSON.
    #[serde(default, with = "row::pairs")]
    pub metadata: Vec<(String, String)>,
    /// The process whose end means that the agent is offline.
    #[serde(rename = "..")]
    pub owner: Option<Owner>,
    pub host: Option<String>,
    /// The checkout that it used last.
    pub worktree_id: Option<String>,
    /// What it says it is doing, for people.
    pub note: Option<String>,
    /// The number of registrations so far.
    #[serde(default = "first_session")]
    pub sessions: i64,
    pub registered: Instant,
    pub heartbeat: Instant,
}

impl Agent {
    /// Its status now, without looking at its process.
    pub fn standing(&self, now: Instant) -> Status {
        let silent = now.nanos().abs_diff(self.heartbeat.nanos()) > SILENCE.unsigned_abs();
        if self.status.is_alive() && silent { Status::Offline } else { self.status }
    }
}

fn first_session() -> i64 {
    1
}

/// Why a text cannot be the name of an agent; `None` if it can. Names must differ from other mail addresses: `human`,
/// ids, and those with `@` or a colon.
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
    use crate::model::record::Record;
    use crate::model::row::Row;

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
