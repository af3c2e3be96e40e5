//! What can go wrong between agents.

use std::path::PathBuf;

use super::templates::{TemplateError, several};
use super::workflows::FlowError;
use super::{CheckpointError, ReservationError, WorkspaceError};
use crate::model::plan::Problem;
use crate::store::{RecordError, StoreError, SyncError};

#[derive(Debug, thiserror::Error)]
pub enum CoordinationError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The remote that claims are on.
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
    Plan { place: String, problems: Vec<Problem> },
    #[error("{name:?} cannot be the name of a checkout: letters and digits, not starting with - or ., and not main")]
    BadWorktreeName { name: String },
    #[error("the checkout {name} ({}) is kept: {}", root.display(), reasons.join("; "))]
    WorktreeKept { name: String, root: PathBuf, reasons: Vec<String> },
    #[error("the checkout {name} is gone already")]
    WorktreeGone { name: String },
    #[error("the checkout {name} could not be removed: {error}; its files as they were are kept as {key}")]
    HalfRemoved { name: String, key: String, error: Box<CoordinationError> },
    #[error("the checkout {name} has no ledger: {}", root.display())]
    NoLedgerThere { name: String, root: PathBuf },
    #[error("no agent {typed:?} is registered")]
    NoSuchAgent { typed: String },
    #[error("{typed:?} may be any of {}", candidates.join(" "))]
    AmbiguousAgent { typed: String, candidates: Vec<String> },
    #[error("{name:?} cannot be the name of an agent: {problem}")]
    BadName { name: String, problem: &'static str },
    #[error("{name} is registered as {id} and was heard of at {heartbeat}")]
    Alive { name: String, id: String, heartbeat: String },
    #[error("process {pid} does not run here, or this system does not tell of it")]
    NoSuchProcess { pid: u32 },
    #[error("{name} is there, and {actor} is not its coordinator")]
    NotYours { name: String, actor: String },
    #[error("no state home found at {}", path.display())]
    NoStateHome { path: PathBuf },
    #[error("{} is the state home in use", path.display())]
    NoWhere { path: PathBuf },
    #[error("{id} is claimed by different agents in {} and {}", from.display(), to.display())]
    BothKnow { from: PathBuf, to: PathBuf, id: String },
    #[error("only a coordinator or a person may {what}, and {actor} is neither")]
    NotCoordinator { actor: String, what: &'static str },
    #[error("this is for an agent, and {person} is a person")]
    Person { person: String },
    #[error("{name} has unregistered, and nobody reads its mail")]
    Unregistered { name: String },
    #[error("there is nobody that {address:?} means")]
    NoRecipient { address: String },
    #[error("no message {typed:?}")]
    NoSuchMessage { typed: String },
    #[error("{typed:?} may be any of {}", candidates.join(" "))]
    AmbiguousMessage { typed: String, candidates: Vec<String> },
    #[error("{id} was sent by bd itself: nobody reads an answer")]
    NoSender { id: String },
    #[error("a message needs a text")]
    NoBody,
    #[error("the {what} is longer than {most} bytes")]
    TooLong { what: &'static str, most: usize },
}

pub type Result<T> = std::result::Result<T, CoordinationError>;
