//! The only place where plans become files: notes what is on disk in the logs before it is acknowledged, then updates
//! the claims. A dry run takes the same path and stops before the file is replaced.

use super::draft::Draft;
use crate::ledger::{Applied, Document, Edit, Expectation, Ledger, LedgerError, LockedLedger, OnDisk, Outcome};
use crate::store::read::index::expected;
use crate::store::state::log::{Missing, Stays, WriteLog};
use crate::store::{Store, StoreError};

impl Store {
    /// Writes a ledger. A failure reports what the command has changed before.
    pub fn write_ledger(
        &self,
        lock: &LockedLedger,
        plan: impl FnMut(&mut Draft<'_>) -> Result<(), StoreError>,
    ) -> Result<Outcome, StoreError> {
        let outcome = self.write_ledger_until(OnDisk::Now, lock, plan);
        self.sources.follow_writes();
        outcome.map_err(|error| self.partly(error))
    }

    /// If a ledger cannot be written after the same command changed another one, the error says so.
    pub(in crate::store) fn partly(&self, error: StoreError) -> StoreError {
        let changed = self.current_write.borrow().changed();
        match error {
            StoreError::Ledger(source) if source.is_of_file() && !changed.is_empty() => {
                StoreError::Partly { changed, source: Box::new(StoreError::Ledger(source)) }
            }
            other => other,
        }
    }

    /// The same for a ledger whose lock is released before the index follows
    /// ([`Locks::release`](super::lock::Locks::release)).
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
                self.log(ledger, &applied, None, |_, missing| Ok(missing));
                self.sources.note_write(ledger, &applied);
                if let Some(source) = self.sources.find(ledger) {
                    self.settle_claims(source, &applied.planned.changes);
                }
            },
        );
        self.sources.end_write();
        outcome
    }

    /// Checks whether a write would be accepted, on what is on disk now. Before writing several ledgers, check all of
    /// them under their locks: a refusal must come before any part is on disk.
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

    /// The edits that a plan makes to a locked ledger, on top of edits already planned for it.
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

    /// Repairs a file without changing an issue on purpose: claims do not block this, and `bd undo` ignores it.
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
            |applied| self.log(lock.ledger(), &applied, Some(Stays::Repair), |_, missing| Ok(missing)),
        )
    }

    /// Restores acknowledged writes, without asking guards again. Once that is in the log, `then` gets what is still
    /// missing.
    pub(in crate::store) fn recover_ledger(
        &self,
        lock: &LockedLedger,
        plan: impl FnMut(&Document) -> Result<Vec<Edit>, LedgerError>,
        then: impl FnOnce(&WriteLog<'_>, &Applied<'_>, Vec<Missing>) -> Result<Vec<Missing>, LedgerError>,
    ) -> Result<Outcome, LedgerError> {
        let path = lock.ledger().path();
        lock.apply(
            OnDisk::Now,
            &self.host.entropy,
            || expected(path),
            plan,
            |_, _| {},
            |applied| self.log(lock.ledger(), &applied, None, |log, missing| then(log, &applied, missing)),
        )
    }
}
