//! Writing the journal: an append per write, and now and then the whole file anew with what is still of use.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::entry::Entry;
use super::error::JournalError;
use super::{Account, Fold, Journal, MOST, TAIL, stamped};
use crate::ledger::Applied;
use crate::model::time::Instant;
use crate::store::home_dir::prepare;
use crate::store::names::JOURNAL_NAME;
use crate::sys::fs::{FileStamp, FsError};
use crate::sys::lock::{DirLock, LockError};
use crate::sys::log::Log;
use crate::sys::{Entropy, fs, lock};
use crate::vcs::Reach;

/// From this size on the journal is made smaller, when it has doubled since it was the last time.
const LARGE: u64 = 256 << 10;
/// How long a write waits for others that append. The write itself is on disk by then.
const PATIENCE: Duration = Duration::from_secs(5);
/// The first line of a journal that was made anew: how large it was then.
const HEADER: &str = "{\"folded\":";

/// Which entries to forget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Those of this ledger.
    Own,
    /// Those of checkouts that are gone.
    Gone,
}

impl Journal<'_> {
    /// Notes a write. Tells what is missing from the ledger that it left.
    pub fn append(
        &self,
        applied: &Applied,
        actor: &str,
        now: Instant,
        entropy: &Entropy,
    ) -> Result<Account, JournalError> {
        let lock = self.lock()?;
        let mut log = Log::open_to_append(&self.path())?;
        let tail = log.tail(TAIL)?;
        let mut lines = self.lines(applied, actor, now);
        let mut account = Account::default();
        if !self.is_proof(&tail, &applied.read) {
            // Another program has touched the file, or this is the first write.
            let mut bytes = log.whole(MOST)?;
            end_line(&mut bytes);
            lines.iter().for_each(|line| bytes.extend_from_slice(line.render().as_bytes()));
            account = self.compare(&bytes, &applied.document);
        }
        if let (Some(last), Some(left), []) = (lines.last_mut(), &applied.left, account.missing.as_slice()) {
            last.stamp = stamped(left);
        }
        let mut bytes = Vec::new();
        if tail.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        lines.iter().for_each(|line| bytes.extend_from_slice(line.render().as_bytes()));
        log.append(&bytes)?;
        if is_due(&log)? {
            drop(log);
            self.prune_locked(lock.as_ref(), entropy, true)?;
        }
        Ok(account)
    }

    /// Drops what a remote has, and then joins what is left. Does nothing where there is no journal.
    pub fn prune(&self, entropy: &Entropy) -> Result<(), JournalError> {
        if Log::open(&self.path())?.is_none() {
            return Ok(());
        }
        let lock = self.lock()?;
        Ok(self.prune_locked(lock.as_ref(), entropy, false)?)
    }

    /// With `join` the journal is made anew even if there is nothing to drop.
    fn prune_locked(&self, lock: Option<&DirLock>, entropy: &Entropy, join: bool) -> Result<(), FsError> {
        self.remake(lock, entropy, None, |ledger, fold| {
            // The history is that of all checkouts: a checkout that is gone is looked for in this one.
            let file = Path::new(ledger);
            let file = if file.parent().is_some_and(Path::is_dir) { file } else { self.ledger };
            self.leave_out(fold, file, Reach::Remote, |_| true) || join
        })
    }

    /// Forgets all that is known of some issues. With a stamp, nothing else is missing from the file that has it.
    pub fn forget(
        &self,
        ids: &HashSet<String>,
        whose: Whose,
        stamp: Option<&FileStamp>,
        entropy: &Entropy,
    ) -> Result<(), JournalError> {
        let lock = self.lock()?;
        let key = self.key();
        let stamp = stamp.map(|stamp| Entry { ledger: key.clone(), stamp: stamped(stamp), ..Entry::default() });
        Ok(self.remake(lock.as_ref(), entropy, stamp, |ledger, fold| {
            let is_meant = match whose {
                Whose::Own => ledger == key,
                Whose::Gone => !Path::new(ledger).exists(),
            };
            if is_meant {
                fold.issues.retain(|id, _| !ids.contains(id));
            }
            true
        })?)
    }

    /// What was written in checkouts that are gone and is in no commit: the file it was in, and the issues.
    pub fn of_gone_checkouts(&self) -> Result<Vec<(PathBuf, Fold)>, FsError> {
        let Some(log) = Log::open(&self.path())? else { return Ok(Vec::new()) };
        let key = self.key();
        let mut gone = Vec::new();
        for (ledger, (mut fold, _)) in self.by_ledger(&log.whole(MOST)?).0 {
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

    /// Writes the journal anew from what it says, after a change to that, if the change says that there is a need.
    fn remake(
        &self,
        lock: Option<&DirLock>,
        entropy: &Entropy,
        stamp: Option<Entry>,
        change: impl Fn(&str, &mut Fold) -> bool,
    ) -> Result<(), FsError> {
        let Some(log) = Log::open(&self.path())? else { return Ok(()) };
        let (folds, stamps) = self.by_ledger(&log.whole(MOST)?);
        let (mut body, mut is_needed) = (String::new(), false);
        for (ledger, (mut fold, checkout)) in folds {
            is_needed |= change(&ledger, &mut fold);
            let entries = fold.entries(&ledger, checkout.as_deref());
            entries.iter().for_each(|entry| body.push_str(&entry.render()));
        }
        if !is_needed {
            return Ok(());
        }
        // The stamp of this ledger comes last.
        let own = stamp.as_ref().map(|stamp| stamp.ledger.clone());
        let kept = stamps.into_values().filter(|entry| Some(&entry.ledger) != own.as_ref()).chain(stamp);
        kept.for_each(|entry| body.push_str(&entry.render()));
        let text = format!("{HEADER}{}}}\n{body}", body.len());
        let opened;
        let dir = match lock {
            Some(lock) => lock.dir(),
            None => {
                opened = fs::Dir::root(self.home)?;
                &opened
            }
        };
        // Only under the lock does anybody write here: what another program did to the file is left alone.
        let _ = dir.replace(JOURNAL_NAME, text.as_bytes(), &log.stamp(), entropy)?;
        Ok(())
    }

    /// What each ledger's entries come to with the mark of its checkout, and the last stamp of each.
    fn by_ledger(&self, bytes: &[u8]) -> (BTreeMap<String, Folded>, BTreeMap<String, Entry>) {
        let mut all: BTreeMap<String, (Vec<Entry>, Option<String>)> = BTreeMap::new();
        let mut stamps = BTreeMap::new();
        for entry in self.entries(bytes) {
            if let Some(stamp) = &entry.stamp {
                let (ledger, stamp) = (entry.ledger.clone(), Some(stamp.clone()));
                stamps.insert(ledger.clone(), Entry { ledger, stamp, ..Entry::default() });
            }
            let (entries, checkout) = all.entry(entry.ledger.clone()).or_default();
            *checkout = entry.checkout.clone().or(checkout.take());
            entries.push(entry);
        }
        let fold = |(ledger, (entries, checkout)): (String, (Vec<Entry>, Option<String>))| {
            (ledger, (Fold::of(entries), checkout))
        };
        (all.into_iter().map(fold).collect(), stamps)
    }

    /// The lock of the state home, which is made if it is not there. It is the ledger's own lock where both share a directory.
    fn lock(&self) -> Result<Option<DirLock>, JournalError> {
        if self.ledger.parent().is_some_and(|directory| super::place::real(directory) == super::place::real(self.home))
        {
            return Ok(None);
        }
        match lock::lock(self.home, PATIENCE) {
            Err(LockError::Open(error)) if error.is_missing() => {
                prepare(self.home)?;
                Ok(Some(lock::lock(self.home, PATIENCE)?))
            }
            other => Ok(Some(other?)),
        }
    }
}

/// What the entries of a ledger come to, and the mark of its checkout.
type Folded = (Fold, Option<String>);

fn end_line(bytes: &mut Vec<u8>) {
    if bytes.last().is_some_and(|last| *last != b'\n') {
        bytes.push(b'\n');
    }
}

/// The journal is large, and twice as large as when it was last made anew.
fn is_due(log: &Log) -> Result<bool, FsError> {
    let size = log.stamp().size;
    if size < LARGE {
        return Ok(false);
    }
    let head = log.read(0, 64)?;
    let head = String::from_utf8_lossy(&head);
    let folded = head.strip_prefix(HEADER).and_then(|rest| rest.split('}').next()?.parse::<u64>().ok());
    Ok(size > folded.unwrap_or_default().saturating_mul(2))
}
