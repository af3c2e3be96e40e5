//! Failures of operations.

use super::failure::{Exit, Failure};
use crate::ledger::LedgerError;
use crate::model::change::ChangeError;
use crate::model::nearest::nearest;
use crate::model::query::QueryError;
use crate::ops::templates::TemplateError;
use crate::ops::workflows::FlowError;
use crate::ops::{BatchError, CheckpointError, EditError, OpError, ReservationError, SetupError, WorkspaceError};
use crate::store::{LeaseError, RecordError, StoreError, SyncError};

/// A file that was left unchanged, and what to do about it.
fn of_setup(error: &SetupError, message: String) -> Failure {
    let hint = match error {
        SetupError::Unreadable { .. } => {
            "nothing was changed; fix that line, or add what `bd setup CLIENT --print` shows by hand"
        }
        SetupError::LeadsOut { .. } | SetupError::BadLink { .. } => {
            "nothing was changed; replace the link with a file, or add --user"
        }
        SetupError::ReadOnly { .. } => "nothing was changed; make the file writable",
        SetupError::Foreign { .. } => "nothing was changed; rename the file, then run this again",
        SetupError::InPullRequest { .. } => {
            return Failure::illegal(message).hint("add --user, or add the file to .git/info/exclude");
        }
        SetupError::NotForUser { .. } => "for Claude Code, run `claude mcp add --scope user bd -- bd mcp`",
        SetupError::NoServer { .. } => return Failure::usage(message).hint("name a client, such as claude"),
        SetupError::NoHome => return Failure::usage(message),
    };
    Failure::failed(message).hint(hint)
}

/// A typed date is invalid or unsuitable.
fn is_about_date(error: &QueryError) -> bool {
    match error {
        QueryError::BadDate { .. } | QueryError::Moment { .. } => true,
        QueryError::Saved { source, .. } => is_about_date(source),
        _ => false,
    }
}

/// Where the language of queries is explained.
const LANGUAGE: &str = "run `bd query --help` for the language";

