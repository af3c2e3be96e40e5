//! Reads a ledger while other programs rewrite it.
//!
//! git replaces a file by unlink, create and write, so a reader may find it absent, empty or half written. The reader
//! waits a short while, then reports the state; it never takes it for a ledger without issues. Readers take no lock and
//! open nothing for writing.

use std::path::Path;
use std::time::{Duration, Instant as Moment};

use super::document::{Document, MAX_LEDGER};
use super::{Ledger, LedgerError};
use crate::model::time::{Instant, SECOND};
use crate::sys::below;
use crate::sys::fs::{self, Contents, FileStamp, FsError, Granularity};
use crate::sys::log::Log;

/// How long a reader waits for a file that is being rewritten.
const PATIENCE: Duration = Duration::from_secs(2);
/// A torn file that was modified within this time may still be in the middle of a write.
const FRESH: i64 = 2 * SECOND;

/// The reasons to expect issues in a ledger that is absent or empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expectation {
    /// Nothing is known.
    Nothing,
    /// A program is rewriting the working copy: wait, then take it as it is.
    Rewriting,
    /// It should hold issues: wait, then refuse.
    Issues,
}

/// Identifies a read: the file's stamp, and the time of the read. Only the bytes decide whether two reads are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    pub file: FileStamp,
    pub read_at: Instant,
    granularity: Granularity,
}

impl Stamp {
    /// The stamp of a version that is in no file.
    pub fn of_the_past() -> Self {
        let never = Instant::from_nanos(0);
        let file = FileStamp { dev: 0, ino: 0, size: 0, mtime: never, ctime: never };
        Stamp { file, read_at: never, granularity: Granularity::Unreliable }
    }

    /// The stamp of a recorded read.
    pub fn noted(file: FileStamp, read_at: Instant, path: &Path) -> Self {
        Stamp { file, read_at, granularity: fs::granularity(path) }
    }

    /// Whether the file at the path is certainly the one that was read: same stamp, and old enough at the time of
    /// reading that a later write would have changed it.
    pub fn proves_unchanged(&self, now: &FileStamp) -> bool {
        self.file == *now && self.granularity.tells_later(now, self.read_at)
    }
}

/// A ledger as it was read.
#[derive(Debug, Clone)]
pub struct ReadLedger {
    pub document: Document,
    pub stamp: Stamp,
    pub(super) links: u64,
    pub(super) mode: u32,
}

impl Ledger {
    /// Reads the ledger. `expected` is called only if the file is absent or empty.
    pub fn read(&self, expected: impl Fn() -> Expectation) -> Result<ReadLedger, LedgerError> {
        self.settled(&expected)
    }

    /// The same, compiled once for all callers.
    fn settled(&self, expected: &dyn Fn() -> Expectation) -> Result<ReadLedger, LedgerError> {
        let start = Moment::now();
        let mut pause = Duration::from_millis(1);
        let mut known: Option<Expectation> = None;
        let mut expected = || *known.get_or_insert_with(expected);
        loop {
            let last_try = start.elapsed() >= PATIENCE;
            let found = match below::read(&self.root, self.inside(), MAX_LEDGER) {
                Ok(contents) => Some(contents),
                Err(error) if error.is_missing() => None,
                Err(error) => return Err(error.into()),
            };
            let path = || self.path().to_owned();
            match found {
                Some(contents) if !contents.stable => {
                    if last_try {
                        return Err(LedgerError::Unstable { path: path() });
                    }
                }
                Some(contents) if !contents.bytes.is_empty() => {
                    let age = fs::realtime().nanos().saturating_sub(contents.stamp.mtime.nanos());
                    let snapshot = self.snapshot(contents);
                    let being_written = age < FRESH && snapshot.document.torn().is_some();
                    if !being_written || last_try {
                        return Ok(snapshot);
                    }
                }
                absent_or_empty => match expected() {
                    Expectation::Issues | Expectation::Rewriting if !last_try => {}
                    Expectation::Issues => {
                        let what = if absent_or_empty.is_some() { "empty" } else { "missing" };
                        return Err(LedgerError::Vanished { path: path(), what });
                    }
                    _ => {
                        let found = absent_or_empty.map(|contents| self.snapshot(contents));
                        return found.ok_or_else(|| LedgerError::Missing { path: path() });
                    }
                },
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(50));
        }
    }

    /// Checks whether the ledger still is what was read; costs one `stat` if it is and was settled. `Ok(None)` means
    /// unchanged; if the bytes had to be compared, the stamp is updated.
    pub fn refresh(
        &self,
        stamp: &mut Stamp,
        known: &Document,
        expected: impl Fn() -> Expectation,
    ) -> Result<Option<ReadLedger>, LedgerError> {
        if fs::stat_link(self.path()).is_ok_and(|now| stamp.proves_unchanged(&now)) {
            return Ok(None);
        }
        let snapshot = self.read(expected)?;
        if snapshot.document.bytes() == known.bytes() {
            *stamp = snapshot.stamp;
            return Ok(None);
        }
        Ok(Some(snapshot))
    }

    /// Opens the ledger, and reads it as a whole only if that is needed.
    pub fn open(&self) -> Result<(Document, FileStamp), FsError> {
        let file = Log::below(&self.root, self.inside())?;
        let stamp = file.stamp();
        Ok((Document::unread(file), stamp))
    }

    /// The present bytes, without waiting.
    pub fn bytes_now(&self) -> Result<Vec<u8>, FsError> {
        Ok(below::read(&self.root, self.inside(), MAX_LEDGER)?.bytes)
    }

    fn snapshot(&self, contents: Contents) -> ReadLedger {
        let stamp =
            Stamp { file: contents.stamp, read_at: contents.read_at, granularity: fs::granularity(self.path()) };
        let (links, mode) = (contents.links, contents.mode);
        ReadLedger { document: Document::new(contents.bytes), stamp, links, mode }
    }
}
