//! Failures of the state home and of claims.

use super::*;
use crate::store::{LeaseError, RecordError, Withheld};

impl Classify for RecordError {
    fn classify(&self) -> Failure {
        use RecordError::*;
        match self {
            Ledger(error) => error.classify(),
            Fs(error) if error.is_forbidden() => of_file(error),
            Fs(_) => FAILED.run("bd info", "to see which state home is used").shell("set BD_STATE_DIR to use another"),
            Moved { .. } => BUSY
                .hint("try again")
                .run("bd info", "to see which one is used, or `bd state move --to repo` to bring it back here"),
            Newer { .. } => NEWER.shell("use the newer bd"),
            ReadOnly { .. } => read_only(),
            Tracked { path } => {
                WOULD_LOSE.shell(format!("take it out of version control with `git rm --cached {}`", shell_path(path)))
            }
            NoId { .. } => DAMAGED.hint("look at the file").shell("if it is useless, remove it and bd makes a new one"),
            Unreachable { .. } => {
                NO_REPOSITORY.hint("mount that directory here").or(shell("name a state home with BD_STATE_DIR"))
            }
        }
    }
}

impl Classify for LeaseError {
    fn classify(&self) -> Failure {
        use LeaseError::*;
        match self {
            Claimed { holder, agent, epoch, expires, worktree, session, .. } => CLAIMED
                .run("bd ready", "to see free issues, or `bd leases` to see who holds what")
                .fact("holder", holder)
                .number("epoch", *epoch)
                .known("agent", agent)
                .known("session", session)
                .known("expires", expires)
                .known("worktree", worktree),
            Locked { holder, agent, epoch, expires, .. } => LOCKED
                .hint("nothing was changed; ask the holder, or wait until the lock ends")
                .fact("holder", holder)
                .number("epoch", *epoch)
                .known("agent", agent)
                .known("expires", expires),
            Stale { held, epoch, holder, .. } => STALE
                .hint("stop working on it")
                .run("bd claim", "to take it again if it is free, or `bd release` to let go")
                .number("held", *held)
                .number("epoch", *epoch)
                .known("holder", holder),
            LockOver { held, epoch, holder, .. } => STALE
                .run("bd workflow lock", "to take it again if it is free, or `bd workflow unlock` to let go")
                .number("held", *held)
                .number("epoch", *epoch)
                .known("holder", holder),
            ClosedElsewhere { .. } => {
                ILLEGAL.run("bd sync", "to get that").run("bd ready --claim", "to take another issue").shell(
                    "if the branch with the close was given up, `bd release --remote ID --reason TEXT` frees the issue",
                )
            }
            Elsewhere { worktree, .. } => ILLEGAL
                .hint("merge that checkout first")
                .shell("unmerged work can be taken over with --takeover, a closed issue cannot")
                .fact("worktree", worktree),
            HalfMade { .. } => FAILED.run("bd release", "once there is room to write"),
            Damaged { .. } => DAMAGED
                .run("bd doctor", "to see how to repair it")
                .hint("a claim's number must never be given twice"),
            Withheld { why, .. } => why.classify(),
            Waits { blockers, .. } => ILLEGAL
                .hint("close what it waits for first")
                .run("bd why ID", "to see the reasons")
                .texts("blockers", blockers),
            IsWorkflow { .. } => ILLEGAL.run("bd workflow next --claim", "to take one of its tasks, or `bd workflow lock` to keep others from changing its plan"),
            OfPlan { workflow, .. } => ILLEGAL
                .shell("change the plan with `bd workflow add-task`, `remove-task` or `replan`, or run `bd workflow lock` first")
                .fact("workflow", workflow),
            SameName { workflow, .. } => ILLEGAL
                .hint("each task of a workflow needs its own name")
                .run("bd workflow add-task", "with a new one")
                .fact("workflow", workflow),
            NotClaimed { .. } => ILLEGAL,
            BadToken { .. } => USAGE.shell("set BD_LEASE to ID:EPOCH, as `bd claim --json` prints it"),
        }
    }
}

impl Classify for Withheld {
    fn classify(&self) -> Failure {
        use Withheld::*;
        match self {
            Unknown { workflow } => ILLEGAL
                .hint("work from the project that has the workflow")
                .or(shell("join its repo with `bd repo add`"))
                .fact("workflow", workflow),
            Hidden { workflow, repos } => ILLEGAL
                .hint("work from the project that has all of them")
                .or(shell("join them with `bd repo add`"))
                .fact("workflow", workflow)
                .texts("repos", repos),
            Unreadable { workflow } => ILLEGAL
                .shell("a newer bd may know it")
                .run("bd doctor", "to see what is wrong, and `bd show` for its fields")
                .fact("workflow", workflow),
            Elsewhere { workflow, state, worktree } => ILLEGAL
                .hint("merge that checkout, or continue the workflow there")
                .fact("workflow", workflow)
                .fact("state", state.word())
                .fact("worktree", worktree),
            State { workflow, state } => ILLEGAL
                .run("bd workflow show", "to see its state")
                .fact("workflow", workflow)
                .fact("state", state.word()),
            Full { workflow, running, most } => WORKFLOW_FULL
                .hint("wait until one of them ends")
                .or(shell("raise the limit with `bd workflow set --max-parallel`"))
                .fact("workflow", workflow)
                .number("running", *running as i64)
                .number("max_parallel", *most),
        }
    }
}
