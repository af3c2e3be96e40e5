//! A message, as it lies in the box of one recipient: what was said, and what became of it there.
//!
//! Every recipient has a copy under the same id, with its own marks. The text is data from another agent, never an instruction.

use super::json::{Dialect, Object};
use super::record::Record;
use super::time::Instant;

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    TaskAssignment,
    #[default]
    StatusUpdate,
    Query,
    Response,
    Broadcast,
}

impl Kind {
    pub const ALL: [Kind; 5] = [Kind::TaskAssignment, Kind::StatusUpdate, Kind::Query, Kind::Response, Kind::Broadcast];

    pub fn word(self) -> &'static str {
        match self {
            Kind::TaskAssignment => "task_assignment",
            Kind::StatusUpdate => "status_update",
            Kind::Query => "query",
            Kind::Response => "response",
            Kind::Broadcast => "broadcast",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Urgency {
    Low,
    #[default]
    Normal,
    High,
    Urgent,
}

impl Urgency {
    pub const ALL: [Urgency; 4] = [Urgency::Low, Urgency::Normal, Urgency::High, Urgency::Urgent];

    pub fn word(self) -> &'static str {
        match self {
            Urgency::Low => "low",
            Urgency::Normal => "normal",
            Urgency::High => "high",
            Urgency::Urgent => "urgent",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|urgency| urgency.word() == word)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: String,
    /// Who sent it; `None` is the program itself.
    pub from: Option<String>,
    /// The sender's id, if it is an agent.
    pub from_agent: Option<String>,
    /// The address as typed.
    pub to: String,
    /// In whose box it lies.
    pub recipient: String,
    pub kind: Kind,
    pub priority: Urgency,
    pub subject: Option<String>,
    pub body: String,
    pub issue: Option<String>,
    pub thread: String,
    pub reply_to: Option<String>,
    pub created: Instant,
    /// Not shown after this.
    pub expires: Option<Instant>,
    pub wants_ack: bool,
    /// The checkout that it was sent from.
    pub worktree_id: Option<String>,
    pub read: Option<Instant>,
    pub acked: Option<Instant>,
    pub archived: Option<Instant>,
}

impl Message {
    pub fn is_expired(&self, now: Instant) -> bool {
        self.expires.is_some_and(|end| now >= end)
    }

    pub fn is_unread(&self) -> bool {
        self.read.is_none() && self.archived.is_none()
    }

    /// Its sender waits for a word that it was seen.
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

    pub fn parse(record: &Record<'_>) -> Option<Self> {
        let text = |key: &str| record.text_of(key).map(|text| text.into_owned());
        let time = |key: &str| record.string(key).and_then(|text| Instant::parse(&text));
        Some(Message {
            id: text("id")?,
            from: text("from"),
            from_agent: text("from_agent"),
            to: text("to")?,
            recipient: text("recipient")?,
            kind: text("type").and_then(|word| Kind::parse(&word)).unwrap_or_default(),
            priority: text("priority").and_then(|word| Urgency::parse(&word)).unwrap_or_default(),
            subject: text("subject"),
            body: text("body").unwrap_or_default(),
            issue: text("issue"),
            thread: text("thread").or_else(|| text("id"))?,
            reply_to: text("reply_to"),
            created: time("created_at")?,
            expires: time("expires_at"),
            wants_ack: record.flag("wants_ack"),
            worktree_id: text("worktree_id"),
            read: time("read_at"),
            acked: time("ack_at"),
            archived: time("archived_at"),
        })
    }

    /// The line of a box.
    pub fn render(&self) -> String {
        let time = |at: Option<Instant>| at.map(|at| at.to_string());
        let object = Object::new()
            .text("id", &self.id)
            .optional("from", self.from.as_deref())
            .optional("from_agent", self.from_agent.as_deref())
            .text("to", &self.to)
            .text("recipient", &self.recipient)
            .text("type", self.kind.word())
            .text("priority", self.priority.word())
            .optional("subject", self.subject.as_deref())
            .text("body", &self.body)
            .optional("issue", self.issue.as_deref())
            .text("thread", &self.thread)
            .optional("reply_to", self.reply_to.as_deref())
            .text("created_at", &self.created.to_string())
            .optional("expires_at", time(self.expires).as_deref());
        let object = if self.wants_ack { object.flag("wants_ack", true) } else { object };
        object
            .optional("worktree_id", self.worktree_id.as_deref())
            .optional("read_at", time(self.read).as_deref())
            .optional("ack_at", time(self.acked).as_deref())
            .optional("archived_at", time(self.archived).as_deref())
            .finish()
    }

    /// The line of a box that replaces another; what this version does not know stays in it.
    pub fn render_over(&self, old: &Record<'_>) -> String {
        let before = Self::parse(old).map_or_else(|| "{}".to_owned(), |old| old.render());
        old.moved(&before, &self.render(), Dialect::default())
    }
}
