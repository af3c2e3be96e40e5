//! Issues that are in the ledger no more.

use std::collections::BTreeSet;

use super::lines::{LinesOf, effective, versions};
use super::point::version_at;
use super::{Moment, Place};
use crate::ledger::Document;
use crate::model::id::{self, Resolved};
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::store::{Result, Store, StoreError};
use crate::vcs::{Archive, Commit, Kind, Steps};

/// The line of an issue in the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastLine {
    pub id: String,
    /// The repo whose ledger had it, by its number.
    pub repo: usize,
    pub line: String,
    /// The commit that last changed it, or the one that was asked for.
    pub commit: Commit,
    /// The commit that took it out of the ledger; `None` if that is not committed, or it is still there.
    pub removed: Option<Commit>,
}

impl PastLine {
    /// Where an issue was in several ledgers, it belongs to the one that had it last.
    fn recency(&self) -> (bool, Option<Instant>, Instant) {
        let removed = self.removed.as_ref().map(|commit| commit.committed);
        (removed.is_none(), removed, self.commit.committed)
    }
}

/// Shorter texts occur everywhere.
const SHORTEST: usize = 4;

impl Store {
    /// The newest version of an issue that any ledger of the project had, by its full id.
    pub fn last_in_history(&mut self, id: &str) -> Result<Option<PastLine>> {
        self.refresh()?;
        let mut found: Option<PastLine> = None;
        for copy in self.remembering_copies(None)?.iter().filter(|copy| copy.kind != Kind::None) {
            for place in self.places(copy, None) {
                let past = self.with_archive(copy, |archive| self.last_line(archive, &place, id))?;
                let is_newer = |past: &PastLine| found.as_ref().is_none_or(|known| known.recency() < past.recency());
                found = past.filter(is_newer).or(found);
            }
        }
        Ok(found)
    }

    /// An issue as it was at a moment: in the ledger that has it now, else in the first that had it then.
    pub fn line_at(&mut self, id: &str, moment: &Moment) -> Result<Option<PastLine>> {
        self.refresh()?;
        let point = self.point(moment, None)?;
        let owner = self.sources.owner(id).map(|source| self.sources.member_of(source));
        let mut found: Option<PastLine> = None;
        for copy in self.remembering_copies(None)?.iter().filter(|copy| copy.kind != Kind::None) {
            let Some(commit) = point.commit(copy) else { continue };
            for place in self.places(copy, None) {
                let repo = self.sources.member_of(place.source);
                let line = self.with_archive(copy, |archive| {
                    let Some(version) = version_at(archive, place.file, &commit.id)? else { return Ok(None) };
                    Ok(effective(&Document::new(archive.text(&version)?), id))
                })?;
                let Some(line) = line else { continue };
                if found.is_none() || owner == Some(repo) {
                    found = Some(PastLine { id: id.to_owned(), repo, line, commit: commit.clone(), removed: None });
                }
            }
        }
        Ok(found)
    }

    /// The full id that a typed one stands for, among those that any ledger of the project ever had.
    pub fn resolve_in_history(&mut self, typed: &str) -> Result<String> {
        match self.resolve(typed) {
            Err(StoreError::NotFound { .. }) => {}
            other => return other,
        }
        let missing = || StoreError::NotFound { typed: typed.to_owned() };
        if typed.len() < SHORTEST || typed.contains(['"', '\\', '\n']) {
            return Err(missing());
        }
        let mut ids = BTreeSet::new();
        for copy in self.remembering_copies(None)?.iter().filter(|copy| copy.kind != Kind::None) {
            for place in self.places(copy, None) {
                self.with_archive(copy, |archive| {
                    let tips = archive.tips()?;
                    let steps = archive.steps(place.file, &tips)?;
                    for line in archive.lines_with(&versions(&steps), typed.as_bytes())?.into_iter().flatten() {
                        let id = std::str::from_utf8(&line)
                            .ok()
                            .and_then(|line| Record::parse(line).ok()?.string("id").map(|id| id.into_owned()));
                        ids.extend(id);
                    }
                    Ok(())
                })?;
            }
        }
        match id::resolve(typed, ids.iter().map(String::as_str)) {
            Resolved::One(id) => Ok(id),
            Resolved::None => Err(missing()),
            Resolved::Many(candidates) => Err(StoreError::Ambiguous { typed: typed.to_owned(), candidates }),
        }
    }

    fn last_line(&self, archive: &mut dyn Archive, place: &Place<'_>, id: &str) -> Result<Option<PastLine>> {
        let tips = archive.tips()?;
        let steps = archive.steps(place.file, &tips)?;
        let lines = LinesOf::read(archive, &steps, id)?;
        let repo = self.sources.member_of(place.source);
        Ok(last(&steps, &lines).map(|(step, removed)| {
            let line = lines.get(steps.all[step].after.as_ref()).unwrap_or_default().to_owned();
            let changed = last_change(&steps, &lines, step);
            let removed = removed.map(|n| steps.all[n].commit.clone());
            PastLine { id: id.to_owned(), repo, line, commit: steps.all[changed].commit.clone(), removed }
        }))
    }
}

/// The last step that has the issue, and the one that removed it: back from the tip, to the side that has it where a merge
/// dropped it.
fn last(steps: &Steps, lines: &LinesOf) -> Option<(usize, Option<usize>)> {
    let has = |n: usize| lines.get(steps.all[n].after.as_ref()).is_some();
    let mut removed = None;
    let mut at = steps.tips.iter().flatten().copied().find(|n| has(*n)).or_else(|| *steps.tips.first()?);
    while let Some(n) = at {
        if has(n) {
            return Some((n, removed));
        }
        let links = || steps.all[n].before.iter().filter_map(|before| before.step);
        let holding = links().find(|link| has(*link));
        removed = holding.is_some().then_some(n).or(removed);
        at = holding.or_else(|| links().next());
    }
    // It was only ever on a side that was merged without it.
    (0..steps.all.len()).find(|n| has(*n)).map(|n| (n, None))
}

/// The step that gave an issue the line that it has in another one.
fn last_change(steps: &Steps, lines: &LinesOf, from: usize) -> usize {
    let line = |n: usize| lines.get(steps.all[n].after.as_ref());
    let mut at = from;
    while let Some(next) = steps.all[at].before.iter().filter_map(|b| b.step).find(|n| line(*n) == line(at)) {
        at = next;
    }
    at
}
