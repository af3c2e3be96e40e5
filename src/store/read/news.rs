//! What a stream of events reads: which files to watch, and the current ledgers of other checkouts.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::{Duration, Instant as Moment};

use super::index::{expected, is_rejected};
use crate::ledger::{Document, Expectation, Ledger, LedgerError, ReadLedger, Stamp};
use crate::store::project::worktree::Worktree;
use crate::store::state::tables::{Spot, TABLES};
use crate::store::{Project, Result, Snapshot, Store};
use crate::sys::fs::{self, FileStamp};
use crate::vcs;

/// How long to wait for an issue to come back while version control is working, and how often to check.
const GONE_FOR: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_millis(50);

/// The ledger of another checkout, as last read.
#[derive(Debug)]
pub struct CheckoutLedger {
    pub worktree: Worktree,
    pub document: Document,
    path: PathBuf,
    stamp: Stamp,
    /// Set if it was missing or empty then: do not wait for it again until that changes.
    vanished: Option<Option<FileStamp>>,
}

impl Project {
    /// The ledger of a checkout in its last commit, if known.
    fn committed_there(&self, worktree: &Worktree, path: &Path) -> Option<Document> {
        let inside = path.strip_prefix(&worktree.root).ok()?;
        let vcs = vcs::open(&worktree.root);
        if !vcs.is_read_directly() {
            // The others run a program.
            self.refuse_programs_of(&worktree.root).ok()?;
        }
        let bytes = vcs.committed(inside, &self.host.env).ok()?;
        Some(Document::new(bytes.unwrap_or_default()))
    }
}

