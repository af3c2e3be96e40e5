//! Warnings as values: facts only; advice is added where they are shown.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::ledger::Finding;
use crate::store::project::repo_problem::RepoProblem;
use crate::store::project::settings::{ConfigError, Held, UnknownKey};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// About a line of a ledger.
    Line(LineWarning),
    /// A configured repo that is not, or not completely, part of the project.
    Repo(RepoProblem),
    /// A repo whose ledger cannot be read at the moment.
    Unread { repo: String, message: String },
    /// A settings file that cannot be used.
    Config(ConfigError),
    /// A key in a settings file that is not known.
    UnknownKey(UnknownKey),
    /// A configured value that is not in effect but would change something.
    Held(Held),
    /// Acknowledged writes that are missing from the ledger; the repo is set if there are several.
    Removed { repo: Option<String>, ids: Vec<String> },
    /// Cannot tell whether acknowledged writes are missing.
    Unwatched { repo: String, message: String },
    /// The write was made, but neither `bd undo` nor `bd recover` will know of it.
    NotLogged { repo: String, message: String },
    /// Damaged lines in a version of the past.
    DamagedThen { lines: usize },
    /// A repo without version control: its past is unknown.
    NoPast { repo: String },
    /// The write was made, but a claim was not updated.
    NotSettled { message: String },
    /// The claim was made, but not on the remote, which does not take any.
    ClaimIsLocal { message: String },
    /// A record of a state home that cannot be read.
    Record { path: PathBuf, line: usize, what: String },
    /// Records that wait in an outbox, and cannot be read.
    Outbox { path: PathBuf, what: String },
    /// Another checkout that could not be read.
    SiblingUnread { worktree: String, message: String },
    /// Proposals on branches of the project that could not, or not all, be read.
    Branches { message: String },
    /// An issue, new or changed, that now refers to a deleted one.
    DeletedTarget { id: Option<String>, target: String, kind: String },
    /// The write was made, but the ledger was not committed after it.
    NotCommitted { repo: String, message: String },
}

/// A problem in a line of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineWarning {
    pub file: PathBuf,
    pub finding: Finding,
}

/// Problems beside the actual result, each once.
#[derive(Debug, Default)]
pub(in crate::store) struct Notices(Mutex<Vec<Warning>>);

impl Notices {
    pub(crate) fn add(&self, warning: Warning) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(&warning) {
            known.push(warning);
        }
    }

    pub(crate) fn all(&self) -> Vec<Warning> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
