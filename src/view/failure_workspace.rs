//! Failures of workspaces.

use super::escape::plural;
use super::failure::{Exit, Failure};
use crate::model::size;
use crate::ops::WorkspaceError;

impl From<&WorkspaceError> for Failure {
    fn from(error: &WorkspaceError) -> Self {
        let message = error.to_string();
        match error {
            WorkspaceError::NotFound { .. } => Self::not_found(message)
                .hint("run `bd workspace list` to see them; name one by id, path, issue or branch"),
            WorkspaceError::Ambiguous { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
            WorkspaceError::NotMade { id, error, .. } => {
                Failure { message, ..Failure::from(error.as_ref()) }.fact("workspace", id)
            }
            WorkspaceError::Lost { .. } => Self::busy(message).hint("try again"),
            WorkspaceError::RepoNotHere { .. } => {
                Self::not_found(message).hint("run `bd repo list` to see the project's repos; name one with --repo")
            }
            WorkspaceError::NoPlace { .. } => Self::failed(message).hint("run `bd config set workspace.path DIR`"),
            WorkspaceError::UntrustedPath { .. } => Self::untrusted(message)
                .hint("run `bd config trust` to see and allow it, or name another place with --path"),
            WorkspaceError::UntrustedSetup { .. } => Self::untrusted(message)
                .hint("run `bd config trust` to see and allow it, or use --no-setup or --setup COMMAND"),
            WorkspaceError::SetupFailed { .. } => {
                Self::failed(message).hint("try the command in this checkout, or use --no-setup")
            }
            WorkspaceError::TooMuchToCopy { .. } => {
                Self::failed(message).hint("narrow .worktreeinclude and workspace.copy, or raise workspace.copy_limit")
            }
            WorkspaceError::NoPorts { .. } => {
                Self::failed(message).hint("remove workspaces, or set workspace.port_base or workspace.ports")
            }
            WorkspaceError::NoRoom { reclaimable, idle, .. } => no_room(message, *reclaimable, *idle),
            WorkspaceError::TooLarge { reclaimable, idle, .. } => no_room(message, *reclaimable, *idle),
            WorkspaceError::TooMany { reclaimable, idle, .. } => no_room(message, *reclaimable, *idle),
            WorkspaceError::NotAdopted { .. } => {
                Self::failed(message).hint("run `bd worktree list` to see the checkouts of this repository")
            }
            WorkspaceError::IllegalMove { from, .. } => {
                let legal: Vec<&str> = from.moves().iter().map(|state| state.word()).collect();
                let legal = if legal.is_empty() { "nothing".to_owned() } else { legal.join(", ") };
                Self::illegal(message).hint(format!("it can become {legal}"))
            }
            WorkspaceError::NoMergeCommit { .. } => Self::illegal(message).hint("name it with --merge-commit"),
            WorkspaceError::NoSuchCommit { .. } => Self::not_found(message)
                .hint("fetch it first; bd looks for the merge commit in the workspace and in its parent"),
            WorkspaceError::BadAddress { .. } => Self::usage(message).hint("use an address that begins with https://"),
            WorkspaceError::Gone { .. } => Self::not_found(message).hint("run `bd workspace list` to see them"),
            WorkspaceError::NotOfKind { .. } => Self::usage(message),
            WorkspaceError::Kept { reasons, .. } => {
                let texts: Vec<String> = reasons.iter().map(|reason| reason.text.clone()).collect();
                let kinds: Vec<String> = reasons.iter().map(|reason| reason.loss.word().to_owned()).collect();
                Self::new(Exit::Damaged, "would_lose", message)
                    .hint("nothing was removed; first push or merge its commits, release its claims, and end the programs that run in it")
                    .texts("reasons", &texts)
                    .texts("kinds", &kinds)
            }
            WorkspaceError::AlreadyGone { .. } => {
                Self::not_found(message).hint("run `bd workspace list --all` to see removed ones")
            }
            WorkspaceError::Busy { .. } | WorkspaceError::Changed { .. } => {
                Self::busy(message).hint("try again when that is done")
            }
            WorkspaceError::HalfRemoved { key, .. } => {
                let failure = Self::failed(message).hint("run `bd workspace gc --apply` to finish");
                match key {
                    Some(key) => failure.fact("kept", key),
                    None => failure,
                }
            }
            WorkspaceError::NotEmpty { .. } => Self::new(Exit::Damaged, "in_the_way", message)
                .hint("nothing was written; name a directory that is empty or does not exist"),
            WorkspaceError::NotKept { .. } => Self::not_found(message)
                .hint("run `bd workspace show` to see what was saved of a workspace removed by force"),
        }
    }
}

/// Too little space, and how much could be freed.
fn no_room(message: String, reclaimable: u64, idle: usize) -> Failure {
    let hint = match idle {
        0 => "no workspace is idle; finish a job, or change the limit".to_owned(),
        _ => {
            let idle = plural(idle, "workspace");
            format!("{idle} with {} could be freed; run `bd workspace gc` to see them", size::text(reclaimable))
        }
    };
    let bytes = i64::try_from(reclaimable).unwrap_or(i64::MAX);
    Failure::new(Exit::Failed, "no_room", message).hint(hint).number("reclaimable", bytes)
}
