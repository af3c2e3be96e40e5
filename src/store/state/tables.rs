//! The tables of a state home: names and places of the record files, and the types of their rows.
//!
//! A directory of the state home has one lock ([`StateDir::lock`]), under which its tables are changed. A replaced row
//! keeps its unknown keys. Code that handles all records iterates over [`TABLES`].

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use super::outbox;
use super::put::Put;
use super::records::RecordFile;
use super::state_dir::StateDir;
use crate::ledger::Document;
use crate::model::agent::Agent;
use crate::model::checkpoint::Noted;
use crate::model::key_use::KeyUse;
use crate::model::last_sync::LastSync;
use crate::model::lease::Lease;
use crate::model::message::Message;
use crate::model::record::Record;
use crate::model::reservation::Reservation;
use crate::model::row::Row;
use crate::model::seen::{SeenCheckout, SeenRepository};
use crate::model::workspace::Workspace;
use crate::store::file_names::{KEYS_NAME, LEASES_NAME, REGISTRY as REGISTRY_NAME, WORKSPACES_NAME};
use crate::sys::below;
use crate::sys::fs::{FsError, stat_link};

pub const AGENTS: Table<Agent> = Table::at("agents.jsonl");
pub const CHECKPOINTS: Table<Noted> =
    Table::new(Spot { names_repo: true, ..Spot::of_checkouts("wt", "checkpoints.jsonl") });
pub const KEYS: Table<KeyUse> = Table::new(Spot::all_in(KEYS_NAME));
pub const LEASES: Table<Lease> = Table::new(Spot { is_watched: true, ..Spot::at(LEASES_NAME) });
pub const MAIL: Table<Message> = Table::new(Spot { is_watched: true, ..Spot::all_in("mail") });
pub(crate) const REGISTRY: Table<SeenCheckout> = Table::at(REGISTRY_NAME);
pub const REPOSITORIES: Table<SeenRepository> =
    Table::new(Spot { is_found_again: true, ..Spot::at("repositories.jsonl") });
pub const RESERVATIONS: Table<Reservation> = Table::new(Spot { names_repo: true, ..Spot::at("reservations.jsonl") });
pub const SYNCS: Table<LastSync> = Table::at("syncs.jsonl");
pub const WORKSPACES: Table<Workspace> = Table::at(WORKSPACES_NAME);

/// All tables, in the order in which they are processed.
pub const TABLES: [&dyn StateTable; 10] =
    [&REGISTRY, &AGENTS, &LEASES, &RESERVATIONS, &WORKSPACES, &REPOSITORIES, &MAIL, &KEYS, &SYNCS, &CHECKPOINTS];

/// A table, independent of its row type.
pub trait StateTable: Sync {
    fn spot(&self) -> Spot;

    /// The record is a row of this table.
    fn understands(&self, record: &Record<'_>) -> bool;

    /// The row as this version would write it new, and as a replacement of the record.
    fn rewrite(&self, record: &Record<'_>) -> Option<(String, String)>;
}

/// A table with its row type.
#[derive(Debug)]
pub struct Table<T> {
    spot: Spot,
    rows: PhantomData<fn() -> T>,
}

/// The files of a table, and how to treat them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The directory inside the state home.
    directory: Option<&'static str>,
    /// The file name; without one, every file in the directory belongs to the table.
    name: Option<&'static str>,
    /// Its rows can be found again, so they are not moved with the others.
    pub is_found_again: bool,
    /// Its rows name their repository if several share a state home, and only then.
    pub names_repo: bool,
    /// `bd watch` reports its changes.
    pub is_watched: bool,
}

impl Spot {
    /// A file of the state home itself.
    const fn at(name: &'static str) -> Self {
        Spot { directory: None, name: Some(name), is_found_again: false, names_repo: false, is_watched: false }
    }

    /// All files of a directory.
    const fn all_in(directory: &'static str) -> Self {
        Spot { directory: Some(directory), name: None, ..Spot::at("") }
    }

    /// A file in the directory of each checkout.
    const fn of_checkouts(directory: &'static str, name: &'static str) -> Self {
        Spot { directory: Some(directory), ..Spot::at(name) }
    }

    /// The file or directory that contains all of it.
    pub fn path(&self, home: &StateDir) -> PathBuf {
        home.path().join(self.directory.or(self.name).unwrap_or_default())
    }

