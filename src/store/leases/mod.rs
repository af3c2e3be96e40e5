//! Claims: who works on an issue, among all checkouts of its repository.
//!
//! Owns `leases.jsonl` in the state home of the repo that owns the issue: one line per issue that was ever claimed, which keeps its
//! epoch for ever. Whatever decides over a claim, and every write of a ledger whose repo knows claims, happens under the lock of that
//! state home, taken before the ledger's: so a holder that lost its claim cannot write between the loss and the notice of it.

mod claim;
mod fence;
mod handout;
mod held;
mod list;
mod lock;
mod lock_fence;
mod release;

pub use claim::{AutoClaim, ClaimWish, Claimed, Evidence};
pub use handout::NotHandedOut;
pub use held::Stillness;
pub use list::LeaseRow;
pub use lock::LockedWorkflow;
pub use release::{Reclaimed, ReleaseWish, Released};

pub(super) use fence::Settled;
pub(super) use held::{HeldHome, Locks};
pub(super) use list::KnownLeases;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Result, StateDir, View, Withheld};
use crate::ledger::Document;
use crate::model::lease::{Lease, Now, Standing};
use crate::sys;

pub const LEASES_NAME: &str = "leases.jsonl";
/// The variable that holds the numbers of claims: `ID:EPOCH`, several with commas, blanks or line ends between them.
pub const LEASE_VARIABLE: &str = "BD_LEASE";

/// Why a claim was not made, or a write not let through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LeaseError {
    #[error("{id} is already claimed by {holder}{}{}", place(worktree), until(expires))]
    Claimed {
        id: String,
        holder: String,
        agent: Option<String>,
        epoch: i64,
        expires: Option<String>,
        worktree: Option<String>,
    },
    #[error("{id} is locked by {holder}{}", until(expires))]
    Locked { id: String, holder: String, agent: Option<String>, epoch: i64, expires: Option<String> },
    #[error("the claim of {name} on {id} (epoch {held}) is over: {why}; nothing was written")]
    Stale { id: String, name: String, held: i64, epoch: i64, holder: Option<String>, why: String },
    #[error("the lock of {name} on {id} (number {held}) is over: {why}; nothing was written")]
    LockOver { id: String, name: String, held: i64, epoch: i64, holder: Option<String>, why: String },
    #[error("{id} is {status} in the checkout {worktree}, which is not merged here")]
    Elsewhere { id: String, status: String, worktree: String },
    #[error("{id} could not be claimed, and the state home still says that it is: {problem}")]
    HalfMade { id: String, problem: String },
    #[error("{}:{line} knows a claim on {id} and cannot be read; nothing was written", path.display())]
    Damaged { id: String, path: PathBuf, line: usize },
    #[error("{id} cannot be claimed now: {why}")]
    Withheld { id: String, why: Withheld },
    #[error("{id} cannot be claimed now: it waits for {}", blockers.join(" "))]
    Waits { id: String, blockers: Vec<String> },
    #[error("{id} is a workflow: nobody claims it, only its tasks")]
    IsWorkflow { id: String },
    #[error("{id} is a task of the plan of {workflow}: that changes only with the plan")]
    OfPlan { id: String, workflow: String },
    #[error("{workflow} has a task {name:?} already: {other}")]
    SameName { workflow: String, name: String, other: String },
    #[error("{id} is not claimed")]
    NotClaimed { id: String },
    #[error("{text:?} is not ID:EPOCH")]
    BadToken { text: String },
}

fn place(worktree: &Option<String>) -> String {
    worktree.as_ref().map(|name| format!(" in {name}")).unwrap_or_default()
}

fn until(expires: &Option<String>) -> String {
    expires.as_ref().map(|at| format!(" until {at}")).unwrap_or_default()
}

/// The claims that a state home knows, by key.
pub(super) type Leases = BTreeMap<String, Lease>;

fn parse(document: &Document) -> Leases {
    let records = (0..document.len()).filter_map(|line| document.record(line));
    records.filter_map(|record| Lease::parse(&record)).map(|lease| (lease.id.clone(), lease)).collect()
}

/// How a lease stands, the process that it may belong to included.
pub(in crate::store) fn standing(lease: &Lease, now: &Now) -> Standing {
    let is_gone = || lease.holder.as_ref().and_then(|holder| holder.owner.as_ref()).is_some_and(sys::is_gone);
    match lease.standing(now) {
        Standing::Live if is_gone() => Standing::Expired,
        other => other,
    }
}

impl View {
    /// The state home that knows the claims on the issues of a ledger.
    pub(super) fn lease_home(&self, source: usize) -> StateDir {
        StateDir::of(self.state_home_of(self.sources.member_of(source)))
    }

    /// The ledger whose state home knows who holds an issue: that of its owner, unless somebody claimed it elsewhere before it was
    /// proposed, accepted or seen on this branch. There the claim stays until it ends.
    pub(super) fn lease_source(&mut self, id: &str) -> Result<usize> {
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

    /// Under which key a state home knows an issue.
    pub(super) fn lease_key(&self, source: usize, home: &StateDir, id: &str) -> Result<String> {
        if home.is_shared() {
            return Ok(format!("{}/{id}", self.repo_id(self.sources.member_of(source))?));
        }
        Ok(id.to_owned())
    }

    /// The claims on issues of a ledger as they are now, without a lock, by issue.
    pub(super) fn leases_of(&self, source: usize) -> Result<Leases> {
        let home = self.lease_home(source);
        let document = self.records(&home.file(LEASES_NAME))?;
        if document.is_empty() {
            return Ok(Leases::new());
        }
        home.check()?;
        let prefix = self.lease_key(source, &home, "")?;
        let own = parse(&document)
            .into_iter()
            .filter_map(|(key, lease)| Some((key.strip_prefix(&prefix)?.to_owned(), lease)));
        Ok(own.collect())
    }
}

impl From<Box<LeaseError>> for super::StoreError {
    fn from(error: Box<LeaseError>) -> Self {
        super::StoreError::Lease(error)
    }
}

impl From<LeaseError> for super::StoreError {
    fn from(error: LeaseError) -> Self {
        super::StoreError::Lease(Box::new(error))
    }
}
