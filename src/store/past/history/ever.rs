//! Every issue that a ledger ever had.

use std::collections::HashMap;

use super::changed::ids_changed_in;
use super::lines::{LinesOf, effective_lines};
use super::point::document_at;
use crate::store::{Result, Snapshot};

impl Snapshot {
    /// The last line of every issue in any version of a ledger, by id. Empty without version control.
    pub(in crate::store) fn ever_in(&self, source: usize) -> Result<HashMap<String, String>> {
        let member = self.sources.member_of(source);
        let mut found = HashMap::new();
        self.look_back(&self.working_copies(Some(member)), Some(member), |archive, place, tips, steps| {
            for tip in tips {
                found.extend(effective_lines(&document_at(archive, &place.trail, tip)?));
            }
            let mut left = ids_changed_in(archive, &steps.all)?;
            left.retain(|id| !found.contains_key(id));
            for (id, lines) in LinesOf::read_each(archive, steps, &left)? {
                let last = steps.all.iter().find_map(|step| {
                    let before = step.before.iter().map(|before| before.version.as_ref());
                    before.chain([step.after.as_ref()]).rev().find_map(|version| lines.get(version))
                });
                found.extend(last.map(|line| (id, line.to_owned())));
            }
            Ok(())
        })?;
        Ok(found)
    }
}
