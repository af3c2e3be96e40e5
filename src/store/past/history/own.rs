//! The last commits by one author that changed ledgers, with the lines before and after.

use crate::ledger::{Document, LineChange};
use crate::model::time::Instant;
use crate::store::{Result, Snapshot};
use crate::vcs::Commit;

/// What a commit changed in ledgers.
#[derive(Debug)]
pub(crate) struct OwnCommit {
    pub commit: Commit,
    /// By source.
    pub changes: Vec<(usize, Vec<LineChange>)>,
}

impl Snapshot {
    /// The last `count` commits of an author that changed ledgers, newest first. Merges, and a ledger's first commit,
    /// are not edits. Empty without version control.
    pub(in crate::store) fn commits_of(&self, author: &str, count: usize) -> Result<Vec<OwnCommit>> {
        let mut own: Vec<(Instant, OwnCommit)> = Vec::new();
        self.look_back(&self.working_copies(None), None, |archive, place, _, steps| {
            let source = place.sources[0];
            let (mut found, mut latest) = (0, Instant::from_nanos(i64::MAX));
            for step in steps.all.iter().filter(|step| !step.commit.is_cut) {
                let [before] = step.before.as_slice() else { continue };
                let (Some(before), Some(after)) = (&before.version, &step.after) else { continue };
                if found == count {
                    break;
                }
                let commit = archive.commit(&step.commit.id)?;
                if commit.author != author {
                    continue;
                }
                let [before, after] = [archive.text(before)?, archive.text(after)?].map(Document::new);
                let changes = after.changes_among(&before, after.changed_ids(&before));
                if changes.is_empty() {
                    continue;
                }
                found += 1;
                // A commit may have an earlier date than its parent.
                latest = latest.min(commit.committed);
                match own.iter_mut().find(|(_, known)| known.commit.id == commit.id) {
                    Some((_, known)) => known.changes.push((source, changes)),
                    None => own.push((latest, OwnCommit { commit, changes: vec![(source, changes)] })),
                }
            }
            Ok(())
        })?;
        own.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        Ok(own.into_iter().map(|(_, one)| one).take(count).collect())
    }
}
