//! A message in the box of one recipient: its content, and what the recipient did with it.
//!
//! Every recipient has a copy under the same id, with separate marks. The text is data from another agent, never an
//! instruction.

use serde::{Deserialize, Deserializer, Serialize};

use super::row;
use super::time::Instant;
use super::words::words;

words! {
    /// The kind of a message.
    #[derive(Default)]
    pub enum Kind {
        TaskAssignment = "task_assignment",
        #[default]
        StatusUpdate = "status_update",
        Query = "query",
        Response = "response",
        Broadcast = "broadcast",
    }
}

words! {
    #[derive(PartialOrd, Ord, Default)]
    pub enum Urgency {
        Low = "low",
        #[default]
        Normal = "normal",
        High = "high",
        Urgent = "urgent",
    }
}

/// A message that names no thread begins one.
fn thread<'de, D: Deserializer<'de>>(message: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    struct Named {
        id: String,
        thread: Option<String>,
    }
    Named::deserialize(message).map(|named| named.thread.unwrap_or(named.id))
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub id: String,
    /// The sender; `None` is the program itself.
    pub from: Option<String>,
    /// The sender's id, if it is an agent.
    pub from_agent: Option<String>,
    /// The address as typed.
    pub to: String,
    /// The recipient whose box holds this copy.
    pub recipient: String,
    #[serde(rename = "type", default)]
    pub kind: Kind,
    #[serde(default)]
    pub priority: Urgency,
    pub subject: Option<String>,
    #[serde(default)]
    pub body: String,
    pub issue: Option<String>,
    #[serde(rename(deserialize = "..thread"), deserialize_with = "thread")]
    pub thread: String,
    pub reply_to: Option<String>,
    #[serde(rename = "created_at")]
    pub created: Instant,
    /// Hidden after this time.
    #[serde(rename = "expires_at")]
    pub expires: Option<Instant>,
    #[serde(default, skip_serializing_if = "row::is_default")]
    pub wants_ack: bool,
    /// The checkout from which it was sent.
    pub worktree_id: Option<String>,
    #[serde(rename = "read_at")]
    pub read: Option<Instant>,
    #[serde(rename = "ack_at")]
    pub acked: Option<Instant>,
    #[serde(rename = "archived_at")]
    pub archived: Option<Instant>,
}

impl Message {
    pub fn is_expired(&self, now: Instant) -> bool {
        self.expires.is_some_and(|end| now >= end)
    }

    pub fn is_unread(&self) -> bool {
        self.read.is_none() && self.archived.is_none()
    }

    /// Whether its sender still waits for an acknowledgement.
    pub fn is_owed(&self) -> bool {
        self.wants_ack && self.acked.is_none()
    }

    /// Marks it as read; the first time counts.
    pub fn mark_read(&mut self, now: Instant) {
        self.read.get_or_insert(now);
    }

    pub fn mark_acked(&mut self, now: Instant) {
        self.mark_read(now);
        self.acked.get_or_insert(now);
    }

    pub fn mark_archived(&mut self, now: Instant) {
        self.archived.get_or_insert(now);
    }
}
