//! Records in the state home: JSONL files that are read and written like a ledger, by the same code.
//!
//! A directory of the state home has one lock, the directory `lock` in it: not the directory itself, which the log of writes locks
//! while a ledger is locked already. Order: lock of the state home, then ledgers, then whatever else. A line that cannot be read
//! is kept; readers leave it out. Readers take no lock.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::directory::{fill, is_blank, prepare};
use super::home::StateHome;
use super::home::StateMode;
use super::log::carry_over;
use super::record_error::{LAYOUT, RecordError};
use crate::ledger::{Document, Edit, Expectation, Ledger, LedgerError, OnDisk, Outcome};
use crate::model::json::{Dialect, Object};
use crate::model::lease::Owner;
use crate::model::record::Record;
use crate::sys;
use crate::sys::fs::FsError;
use crate::sys::lock::DirLock;
use crate::sys::{Entropy, below, fs, lock, path};

/// Says which layout the files have; a newer one is left alone.
const VERSION_NAME: &str = "version";
const LOCK_NAME: &str = "lock";
/// In the file that tells the layout: above which number claims begin.
const FLOOR_KEY: &str = "claims_above";
/// Says that everything is in another state home.
const MOVED_NAME: &str = "moved";

/// A directory of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateDir {
    path: PathBuf,
    home: StateHome,
}

