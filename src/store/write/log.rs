//! What is kept of a write that is on disk: in the journal, for what other programs take out again, and in the log of `bd undo`.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::ledger::{Applied, Ledger};
use crate::store::checkout::Noted;
use crate::store::home_word::make_first;
use crate::store::journal::{Account, Journal, JournalError};
use crate::store::undo::{Named, Part, Stays, UndoLog};
use crate::store::{Project, Store, View, Warning, actor, home, place};

impl Project {
    pub(in crate::store) fn note(
        &self,
        journal: &Journal<'_>,
        applied: &Applied,
    ) -> std::result::Result<Account, JournalError> {
        journal.append(applied, &self.writer(), self.host.clock.now(), &self.host.entropy)
    }

    pub(in crate::store) fn writer(&self) -> Cow<'_, str> {
        match &self.actor {
            Some(actor) => Cow::Borrowed(actor),
            None => Cow::Owned(actor::find(&self.host.env, self.repo.root())),
        }
    }
}

impl View {
    /// Remembers what the journal said of a write: what is missing from the file, or that the write is not in it.
    fn noted(&self, ledger: &Ledger, applied: &Applied, noted: std::result::Result<Account, JournalError>) {
        let source = self.sources.find(ledger);
        match noted {
            Ok(account) => {
                if let (Some(source), Some(left)) = (source, applied.left) {
                    let ids = account.missing.into_iter().map(|missing| missing.id).collect();
                    self.sources.watched(source).replace(Some((left, Ok(ids))));
                }
            }
            Err(error) => {
                let repo = source.map_or(".", |source| self.name(self.sources.member_of(source))).to_owned();
                let warning = Warning::NotJournaled { repo, message: error.to_string() };
                let mut unjournaled = self.unjournaled.borrow_mut();
                if !unjournaled.contains(&warning) {
                    unjournaled.push(warning);
                }
            }
        }
    }
}

impl Store {
    /// Notes a write. It stands whatever becomes of this.
    pub(super) fn log(
        &self,
        ledger: &Ledger,
        applied: &Applied,
        stays: Option<Stays>,
        note: impl FnOnce(&Journal<'_>) -> Result<Account, JournalError>,
    ) {
        let noted = self.journaling(ledger, note);
        self.noted(ledger, applied, noted);
        self.remember(ledger, applied, stays);
        self.touch_placeholder();
    }

    /// Keeps a write for `bd undo`. That it cannot be kept is worth a word, unless the journal has said so already.
    fn remember(&self, ledger: &Ledger, applied: &Applied, stays: Option<Stays>) {
        let beads = ledger.path().parent().unwrap_or(ledger.path());
        let found;
        let home = match self.sources.find(ledger) {
            Some(source) => self.sources.home(source),
            None => {
                found = home::state_home(beads, &self.host.env);
                &found
            }
        };
        let at = self.host.clock.now().to_string();
        let ledger = place::real(ledger.path()).display().to_string();
        let is_locked = Path::new(&ledger).parent().is_some_and(|directory| *directory == place::real(home));
        let log = UndoLog { home, is_locked };
        let checkout =
            |home: &Path| Noted::of(&Path::new(&self.undo_key()).join("ledger"), home).map(|noted| noted.mark);
        let Named { write, with, is_first } = self.writing.borrow_mut().name(&ledger, home, &at, applied);
        let part = Part {
            write,
            command: self.writing.borrow().command().to_owned(),
            from: self.undo_key(),
            checkout: checkout(home),
            guests: self.guest_ledgers(&ledger),
            ledger,
            with: with.iter().map(|(ledger, _)| ledger.clone()).collect(),
            at,
            actor: self.writer().into_owned(),
            stays,
            changes: if stays.is_some() { Vec::new() } else { applied.changes.clone() },
        };
        // A log that was written before learns that the write went on: without the repo of this one only a half would go back.
        let elsewhere = with.into_iter().filter(|(_, other)| *other != home);
        let known: Vec<(PathBuf, Part)> = elsewhere
            .map(|(earlier, other)| {
                let with = vec![part.ledger.clone()];
                let (checkout, guests, changes) = (checkout(&other), Vec::new(), Vec::new());
                (other, Part { ledger: earlier, with, checkout, guests, changes, ..part.clone() })
            })
            .collect();
        self.keep_part(&log, part, is_first);
        for (home, part) in known {
            self.keep_part(&UndoLog { home: &home, is_locked: false }, part, false);
        }
    }

    fn keep_part(&self, log: &UndoLog<'_>, part: Part, is_first: bool) {
        if !part.guests.is_empty() || !part.with.is_empty() {
            // So that undo may go there; where it cannot be noted, undo asks.
            let _ = make_first(log.home, &self.host.env, self.lock_wait);
        }
        if let Err(error) = log.append(part, is_first)
            && self.unjournaled.borrow().is_empty()
        {
            self.unjournaled.borrow_mut().push(Warning::NotUndoable { message: error.to_string() });
        }
    }
}
