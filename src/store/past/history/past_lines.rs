//! Issues that are no longer in a ledger.

use std::collections::{BTreeSet, HashMap};

use super::Moment;
use super::changed::ids_changed_in;
use super::last::{Last, last};
use super::lines::{LinesOf, effective_among};
use super::point::document_at;
use crate::model::id;
use crate::model::proposal::{Visibility, is_companion_line};
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::store::read::typed_ids::one;
use crate::store::{Result, Snapshot, StoreError};
use crate::vcs::Commit;

/// An issue's line in the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastLine {
    pub id: String,
    /// The number of the repo whose ledger had it.
    pub repo: usize,
    pub line: String,
    /// The commit that last changed it, or the requested one.
    pub commit: Commit,
    /// The commit that removed it; `None` if it still exists or the removal is not committed.
    pub removed: Option<Commit>,
    /// The issue's current id, if requested and known.
    pub called_now: Option<String>,
}

impl PastLine {
    /// An issue that was in several ledgers belongs to the one that kept it private, else to the last one.
    fn claim(&self, in_planning: bool) -> (bool, bool, Option<Instant>, Instant) {
        let visibility = Record::parse(&self.line).map(|record| Visibility::of(&record));
        let is_private = in_planning && visibility.is_ok_and(|word| word != Visibility::Canonical);
        let removed = self.removed.as_ref().map(|commit| commit.committed);
        (is_private, removed.is_none(), removed, self.commit.committed)
    }
}

/// Shorter texts match everywhere.
const SHORTEST: usize = 3;

impl Snapshot {
    /// The newest version of an issue in any ledger of the project, by its full id.
    pub fn last_in_history(&self, id: &str) -> Result<Option<PastLine>> {
        Ok(self.last_of_each(&BTreeSet::from([id.to_owned()]))?.remove(id))
    }

    /// The newest versions of several issues, in one pass over the history of each ledger.
    pub fn last_of_each(&self, ids: &BTreeSet<String>) -> Result<HashMap<String, PastLine>> {
        self.last_of_each_in(ids, None)
    }

    /// The same in one repo.
    pub(in crate::store) fn last_of_each_in(
        &self,
        ids: &BTreeSet<String>,
        repo: Option<usize>,
    ) -> Result<HashMap<String, PastLine>> {
        let mut found: HashMap<String, PastLine> = HashMap::new();
        self.look_back(&self.remembering_copies(repo)?, repo, |archive, place, _, steps| {
            for (id, lines) in LinesOf::read_each(archive, steps, ids)? {
                let Some(Last { line, changed, removed, .. }) = last(steps, &lines, &steps.tips) else { continue };
                let mut commit = |n: usize| archive.commit(&steps.all[n].commit.id);
                let (removed, commit) = (removed.map(&mut commit).transpose()?, commit(changed)?);
                let past = PastLine { id, repo: place.member, line, commit, removed, called_now: None };
                let claim = |past: &PastLine| past.claim(self.is_planning(past.repo));
                match found.get(&past.id) {
                    _ if is_companion_line(past.line.as_bytes()) => {}
                    Some(known) if claim(known) >= claim(&past) => {}
                    _ => drop(found.insert(past.id.clone(), past)),
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Issues at a given time: from the ledger that has them now, else from the first that had them then.
    pub fn lines_at(&self, ids: &BTreeSet<String>, moment: &Moment) -> Result<HashMap<String, PastLine>> {
        let point = self.point(moment, None)?;
        let mut found: HashMap<String, PastLine> = HashMap::new();
        for copy in self.remembering_copies(None)?.iter().filter(|copy| copy.vcs.is_versioned()) {
            let Some(commit) = point.commit(copy) else { continue };
            for place in self.places(copy, None) {
                let repo = place.member;
                let document = self.with_archive(copy, |archive| document_at(archive, &place.trail, &commit.id))?;
                let issues = effective_among(&document, ids).into_iter();
                for (id, line) in issues.filter(|(_, line)| !is_companion_line(line.as_bytes())) {
                    let owner = self.owner(&id).map(|source| self.sources.member_of(source));
                    if !found.contains_key(&id) || owner == Some(repo) {
                        let commit = commit.clone();
                        let past = PastLine { id: id.clone(), repo, line, commit, removed: None, called_now: None };
                        found.insert(id, past);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The full id that a typed one matches, among all that any ledger of the project ever had.
    pub fn resolve_in_history(&self, typed: &str) -> Result<String> {
        match self.resolve(typed) {
            Err(StoreError::NotFound { .. }) => {}
            other => return other,
        }
        // The whole id, or the beginning of its hash.
        let mut patterns = vec![format!("\"{typed}\"")];
        if typed.len() >= SHORTEST {
            patterns.extend([format!("\"{typed}"), format!("-{typed}")]);
        }
        let ids = self.ids_in_history(typed, &patterns)?;
        one(typed, id::resolve(typed, ids.iter().map(String::as_str)))
    }

    /// Whether a ledger of the project once had an issue with exactly this id, as far as its history is readable.
    pub(in crate::store) fn is_in_history(&self, id: &str) -> bool {
        self.ids_in_history(id, &[format!("\"{id}\"")]).is_ok_and(|ids| ids.contains(id))
    }

    /// All ids of any time that contain one of these texts, as written in a line.
    fn ids_in_history(&self, typed: &str, patterns: &[String]) -> Result<BTreeSet<String>> {
        let mut ids = BTreeSet::new();
        if typed.is_empty() || typed.contains(['"', '\\', '\n']) {
            return Ok(ids);
        }
        self.look_back(&self.remembering_copies(None)?, None, |archive, _, _, steps| {
            let all = ids_changed_in(archive, &steps.all)?.into_iter();
            let quoted = |id: &String| format!("\"{id}\"");
            ids.extend(all.filter(|id| patterns.iter().any(|text| quoted(id).contains(text.as_str()))));
            Ok(())
        })?;
        Ok(ids)
    }
}
