//! One side of a merge: its record, and when each of its values was edited.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::field::Field;
use crate::model::issue;
use crate::model::record::Record;
use crate::model::time::Instant;

/// The key under which a merged line keeps the times of earlier edits.
pub const FIELD_TIMES: &str = Field::Times.key();

/// The time of an edit: the instant, and how the line writes it. Later is greater; an unknown time is lowest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Stamp {
    pub at: Option<Instant>,
    pub text: String,
}

impl Stamp {
    pub fn of(text: Cow<'_, str>) -> Self {
        Stamp { at: Instant::parse(&text), text: text.into_owned() }
    }
}

pub(super) struct Side<'a> {
    pub record: Record<'a>,
    updated: Stamp,
    /// When the status was set.
    state: Stamp,
    /// Times that a merge recorded for values older than the line.
    times: BTreeMap<String, Stamp>,
}

impl<'a> Side<'a> {
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let record = Record::parse(line).ok()?;
        let updated = record.string("updated_at").map(Stamp::of).unwrap_or_default();
        let times = noted(&record).unwrap_or_default();
        let state = set_at(&record);
        Some(Side { record, updated, state, times })
    }

    pub(super) fn updated(&self) -> &Stamp {
        &self.updated
    }

    /// When the value under this name was edited, as far as the line shows.
    pub(super) fn stamp(&self, name: &str) -> &Stamp {
        self.times.get(name).unwrap_or(&self.updated)
    }

    /// When the status was set; see [`set_at`].
    pub(super) fn state(&self) -> &Stamp {
        &self.state
    }
}

/// The recorded times, if they were recorded for the line as it is now.
pub(super) fn noted(record: &Record<'_>) -> Option<BTreeMap<String, Stamp>> {
    let noted = Record::parse_part(record.raw(FIELD_TIMES)?).ok()?;
    if noted.raw("at")? != record.raw("updated_at")? {
        return None;
    }
    let read = |(key, raw): (Cow<'_, str>, &str)| {
        let text = crate::model::json::decode_string(raw)?;
        (key != "at").then(|| (key.into_owned(), Stamp::of(text)))
    };
    Some(noted.iter().filter_map(read).collect())
}

/// When the status was set, as far as the line shows.
pub fn set_at(record: &Record<'_>) -> Stamp {
    noted(record).and_then(|mut times| times.remove(Field::Status.key())).unwrap_or_else(|| dated(record))
}

/// The same without recorded times: a closed issue has its date, and every other one is at least as old as the start of
/// the work, or as the issue.
pub(super) fn dated(record: &Record<'_>) -> Stamp {
    let date = |field: Field| record.string(field.key()).map(Stamp::of).filter(|stamp| stamp.at.is_some());
    let own = match issue::status_of(record) {
        status if status.is_tombstone() => date(Field::Deleted),
        status if status.is_done() => date(Field::Closed),
        _ => None,
    };
    own.or_else(|| date(Field::Created).max(date(Field::Started))).unwrap_or_default()
}
