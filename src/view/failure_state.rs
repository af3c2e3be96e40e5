//! What callers are told when something about the state home went wrong.

use super::failure::{Exit, Failure};
use crate::coordination::CoordinationError;
use crate::store::{LeaseError, RecordError, SyncError, Withheld};

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let message = error.to_string();
        match error {
            RecordError::Ledger(error) => error.into(),
            RecordError::Fs(error) if error.is_forbidden() => Self::failed(message).barred(&error),
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

impl From<CoordinationError> for Failure {
    fn from(error: CoordinationError) -> Self {
        let message = error.to_string();
        match error {
            CoordinationError::Store(error) => error.into(),
            CoordinationError::Record(error) => error.into(),
            CoordinationError::Remote(error) if matches!(error, SyncError::Unreachable { .. }) => {
                Self::from(error).hint("nothing was claimed or given back there; try again later")
            }
            CoordinationError::Remote(error) => error.into(),
            CoordinationError::Reservation(error) => error.into(),
            CoordinationError::Checkpoint(error) => error.into(),
            CoordinationError::Workspace(error) => error.into(),
            CoordinationError::Workflow(error) => error.into(),
            CoordinationError::Template(error) => error.into(),
            CoordinationError::Plan { problems, .. } => {
                Self::broken_plan(message, &problems).hint("nothing was written; fix the plan and try again")
            }
            CoordinationError::BadWorktreeName { .. } => Self::usage(message),
            CoordinationError::WorktreeKept { reasons, .. } => Self::new(Exit::Damaged, "would_lose", message)
                .hint("nothing was removed; first commit, merge or release what is there")
                .texts("reasons", &reasons),
            CoordinationError::WorktreeGone { .. } => {
                Self::not_found(message).hint("run `bd worktree prune` to see what is left of it")
            }
            CoordinationError::HalfRemoved { key, .. } => Self::failed(message)
                .hint("run `bd worktree restore` to write these files into a directory, and `bd worktree list` to see what is left")
                .fact("kept", &key),
            CoordinationError::NoLedgerThere { .. } => Self::no_repository(message)
                .hint("its branch has none; merge a branch that has one, or run `bd init` there"),
            CoordinationError::NoSuchAgent { .. } => {
                Self::not_found(message).hint("run `bd agent list` to see the agents, or `bd agent register NAME` to add one")
            }
            CoordinationError::AmbiguousAgent { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
            CoordinationError::BadName { .. } => Self::usage(message),
            CoordinationError::Alive { id, heartbeat, .. } => Self::new(Exit::Claimed, "claimed", message)
                .hint("choose another name, or add --again if it is yours")
                .fact("agent", &id)
                .fact("heartbeat", &heartbeat),
            CoordinationError::NoSuchProcess { .. } => {
                Self::not_found(message).hint("pass the process that lives as long as the agent with --pid")
            }
            CoordinationError::NoStateHome { .. } => {
                Self::not_found(message).hint("nothing was copied; pass the directory that BD_STATE_DIR named to --from")
            }
            CoordinationError::NoWhere { .. } => Self::usage(message).hint("name the destination with --to"),
            CoordinationError::BothKnow { .. } => Self::new(Exit::Damaged, "conflict", message)
                .hint("nothing was copied; release the issue in one of them first"),
            CoordinationError::NotCoordinator { .. } => {
                Self::illegal(message).hint("run `bd agent register NAME --role coordinator` to register one")
            }
            CoordinationError::NotYours { .. } => {
                Self::illegal(message).hint("a coordinator or a person can do that")
            }
            CoordinationError::Unregistered { .. } => {
                Self::not_found(message).hint("nothing was sent; run `bd agent list` to see the agents")
            }
            CoordinationError::NoRecipient { .. } => Self::not_found(message)
                .hint("nothing was sent; use an agent's name, role:R, status:S, runtime:T, cap:X, holder:ISSUE, person:NAME, human or @all"),
            CoordinationError::NoSuchMessage { .. } => {
                Self::not_found(message).hint("run `bd mail inbox` to see yours; expired messages are hidden")
            }
            CoordinationError::AmbiguousMessage { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
            CoordinationError::NoSender { .. } => Self::illegal(message),
            CoordinationError::NoBody => Self::usage(message).hint("pass -m TEXT, -m - or --body-file FILE"),
            CoordinationError::TooLong { .. } => {
                Self::usage(message).hint("put the text into a file or an issue and send a reference to it")
            }
            CoordinationError::Person { .. } => Self::usage(message).hint("name the agent with BD_AGENT or --agent"),
        }
    }
}

impl From<LeaseError> for Failure {
    fn from(error: LeaseError) -> Self {
        let message = error.to_string();
        match error {
            LeaseError::Claimed { holder, agent, epoch, expires, worktree, session, .. } => {
                let failure = Self::new(Exit::Claimed, "claimed", message)
                    .hint("run `bd ready` to see free issues, or `bd leases` to see who holds what")
                    .fact("holder", &holder)
                    .number("epoch", epoch);
                let facts = [("agent", agent), ("session", session), ("expires", expires), ("worktree", worktree)];
                facts.into_iter().fold(failure, |failure, (key, value)| match value {
                    Some(value) => failure.fact(key, &value),
                    None => failure,
                })
            }
            LeaseError::Locked { holder, agent, epoch, expires, .. } => {
                let failure = Self::new(Exit::Claimed, "locked", message)
                    .hint("nothing was changed; ask the holder, or wait until the lock ends")
                    .fact("holder", &holder)
                    .number("epoch", epoch);
                let facts = [("agent", agent), ("expires", expires)];
                facts.into_iter().fold(failure, |failure, (key, value)| match value {
                    Some(value) => failure.fact(key, &value),
                    None => failure,
                })
            }
            LeaseError::Stale { held, epoch, ref holder, .. } | LeaseError::LockOver { held, epoch, ref holder, .. } => {
                let hint = match error {
                    LeaseError::LockOver { .. } => "run `bd workflow lock` to take it again if it is free, or `bd workflow unlock` to let go",
                    _ => "stop working on it; run `bd claim` to take it again if it is free, or `bd release` to let go",
                };
                let failure = Self::new(Exit::Stale, "stale", message)
                    .hint(hint)
                    .number("held", held)
                    .number("epoch", epoch);
                match holder {
                    Some(holder) => failure.fact("holder", holder),
                    None => failure,
                }
            }
            LeaseError::Elsewhere { worktree, .. } => Self::illegal(message)
                .hint("merge that checkout first; unmerged work can be taken over with --takeover, a closed issue cannot")
                .fact("worktree", &worktree),
            LeaseError::HalfMade { .. } => {
                Self::failed(message).hint("run `bd release` once there is room to write")
            }
            LeaseError::Damaged { .. } => Self::damaged(message)
                .hint("run `bd doctor` to see how to repair it; a claim's number must never be given twice"),
            LeaseError::Withheld { why, .. } => match why {
                Withheld::Unknown { workflow } => Self::illegal(message)
                    .hint("work from the project that has the workflow, or join its repo with `bd repo add`")
                    .fact("workflow", &workflow),
                Withheld::Hidden { workflow, repos } => Self::illegal(message)
                    .hint("work from the project that has all of them, or join them with `bd repo add`")
                    .fact("workflow", &workflow)
                    .texts("repos", &repos),
                Withheld::Unreadable { workflow } => Self::illegal(message)
                    .hint("a newer bd may know it; run `bd doctor` to see what is wrong, and `bd show` for its fields")
                    .fact("workflow", &workflow),
                Withheld::Elsewhere { workflow, state, worktree } => Self::illegal(message)
                    .hint("merge that checkout, or continue the workflow there")
                    .fact("workflow", &workflow)
                    .fact("state", state.word())
                    .fact("worktree", &worktree),
                Withheld::State { workflow, state } => Self::illegal(message)
                    .hint("run `bd workflow show` to see its state")
                    .fact("workflow", &workflow)
                    .fact("state", state.word()),
                Withheld::Full { workflow, running, most } => Self::new(Exit::Busy, "workflow_full", message)
                    .hint("wait until one of them ends, or raise the limit with `bd workflow set --max-parallel`")
                    .fact("workflow", &workflow)
                    .number("running", running as i64)
                    .number("max_parallel", most),
            },
            LeaseError::Waits { blockers, .. } => Self::illegal(message)
                .hint("close what it waits for first; run `bd why ID` to see the reasons")
                .texts("blockers", &blockers),
            LeaseError::IsWorkflow { .. } => Self::illegal(message)
                .hint("run `bd workflow next --claim` to take one of its tasks, or `bd workflow lock` to keep others from changing its plan"),
            LeaseError::OfPlan { workflow, .. } => Self::illegal(message)
                .hint("change the plan with `bd workflow add-task`, `remove-task` or `replan`, or run `bd workflow lock` first")
                .fact("workflow", &workflow),
            LeaseError::SameName { workflow, .. } => Self::illegal(message)
                .hint("each task of a workflow needs its own name; run `bd workflow add-task` with a new one")
                .fact("workflow", &workflow),
            LeaseError::NotClaimed { .. } => Self::illegal(message),
            LeaseError::BadToken { .. } => Self::usage(message).hint("set BD_LEASE to ID:EPOCH, as `bd claim --json` prints it"),
        }
    }
}
