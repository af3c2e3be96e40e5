//! The events of a watch.

use crate::model::agent::Agent;
use crate::model::checkpoint::Checkpoint;
use crate::model::difference::FieldChange;
use crate::model::last_sync::LastSync;
use crate::model::lease::{Holder, Lease};
use crate::model::message::Message;
use crate::model::time::Instant;
use crate::model::words::words;
use crate::model::workspace::Workspace;
use crate::store::Place;

words! {
    /// What happened.
    #[derive(PartialOrd, Ord)]
    pub enum EventKind {
        /// The initial state has been reported; later events are changes.
        Watching = "watching",
        IssueCreated = "issue_created",
        IssueUpdated = "issue_updated",
        IssueClosed = "issue_closed",
        IssueReopened = "issue_reopened",
        /// It has left the ledger, or is a tombstone.
        IssueDeleted = "issue_deleted",
        IssueReady = "issue_ready",
        /// It is no longer ready.
        IssueUnready = "issue_unready",
        LeaseGranted = "lease_granted",
        /// Reported only on request: a working holder renews all the time.
        LeaseRenewed = "lease_renewed",
        LeaseReleased = "lease_released",
        /// Its time is over, or its process is gone; it has not been taken yet.
        LeaseExpired = "lease_expired",
        /// Taken from a holder that did not release it.
        LeaseTaken = "lease_taken",
        MailArrived = "mail_arrived",
        CheckpointAdded = "checkpoint_added",
        /// An issue was given back because the work on it failed.
        RunFailed = "run_failed",
        AgentRegistered = "agent_registered",
        /// It has unregistered.
        AgentGone = "agent_gone",
        WorkspaceCreated = "workspace_created",
        /// Its state is another one.
        WorkspaceChanged = "workspace_changed",
        WorkspaceRemoved = "workspace_removed",
        /// A sync received or sent something, or failed.
        Synced = "synced",
        /// Something cannot be read, or the system does not report changes. The watch continues.
        Trouble = "trouble",
    }
}

impl EventKind {
    /// The kinds that can be requested.
    pub fn requestable() -> impl Iterator<Item = EventKind> {
        Self::ALL.into_iter().filter(|kind| !matches!(kind, EventKind::Watching | EventKind::Trouble))
    }

    /// Reported by default.
    pub fn is_usual(self) -> bool {
        self != EventKind::LeaseRenewed && !self.is_of_records()
    }

    /// About records that are neither issues nor claims nor mail.
    pub fn is_of_records(self) -> bool {
        ["checkpoint", "run", "agent", "workspace", "synced"].iter().any(|word| self.word().starts_with(word))
    }

    /// The kinds that a word means: one by its name, or several, such as all default ones of `issue`.
    pub fn named(word: &str) -> Option<Vec<EventKind>> {
        if let Some(one) = Self::requestable().find(|kind| kind.word() == word) {
            return Some(vec![one]);
        }
        let is_ready = |kind: &EventKind| matches!(kind, EventKind::IssueReady | EventKind::IssueUnready);
        let usual = Self::requestable().filter(|kind| kind.is_usual());
        Some(match word {
            "all" => Self::requestable().collect(),
            "ready" => usual.filter(is_ready).collect(),
            "issue" => usual.filter(|kind| kind.word().starts_with("issue_") && !is_ready(kind)).collect(),
            "lease" => usual.filter(|kind| kind.word().starts_with("lease_")).collect(),
            "mail" => vec![EventKind::MailArrived],
            "sync" => vec![EventKind::Synced],
            "checkpoint" | "run" | "agent" | "workspace" => {
                Self::requestable().filter(|kind| kind.word().starts_with(word)).collect()
            }
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub kind: EventKind,
    /// When it was observed.
    pub at: Instant,
    /// Part of the initial state.
    pub initial: bool,
    pub about: About,
}

/// The subject of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    Nothing,
    Issue(Box<IssueNews>),
    Lease(Box<LeaseNews>),
    Mail(Box<Message>),
    Record(Box<RecordNews>),
    Trouble(String),
}

/// A record of the state home that is new or another one than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordNews {
    Checkpoint(Checkpoint),
    /// A failed attempt, by the claims of an issue.
    Run {
        id: String,
        title: Option<String>,
        lease: Lease,
    },
    Agent(Agent),
    Workspace(Workspace),
    Sync(LastSync),
}

/// An issue as it is now, or as it was if it is gone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IssueNews {
    pub id: String,
    pub title: String,
    pub status: String,
    pub priority: i64,
    pub issue_type: String,
    pub assignee: Option<String>,
    pub source_repo: String,
    /// The changed fields.
    pub fields: Vec<FieldChange>,
    /// The other checkout in whose ledger it happened; `None` for this one.
    pub checkout: Option<Place>,
}

/// A claim on an issue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LeaseNews {
    pub id: String,
    pub title: Option<String>,
    pub source_repo: Option<String>,
    pub epoch: i64,
    /// The holder, or the last one.
    pub holder: Option<Holder>,
    /// The holder from whom it was taken.
    pub from: Option<Holder>,
    pub attempts: i64,
    pub last_error: Option<String>,
}

impl Event {
    /// The description of trouble, if it is such an event.
    pub fn trouble(&self) -> Option<&str> {
        match &self.about {
            About::Trouble(message) => Some(message),
            _ => None,
        }
    }

    /// The issue it is about.
    pub fn issue(&self) -> Option<&str> {
        match &self.about {
            About::Nothing | About::Trouble(_) => None,
            About::Issue(news) => Some(&news.id),
            About::Lease(news) => Some(&news.id),
            About::Mail(message) => message.issue.as_deref(),
            About::Record(news) => match &**news {
                RecordNews::Checkpoint(one) => Some(&one.issue),
                RecordNews::Run { id, .. } => Some(id),
                RecordNews::Workspace(one) => one.issue.as_deref(),
                RecordNews::Agent(_) | RecordNews::Sync(_) => None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::*;

    #[test]
    fn words_for_one_kind_and_for_many() {
        for kind in EventKind::requestable() {
            assert_eq!(EventKind::named(kind.word()), Some(vec![kind]));
        }
        assert_eq!(EventKind::named("ready"), Some(vec![EventKind::IssueReady, EventKind::IssueUnready]));
        assert_eq!(EventKind::named("issue").unwrap().len(), 5);
        assert!(!EventKind::named("lease").unwrap().contains(&EventKind::LeaseRenewed));
        assert_eq!(EventKind::named("all").unwrap().len(), 21);
        assert_eq!((EventKind::named("watching"), EventKind::named("")), (None, None));
    }
}
