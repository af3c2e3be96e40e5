//! What goes wrong with workspaces.

use super::*;
use crate::model::size;
use crate::ops::WorkspaceError;
use crate::view::escape::plural;

impl Classify for WorkspaceError {
    fn classify(&self) -> Failure {
        use WorkspaceError::*;
        match self {
            NotFound { .. } => {
                NOT_FOUND.run("bd workspace list", "to see them").hint("name one by id, path, issue or branch")
            }
            NotMade { id, error, .. } => error.classify().fact("workspace", id),
            Lost { .. } => BUSY.hint("try again"),
            RepoNotHere { .. } => {
                NOT_FOUND.run("bd repo list", "to see the project's repos").shell("name one with --repo")
            }
            NoPlace { .. } => FAILED.run("bd config set workspace.path DIR", ""),
            UntrustedPath { .. } => {
                UNTRUSTED.run("bd trust", "to see and allow it, or name another place with --path")
            }
            UntrustedSetup { .. } => {
                UNTRUSTED.run("bd trust", "to see and allow it, or use --no-setup or --setup COMMAND")
            }
            SetupFailed { .. } => FAILED.hint("try the command in this checkout").or(shell("use --no-setup")),
            TooMuchToCopy { .. } => {
                FAILED.hint("narrow .worktreeinclude and workspace.copy, or raise workspace.copy_limit")
            }
            NoPorts { .. } => FAILED.hint("remove workspaces, or set workspace.port_base or workspace.ports"),
            NoRoom { reclaimable, idle, .. }
            | TooLarge { reclaimable, idle, .. }
            | TooMany { reclaimable, idle, .. } => no_room(*reclaimable, *idle),
            NotAdopted { .. } => FAILED.run("bd worktree list", "to see the checkouts of this repository"),
            IllegalMove { from, .. } => {
                let legal: Vec<&str> = from.moves().iter().map(|state| state.word()).collect();
                let legal = if legal.is_empty() { "nothing".to_owned() } else { legal.join(", ") };
                ILLEGAL.hint(format!("it can become {legal}"))
            }
            NoMergeCommit { .. } => ILLEGAL.shell("name it with --merge-commit"),
            NoSuchCommit { .. } => NOT_FOUND
                .hint("fetch it first")
                .shell("bd looks for the merge commit in the workspace and in its parent"),
            BadAddress { .. } => USAGE.hint("use an address that begins with https://"),
            Gone { .. } => NOT_FOUND.run("bd workspace list", "to see them"),
            NotOfKind { .. } => USAGE,
            Kept { reasons, .. } => WOULD_LOSE
                .hint("nothing was removed; first push or merge its commits, release its claims, and end the programs that run in it")
                .texts("reasons", reasons.iter().map(|reason| &reason.text))
                .texts("kinds", reasons.iter().map(|reason| reason.loss.word())),
            AlreadyGone { .. } => NOT_FOUND.run("bd workspace list --all", "to see removed ones"),
            Busy { .. } | Changed { .. } => BUSY.hint("try again when that is done"),
            HalfRemoved { key, .. } => FAILED.run("bd workspace gc --apply", "to finish").known("kept", key),
            HomeChanged { .. } => FAILED.hint("nothing was changed; commit or stash them, then try again"),
            NoBranch { .. } => FAILED.hint("check out the branch that the work belongs to"),
            OtherBranch { .. } => FAILED.hint("no issue was put back; check it out and try again"),
            NoCheck => USAGE
                .run("bd config set land.check COMMAND", "to set one")
                .or(shell("use --no-check to merge without")),
            Landing => BUSY.hint("try again when that is done"),
            LandsElsewhere { parent, .. } => ILLEGAL.shell(format!("run it in {}", shell_path(parent))),
            NothingFinished => NOT_FOUND.run("bd workspace list", "to see them").hint("a workspace is finished when its issue is closed there"),
            CheckFails { .. } => FAILED.hint("nothing was merged and no issue was put back; repair this branch first, or set another land.check"),
            CheckInterrupted { .. } => FAILED.hint("nothing was merged and no issue was put back; try again"),
            NotEmpty { .. } => not_empty(),
            NotKept { .. } => {
                NOT_FOUND.run("bd workspace show", "to see what was saved of a workspace removed by force")
            }
        }
    }
}

/// What could be given back.
fn no_room(reclaimable: u64, idle: usize) -> Failure {
    let failure = match idle {
        0 => NO_ROOM.hint("no workspace is idle; finish a job, or change the limit"),
        _ => NO_ROOM
            .hint(format!("{} with {} could be freed", plural(idle, "workspace"), size::text(reclaimable)))
            .run("bd workspace gc", "to see them"),
    };
    failure.number("reclaimable", i64::try_from(reclaimable).unwrap_or(i64::MAX))
}
