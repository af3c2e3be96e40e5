//! Commits that mention issues.

use std::collections::{BTreeMap, BTreeSet};

use crate::store::{Result, Snapshot};
use crate::vcs::Commit;

impl Snapshot {
    /// For each of these issues, the newest commit of the primary's working copy whose first line names it in brackets,
    /// as in `Fix the parser (bd-a3f8)`.
    pub fn mentioned(&self, ids: &BTreeSet<String>) -> Result<BTreeMap<String, Commit>> {
        let mut found = BTreeMap::new();
        for copy in self.remembering_copies(Some(0))?.iter().filter(|copy| copy.vcs.is_versioned()) {
            let commits = self.with_archive(copy, |archive| {
                let tips = archive.tips()?;
                let below = archive.ancestors(&tips)?;
                below.iter().map(|commit| Ok(archive.commit(&commit.id)?)).collect::<Result<Vec<_>>>()
            })?;
            for commit in commits {
                for id in in_brackets(&commit.summary).filter(|id| ids.contains(*id)) {
                    found.entry(id.to_owned()).or_insert_with(|| commit.clone());
                }
            }
        }
        Ok(found)
    }
}

/// The words in brackets.
fn in_brackets(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(['(', '[']).skip(1).filter_map(|part| part.split([')', ']']).next());
    parts.flat_map(|part| part.split([',', ' ']).map(str::trim))
}

#[cfg(test)]
mod tests {
    use super::in_brackets;

    #[test]
    fn ids_stand_in_brackets() {
        let found = |text| in_brackets(text).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        assert_eq!(found("Fix it (bd-1, bd-2.1) and [x-3]; bd-4 not"), "bd-1 bd-2.1 x-3");
        assert_eq!(found("add bd-1: (unclosed bd-5"), "unclosed bd-5");
        assert_eq!(found(""), "");
    }
}
