//! Failures of changes: an issue, the file that holds it, a batch.

use super::*;
use crate::ledger::LedgerError;
use crate::model::change::{CLAIMING, ChangeError, WorkflowError};
use crate::model::nearest::nearest;
use crate::ops::BatchError;
use crate::sys::lock::LockError;

impl Classify for ChangeError {
    fn classify(&self) -> Failure {
        use ChangeError::*;
        match self {
            Deleted(id) => ILLEGAL.kind(ErrorKind::NotFound).hint(run(format!("bd reopen {id}"), "to bring it back")),
            Claimed { .. } => CLAIMED.hint("ask them first; `bd update ID --assignee NAME` gives it to somebody else"),
            Done { what: CLAIMING, .. } => ILLEGAL.run("bd ready --claim", "to take another issue"),
            Done { .. } => ILLEGAL.run("bd reopen", "first"),
            OddValue { .. } => DAMAGED.hint("fix that field of the line by hand"),
            SelfDependency(_) => ILLEGAL,
            OpenBlockers { blockers, .. } => ILLEGAL
                .hint("close those first")
                .or(run("bd dep remove", "if it does not wait for them"))
                .texts("blockers", blockers),
            OpenChildren { children, .. } => ILLEGAL.texts("children", children),
            Workflow(error) => error.classify(),
            EmptyTitle
            | LongTitle(_)
            | TitleLines
            | EmptyLabel
            | EmptyComment
            | NegativeEstimate
            | NotSettable(_)
            | TooLong { .. } => USAGE,
        }
    }
}

impl Classify for WorkflowError {
    fn classify(&self) -> Failure {
        use WorkflowError::*;
        match self {
            IllegalMove { from: state, .. } | StatusFollows { state, .. } => illegal_from(*state),
            OpenTasks { tasks, .. } => ILLEGAL
                .run("bd workflow complete --skip-open", "to close them as skipped, `bd workflow abandon` to give up, or `bd close --force` to leave them open")
                .texts("tasks", tasks),
            NotWorkflow(_) => ILLEGAL.run("bd workflow list", "to see the workflows"),
            NotTask(_) => ILLEGAL,
        }
    }
}

impl Classify for LedgerError {
    fn classify(&self) -> Failure {
        use LedgerError::*;
        match self {
            Lock(LockError::Timeout { .. }) => BUSY.hint("try again").or(shell("wait longer with --lock-timeout")),
            Lock(LockError::Failed { .. }) => {
                BUSY.kind(ErrorKind::Io).hint("this file system cannot lock; reading works, writing does not")
            }
            Unstable { .. } => BUSY.hint("try again"),
            Vanished { what: "missing", .. } => BUSY
                .kind(ErrorKind::Damaged)
                .hint("try again when version control is done")
                .shell("if it stays so, run `git checkout -- FILE`, then `bd recover`"),
            Vanished { .. } => DAMAGED.shell("restore the file from the last commit: `git checkout -- FILE`"),
            Torn { .. } => DAMAGED.hint("restore the file from version control").or(run("bd doctor --fix", "")),
            Conflicted { .. } => DAMAGED
                .run("bd resolve", "to merge both sides and remove the markers")
                .or(run("bd hooks install", "once in each clone, and git merges issues by itself")),
            Markers { .. } => DAMAGED
                .hint("nothing was changed; fix the markers by hand, or have version control merge the file again"),
            Missing { .. } => no_ledger(),
            Linked { .. } => ILLEGAL.hint("move the ledger there, or name its directory in .beads/redirect"),
            WriteProtected { path } => {
                ILLEGAL.hint(format!("run `chmod u+w {}` if it may be changed", shell_path(path)))
            }
            NotJsonl { .. } => ILLEGAL.kind(ErrorKind::NoProject),
            HardLinks { .. } | TooLarge { .. } => ILLEGAL,
            Gate { .. } => GATE.shell("this is a bug in bd").hint("please report it with the refused file"),
            Fs(error) | Lock(LockError::Open(error)) => of_file(error),
        }
    }
}

impl Classify for BatchError {
    fn classify(&self) -> Failure {
        use BatchError::*;
        match self {
            TooLarge { .. } => USAGE.hint("nothing was written; divide it"),
            UnknownOp { word, known } | UnknownField { word, known, .. } => {
                USAGE.meant(nearest(word, known.iter().copied()))
            }
            NoSuchLine { .. } => USAGE.hint("$N is the issue that line N of the input files; name an earlier line"),
            NotFiled { line, .. } | Aborted { line } => NOT_WRITTEN.number("failed_line", *line as i64),
            SeveralRepos { .. } => {
                ILLEGAL.hint("nothing was written").hint("make one batch for each repo").or(shell("leave out --atomic"))
            }
            NotText | NotJson(_) | NoOp { .. } | MissingField { .. } | TwiceGiven { .. } | WrongType { .. } => USAGE,
        }
    }
}