impl From<&OpError> for Failure {
    fn from(error: &OpError) -> Self {
        let message = error.to_string();
        match error {
            OpError::Store(error) => error.into(),
            OpError::Partly { source, .. } => Failure { message, ..source.as_ref().into() },
            OpError::Query(error) => {
                let meant = match &error {
                    QueryError::UnknownField { name, known } => nearest(name, known.iter().copied()),
                    QueryError::UnknownWord { word, known, .. } => nearest(word, known.iter().copied()),
                    _ => None,
                };
                let page = if is_about_date(error) { "run `bd help dates` for every form" } else { LANGUAGE };
                Self::usage(message).meant(meant).or_hint(page)
            }
            OpError::Status { word, known }
            | OpError::Type { word, known }
            | OpError::UnknownDependencyType { word, known } => {
                Self::usage(message).meant(nearest(word, known.iter().map(String::as_str)))
            }
            OpError::Date { flag, value } if value.starts_with('-') => Self::usage(message)
                .hint(format!("put the date right after --{flag}, such as 2026-03-01, tomorrow, friday, 3d or -3d; run `bd help dates` for every form")),
            OpError::Date { .. } => Self::usage(message)
                .hint("write a date such as 2026-03-01, tomorrow, friday, 3d or +2w, or a time in RFC 3339; run `bd help dates` for every form"),
            OpError::Usage(_) if message.contains("not found") => Self::not_found(message),
            OpError::Priority(_) | OpError::DependencyType(_) | OpError::Usage(_) | OpError::Plan(_) => {
                Self::usage(message)
            }
            OpError::Batch(error) => error.into(),
            OpError::RepoInUse { used, .. } => Self::illegal(message)
                .hint("nothing was changed; finish or abandon these workflows and remove these workspaces first")
                .texts("workflows", &used.workflows)
                .texts("workspaces", &used.workspaces),
            OpError::Import { .. } => {
                Self::damaged(message).hint("fix that line, or import the rest with --skip-damaged")
            }
            OpError::IsLedger { renamed, .. } => {
                let hint =
                    renamed.as_ref().map(|name| format!("to rename the ledger, run `bd migrate --ledger {name}`"));
                Failure { hint, ..Failure::usage(message) }
            }
            OpError::InsideProject { .. } => Self::failed(message)
                .hint("issues filed here go to that project; `bd init --here` makes a second ledger"),
            OpError::Edit(EditError::Overtaken { .. }) => Self::illegal(message),
            OpError::Edit(EditError::Newer { .. }) => Self::illegal(message)
                .hint("nothing was changed; read the issue again, then repeat the change if you still want it"),
            OpError::Edit(_) => Self::failed(message),
            OpError::Setup(error) => of_setup(error, message),
            OpError::Fs(_) => Self::failed(message),
            OpError::Record(error) => error.into(),
            OpError::Remote(error) if matches!(error, SyncError::Unreachable { .. }) => {
                Self::from(error).hint("nothing was claimed or given back there; try again later")
            }
            OpError::Remote(error) => error.into(),
            OpError::Reservation(error) => error.into(),
            OpError::Checkpoint(error) => error.into(),
            OpError::Workspace(error) => error.into(),
            OpError::Workflow(error) => error.into(),
            OpError::Template(error) => error.into(),
            OpError::BrokenPlan { problems, .. } => {
                Self::broken_plan(message, problems).hint("nothing was written; fix the plan and try again")
            }
            OpError::BadWorktreeName { .. } => Self::usage(message),
            OpError::WorktreeKept { reasons, .. } => Self::new(Exit::Damaged, "would_lose", message)
                .hint("nothing was removed; first commit, merge or release what is there")
                .texts("reasons", reasons),
            OpError::WorktreeGone { .. } => {
                Self::not_found(message).hint("run `bd worktree prune` to see what is left of it")
            }
            OpError::HalfRemoved { key, .. } => Self::failed(message)
                .hint("run `bd worktree restore` to write these files into a directory, and `bd worktree list` to see what is left")
                .fact("kept", key),
            OpError::NoLedgerThere { .. } => Self::no_repository(message)
                .hint("its branch has none; merge a branch that has one, or run `bd init` there"),
            OpError::NoSuchAgent { .. } => {
                Self::not_found(message).hint("run `bd agent list` to see the agents, or `bd agent register NAME` to add one")
            }
            OpError::AmbiguousAgent { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
            OpError::BadName { .. } => Self::usage(message),
            OpError::Alive { id, heartbeat, .. } => Self::new(Exit::Claimed, "claimed", message)
                .hint("choose another name, or add --again if it is yours")
                .fact("agent", id)
                .fact("heartbeat", heartbeat),
            OpError::NoSuchProcess { .. } => {
                Self::not_found(message).hint("pass the process that lives as long as the agent with --pid")
            }
            OpError::NoStateHome { .. } => {
                Self::not_found(message).hint("nothing was copied; pass the directory that BD_STATE_DIR named to --from")
            }
            OpError::NoWhere { .. } => Self::usage(message).hint("name the destination with --to"),
            OpError::BothKnow { .. } => Self::new(Exit::Damaged, "conflict", message)
                .hint("nothing was copied; release the issue in one of them first"),
            OpError::NotCoordinator { .. } => {
                Self::illegal(message).hint("run `bd agent register NAME --role coordinator` to register one")
            }
            OpError::NotYours { .. } => {
                Self::illegal(message).hint("a coordinator or a person can do that")
            }
            OpError::Unregistered { .. } => {
                Self::not_found(message).hint("nothing was sent; run `bd agent list` to see the agents")
            }
            OpError::NoRecipient { .. } => Self::not_found(message)
                .hint("nothing was sent; use an agent's name, role:R, status:S, runtime:T, cap:X, holder:ISSUE, person:NAME, human or @all"),
            OpError::NoSuchMessage { .. } => {
                Self::not_found(message).hint("run `bd mail inbox` to see yours; expired messages are hidden")
            }
            OpError::AmbiguousMessage { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
            OpError::NoSender { .. } => Self::illegal(message),
            OpError::NoBody => Self::usage(message).hint("pass -m TEXT, -m - or --body-file FILE"),
            OpError::TooLong { .. } => {
                Self::usage(message).hint("put the text into a file or an issue and send a reference to it")
            }
            OpError::Person { .. } => Self::usage(message).hint("name the agent with BD_AGENT or --agent"),
        }
    }
}

macro_rules! by_value {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::from(&error)
            }
        })*
    };
}

by_value!(OpError, StoreError, LedgerError, ChangeError, RecordError, LeaseError, SyncError, BatchError);
by_value!(ReservationError, CheckpointError, WorkspaceError, FlowError, TemplateError);
