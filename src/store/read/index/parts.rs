//! What the index is made of. What each part does is in the files beside this one.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::fact::Fact;
use super::followed::{Followed, Following};
use super::image::Label;
use crate::cache::{Cache, FileId, Key, UnknownIds};
use crate::ledger::{Damage, Document, Ledger, LedgerError, Stamp};
use crate::store::StoreError;
use crate::sys::Clock;
use crate::sys::fs::FileStamp;

#[derive(Debug)]
pub(super) struct Source {
    pub(super) ledger: Ledger,
    /// Which repo of the project it belongs to.
    pub(super) member: usize,
    /// The state home of its repository.
    pub(super) home: PathBuf,
    /// What it holds is of the past: the file is not looked at any more.
    pub(super) frozen: bool,
    /// What was missing from the file when it had this stamp.
    pub(super) watched: Mutex<Option<(FileStamp, Watched)>>,
}

impl Source {
    pub fn new(ledger: Ledger, member: usize, home: PathBuf) -> Self {
        Source { ledger, member, home, frozen: false, watched: Mutex::new(None) }
    }
}

/// Acknowledged writes that another program took out of a ledger, by their ids, or why that cannot be told.
pub(in crate::store) type Watched = std::result::Result<Vec<String>, String>;

/// All ledgers of the project; the first is the primary's.
#[derive(Debug)]
pub(in crate::store) struct Sources {
    pub(super) all: Vec<Source>,
    /// The names of each member's ledgers.
    pub(super) names: Vec<Vec<String>>,
    /// Ledgers that could not even be looked for.
    pub(super) refused: Vec<(usize, LedgerError)>,
    /// Where an image of the index may be kept.
    pub(super) image: Option<PathBuf>,
    /// An image may be loaded, but none is made.
    pub(super) leaves_no_image: bool,
    pub(super) unknown: UnknownIds,
    /// For the zone in which a date without a time of day is a day.
    pub(super) clock: Clock,
    pub(super) texts: Fact<Texts>,
    pub(super) index: Fact<Index>,
    /// The locks of some are held for several operations.
    pub(super) is_held: bool,
    /// Writes that the image has to follow still.
    pub(super) following: Mutex<Vec<Followed>>,
    /// The image begins to follow a write.
    pub(super) begun: Mutex<Option<Following>>,
}

/// All ledgers of a project.
#[derive(Debug)]
pub(super) struct Texts {
    pub all: Vec<Text>,
    /// The image that stands in the place of the ledgers: they are opened, and nobody has read them.
    pub image: Option<Label>,
    /// Its index, until somebody takes it.
    pub loaded: Mutex<Option<Index>>,
    /// How often a ledger was read, because it had changed.
    pub reads: u64,
    /// How many have changed since the snapshot before.
    pub changed: usize,
}

/// One ledger.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub read: Option<Read>,
    /// Why it could not be read the last time, and what it looked like then: it is tried again when it looks different.
    pub trouble: Option<(Option<FileStamp>, StoreError)>,
    /// The lock is held for several operations: what they plan is shown, and the file is not looked at until they are written.
    pub held: Option<Held>,
    /// What was shown may be in no file.
    pub stale: bool,
    /// The version that the earlier index is of.
    pub indexed: Mutex<Option<Document>>,
}

#[derive(Debug)]
pub(super) struct Read {
    pub document: Document,
    pub stamp: Stamp,
    /// Which read it was.
    pub version: u64,
}

/// What was planned for a ledger that is held.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Lines that the index has otherwise.
    pub(super) unindexed: Mutex<Vec<usize>>,
    pub(super) is_planned: bool,
}

/// What stands on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Row {
    Issue(Key),
    Damaged(Damage),
    Silent,
}

#[derive(Debug)]
pub(super) struct Index {
    pub cache: Mutex<Cache>,
    /// It lies in a file: which image it is, and the seed of its hashes. The rest is empty then, but for the copies of proposals.
    pub image: Option<(FileId, u64)>,
    /// For each ledger which read of it was indexed, and what stands on its lines.
    pub rows: Vec<Option<(u64, Vec<Row>)>>,
    pub keys: Keys,
    /// Ids that stand on several lines, with those lines (source, line).
    pub doubled: Vec<(String, Vec<(u32, u32)>)>,
    /// Some id may stand on several lines; the first load knows it cheaply, later ones ask the database.
    pub maybe_doubled: bool,
    /// There are rows among which copies of one id were not looked for yet.
    pub unsettled: bool,
    /// Open proposals of which several copies are here: a copy, and the one that counts.
    pub lent: Vec<(Key, Key)>,
    /// The same for accepted ones.
    pub accepted: Vec<(Key, Key)>,
    /// The days that rows of the image name, with when they begin and end here.
    pub days: BTreeSet<(String, i64, i64)>,
    /// How many lines were parsed for it.
    pub parsed: usize,
}

/// What is known of each key, by its number.
#[derive(Debug)]
pub(super) struct Keys {
    /// Where its line is: source and line.
    pub places: Vec<(u32, u32)>,
    /// The chunk of the image that the line is in.
    pub chunks: Vec<u32>,
    /// Rows that say something else in another zone.
    pub zoned: HashSet<Key>,
}

/// What a mutex keeps is right at any moment, also when somebody panicked.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
