//! Errors of operations, and why a workspace is not made or removed.

mod batch;
mod checkpoints;
mod reservations;
mod setup;
mod templates;
mod workflows;

use std::path::PathBuf;

pub use batch::BatchError;
pub use checkpoints::CheckpointError;
pub use reservations::{Obstacle, ReservationError};
pub use setup::SetupError;
pub use templates::{TemplateError, several};
pub use workflows::FlowError;

use super::removal_reasons::{self, Reason};
use crate::ledger::Damage;
use crate::model::issue::PriorityError;
use crate::model::plan::Problem;
use crate::model::query::QueryError;
use crate::model::size;
use crate::model::workspace::State;
use crate::store::{RecordError, StoreError, SyncError};

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error(transparent)]
    Priority(#[from] PriorityError),
    #[error("invalid status {word:?}; known: {}", known.join(" "))]
    Status { word: String, known: Vec<String> },
    #[error("invalid issue type {word:?}; known: {}", known.join(" "))]
    Type { word: String, known: Vec<String> },
    #[error("invalid dependency type {0:?}: lower-case letters, digits and dashes, at most 50")]
    DependencyType(String),
    #[error("unknown dependency type {word:?}; known: {}", known.join(" "))]
    UnknownDependencyType { word: String, known: Vec<String> },
    #[error("invalid --{flag} format {value:?}: not a date")]
    Date { flag: &'static str, value: String },
    #[error("{} is part of the project in {}", directory.display(), project.display())]
    InsideProject { directory: PathBuf, project: PathBuf },
    #[error("{} is a ledger, or would be taken for one: choose another place", path.display())]
    IsLedger { path: PathBuf, renamed: Option<String> },
    #[error("{repo} stays: it is needed by {}", used.text())]
    RepoInUse { repo: String, used: RepoUse },
    #[error("{0}")]
    Usage(String),
    #[error("the key {key:?} was used for another text, or in another form, at {at}")]
    KeyTaken { key: String, at: String },
    #[error("the record of the key {key:?} is damaged, so what it was used for is not known")]
    KeyDamaged { key: String },
    #[error("the command with the key {key:?} was interrupted at {at}, and may have written something")]
    KeyInterrupted { key: String, at: String },
    #[error("{0}")]
    NotFound(String),
    #[error("{source}; filed before that: {}", filed.join(" "))]
    Partly { filed: Vec<String>, source: Box<StoreError> },
    #[error(transparent)]
    Batch(#[from] BatchError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error("{file}:{line}: {damage}; nothing was imported")]
    Import { file: String, line: usize, damage: Damage },
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Fs(#[from] crate::sys::fs::FsError),
    #[error(transparent)]
    Record(#[from] RecordError),
    /// From the remote with claims.
    #[error(transparent)]
    Remote(#[from] SyncError),
    #[error(transparent)]
    Reservation(#[from] ReservationError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Workflow(#[from] FlowError),
    #[error(transparent)]
    Template(#[from] TemplateError),
    #[error("{place}: {}", several(problems))]
    BrokenPlan { place: String, problems: Vec<Problem> },
    #[error("{name:?} cannot be the name of a checkout: letters and digits, not starting with - or ., and not main")]
    BadWorktreeName { name: String },
    #[error("the checkout {name} ({}) is kept: {}", root.display(), reasons.join("; "))]
    WorktreeKept { name: String, root: PathBuf, reasons: Vec<String> },
    #[error("the checkout {name} is gone already")]
    WorktreeGone { name: String },
    #[error("the checkout {name} could not be removed: {error}; its files as they were are kept as {key}")]
    HalfRemoved { name: String, key: String, error: Box<OpError> },
    #[error("the checkout {name} has no ledger: {}", root.display())]
    NoLedgerThere { name: String, root: PathBuf },
    #[error("no agent {typed:?} is registered")]
    NoSuchAgent { typed: String },
    #[error("{typed:?} may be any of {}", candidates.join(" "))]
    Ambiguous { typed: String, candidates: Vec<String> },
    #[error("{name:?} cannot be the name of an agent: {problem}")]
    BadName { name: String, problem: &'static str },
    #[error("{name} is registered as {id} and was heard of at {heartbeat}")]
    Alive { name: String, id: String, heartbeat: String },
    #[error("process {pid} does not run here, or this system does not tell of it")]
    NoSuchProcess { pid: u32 },
    #[error("{name} is active, and {actor} is not a coordinator")]
    NotYours { name: String, actor: String },
    #[error("no state home found at {}", path.display())]
    NoStateHome { path: PathBuf },
    #[error("{} is the state home in use", path.display())]
    NoWhere { path: PathBuf },
    #[error("{id} is claimed by different agents in {} and {}", from.display(), to.display())]
    BothKnow { from: PathBuf, to: PathBuf, id: String },
    #[error("only a coordinator or a person may {what}, and {actor} is neither")]
    NotCoordinator { actor: String, what: &'static str },
    #[error("only agents can do this, and {person} is a person")]
    Person { person: String },
    #[error("{name} has unregistered, and nobody reads its mail")]
    Unregistered { name: String },
    #[error("no recipient matches {address:?}")]
    NoRecipient { address: String },
    #[error("no message {typed:?}")]
    NoSuchMessage { typed: String },
    #[error("{id} was sent by bd itself; nobody reads an answer")]
    NoSender { id: String },
    #[error("a message needs a text")]
    NoBody,
    #[error("the {what} is longer than {most} bytes")]
    TooLong { what: &'static str, most: usize },
}

impl From<crate::ledger::LedgerError> for OpError {
    fn from(error: crate::ledger::LedgerError) -> Self {
        OpError::Store(error.into())
    }
}

pub type Result<T> = std::result::Result<T, OpError>;

/// Why a plan in Markdown cannot be parsed.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error(
        "line {line}: unknown section {name:?}; known: type, priority, labels, assignee, dependencies, design, acceptance criteria, notes, description"
    )]
    Section { line: usize, name: String },
    #[error("no issue in the plan: each one starts with a line \"## Title\"")]
    Empty,
}

/// Why an edited form was not applied.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the line {0:?} is missing from the edited text")]
    Missing(String),
    #[error("{field} of {id} was changed by someone else while you edited it")]
    Overtaken { id: String, field: String },
    #[error("{id} was changed at {at}, after {known}")]
    Newer { id: String, known: String, at: String },
    #[error("the line {line:?} of the form is not one of {known}")]
    Detail { line: String, known: String },
    #[error("the form is that of {id}, and its id became {typed:?}; an id cannot be edited")]
    OtherId { id: String, typed: String },
    #[error(transparent)]
    Editor(#[from] crate::sys::process::EditorError),
}

/// The users of a repo of the project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepoUse {
    /// Unfinished workflows there, or with tasks there: ids of their issues.
    pub workflows: Vec<String>,
    /// Existing workspaces of it, by id.
    pub workspaces: Vec<String>,
}

impl RepoUse {
    pub fn is_empty(&self) -> bool {
        self.workflows.is_empty() && self.workspaces.is_empty()
    }

    pub fn text(&self) -> String {
        let list = |what: &str, ids: &[String]| match ids {
            [] => None,
            [one] => Some(format!("the {what} {one}")),
            many => Some(format!("the {what}s {}", many.join(", "))),
        };
        let parts = [list("workflow", &self.workflows), list("workspace", &self.workspaces)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }
}

/// Errors of workspaces.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("no workspace {typed:?}")]
    NotFound { typed: String },
    #[error("the workspace {id} was not made: {error}{}", left.as_ref().map(|left| format!("; {left}")).unwrap_or_default())]
    NotMade { id: String, error: Box<OpError>, left: Option<String> },
    #[error("the record of the workspace {id} was changed by another while it was made")]
    Lost { id: String },
    #[error("{issue} is a task for the repository {repo}, which is not one of this project")]
    RepoNotHere { issue: String, repo: String },
    #[error("no directory for workspaces: {why}")]
    NoPlace { why: String },
    #[error("workspace.path in the committed settings leads out of the repository: {}", path.display())]
    UntrustedPath { path: PathBuf },
    #[error("workspace.setup in the committed settings names a command that you have not agreed to: {command}")]
    UntrustedSetup { command: String },
    #[error("the setup failed: {why}: {command}{}", if output.is_empty() { String::new() } else { format!("; {output}") })]
    SetupFailed { command: String, why: String, output: String },
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
    #[error("no commit {name:?}")]
    NoSuchCommit { name: String },
    #[error("{text:?} is not the address of a pull request")]
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
    HalfRemoved { id: String, key: Option<String>, error: Box<OpError> },
    #[error("files in {} are changed and not committed: {}", root.display(), paths(files))]
    HomeChanged { root: PathBuf, files: Vec<PathBuf> },
    #[error("no branch is checked out in {}, so nothing can be merged into it", root.display())]
    NoBranch { root: PathBuf },
    #[error("{branch} is no longer checked out, so nothing was merged")]
    OtherBranch { branch: String },
    #[error("no check is set, and each merge needs one")]
    NoCheck,
    #[error("another process is landing work here")]
    Landing,
    #[error("this is the workspace {id}; its work lands in {}", parent.display())]
    LandsElsewhere { id: String, parent: PathBuf },
    #[error("no workspace is finished and not merged")]
    NothingFinished,
    #[error("the check fails here without any of that work: {why}: {command}{}", if output.is_empty() { String::new() } else { format!("; {output}") })]
    CheckFails { command: String, why: String, output: String },
    #[error("the check was interrupted: {command}")]
    CheckInterrupted { command: String },
    #[error("{} is not empty", path.display())]
    NotEmpty { path: PathBuf },
    #[error("nothing was kept as {typed:?}")]
    NotKept { typed: String },
}

fn paths(files: &[PathBuf]) -> String {
    let shown: Vec<String> = files.iter().take(3).map(|file| file.display().to_string()).collect();
    let more = files.len() - shown.len();
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

fn texts(reasons: &[Reason]) -> String {
    removal_reasons::texts(reasons).join("; ")
}
