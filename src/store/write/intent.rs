//! A write to a ledger, as a value: what is wanted, what for, of which ledgers, and what came of it.

use std::cell::OnceCell;

use crate::ledger::LedgerError;
use crate::model::change::{Change, ChangeError, NewIssue};
use crate::model::id::IssueId;
use crate::model::issue::Issue;
use crate::model::proposal::{COMPANION, Owner};
use crate::model::record::Record;
use crate::store::StoreError;
use crate::store::error::LeaseError;

/// What a write is for. Some guards ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Intent {
    /// An issue is to say something else.
    Edit,
    /// A part of deciding over the claim on the issue: whoever does that has looked at the claim, under the lock that is still held.
    Claim,
    /// Lines go elsewhere, or come back as they were: moved, proposed, renamed, restored, undone, pruned.
    Carry,
}

/// What new issues of a repo get.
#[derive(Debug, Default)]
pub(in crate::store) struct Fresh {
    /// Of their ids; nothing yet if it is the one that most ids of the ledger bear.
    pub prefix: OnceCell<String>,
    /// The prefix where none of them bears one.
    pub default_prefix: String,
    /// The project that they are planned for.
    pub owner: Option<Owner>,
}

/// One thing to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// A new issue for a repo of the project, under a chosen id or a minted one.
    File { issue: Box<NewIssue>, id: Option<IssueId>, repo: usize },
    /// Changes to one issue, in the ledger that owns it.
    Change { id: String, changes: Vec<Change> },
    /// A line as it is: replacing the line that bears the id, or for a repo if no line does (import).
    Put { id: String, line: String, repo: usize },
}

/// Which ledgers a transaction locks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Those that own these issues.
    Issues(Vec<String>),
    /// Those of these repos.
    Repos(Vec<usize>),
    /// All of them, for what must hold over the whole project: no cycle, no second issue under one id.
    All,
}

/// An issue after a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub id: String,
    /// The line as it is now.
    pub line: String,
    /// The line as it was before, if there was one.
    pub before: Option<String>,
    /// Whether the file had to be touched for it.
    pub changed: bool,
    pub source_repo: String,
}

impl Written {
    pub fn issue(&self) -> Issue {
        Issue::decode(&Record::parse(&self.line).expect("a written line is a record"))
    }

    /// The issue itself was not written: what this user said about it, or that they work on it, is theirs alone.
    pub fn is_beside(&self) -> bool {
        Record::parse(&self.line).is_ok_and(|record| record.raw(COMPANION) == Some("true"))
    }
}

/// Why one of several writes was not made; the others stand.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WriteError {
    #[error("no issue found matching {0:?}: not found")]
    NotFound(String),
    #[error("{0} exists already")]
    Taken(String),
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Lease(Box<LeaseError>),
    /// It goes to several ledgers, and the first have it.
    #[error("{source}; done in part: {} changed before that", changed.join(", "))]
    Partly { changed: Vec<String>, source: Box<WriteError> },
}

impl From<Box<LeaseError>> for WriteError {
    fn from(error: Box<LeaseError>) -> Self {
        WriteError::Lease(error)
    }
}

impl From<WriteError> for StoreError {
    fn from(error: WriteError) -> Self {
        error.into_store()
    }
}

impl WriteError {
    pub fn into_store(self) -> StoreError {
        match self {
            WriteError::NotFound(typed) => StoreError::NotFound { typed },
            WriteError::Taken(id) => StoreError::Taken { id },
            WriteError::Change(error) => StoreError::Change(error),
            WriteError::Ledger(error) => StoreError::Ledger(error),
            WriteError::Lease(error) => StoreError::Lease(error),
            WriteError::Partly { changed, source } => {
                StoreError::Partly { changed, source: Box::new(source.into_store()) }
            }
        }
    }
}

pub(super) type Answer = std::result::Result<Written, WriteError>;
