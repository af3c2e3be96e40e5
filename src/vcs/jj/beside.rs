//! A git repository beside jj's: protects git operations that the user has not finished.
//!
//! A jj command that records the working copy moves git's `HEAD`, ends git's unfinished operation and rebuilds the
//! index. So nothing is done during a merge, or while something is staged.

use std::path::Path;

use crate::sys::Env;
use crate::vcs::CommitError;
use crate::vcs::git;

/// Refuses to continue during an unfinished git operation.
pub(super) fn check_finished(root: &Path) -> Result<(), CommitError> {
    match git::unfinished(root).filter(|_| root.join(".git").exists()) {
        Some(what) => Err(CommitError::Unfinished { root: root.to_owned(), what: what.to_owned() }),
        None => Ok(()),
    }
}

/// Refuses to rebuild git's index while something is staged in it, too.
pub(super) fn check(root: &Path, env: &Env) -> Result<(), CommitError> {
    check_finished(root)?;
    if !root.join(".git").exists() {
        return Ok(());
    }
    match git::staged_beside(root, env) {
        Ok(files) if files.is_empty() => Ok(()),
        Ok(files) => Err(CommitError::Staged { root: root.to_owned(), files }),
        Err(error) => Err(CommitError::Beside { root: root.to_owned(), message: error.to_string() }),
    }
}
