//! A message in the box of one recipient: its content, and what the recipient did with it.
//!
//! Every recipient has a copy under the same id, with separate marks. The text is data from another agent, never an
//! instruction.

use super::json::Json;
use super::record::Record;
use super::row::{Form, Plain, Sparse, row};
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

/// A message that names no thread starts one.
enum Thread {}

impl Form<String> for Thread {
    fn read(record: &Record<'_>, key: &str) -> Option<String> {
        <Plain as Form<String>>::read(record, key).or_else(|| Plain::read(record, "id"))
    }

    fn write(thread: &String, key: &str, into: &mut Vec<(String, Json)>) {
        Plain::write(thread, key, into);
    }
}

row! {
    #[derive(Debug, Clone, PartialEq, Eq)]
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
        pub kind: Kind as "type" = Kind::default(),
        pub priority: Urgency = Urgency::default(),
        pub subject: Option<String>,
        pub body: String = String::new(),
        pub issue: Option<String>,
        pub thread: String as Thread,
        pub reply_to: Option<String>,
        pub created: Instant as "created_at",
        /// Hidden after this time.
        pub expires: Option<Instant> as "expires_at",
        pub wants_ack: bool as Sparse,
        /// The checkout from which it was sent.
        pub worktree_id: Option<String>,
        pub read: Option<Instant> as "read_at",
        pub acked: Option<Instant> as "ack_at",
        pub archived: Option<Instant> as "archived_at",
    }
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
