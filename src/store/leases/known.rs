//! The claims of a state home, as its file has them.

use std::collections::BTreeMap;

use crate::ledger::Document;
use crate::model::lease::Lease;
use crate::store::stamps::Stamps;

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
    let records = (0..document.len()).filter_map(|line| document.record(line));
    records.filter_map(|record| Lease::parse(&record)).map(|lease| (lease.id.clone(), lease)).collect()
}
