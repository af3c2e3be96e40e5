//! A write to a ledger as a value: what to write, why, to which ledgers, and the result.

use std::cell::OnceCell;

use crate::ledger::LedgerError;
use crate::model::change::{Change, ChangeError, NewIssue};
use crate::model::id::IssueId;
use crate::model::issue::Issue;
use crate::model::proposal::{COMPANION, Owner};
use crate::model::record::Record;
use crate::store::StoreError;
use crate::store::error::LeaseError;

/// The purpose of a write; some guards depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Intent {
    /// Change the content of an issue.
    Edit,
    /// Part of an operation on the claim, which checked the claim under the lock that is still held.
    Claim,
    /// Move lines or restore earlier ones: relocate, propose, rename, restore, undo, prune.
    Carry,
}

/// The attributes of new issues in a repo.
#[derive(Debug, Default)]
pub(in crate::store) struct Fresh {
    /// The prefix of their ids; empty until known: by default the most common one in the ledger.
    pub prefix: OnceCell<String>,
    /// The prefix if no issue of the ledger has one.
    pub default_prefix: String,
    /// The project that they are planned for.
    pub owner: Option<Owner>,
}

/// A single write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// A new issue for a repo of the project, under a given id or a minted one.
    File { issue: Box<NewIssue>, id: Option<IssueId>, repo: usize },
    /// Changes to one issue, in the ledger that owns it.
    Change { id: String, changes: Vec<Change> },
    /// A complete line: replaces the line with this id, or is added to `repo` if there is none (import).
    Put { id: String, line: String, repo: usize },
}

/// Which ledgers a transaction locks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Those that own these issues.
    Issues(Vec<String>),
    /// Those of these repos.
    Repos(Vec<usize>),
    /// All of them, for checks over the whole project: no cycle, no second issue with the same id.
    All,
}

/// An issue after a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub id: String,
    /// The line now.
    pub line: String,
    /// The line before, if there was one.
    pub before: Option<String>,
    /// Whether the file had to change.
    pub changed: bool,
    pub source_repo: String,
}

impl Written {
    pub fn issue(&self) -> Issue {
        Issue::decode(&Record::parse(&self.line).expect("a written line is a record"))
    }

    /// The issue itself was not written: this user's remarks on it, or claim of it, are stored with their own data
    /// only.
    pub fn is_beside(&self) -> bool {
        Record::parse(&self.line).is_ok_and(|record| record.raw(COMPANION) == Some("true"))
    }
}

/// Why one of several writes was not made; the others were.
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
    Lease(#[from] Box<LeaseError>),
    /// It has parts in several ledgers, and the first of them were written.
    #[error("{source}; done in part: {} changed before that", changed.join(", "))]
    Partly { changed: Vec<String>, source: Box<WriteError> },
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
