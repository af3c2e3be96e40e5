//! Every issue that a ledger ever had.

use std::collections::{HashMap, HashSet};

use super::lines::versions;
use crate::model::record::Record;
use crate::store::{Result, View};

impl View {
    /// The last line of every issue that is in a version of a ledger, by id. Empty where version control keeps nothing.
    pub(in crate::store) fn ever_in(&self, source: usize) -> Result<HashMap<String, String>> {
        let member = self.sources.member_of(source);
        let mut found = HashMap::new();
        for copy in self.working_copies(Some(member)).iter().filter(|copy| copy.vcs.is_versioned()) {
            for place in self.places(copy, Some(member)) {
                self.with_archive(copy, |archive| {
                    let tips = archive.tips()?;
                    let steps = archive.steps(&place.trail, &tips)?;
                    // A line that many versions have is read once; its hash is enough to know it again.
                    let mut known: HashSet<blake3::Hash> = HashSet::new();
                    for version in versions(&steps) {
                        for line in archive.text(&version)?.split(|byte| *byte == b'\n') {
                            if line.is_empty() || !known.insert(blake3::hash(line)) {
                                continue;
                            }
                            let record = std::str::from_utf8(line).ok().and_then(|text| Record::parse(text).ok());
                            let Some(record) = record else { continue };
                            if let Some(id) = record.string("id") {
                                found.entry(id.into_owned()).or_insert_with(|| record.text().to_owned());
                            }
                        }
                    }
                    Ok(())
                })?;
            }
        }
        Ok(found)
    }
}
