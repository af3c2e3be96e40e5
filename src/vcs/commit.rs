//! Commits files of a working copy: values and helpers that the systems share.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::CommitError;
use crate::sys::process::Output;
use crate::sys::{Entropy, Env};

/// How long a held lock is retried.
const PATIENCE: Duration = Duration::from_millis(400);

/// The result of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    Done,
    NothingToCommit,
    NoVcs,
}

/// Files of one working copy, relative to its root, and the data of the commit.
pub struct Order<'a> {
    pub root: &'a Path,
    pub files: &'a [PathBuf],
    pub message: &'a str,
    pub author: &'a str,
    pub env: &'a Env,
}

impl Order<'_> {
    pub(super) fn busy(&self) -> CommitError {
        CommitError::Busy { root: self.root.to_owned() }
    }
}

/// Retries while a lock is held (`None`), after short pauses of varying length.
pub(super) fn patiently<T>(
    order: &Order,
    mut attempt: impl FnMut() -> Result<Option<T>, CommitError>,
) -> Result<T, CommitError> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(done) = attempt()? {
            return Ok(done);
        }
        if Instant::now() >= until {
            return Err(order.busy());
        }
        let [uneven] = Entropy::System.bytes::<1>();
        std::thread::sleep(Duration::from_millis(20 + u64::from(uneven) % 31));
    }
}

/// The output of a failed program, shortened.
pub(super) fn failed(program: &str, output: &Output) -> CommitError {
    let printed = if output.stderr.trim_ascii().is_empty() { &output.stdout } else { &output.stderr };
    let printed = String::from_utf8_lossy(printed);
    let printed = printed.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect::<Vec<_>>().join("; ");
    CommitError::Failed { program: program.to_owned(), status: output.status, printed }
}

/// The same, if it failed.
pub(super) fn checked(program: &str, output: Output) -> Result<Output, CommitError> {
    if output.status.success() { Ok(output) } else { Err(failed(program, &output)) }
}
