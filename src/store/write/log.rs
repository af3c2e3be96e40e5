//! Recording a write that is on disk: a line in the state home's log, for `bd undo` and `bd recover`.

use std::path::{Path, PathBuf};

use super::current_write::WritePart;
use crate::ledger::{Applied, Ledger, LedgerError};
use crate::store::project::home_contents::make_first;
use crate::store::state::checkout_id::Noted;
use crate::store::state::log::{Entry, Missing, Stays, WriteLog};
use crate::store::{Snapshot, Store, Warning};
use crate::sys::fs::FileStamp;

impl Snapshot {
    /// Keeps the result of logging for a warning: writes missing from the file, or that this one is not in the log.
    fn noted(&self, ledger: &Ledger, left: Option<FileStamp>, noted: Result<Vec<Missing>, LedgerError>) {
        let source = self.sources.find(ledger);
        match noted {
            Ok(missing) => {
                if let (Some(source), Some(left)) = (source, left) {
                    let ids = missing.into_iter().map(|missing| missing.id).collect();
                    *self.sources.watched(source) = Some((left, Ok(ids)));
                }
            }
            Err(error) => {
                let repo = source.map_or(".", |source| self.name(self.sources.member_of(source))).to_owned();
                let warning = Warning::NotLogged { repo, message: error.to_string() };
                self.notices.add(warning);
            }
        }
    }
}

impl Store {
    /// Logs a write. A failure does not undo the write. Once it is in the log, `then` gets what is missing from the
    /// ledger.
    pub(super) fn log(
        &self,
        ledger: &Ledger,
        applied: &Applied<'_>,
        stays: Option<Stays>,
        then: impl FnOnce(&WriteLog<'_>, Vec<Missing>) -> Result<Vec<Missing>, LedgerError>,
    ) {
        let mut with = Vec::new();
        let noted = self.logging(ledger, |log| {
            let (entry, before) = self.entry(log, applied, stays);
            let elsewhere = before.into_iter().filter(|(_, home)| home != log.home);
            with.extend(elsewhere.map(|(ledger, home)| {
                let (with, guests, changes) = (vec![entry.ledger.clone()], Vec::new(), Vec::new());
                (home, Entry { ledger, with, guests, changes, ..entry.clone() })
            }));
            self.mark_first(log, &entry);
            then(log, log.append(entry, applied)?)
        });
        self.noted(ledger, applied.left, noted);
        // Tell a log written earlier that the write continued here: without this repo, only half would be undone.
        for (home, mut entry) in with {
            let earlier = PathBuf::from(&entry.ledger);
            let log = WriteLog { home: &home, outboxes: self.outboxes_at(&home), ledger: &earlier, host: &self.host };
            entry.checkout = self.checkout_in(&home);
            self.mark_first(&log, &entry);
            self.noted(ledger, None, log.add(entry).map(|()| Vec::new()));
        }
        self.touch_placeholder();
    }

    /// The log entry of a write, and the ledgers that the same write changed before, each with its state home.
    fn entry(
        &self,
        log: &WriteLog<'_>,
        applied: &Applied<'_>,
        stays: Option<Stays>,
    ) -> (Entry, Vec<(String, PathBuf)>) {
        let at = self.host.clock.now().to_string();
        let ledger = log.ledger.display().to_string();
        let mut writing = self.current_write.borrow_mut();
        let WritePart { write, with } = writing.name(&ledger, log.home, &at, applied);
        let entry = Entry {
            write,
            command: writing.command().to_owned(),
            from: self.undo_key(),
            checkout: self.checkout_in(log.home),
            guests: self.guest_ledgers(&ledger),
            ledger,
            with: with.iter().map(|(ledger, _)| ledger.clone()).collect(),
            at,
            actor: self.actor().to_owned(),
            stays,
            changes: applied.planned.changes.clone(),
            ..Entry::default()
        };
        (entry, with)
    }

    /// The mark of this checkout in the log of a state home.
    pub(in crate::store) fn checkout_in(&self, home: &Path) -> Option<String> {
        Noted::of(&Path::new(&self.undo_key()).join("ledger"), home).map(|noted| noted.mark)
    }

    /// Marks the home so that undo may follow the entry's path; if that fails, undo asks the user.
    fn mark_first(&self, log: &WriteLog<'_>, entry: &Entry) {
        if !entry.guests.is_empty() || !entry.with.is_empty() {
            let _ = make_first(log.home, &self.host.env, self.lock_wait);
        }
    }
}
