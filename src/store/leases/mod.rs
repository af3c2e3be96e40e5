//! The records of claims: who works on an issue, across all checkouts of its repository.
//!
//! Owns `leases.jsonl` in the state home of the repo that owns the issue: one line per issue that was ever claimed,
//! which keeps its epoch for ever. Every decision about a claim, and every write to a ledger whose repo has claims,
//! happens under the lock of that state home, taken before the ledger's. So a holder that lost its claim cannot write
//! before it notices.

mod damage;
pub(in crate::store) mod held;
pub(in crate::store) mod judge;
pub(in crate::store) mod list;
pub(in crate::store) mod locks;
pub(in crate::store) mod messages;
mod remote;
mod workflows;

pub use list::LeaseRow;
pub use locks::Idleness;
pub use remote::{RemoteChange, RemoteNews};
pub use workflows::{TaskRow, TaskState, WorkflowRow};

pub(in crate::store) use judge::Fenced;
pub(in crate::store) use locks::HeldHome;

use crate::store::error::LeaseError;
use crate::store::file_names::LEASES_NAME;
use crate::store::state::leases::{Leases, parse};
use crate::store::{Result, Snapshot, StateDir};

/// The label of an issue that failed too often to be handed out again.
pub(in crate::store) const NEEDS_ATTENTION: &str = "needs-attention";

impl Snapshot {
    /// The state homes of some ledgers, each once, in the order in which they are locked.
    pub(in crate::store) fn lease_homes(&self, sources: impl IntoIterator<Item = usize>) -> Vec<StateDir> {
        let mut homes: Vec<StateDir> = sources.into_iter().map(|source| self.lease_home(source)).collect();
        homes.sort_by(|a, b| a.path().cmp(b.path()));
        homes.dedup_by(|a, b| a.path() == b.path());
        homes
    }

    /// The state home with the claims on the issues of a ledger.
    pub(in crate::store) fn lease_home(&self, source: usize) -> StateDir {
        StateDir::of(self.state_home_of(self.sources.member_of(source)))
    }

    /// The ledger whose state home records an issue's claim: its owner's, unless someone claimed it elsewhere before it
    /// was proposed, accepted or seen on this branch. There the claim stays until it ends.
    pub(in crate::store) fn lease_source(&self, id: &str) -> Result<usize> {
        let owner = self.owner_of(id)?;
        if self.sources.len() > 1 {
            for source in std::iter::once(owner).chain((0..self.sources.len()).filter(|source| *source != owner)) {
                if self.leases_of(source)?.get(id).is_some_and(|lease| lease.holder.is_some()) {
                    return Ok(source);
                }
            }
        }
        Ok(owner)
    }

    /// The key of an issue in a state home.
    pub(in crate::store) fn lease_key(&self, source: usize, home: &StateDir, id: &str) -> Result<String> {
        if home.is_shared() {
            return Ok(format!("{}/{id}", self.repository_id(self.sources.member_of(source))?));
        }
        Ok(id.to_owned())
    }

    /// The current claims on issues of a ledger, read without a lock, by issue.
    pub(in crate::store) fn leases_of(&self, source: usize) -> Result<Leases> {
        let home = self.lease_home(source);
        let document = self.records(&home.file(LEASES_NAME))?;
        if document.is_empty() {
            return Ok(Leases::new());
        }
        home.check()?;
        // A reader gives the repository no id.
        let is_nameless = || self.known_repository_id(self.sources.member_of(source)).is_none();
        if home.is_shared() && is_nameless() {
            return Ok(Leases::new());
        }
        let prefix = self.lease_key(source, &home, "")?;
        let own = parse(&document)
            .into_iter()
            .filter_map(|(key, lease)| Some((key.strip_prefix(&prefix)?.to_owned(), lease)));
        Ok(own.collect())
    }
}

impl From<LeaseError> for crate::store::StoreError {
    fn from(error: LeaseError) -> Self {
        crate::store::StoreError::Lease(Box::new(error))
    }
}
