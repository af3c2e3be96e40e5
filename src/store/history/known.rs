//! Which ids the ledgers had at some time.

use std::collections::BTreeSet;

use super::lines::versions;
use crate::ledger::Document;
use crate::store::{Result, View};

/// How many versions of a ledger are looked at, newest first.
const LOOKED_AT: usize = 2_000;

impl View {
    /// Those of some ids that a ledger of the project had once, as far as that can be told without running a program for each
    /// version.
    pub fn had_once(&self, ids: &BTreeSet<String>) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        let copies = self.working_copies(None);
        for copy in copies.iter().filter(|copy| copy.vcs.has_quick_past()) {
            for place in self.places(copy, None) {
                self.with_archive(copy, |archive| {
                    let tips = archive.tips()?;
                    let steps = archive.steps(&place.trail, &tips)?;
                    for version in versions(&steps).iter().take(LOOKED_AT) {
                        if found.len() == ids.len() {
                            break;
                        }
                        let document = Document::new(archive.text(version)?);
                        found.extend(document.ids().filter(|id| ids.contains(id.as_ref())).map(|id| id.into_owned()));
                    }
                    Ok(())
                })?;
            }
        }
        Ok(found)
    }
}
