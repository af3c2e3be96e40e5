//! Workspaces: checkouts that `bd` makes for a job, looks after and removes.
//!
//! Owns `workspaces.jsonl` in the state home of the repository that a workspace is a checkout of.

mod lines;
mod records;

pub use records::{find_workspace, workspaces};

#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    #[error("no workspace {typed:?}")]
    NotFound { typed: String },
    #[error("{typed:?} may be any of {}", candidates.join(" "))]
    Ambiguous { typed: String, candidates: Vec<String> },
}
