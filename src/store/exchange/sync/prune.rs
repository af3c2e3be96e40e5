//! Automatic pruning, where `prune.auto` asks for it: after the ledger is committed, in a separate commit.

use super::{Project, RepoSync, Store};
use crate::ledger::LockedLedger;
use crate::model::time::Instant;
use crate::store::Result;
use crate::store::past::prune::{PruneRequest, prune_message};
use crate::store::read::working_copies::WorkingCopy;

impl Project {
    /// Issues closed before this time are pruned automatically. The project's committed file counts only for the
    /// project's own ledger, not for a planning repo.
    fn prunes_before(&self, member: usize) -> Option<Instant> {
        let shared = member == 0;
        let age = if shared { Some(self.settings.word("prune.auto")) } else { self.settings.own_text("prune.auto") }?;
        // "off" is not a duration.
        self.host.clock.calendar().back(age)
    }
}

impl Store {
    /// Prunes issues from the ledgers of a working copy that have been closed as long as the settings say, and commits
    /// that; without the locks, only reports what it would do. Failures are reported and stop nothing.
    pub(super) fn prune_as_set(
        &mut self,
        copy: &WorkingCopy,
        locks: Option<&[(usize, LockedLedger)]>,
        one: &mut RepoSync,
    ) {
        let mut pruned = Vec::new();
        for source in &copy.sources {
            let Some(before) = self.prunes_before(self.sources.member_of(*source)) else { continue };
            match self.prune_source(*source, locks, before) {
                Ok(ids) => pruned.extend(ids),
                Err(error) => one.notes.push(format!("not pruned: {error}")),
            }
        }
        if pruned.is_empty() {
            return;
        }
        if locks.is_some()
            && let Err(error) = self.commit_locked(copy, Some(&prune_message(&pruned)))
        {
            one.notes.push(format!("pruned and not committed: {error}"));
        }
        one.pruned = pruned;
    }

    fn prune_source(
        &mut self,
        source: usize,
        locks: Option<&[(usize, LockedLedger)]>,
        before: Instant,
    ) -> Result<Vec<String>> {
        let request = PruneRequest { before: Some(before), ..PruneRequest::default() };
        let member = self.sources.member_of(source);
        self.writable(member)?;
        let lock = locks.and_then(|locks| locks.iter().find(|(locked, _)| *locked == source));
        let done = match lock {
            Some((_, lock)) => self.prune_locked(source, lock, &request)?,
            None => self.prune(member, &request, true)?,
        };
        Ok(done.ids())
    }
}
