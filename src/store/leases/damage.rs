//! Damaged records in state homes: claims they block, and how they are set aside.

use std::path::PathBuf;

use crate::store::error::LeaseError;
use crate::store::state::damage::{DamagedRecord, QUARANTINE, damaged, numbered, store_away};
use crate::store::state::tables::{LEASES, TABLES};
use crate::store::{Project, Put, RecordError, RecordFile, Result, Snapshot, StateDir};

impl Project {
    /// Refuses to claim an issue whose epoch is lost.
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
    /// All unreadable records in the project's state homes.
    pub fn damaged_records(&self) -> Result<Vec<DamagedRecord>> {
        let mut found = Vec::new();
        for (_, file) in self.record_files() {
            found.extend(damaged(file.path(), &file.read()?));
        }
        Ok(found)
    }

    /// Sets aside whatever can be, and describes each.
    pub fn set_records_aside(&self) -> Result<Vec<String>> {
        let mut reported = Vec::new();
        for (dir, file) in self.record_files() {
            let path = file.path();
            if damaged(path, &file.read()?).iter().all(|one| one.is_numbered) {
                continue;
            }
            let quarantine = dir.home().path.join(QUARANTINE);
            let held = dir.lock(self.lock_wait)?;
            file.edit::<RecordError>(&held, &self.host.entropy, |document| {
                reported.retain(|(of, _): &(PathBuf, String)| of != path);
                let mut puts = Vec::new();
                for one in damaged(path, document).into_iter().filter(|one| !one.is_numbered) {
                    let text = document.text(one.line - 1);
                    store_away(&quarantine, &[text, b"\n"].concat())?;
                    puts.push(Put::Out { line: one.line - 1 });
                    puts.extend(numbered(path, document, one.line - 1));
                    let what = format!("{}:{}: set aside to {}", path.display(), one.line, quarantine.display());
                    reported.push((path.to_owned(), what));
                }
                Ok(puts)
            })?;
        }
        Ok(reported.into_iter().map(|(_, what)| what).collect())
    }

    /// The record files in all existing state homes of the project, each with its directory.
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
