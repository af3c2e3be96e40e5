//! Commits with the programs `hg` and `sl`.
//!
//! The repository's own settings are skipped, since they can name programs; only the user's name and the phase of new
//! commits are passed on. Hooks in the user's own settings do run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;

use super::call::{Client, pattern};
use crate::sys::process::Output;
use crate::vcs::commit::{Committed, Order, checked, patiently};
use crate::vcs::files::path_of;
use crate::vcs::layout::hg::unfinished;
use crate::vcs::{CommitError, Kind, SyncError};

/// hg's errors in the middle of a merge.
const MERGING: [&str; 2] = ["cannot partially commit a merge", "unresolved merge conflicts"];

/// Commits these files and nothing else.
pub(super) fn commit(kind: Kind, order: &Order) -> Result<Committed, CommitError> {
    let client = Client::new(kind, order.root, order.author, order.env);
    let refused = |what: &str| CommitError::Unfinished { root: order.root.to_owned(), what: what.to_owned() };
    if let Some(what) = unfinished(&client.own_dir()) {
        return Err(refused(what));
    }
    let hg = Hg { client, order };
    let entries = hg.status()?;
    if let Some((_, path)) = entries.iter().find(|(code, _)| *code == b'I') {
        return Err(CommitError::Ignored { path: order.root.join(path) });
    }
    if entries.is_empty() {
        return Ok(Committed::NothingToCommit);
    }
    let of = |codes: &[u8]| -> Vec<PathBuf> {
        entries.iter().filter(|(code, _)| codes.contains(code)).map(|(_, path)| path.clone()).collect()
    };
    let unsettled = of(b"?!");
    if !unsettled.is_empty() {
        hg.must(&["addremove", "--quiet", "--similarity=0"], &unsettled)?;
    }
    let done = hg.must(&["commit", &format!("--message={}", order.message)], &of(b"MARD?!"));
    let unknown = of(b"?");
    if done.is_err() && !unknown.is_empty() {
        let _ = hg.run(&["forget", "--quiet"], &unknown);
    }
    match done {
        Ok(_) => Ok(Committed::Done),
        Err(CommitError::Failed { printed, .. }) if MERGING.iter().any(|text| printed.contains(text)) => {
            Err(refused("a merge"))
        }
        Err(error) => Err(error),
    }
}

struct Hg<'a> {
    client: Client<'a>,
    order: &'a Order<'a>,
}

impl Hg<'_> {
    /// Runs a command on files of the working copy, and retries while a lock is held.
    fn run(&self, arguments: &[&str], files: &[PathBuf]) -> Result<Output, CommitError> {
        let files: Vec<OsString> = files.iter().map(|file| pattern(file)).collect();
        let at_once = ["--config=ui.timeout=0".to_owned()];
        patiently(self.order, || match self.client.run(&at_once, arguments, &files) {
            Ok(output) => Ok(Some(output)),
            Err(SyncError::Busy { .. }) => Ok(None),
            Err(SyncError::Run(error)) => Err(error.into()),
            Err(SyncError::Commit(error)) => Err(error),
            Err(SyncError::Failed { program, status, printed }) => {
                Err(CommitError::Failed { program, status, printed })
            }
            Err(other) => {
                let (program, status) = (self.client.kind.to_string(), ExitStatus::default());
                Err(CommitError::Failed { program, status, printed: other.to_string() })
            }
        })
    }

    /// The same; failure is an error.
    fn must(&self, arguments: &[&str], files: &[PathBuf]) -> Result<Output, CommitError> {
        let name = format!("{} {}", self.client.kind, arguments.first().unwrap_or(&""));
        checked(&name, self.run(arguments, files)?)
    }

    /// The files that differ from their committed state, each with its letter.
    fn status(&self) -> Result<Vec<(u8, PathBuf)>, CommitError> {
        let output = self.must(&["status", "-mardui", "--print0"], self.order.files)?;
        let entries = output.stdout.split(|byte| *byte == 0).filter(|entry| entry.len() > 2);
        Ok(entries.map(|entry| (entry[0], path_of(&entry[2..]))).collect())
    }
}
