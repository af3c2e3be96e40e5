//! Why a claim, or a write under claims, is refused.

use std::path::PathBuf;

use super::withheld::Withheld;

/// Why a claim or a write was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeaseError {
    #[error("{id} is already claimed by {holder}{}{}{}", in_session(session), place(worktree), until(expires))]
    Claimed {
        id: String,
        holder: String,
        agent: Option<String>,
        epoch: i64,
        expires: Option<String>,
        worktree: Option<String>,
        session: Option<String>,
    },
    #[error("{id} is locked by {holder}{}", until(expires))]
    Locked { id: String, holder: String, agent: Option<String>, epoch: i64, expires: Option<String> },
    #[error("the claim of {name} on {id} (epoch {held}) is over: {why}; nothing was written")]
    Stale { id: String, name: String, held: i64, epoch: i64, holder: Option<String>, why: String },
    #[error("the lock of {name} on {id} (number {held}) is over: {why}; nothing was written")]
    LockOver { id: String, name: String, held: i64, epoch: i64, holder: Option<String>, why: String },
    #[error("{id} is {status} in the checkout {worktree}, which is not merged here")]
    Elsewhere { id: String, status: String, worktree: String },
    #[error("{id} was closed in another clone, and that is not merged here")]
    ClosedElsewhere { id: String },
    #[error("{id} could not be claimed, and the state home still says that it is: {problem}")]
    HalfMade { id: String, problem: String },
    #[error("{}:{line} knows a claim on {id} and cannot be read; nothing was written", path.display())]
    Damaged { id: String, path: PathBuf, line: usize },
    #[error("{id} cannot be claimed now: {why}")]
    Withheld { id: String, why: Withheld },
    #[error("{id} cannot be claimed now: it waits for {}", blockers.join(" "))]
    Waits { id: String, blockers: Vec<String> },
    #[error("{id} is a workflow: nobody claims it, only its tasks")]
    IsWorkflow { id: String },
    #[error("{id} is a task of the plan of {workflow}: that changes only with the plan")]
    OfPlan { id: String, workflow: String },
    #[error("{workflow} has a task {name:?} already: {other}")]
    SameName { workflow: String, name: String, other: String },
    #[error("{id} is not claimed")]
    NotClaimed { id: String },
    #[error("{text:?} is not ID:EPOCH")]
    BadToken { text: String },
}

fn in_session(session: &Option<String>) -> String {
    session.as_ref().map(|name| format!(" (session {name})")).unwrap_or_default()
}

fn place(worktree: &Option<String>) -> String {
    worktree.as_ref().map(|name| format!(" in {name}")).unwrap_or_default()
}

fn until(expires: &Option<String>) -> String {
    expires.as_ref().map(|at| format!(" until {at}")).unwrap_or_default()
}
