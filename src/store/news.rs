//! What a stream of events asks of the files: which of them to watch, and what the ledgers of other checkouts say now.

use std::path::PathBuf;

use super::checkout::Worktree;
use super::leases::LEASES_NAME;
use super::source::{expected, is_rejected};
use super::{Result, Store};
use crate::ledger::{Document, Expectation, Ledger, LedgerError, Snapshot, Stamp};
use crate::sys::fs::{self, FileStamp};
use crate::vcs;

/// The ledger of another checkout, as last read.
#[derive(Debug)]
pub struct CheckoutLedger {
    pub worktree: Worktree,
    pub document: Document,
    path: PathBuf,
    stamp: Stamp,
    /// It was absent or empty then; nobody waits for it again while it is.
    vanished: Option<Option<FileStamp>>,
}

impl Store {
    /// The files and directories whose change may change an answer, mail aside.
    pub fn watched_paths(&self) -> Result<Vec<PathBuf>> {
        let mut paths: Vec<PathBuf> = self.surroundings.iter().map(|(path, _)| path.clone()).collect();
        for source in 0..self.sources.len() {
            paths.push(self.sources.ledger(source).path().to_owned());
            paths.push(self.lease_home(source).path().join(LEASES_NAME));
        }
        paths.extend(self.standing_siblings()?.into_iter().map(|(_, path)| path));
        paths.extend(self.checkout_marks());
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// The ledgers of other checkouts that are there.
    fn standing_siblings(&self) -> Result<Vec<(Worktree, PathBuf)>> {
        let all = self.sibling_ledgers()?.into_iter();
        let there = all.filter(|(_, worktree, _)| worktree.exists);
        Ok(there
            .map(|(_, worktree, inside)| {
                let path = worktree.root.join(inside);
                (worktree, path)
            })
            .collect())
    }

    /// Brings what is known of the ledgers of other checkouts up to date, and gives what those that changed held before, by their
    /// places in the list. One that is new is only noted; one that cannot be read, or is cut off, stays as it was.
    pub fn look_at_checkouts(&self, known: &mut Vec<CheckoutLedger>) -> Result<Vec<(usize, Document)>> {
        let there = self.standing_siblings()?;
        known
            .retain(|one| there.iter().any(|(worktree, path)| *path == one.path && worktree.root == one.worktree.root));
        let mut changed = Vec::new();
        for (worktree, path) in there {
            let Ok(ledger) = Ledger::at(&path, &worktree.root) else { continue };
            let Some(place) = known.iter().position(|one| one.path == path) else {
                if let Ok(Snapshot { document, stamp, .. }) = ledger.read(|| expected(&path)) {
                    known.push(CheckoutLedger { worktree, document, path, stamp, vanished: None });
                }
                continue;
            };
            let one = &mut known[place];
            one.worktree = worktree;
            if let Some(snapshot) = one.reread(&ledger) {
                one.stamp = snapshot.stamp;
                changed.push((place, std::mem::replace(&mut one.document, snapshot.document)));
            }
        }
        Ok(changed)
    }

    /// Version control is rewriting one of the working copies right now.
    pub fn is_being_rewritten(&self) -> bool {
        (0..self.sources.len()).any(|source| vcs::is_busy(self.sources.ledger(source).path()))
    }
}

impl CheckoutLedger {
    /// What the file holds, if that can be read and is something else.
    fn reread(&mut self, ledger: &Ledger) -> Option<Snapshot> {
        let is = fs::stat(&self.path).ok();
        if self.vanished.is_some_and(|then| then == is) {
            return None;
        }
        let known = !self.document.is_empty();
        let expectation = || if known { Expectation::Issues } else { expected(&self.path) };
        let read = ledger.refresh(&mut self.stamp, &self.document, expectation);
        self.vanished = match &read {
            Err(LedgerError::Vanished { .. } | LedgerError::Missing { .. }) => Some(fs::stat(&self.path).ok()),
            _ => None,
        };
        read.ok().flatten().filter(|snapshot| snapshot.document.torn().is_none())
    }
}

/// Which of several copies of an issue counts, in the order of the repos: the first that was not turned down, else the first.
pub fn counting_copy(copies: &[&str]) -> Option<usize> {
    match copies {
        [] => None,
        [_] => Some(0),
        _ => Some(copies.iter().position(|line| !is_rejected(line)).unwrap_or(0)),
    }
}
