//! Which ledgers a write needs, and their locks: first state homes with claims, then ledgers, each in the order of
//! their paths.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;

use super::intent::Scope;
use crate::ledger::{LedgerError, LockedLedger};
use crate::store::leases::HeldHome;
use crate::store::state::tables::LEASES;
use crate::store::{Result, Snapshot, Store, StoreError, no_ledger};
use crate::sys::path;

/// The locks of some ledgers, and of the state homes with claims on their issues.
#[derive(Debug)]
#[must_use = "the locks are released when this is dropped"]
pub(in crate::store) struct Locks {
    /// Declared first, so released first.
    pub ledgers: Vec<(usize, LockedLedger)>,
    _homes: Vec<Arc<HeldHome>>,
}

impl Locks {
    pub(crate) fn none() -> Self {
        Locks { ledgers: Vec::new(), _homes: Vec::new() }
    }

    /// Releases the locks, and returns once everything written under them is on disk. Returns the ledgers for which
    /// that failed.
    pub(crate) fn release(locks: Arc<Locks>) -> Vec<(usize, LedgerError)> {
        let ledgers = match Arc::try_unwrap(locks) {
            Ok(Locks { ledgers, _homes }) => {
                ledgers.into_iter().map(|(source, lock)| (source, lock.release())).collect()
            }
            // Another holder keeps them.
            Err(shared) => shared.iter().map(|(source, lock)| (*source, lock.sync())).collect::<Vec<_>>(),
        };
        ledgers.into_iter().filter_map(|(source, done)| done.err().map(|error| (source, error))).collect()
    }
}

impl Deref for Locks {
    type Target = Vec<(usize, LockedLedger)>;

    fn deref(&self) -> &Self::Target {
        &self.ledgers
    }
}

impl DerefMut for Locks {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.ledgers
    }
}

impl Snapshot {
    pub(super) fn sources_of(&self, scope: &Scope) -> Result<Vec<usize>> {
        let mut members = match scope {
            // One ledger owns everything: no need to read it.
            Scope::Issues(_) if self.sources.len() == 1 => vec![0],
            Scope::Issues(ids) => {
                self.read_ledgers()?;
                let owners = ids.iter().filter_map(|id| self.owner(id));
                // Editing a proposed issue writes both copies.
                let pairs = ids.iter().filter_map(|id| self.pair(id)).flat_map(|pair| [pair.target, pair.planning]);
                let mut members: Vec<usize> = owners.chain(pairs).map(|n| self.sources.member_of(n)).collect();
                // Remarks on an issue that this user may not write go to its companion.
                for id in ids {
                    members.extend(self.home_of_companion(id)?.map(|n| self.sources.member_of(n)));
                }
                members
            }
            Scope::Repos(members) => members.clone(),
            Scope::All => {
                let usable = |n: &usize| !self.sources.of_member(*n).is_empty();
                (0..self.repos.members.len()).filter(usable).collect::<Vec<usize>>()
            }
        };
        members.sort_unstable();
        members.dedup();
        if *scope == Scope::All {
            // Only the ledgers to write must be usable; the others are locked so that they do not change.
            return Ok(members.iter().filter_map(|n| self.sources.of_member(*n).first().copied()).collect());
        }
        members.iter().map(|member| self.writable(*member)).collect()
    }

    /// The only writable ledger of a repo.
    pub(in crate::store) fn writable(&self, member: usize) -> Result<usize> {
        let repo = &self.repos.members[member];
        let untrusted = self.repos.untrusted.iter().find(|path| member == 0 && path.key == "repos.primary");
        if let Some(path) = untrusted {
            let (text, path) = (path.text.clone(), path.resolved.clone());
            return Err(StoreError::Untrusted { key: "repos.primary", text, path });
        }
        if let Some(error) = &repo.broken {
            return Err(error.clone().into());
        }
        match self.sources.of_member(member).as_slice() {
            [source] => {
                let is_missing = path::is_missing(self.sources.ledger(*source).path());
                let missing = is_missing.then(|| no_ledger(repo.repo.beads()));
                match missing.filter(|error| matches!(error, StoreError::OnlyDatabase { .. })) {
                    Some(error) => Err(error),
                    None => Ok(*source),
                }
            }
            [] => Err(no_ledger(repo.repo.beads())),
            _ => Err(StoreError::TwoLedgers { directory: repo.repo.beads().to_owned() }),
        }
    }
}

impl Store {
    /// Locks ledgers, in the order of their paths; before them the state homes with claims, so that no claim changes
    /// between its check and the write.
    pub(in crate::store) fn lock(&mut self, wanted: &[usize]) -> Result<Locks> {
        let mut homes = self.lease_homes(wanted.iter().copied());
        // A home used by an earlier version is migrated with the first write.
        homes.retain(|home| LEASES.file(home).exists() || home.is_earlier());
        let homes = homes.into_iter().map(|home| self.hold(home)).collect::<Result<Vec<_>>>()?;
        Ok(Locks { ledgers: self.lock_ledgers(wanted)?, _homes: homes })
    }

    /// Locks only ledgers, for operations that run programs meanwhile and change no issue themselves.
    pub(in crate::store) fn lock_ledgers(&mut self, wanted: &[usize]) -> Result<Vec<(usize, LockedLedger)>> {
        self.current_write.borrow_mut().start();
        let mut order: Vec<usize> = wanted.to_vec();
        order.sort_by(|a, b| self.sources.ledger(*a).path().cmp(self.sources.ledger(*b).path()));
        order.dedup();
        let directory = |n: usize| self.sources.ledger(n).path().parent();
        // They share one lock, and it is unknown which of them to write.
        if let Some(pair) = order.windows(2).find(|pair| directory(pair[0]) == directory(pair[1])) {
            let directory = directory(pair[0]).unwrap_or(Path::new(".")).to_owned();
            return Err(StoreError::TwoLedgers { directory });
        }
        let mut ledgers = Vec::new();
        for n in order {
            ledgers.push((n, self.sources.ledger(n).lock(self.lock_wait)?));
        }
        self.look_at_issues_again();
        Ok(ledgers)
    }
}
