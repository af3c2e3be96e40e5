//! Renames the primary's ledger to its other usual name.
//!
//! The change itself is one rename under the ledger's lock. Settings and `metadata.json` that name the file are updated
//! after it; if a crash comes in between, running the command again finishes the job. The next commit of the ledger
//! includes the removal of the old name.

use std::path::PathBuf;

use crate::model::json::Dialect;
use crate::model::record::Record;
use crate::store::project::settings::Edits;
use crate::store::{Access, Project, Result, Store, StoreError};
use crate::sys::{self, below};

pub(in crate::store) const METADATA: &str = "metadata.json";
const EXPORT: &str = "jsonl_export";

/// A ledger before and after it was renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedLedger {
    pub from: PathBuf,
    pub to: PathBuf,
    /// `false` if it had this name already.
    pub changed: bool,
}

impl Project {
    /// Updates settings that name the ledger.
    fn name_in_settings(&self, old: &str, new: &str) -> Result<()> {
        let beads = self.repos.primary_member().repo.beads();
        if let Some((_, origin)) = self.settings.text("ledger.file")
            && let Some(path) = self.settings.files.path(origin)
        {
            // The usual names need no setting.
            let mut edits = Edits::default();
            edits.unset("ledger.file");
            edits.apply(path, origin, self.lock_wait, &self.host.entropy)?;
        }
        let text = below::text(beads, METADATA)?.unwrap_or_default();
        let Ok(record) = Record::parse(text.trim_end()) else { return Ok(()) };
        if record.string(EXPORT).as_deref() == Some(old) {
            let dialect = Dialect::default();
            let line = record.with(&[(EXPORT, Some(dialect.string(new)))], dialect);
            below::put(beads, METADATA, format!("{line}\n").as_bytes())?;
        }
        Ok(())
    }
}

impl Store {
    /// Renames the primary's ledger within its directory, or with `dry_run` checks whether that is possible.
    pub fn rename_ledger(&mut self, name: &str, dry_run: bool) -> Result<RenamedLedger> {
        self.look_again()?;
        self.refuse_broken()?;
        if let Access::Read(reason) = self.access(0)? {
            return Err(StoreError::ReadOnly { what: "the ledger".to_owned(), repo: self.name(0).to_owned(), reason });
        }
        let source = self.writable(0)?;
        let ledger = self.sources.ledger(source).clone();
        let directory = self.repos.primary_member().repo.beads().to_owned();
        let (from, to) = (ledger.path().to_owned(), ledger.path().with_file_name(name));
        if let Some((_, origin)) = self.settings.text("ledger.file").filter(|_| from != to)
            && self.settings.files.path(origin).is_none()
        {
            let message = format!("ledger.file is set by the {}; unset it there first", origin.word());
            return Err(StoreError::BadValue(message));
        }
        let lock = if dry_run { None } else { Some(ledger.lock(self.lock_wait)?) };
        let is_there = |path: &PathBuf| sys::path::is_there(path);
        match (is_there(&from), is_there(&to)) {
            _ if from == to => {}
            (true, true) => return Err(StoreError::TwoLedgers { directory }),
            (false, false) => return Err(StoreError::NoLedger { directory }),
            (true, false) if dry_run => {}
            (true, false) => below::rename(&directory, &file_name(&from), name)?,
            // Interrupted after the rename.
            (false, true) => {}
        }
        drop(lock);
        if from != to && !dry_run {
            self.name_in_settings(&file_name(&from), name)?;
            self.reopen()?;
        }
        Ok(RenamedLedger { changed: from != to, from, to })
    }
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
