//! Objects that are in no branch, and the commits among them: made by nobody in particular.

use super::hooks::failed;
use crate::sys::fs;
use crate::sys::process::{Output, Program};
use crate::vcs::SyncError;

/// Stores an object and says its id.
pub fn write(git: Program<'_>, kind: &str, bytes: Vec<u8>) -> Result<String, SyncError> {
    let output =
        checked("git hash-object", git.args(["hash-object", "-t", kind, "-w", "--stdin"]).input(bytes).run()?)?;
    Ok(line(&output.stdout))
}

/// Stores a commit.
pub fn write_commit(git: Program<'_>, tree: &str, parents: &[String], message: &str) -> Result<String, SyncError> {
    let person = format!("bd <bd@invalid> {} +0000", fs::realtime().nanos() / 1_000_000_000);
    let parents: String = parents.iter().map(|parent| format!("parent {parent}\n")).collect();
    let commit = format!("tree {tree}\n{parents}author {person}\ncommitter {person}\n\n{message}\n");
    write(git, "commit", commit.into_bytes())
}

pub fn checked(program: &'static str, output: Output) -> Result<Output, SyncError> {
    if output.status.success() { Ok(output) } else { Err(failed(program, &output).into()) }
}

/// A single line as git prints it.
pub fn line(stdout: &[u8]) -> String {
    String::from_utf8_lossy(stdout.trim_ascii()).into_owned()
}