    fn may_wait(&self) -> bool {
        [self.directory, self.name].into_iter().flatten().any(outbox::may_wait)
    }

    /// The same with the places of what waits in outboxes.
    pub fn paths(&self, home: &StateDir) -> Vec<PathBuf> {
        let outboxes: &[PathBuf] = if self.may_wait() { &home.home().outboxes } else { &[] };
        let waiting = outboxes.iter().map(|outbox| outbox.join(self.directory.or(self.name).unwrap_or_default()));
        std::iter::once(self.path(home)).chain(waiting).collect()
    }

    /// The existing files: the directory inside the state home, and the name.
    pub fn files(&self, home: &StateDir) -> Result<Vec<(PathBuf, String)>, FsError> {
        let names = |inside: &Path| match below::names(home.path(), inside) {
            Err(error) if error.is_missing() => Ok(Vec::new()),
            names => names,
        };
        let mut found = Vec::new();
        match (self.directory, self.name) {
            (None, name) => found.push((PathBuf::new(), name.unwrap_or_default().to_owned())),
            (Some(directory), None) => {
                let boxes = names(Path::new(directory))?.into_iter().filter(|name| name.ends_with(".jsonl"));
                found.extend(boxes.map(|name| (PathBuf::from(directory), name)));
            }
            (Some(directory), Some(name)) => {
                let checkouts = names(Path::new(directory))?.into_iter();
                found.extend(checkouts.map(|checkout| (Path::new(directory).join(checkout), name.to_owned())));
            }
        }
        let is_missing = |path: &Path| stat_link(path).is_err_and(|error| error.is_missing());
        found.retain(|(inside, name)| !is_missing(&home.path().join(inside).join(name)));
        if self.may_wait() {
            let waiting = outbox::files(&home.home().outboxes).into_iter();
            found.extend(waiting.filter(|(inside, name)| self.holds(&home.path().join(inside).join(name))));
            found.sort();
            found.dedup();
        }
        Ok(found)
    }

    fn holds(&self, path: &Path) -> bool {
        let is_called = |name: &str| path.file_name().is_some_and(|own| own == name);
        let is_in = |name: &str| path.parent().and_then(Path::file_name).is_some_and(|own| own == name);
        match (self.name, self.directory) {
            (Some(name), _) => is_called(name),
            (None, directory) => directory.is_some_and(is_in),
        }
    }
}

/// The table that a file belongs to.
pub(crate) fn table_of(path: &Path) -> Option<&'static dyn StateTable> {
    TABLES.into_iter().find(|table| table.spot().holds(path))
}

impl<T: Row> Table<T> {
    const fn new(spot: Spot) -> Self {
        Table { spot, rows: PhantomData }
    }

    const fn at(name: &'static str) -> Self {
        Table::new(Spot::at(name))
    }

    /// The directory of a table in a subdirectory.
    pub fn directory(&self, home: &StateDir) -> StateDir {
        self.spot.directory.map_or_else(|| home.clone(), |directory| home.inside(directory))
    }

    /// Its file in a directory.
    pub fn file(&self, directory: &StateDir) -> RecordFile {
        directory.file(self.spot.name.unwrap_or_default())
    }

    /// The rows of a file; other records are skipped.
    pub fn rows<'a>(&self, document: &'a Document) -> impl Iterator<Item = T> + use<'a, T> {
        (0..document.len()).filter_map(|line| T::parse(&document.record(line)?))
    }

    /// The effective row with an id.
    pub fn row(&self, document: &Document, id: &str) -> Option<T> {
        T::parse(&document.record(document.effective(id)?)?)
    }

    /// Replaces the effective row with an id, or adds one.
    pub fn put(&self, document: &Document, id: &str, row: &T) -> Put {
        let old = document.effective(id).and_then(|line| document.record(line));
        Put::Line { id: id.to_owned(), text: old.map_or_else(|| row.line(), |old| row.line_over(&old)) }
    }

    /// The same; if this version knows all keys of the old row, they get the order of a new row.
    pub fn replace_row(&self, document: &Document, id: &str, row: &T) -> Put {
        let old = document.effective(id).and_then(|line| document.record(line));
        let is_known = |old: &Record<'_>| T::parse(old).is_some_and(|row| row.line() == old.text());
        let odd = old.filter(|old| !is_known(old));
        Put::Line { id: id.to_owned(), text: odd.map_or_else(|| row.line(), |old| row.line_over(&old)) }
    }
}

