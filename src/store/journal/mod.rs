//! The journal of acknowledged writes: what `bd` wrote and no remote has yet, so that it can be found again when another
//! program takes it out of the ledger, or gives up the commit that held it.
//!
//! A write that a commit of some branch holds is not missing; only one that a remote has is forgotten. The entries of a checkout
//! bear its mark, so they are still its own after it was moved.
//!
//! Owns `<state home>/journal.jsonl`, one for all checkouts of a repository. A write appends one line per issue, after the ledger
//! is on disk and before it is acknowledged, under the ledger's lock and then the state home's, never the other way round. The
//! last line of a write carries the stamp of the file it left, but only if nothing that the journal knows was missing from that
//! file. So a reader that finds the stamp of its ledger near the end of the journal need not look further. Readers take no lock
//! and write nothing. A journal that cannot be written does not fail the write; it is no source for anything but `bd recover`.

mod entry;
mod error;
mod fold;
mod keep;

pub use entry::Entry;
pub use error::JournalError;
pub use fold::{Fold, Missing};
pub use keep::Whose;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::checkout::Noted;
use super::names::{JOURNAL_NAME, became};
use super::place;
use crate::ledger::{Applied, Document};
use crate::model::time::Instant;
use crate::sys::Env;
use crate::sys::fs::{FileStamp, FsError, Granularity, granularity};
use crate::sys::log::Log;
use crate::vcs;
use crate::vcs::{Reach, Sought};
use entry::{holds_stamp, stamp_text};

/// A larger journal is not looked at.
const MOST: u64 = 256 << 20;
/// How much of the end is searched for a stamp: many writes of other checkouts.
const TAIL: u64 = 64 << 10;

/// The journal as one ledger sees it.
#[derive(Debug)]
pub struct Journal<'a> {
    pub home: &'a Path,
    pub ledger: &'a Path,
    pub env: &'a Env,
}

/// What became of the writes that the journal knows.
#[derive(Debug, Default)]
pub struct Account {
    pub missing: Vec<Missing>,
}

impl Journal<'_> {
    fn path(&self) -> PathBuf {
        self.home.join(JOURNAL_NAME)
    }

    /// How entries name this ledger.
    fn key(&self) -> String {
        place::real(self.ledger).display().to_string()
    }

    /// Looks whether everything that was acknowledged is in a document. Costs a look at the end of the journal if no other program
    /// has touched the ledger since the last write.
    pub fn account(&self, document: &Document, stamp: &FileStamp) -> Result<Account, FsError> {
        let Some(log) = Log::open(&self.path())? else { return Ok(Account::default()) };
        if self.is_proof(&log.tail(TAIL)?, stamp) {
            return Ok(Account::default());
        }
        Ok(self.compare(&log.whole(MOST)?, document))
    }

    /// The same without a look at the stamp.
    pub fn account_whole(&self, document: &Document) -> Result<Account, FsError> {
        match Log::open(&self.path())? {
            Some(log) => Ok(self.compare(&log.whole(MOST)?, document)),
            None => Ok(Account::default()),
        }
    }

    /// The end of the journal says that nothing was missing from the file with this stamp.
    fn is_proof(&self, tail: &[u8], stamp: &FileStamp) -> bool {
        holds_stamp(tail, stamp) && granularity(self.ledger) != Granularity::Unreliable
    }

    fn compare(&self, bytes: &[u8], document: &Document) -> Account {
        let key = self.key();
        let mut fold = Fold::of(self.entries(bytes).into_iter().filter(|entry| entry.ledger == key));
        let missing = fold.missing(document);
        if missing.is_empty() {
            return Account::default();
        }
        let lost: HashSet<&String> = missing.iter().flat_map(|missing| &missing.after).collect();
        let elsewhere = self.leave_out(&mut fold, self.ledger, Reach::Any, |after| lost.contains(after));
        Account { missing: if elsewhere { fold.missing(document) } else { missing } }
    }

    /// Leaves out what a commit holds, of the lines that are asked for. Tells whether there was something.
    fn leave_out(&self, fold: &mut Fold, ledger: &Path, reach: Reach, asked: impl Fn(&String) -> bool) -> bool {
        let stretches = fold.issues.values().flatten().filter(|stretch| asked(&stretch.after));
        // A time that cannot be read is long ago.
        let since = |at: &str| Instant::parse(at).unwrap_or(Instant::from_nanos(0));
        let lines: Vec<(String, Instant)> =
            stretches.map(|stretch| (stretch.after.clone(), since(&stretch.at))).collect();
        let sought: Vec<Sought<'_>> = lines.iter().map(|(text, since)| Sought { text, since: *since }).collect();
        let found = vcs::committed_lines(ledger, &sought, reach, self.env);
        let found: HashSet<&String> =
            lines.iter().zip(found).filter(|(_, held)| *held).map(|((line, _), _)| line).collect();
        for stretches in fold.issues.values_mut() {
            stretches.retain(|stretch| !found.contains(&stretch.after));
        }
        fold.issues.retain(|_, stretches| !stretches.is_empty());
        !found.is_empty()
    }

    /// The whole lines of a journal that can be read. What was noted at another path before this checkout was moved, or before the
    /// ledger got its other name, is noted for this ledger.
    fn entries(&self, bytes: &[u8]) -> Vec<Entry> {
        let whole = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        let mut all: Vec<Entry> = bytes[..whole].split(|byte| *byte == b'\n').filter_map(Entry::parse).collect();
        let now = place::real(self.ledger);
        let own = Noted::of(&now, self.home);
        let mut moved: HashMap<(String, bool), bool> = HashMap::new();
        for entry in &mut all {
            let own = own.as_ref().filter(|own| entry.checkout.as_ref() == Some(&own.mark));
            let is_moved = |then: &str| {
                let then = Path::new(then);
                became(then, &now) || own.is_some_and(|own| own.former_root(then, &now).is_some())
            };
            let key = (entry.ledger.clone(), own.is_some());
            if *moved.entry(key).or_insert_with(|| is_moved(&entry.ledger)) {
                entry.ledger = now.display().to_string();
            }
        }
        all
    }

    /// The entries of one write.
    fn lines(&self, applied: &Applied, actor: &str, now: Instant) -> Vec<Entry> {
        let (ledger, checkout) = (self.key(), Noted::of(&place::real(self.ledger), self.home).map(|noted| noted.mark));
        let change = |change: &crate::ledger::LineChange| Entry {
            ledger: ledger.clone(),
            checkout: checkout.clone(),
            at: now.to_string(),
            actor: actor.to_owned(),
            id: change.id.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
            stamp: None,
        };
        let mut entries: Vec<Entry> = applied.changes.iter().map(change).collect();
        if entries.is_empty() {
            // The order of the lines has changed and nothing else: there is still a new stamp.
            entries.push(Entry { ledger, ..Entry::default() });
        }
        entries
    }
}

fn stamped(stamp: &FileStamp) -> Option<String> {
    Some(stamp_text(stamp))
}
