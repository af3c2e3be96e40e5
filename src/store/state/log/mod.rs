//! The log of acknowledged writes: for undoing them, and for finding them again when another program removes them from
//! a ledger or drops the commit that had them.
//!
//! Owns `<state home>/writes.jsonl`, one for all checkouts of a repository: one line for each ledger that a write
//! changed, in the state home of that ledger's repo, with the lines before and after. It has two readers. `bd undo`
//! takes the newest writes of one actor, whatever happened to them. `bd recover`, and every reader of a ledger, checks
//! for changes that the ledger lacks; a change in a commit of some branch is not missing, and one on a remote is
//! forgotten. [`retain`] decides what is kept. Lines have the mark of their checkout, so they still belong to it after
//! it was moved.
//!
//! A line is appended after the ledger is on disk and before the write is acknowledged, under the ledger's lock and
//! then that of the state home's directory, never the other way round. It has the stamp of the file that the write
//! left, but only if nothing in the log was missing from that file. So a reader that finds its ledger's stamp near the
//! end of the log need not look further. Readers take no lock and write nothing. Nothing is synced: the log guards
//! against other programs; the ledger itself covers a loss of power. If the log cannot be written, the write does not
//! fail.

mod entry;
mod file;
mod fold;
mod retain;

pub(crate) use entry::{Entry, SettingsChange, Stays};
pub(crate) use file::{Contents, Line, carry_over, woven};
pub(crate) use fold::{Fold, Held, Missing};
pub(crate) use retain::Lost;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::checkout_id::Noted;
use super::home::Outboxes;
use super::outbox;
use crate::ledger::{Applied, LedgerError};
use crate::model::time::Instant;
use crate::store::file_names::{WRITES_NAME, is_renamed_ledger};
use crate::sys::Host;
use crate::sys::fs::{FileStamp, FsError, Granularity, granularity};
use crate::sys::lock::DirLock;
use crate::sys::log::Log;
use crate::vcs::{self, DatedLine, Reach};
use entry::{holds_stamp, stamp_text};

/// How much of the end to search for a stamp: many writes of other checkouts.
const TAIL: u64 = 64 << 10;

/// The log from the view of one ledger.
#[derive(Debug)]
pub(crate) struct WriteLog<'a> {
    pub home: &'a Path,
    /// Where it may wait, if the state home cannot be written.
    pub outboxes: Outboxes,
    pub ledger: &'a Path,
    pub host: &'a Host,
}

/// The log's knowledge of one ledger.
#[derive(Debug, Default)]
struct Known {
    fold: Fold,
    /// The mark of its checkout.
    checkout: Option<String>,
    /// The last stamp.
    stamp: Option<String>,
}

impl Known {
    /// A line for `bd recover` about this ledger.
    fn note(&self, ledger: String) -> Entry {
        Entry { ledger, ledger_checkout: self.checkout.clone(), ..Entry::default() }
    }
}

