//! Failures of changes to issues and ledgers.

use super::escape::shell_path;
use super::failure::{Exit, Failure, NO_LEDGER};
use crate::ledger::LedgerError;
use crate::model::change::ChangeError;
use crate::model::change::WorkflowError;
use crate::sys::lock::LockError;

impl From<&ChangeError> for Failure {
    fn from(error: &ChangeError) -> Self {
        let message = error.to_string();
        match error {
            ChangeError::Deleted(id) => {
                Self::illegal(message).hint(format!("run `bd reopen {id}` to bring it back"))
            }
            ChangeError::Claimed { .. } => Self::new(Exit::Claimed, "claimed", message),
            ChangeError::Done { .. } => Self::illegal(message).hint("run `bd reopen` first"),
            ChangeError::OddValue { .. } => {
                Self::damaged(message).hint("fix that field of the line by hand")
            }
            ChangeError::SelfDependency(_) => Self::illegal(message),
            ChangeError::OpenBlockers { blockers, .. } => Self::illegal(message)
                .hint("close those first, or run `bd dep remove` if it does not wait for them")
                .texts("blockers", blockers),
            ChangeError::OpenChildren { children, .. } => {
                Self::illegal(message).texts("children", children)
            }
            ChangeError::Workflow(WorkflowError::IllegalMove { from, .. }) => {
                let legal: Vec<String> = from.next().iter().map(|state| state.word().to_owned()).collect();
                Self::illegal(message).fact("state", from.word()).texts("legal", &legal)
            }
            ChangeError::Workflow(WorkflowError::OpenTasks { tasks, .. }) => Self::illegal(message)
                .hint("run `bd workflow complete --skip-open` to close them as skipped, `bd workflow abandon` to give up, or `bd close --force` to leave them open")
                .texts("tasks", tasks),
            ChangeError::Workflow(WorkflowError::StatusFollows { state, .. }) => {
                let legal: Vec<String> = state.next().iter().map(|state| state.word().to_owned()).collect();
                Self::illegal(message).fact("state", state.word()).texts("legal", &legal)
            }
            ChangeError::Workflow(WorkflowError::NotWorkflow(_)) => {
                Self::illegal(message).hint("run `bd workflow list` to see the workflows")
            }
            ChangeError::Workflow(WorkflowError::NotTask(_)) => Self::illegal(message),
            _ => Self::usage(message),
        }
    }
}

impl From<&LedgerError> for Failure {
    fn from(error: &LedgerError) -> Self {
        let message = error.to_string();
        match error {
            LedgerError::Lock(LockError::Timeout { .. }) => {
                Self::busy(message).hint("try again, or wait longer with --lock-timeout")
            }
            LedgerError::Lock(LockError::Failed { .. }) => {
                Self::busy(message).hint("this file system cannot lock; reading works, writing does not")
            }
            LedgerError::Unstable { .. } => Self::busy(message).hint("try again"),
            LedgerError::Vanished { what: "missing", .. } => Self::busy(message).hint(
                "try again when version control is done; if it stays so, run `git checkout -- FILE`, then `bd recover`",
            ),
            LedgerError::Vanished { .. } => {
                Self::damaged(message).hint("restore the file from the last commit: `git checkout -- FILE`")
            }
            LedgerError::Torn { .. } => {
                Self::damaged(message).hint("restore the file from version control, or run `bd doctor --fix`")
            }
            LedgerError::Conflicted { .. } => {
                Self::damaged(message).hint("run `bd resolve` to merge both sides and remove the markers")
            }
            LedgerError::Markers { .. } => Self::damaged(message)
                .hint("nothing was changed; fix the markers by hand, or have version control merge the file again"),
            LedgerError::Missing { .. } => Self::no_repository(message).hint(NO_LEDGER),
            LedgerError::Linked { .. } => {
                Self::illegal(message).hint("move the ledger there, or name its directory in .beads/redirect")
            }
            LedgerError::WriteProtected { path } => {
                let hint = format!("run `chmod u+w {}` if it may be changed", shell_path(path));
                Self::illegal(message).hint(hint)
            }
            LedgerError::NotJsonl { .. } | LedgerError::HardLinks { .. } | LedgerError::TooLarge { .. } => {
                Self::illegal(message)
            }
            LedgerError::Gate { .. } => Self::new(Exit::Gate, "gate", message)
                .hint("this is a bug in bd; please report it with the refused file"),
            LedgerError::Fs(error) | LedgerError::Lock(LockError::Open(error)) => Self::failed(message).barred(error),
        }
    }
}
