//! A ledger that conflicts in commits below the working copy, after a rebase, and that the working copy has settled.
//!
//! jj keeps a conflict in the commit that has it; a commit on top which settles it does not make the one below fit to be pushed.
//! So what the working copy made of the ledger is given to each of those commits.

use std::path::{Path, PathBuf};

use super::program::Repo;
use super::stack::{self, Commit, put};
use crate::sys::Env;
use crate::vcs::SyncError;

/// The commits below the working copy that conflict and can be rewritten.
const BELOW: &str = "::@- & conflicts() & mutable()";

/// Whether a file conflicts in a commit below the working copy.
pub fn is_below(root: &Path, file: &Path, env: &Env) -> bool {
    let repo = Repo::new(root, env);
    let found = repo.newest().and_then(|now| stack::read(&repo, &now, BELOW, &[]));
    found.is_ok_and(|commits| commits.iter().any(|commit| commit.conflicts.iter().any(|known| known == file)))
}

/// Gives the commits that conflict what the working copy has; `false` if there is nothing to settle. A file that the working copy
/// itself has in conflict is left alone.
pub fn settle(repo: &Repo, files: &[PathBuf]) -> Result<bool, SyncError> {
    if repo.count(None, BELOW)? == 0 {
        return Ok(false);
    }
    let start = repo.snapshot()?;
    let stack = stack::read(repo, &start, &format!("({BELOW})::@"), &[])?;
    let mut now = start.clone();
    for file in files {
        let conflicts = |commit: &Commit| commit.conflicts.contains(file);
        if !stack.iter().any(conflicts) || stack.iter().any(|commit| commit.current && conflicts(commit)) {
            continue;
        }
        let content = repo.file(Some(&start), "@", file)?;
        // What stands on a commit that is rewritten may conflict by that, up to the working copy's own.
        for commit in &stack {
            if stack::read(repo, &now, &commit.change, &[])?.iter().any(conflicts) {
                now = put(repo, &now, &commit.change, file, content.as_deref())?;
            }
        }
    }
    if now == start {
        return Ok(false);
    }
    repo.adopt(&now)?;
    Ok(true)
}
