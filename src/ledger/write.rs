//! The only code that writes a ledger. It checks with the gate that no line is lost.

use std::cell::OnceCell;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::document::{Document, EMPTIED, MAX_LEDGER};
use super::edit::{Edit, LineChange, changes, render};
use super::gate::conserves;
use super::pieces::Pieces;
use super::read::{Expectation, ReadLedger, Stamp};
use super::{Ledger, LedgerError};
use crate::sys::Entropy;
use crate::sys::fs::{self, Dir, FileStamp, Placed};
use crate::sys::lock::{self, DirLock};

/// The prefix of files with text that the gate refused.
pub const REFUSED_PREFIX: &str = ".bd-refused-";

const OWNER_WRITES: u32 = 0o200;

/// How often a write is retried because another program was faster.
const MAX_TRIES: usize = 100;

/// The result of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The bytes would be the same; the file was not touched.
    Unchanged,
    Written,
}

/// A write that is about to be made.
#[derive(Debug)]
pub struct Planned<'d> {
    pub changes: Vec<LineChange>,
    /// The file that the edits were planned on.
    pub read: FileStamp,
    /// Whether lines are only changed, inserted or removed, and all others keep their order.
    pub in_order: bool,
    text: Pieces<'d>,
    document: OnceCell<Document>,
}

/// A completed write, for the caller's records.
#[derive(Debug)]
pub struct Applied<'d> {
    pub planned: Planned<'d>,
    /// The new file; `None` if another program has already changed or replaced it.
    pub left: Option<FileStamp>,
    pub file: LeftFile,
}

/// The file that a write put in place.
#[derive(Debug, Clone)]
pub struct LeftFile {
    path: PathBuf,
    placed: Placed,
}

impl LeftFile {
    /// Its stamp, if it is still as written. Taken in a later tick of the clock that stamps files, it is a proof.
    pub fn stamp(&self) -> Option<Stamp> {
        let at = fs::stamp_time();
        let now = fs::stat_link(&self.path).ok().filter(|now| self.placed.is_same(now))?;
        let read_at = if self.can_be_proven() { at } else { now.mtime };
        Some(Stamp::noted(now, read_at, &self.path))
    }

    /// The same after waiting for a tick in which it is a proof.
    pub fn settled_stamp(&self) -> Option<Stamp> {
        if self.can_be_proven() {
            fs::wait_for_tick(fs::stat_link(&self.path).ok()?.ctime);
        }
        self.stamp()
    }

    /// Whether its stamp would show any change: none can have happened in the tick of its write.
    pub fn can_be_proven(&self) -> bool {
        self.placed.tells_later(fs::granularity(&self.path))
    }
}

impl Planned<'_> {
    /// The ledger after the write.
    pub fn document(&self) -> &Document {
        self.document.get_or_init(|| self.text.joined())
    }

    /// The line of an issue after the write, if it has one.
    pub fn line_of(&self, id: &str) -> Option<usize> {
        self.text.line_of(id)
    }

    /// The bytes of the ledger after the write, in pieces.
    pub fn pieces(&self) -> Vec<&[u8]> {
        self.text.slices()
    }
}

/// A ledger whose lock is held. Dropping it releases the lock; nothing is written before [`LockedLedger::apply`].
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct LockedLedger {
    ledger: Ledger,
    held: Held,
    /// The file was replaced, and its name may not be on disk yet.
    unsynced: AtomicBool,
    /// The file that was replaced last. Freeing it takes time, so that happens after the lock is released.
    replaced: Mutex<Option<(Document, Option<OwnedFd>)>>,
}

/// When a write is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDisk {
    /// When [`LockedLedger::apply`] returns.
    Now,
    /// When [`LockedLedger::release`] returns: the next writer need not wait for that.
    AtRelease,
}

/// The lock that keeps other writers out.
#[derive(Debug)]
enum Held {
    /// The lock of the directory.
    Own(DirLock),
    /// A lock that the caller holds.
    Callers(Dir),
}

