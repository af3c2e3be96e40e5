//! What an operation could not do.

use super::workflows::broken_plan;
use super::*;
use crate::model::nearest::nearest;
use crate::model::query::QueryError;
use crate::ops::{EditError, OpError, SetupError};
use crate::store::SyncError;

impl Classify for OpError {
    fn classify(&self) -> Failure {
        use OpError::*;
        match self {
            Store(error) => error.classify(),
            Partly { source, .. } => source.classify(),
            Query(error) => error.classify(),
            Batch(error) => error.classify(),
            Setup(error) => error.classify(),
            Record(error) => error.classify(),
            Reservation(error) => error.classify(),
            Checkpoint(error) => error.classify(),
            Workspace(error) => error.classify(),
            Workflow(error) => error.classify(),
            Template(error) => error.classify(),
            Remote(error @ SyncError::Unreachable { .. }) => {
                error.classify().without_hint().hint("nothing was claimed or given back there; try again later")
            }
            Remote(error @ SyncError::Refused { .. }) => error
                .classify()
                .without_hint()
                .hint("nothing was claimed or given back there: the remote takes branches alone, or not from you"),
            Remote(error) => error.classify(),
            Status { word, known } | Type { word, known } | UnknownDependencyType { word, known } => {
                USAGE.meant(nearest(word, known.iter().map(String::as_str)))
            }
            Date { flag, value } if value.starts_with('-') => USAGE
                .shell(format!("put the date right after --{flag}, such as 2026-03-01, tomorrow, friday, 3d or -3d"))
                .hint(dates()),
            Date { .. } => USAGE
                .hint("write a date such as 2026-03-01, tomorrow, friday, 3d or +2w, or a time in RFC 3339")
                .hint(dates()),
            KeyTaken { .. } => {
                USAGE.hint("nothing was written; use a key once for each text, and the same flags when you repeat it")
            }
            KeyDamaged { .. } => DAMAGED.hint("nothing was written; look whether it was done, then use another key"),
            KeyInterrupted { at, .. } => FAILED.hint("nothing was written now").shell(format!(
                "look with `bd log --since {at}` at what is there, then send the rest with another key"
            )),
            NotFound(_) => NOT_FOUND,
            Priority(_) | DependencyType(_) | Usage(_) | Plan(_) => USAGE,
            RepoInUse { used, .. } => ILLEGAL
                .hint("nothing was changed; finish or abandon these workflows and remove these workspaces first")
                .texts("workflows", &used.workflows)
                .texts("workspaces", &used.workspaces),
            Import { .. } => DAMAGED.hint("fix that line").or(shell("import the rest with --skip-damaged")),
            IsLedger { renamed: Some(name), .. } => {
                USAGE.shell(format!("to rename the ledger, run `bd migrate --ledger {name}`"))
            }
            IsLedger { .. } => USAGE,
            InsideProject { .. } => FAILED
                .hint("issues filed here go to that project")
                .shell("`bd init --here` makes a second ledger"),
            Edit(EditError::Overtaken { .. }) => ILLEGAL,
            Edit(EditError::Newer { .. }) => CHANGED
                .hint("nothing was changed; read the issue again, then repeat the change if you still want it"),
            Edit(_) | Fs(_) => FAILED,
            BrokenPlan { problems, .. } => {
                broken_plan(problems).hint("nothing was written; fix the plan and try again")
            }
            WorktreeKept { reasons, .. } => WOULD_LOSE
                .hint("nothing was removed; first commit, merge or release what is there")
                .texts("reasons", reasons),
            WorktreeGone { .. } => NOT_FOUND.run("bd worktree prune", "to see what is left of it"),
            HalfRemoved { key, .. } => FAILED
                .run("bd worktree restore", "to write these files into a directory, and `bd worktree list` to see what is left")
                .fact("kept", key),
            NoLedgerThere { .. } => NO_REPOSITORY
                .hint("its branch has none")
                .hint("merge a branch that has one")
                .or(run("bd init", "there")),
            NoSuchAgent { .. } => {
                NOT_FOUND.run("bd agent list", "to see the agents, or `bd agent register NAME` to add one")
            }
            Ambiguous { .. } => ambiguous_id(),
            BadName { .. } | BadWorktreeName { .. } => USAGE,
            Alive { id, heartbeat, .. } => CLAIMED
                .hint("choose another name")
                .or(shell("add --again if it is yours"))
                .fact("agent", id)
                .fact("heartbeat", heartbeat),
            NoSuchProcess { .. } => {
                NOT_FOUND.shell("pass the process that lives as long as the agent with --pid")
            }
            NoStateHome { .. } => NOT_FOUND
                .hint("nothing was copied")
                .shell("pass the directory that BD_STATE_DIR named to --from"),
            NoWhere { .. } => USAGE.shell("name the destination with --to"),
            BothKnow { .. } => CONFLICT.hint("nothing was copied; release the issue in one of them first"),
            NotCoordinator { .. } => ILLEGAL.run("bd agent register NAME --role coordinator", "to register one"),
            NotYours { .. } => ILLEGAL.hint("a coordinator or a person can do that"),
            Unregistered { .. } => NOT_FOUND.hint("nothing was sent").run("bd agent list", "to see the agents"),
            NoRecipient { .. } => NOT_FOUND.hint(
                "nothing was sent; use an agent's name, role:R, status:S, runtime:T, cap:X, holder:ISSUE, person:NAME, human or @all",
            ),
            NoSuchMessage { .. } => {
                NOT_FOUND.run("bd mail inbox", "to see yours").hint("expired messages are hidden")
            }
            NoSender { .. } => ILLEGAL,
            NoBody => USAGE.shell("pass -m TEXT, -m - or --body-file FILE"),
            TooLong { .. } => USAGE.hint("put the text into a file or an issue and send a reference to it"),
            Person { .. } => USAGE.shell("name the agent with BD_AGENT or --agent"),
        }
    }
}

