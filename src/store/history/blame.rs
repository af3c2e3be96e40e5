//! Who gave each field of an issue the value that it has.

use super::Place;
use super::lines::{LinesOf, effective};
use crate::model::merge::same_value;
use crate::model::record::{Record, place_of};
use crate::store::{Result, Store, StoreError};
use crate::vcs::{Archive, Commit, Kind, Steps, SyncError};

/// A field, its value as JSON, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedField {
    pub field: String,
    pub value: String,
    /// `None` if it is not committed.
    pub commit: Option<Commit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    pub id: String,
    pub source_repo: String,
    pub fields: Vec<BlamedField>,
}

impl Store {
    /// Who gave each field of an issue its value, by its full id.
    pub fn blame(&mut self, id: &str) -> Result<Blame> {
        self.refresh()?;
        let missing = || StoreError::NotFound { typed: id.to_owned() };
        let source = self.sources.owner(id).ok_or_else(missing)?;
        let member = self.sources.member_of(source);
        let copies = self.remembering_copies(Some(member))?;
        let copy = copies.iter().find(|copy| copy.sources.contains(&source)).ok_or_else(missing)?;
        if copy.kind == Kind::None {
            return Err(SyncError::NoVcs { root: copy.root.clone() }.into());
        }
        let place = self.places(copy, None).into_iter().find(|place| place.source == source).ok_or_else(missing)?;
        let fields = self.with_archive(copy, |archive| self.blamed(archive, &place, id))?;
        Ok(Blame { id: id.to_owned(), source_repo: self.name(member).to_owned(), fields })
    }

    fn blamed(&self, archive: &mut dyn Archive, place: &Place<'_>, id: &str) -> Result<Vec<BlamedField>> {
        let tips = archive.tips()?;
        let steps = archive.steps(place.file, &tips)?;
        let lines = LinesOf::read(archive, &steps, id)?;
        let Some(line) = effective(&self.present(place.source), id) else { return Ok(Vec::new()) };
        let Ok(record) = Record::parse(&line) else { return Ok(Vec::new()) };
        let mut fields: Vec<BlamedField> = Vec::new();
        for (key, raw) in record.iter().filter(|(key, _)| !matches!(key.as_ref(), "id" | "field_times")) {
            let commit = origin(&steps, &lines, &key, raw).map(|n| steps.all[n].commit.clone());
            fields.push(BlamedField { field: key.into_owned(), value: raw.to_owned(), commit });
        }
        fields.sort_by_key(|field| place_of(&field.field));
        Ok(fields)
    }
}

/// The step that brought a value: back from the tip, to the first parent that has it already.
fn origin(steps: &Steps, lines: &LinesOf, key: &str, value: &str) -> Option<usize> {
    let has = |n: usize| {
        let record = lines.get(steps.all[n].after.as_ref()).and_then(|line| Record::parse(line).ok());
        record.is_some_and(|record| same_value(key, record.raw(key), Some(value)))
    };
    let mut at = steps.tips.iter().flatten().copied().find(|n| has(*n))?;
    while let Some(parent) = steps.all[at].before.iter().filter_map(|before| before.step).find(|n| has(*n)) {
        at = parent;
    }
    Some(at)
}
