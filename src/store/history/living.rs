//! The last version of an issue in which it was not deleted.

use super::PastLine;
use super::lines::LinesOf;
use crate::model::issue::status_of;
use crate::model::record::Record;
use crate::store::{Result, Store};
use crate::vcs::Kind;

impl Store {
    /// What one ledger last had of an issue before it was deleted, by its full id.
    pub(in crate::store) fn last_living(&self, source: usize, id: &str) -> Result<Option<PastLine>> {
        let repo = self.sources.member_of(source);
        for copy in self.remembering_copies(Some(repo))?.iter().filter(|copy| copy.kind != Kind::None) {
            let Some(place) = self.places(copy, None).into_iter().find(|place| place.source == source) else {
                continue;
            };
            return self.with_archive(copy, |archive| {
                let tips = archive.tips()?;
                let steps = archive.steps(place.file, &tips)?;
                let lines = LinesOf::read(archive, &steps, id)?;
                let living = steps.all.iter().find_map(|step| {
                    let line = lines.get(step.after.as_ref()).filter(|line| is_living(line))?;
                    Some((line.to_owned(), step.commit.clone()))
                });
                Ok(living.map(|(line, commit)| PastLine { id: id.to_owned(), repo, line, commit, removed: None }))
            });
        }
        Ok(None)
    }
}

fn is_living(line: &str) -> bool {
    Record::parse(line).is_ok_and(|record| !status_of(&record).is_tombstone())
}
