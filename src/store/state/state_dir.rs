//! Directories of records: a state home, and those inside it.
//!
//! Each has one lock, the directory `lock` in it: not the directory itself, which the log of writes locks while a ledger
//! is already locked. Order: lock of the state home, then ledgers, then everything else.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::directory::{fill, is_blank, prepare};
use super::home::{Outboxes, StateHome, StateMode};
use super::log::carry_over;
use super::outbox;
use super::record_error::{LAYOUT, RecordError};
use super::records::{RecordFile, StateLock};
use crate::ledger::LedgerError;
use crate::model::json::{Dialect, Object};
use crate::model::lease::Owner;
use crate::model::record::Record;
use crate::store::file_names::KEYS_NAME;
use crate::sys::fs::FsError;
use crate::sys::log::Log;
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

impl StateDir {
    /// The state home itself.
    pub fn of(home: StateHome) -> Self {
        StateDir { path: home.path.clone(), home }
    }

    /// A directory inside it.
    pub fn inside(&self, name: impl AsRef<Path>) -> Self {
        StateDir { path: self.path.join(name), home: self.home.clone() }
    }

    /// The same with other places for what waits.
    pub(in crate::store) fn with_outboxes(self, outboxes: Outboxes) -> Self {
        StateDir { home: StateHome { outboxes, ..self.home }, ..self }
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

    /// Creates the directory if it is missing, and locks it. Takes in what waits in outboxes, if the directory can be
    /// written.
    pub fn lock(&self, wait: Duration) -> Result<StateLock, RecordError> {
        self.check()?;
        let place = self.path.join(LOCK_NAME);
        // A crash or a full disk may have left an empty version file.
        let is_ready = place.is_dir() && self.layout() == Some(LAYOUT);
        let ready = if is_ready { self.try_to_write() } else { self.prepare(wait) };
        match ready {
            Err(error) if error.is_forbidden() => return self.lock_outside(wait, error),
            ready => ready?,
        }
        let lock = self.lock_marked(wait)?;
        // It may have been moved while we waited.
        self.refuse_moved()?;
        match self.take_in(&lock, wait) {
            // The outbox of a checkout that we may only read: its rows count, and ours go on top of them.
            Err(error) if error.is_forbidden() => {
                Ok(StateLock { outbox: Some(self.own_outbox(error)?), lock: lock.lock })
            }
            taken => taken.map(|()| lock),
        }
    }

    /// Only the lock, for the process that moves it.
    pub fn lock_marked(&self, wait: Duration) -> Result<StateLock, RecordError> {
        let lock = lock::lock_in_turn(&self.path.join(LOCK_NAME), wait).map_err(LedgerError::from)?;
        Ok(StateLock { lock: Some(lock), outbox: None })
    }

    fn try_to_write(&self) -> Result<(), RecordError> {
        match self.home.outboxes.is_empty() {
            true => Ok(()),
            false => Ok(Log::open_to_append(&self.home.path.join(VERSION_NAME)).map(drop)?),
        }
    }

    /// The lock for a process that may only read the directory, and writes to the outbox of its checkout. While no
    /// state home exists, the directory that will hold it is locked.
    fn lock_outside(&self, wait: Duration, refused: RecordError) -> Result<StateLock, RecordError> {
        let outbox = self.own_outbox(refused.clone())?;
        let is_home = self.path == self.home.path;
        let place = self.path.join(LOCK_NAME);
        loop {
            // An earlier version would not see the outbox.
            if self.is_earlier() {
                return Err(refused);
            }
            let above = self.path.parent().filter(|_| is_home);
            // A request with a key comes from this checkout each time.
            let own = self.path.strip_prefix(&self.home.path).ok().filter(|inside| *inside == Path::new(KEYS_NAME));
            let own = own.map(|inside| outbox::make(&outbox, inside).map(|dir| dir.path().to_owned())).transpose()?;
            let locked = if place.is_dir() { Some(place.as_path()) } else { above.or(own.as_deref()) };
            let lock = locked.map(|locked| lock::lock_in_turn(locked, wait)).transpose().map_err(LedgerError::from)?;
            // Records of other kinds are only ever added here, so they need no lock.
            if locked == Some(place.as_path()) || !place.is_dir() {
                self.refuse_moved()?;
                return Ok(StateLock { lock, outbox: Some(outbox) });
            }
        }
    }

    /// The outbox of this checkout, made if necessary; the error if it cannot be used.
    fn own_outbox(&self, refused: RecordError) -> Result<PathBuf, RecordError> {
        let Some(outbox) = self.home.outboxes.own() else { return Err(refused) };
        // Others would not read what waits for the state home of another user. Several repos share a global one, and
        // whether they do is not known before it exists.
        let owned = below::nearest(&self.home.path);
        let is_own = fs::Dir::root(owned).is_ok_and(|dir| dir.is_own());
        if !is_own || self.home.mode == StateMode::Global && self.version().is_none() {
            return Err(refused);
        }
        match outbox::make(outbox, Path::new("")) {
            Err(error) if error.is_forbidden() => Err(refused),
            made => Ok(made.map(|_| outbox.to_owned())?),
        }
    }

    /// Something waits in an outbox.
    pub(in crate::store) fn is_any_waiting(&self) -> bool {
        !outbox::files(&self.home.outboxes).is_empty()
    }

    /// The outbox of this checkout, if this process cannot write the state home, as far as that can be told without
    /// writing.
    pub fn outbox_in_use(&self) -> Option<&Path> {
        let own = self.home.outboxes.own()?;
        let is_refused = self.exists() && path::is_read_only(&self.home.path);
        (is_refused || !outbox::files(&[own.to_owned()]).is_empty()).then_some(own)
    }

    /// Parts of outboxes that are not read, each with the reason.
    pub fn unread_outboxes(&self) -> Vec<(PathBuf, String)> {
        let all = self.home.outboxes.iter();
        let blocked = all.filter(|outbox| path::is_there(outbox) && below::names(outbox, "").is_err());
        let blocked = blocked.map(|outbox| (outbox.clone(), "it is not a directory that can be read".to_owned()));
        let files = outbox::files(&self.home.outboxes).into_iter();
        let files = files.flat_map(|(directory, name)| outbox::unread(&self.home.outboxes, &directory.join(name)));
        blocked.chain(files).collect()
    }

    /// Moves what waits in outboxes for files of this directory here; from the state home itself, for all.
    fn take_in(&self, held: &StateLock, wait: Duration) -> Result<(), RecordError> {
        let inside = self.inside_home();
        let waiting = outbox::files(&self.home.outboxes);
        for (directory, name) in waiting.iter().filter(|(directory, _)| directory == inside) {
            let file = StateDir::of(self.home.clone()).inside(directory).file(name);
            if file.may_wait() {
                file.take_in(held)?;
            }
        }
        let mut others: Vec<&Path> = waiting.iter().map(|(directory, _)| directory.as_path()).collect();
        others.retain(|directory| inside == Path::new("") && *directory != inside);
        others.dedup();
        for directory in others {
            // Locking it takes in what is in it.
            drop(StateDir::of(self.home.clone()).inside(directory).lock(wait)?);
        }
        Ok(())
    }

    fn inside_home(&self) -> &Path {
        self.path.strip_prefix(&self.home.path).unwrap_or(Path::new(""))
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
        let place = self.path.join(LOCK_NAME);
        let is_first = self.path == self.home.path && !self.home.outboxes.is_empty() && !place.is_dir();
        // Processes that may only read lock the directory above while the state home has no lock.
        let above = self.home.path.parent().filter(|above| is_first && above.is_dir());
        let first = above.map(|above| lock::lock(above, wait)).transpose().map_err(LedgerError::from)?;
        prepare(&self.home.path)?;
        below::make(&self.home.path, self.inside_home().join(LOCK_NAME))?;
        drop(first);
        // If migration fails now, it is repeated later, and the layout stays as it was.
        let is_carried = carry_over(&self.home.path, &self.home.outboxes, &Entropy::System).is_ok();
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
        RecordFile::new(self.path.join(name), &self.home)
    }
}
