//! Records in the state home: JSONL files, read and written like a ledger by the same code.
//!
//! A directory of the state home has one lock, the directory `lock` in it: not the directory itself, which the log of
//! writes locks while a ledger is already locked. Order: lock of the state home, then ledgers, then everything else.
//! Unreadable lines are kept, and skipped by readers. Readers take no lock.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::directory::{fill, is_blank, prepare};
use super::home::{StateHome, StateMode};
use super::log::carry_over;
use super::record_error::{LAYOUT, RecordError};
use crate::ledger::{Document, Edit, Expectation, Ledger, LedgerError, OnDisk, Outcome};
use crate::model::json::{Dialect, Object};
use crate::model::lease::Owner;
use crate::model::record::Record;
use crate::sys::fs::FsError;
use crate::sys::lock::DirLock;
use crate::sys::{self, Entropy, below, fs, lock, path};

/// Stores the layout of the files; a newer one is not touched.
const VERSION_NAME: &str = "version";
const LOCK_NAME: &str = "lock";
/// In the version file: claims start above this epoch.
const FLOOR_KEY: &str = "claims_above";
/// Says that everything was moved to another state home.
const MOVED_NAME: &str = "moved";

/// A directory of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDir {
    path: PathBuf,
    home: StateHome,
}

/// The lock of a directory of records.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct StateLock {
    _lock: DirLock,
}

impl StateDir {
    /// The state home itself.
    pub fn of(home: StateHome) -> Self {
        StateDir { path: home.path.clone(), home }
    }

