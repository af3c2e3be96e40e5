//! Data from outside of the project's own ledgers, as last read: planning issues of other projects, other checkouts.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use super::row::{Elsewhere, Row};
use crate::ledger::Document;
use crate::model::proposal::Owner;
use crate::store::Warning;
use crate::store::state::stamps::Stamps;
use crate::sys::fs::FileStamp;
use crate::vcs;

/// Issues of other projects, found in the ledgers with these stamps.
#[derive(Debug, Default)]
pub(in crate::store) struct Others {
    pub(in crate::store) found: HashMap<String, Owner>,
    pub(in crate::store) stamps: Vec<FileStamp>,
}

/// The results, and the state of the files they are from.
#[derive(Debug, Default)]
pub(crate) struct Siblings {
    /// The stamps of the sources, including the list of checkouts.
    pub(in crate::store) stamps: Option<Stamps>,
    pub(in crate::store) own: Vec<Option<FileStamp>>,
    pub(in crate::store) found: BTreeMap<String, Vec<Elsewhere>>,
    /// Every differing line there, newer or not, by issue.
    pub(in crate::store) differing: BTreeMap<String, Vec<Version>>,
    /// Unreadable ledgers of other checkouts.
    pub(in crate::store) problems: Vec<Warning>,
}

/// A differing version of an issue in another checkout.
#[derive(Debug, Clone)]
pub(crate) struct Version {
    pub line: String,
    pub(in crate::store) here: PathBuf,
    pub(in crate::store) there: PathBuf,
    pub(in crate::store) inside: PathBuf,
}

impl Version {
    /// The line that both checkouts last had in common, if any; `None` if unknown.
    pub(crate) fn common(&self, id: &str) -> Option<Option<String>> {
        let document = Document::new(vcs::common_version(&self.here, &self.there, &self.inside)?);
        Some(document.effective(id).and_then(|line| document.record(line)).map(|record| record.text().to_owned()))
    }
}

impl Siblings {
    /// Adds to a row the checkouts that have closed its issue or work on it.
    pub(in crate::store) fn mark(&self, row: &mut Row) {
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