impl WriteLog<'_> {
    /// The name of this ledger in entries.
    fn key(&self) -> String {
        self.ledger.display().to_string()
    }

    /// The acknowledged writes that a document lacks. Reads only the end of the log if no other program has touched the
    /// ledger since the last write.
    pub(crate) fn missing(&self, held: &dyn Held, stamp: &FileStamp) -> Result<Vec<Missing>, FsError> {
        if let Some(log) = Log::open(&self.home.join(WRITES_NAME))? {
            let is_near = self.is_proof(&log.tail(TAIL)?, stamp);
            if is_near || log.stamp().size > TAIL && self.is_proof(&log.whole(file::MAX_SIZE)?, stamp) {
                return Ok(Vec::new());
            }
        }
        self.all_missing(held)
    }

    /// The same without checking the stamp.
    pub(crate) fn all_missing(&self, held: &dyn Held) -> Result<Vec<Missing>, FsError> {
        Ok(self.compare(self.entries()?, held))
    }

    /// These lines show that nothing was missing from the file with this stamp.
    fn is_proof(&self, lines: &[u8], stamp: &FileStamp) -> bool {
        holds_stamp(lines, stamp) && granularity(self.ledger) != Granularity::Unreliable
    }

    fn compare(&self, entries: Vec<Entry>, held: &dyn Held) -> Vec<Missing> {
        let key = self.key();
        let mut fold = Fold::default();
        entries.iter().filter(|entry| entry.ledger == key).for_each(|entry| fold.take(entry));
        let missing = fold.missing(held);
        if missing.is_empty() {
            return missing;
        }
        let lost: HashSet<&String> = missing.iter().flat_map(|missing| &missing.after).collect();
        let elsewhere = self.leave_out(&mut fold, self.ledger, Reach::Any, |after| lost.contains(after));
        if elsewhere.is_empty() { missing } else { fold.missing(held) }
    }

    /// Of the given lines, removes those in a commit, and returns them.
    fn leave_out(
        &self,
        fold: &mut Fold,
        ledger: &Path,
        reach: Reach,
        is_wanted: impl Fn(&String) -> bool,
    ) -> HashSet<String> {
        let stretches = fold.issues.values().flatten().filter(|stretch| is_wanted(&stretch.after));
        // An unreadable time counts as long ago.
        let since = |at: &str| Instant::parse(at).unwrap_or(Instant::from_nanos(0));
        let lines: Vec<(String, Instant)> =
            stretches.map(|stretch| (stretch.after.clone(), since(&stretch.at))).collect();
        let wanted: Vec<DatedLine<'_>> = lines.iter().map(|(text, since)| DatedLine { text, since: *since }).collect();
        let found = vcs::committed_lines(ledger, &wanted, reach, &self.host.env);
        let found: HashSet<String> =
            lines.into_iter().zip(found).filter(|(_, held)| *held).map(|((line, _), _)| line).collect();
        fold.retain(|after| !found.contains(after));
        found
    }

    /// Everything in the log that `bd recover` has not forgotten.
    fn entries(&self) -> Result<Vec<Entry>, FsError> {
        Ok(self.followed(Contents::read_to_recover(self.home, &self.outboxes)?.into_entries().collect()))
    }

    /// Entries made at another path, before this checkout was moved or the ledger renamed, count for this ledger.
    fn followed(&self, mut entries: Vec<Entry>) -> Vec<Entry> {
        let now = self.ledger;
        let own = Noted::of(now, self.home);
        let mut moved: HashMap<(String, bool), bool> = HashMap::new();
        for entry in &mut entries {
            let own = own.as_ref().filter(|own| entry.ledger_checkout.as_ref() == Some(&own.mark));
            let is_moved = |then: &str| {
                let then = Path::new(then);
                is_renamed_ledger(then, now) || own.is_some_and(|own| own.former_root(then, now).is_some())
            };
            let key = (entry.ledger.clone(), own.is_some());
            if *moved.entry(key).or_insert_with(|| is_moved(&entry.ledger)) {
                entry.ledger = now.display().to_string();
            }
        }
        entries
    }

    fn by_ledger(&self, entries: Vec<Entry>) -> BTreeMap<String, Known> {
        let mut all: BTreeMap<String, Known> = BTreeMap::new();
        for entry in entries {
            let known = all.entry(entry.ledger.clone()).or_default();
            known.fold.take(&entry);
            known.checkout = entry.ledger_checkout.or(known.checkout.take());
            known.stamp = entry.stamp.or(known.stamp.take());
        }
        all
    }

    /// Writes from deleted checkouts that are in no commit: their file, and the issues.
    pub(crate) fn of_gone_checkouts(&self) -> Result<Vec<(PathBuf, Fold)>, FsError> {
        let key = self.key();
        let mut gone = Vec::new();
        for (ledger, Known { mut fold, .. }) in self.by_ledger(self.entries()?) {
            let path = PathBuf::from(&ledger);
            if ledger == key || path.exists() || path.file_name() != self.ledger.file_name() {
                continue;
            }
            self.leave_out(&mut fold, self.ledger, Reach::Any, |_| true);
            if !fold.issues.is_empty() {
                gone.push((path, fold));
            }
        }
        Ok(gone)
    }

    /// Logs a write of this ledger. Returns what is missing from the resulting file.
    pub(crate) fn append(&self, mut entry: Entry, applied: &Applied<'_>) -> Result<Vec<Missing>, LedgerError> {
        let _lock = self.lock()?;
        let mut log = self.open()?;
        let mut missing = Vec::new();
        entry.ledger_checkout = Noted::of(self.ledger, self.home).map(|noted| noted.mark);
        if !self.is_proof(&log.tail(TAIL)?, &applied.planned.read) {
            // Another program has touched the file, or this is the first write.
            let mut entries = self.entries()?;
            entries.push(entry.clone());
            missing = self.compare(entries, applied.planned.document());
        }
        entry.stamp = applied.left.filter(|_| missing.is_empty()).as_ref().map(stamp_text);
        self.put(&mut log, &[entry])?;
        self.keep_small(&log)?;
        Ok(missing)
    }

    /// Adds a later result of an already logged write for `bd undo`.
    pub(crate) fn add(&self, entry: Entry) -> Result<(), LedgerError> {
        let _lock = self.lock()?;
        Ok(self.put(&mut self.open()?, &[entry])?)
    }

    /// Moves what waits in outboxes here.
    pub(crate) fn take_in(&self) -> Result<(), LedgerError> {
        if file::is_waiting(&self.outboxes) {
            file::carry_over(self.home, &self.outboxes, &self.host.entropy)?;
        }
        Ok(())
    }

    /// The log, opened for appending. The lock is held.
    fn open(&self) -> Result<Log, FsError> {
        let open = || {
            file::carry_over_held(self.home, &self.outboxes, &self.host.entropy)?;
            Log::open_to_append(&self.home.join(WRITES_NAME))
        };
        match (open(), self.outboxes.own()) {
            (Err(error), Some(outbox)) if error.is_forbidden() || error.is_missing() => {
                if !outbox::is_private(&outbox.join(WRITES_NAME)) {
                    return Err(error);
                }
                outbox::make(outbox, Path::new(""))?;
                Log::open_to_append(&outbox.join(WRITES_NAME))
            }
            (opened, _) => opened,
        }
    }

    fn put(&self, log: &mut Log, entries: &[Entry]) -> Result<(), FsError> {
        // Complete a line that was cut off.
        let gap = if log.tail(1)?.last().is_some_and(|last| *last != b'\n') { "\n" } else { "" };
        let lines: String = entries.iter().map(Entry::render).collect();
        log.append(format!("{gap}{lines}").as_bytes())
    }

    /// The lock of the log: the ledger's own lock if both are in one directory.
    fn lock(&self) -> Result<Option<DirLock>, LedgerError> {
        if self.ledger.parent() == Some(self.home) {
            return Ok(None);
        }
        match (file::lock(self.home), self.outboxes.own()) {
            // The state home does not exist yet and cannot be created.
            (Err(LedgerError::Fs(error)), Some(outbox)) if error.is_forbidden() => {
                outbox::make(outbox, Path::new(""))?;
                Ok(Some(file::lock(outbox)?))
            }
            (locked, _) => locked.map(Some),
        }
    }
}

/// The log names ledgers of other repos, or cannot be read and so might.
pub(crate) fn leads_elsewhere(home: &Path) -> bool {
    let leads = |entry: Entry| !entry.with.is_empty() || !entry.guests.is_empty();
    Contents::read(home, &[]).map_or(true, |contents| contents.into_entries().any(leads))
}
