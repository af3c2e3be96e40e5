//! The claims of a state home, as its file has them.

use std::collections::BTreeMap;

use crate::ledger::Document;
use crate::model::lease::Lease;
use crate::store::read::stamps::Stamps;
use crate::store::state::tables::LEASES;

/// Claims by issue, and what they were read from.
#[derive(Debug)]
pub struct KnownLeases {
    pub(super) stamps: Stamps,
    pub(super) all: Vec<(String, Lease)>,
    /// Those on tasks of workflows, of any repo.
    pub(super) of_workflows: Vec<(String, Lease)>,
}

/// The claims that a state home knows, by key.
pub(super) type Leases = BTreeMap<String, Lease>;

pub(super) fn parse(document: &Document) -> Leases {
    LEASES.rows(document).map(|lease| (lease.id.clone(), lease)).collect()
}
