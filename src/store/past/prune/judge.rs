//! Whether issues can be pruned without a change for others, tried on a copy of the cache.
//!
//! The rules of readiness exist only in the cache: the remaining issues are computed and compared. A group that changes
//! nothing is pruned as a whole; otherwise it is halved, down to the issues that others depend on.

use super::candidates::Candidate;
use crate::cache::{Cache, Key, Standing, UnknownIds};
use crate::store::Result;

/// How many rows to examine in all attempts together; the remaining candidates stay unexamined.
const MAX_ROWS: usize = 1_000_000;
/// The minimum number of attempts.
const MIN_ATTEMPTS: usize = 32;

pub(super) struct Judge {
    copy: Vec<u8>,
    before: Standing,
    unknown: UnknownIds,
    leaned_on: std::collections::HashSet<String>,
    gone: Vec<Key>,
    attempts: usize,
}

/// Candidates to prune, and those that stay with the issues that need them.
type Verdict = (Vec<Candidate>, Vec<(Candidate, Vec<String>)>);

impl Judge {
    pub(super) fn new(cache: &mut Cache, unknown: UnknownIds) -> crate::cache::Result<Self> {
        let leaned_on = cache.leaned_on(unknown)?;
        let before = cache.standing(unknown)?;
        let attempts = (MAX_ROWS / cache.rows()?.max(1)).max(MIN_ATTEMPTS);
        let copy = cache.make_bytes(unknown)?;
        Ok(Judge { copy, before, unknown, leaned_on, gone: Vec::new(), attempts })
    }

    /// Prunes everything possible from a group, in addition to earlier ones.
    pub(super) fn take(&mut self, group: Vec<Candidate>) -> Result<Verdict> {
        let (leaned_on, free): (Vec<_>, Vec<_>) =
            group.into_iter().partition(|one| self.leaned_on.contains(&one.issue.id));
        let mut verdict = (Vec::new(), Vec::new());
        // Almost always one attempt each.
        self.halve(free, &mut verdict)?;
        self.halve(leaned_on, &mut verdict)?;
        Ok(verdict)
    }

    fn halve(&mut self, mut group: Vec<Candidate>, verdict: &mut Verdict) -> Result<()> {
        if group.is_empty() {
            return Ok(());
        }
        if self.attempts == 0 {
            verdict.1.extend(group.into_iter().map(|one| (one, Vec::new())));
            return Ok(());
        }
        self.attempts -= 1;
        let keys: Vec<Key> = self.gone.iter().copied().chain(group.iter().map(|one| one.key)).collect();
        let after = Cache::standing_without(&self.copy, &keys, self.unknown)?;
        if after == self.before {
            self.gone = keys;
            verdict.0.append(&mut group);
            return Ok(());
        }
        if group.len() == 1 {
            let needed_by = self.before.differing(&after);
            verdict.1.extend(group.pop().map(|one| (one, needed_by)));
            return Ok(());
        }
        let later = group.split_off(group.len() / 2);
        self.halve(group, verdict)?;
        self.halve(later, verdict)
    }
}
