//! What callers are told when something about a workspace went wrong.

use super::failure::{Exit, Failure};
use crate::coordination::WorkspaceError;

impl From<WorkspaceError> for Failure {
    fn from(error: WorkspaceError) -> Self {
        let message = error.to_string();
        match error {
            WorkspaceError::NotFound { .. } => Self::not_found(message)
                .hint("bd workspace list shows them; an id, a path, an issue or a branch names one"),
            WorkspaceError::Ambiguous { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
        }
    }
}
