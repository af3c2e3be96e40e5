//! Blame: who gave each field of an issue its value.

use std::collections::BTreeSet;

use super::last::{Last, last};
use super::lines::LinesOf;
use super::{PastLine, Place};
use crate::model::difference::is_reported;
use crate::model::field::place_of;
use crate::model::merge::same_value;
use crate::model::record::Record;
use crate::store::{Result, Snapshot, StoreError};
use crate::vcs::{Archive, Commit, Steps, SyncError};

/// A field, its value as JSON, and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedField {
    pub field: String,
    /// `None` if it was removed.
    pub value: Option<String>,
    /// `None` if it is not committed.
    pub commit: Option<Commit>,
    /// The repo of the commit, if not the issue's own: a planned issue got its values in the planning repo.
    pub source_repo: Option<String>,
    /// The commit in which the issue first appears.
    is_first: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    pub id: String,
    pub source_repo: String,
    pub fields: Vec<BlamedField>,
    /// Set if the issue has left the ledger: its last version.
    pub past: Option<PastLine>,
}

impl Snapshot {
    /// The author of the value of each field of an issue, by its full id; for an issue that has left the ledger, its last
    /// values.
    pub fn blame(&self, id: &str) -> Result<Blame> {
        let missing = || StoreError::NotFound { typed: id.to_owned() };
        let past = match self.owner(id) {
            Some(_) => None,
            None => {
                let past = self.last_in_history(id)?.ok_or_else(missing)?;
                Some(PastLine { called_now: self.called_now(&past)?, ..past })
            }
        };
        let owner = self.owner(id).map(|source| self.sources.member_of(source));
        let member = past.as_ref().map(|past| past.repo).or(owner).ok_or_else(missing)?;
        for copy in self.remembering_copies(Some(member))? {
            let Some(place) = self.places(&copy, Some(member)).into_iter().next() else { continue };
            if !copy.vcs.is_versioned() {
                return Err(SyncError::NoHistory { root: copy.root }.into());
            }
            let mut fields = self.with_archive(&copy, |archive| self.blamed(archive, &place, id))?;
            if past.is_none() {
                self.blame_planned(id, member, &mut fields)?;
            }
            return Ok(Blame { id: id.to_owned(), source_repo: self.name(member).to_owned(), fields, past });
        }
        Err(missing())
    }

    /// A proposed issue was written in the planning repo first: follows the values of its first version there.
    fn blame_planned(&self, id: &str, member: usize, fields: &mut [BlamedField]) -> Result<()> {
        let owner = self.owner(id).and_then(|source| self.line_in(source, id));
        let is_proposal = |line: &str| Record::parse(line).is_ok_and(|record| record.raw("proposal").is_some());
        if !owner.is_some_and(|line| is_proposal(&line)) {
            return Ok(());
        }
        for planning in (0..self.repos.members.len()).filter(|n| *n != member && self.is_planning(*n)) {
            for copy in self.working_copies(Some(planning)).iter().filter(|copy| copy.vcs.is_versioned()) {
                for place in self.places(copy, Some(planning)) {
                    let blamed = self.with_archive(copy, |archive| self.blamed(archive, &place, id))?;
                    for field in fields.iter_mut().filter(|field| field.is_first && field.value.is_some()) {
                        let agrees = |other: &&BlamedField| {
                            let key = field.field.as_str();
                            other.field == key && same_value(key, other.value.as_deref(), field.value.as_deref())
                        };
                        if let Some(other) = blamed.iter().find(agrees).filter(|other| other.commit.is_some()) {
                            field.commit = other.commit.clone();
                            field.source_repo = Some(self.name(planning).to_owned());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn blamed(&self, archive: &mut dyn Archive, place: &Place, id: &str) -> Result<Vec<BlamedField>> {
        let tips = archive.tips()?;
        let steps = archive.steps(&place.trail, &tips)?;
        let mut lines = LinesOf::read(archive, &steps, id)?;
        let now = self.present(&place.sources);
        // The line of the issue, and the steps in which it is like that.
        let (line, from) = match now.effective_line(id) {
            Some(line) => (line, steps.tips.iter().flatten().copied().collect()),
            None => match last(&steps, &lines, &steps.tips) {
                Some(Last { line, ends, .. }) => (line, ends),
                None => return Ok(Vec::new()),
            },
        };
        let Ok(record) = Record::parse(&line) else { return Ok(Vec::new()) };
        lines.follow(archive, &steps, id, &now)?;
        let origins = Origins {
            steps: &steps,
            at: steps.all.iter().map(|step| lines.which(step.after.as_ref())).collect(),
            records: lines.all().map(|line| Record::parse(line).ok()).collect(),
            from,
        };
        let mut commit = |origin: Option<usize>| origin.map(|n| archive.commit(&steps.all[n].commit.id)).transpose();
        let mut fields: Vec<BlamedField> = Vec::new();
        for (key, raw) in record.iter().filter(|(key, _)| is_reported(key)) {
            let origin = origins.of(&key, Some(raw));
            let (field, value) = (key.into_owned(), Some(raw.to_owned()));
            let is_first = !origins.before(origin).into_iter().any(|n| origins.record(n).is_some());
            fields.push(BlamedField { field, value, commit: commit(origin)?, source_repo: None, is_first });
        }
        for key in origins.former_keys(&record) {
            let origin = origins.of(&key, None);
            // If a parent of the origin does not have the issue, the field was never there and so was not removed.
            if origins.before(origin).into_iter().any(|n| origins.record(n).is_some()) {
                let commit = commit(origin)?;
                fields.push(BlamedField { field: key, value: None, commit, source_repo: None, is_first: false });
            }
        }
        fields.sort_by_key(|field| place_of(&field.field));
        Ok(fields)
    }
}

struct Origins<'a> {
    steps: &'a Steps,
    /// The line number of each step.
    at: Vec<Option<usize>>,
    /// The parsed lines.
    records: Vec<Option<Record<'a>>>,
    /// The steps to start from.
    from: Vec<usize>,
}

impl<'a> Origins<'a> {
    fn record(&self, n: usize) -> Option<&Record<'a>> {
        self.records[self.at[n]?].as_ref()
    }

    fn parents(&self, n: usize) -> impl Iterator<Item = usize> {
        self.steps.all[n].before.iter().filter_map(|before| before.step)
    }

    /// The parents of a value's step; for an uncommitted value, the checked-out commits.
    fn before(&self, origin: Option<usize>) -> Vec<usize> {
        origin.map_or_else(|| self.from.clone(), |n| self.parents(n).collect())
    }

    /// The step that introduced a value: goes back as long as a parent already has it.
    fn of(&self, key: &str, value: Option<&str>) -> Option<usize> {
        let has = |n: &usize| self.record(*n).is_some_and(|record| same_value(key, record.raw(key), value));
        let mut at = self.from.iter().copied().find(has)?;
        while let Some(parent) = self.parents(at).find(|parent| self.at[*parent] == self.at[at] || has(parent)) {
            at = parent;
        }
        Some(at)
    }

    /// Keys that the issue once had.
    fn former_keys(&self, now: &Record<'_>) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        for record in self.records.iter().flatten() {
            let reported = record.iter().filter(|(key, raw)| is_reported(key) && !same_value(key, Some(raw), None));
            keys.extend(reported.map(|(key, _)| key.into_owned()).filter(|key| now.raw(key).is_none()));
        }
        keys
    }
}
