//! Outboxes: records for a state home that could not be written there.
//!
//! The sandbox of an agent often lets it write the files of its checkout, but not the directory of version control with
//! the state home. The agent then takes the lock of the state home all the same, for which reading is enough, and
//! writes its rows to `run/outbox` in its own `.beads`, under the names that they have in the state home. Readers see
//! both as one; the next command that can write the state home and takes its lock moves the rows there.
//!
//! A row counts only if the state home still has the row that it replaces. So a row that was moved, or that came too
//! late because its checkout was away, changes nothing. Files of other users, and files that version control tracks,
//! are not read: a commit must not bring claims.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::checkout_id::{ID_NAME, read_id};
use super::directory::prepare;
use super::put::Put;
use crate::ledger::Document;
use crate::model::json::Object;
use crate::model::record::Record;
use crate::store::file_names::{KEYS_NAME, LEASES_NAME};
use crate::sys::fs::{Dir, FsError};
use crate::sys::{below, path};
use crate::vcs;

/// Inside `.beads`. The first directory keeps itself out of version control.
const RUN: &str = "run";
const NAME: &str = "outbox";
/// The files, and directories of files, whose rows may wait.
const WAITING: [&str; 5] = ["agents.jsonl", KEYS_NAME, LEASES_NAME, "mail", "checkpoints.jsonl"];
const MAX_SIZE: u64 = 16 << 20;
/// How deep the directories of a state home are.
const DEPTH: usize = 2;
/// How long to wait for another process with the same outbox.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The directory in `.beads` that is not under version control.
pub(in crate::store) fn run(beads: &Path) -> PathBuf {
    beads.join(RUN)
}

/// The outbox of a `.beads` directory.
pub(in crate::store) fn of(beads: &Path) -> PathBuf {
    run(beads).join(NAME)
}

/// A file of a state home with this name, or below it, may be in an outbox.
pub(super) fn may_wait(name: &str) -> bool {
    WAITING.contains(&name)
}

/// A row that waits in an outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Waiting {
    /// Rows are applied in this order, over all outboxes.
    number: i64,
    id: String,
    /// The hash of the row that this one replaces; `None` if there was none.
    over: Option<String>,
    /// `None` if the row was removed.
    row: Option<String>,
}

impl Waiting {
    fn parse(record: &Record<'_>) -> Option<Self> {
        let text = |key| record.string(key).map(|text| text.into_owned());
        let row = record.raw("row").map(str::to_owned);
        Some(Waiting { number: record.integer("number")?, id: text("id")?, over: text("over"), row })
    }

    fn line(&self) -> String {
        let object = Object::new().text("id", &self.id).number("number", self.number);
        let object = self.over.iter().fold(object, |object, over| object.text("over", over));
        self.row.iter().fold(object, |object, row| object.raw("row", row)).finish() + "\n"
    }
}

/// The outboxes' versions of one file of a state home.
#[derive(Debug, Default)]
pub(super) struct Waits {
    rows: Vec<Waiting>,
    /// Lines that cannot be read, each with its end.
    damaged: Vec<u8>,
}

impl Waits {
    /// Reads what waits for a file with this name in the state home. A file that cannot be read must not stop all other
    /// checkouts: [`unread`] names it.
    pub(super) fn read(outboxes: &[PathBuf], inside: &Path) -> Self {
        let mut all = Waits::default();
        for outbox in outboxes {
            let Ok(Some(bytes)) = bytes(outbox, inside) else { continue };
            let document = Document::new(bytes);
            for n in 0..document.len() {
                match document.record(n).as_ref().and_then(Waiting::parse) {
                    Some(row) => all.rows.push(row),
                    None if document.text(n).is_empty() => {}
                    None => all.damaged.extend([document.text(n), b"\n"].concat()),
                }
            }
        }
        all.rows.sort_by_key(|row| row.number);
        all
    }

    pub(super) fn damaged(&self) -> &[u8] {
        &self.damaged
    }

