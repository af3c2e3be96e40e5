//! Workspaces: checkouts that `bd` makes for a job, looks after and removes.
//!
//! Owns `workspaces.jsonl` in the state home of the repository that a workspace is a checkout of, and the directories of
//! workspaces (`workspace.path`). What could not be made is taken away again, and nothing ever falls back to another checkout.

mod artifacts;
mod checkout;
mod complete;
mod create;
mod env;
mod finish;
mod gc;
mod look;
mod orphans;
mod places;
mod proof;
mod records;
mod remove;
mod rescue;
mod survey;

use std::path::PathBuf;

pub use complete::{JobEnd, end_of_job};
pub use create::{MadeWorkspace, SetupWish, WorkspaceWish, create as create_workspace};
pub use env::{exports, variables as workspace_env};
pub use gc::{Gc, GcRow, GcWish, IDLE_DAYS, gc};
pub use look::reasons as workspace_reasons;
pub use orphans::{Orphan, orphans};
pub use records::{find_workspace, workspaces};
pub use remove::{Removal, RemovedWorkspace, remove as remove_workspace};
pub use rescue::{RestoredWorkspace, restore as restore_workspace};
pub use survey::{Class as GcClass, merged as merged_workspaces, stale as stale_workspaces};

use super::{CoordinationError, Reason};

#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("no workspace {typed:?}")]
    NotFound { typed: String },
    #[error("{typed:?} may be any of {}", candidates.join(" "))]
    Ambiguous { typed: String, candidates: Vec<String> },
    #[error("the workspace {id} was not made: {error}{}", left.as_ref().map(|left| format!("; {left}")).unwrap_or_default())]
    NotMade { id: String, error: Box<CoordinationError>, left: Option<String> },
    #[error("there is no place for workspaces: {why}")]
    NoPlace { why: String },
    #[error("workspace.path in the committed settings leads out of the repository: {}", path.display())]
    UntrustedPath { path: PathBuf },
    #[error("a workspace of the kind {kind} cannot have {what}")]
    NotOfKind { kind: &'static str, what: &'static str },
    #[error("the workspace {id} ({}) is kept: {}", path.display(), texts(reasons))]
    Kept { id: String, path: PathBuf, reasons: Vec<Reason> },
    #[error("the workspace {id} is gone already")]
    Gone { id: String },
    #[error("the workspace {id} is {state} by process {pid}")]
    Busy { id: String, state: &'static str, pid: i64 },
    #[error("the workspace {id} was changed by somebody else meanwhile")]
    Changed { id: String },
    #[error("the workspace {id} could not be removed: {error}{}", key.as_ref().map(|key| format!("; what was in it is kept as {key}")).unwrap_or_default())]
    HalfRemoved { id: String, key: Option<String>, error: Box<CoordinationError> },
    #[error("nothing was kept as {typed:?}")]
    NotKept { typed: String },
}

fn texts(reasons: &[Reason]) -> String {
    super::losses::texts(reasons).join("; ")
}
