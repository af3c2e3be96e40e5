//! What callers are told when something about a workspace went wrong.

use super::escape::plural;
use super::failure::{Exit, Failure};
use crate::coordination::WorkspaceError;
use crate::model::size;

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
            WorkspaceError::Lost { .. } => Self::busy(message).hint("try again"),
            WorkspaceError::RepoNotHere { .. } => {
                Self::not_found(message).hint("bd repo list shows those of the project; --repo names another")
            }
            WorkspaceError::NoPlace { .. } => Self::failed(message).hint("bd config set workspace.path DIR sets one"),
            WorkspaceError::UntrustedPath { .. } => {
                Self::untrusted(message).hint("bd config trust shows and allows it; --path names another place")
            }
            WorkspaceError::UntrustedSetup { .. } => Self::untrusted(message)
                .hint("bd config trust shows and allows it; --no-setup does without, --setup COMMAND names another"),
            WorkspaceError::SetupFailed { .. } => {
                Self::failed(message).hint("try the command in this checkout; --no-setup does without it")
            }
            WorkspaceError::TooMuchToCopy { .. } => {
                Self::failed(message).hint("narrow .worktreeinclude and workspace.copy, or raise workspace.copy_limit")
            }
            WorkspaceError::NoPorts { .. } => {
                Self::failed(message).hint("remove workspaces, or set workspace.port_base or workspace.ports")
            }
            WorkspaceError::NoRoom { reclaimable, idle, .. } => no_room(message, reclaimable, idle),
            WorkspaceError::TooLarge { reclaimable, idle, .. } => no_room(message, reclaimable, idle),
            WorkspaceError::TooMany { reclaimable, idle, .. } => no_room(message, reclaimable, idle),
            WorkspaceError::NotAdopted { .. } => {
                Self::failed(message).hint("bd worktree list shows the checkouts of this repository")
            }
            WorkspaceError::IllegalMove { from, .. } => {
                let legal: Vec<&str> = from.moves().iter().map(|state| state.word()).collect();
                let legal = if legal.is_empty() { "nothing".to_owned() } else { legal.join(", ") };
                Self::illegal(message).hint(format!("it can become {legal}"))
            }
            WorkspaceError::NoMergeCommit { .. } => Self::illegal(message).hint("--merge-commit names it"),
            WorkspaceError::NoSuchCommit { .. } => Self::not_found(message)
                .hint("fetch it first; a merge commit is looked for in the workspace and in its parent"),
            WorkspaceError::BadAddress { .. } => Self::usage(message).hint("it begins with https://"),
            WorkspaceError::Gone { .. } => {
                Self::not_found(message).hint("bd workspace list shows those that are there")
            }
            WorkspaceError::NotOfKind { .. } => Self::usage(message),
            WorkspaceError::Kept { reasons, .. } => {
                let texts: Vec<String> = reasons.iter().map(|reason| reason.text.clone()).collect();
                let kinds: Vec<String> = reasons.iter().map(|reason| reason.loss.word().to_owned()).collect();
                Self::new(Exit::Damaged, "would_lose", message)
                    .hint("nothing was removed; save what is there first: commit and push it, merge it, let go of what is held, end what runs there")
                    .texts("reasons", &texts)
                    .texts("kinds", &kinds)
            }
            WorkspaceError::AlreadyGone { .. } => {
                Self::not_found(message).hint("bd workspace list --all shows what was there")
            }
            WorkspaceError::Busy { .. } | WorkspaceError::Changed { .. } => {
                Self::busy(message).hint("try again when that is over")
            }
            WorkspaceError::HalfRemoved { key, .. } => {
                let failure = Self::failed(message).hint("bd workspace gc --apply finishes it");
                match key {
                    Some(key) => failure.fact("kept", &key),
                    None => failure,
                }
            }
            WorkspaceError::NotEmpty { .. } => Self::new(Exit::Damaged, "in_the_way", message)
                .hint("nothing was written; name a directory that is not there, or an empty one"),
            WorkspaceError::NotKept { .. } => {
                Self::not_found(message).hint("bd workspace show says what was kept of one that was removed by force")
            }
        }
    }
}

/// What could be given back.
fn no_room(message: String, reclaimable: u64, idle: usize) -> Failure {
    let hint = match idle {
        0 => "no workspace is idle; finish a job, or change the limit".to_owned(),
        _ => {
            let idle = plural(idle, "workspace");
            format!("{idle} with {} could be given back: bd workspace gc shows them", size::text(reclaimable))
        }
    };
    let bytes = i64::try_from(reclaimable).unwrap_or(i64::MAX);
    Failure::new(Exit::Failed, "no_room", message).hint(hint).number("reclaimable", bytes)
}
