//! What callers are told when something about the state home went wrong.

use super::failure::{Exit, Failure};
use crate::coordination::CoordinationError;
use crate::store::{LeaseError, RecordError, SyncError, Withheld};

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let message = error.to_string();
        match error {
            RecordError::Ledger(error) => error.into(),
            RecordError::Fs(_) => {
                Self::failed(message).hint("bd where says which state home is used; BD_STATE_DIR names another")
            }
            RecordError::Moved { .. } => Self::busy(message)
                .hint("try again; bd where says which one is used, bd state move --to repo brings it back here"),
            RecordError::Newer { .. } => Self::new(Exit::Damaged, "newer", message).hint("use the newer bd"),
            RecordError::NoId { .. } => {
                Self::damaged(message).hint("look at the file and remove it if it is of no use; a new one is made then")
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
                Self::broken_plan(message, &problems).hint("nothing was written; mend the plan and try again")
            }
            CoordinationError::BadWorktreeName { .. } => Self::usage(message),
            CoordinationError::WorktreeKept { reasons, .. } => Self::new(Exit::Damaged, "would_lose", message)
                .hint("nothing was removed; save what is there first: commit it, merge it, or let go of what is held")
                .texts("reasons", &reasons),
            CoordinationError::WorktreeGone { .. } => {
                Self::not_found(message).hint("bd worktree prune says what is left of it")
            }
            CoordinationError::HalfRemoved { key, .. } => Self::failed(message)
                .hint("bd worktree restore writes these files into a directory; bd worktree list says what is left")
                .fact("kept", &key),
            CoordinationError::NoLedgerThere { .. } => Self::no_repository(message)
                .hint("its branch has none; merge one in, or make it with bd init there"),
            CoordinationError::NoSuchAgent { .. } => {
                Self::not_found(message).hint("bd agent list shows who is; bd agent register NAME registers one")
            }
            CoordinationError::AmbiguousAgent { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
            CoordinationError::BadName { .. } => Self::usage(message),
            CoordinationError::Alive { id, heartbeat, .. } => Self::new(Exit::Claimed, "claimed", message)
                .hint("choose another name; if it is you who had it, say --again")
                .fact("agent", &id)
                .fact("heartbeat", &heartbeat),
            CoordinationError::NoSuchProcess { .. } => {
                Self::not_found(message).hint("--pid is the process that the agent lives and dies with")
            }
            CoordinationError::NoStateHome { .. } => {
                Self::not_found(message).hint("nothing was copied; --from takes the directory that BD_STATE_DIR named")
            }
            CoordinationError::NoWhere { .. } => Self::usage(message).hint("say where to with --to"),
            CoordinationError::BothKnow { .. } => Self::new(Exit::Damaged, "conflict", message)
                .hint("nothing was copied; release the issue in one of them first"),
            CoordinationError::NotCoordinator { .. } => {
                Self::illegal(message).hint("bd agent register NAME --role coordinator makes one")
            }
            CoordinationError::NotYours { .. } => {
                Self::illegal(message).hint("a coordinator or a person can do that")
            }
            CoordinationError::Unregistered { .. } => {
                Self::not_found(message).hint("nothing was sent; bd agent list shows who is there")
            }
            CoordinationError::NoRecipient { .. } => Self::not_found(message)
                .hint("nothing was sent; an agent, role:R, status:S, runtime:T, cap:X, holder:ISSUE, person:NAME, human, @all"),
            CoordinationError::NoSuchMessage { .. } => {
                Self::not_found(message).hint("bd mail inbox shows yours; what has expired is not shown")
            }
            CoordinationError::AmbiguousMessage { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
            CoordinationError::NoSender { .. } => Self::illegal(message),
            CoordinationError::NoBody => Self::usage(message).hint("-m TEXT, -m - or --body-file FILE"),
            CoordinationError::TooLong { .. } => {
                Self::usage(message).hint("put it into a file or an issue, and send where it is")
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
                    .hint("bd ready shows what is free; bd leases shows who holds what")
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
                    .hint("nothing was changed; ask its holder, or wait until the lock is over")
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
                    LeaseError::LockOver { .. } => "bd workflow lock takes it again if nobody has it, bd workflow unlock lets go",
                    _ => "stop working on it; bd claim takes it again if nobody has it, bd release lets go",
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
                .hint("merge that checkout first; work that is not merged can be taken over with --takeover, what is closed cannot")
                .fact("worktree", &worktree),
            LeaseError::HalfMade { .. } => {
                Self::failed(message).hint("bd release ends it, when there is room to write")
            }
            LeaseError::Damaged { .. } => Self::damaged(message)
                .hint("the number of that claim must not be given twice; bd doctor says what to do"),
            LeaseError::Withheld { why, .. } => match why {
                Withheld::Unknown { workflow } => Self::illegal(message)
                    .hint("work from the project that has the workflow, or join its repo with bd repo add")
                    .fact("workflow", &workflow),
                Withheld::Hidden { workflow, repos } => Self::illegal(message)
                    .hint("work from the project that has all of them, or join them with bd repo add")
                    .fact("workflow", &workflow)
                    .texts("repos", &repos),
                Withheld::Unreadable { workflow } => Self::illegal(message)
                    .hint("a newer bd may know it; bd show tells what its line says, and bd doctor what is wrong")
                    .fact("workflow", &workflow),
                Withheld::Elsewhere { workflow, state, worktree } => Self::illegal(message)
                    .hint("merge that checkout, or go on with the workflow there")
                    .fact("workflow", &workflow)
                    .fact("state", state.word())
                    .fact("worktree", &worktree),
                Withheld::State { workflow, state } => Self::illegal(message)
                    .hint("bd workflow show tells how it stands")
                    .fact("workflow", &workflow)
                    .fact("state", state.word()),
                Withheld::Full { workflow, running, most } => Self::new(Exit::Busy, "workflow_full", message)
                    .hint("wait until one of them ends; bd workflow set --max-parallel lets more run")
                    .fact("workflow", &workflow)
                    .number("running", running as i64)
                    .number("max_parallel", most),
            },
            LeaseError::Waits { blockers, .. } => Self::illegal(message)
                .hint("a task is worked on when what it waits for is closed; bd why ID")
                .texts("blockers", &blockers),
            LeaseError::IsWorkflow { .. } => Self::illegal(message)
                .hint("bd workflow next --claim takes a task of it; bd workflow lock keeps its plan from others"),
            LeaseError::OfPlan { workflow, .. } => Self::illegal(message)
                .hint("bd workflow add-task, remove-task or replan; or bd workflow lock first")
                .fact("workflow", &workflow),
            LeaseError::SameName { workflow, .. } => Self::illegal(message)
                .hint("the tasks of a workflow have names of their own; bd workflow add-task gives a new one")
                .fact("workflow", &workflow),
            LeaseError::NotClaimed { .. } => Self::illegal(message),
            LeaseError::BadToken { .. } => Self::usage(message).hint("BD_LEASE is ID:EPOCH, as bd claim --json says"),
        }
    }
}