impl<T: Row> StateTable for Table<T> {
    fn spot(&self) -> Spot {
        self.spot
    }

    fn understands(&self, record: &Record<'_>) -> bool {
        T::parse(record).is_some()
    }

    fn rewrite(&self, record: &Record<'_>) -> Option<(String, String)> {
        let row = T::parse(record)?;
        Some((row.line(), row.line_over(record)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::tables::*;
    use crate::store::{StateHome, StateMode};

    /// Rows that were changed after creation, so that their keys are not in the order of a new row.
    const CHANGED: [&str; 4] = ["ag_rxoecdbammbl", "rs_hb5jduyf4lby", "ws_6wdquj7dqda3", "ws_npoexhm622ox"];

    fn members(line: &str) -> BTreeSet<(String, String)> {
        let record = Record::parse(line).unwrap();
        record.iter().map(|(key, raw)| (key.into_owned(), raw.to_owned())).collect()
    }

    /// Every row of every table, as `bd` 1.7.0 wrote it.
    fn earlier_rows() -> Vec<(&'static dyn StateTable, String)> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rows");
        let home = StateDir::of(StateHome::alone(path, StateMode::Named, ""));
        let mut found = Vec::new();
        for table in TABLES {
            let files = table.spot().files(&home).unwrap();
            assert!(!files.is_empty(), "{:?} has no fixture", table.spot());
            for (inside, name) in files {
                let path = home.path().join(inside).join(name);
                assert_eq!(table_of(&path).map(|of| of.spot()), Some(table.spot()), "{}", path.display());
                let text = std::fs::read_to_string(&path).unwrap();
                found.extend(text.lines().map(|line| (table, line.to_owned())));
            }
        }
        found
    }

    #[test]
    fn rows_of_an_earlier_version_are_written_as_they_were() {
        for (table, line) in earlier_rows() {
            let record = Record::parse(&line).unwrap();
            let (new, over) = table.rewrite(&record).unwrap_or_else(|| panic!("{line} is not understood"));
            assert_eq!(over, line);
            assert_eq!(members(&new), members(&line), "each key of it is known");
            let is_changed = record.string("id").is_some_and(|id| CHANGED.contains(&id.as_ref()));
            assert!(is_changed || new == line, "{new}\nis not\n{line}");
        }
    }

    #[test]
    fn a_row_that_is_replaced_keeps_what_is_not_known() {
        for (table, line) in earlier_rows() {
            let later = line.replacen(',', r#","later":{"n":1e400, "\u0041":[]},"#, 1);
            let (_, over) = table.rewrite(&Record::parse(&later).unwrap()).unwrap();
            assert_eq!(over, later);
        }
        let later =
            r#"{"id":"x","later":[1e400],"epoch":3,"attempts":2.0,"holder":"ann","acquired":"a","renewed":"a"}"#;
        let document = Document::new(format!("{later}\n").into_bytes());
        let mut lease = LEASES.row(&document, "x").unwrap();
        assert_eq!((lease.epoch, lease.attempts), (3, 2));
        lease.end();
        lease.epoch = 4;
        let Put::Line { text, .. } = LEASES.replace_row(&document, "x", &lease) else { panic!("a line is put") };
        assert_eq!(
            text, r#"{"id":"x","later":[1e400],"epoch":4,"attempts":2.0}"#,
            "a number that stays keeps its bytes"
        );
    }

    #[test]
    fn a_row_without_what_it_needs_is_none() {
        let understood =
            |path: &str, line: &str| table_of(Path::new(path)).unwrap().understands(&Record::parse(line).unwrap());
        assert!(understood("h/wt/wt_1/checkpoints.jsonl", r#"{"id":"cp_1","issue":"a","last":4}"#));
        assert!(!understood("h/wt/wt_1/checkpoints.jsonl", r#"{"id":"cp_1","issue":"a"}"#));
        assert!(
            !understood("h/leases.jsonl", r#"{"id":"a"}"#) && understood("h/leases.jsonl", r#"{"id":"a","epoch":1}"#)
        );
        assert!(!understood("h/mail/ag_1.jsonl", r#"{"id":"a"}"#));
        assert!(table_of(Path::new("h/other.jsonl")).is_none());
    }
}
