//! Plans become files here and nowhere else: what is on disk is noted in the logs before anybody is told, and then the claims are
//! settled. A dry run goes the same way and stops before the file is replaced.

use super::draft::Draft;
use crate::ledger::{Applied, Document, Edit, Expectation, Ledger, LedgerError, LockedLedger, OnDisk, Outcome};
use crate::store::read::index::expected;
use crate::store::state::log::{Account, LogError, Stays, WriteLog};
use crate::store::{Store, StoreError};

impl Store {
    /// Writes a ledger. A failure tells what the command has changed before.
    pub fn write_ledger(
        &self,
        lock: &LockedLedger,
        plan: impl FnMut(&mut Draft<'_>) -> Result<(), StoreError>,
    ) -> Result<Outcome, StoreError> {
        let outcome = self.write_ledger_until(OnDisk::Now, lock, plan);
        self.sources.follow_writes();
        outcome.map_err(|error| self.partly(error))
    }

    /// A file that fails leaves what the same command has written elsewhere before: whoever reads the failure must know.
    pub(in crate::store) fn partly(&self, error: StoreError) -> StoreError {
        let changed = self.writing.borrow().changed();
        match error {
            StoreError::Ledger(source) if source.is_of_file() && !changed.is_empty() => {
                StoreError::Partly { changed, source: Box::new(StoreError::Ledger(source)) }
            }
            other => other,
        }
    }

    /// The same for one whose lock is given back before the index follows ([`Locks::release`](super::lock::Locks::release)).
    pub(super) fn write_ledger_until<E: From<LedgerError>>(
        &self,
        on_disk: OnDisk,
        lock: &LockedLedger,
        mut plan: impl FnMut(&mut Draft<'_>) -> Result<(), E>,
    ) -> Result<Outcome, E> {
        let ledger = lock.ledger();
        let drafted = |document: &Document| self.drafted(ledger, document, &mut plan);
        let outcome = lock.apply(
            on_disk,
            &self.host.entropy,
            || expected(ledger.path()),
            drafted,
            |planned, before| self.sources.begin_write(ledger, planned, before),
            |applied| {
                self.log(ledger, &applied, None, |_, account| Ok(account));
                self.sources.note_write(ledger, &applied);
                if let Some(source) = self.sources.find(ledger) {
                    self.settle_claims(source, &applied.planned.changes);
                }
            },
        );
        self.sources.end_write();
        outcome
    }

    /// Asks whether a write would be made, on what is on disk now. Who writes several ledgers asks for all of them first, under their
    /// locks: a refusal must come before any part is on disk.
    pub fn rehearse_ledger<E: From<LedgerError>>(
        &self,
        ledger: &Ledger,
        mut plan: impl FnMut(&mut Draft<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.gathered.is_some() && self.sources.held(ledger).is_some() {
            return self.draft_ledger(ledger, &mut plan).map(drop);
        }
        let snapshot = ledger.read(|| expected(ledger.path()))?;
        let edits = self.drafted(ledger, &snapshot.document, &mut plan)?;
        Ok(ledger.rehearse(&snapshot, &edits)?)
    }

    /// The edits that a plan makes of a ledger that is held, with what others have planned for it.
    pub(super) fn draft_ledger<E: From<LedgerError>>(
        &self,
        ledger: &Ledger,
        plan: &mut impl FnMut(&mut Draft<'_>) -> Result<(), E>,
    ) -> Result<Vec<Edit>, E> {
        match self.sources.held(ledger) {
            Some(document) => self.drafted(ledger, document, plan),
            None => Err(LedgerError::Unstable { path: ledger.path().to_owned() }.into()),
        }
    }

    fn drafted<E>(
        &self,
        ledger: &Ledger,
        document: &Document,
        plan: &mut impl FnMut(&mut Draft<'_>) -> Result<(), E>,
    ) -> Result<Vec<Edit>, E> {
        let mut draft = Draft::new(self, ledger, document);
        plan(&mut draft)?;
        Ok(draft.into_edits())
    }

    /// Puts a file in order and changes no issue on purpose: no claim stands against that, and `bd undo` leaves it.
    pub fn repair_ledger<E: From<LedgerError>>(
        &self,
        lock: &LockedLedger,
        expected: impl Fn() -> Expectation,
        plan: impl FnMut(&Document) -> Result<Vec<Edit>, E>,
    ) -> Result<Outcome, E> {
        lock.apply(
            OnDisk::Now,
            &self.host.entropy,
            expected,
            plan,
            |_, _| {},
            |applied| self.log(lock.ledger(), &applied, Some(Stays::Repair), |_, account| Ok(account)),
        )
    }

    /// Puts back what was acknowledged before: nobody is asked again. When it is in the log, `then` looks at what is missing still.
    pub(in crate::store) fn recover_ledger(
        &self,
        lock: &LockedLedger,
        plan: impl FnMut(&Document) -> Result<Vec<Edit>, LedgerError>,
        then: impl FnOnce(&WriteLog<'_>, &Applied<'_>, Account) -> Result<Account, LogError>,
    ) -> Result<Outcome, LedgerError> {
        let path = lock.ledger().path();
        lock.apply(
            OnDisk::Now,
            &self.host.entropy,
            || expected(path),
            plan,
            |_, _| {},
            |applied| self.log(lock.ledger(), &applied, None, |log, account| then(log, &applied, account)),
        )
    }
}