impl Snapshot {
    /// The files and directories whose change may change an answer.
    pub fn watched_paths(&self, with_records: bool) -> Result<Vec<PathBuf>> {
        // A long-running process must notice that version control appeared, or that the state home changed.
        self.homes.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let mut paths: Vec<PathBuf> = self.seen.paths().cloned().collect();
        let mut homes = vec![self.state()];
        for source in 0..self.sources.len() {
            paths.push(self.sources.ledger(source).path().to_owned());
            homes.push(self.lease_home(source));
        }
        let watched: Vec<Spot> = TABLES.iter().map(|table| table.spot()).filter(|spot| spot.is_watched).collect();
        paths.extend(homes.iter().flat_map(|home| watched.iter().flat_map(|spot| spot.paths(home))));
        if with_records {
            for spot in TABLES.iter().map(|table| table.spot()) {
                paths.extend(spot.paths(&homes[0]));
                let files = spot.files(&homes[0]).unwrap_or_default().into_iter();
                paths.extend(files.map(|(inside, name)| homes[0].path().join(inside).join(name)));
            }
        }
        let ledgers = self.sibling_ledgers()?.into_iter().filter(|(_, worktree, _)| worktree.exists);
        paths.extend(ledgers.map(|(_, worktree, inside)| worktree.root.join(inside)));
        paths.extend((0..self.repos.members.len()).flat_map(|member| self.checkout_marks(member)));
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    /// Updates the known ledgers of other checkouts, and returns the previous content of changed ones, with their index
    /// in the list. An unreadable or torn one stays as it was. The first time, all are only recorded; for one that
    /// appears later, the previous content is that of its last commit.
    pub fn look_at_checkouts(&self, known: &mut Vec<CheckoutLedger>, is_first: bool) -> Result<Vec<(usize, Document)>> {
        let there = self.checkout_ledgers()?;
        for one in known.iter_mut() {
            // A moved checkout is not new.
            let is_same = |worktree: &Worktree, path: &Path| {
                worktree.id.is_some() && worktree.id == one.worktree.id && path.file_name() == one.path.file_name()
            };
            if let Some((worktree, path)) = there.iter().find(|(worktree, path)| is_same(worktree, path)) {
                (one.worktree, one.path) = (worktree.clone(), path.clone());
            }
        }
        known
            .retain(|one| there.iter().any(|(worktree, path)| *path == one.path && worktree.root == one.worktree.root));
        let mut changed = Vec::new();
        for (worktree, path) in there {
            let Ok(ledger) = Ledger::at(&path, &worktree.root) else { continue };
            let Some(place) = known.iter().position(|one| one.path == path) else {
                let was_busy = vcs::is_busy(&path);
                if let Ok(ReadLedger { document, stamp, .. }) = ledger.read(|| expected(&path)) {
                    let before = if is_first { None } else { self.committed_there(&worktree, &path) };
                    if before.as_ref().is_some_and(|before| lacks(&document, before)) && was_busy {
                        // Version control has not written all of it yet.
                        continue;
                    }
                    changed.extend(before.map(|before| (known.len(), before)));
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

    /// The ledgers of other checkouts of the project's own repo.
    fn checkout_ledgers(&self) -> Result<Vec<(Worktree, PathBuf)>> {
        let is_own = |source: usize| self.sources.member_of(source) == 0;
        let there = self.sibling_ledgers()?.into_iter();
        let there = there.filter(|(source, worktree, _)| worktree.exists && is_own(*source));
        Ok(there.map(|(_, worktree, inside)| (worktree.clone(), worktree.root.join(inside))).collect())
    }
}

impl Store {
    /// Updates the answers like [`Snapshot::refresh`]. If the ledgers lack an id that is in `known`, by path, waits
    /// until it is certainly gone: version control removes files for a moment, and writes them piece by piece.
    pub fn refresh_patiently<'a>(&mut self, known: impl Fn(&Path) -> Option<&'a Document>) -> Result<()> {
        self.refresh()?;
        let misses_something = |store: &Store| {
            let lacking = |(_, ledger, now): (usize, &Ledger, &Document)| {
                known(ledger.path()).is_some_and(|then| then.bytes() != now.bytes() && lacks(now, then))
            };
            store.documents().into_iter().any(lacking)
        };
        let start = Moment::now();
        while misses_something(self) && start.elapsed() < GONE_FOR {
            std::thread::sleep(AGAIN);
            // Before they are read: version control may finish in between.
            let mut ledgers = (0..self.sources.len()).map(|source| self.sources.ledger(source).path());
            let was_busy = ledgers.any(vcs::is_busy);
            if self.refresh()?.changed == 0 && !was_busy {
                break;
            }
        }
        Ok(())
    }
}

impl CheckoutLedger {
    /// The content of the file, if it is readable and has changed.
    fn reread(&mut self, ledger: &Ledger) -> Option<ReadLedger> {
        let is = fs::stat(&self.path).ok();
        if self.vanished.is_some_and(|then| then == is) {
            return None;
        }
        let known = !self.document.is_empty();
        let expectation = || if known { Expectation::Issues } else { expected(&self.path) };
        let mut read = ledger.refresh(&mut self.stamp, &self.document, expectation);
        // Wait until it is certainly gone: version control removes files for a moment, and writes them piece by piece.
        let start = Moment::now();
        while let Ok(Some(snapshot)) = &read
            && start.elapsed() < GONE_FOR
            && lacks(&snapshot.document, &self.document)
        {
            std::thread::sleep(AGAIN);
            let was_busy = vcs::is_busy(&self.path);
            let again = ledger.read(expectation);
            let is_settled = again.as_ref().is_ok_and(|again| again.document.bytes() == snapshot.document.bytes());
            read = again.map(Some);
            if is_settled && !was_busy {
                break;
            }
        }
        self.vanished = match &read {
            Err(LedgerError::Vanished { .. } | LedgerError::Missing { .. }) => Some(fs::stat(&self.path).ok()),
            _ => None,
        };
        read.ok().flatten().filter(|snapshot| snapshot.document.torn().is_none())
    }
}

/// An id of the earlier version is missing from the later one.
fn lacks(later: &Document, earlier: &Document) -> bool {
    let there: HashSet<_> = later.ids().collect();
    earlier.ids().any(|id| !there.contains(&id))
}

/// The effective copy of an issue among several, given in the order of the repos: the first that was not rejected, else
/// the first.
pub fn counting_copy(copies: &[&str]) -> Option<usize> {
    match copies {
        [] => None,
        [_] => Some(0),
        _ => Some(copies.iter().position(|line| !is_rejected(line)).unwrap_or(0)),
    }
}
