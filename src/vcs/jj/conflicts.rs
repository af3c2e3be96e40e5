//! A ledger that conflicts in commits below the working copy, after a rebase, and that the working copy has resolved.
//!
//! jj keeps a conflict in the commit that has it; resolving it in a commit on top does not make the one below pushable.
//! So each of those commits gets the working copy's version of the ledger.

use std::path::{Path, PathBuf};

use super::program::Repo;
use super::stack::{self, Commit, put};
use crate::sys::Env;
use crate::vcs::SyncError;

/// The mutable commits below the working copy with conflicts.
const BELOW: &str = "::@- & conflicts() & mutable()";

/// Whether a file conflicts in a commit below the working copy.
pub(crate) fn is_below(root: &Path, file: &Path, env: &Env) -> bool {
    let repo = Repo::new(root, env);
    let found = repo.newest().and_then(|now| stack::read(&repo, &now, BELOW, &[]));
    found.is_ok_and(|commits| commits.iter().any(|commit| commit.conflicts.iter().any(|known| known == file)))
}

/// Copies the working copy's version into the commits with conflicts; `false` if there are none. A file that conflicts
/// in the working copy itself is left alone.
pub(super) fn settle(repo: &Repo, files: &[PathBuf]) -> Result<bool, SyncError> {
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
        // Rewriting a commit may cause conflicts in its descendants, up to the working copy's own.
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
