//! The last version of an issue before it was deleted.

use std::collections::{BTreeSet, HashMap};

use super::PastLine;
use super::lines::LinesOf;
use crate::model::issue::status_of;
use crate::model::record::Record;
use crate::store::{Result, Snapshot};

impl Snapshot {
    /// The last lines of issues in a repo's ledger before they were deleted, by full id.
    pub(in crate::store) fn last_living(
        &self,
        repo: usize,
        ids: &BTreeSet<String>,
    ) -> Result<HashMap<String, PastLine>> {
        let mut found = HashMap::new();
        self.look_back(&self.remembering_copies(Some(repo))?, Some(repo), |archive, _, _, steps| {
            for (id, lines) in LinesOf::read_each(archive, steps, ids)? {
                let living = steps.all.iter().find_map(|step| {
                    let line = lines.get(step.after.as_ref()).filter(|line| is_living(line))?;
                    Some((line.to_owned(), &step.commit.id))
                });
                if let Some((line, commit)) = living {
                    let (commit, removed, called_now) = (archive.commit(commit)?, None, None);
                    found.insert(id.clone(), PastLine { id, repo, line, commit, removed, called_now });
                }
            }
            Ok(())
        })?;
        Ok(found)
    }
}

fn is_living(line: &str) -> bool {
    Record::parse(line).is_ok_and(|record| !status_of(&record).is_tombstone())
}