impl Held {
    fn dir(&self) -> &Dir {
        match self {
            Held::Own(lock) => lock.dir(),
            Held::Callers(dir) => dir,
        }
    }
}

impl Ledger {
    /// Takes the lock of the directory that holds this ledger.
    pub fn lock(&self, wait: Duration) -> Result<LockedLedger, LedgerError> {
        let lock = lock::lock(self.directory(), wait)?;
        lock.dir().remove_orphans()?;
        Ok(LockedLedger::of(self.clone(), Held::Own(lock)))
    }

    /// For files whose writers are kept apart by another lock, which the caller holds; `dir` is the directory of the file.
    pub fn within(&self, dir: Dir) -> LockedLedger {
        LockedLedger::of(self.clone(), Held::Callers(dir))
    }
}

impl LockedLedger {
    fn of(ledger: Ledger, held: Held) -> Self {
        LockedLedger { ledger, held, unsynced: AtomicBool::new(false), replaced: Mutex::default() }
    }

    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Releases the lock, and returns once all writes are on disk.
    pub fn release(self) -> Result<(), LedgerError> {
        let held = match self.held {
            Held::Own(lock) => Held::Callers(lock.release()),
            callers @ Held::Callers(_) => callers,
        };
        LockedLedger { held, ..self }.sync()
    }

    /// Returns once all writes are on disk.
    pub fn sync(&self) -> Result<(), LedgerError> {
        if self.unsynced.swap(false, Ordering::Relaxed) { Ok(self.held.dir().sync()?) } else { Ok(()) }
    }

    /// Reads the ledger, plans edits on it, and replaces the file. If another program changes the file between the read
    /// and the replacement, this is repeated on its version. While the lock is held, `begin` is called before a write,
    /// with the previous state, and `note` after it.
    pub fn apply<E: From<LedgerError>>(
        &self,
        on_disk: OnDisk,
        entropy: &Entropy,
        expected: impl Fn() -> Expectation,
        mut plan: impl FnMut(&Document) -> Result<Vec<Edit>, E>,
        mut begin: impl FnMut(&Planned<'_>, &Document),
        note: impl FnOnce(Applied<'_>),
    ) -> Result<Outcome, E> {
        let empty = Document::default();
        for _ in 0..MAX_TRIES {
            let snapshot = self.ledger.read(&expected).map_err(E::from)?;
            let edits = plan(&snapshot.document)?;
            if edits.is_empty() {
                return Ok(Outcome::Unchanged);
            }
            let document = if snapshot.document.bytes() == EMPTIED { &empty } else { &snapshot.document };
            let replaced = self.held.dir().hold(self.ledger.name());
            match self.replace(&snapshot, document, &edits, entropy, &mut begin).map_err(E::from)? {
                Some(None) => return Ok(Outcome::Unchanged),
                Some(Some(applied)) => {
                    match on_disk {
                        OnDisk::Now => self.held.dir().sync().map_err(|error| E::from(error.into()))?,
                        OnDisk::AtRelease => self.unsynced.store(true, Ordering::Relaxed),
                    }
                    note(applied);
                    *self.replaced.lock().unwrap_or_else(PoisonError::into_inner) = Some((snapshot.document, replaced));
                    return Ok(Outcome::Written);
                }
                None if !self.held.dir().is_current() => break,
                None => continue,
            }
        }
        Err(LedgerError::Unstable { path: self.ledger.path().to_owned() }.into())
    }

    /// `None` if another program was faster, `Some(None)` if nothing changes.
    fn replace<'d>(
        &self,
        snapshot: &ReadLedger,
        document: &'d Document,
        edits: &[Edit],
        entropy: &Entropy,
        begin: &mut dyn FnMut(&Planned<'_>, &Document),
    ) -> Result<Option<Option<Applied<'d>>>, LedgerError> {
        let keep = |refused: &[u8]| self.keep_refused(refused, entropy);
        let Some(text) = self.ledger.rendered(snapshot, document, edits, keep)? else { return Ok(Some(None)) };
        let read = snapshot.stamp.file;
        let in_order =
            edits.iter().all(|edit| matches!(edit, Edit::Set { .. } | Edit::Insert { .. } | Edit::Remove { .. }));
        let whole = OnceCell::new();
        let changes = changes(document, || whole.get_or_init(|| text.joined()), edits);
        let planned = Planned { changes, read, in_order, document: whole, text };
        begin(&planned, document);
        let pieces = if planned.text.len() == 0 { vec![EMPTIED] } else { planned.text.slices() };
        let Some(placed) = self.held.dir().replace_by(self.ledger.name(), &pieces, &read, entropy)? else {
            return Ok(None);
        };
        let file = LeftFile { path: self.ledger.path().to_owned(), placed };
        let left = fs::stat_link(&file.path).ok().filter(|now| placed.is_same(now));
        Ok(Some(Some(Applied { planned, left, file })))
    }

    fn keep_refused(&self, bytes: &[u8], entropy: &Entropy) -> Option<PathBuf> {
        let name = format!("{REFUSED_PREFIX}{}", &blake3::hash(bytes).to_hex()[..12]);
        // An existing file of that name has the same bytes: its name is their hash.
        self.held.dir().create(&name, bytes, entropy).ok()?;
        Some(self.held.dir().path().join(name))
    }
}

impl Ledger {
    /// Does everything for a write except replacing the file.
    pub fn rehearse(&self, snapshot: &ReadLedger, edits: &[Edit]) -> Result<(), LedgerError> {
        let empty = Document::new(Vec::new());
        let document = if snapshot.document.bytes() == EMPTIED { &empty } else { &snapshot.document };
        if edits.is_empty() { Ok(()) } else { self.rendered(snapshot, document, edits, |_| None).map(drop) }
    }

