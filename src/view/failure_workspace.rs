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
            WorkspaceError::NotMade { id, error, .. } => {
                Failure { message, ..Failure::from(*error) }.fact("workspace", &id)
            }
            WorkspaceError::NoPlace { .. } => Self::failed(message).hint("bd config set workspace.path DIR sets one"),
            WorkspaceError::UntrustedPath { .. } => Self::new(Exit::Untrusted, "untrusted", message)
                .hint("bd config trust shows and allows it; --path names another place"),
            WorkspaceError::NotOfKind { .. } => Self::usage(message),
        }
    }
}