    /// A directory inside it.
    pub fn inside(&self, name: impl AsRef<Path>) -> Self {
        StateDir { path: self.path.join(name), home: self.home.clone() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn home(&self) -> &StateHome {
        &self.home
    }

    /// Records were stored here.
    pub fn exists(&self) -> bool {
        self.path.is_dir()
    }

    /// Creates the directory if it is missing, and locks it.
    pub fn lock(&self, wait: Duration) -> Result<StateLock, RecordError> {
        self.check()?;
        let place = self.path.join(LOCK_NAME);
        // A crash or a full disk may have left an empty version file.
        if !place.is_dir() || self.layout() != Some(LAYOUT) {
            self.prepare(wait)?;
        }
        let lock = self.lock_marked(wait)?;
        // It may have been moved while we waited.
        self.refuse_moved()?;
        Ok(lock)
    }

    /// Only the lock, for the process that moves it.
    pub fn lock_marked(&self, wait: Duration) -> Result<StateLock, RecordError> {
        let lock = lock::lock_in_turn(&self.path.join(LOCK_NAME), wait).map_err(LedgerError::from)?;
        Ok(StateLock { _lock: lock })
    }

    /// Refuses a state home that was moved, or is being moved.
    fn refuse_moved(&self) -> Result<(), RecordError> {
        let Some(text) = below::text(&self.home.path, MOVED_NAME)? else { return Ok(()) };
        let Ok(record) = Record::parse(text.trim()) else { return Ok(()) };
        let to = record.string("to").map(|to| PathBuf::from(to.as_ref())).unwrap_or_default();
        let is_over = record.flag("done");
        let abandoned = || {
            let pid = record.integer("pid").and_then(|pid| u32::try_from(pid).ok());
            let (boot, start) = (record.string("boot"), record.string("start"));
            match (pid, boot, start) {
                (Some(pid), Some(boot), Some(start)) => {
                    let owner = Owner { boot: boot.into_owned(), pid: i64::from(pid), start: start.into_owned() };
                    pid == std::process::id() || sys::is_gone(&owner)
                }
                _ => true,
            }
        };
        if is_over || !abandoned() {
            return Err(RecordError::Moved { path: self.home.path.clone(), to });
        }
        Ok(())
    }

    /// Records that this state home is being moved; with `done`, that it was.
    pub fn mark_moved(&self, to: &Path, done: bool) -> Result<(), RecordError> {
        let mut object = Object::new().text("to", &to.display().to_string()).flag("done", done);
        if let Some(owner) = sys::owner(std::process::id()) {
            object = object.number("pid", owner.pid).text("boot", &owner.boot).text("start", &owner.start);
        }
        Ok(below::put(&self.home.path, MOVED_NAME, (object.finish() + "\n").as_bytes())?)
    }

    /// Removes that record.
    pub fn mark_in_use(&self) -> Result<(), RecordError> {
        match below::remove(&self.home.path, MOVED_NAME) {
            Err(error) if !error.is_missing() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Refuses a state home of a later version, and one of an unreachable workspace.
    pub fn check(&self) -> Result<(), RecordError> {
        // A repository may have committed a link instead of the directory.
        let below = self.path.ancestors().take_while(|path| path.starts_with(&self.home.path));
        let is_link = |path: &&Path| sys::path::look(path).is_ok_and(|data| data.file_type().is_symlink());
        let named = matches!(self.home.mode, StateMode::Named | StateMode::Global);
        if let Some(link) = below.filter(|path| !named || *path != self.home.path).find(is_link) {
            let odd = std::io::Error::other("it is a link, and state is not kept behind one");
            return Err(FsError::new("use", link, odd).into());
        }
        match self.layout() {
            Some(found) if found > LAYOUT => return Err(RecordError::Newer { path: self.home.path.clone(), found }),
            Some(_) => {}
            None if self.home.mode == StateMode::Workspace && !self.home.path.is_dir() => {
                let (path, reason) = (self.home.path.clone(), self.home.reason.clone());
                return Err(RecordError::Unreachable { path, reason });
            }
            None => {}
        }
        Ok(())
    }

    /// The content of the version file; `None` if it is empty.
    fn version(&self) -> Option<String> {
        let text = below::text(&self.home.path, VERSION_NAME).ok()??;
        let text = text.trim_matches(is_blank);
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The layout of the files; `None` if it is not recorded.
    fn layout(&self) -> Option<i64> {
        let text = self.version()?;
        Some(Record::parse(&text).ok().and_then(|record| record.integer("layout")).unwrap_or(LAYOUT))
    }

    /// An earlier version stored records here.
    pub fn is_earlier(&self) -> bool {
        self.layout().is_some_and(|layout| layout < LAYOUT)
    }

    fn prepare(&self, wait: Duration) -> Result<(), RecordError> {
        prepare(&self.home.path)?;
        let inside = self.path.strip_prefix(&self.home.path).unwrap_or(Path::new(""));
        below::make(&self.home.path, inside.join(LOCK_NAME))?;
        // If migration fails now, it is repeated later, and the layout stays as it was.
        let is_carried = carry_over(&self.home.path, &Entropy::System).is_ok();
        if is_carried && self.is_earlier() {
            let home = StateDir::of(self.home.clone());
            below::make(&self.home.path, LOCK_NAME)?;
            let _held = home.lock_marked(wait)?;
            home.note("layout", LAYOUT)?;
        }
        if self.version().is_none() {
            // Several repos may use a named home, or the user's.
            let shared = matches!(self.home.mode, StateMode::Named | StateMode::Global);
            let scope = if shared { "global" } else { "repo" };
            let text = format!("{{\"layout\":{LAYOUT},\"scope\":\"{scope}\"}}\n");
            fill(&self.home.path, VERSION_NAME, text.as_bytes(), &Entropy::System)?;
        }
        Ok(())
    }

    /// Claims start above this epoch; `None` if no claim was ever made here, as far as is known.
    pub(in crate::store) fn epoch_floor(&self) -> Option<i64> {
        Record::parse(&self.version()?).ok()?.integer(FLOOR_KEY)
    }

    /// Stores it apart from the claims, whose file may be emptied.
    pub(in crate::store) fn note_epoch_floor(&self, epoch: i64) -> Result<(), RecordError> {
        self.note(FLOOR_KEY, epoch)
    }

    /// Puts a number into the version file. The lock of the state home is held.
    fn note(&self, key: &'static str, number: i64) -> Result<(), RecordError> {
        let text = self.version().unwrap_or_default();
        let Ok(record) = Record::parse(&text) else { return Ok(()) };
        let line = record.with(&[(key, Some(number.to_string()))], Dialect::default());
        Ok(below::put(&self.home.path, VERSION_NAME, format!("{line}\n").as_bytes())?)
    }

    /// It has the records of several repos, so an issue's id is ambiguous.
    pub fn is_shared(&self) -> bool {
        let text = self.version().unwrap_or_default();
        Record::parse(&text).ok().and_then(|record| Some(record.string("scope")? == "global")).unwrap_or(false)
    }

    pub fn file(&self, name: &str) -> RecordFile {
        RecordFile { path: self.path.join(name), home: self.home.path.clone() }
    }
}

/// One file of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile {
    path: PathBuf,
    home: PathBuf,
}

/// A change of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    /// Replaces the line with an id, or adds one.
    Line { id: String, text: String },
    /// Removes the lines with an id.
    Gone { id: String },
    /// Removes a line that was stored elsewhere.
    Out { line: usize },
}

impl RecordFile {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its current content; empty if it is missing.
    pub fn read(&self) -> Result<Document, RecordError> {
        if path::is_missing(&self.path) {
            return Ok(Document::default());
        }
        match self.ledger()?.read(|| Expectation::Nothing) {
            Ok(snapshot) => Ok(snapshot.document),
            Err(LedgerError::Missing { .. }) => Ok(Document::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Changes records, based on the current content; writes nothing if nothing changes.
    pub fn edit<E: From<RecordError>>(
        &self,
        _held: &StateLock,
        entropy: &Entropy,
        plan: impl FnMut(&Document) -> Result<Vec<Put>, E>,
    ) -> Result<Outcome, E> {
        self.edit_held(entropy, plan)
    }

    /// The same for a caller that holds the lock but cannot pass it.
    pub fn edit_held<E: From<RecordError>>(
        &self,
        entropy: &Entropy,
        mut plan: impl FnMut(&Document) -> Result<Vec<Put>, E>,
    ) -> Result<Outcome, E> {
        let ledger = self.ledger().map_err(E::from)?;
        let (dir, name) = self.directory().map_err(|e| E::from(e.into()))?;
        if dir.regular_at(&name).map_err(|e| E::from(e.into()))?.is_none() {
            dir.create(&name, b"", entropy).map_err(|e| E::from(e.into()))?;
        }
        dir.remove_old_orphans().map_err(|e| E::from(e.into()))?;
        let locked = ledger.within(dir);
        let mut apply = || {
            locked.apply::<Failed<E>>(
                OnDisk::Now,
                entropy,
                || Expectation::Nothing,
                |document| Ok(edits(document, plan(document).map_err(Failed::Plan)?)),
                |_, _| {},
                |_| {},
            )
        };
        let outcome = match apply() {
            Err(Failed::Ledger(LedgerError::Torn { .. })) => {
                self.complete(entropy).map_err(E::from)?;
                apply()
            }
            outcome => outcome,
        };
        outcome.map_err(|failed| match failed {
            Failed::Plan(error) => error,
            Failed::Ledger(error) => E::from(error.into()),
        })
    }

    /// Ends a last line that was cut off, so that the next one is not appended to it. The line is kept.
    fn complete(&self, entropy: &Entropy) -> Result<(), RecordError> {
        let snapshot = self.ledger()?.read(|| Expectation::Nothing)?;
        let (dir, name) = self.directory()?;
        let bytes = [snapshot.document.bytes(), b"\n"].concat();
        match dir.put_after(&name, &bytes, Some(&snapshot.stamp.file), entropy)? {
            true => Ok(()),
            false => Err(LedgerError::Unstable { path: self.path.clone() }.into()),
        }
    }

    fn ledger(&self) -> Result<Ledger, RecordError> {
        Ok(Ledger::at(&self.path, &self.home)?)
    }

    fn directory(&self) -> Result<(fs::Dir, String), FsError> {
        fs::Dir::root(&self.home)?.holding(self.path.strip_prefix(&self.home).unwrap_or(&self.path))
    }
}

/// The source of an error.
enum Failed<E> {
    Plan(E),
    Ledger(LedgerError),
}

impl<E> From<LedgerError> for Failed<E> {
    fn from(error: LedgerError) -> Self {
        Failed::Ledger(error)
    }
}

fn edits(document: &Document, puts: Vec<Put>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let out: Vec<usize> =
        puts.iter().filter_map(|put| if let Put::Out { line } = put { Some(*line) } else { None }).collect();
    let place = |id: &str| {
        let stays = |line: &usize| !out.contains(line);
        document.effective(id).filter(stays).or_else(|| document.find(id).into_iter().rfind(stays))
    };
    for put in puts {
        match put {
            Put::Line { id, text } => match place(&id) {
                Some(line) if document.text(line) == text.as_bytes() => {}
                Some(line) => edits.push(Edit::Set { line, id, text }),
                None => edits.push(Edit::Insert { id, text }),
            },
            Put::Out { line } => edits.push(Edit::Remove { line }),
            Put::Gone { id } => edits.extend(document.find(&id).into_iter().map(|line| Edit::Remove { line })),
        }
    }
    edits
}