    /// The file after the edits, if it may be replaced by that; `None` if nothing would change. A text that the gate
    /// refuses is passed to `keep`.
    fn rendered<'d>(
        &self,
        snapshot: &ReadLedger,
        document: &'d Document,
        edits: &[Edit],
        keep: impl FnOnce(&[u8]) -> Option<PathBuf>,
    ) -> Result<Option<Pieces<'d>>, LedgerError> {
        let path = || self.path().to_owned();
        self.refuse(document, edits)?;
        if snapshot.links > 1 {
            return Err(LedgerError::HardLinks { path: path(), links: snapshot.links });
        }
        // The directory's permissions would allow it; but the file was made read-only on purpose.
        if snapshot.mode & OWNER_WRITES == 0 {
            return Err(LedgerError::WriteProtected { path: path() });
        }
        let new = render(document, edits);
        if new.len() > MAX_LEDGER {
            return Err(LedgerError::TooLarge { path: path() });
        }
        if new.is_unchanged() {
            return Ok(None);
        }
        match conserves(document, &new, edits) {
            Ok(()) => Ok(Some(new)),
            Err(what) => Err(LedgerError::Gate { path: path(), what, kept: keep(new.joined().bytes()) }),
        }
    }

    /// Refuses edits that damage forbids. A torn file accepts only a repair. In a file with conflict markers only
    /// issues outside of them can be changed: such a line stays whichever side is chosen later.
    pub fn refuse(&self, document: &Document, edits: &[Edit]) -> Result<(), LedgerError> {
        let path = || self.path().to_owned();
        let repairs = |n: usize| edits.contains(&Edit::Remove { line: n });
        if let Some((n, damage)) = document.torn().filter(|(n, _)| !repairs(*n)) {
            return Err(LedgerError::Torn { path: path(), line: n + 1, reason: damage.to_string() });
        }
        for region in document.conflicts() {
            let refused = |what| Err(LedgerError::Conflicted { path: path(), line: region.start + 1, what });
            for edit in edits {
                match edit {
                    Edit::Set { line, .. } if region.contains(line) => return refused("this issue is in conflict"),
                    Edit::Insert { .. } => return refused("no issue can be added"),
                    Edit::Sort | Edit::Normalise => return refused("the file cannot be put in order"),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
