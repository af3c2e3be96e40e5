//! What is odd, as a value: facts only, the advice is added where it is shown.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::ledger::Finding;
use crate::store::project::repo_problem::RepoProblem;
use crate::store::project::settings::{ConfigError, Held, UnknownKey};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A line of a ledger.
    Line(LineWarning),
    /// A configured repo that is not, or not quite, part of the project.
    Repo(RepoProblem),
    /// A repo whose ledger cannot be read at the moment.
    Unread {
        repo: String,
        message: String,
    },
    /// A settings file that cannot be used.
    Config(ConfigError),
    UnknownKey(UnknownKey),
    /// A value that is set, is not in effect, and would change something.
    Held(Held),
    /// Acknowledged writes that are not in the ledger any more.
    Removed {
        /// Named where there are several repos.
        repo: Option<String>,
        ids: Vec<String>,
    },
    /// Whether acknowledged writes are missing cannot be told.
    Unwatched {
        repo: String,
        message: String,
    },
    /// The write stands, but neither `bd undo` nor `bd recover` would know of it.
    NotLogged {
        repo: String,
        message: String,
    },
    /// Lines of a version of the past.
    DamagedThen {
        lines: usize,
    },
    /// A repo under no version control: how it was is not known.
    NoPast {
        repo: String,
    },
    /// The write stands, but a claim still looks as it was before.
    NotSettled {
        message: String,
    },
    /// The issue was given back, but the remote does not know it yet.
    ClaimStays {
        id: String,
        message: String,
    },
    /// A record of the state home that cannot be read.
    Record {
        path: PathBuf,
        line: usize,
        what: String,
    },
    /// What another checkout says is not known.
    SiblingUnread {
        worktree: String,
        message: String,
    },
    /// What the branches of the project propose is not, or not all, known.
    Branches {
        message: String,
    },
    /// An issue, or a new one, that refers to a deleted one from now on.
    DeletedTarget {
        id: Option<String>,
        target: String,
        kind: String,
    },
    /// The write stands, but the ledger was not committed after it.
    NotCommitted {
        repo: String,
        message: String,
    },
}

/// Something odd about a line of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineWarning {
    pub file: PathBuf,
    pub finding: Finding,
}

/// What went wrong beside what was asked for, each once.
#[derive(Debug, Default)]
pub(in crate::store) struct Notices(Mutex<Vec<Warning>>);

impl Notices {
    pub fn add(&self, warning: Warning) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains(&warning) {
            known.push(warning);
        }
    }

    pub fn all(&self) -> Vec<Warning> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
