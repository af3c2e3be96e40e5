//! Unreadable records of the state home: readers get a warning, doctor lists them, and none is lost.
//!
//! A claim on an issue with a damaged line is refused: its epoch is unknown, and a lower one would let an old holder
//! write. `bd doctor --fix` sets such lines aside, and keeps a claim's epoch if the line still contains it.

use std::path::{Path, PathBuf};

use super::put::Put;
use super::tables::{LEASES, StateTable, table_of};
use crate::ledger::{Document, Line};
use crate::model::lease::Lease;
use crate::model::record::Record;
use crate::model::row::Row;
use crate::sys::below;
use crate::sys::fs::{Dir, FsError};

/// Where damaged lines go; append-only, and not `.jsonl`, so that no reader reads it.
pub const QUARANTINE: &str = "damaged.txt";

/// Larger files are not searched for bytes already stored.
const MAX_QUARANTINE: u64 = 64 << 20;

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedRecord {
    pub path: PathBuf,
    /// Counted from 1.
    pub line: usize,
    pub what: String,
    /// It may contain a claim's epoch but does not show which: only a person can decide what to do with it.
    pub is_numbered: bool,
}

/// The lines of a file without a record of its kind.
pub(in crate::store) fn damaged(path: &Path, document: &Document) -> Vec<DamagedRecord> {
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

/// Keeps the epoch of a claim whose line is set aside: the next one must be higher.
pub(in crate::store) fn numbered(path: &Path, document: &Document, line: usize) -> Option<Put> {
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

/// The epoch in the line of a claim, if it is complete and a higher one exists.
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
