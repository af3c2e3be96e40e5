//! Which ids the ledgers once had.

use std::collections::BTreeSet;

use super::changed::ids_changed_in;
use super::point::document_at;
use crate::store::{Result, Snapshot};

/// How many changes of a ledger to examine, newest first.
const LOOKED_AT: usize = 2_000;

impl Snapshot {
    /// Those ids that a ledger of the project once had, as far as that is known without running a program for each
    /// version.
    pub fn had_once(&self, ids: &BTreeSet<String>) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        let mut copies = self.working_copies(None);
        copies.retain(|copy| copy.vcs.has_quick_past());
        self.look_back(&copies, None, |archive, place, tips, steps| {
            let late = &steps.all[..steps.all.len().min(LOOKED_AT)];
            found.extend(ids_changed_in(archive, late)?.into_iter().filter(|id| ids.contains(id)));
            for tip in tips {
                let document = document_at(archive, &place.trail, tip)?;
                found.extend(document.ids().filter(|id| ids.contains(id.as_ref())).map(|id| id.into_owned()));
            }
            Ok(())
        })?;
        Ok(found)
    }
}
