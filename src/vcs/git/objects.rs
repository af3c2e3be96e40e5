//! Writes objects that are in no branch, including commits without a real author.

use std::time::Duration;

use super::hooks::checked;
use crate::sys::fs;
use crate::sys::process::{Output, Program};
use crate::vcs::{HistoryError, SyncError};

/// Lists are read up to this size, and longer ones are refused.
const MAX: usize = 256 << 20;
/// A working copy may be large.
const LIMIT: Duration = Duration::from_secs(300);

/// Stores an object and returns its id.
pub(super) fn write(git: Program<'_>, kind: &str, bytes: Vec<u8>) -> Result<String, SyncError> {
    let output =
        checked("git hash-object", git.args(["hash-object", "-t", kind, "-w", "--stdin"]).input(bytes).run()?)?;
    Ok(line(&output.stdout))
}

/// Stores a commit.
pub(super) fn write_commit(
    git: Program<'_>,
    tree: &str,
    parents: &[String],
    message: &str,
) -> Result<String, SyncError> {
    let person = format!("bd <bd@invalid> {} +0000", fs::realtime().nanos() / 1_000_000_000);
    let parents: String = parents.iter().map(|parent| format!("parent {parent}\n")).collect();
    let commit = format!("tree {tree}\n{parents}author {person}\ncommitter {person}\n\n{message}\n");
    write(git, "commit", commit.into_bytes())
}

/// The output of git; failure and an endless list are errors.
pub(super) fn must(name: &'static str, program: Program<'_>) -> Result<Output, SyncError> {
    let output = checked(name, program.limit(LIMIT).keeping(MAX).run()?)?;
    if output.stdout.len() >= MAX {
        return Err(HistoryError::object(name, "git said more than can be looked at").into());
    }
    Ok(output)
}

/// The single line that git prints.
pub(super) fn line(stdout: &[u8]) -> String {
    String::from_utf8_lossy(stdout.trim_ascii()).into_owned()
}
