//! Watching over acknowledged writes: every write goes into the journal and into the log of `bd undo`, and what the journal knows
//! is looked for in the files.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::checkout::Noted;
use super::home_word::make_first;
use super::journal::{Account, Journal, JournalError};
use super::leases::{LeaseError, Settled};
use super::source::{Watched, expected};
use super::undo::Named;
use super::undo::{Part, Stays, UndoLog};
use super::{Project, Result, Store, View, Warning, actor, home, place};
use crate::ledger::{Applied, Document, Edit, Expectation, Ledger, LedgerError, LockedLedger, Outcome};
use crate::sys::fs;

impl Project {
    pub(super) fn note(&self, journal: &Journal<'_>, applied: &Applied) -> std::result::Result<Account, JournalError> {
        journal.append(applied, &self.writer(), self.host.clock.now(), &self.host.entropy)
    }

    pub(super) fn writer(&self) -> Cow<'_, str> {
        match &self.actor {
            Some(actor) => Cow::Borrowed(actor),
            None => Cow::Owned(actor::find(&self.host.env, self.repo.root())),
        }
    }
}

impl View {
    /// Gives the journal that a ledger's writes go to.
    pub(super) fn journaling<T>(&self, ledger: &Ledger, work: impl FnOnce(&Journal<'_>) -> T) -> T {
        let env = &self.host.env;
        let path = ledger.path();
        match self.sources.find(ledger) {
            Some(source) => work(&Journal { home: self.sources.home(source), ledger: path, env }),
            None => {
                let beads = path.parent().unwrap_or(path);
                work(&Journal { home: &home::state_home(beads, env), ledger: path, env })
            }
        }
    }

    /// Remembers what the journal said of a write: what is missing from the file, or that the write is not in it.
    pub(super) fn noted(&self, ledger: &Ledger, applied: &Applied, noted: std::result::Result<Account, JournalError>) {
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

    /// Acknowledged writes that other programs took out of the ledgers, as of the last read or write.
    pub(super) fn removed(&self) -> Vec<Warning> {
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

    /// `None` if the file has not been looked at, or has changed since.
    fn missing_from(&self, source: usize) -> Option<Watched> {
        if self.sources.is_frozen(source) {
            return None;
        }
        let ledger = self.sources.ledger(source);
        let watched = self.sources.watched(source);
        let read = self.sources.last_read(source);
        if read.is_none() && watched.borrow().is_none() {
            return None;
        }
        let now = fs::stat(ledger.path()).ok()?;
        if let Some((stamp, known)) = &*watched.borrow()
            && *stamp == now
        {
            return Some(known.clone());
        }
        let (document, _) = read.filter(|(_, stamp)| **stamp == now)?;
        let account = self.journaling(ledger, |journal| journal.account(document, &now));
        let found = match account {
            Ok(account) => Ok(account.missing.into_iter().map(|missing| missing.id).collect::<Vec<_>>()),
            Err(error) => Err(error.to_string()),
        };
        // A write that came after the read is in the journal and not in what was read: that is no loss.
        let quiet = matches!(&found, Ok(ids) if ids.is_empty());
        if !quiet && fs::stat(ledger.path()).ok() != Some(now) {
            return None;
        }
        watched.replace(Some((now, found.clone())));
        Some(found)
    }

    /// Drops from the journal of a repo what a remote has by now.
    pub fn prune_journal(&self, member: usize) -> Result<()> {
        for source in self.sources.of_member(member) {
            let ledger = self.sources.ledger(source);
            self.journaling(ledger, |journal| journal.prune(&self.host.entropy))?;
        }
        Ok(())
    }
}

impl Store {
    /// The one way to write a ledger: what is on disk is noted in the journal before anybody is told.
    pub fn write_ledger<E: From<LedgerError> + From<Box<LeaseError>>>(
        &self,
        lock: &LockedLedger,
        expected: impl Fn() -> Expectation,
        mut plan: impl FnMut(&Document) -> std::result::Result<Vec<Edit>, E>,
    ) -> std::result::Result<Outcome, E> {
        let source = self.sources.find(lock.ledger());
        let settled = RefCell::new(Settled::default());
        let outcome = self.write_noted::<E>(
            lock,
            expected,
            |document| {
                let edits = plan(document)?;
                if let Some(source) = source {
                    settled.replace(self.fence_edits(source, document, &edits)?);
                }
                Ok(edits)
            },
            None,
        )?;
        if let (Some(source), Outcome::Written) = (source, &outcome) {
            self.settle_leases(source, &settled.borrow());
        }
        Ok(outcome)
    }

    /// Asks whether a write would be let through. Who writes several ledgers asks for all of them first, under their locks: a
    /// refusal must come before any part is on disk.
    pub fn ask_leave<E: From<LedgerError> + From<Box<LeaseError>>>(
        &self,
        lock: &LockedLedger,
        mut plan: impl FnMut(&Document) -> std::result::Result<Vec<Edit>, E>,
    ) -> std::result::Result<(), E> {
        let ledger = lock.ledger();
        let document = ledger.read(|| expected(ledger.path()))?.document;
        let edits = plan(&document)?;
        ledger.refuse(&document, &edits)?;
        if let Some(source) = self.sources.find(ledger) {
            self.fence_edits(source, &document, &edits)?;
        }
        Ok(())
    }

    /// A write that puts a file in order and changes no issue on purpose: `bd undo` leaves it.
    pub fn repair_ledger<E: From<LedgerError>>(
        &self,
        lock: &LockedLedger,
        expected: impl Fn() -> Expectation,
        plan: impl FnMut(&Document) -> std::result::Result<Vec<Edit>, E>,
    ) -> std::result::Result<Outcome, E> {
        self.write_noted(lock, expected, plan, Some(Stays::Repair))
    }

    fn write_noted<E: From<LedgerError>>(
        &self,
        lock: &LockedLedger,
        expected: impl Fn() -> Expectation,
        plan: impl FnMut(&Document) -> std::result::Result<Vec<Edit>, E>,
        stays: Option<Stays>,
    ) -> std::result::Result<Outcome, E> {
        lock.apply(&self.host.entropy, expected, plan, |applied| {
            self.journaling(lock.ledger(), |journal| {
                let noted = self.note(journal, &applied);
                self.noted(lock.ledger(), &applied, noted);
            });
            self.remember(lock.ledger(), &applied, stays);
            self.touch_placeholder();
        })
    }

    /// Keeps a write for `bd undo`. That it cannot be kept is worth a word, unless the journal has said so already.
    pub(super) fn remember(&self, ledger: &Ledger, applied: &Applied, stays: Option<Stays>) {
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