fn dates() -> Clause {
    run("bd help dates", "for every form")
}

impl Classify for QueryError {
    fn classify(&self) -> Failure {
        use QueryError::*;
        let meant = match self {
            UnknownField { name: word, known } | UnknownWord { word, known, .. } => {
                nearest(word, known.iter().copied())
            }
            _ => None,
        };
        match meant {
            Some(_) => USAGE.meant(meant),
            None if is_about_date(self) => USAGE.hint(dates()),
            None => USAGE.run("bd help query", "for the language"),
        }
    }
}

/// The value typed for a date is not a date, or not one that fits.
fn is_about_date(error: &QueryError) -> bool {
    match error {
        QueryError::BadDate { .. } | QueryError::Moment { .. } => true,
        QueryError::Saved { source, .. } => is_about_date(source),
        _ => false,
    }
}

impl Classify for SetupError {
    fn classify(&self) -> Failure {
        use SetupError::*;
        let unchanged = || FAILED.hint("nothing was changed");
        match self {
            Unreadable { .. } => {
                unchanged().hint("fix that line").or(shell("add what `bd setup CLIENT --print` shows by hand"))
            }
            LeadsOut { .. } | BadLink { .. } => {
                unchanged().hint("replace the link with a file").or(shell("add --user"))
            }
            ReadOnly { .. } => unchanged().hint("make the file writable"),
            Foreign { .. } => unchanged().hint("rename the file, then run this again"),
            InPullRequest { .. } => ILLEGAL.shell("add --user").or("add the file to .git/info/exclude"),
            NotForUser { .. } => FAILED.shell("for Claude Code, run `claude mcp add --scope user bd -- bd mcp`"),
            NoServer { .. } => USAGE.hint("name a client, such as claude"),
            NoHome => USAGE,
        }
    }
}
