//! Workspaces: checkouts that `bd` makes for a job, looks after and removes.
//!
//! Owns `workspaces.jsonl` in the state home of the repository that a workspace is a checkout of, and the directories of
//! workspaces (`workspace.path`). What could not be made is taken away again, and nothing ever falls back to another checkout.

mod checkout;
mod create;
mod env;
mod places;
mod records;

use std::path::PathBuf;

pub use create::{MadeWorkspace, SetupWish, WorkspaceWish, create as create_workspace};
pub use env::{exports, variables as workspace_env};
pub use records::{find_workspace, workspaces};

use super::CoordinationError;

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
}
