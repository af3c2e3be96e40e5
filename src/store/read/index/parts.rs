//! The data structures of the index. The files beside this one implement them.

use std::collections::HashSet;
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
    /// The repo of the project it belongs to.
    pub(super) member: usize,
    /// The state home of its repository.
    pub(super) home: PathBuf,
    /// It has a version of the past: the file is not checked any more.
    pub(super) frozen: bool,
    /// What was missing from the file with this stamp.
    pub(super) watched: Mutex<Option<(FileStamp, Watched)>>,
}

impl Source {
    pub(super) fn new(ledger: Ledger, member: usize, home: PathBuf) -> Self {
        Source { ledger, member, home, frozen: false, watched: Mutex::new(None) }
    }
}

/// Ids of acknowledged writes that another program removed from a ledger, or why that is unknown.
pub(in crate::store) type Watched = std::result::Result<Vec<String>, String>;

/// All ledgers of the project; the first is the primary's.
#[derive(Debug)]
pub(in crate::store) struct Sources {
    pub(super) all: Vec<Source>,
    /// The names of each member's ledgers.
    pub(super) names: Vec<Vec<String>>,
    /// Ledgers that could not even be checked.
    pub(super) refused: Vec<(usize, LedgerError)>,
    /// Where to keep an image of the index.
    pub(super) image: Option<PathBuf>,
    /// An image may be loaded, but none is made.
    pub(super) leaves_no_image: bool,
    pub(super) unknown: UnknownIds,
    /// Provides the time zone for dates without a time of day.
    pub(super) clock: Clock,
    pub(super) texts: Fact<Texts>,
    pub(super) index: Fact<Index>,
    /// Some are locked for several operations.
    pub(super) is_held: bool,
    /// Writes not in the image yet.
    pub(super) following: Mutex<Vec<Followed>>,
    /// The update of the image for a write in progress.
    pub(super) image_update: Mutex<Option<Following>>,
}

/// The contents of all ledgers of a project.
#[derive(Debug)]
pub(super) struct Texts {
    pub all: Vec<Text>,
    /// The image queried instead of the ledgers, which are open but unread.
    pub image: Option<Label>,
    /// The image's index, until it is taken.
    pub loaded: Mutex<Option<Index>>,
    /// How often a changed ledger was read.
    pub reads: u64,
    /// How many have changed since the previous snapshot.
    pub changed: usize,
}

/// The content of one ledger.
#[derive(Debug, Default)]
pub(super) struct Text {
    pub read: Option<Read>,
    /// Why the last read failed, and the stamp then: it is repeated when the stamp differs.
    pub trouble: Option<(Option<FileStamp>, StoreError)>,
    /// Set while it is locked for several operations: their plans are visible, and the file is not checked until they
    /// are written.
    pub held: Option<Held>,
    /// The content may not be in any file.
    pub stale: bool,
    /// The version in the earlier index.
    pub indexed: Mutex<Option<Document>>,
}

#[derive(Debug)]
pub(super) struct Read {
    pub document: Document,
    pub stamp: Stamp,
    /// The number of the read.
    pub version: u64,
}

/// Edits planned for a held ledger.
#[derive(Debug, Default)]
pub(super) struct Held {
    /// Lines not in the index yet.
    pub(super) unindexed: Mutex<Vec<usize>>,
    pub(super) is_planned: bool,
}

/// The content of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Row {
    Issue(Key),
    Damaged(Damage),
    Silent,
}

#[derive(Debug)]
pub(super) struct Index {
    pub cache: Mutex<Cache>,
    /// Set if it is in a file: the image's identity, and the seed of its hashes. The rest is then empty, except for
    /// copies of proposals.
    pub image: Option<(FileId, u64)>,
    /// For each ledger, the number of the indexed read, and the content of its lines.
    pub rows: Vec<Option<(u64, Vec<Row>)>>,
    pub keys: Keys,
    /// Ids on several lines, with those lines (source, line).
    pub doubled: Vec<(String, Vec<(u32, u32)>)>,
    /// There are new rows not yet checked for copies.
    pub unsettled: bool,
    /// Open proposals with several copies here: a copy, and the effective one.
    pub proposed_copies: Vec<(Key, Key)>,
    /// The same for accepted ones.
    pub accepted: Vec<(Key, Key)>,
    /// How many lines were parsed for it.
    pub parsed: usize,
}

/// The data of each key, by its number.
#[derive(Debug)]
pub(super) struct Keys {
    /// Source and line of each key.
    pub places: Vec<(u32, u32)>,
    /// Rows that differ in another time zone.
    pub zoned: HashSet<Key>,
}

/// Locks a mutex. Its content is always consistent, even after a panic.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
