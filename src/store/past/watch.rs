//! Checks that acknowledged writes in the log are still in the files.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use crate::ledger::Ledger;
use crate::store::project::home;
use crate::store::read::index::Watched;
use crate::store::state::home::Outboxes;
use crate::store::state::log::{Held, WriteLog};
use crate::store::{Result, Snapshot, Warning};
use crate::sys::fs;

impl Snapshot {
    /// Passes on the log for a ledger's writes.
    pub(in crate::store) fn logging<T>(&self, ledger: &Ledger, work: impl FnOnce(&WriteLog<'_>) -> T) -> T {
        let (path, host) = (ledger.path(), &self.host);
        match self.sources.find(ledger) {
            Some(source) => {
                let outboxes = self.outboxes_of(self.sources.member_of(source));
                work(&WriteLog { home: self.sources.home(source), outboxes, ledger: path, host })
            }
            None => {
                let beads = path.parent().unwrap_or(path);
                let home = home::Site::of(beads, &host.env).settings_home();
                work(&WriteLog { home: &home, outboxes: Outboxes::default(), ledger: path, host })
            }
        }
    }

    /// Where the log of a state home may wait.
    pub(in crate::store) fn outboxes_at(&self, home: &Path) -> Outboxes {
        let source = (0..self.sources.len()).find(|source| self.sources.home(*source) == home);
        source.map_or_else(Outboxes::default, |source| self.outboxes_of(self.sources.member_of(source)))
    }

    /// Acknowledged writes that other programs removed from ledgers, as of the last read or write.
    pub(in crate::store) fn removed(&self) -> Vec<Warning> {
        let several = self.sources.len() > 1;
        let found = (0..self.sources.len()).filter_map(|source| {
            let repo = self.name(self.sources.member_of(source)).to_owned();
            match self.missing_from(source)? {
                Ok(ids) if ids.is_empty() => None,
                Ok(ids) => Some(Warning::Removed { repo: several.then_some(repo), ids }),
                Err(message) => Some(Warning::Unwatched { repo, message }),
            }
        });
        found.collect()
    }

    /// `None` if the file has not been read, or has changed since.
    fn missing_from(&self, source: usize) -> Option<Watched> {
        if self.sources.is_frozen(source) {
            return None;
        }
        let ledger = self.sources.ledger(source);
        let mut watched = self.sources.watched(source);
        let read = self.sources.last_read(source);
        if read.is_none() && watched.is_none() {
            return None;
        }
        let now = fs::stat(ledger.path()).ok()?;
        if let Some((stamp, known)) = &*watched
            && *stamp == now
        {
            return Some(known.clone());
        }
        read.filter(|stamp| *stamp == now)?;
        let missing = self.logging(ledger, |log| log.missing(&LastRead { view: self, source }, &now));
        let found = match missing {
            Ok(missing) => Ok(missing.into_iter().map(|missing| missing.id).collect::<Vec<_>>()),
            Err(error) => Err(error.to_string()),
        };
        // A write made after the read is in the log but not in what was read; nothing is lost then.
        let quiet = matches!(&found, Ok(ids) if ids.is_empty());
        if !quiet && fs::stat(ledger.path()).ok() != Some(now) {
            return None;
        }
        *watched = Some((now, found.clone()));
        Some(found)
    }

    /// Moves everything that waits in outboxes to its state home, before a checkout is removed.
    pub fn take_in_outboxes(&self) -> Result<()> {
        for source in 0..self.sources.len() {
            let state = self.lease_home(source);
            if state.is_any_waiting() {
                drop(state.lock(self.lock_wait)?);
            }
            self.logging(self.sources.ledger(source), |log| log.take_in())?;
        }
        Ok(())
    }

    /// Makes the log of a repo forget what a remote has.
    pub fn prune_log(&self, member: usize) -> Result<()> {
        for source in self.sources.of_member(member) {
            let ledger = self.sources.ledger(source);
            self.logging(ledger, |log| log.prune())?;
        }
        Ok(())
    }
}

/// A ledger as it was last read.
struct LastRead<'v> {
    view: &'v Snapshot,
    source: usize,
}

impl Held for LastRead<'_> {
    fn copies(&self, ids: &BTreeSet<String>) -> HashMap<String, Vec<String>> {
        let sources = &self.view.sources;
        if !sources.is_in_storage() {
            return sources.read_of(self.source).map(|(document, _)| document.copies(ids)).unwrap_or_default();
        }
        // If it was not read completely, no id has two lines.
        let line = |id: &String| Some((id.clone(), vec![sources.line(self.source, id)?]));
        ids.iter().filter_map(line).collect()
    }
}
