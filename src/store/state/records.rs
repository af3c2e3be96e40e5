//! Records in the state home: JSONL files, read and written like a ledger by the same code.
//!
//! Unreadable lines are kept, and skipped by readers. Readers take no lock.

use std::path::{Path, PathBuf};

use super::home::{Outboxes, StateHome};
use super::outbox::{self, Waits};
use super::put::Put;
use super::record_error::RecordError;
use crate::ledger::{Document, Edit, Expectation, Ledger, LedgerError, OnDisk, Outcome};
use crate::sys::fs::{self, FsError};
use crate::sys::lock::{self, DirLock};
use crate::sys::{Entropy, path};

/// The lock of a directory of records.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct StateLock {
    pub(super) lock: Option<DirLock>,
    /// Where to write instead, if the state home cannot be written.
    pub(super) outbox: Option<PathBuf>,
}

impl StateLock {
    /// The state home cannot be written: rows go to the outbox of this checkout.
    pub(in crate::store) fn is_outside(&self) -> bool {
        self.outbox.is_some()
    }
}

/// One file of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordFile {
    path: PathBuf,
    home: PathBuf,
    outboxes: Outboxes,
}

impl RecordFile {
    /// The file at a path inside a state home.
    pub(super) fn new(path: PathBuf, home: &StateHome) -> Self {
        RecordFile { path, home: home.path.clone(), outboxes: home.outboxes.clone() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files with its records: itself, and those in outboxes. They may be missing.
    pub fn paths(&self) -> impl Iterator<Item = PathBuf> {
        let outboxes: &[PathBuf] = if self.may_wait() { &self.outboxes } else { &[] };
        std::iter::once(self.path.clone()).chain(outboxes.iter().map(|outbox| outbox.join(self.inside())))
    }

    pub fn exists(&self) -> bool {
        self.paths().any(|path| path.exists())
    }

    fn inside(&self) -> &Path {
        self.path.strip_prefix(&self.home).unwrap_or(&self.path)
    }

    /// Its records may be in an outbox.
    pub(super) fn may_wait(&self) -> bool {
        self.inside().iter().filter_map(|name| name.to_str()).any(outbox::may_wait)
    }

    fn waits(&self) -> Waits {
        if self.may_wait() { Waits::read(&self.outboxes, self.inside()) } else { Waits::default() }
    }

    /// The versions of it in outboxes that are not read, each with the reason.
    pub fn unread(&self) -> Vec<(PathBuf, String)> {
        if self.may_wait() { outbox::unread(&self.outboxes, self.inside()) } else { Vec::new() }
    }

    /// Its current content with what waits in outboxes; empty if there is none.
    pub fn read(&self) -> Result<Document, RecordError> {
        // Before the file itself: what is taken in meanwhile is then seen twice instead of never.
        let waits = self.waits();
        let own = self.read_here()?;
        let puts = waits.puts(&own);
        let now = if puts.is_empty() { own } else { own.edited(&edits(&own, puts)) };
        // Damaged lines count as if they were taken in already: a claim may be in one.
        let is_damaged = !waits.damaged().is_empty();
        Ok(if is_damaged { Document::new([now.bytes(), waits.damaged()].concat()) } else { now })
    }

    fn read_here(&self) -> Result<Document, RecordError> {
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
        held: &StateLock,
        entropy: &Entropy,
        plan: impl FnMut(&Document) -> Result<Vec<Put>, E>,
    ) -> Result<Outcome, E> {
        match &held.outbox {
            Some(outbox) => self.edit_outside(outbox, plan),
            None => self.edit_held(entropy, plan),
        }
    }

    /// The same in an outbox.
    fn edit_outside<E: From<RecordError>>(
        &self,
        outbox: &Path,
        mut plan: impl FnMut(&Document) -> Result<Vec<Put>, E>,
    ) -> Result<Outcome, E> {
        let readonly = || RecordError::ReadOnly { home: self.home.clone() };
        if !self.may_wait() {
            return Err(readonly().into());
        }
        let _lock = lock::lock(outbox, outbox::PATIENCE).map_err(|e| E::from(LedgerError::from(e).into()))?;
        let path = outbox.join(self.inside());
        if !outbox::is_private(&path) {
            return Err(RecordError::Tracked { path }.into());
        }
        let (waits, now) = (self.waits(), self.read()?);
        let puts = plan(&now)?;
        let changes = |put: &Put| match put {
            Put::Line { id, text } => now.effective_line(id).as_ref() != Some(text),
            Put::Gone { id } => now.has_id(id),
            Put::Out { .. } => true,
        };
        let puts: Vec<Put> = puts.into_iter().filter(changes).collect();
        if puts.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        let lines = waits.lines(&now, &puts).ok_or_else(readonly)?;
        outbox::append(outbox, self.inside(), &lines).map_err(|e| E::from(e.into()))?;
        Ok(Outcome::Written)
    }

    /// Moves what waits for this file here. The lock of its directory is held.
    pub(super) fn take_in(&self, held: &StateLock) -> Result<(), RecordError> {
        let readable = self.outboxes.iter().filter(|outbox| outbox::may_read(outbox, self.inside()));
        let existing: Vec<PathBuf> = readable.cloned().collect();
        let locks = existing.iter().map(|outbox| lock::lock(outbox, outbox::PATIENCE));
        let _locks = locks.collect::<Result<Vec<_>, _>>().map_err(LedgerError::from)?;
        let waits = Waits::read(&existing, self.inside());
        self.edit::<RecordError>(held, &Entropy::System, |document| Ok(waits.puts(document)))?;
        if !waits.damaged().is_empty() {
            self.append(waits.damaged(), &Entropy::System)?;
        }
        for outbox in &existing {
            outbox::remove(outbox, self.inside())?;
        }
        Ok(())
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
        self.append(b"\n", entropy)
    }

    fn append(&self, bytes: &[u8], entropy: &Entropy) -> Result<(), RecordError> {
        let snapshot = self.ledger()?.read(|| Expectation::Nothing)?;
        let (dir, name) = self.directory()?;
        let bytes = [snapshot.document.bytes(), bytes].concat();
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
