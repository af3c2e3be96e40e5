//! Failures of the state home.

use super::failure::{Exit, Failure};
use crate::store::{LeaseError, RecordError, Withheld};

impl From<&RecordError> for Failure {
    fn from(error: &RecordError) -> Self {
        let message = error.to_string();
        match error {
            RecordError::Ledger(error) => error.into(),
            RecordError::Fs(error) if error.is_forbidden() => Self::failed(message).barred(error),
            RecordError::Fs(_) => {
                Self::failed(message).hint("run `bd where` to see which state home is used; set BD_STATE_DIR to use another")
            }
            RecordError::Moved { .. } => Self::busy(message)
                .hint("try again; run `bd where` to see which one is used, or `bd state move --to repo` to bring it back here"),
            RecordError::Newer { .. } => Self::new(Exit::Damaged, "newer", message).hint("use the newer bd"),
            RecordError::NoId { .. } => {
                Self::damaged(message).hint("look at the file; if it is useless, remove it and bd makes a new one")
            }
            RecordError::Unreachable { .. } => {
                Self::no_repository(message).hint("mount that directory here, or name a state home with BD_STATE_DIR")
            }
        }
    }
}

impl From<&LeaseError> for Failure {
    fn from(error: &LeaseError) -> Self {
        let message = error.to_string();
        match error {
            LeaseError::Claimed { holder, agent, epoch, expires, worktree, session, .. } => {
                let failure = Self::new(Exit::Claimed, "claimed", message)
                    .hint("run `bd ready` to see free issues, or `bd leases` to see who holds what")
                    .fact("holder", holder)
                    .number("epoch", *epoch);
                let facts = [("agent", agent), ("session", session), ("expires", expires), ("worktree", worktree)];
                facts.into_iter().fold(failure, |failure, (key, value)| match value {
                    Some(value) => failure.fact(key, value),
                    None => failure,
                })
            }
            LeaseError::Locked { holder, agent, epoch, expires, .. } => {
                let failure = Self::new(Exit::Claimed, "locked", message)
                    .hint("nothing was changed; ask the holder, or wait until the lock ends")
                    .fact("holder", holder)
                    .number("epoch", *epoch);
                let facts = [("agent", agent), ("expires", expires)];
                facts.into_iter().fold(failure, |failure, (key, value)| match value {
                    Some(value) => failure.fact(key, value),
                    None => failure,
                })
            }
            LeaseError::Stale { held, epoch, holder, .. } | LeaseError::LockOver { held, epoch, holder, .. } => {
                let hint = match error {
                    LeaseError::LockOver { .. } => "run `bd workflow lock` to take it again if it is free, or `bd workflow unlock` to let go",
                    _ => "stop working on it; run `bd claim` to take it again if it is free, or `bd release` to let go",
                };
                let failure = Self::new(Exit::Stale, "stale", message)
                    .hint(hint)
                    .number("held", *held)
                    .number("epoch", *epoch);
                match holder {
                    Some(holder) => failure.fact("holder", holder),
                    None => failure,
                }
            }
            LeaseError::Elsewhere { worktree, .. } => Self::illegal(message)
                .hint("merge that checkout first; unmerged work can be taken over with --takeover, a closed issue cannot")
                .fact("worktree", worktree),
            LeaseError::HalfMade { .. } => {
                Self::failed(message).hint("run `bd release` once there is room to write")
            }
            LeaseError::Damaged { .. } => Self::damaged(message)
                .hint("run `bd doctor` to see how to repair it; a claim's number must never be given twice"),
            LeaseError::Withheld { why, .. } => match why {
                Withheld::Unknown { workflow } => Self::illegal(message)
                    .hint("work from the project that has the workflow, or join its repo with `bd repo add`")
                    .fact("workflow", workflow),
                Withheld::Hidden { workflow, repos } => Self::illegal(message)
                    .hint("work from the project that has all of them, or join them with `bd repo add`")
                    .fact("workflow", workflow)
                    .texts("repos", repos),
                Withheld::Unreadable { workflow } => Self::illegal(message)
                    .hint("a newer bd may know it; run `bd doctor` to see what is wrong, and `bd show` for its fields")
                    .fact("workflow", workflow),
                Withheld::Elsewhere { workflow, state, worktree } => Self::illegal(message)
                    .hint("merge that checkout, or continue the workflow there")
                    .fact("workflow", workflow)
                    .fact("state", state.word())
                    .fact("worktree", worktree),
                Withheld::State { workflow, state } => Self::illegal(message)
                    .hint("run `bd workflow show` to see its state")
                    .fact("workflow", workflow)
                    .fact("state", state.word()),
                Withheld::Full { workflow, running, most } => Self::new(Exit::Busy, "workflow_full", message)
                    .hint("wait until one of them ends, or raise the limit with `bd workflow set --max-parallel`")
                    .fact("workflow", workflow)
                    .number("running", *running as i64)
                    .number("max_parallel", *most),
            },
            LeaseError::Waits { blockers, .. } => Self::illegal(message)
                .hint("close what it waits for first; run `bd why ID` to see the reasons")
                .texts("blockers", blockers),
            LeaseError::IsWorkflow { .. } => Self::illegal(message)
                .hint("run `bd workflow next --claim` to take one of its tasks, or `bd workflow lock` to keep others from changing its plan"),
            LeaseError::OfPlan { workflow, .. } => Self::illegal(message)
                .hint("change the plan with `bd workflow add-task`, `remove-task` or `replan`, or run `bd workflow lock` first")
                .fact("workflow", workflow),
            LeaseError::SameName { workflow, .. } => Self::illegal(message)
                .hint("each task of a workflow needs its own name; run `bd workflow add-task` with a new one")
                .fact("workflow", workflow),
            LeaseError::NotClaimed { .. } => Self::illegal(message),
            LeaseError::BadToken { .. } => Self::usage(message).hint("set BD_LEASE to ID:EPOCH, as `bd claim --json` prints it"),
        }
    }
}
