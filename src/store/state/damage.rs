//! Records of the state home that cannot be read: who reads them is warned, doctor names them, and none of them is lost.
//!
//! A claim on an issue whose line is damaged is refused: its number is not known, and a lower one would let an old holder write.
//! `bd doctor --fix` sets such lines aside, and keeps the number of a claim if the line still tells it.

use std::path::{Path, PathBuf};

use super::record_error::RecordError;
use super::records::{Put, RecordFile, StateDir};
use super::tables::{LEASES, StateTable, TABLES, table_of};
use crate::ledger::{Document, Line};
use crate::model::lease::Lease;
use crate::model::record::Record;
use crate::model::row::Row;
use crate::store::claims::LeaseError;
use crate::store::{Project, Result, Snapshot, Warning};
use crate::sys::below;
use crate::sys::fs::{Dir, FsError};

/// Where damaged lines go; append-only, and no `.jsonl`, so that no reader takes it for one.
pub const QUARANTINE: &str = "damaged.txt";

/// In more than this nobody looks for what is stored already.
const MAX_QUARANTINE: u64 = 64 << 20;

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedRecord {
    pub path: PathBuf,
    /// Counted from 1.
    pub line: usize,
    pub what: String,
    /// It may hold the number of a claim, and does not tell which: only a person can say what becomes of it.
    pub is_numbered: bool,
}

impl Project {
    /// Reads records, and notes for a warning what cannot be read of them.
    pub fn records(&self, file: &RecordFile) -> std::result::Result<Document, RecordError> {
        let document = file.read()?;
        self.note_damage(file.path(), &document);
        Ok(document)
    }

    pub(in crate::store) fn note_damage(&self, path: &Path, document: &Document) {
        for DamagedRecord { path, line, what, .. } in damaged(path, document) {
            self.notices.add(Warning::Record { path, line, what });
        }
    }

    /// Refuses to claim an issue whose number is not known any more.
    pub(in crate::store) fn refuse_damaged_claim(&self, home: &StateDir, key: &str, id: &str) -> Result<()> {
        let file = LEASES.file(home);
        let document = self.records(&file)?;
        let names_it = |one: &DamagedRecord| document.id(one.line - 1).is_some_and(|found| found == key);
        match damaged(file.path(), &document).into_iter().find(names_it) {
            Some(DamagedRecord { path, line, .. }) => Err(LeaseError::Damaged { id: id.to_owned(), path, line }.into()),
            None => Ok(()),
        }
    }
}

impl Snapshot {
    /// Everything in the state homes of the project that cannot be read.
    pub fn damaged_records(&self) -> Result<Vec<DamagedRecord>> {
        let mut found = Vec::new();
        for (_, file) in self.record_files() {
            found.extend(damaged(file.path(), &file.read()?));
        }
        Ok(found)
    }

    /// Sets aside what can be set aside, and tells each in words.
    pub fn set_records_aside(&self) -> Result<Vec<String>> {
        let mut told = Vec::new();
        for (dir, file) in self.record_files() {
            let path = file.path();
            if damaged(path, &file.read()?).iter().all(|one| one.is_numbered) {
                continue;
            }
            let quarantine = dir.home().path.join(QUARANTINE);
            let held = dir.lock(self.lock_wait)?;
            file.edit::<RecordError>(&held, &self.host.entropy, |document| {
                told.retain(|(of, _): &(PathBuf, String)| of != path);
                let mut puts = Vec::new();
                for one in damaged(path, document).into_iter().filter(|one| !one.is_numbered) {
                    let text = document.text(one.line - 1);
                    store_away(&quarantine, &[text, b"\n"].concat())?;
                    puts.push(Put::Out { line: one.line - 1 });
                    puts.extend(numbered(path, document, one.line - 1));
                    let what = format!("{}:{}: set aside to {}", path.display(), one.line, quarantine.display());
                    told.push((path.to_owned(), what));
                }
                Ok(puts)
            })?;
        }
        Ok(told.into_iter().map(|(_, what)| what).collect())
    }

    /// The files of records in all state homes of the project that are there, and the directory of each.
    fn record_files(&self) -> Vec<(StateDir, RecordFile)> {
        let mut homes: Vec<StateDir> = (0..self.sources.len()).map(|source| self.lease_home(source)).collect();
        homes.push(self.state());
        homes.sort_by(|a, b| a.path().cmp(b.path()));
        homes.dedup_by(|a, b| a.path() == b.path());
        let mut found = Vec::new();
        for home in homes.into_iter().filter(StateDir::exists) {
            for (inside, name) in TABLES.iter().flat_map(|table| table.spot().files(&home).unwrap_or_default()) {
                let dir = home.inside(inside);
                found.push((dir.clone(), dir.file(&name)));
            }
        }
        found.retain(|(_, file)| file.path().is_file());
        found
    }
}

/// The lines of a file that hold no record of its kind.
fn damaged(path: &Path, document: &Document) -> Vec<DamagedRecord> {
    let table = table_of(path);
    let is_understood = |record: &Record<'_>| table.is_none_or(|table| table.understands(record));
    let mut found = Vec::new();
    for n in 0..document.len() {
        let what = match document.line(n) {
            Line::Issue(record) if !is_understood(&record) => "it is not what this file holds".to_owned(),
            Line::Damaged(damage) => damage.to_string(),
            Line::Issue(_) | Line::Other | Line::Blank => continue,
        };
        let is_numbered = is_of_leases(path) && document.id(n).is_some() && epoch_in(document.text(n)).is_none();
        found.push(DamagedRecord { path: path.to_owned(), line: n + 1, what, is_numbered });
    }
    found
}

/// What keeps the number of a claim whose line is set aside: the next one is above it.
fn numbered(path: &Path, document: &Document, line: usize) -> Option<Put> {
    if !is_of_leases(path) {
        return None;
    }
    let id = document.id(line)?.into_owned();
    let epoch = epoch_in(document.text(line))?;
    let known = document.effective(&id).filter(|known| *known != line).and_then(|_| LEASES.row(document, &id));
    let known = known.unwrap_or_else(|| Lease::new(&id));
    if known.epoch >= epoch {
        return None;
    }
    Some(Put::Line { text: Lease { epoch, ..known }.line(), id })
}

fn is_of_leases(path: &Path) -> bool {
    table_of(path).is_some_and(|table| table.spot() == LEASES.spot())
}

/// The number in the line of a claim, if it is there as a whole and a higher one can follow.
fn epoch_in(line: &[u8]) -> Option<i64> {
    const KEY: &[u8] = b"\"epoch\":";
    let start = line.windows(KEY.len()).position(|part| part == KEY)? + KEY.len();
    let rest = line[start..].trim_ascii_start();
    let end = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let epoch: i64 = std::str::from_utf8(&rest[..end]).ok()?.parse().ok()?;
    (epoch < i64::MAX).then_some(epoch)
}

/// Appends bytes and waits until they are on disk. Repeating an interrupted repair does not store the same bytes twice.
pub fn store_away(path: &Path, bytes: &[u8]) -> std::result::Result<(), FsError> {
    let (directory, name) = below::parted(path);
    let (dir, name) = Dir::root(directory)?.holding(name)?;
    match dir.read(Path::new(&name), MAX_QUARANTINE) {
        Ok(known) if memchr::memmem::find(&known.bytes, bytes).is_some() => return Ok(()),
        Err(error) if !(error.is_missing() || error.source.kind() == std::io::ErrorKind::FileTooLarge) => {
            return Err(error);
        }
        _ => {}
    }
    dir.append(&name, bytes)
}