    /// The changes that lead from the state home's file to what counts now.
    pub(super) fn puts(&self, file: &Document) -> Vec<Put> {
        let mut now: HashMap<&str, Option<String>> = HashMap::new();
        let mut changed: Vec<&str> = Vec::new();
        for Waiting { id, over, row, .. } in &self.rows {
            let known = now.entry(id).or_insert_with(|| file.effective(id).map(|line| file.line_text(line)));
            if known.as_deref().map(name_of) == *over {
                known.clone_from(row);
                changed.push(id);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        let put = |id: &str| match now.remove(id).flatten() {
            Some(text) => Put::Line { id: id.to_owned(), text },
            None => Put::Gone { id: id.to_owned() },
        };
        changed.into_iter().map(put).collect()
    }

    /// The lines for these changes of what counts now.
    pub(super) fn lines(&self, now: &Document, puts: &[Put]) -> Option<String> {
        let first = self.rows.last().map_or(0, |last| last.number);
        let line = |(number, put): (i64, &Put)| {
            let (id, row) = match put {
                Put::Line { id, text } => (id, Some(text.clone())),
                Put::Gone { id } => (id, None),
                // A damaged line stays where it is until someone can write there.
                Put::Out { .. } => return None,
            };
            let over = now.effective(id).map(|line| name_of(&now.line_text(line)));
            Some(Waiting { number, id: id.clone(), over, row }.line())
        };
        (first + 1..).zip(puts).map(line).collect()
    }
}

/// Names a row by its content.
fn name_of(row: &str) -> String {
    blake3::hash(row.as_bytes()).to_hex()[..24].to_owned()
}

/// A file of an outbox, if it is the user's own and not under version control.
fn bytes(outbox: &Path, inside: &Path) -> Result<Option<Vec<u8>>, FsError> {
    if !path::is_there(&outbox.join(inside)) {
        return Ok(None);
    }
    // No link leads out of the `.beads` directory.
    let Some(beads) = outbox.parent().and_then(Path::parent) else { return Ok(None) };
    let contents = match below::read(beads, Path::new(RUN).join(NAME).join(inside), MAX_SIZE) {
        Err(error) if error.is_missing() => return Ok(None),
        contents => contents?,
    };
    Ok((contents.is_own() && is_private(&outbox.join(inside))).then_some(contents.bytes))
}

/// No commit has brought a file.
pub(super) fn is_private(file: &Path) -> bool {
    !vcs::is_listed(file)
}

/// The existing versions of a file in outboxes that are not read, each with the reason.
pub(super) fn unread(outboxes: &[PathBuf], inside: &Path) -> Vec<(PathBuf, String)> {
    let reason = |outbox: &PathBuf| match bytes(outbox, inside) {
        Ok(Some(_)) => None,
        Ok(None) if !path::is_there(&outbox.join(inside)) => None,
        Ok(None) if is_private(&outbox.join(inside)) => Some("it belongs to another user".to_owned()),
        Ok(None) => Some("it is under version control, and a commit may have brought it".to_owned()),
        Err(error) => Some(error.source.to_string()),
    };
    outboxes.iter().filter_map(|outbox| Some((outbox.join(inside), reason(outbox)?))).collect()
}

/// The id of a checkout, where it could not be stored with version control.
pub(in crate::store) fn checkout_id(beads: &Path) -> Option<String> {
    let run = run(beads);
    read_id(&run).filter(|_| !vcs::is_listed(&run.join(ID_NAME)))
}

/// The same about a file that is read piece by piece.
pub(super) fn may_read(outbox: &Path, inside: &Path) -> bool {
    matches!(bytes(outbox, inside), Ok(Some(_)))
}

/// The files that wait in some outboxes: the directory inside the state home, and the name. They may be odd ones.
pub(super) fn files(outboxes: &[PathBuf]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut directories = vec![(PathBuf::new(), 0)];
    let is_there = |inside: &Path| outboxes.iter().any(|outbox| path::is_there(&outbox.join(inside)));
    while let Some((directory, depth)) = directories.pop() {
        if !is_there(&directory) {
            continue;
        }
        let names = outboxes.iter().flat_map(|outbox| below::names(&outbox.join(&directory), "").unwrap_or_default());
        for name in names {
            if name.ends_with(".jsonl") {
                found.push((directory.clone(), name));
            } else if depth < DEPTH {
                directories.push((directory.join(name), depth + 1));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Appends to a file of an outbox, and returns once that is on disk.
pub(super) fn append(outbox: &Path, inside: &Path, lines: &str) -> Result<(), FsError> {
    let (above, name) = (inside.parent().unwrap_or(Path::new("")), inside.file_name().unwrap_or_default());
    let dir = make(outbox, above)?;
    // Ends a line that was cut off; blank lines are skipped.
    dir.append(&name.to_string_lossy(), format!("\n{lines}").as_bytes())
}

pub(super) fn remove(outbox: &Path, inside: &Path) -> Result<(), FsError> {
    match below::remove(outbox, inside) {
        Err(error) if error.is_missing() => Ok(()),
        removed => removed,
    }
}

/// Makes a directory of an outbox.
pub(super) fn make(outbox: &Path, inside: &Path) -> Result<Dir, FsError> {
    let run = outbox.parent().unwrap_or(outbox);
    prepare(run)?;
    below::make(run, Path::new(NAME).join(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(lines: &[&str]) -> Document {
        Document::new(lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes())
    }

    fn line(id: &str, text: &str) -> Put {
        Put::Line { id: id.to_owned(), text: text.to_owned() }
    }

    /// The waits after these lines, one text for each outbox.
    fn waits(outboxes: &[&str]) -> Waits {
        let directory = tempfile::tempdir().unwrap();
        let places: Vec<PathBuf> = (0..outboxes.len()).map(|n| of(&directory.path().join(n.to_string()))).collect();
        for (place, text) in places.iter().zip(outboxes) {
            std::fs::create_dir_all(place).unwrap();
            std::fs::write(place.join("a.jsonl"), text).unwrap();
        }
        Waits::read(&places, Path::new("a.jsonl"))
    }

    const FIRST: &str = r#"{"id":"a","n":1}"#;
    const SECOND: &str = r#"{"id":"a","n":2}"#;
    const THIRD: &str = r#"{"id":"a","n":3}"#;

    #[test]
    fn rows_of_several_outboxes_count_in_their_order() {
        let home = file(&[FIRST]);
        let one = waits(&[]).lines(&home, &[line("a", SECOND)]).unwrap();
        let other = waits(&[&one]).lines(&file(&[SECOND]), &[line("a", THIRD), line("b", r#"{"id":"b"}"#)]).unwrap();
        let both = waits(&[&other, &one]);
        assert_eq!(both.puts(&home), [line("a", THIRD), line("b", r#"{"id":"b"}"#)]);
        // They were moved, and their file could not be removed.
        assert_eq!(both.puts(&file(&[THIRD, r#"{"id":"b"}"#])), []);
        // Someone was faster while the checkout was away.
        assert_eq!(both.puts(&file(&[r#"{"id":"a","n":9}"#, r#"{"id":"b","by":"other"}"#])), []);
        let gone = both.lines(&file(&[THIRD]), &[Put::Gone { id: "a".into() }]).unwrap();
        let all = waits(&[&other, &one, &gone]);
        assert_eq!(all.puts(&home), [Put::Gone { id: "a".into() }, line("b", r#"{"id":"b"}"#)]);
    }

    #[test]
    fn a_line_that_was_cut_off_is_kept_aside() {
        let line = waits(&[]).lines(&file(&[]), &[line("a", FIRST)]).unwrap();
        let waits = waits(&[&format!("{line}\n{}\n\n{}", &line[..20], line.replace("\"a\"", "\"b\""))]);
        assert_eq!(waits.damaged(), format!("{}\n", &line[..20]).as_bytes());
        assert_eq!(waits.puts(&file(&[])).len(), 2);
        assert_eq!(waits.lines(&file(&[]), &[Put::Out { line: 0 }]), None, "only the owner of a file repairs it");
    }
}
