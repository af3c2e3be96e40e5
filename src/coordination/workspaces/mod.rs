//! Workspaces: checkouts that `bd` makes for a job, looks after and removes.
//!
//! Owns `workspaces.jsonl` in the state home of the repository that a workspace is a checkout of, and the directories of
//! workspaces (`workspace.path`). What could not be made is taken away again, and nothing ever falls back to another checkout.

mod adopt;
mod artifacts;
mod checkout;
mod complete;
mod create;
mod env;
mod finish;
mod gc;
mod include;
mod job;
mod ledger;
mod limits;
mod lines;
mod look;
mod orphans;
mod places;
mod ports;
mod proof;
mod records;
mod remove;
mod repair;
mod rescue;
mod reuse;
mod setup;
mod steps;
mod survey;
mod update;
mod usage;

use std::path::PathBuf;

pub use adopt::adopt as adopt_workspace;
pub use complete::{JobEnd, end_of_job};
pub use create::{MadeWorkspace, SetupWish, WorkspaceWish, create as create_workspace};
pub use env::{exports, variables as workspace_env};
pub use gc::{Gc, GcRow, GcWish, IDLE_DAYS, gc};
pub use job::set_workspace_owner;
pub use ledger::lacks_issue;
pub(super) use lines::bring_in;
pub use look::reasons as workspace_reasons;
pub use orphans::{Orphan, orphans};
pub use records::{find_workspace, here, unreadable as unreadable_workspaces, workspaces};
pub use remove::{Removal, RemovedWorkspace, remove as remove_workspace};
pub use repair::repair_workspaces;
pub use rescue::{RestoredWorkspace, restore as restore_workspace};
pub use survey::{
    Class as GcClass, fetch_parents, merged as merged_workspaces, odd as odd_workspaces, stale as stale_workspaces,
};
pub use update::{WorkspaceUpdate, update as update_workspace};
pub use usage::{WorkspaceUsage, measure as workspace_usage};

use super::{CoordinationError, Reason};
use crate::model::size;
use crate::model::workspace::State;

#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("no workspace {typed:?}")]
    NotFound { typed: String },
    #[error("{typed:?} may be any of {}", candidates.join(" "))]
    Ambiguous { typed: String, candidates: Vec<String> },
    #[error("the workspace {id} was not made: {error}{}", left.as_ref().map(|left| format!("; {left}")).unwrap_or_default())]
    NotMade { id: String, error: Box<CoordinationError>, left: Option<String> },
    #[error("the record of the workspace {id} was changed by another while it was made")]
    Lost { id: String },
    #[error("{issue} is a task for the repository {repo}, which is not one of this project")]
    RepoNotHere { issue: String, repo: String },
    #[error("there is no place for workspaces: {why}")]
    NoPlace { why: String },
    #[error("workspace.path in the committed settings leads out of the repository: {}", path.display())]
    UntrustedPath { path: PathBuf },
    #[error("workspace.setup in the committed settings names a command that you have not agreed to: {command}")]
    UntrustedSetup { command: String },
    #[error("the setup failed: {why}: {command}{}", if said.is_empty() { String::new() } else { format!("; {said}") })]
    SetupFailed { command: String, why: String, said: String },
    #[error("{files} ignored files with {} are to be copied, and workspace.copy_limit allows {}", size::text(*bytes), size::text(*limit))]
    TooMuchToCopy { bytes: u64, limit: u64, files: usize },
    #[error("no block of {count} ports from {first} on is free")]
    NoPorts { first: u32, count: u32 },
    #[error(
        "about {} are needed and {} are free in {}, of which workspace.min_free keeps {}",
        size::text(*needed), size::text(*free), at.display(), size::text(*keep)
    )]
    NoRoom { needed: u64, free: u64, keep: u64, at: PathBuf, reclaimable: u64, idle: usize },
    #[error(
        "about {} are needed, all workspaces together take {}, and workspace.max_size allows {}",
        size::text(*needed), size::text(*used), size::text(*most)
    )]
    TooLarge { needed: u64, used: u64, most: u64, reclaimable: u64, idle: usize },
    #[error("workspace.max_count is {most}; workspaces now: {count}")]
    TooMany { count: usize, most: usize, reclaimable: u64, idle: usize },
    #[error("{} is not taken over: {why}", path.display())]
    NotAdopted { path: PathBuf, why: String },
    #[error("the workspace {id} is {} and cannot become {}", from.word(), to.word())]
    IllegalMove { id: String, from: State, to: State },
    #[error("the workspace {id} is merged only by a commit")]
    NoMergeCommit { id: String },
    #[error("there is no commit {name:?}")]
    NoSuchCommit { name: String },
    #[error("{text:?} is no address of a pull request")]
    BadAddress { text: String },
    #[error("the directory of the workspace {id} is not there: {}", path.display())]
    Gone { id: String, path: PathBuf },
    #[error("a workspace of the kind {kind} cannot have {what}")]
    NotOfKind { kind: &'static str, what: &'static str },
    #[error("the workspace {id} ({}) is kept: {}", path.display(), texts(reasons))]
    Kept { id: String, path: PathBuf, reasons: Vec<Reason> },
    #[error("the workspace {id} is gone already")]
    AlreadyGone { id: String },
    #[error("the workspace {id} is {state} by process {pid}")]
    Busy { id: String, state: &'static str, pid: i64 },
    #[error("the workspace {id} was changed by somebody else meanwhile")]
    Changed { id: String },
    #[error("the workspace {id} could not be removed: {error}{}", key.as_ref().map(|key| format!("; what was in it is kept as {key}")).unwrap_or_default())]
    HalfRemoved { id: String, key: Option<String>, error: Box<CoordinationError> },
    #[error("{} is not empty", path.display())]
    NotEmpty { path: PathBuf },
    #[error("nothing was kept as {typed:?}")]
    NotKept { typed: String },
}

fn texts(reasons: &[Reason]) -> String {
    super::losses::texts(reasons).join("; ")
}
