//! What was found outside of the project's own ledgers, as last read: planning issues of other projects, other checkouts.

use std::collections::{BTreeMap, HashMap};

use super::Warning;
use super::row::{Elsewhere, Row};
use super::stamps::Stamps;
use crate::model::proposal::Owner;
use crate::sys::fs::FileStamp;

/// Issues of other projects, as found in the ledgers with these stamps.
#[derive(Debug, Default)]
pub(super) struct Others {
    pub(super) found: HashMap<String, Owner>,
    pub(super) stamps: Vec<FileStamp>,
    pub(super) numbering: u64,
}

/// What was found, and in which state of the files.
#[derive(Debug, Default)]
pub struct Siblings {
    /// What it was derived from, the list of checkouts included.
    pub(super) stamps: Option<Stamps>,
    pub(super) own: Vec<Option<FileStamp>>,
    pub(super) found: BTreeMap<String, Vec<Elsewhere>>,
    /// Ledgers of other checkouts that cannot be read.
    pub(super) problems: Vec<Warning>,
}

impl Siblings {
    /// Notes on a row how other checkouts have its issue, where they have closed it or are at work on it.
    pub(super) fn mark(&self, row: &mut Row) {
        if self.found.is_empty() {
            return;
        }
        let others = self.found.get(&row.issue.id).into_iter().flatten().filter(|one| {
            let differs = one.status != row.issue.status.as_str() || one.assignee != row.issue.assignee;
            differs && (one.is_done() || one.status == "in_progress")
        });
        row.elsewhere = others.cloned().collect();
    }
}
