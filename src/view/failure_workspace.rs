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
            WorkspaceError::Kept { reasons, .. } => {
                let texts: Vec<String> = reasons.iter().map(|reason| reason.text.clone()).collect();
                let kinds: Vec<String> = reasons.iter().map(|reason| reason.loss.word().to_owned()).collect();
                Self::new(Exit::Damaged, "would_lose", message)
                    .hint("nothing was removed; save what is there first: commit and push it, merge it, let go of what is held, end what runs there")
                    .texts("reasons", &texts)
                    .texts("kinds", &kinds)
            }
            WorkspaceError::Gone { .. } => {
                Self::not_found(message).hint("bd workspace list --all shows what was there")
            }
            WorkspaceError::Busy { .. } | WorkspaceError::Changed { .. } => {
                Self::new(Exit::Busy, "busy", message).hint("try again when that is over")
            }
            WorkspaceError::HalfRemoved { key, .. } => {
                let failure = Self::failed(message).hint("bd workspace gc --apply finishes it");
                match key {
                    Some(key) => failure.fact("kept", &key),
                    None => failure,
                }
            }
            WorkspaceError::NotKept { .. } => {
                Self::not_found(message).hint("bd workspace show says what was kept of one that was removed by force")
            }
        }
    }
}
