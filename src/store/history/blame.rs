//! Who gave each field of an issue the value that it has.

use std::collections::BTreeSet;

use super::last::{Last, last};
use super::lines::{LinesOf, effective};
use super::{PastLine, Place};
use crate::model::merge::same_value;
use crate::model::record::{Record, place_of};
use crate::store::{Result, Store, StoreError};
use crate::vcs::{Archive, Commit, Kind, Steps, SyncError};

/// A field, its value as JSON, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedField {
    pub field: String,
    /// `None` if it had one, and has none any more.
    pub value: Option<String>,
    /// `None` if it is not committed.
    pub commit: Option<Commit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    pub id: String,
    pub source_repo: String,
    pub fields: Vec<BlamedField>,
    /// The issue has left the ledger: what it was last.
    pub past: Option<PastLine>,
}

impl Store {
    /// Who gave each field of an issue its value, by its full id; of one that has left the ledger, the values that it had last.
    pub fn blame(&mut self, id: &str) -> Result<Blame> {
        self.refresh()?;
        let missing = || StoreError::NotFound { typed: id.to_owned() };
        let past = match self.sources.owner(id) {
            Some(_) => None,
            None => Some(self.last_in_history(id)?.ok_or_else(missing)?),
        };
        let owner = self.sources.owner(id).map(|source| self.sources.member_of(source));
        let member = past.as_ref().map(|past| past.repo).or(owner).ok_or_else(missing)?;
        for copy in self.remembering_copies(Some(member))? {
            let Some(place) = self.places(&copy, Some(member)).into_iter().next() else { continue };
            if copy.kind == Kind::None {
                return Err(SyncError::NoHistory { root: copy.root }.into());
            }
            let fields = self.with_archive(&copy, |archive| self.blamed(archive, &place, id))?;
            return Ok(Blame { id: id.to_owned(), source_repo: self.name(member).to_owned(), fields, past });
        }
        Err(missing())
    }

    fn blamed(&self, archive: &mut dyn Archive, place: &Place, id: &str) -> Result<Vec<BlamedField>> {
        let tips = archive.tips()?;
        let steps = archive.steps(&place.trail, &tips)?;
        let lines = LinesOf::read(archive, &steps, id)?;
        // What the issue is, and the steps that it is so in.
        let (line, from) = match effective(&self.present(&place.sources), id) {
            Some(line) => (line, steps.tips.iter().flatten().copied().collect()),
            None => match last(&steps, &lines, &steps.tips) {
                Some(Last { line, ends, .. }) => (line, ends),
                None => return Ok(Vec::new()),
            },
        };
        let Ok(record) = Record::parse(&line) else { return Ok(Vec::new()) };
        let origins = Origins { steps: &steps, lines: &lines, from };
        let commit = |origin: Option<usize>| origin.map(|n| steps.all[n].commit.clone());
        let mut fields: Vec<BlamedField> = Vec::new();
        for (key, raw) in record.iter().filter(|(key, _)| is_blamed(key)) {
            let commit = commit(origins.of(&key, Some(raw)));
            fields.push(BlamedField { field: key.into_owned(), value: Some(raw.to_owned()), commit });
        }
        for key in origins.former_keys(&record) {
            let origin = origins.of(&key, None);
            // Where the issue was not there before, it came without the field, and nobody took that away.
            let before: Vec<usize> = origin.map_or_else(|| origins.from.clone(), |n| origins.parents(n).collect());
            if before.into_iter().any(|n| origins.record(n).is_some()) {
                fields.push(BlamedField { commit: commit(origin), field: key, value: None });
            }
        }
        fields.sort_by_key(|field| place_of(&field.field));
        Ok(fields)
    }
}

fn is_blamed(key: &str) -> bool {
    !matches!(key, "id" | "field_times")
}

struct Origins<'a> {
    steps: &'a Steps,
    lines: &'a LinesOf,
    /// Where to begin.
    from: Vec<usize>,
}

impl<'a> Origins<'a> {
    fn record(&self, n: usize) -> Option<Record<'a>> {
        self.lines.get(self.steps.all[n].after.as_ref()).and_then(|line| Record::parse(line).ok())
    }

    fn parents(&self, n: usize) -> impl Iterator<Item = usize> {
        self.steps.all[n].before.iter().filter_map(|before| before.step)
    }

    /// The step that brought a value: back from where it is, to the first parent that has it already.
    fn of(&self, key: &str, value: Option<&str>) -> Option<usize> {
        let has = |n: &usize| self.record(*n).is_some_and(|record| same_value(key, record.raw(key), value));
        let mut at = self.from.iter().copied().find(has)?;
        while let Some(parent) = self.parents(at).find(has) {
            at = parent;
        }
        Some(at)
    }

    /// Keys that the issue had once, and has no more.
    fn former_keys(&self, now: &Record<'_>) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        for record in self.lines.all().filter_map(|line| Record::parse(line).ok()) {
            let told = record.iter().filter(|(key, raw)| is_blamed(key) && !same_value(key, Some(raw), None));
            keys.extend(told.map(|(key, _)| key.into_owned()).filter(|key| now.raw(key).is_none()));
        }
        keys
    }
}
