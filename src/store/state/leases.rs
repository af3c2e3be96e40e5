//! The claims in a state home's file.

use std::collections::BTreeMap;

use super::stamps::Stamps;
use super::tables::LEASES;
use crate::ledger::Document;
use crate::model::lease::{Lease, Now, Standing};
use crate::model::state_id;
use crate::sys;

/// Claims by issue, and the stamps of their files.
#[derive(Debug)]
pub(crate) struct KnownLeases {
    pub(in crate::store) stamps: Stamps,
    pub(in crate::store) all: Vec<(String, Lease)>,
    /// Claims on tasks of workflows, of any repo.
    pub(in crate::store) of_workflows: Vec<(String, Lease)>,
}

/// The claims of a state home, by key.
pub(in crate::store) type Leases = BTreeMap<String, Lease>;

pub(in crate::store) fn parse(document: &Document) -> Leases {
    LEASES.rows(document).map(|lease| (lease.id.clone(), lease)).collect()
}

/// The validity of a lease, including the process it may be tied to.
pub(in crate::store) fn standing(lease: &Lease, now: &Now) -> Standing {
    let is_gone = || lease.holder.as_ref().and_then(|holder| holder.owner.as_ref()).is_some_and(sys::is_gone);
    match lease.standing(now) {
        Standing::Live if is_gone() => Standing::Expired,
        other => other,
    }
}

/// Whether a lease is a workflow's lock, judging by its issue.
pub(in crate::store) fn is_lock(issue: &str) -> bool {
    state_id::is(state_id::WORKFLOW, issue)
}

/// The issue of a key.
pub(in crate::store) fn issue_of(key: &str) -> &str {
    key.split_once('/').filter(|(repo, _)| state_id::is(state_id::REPOSITORY, repo)).map_or(key, |(_, id)| id)
}