/// Holds the lock of a directory of records.
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

    /// A directory inside of it.
    pub fn inside(&self, name: impl AsRef<Path>) -> Self {
        StateDir { path: self.path.join(name), home: self.home.clone() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn home(&self) -> &StateHome {
        &self.home
    }

    /// Somebody has kept records here.
    pub fn exists(&self) -> bool {
        self.path.is_dir()
    }

    /// Makes the directory if it is not there, and takes its lock.
    pub fn lock(&self, wait: Duration) -> Result<StateLock, RecordError> {
        self.check()?;
        let place = self.path.join(LOCK_NAME);
        // A crash or a full disk may have left the version without its text.
        if !place.is_dir() || self.layout() != Some(LAYOUT) {
            self.prepare(wait)?;
        }
        let lock = self.lock_marked(wait)?;
        // It may have been moved while we waited.
        self.refuse_moved()?;
        Ok(lock)
    }

    /// The lock alone, for the one who moves.
    pub fn lock_marked(&self, wait: Duration) -> Result<StateLock, RecordError> {
        let lock = lock::lock(&self.path.join(LOCK_NAME), wait).map_err(LedgerError::from)?;
        Ok(StateLock { _lock: lock })
    }

    /// Refuses a state home that was left for another, or is just being left.
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

    /// Notes that this state home is being left for another; with `done`, that it was.
    pub fn mark_moved(&self, to: &Path, done: bool) -> Result<(), RecordError> {
        let mut object = Object::new().text("to", &to.display().to_string()).flag("done", done);
        if let Some(owner) = sys::owner(std::process::id()) {
            object = object.number("pid", owner.pid).text("boot", &owner.boot).text("start", &owner.start);
        }
        Ok(below::put(&self.home.path, MOVED_NAME, (object.finish() + "\n").as_bytes())?)
    }

    /// Takes that note away.
    pub fn mark_in_use(&self) -> Result<(), RecordError> {
        match below::remove(&self.home.path, MOVED_NAME) {
            Err(error) if !error.is_missing() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Refuses a state home of a later version, and one of a workspace that is out of reach.
    pub fn check(&self) -> Result<(), RecordError> {
        // A repository may have committed a link in the place of the directory.
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

    /// What the file says that tells the layout; an empty one says nothing.
    fn version(&self) -> Option<String> {
        let text = below::text(&self.home.path, VERSION_NAME).ok()??;
        let text = text.trim_matches(is_blank);
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The layout that the files have; `None` if nothing says so.
    fn layout(&self) -> Option<i64> {
        let text = self.version()?;
        Some(Record::parse(&text).ok().and_then(|record| record.integer("layout")).unwrap_or(LAYOUT))
    }

    /// An earlier version keeps records here.
    pub fn is_earlier(&self) -> bool {
        self.layout().is_some_and(|layout| layout < LAYOUT)
    }

    fn prepare(&self, wait: Duration) -> Result<(), RecordError> {
        prepare(&self.home.path)?;
        let inside = self.path.strip_prefix(&self.home.path).unwrap_or(Path::new(""));
        below::make(&self.home.path, inside.join(LOCK_NAME))?;
        // What cannot be carried over now is carried over later, and until then the layout is that of before.
        let is_carried = carry_over(&self.home.path, &Entropy::System).is_ok();
        if is_carried && self.is_earlier() {
            let home = StateDir::of(self.home.clone());
            below::make(&self.home.path, LOCK_NAME)?;
            let _held = home.lock_marked(wait)?;
            home.note("layout", LAYOUT)?;
        }
        if self.version().is_none() {
            // Several repos may use one that was named, or that is the user's.
            let shared = matches!(self.home.mode, StateMode::Named | StateMode::Global);
            let scope = if shared { "global" } else { "repo" };
            let text = format!("{{\"layout\":{LAYOUT},\"scope\":\"{scope}\"}}\n");
            fill(&self.home.path, VERSION_NAME, text.as_bytes(), &Entropy::System)?;
        }
        Ok(())
    }

    /// The number that claims begin above; `None` if nobody ever claimed anything here, as far as is known.
    pub(in crate::store) fn epoch_floor(&self) -> Option<i64> {
        Record::parse(&self.version()?).ok()?.integer(FLOOR_KEY)
    }

    /// Remembers it, apart from the claims: their file may be emptied.
    pub(in crate::store) fn note_epoch_floor(&self, epoch: i64) -> Result<(), RecordError> {
        self.note(FLOOR_KEY, epoch)
    }

    /// Puts a number into the file that tells the layout. The lock of the state home is held.
    fn note(&self, key: &'static str, number: i64) -> Result<(), RecordError> {
        let text = self.version().unwrap_or_default();
        let Ok(record) = Record::parse(&text) else { return Ok(()) };
        let line = record.with(&[(key, Some(number.to_string()))], Dialect::default());
        Ok(below::put(&self.home.path, VERSION_NAME, format!("{line}\n").as_bytes())?)
    }

    /// The records of several repos are in here, so an issue's id does not name it.
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

/// What to do with one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    /// A line under an id, in the place of the one that is there or as a new one.
    Line {
        id: String,
        text: String,
    },
    Gone {
        id: String,
    },
    /// Takes out a line that was put elsewhere.
    Out {
        line: usize,
    },
}

impl RecordFile {
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All of it as it is now; empty if it is not there.
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

    /// Puts records in their places, decided on what is there now; nothing is written if nothing changes.
    pub fn edit<E: From<RecordError>>(
        &self,
        _held: &StateLock,
        entropy: &Entropy,
        plan: impl FnMut(&Document) -> Result<Vec<Put>, E>,
    ) -> Result<Outcome, E> {
        self.edit_held(entropy, plan)
    }

    /// The same for who holds the lock and cannot show it.
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

    /// Ends the last line if it was cut off, so that what follows is not taken for a part of it. It stays as it is.
    fn complete(&self, entropy: &Entropy) -> Result<(), RecordError> {
        let snapshot = self.ledger()?.read(|| Expectation::Nothing)?;
        let (dir, name) = self.directory()?;
        let bytes = [snapshot.document.bytes(), b"\n"].concat();
        match dir.replace(&name, &bytes, &snapshot.stamp.file, entropy)? {
            fs::Replaced::Done => Ok(()),
            fs::Replaced::Foreign => Err(LedgerError::Unstable { path: self.path.clone() }.into()),
        }
    }

    fn ledger(&self) -> Result<Ledger, RecordError> {
        Ok(Ledger::at(&self.path, &self.home)?)
    }

    fn directory(&self) -> Result<(fs::Dir, String), FsError> {
        fs::Dir::root(&self.home)?.holding(self.path.strip_prefix(&self.home).unwrap_or(&self.path))
    }
}

/// Whose fault it was.
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
