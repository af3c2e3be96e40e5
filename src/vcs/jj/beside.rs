//! A git repository beside jj's: the user may be in the middle of something with git.
//!
//! A command of jj that records the working copy moves git's `HEAD`, ends what git left unfinished and makes the index anew.
//! So nothing is done in the middle of a merge, and nothing while something is staged.

use std::path::Path;

use crate::sys::Env;
use crate::vcs::CommitError;
use crate::vcs::git;

/// Refuses to go on in the middle of something of git's.
pub fn check_finished(root: &Path) -> Result<(), CommitError> {
    match git::unfinished(root).filter(|_| root.join(".git").exists()) {
        Some(what) => Err(CommitError::Unfinished { root: root.to_owned(), what: what.to_owned() }),
        None => Ok(()),
    }
}

/// Refuses what makes git's index anew, too, while something is staged in it.
pub fn check(root: &Path, env: &Env) -> Result<(), CommitError> {
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
