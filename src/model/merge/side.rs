//! One side of a merge: its record, and when each of its values was edited.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::model::field::Field;
use crate::model::record::Record;
use crate::model::time::Instant;

/// The key under which a merged line keeps the times of earlier edits.
pub const FIELD_TIMES: &str = Field::FieldTimes.key();

/// When something was edited: the instant, and how the line writes it. Later orders higher; nothing known is lowest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Stamp {
    pub at: Option<Instant>,
    pub text: String,
}

impl Stamp {
    fn of(text: Cow<'_, str>) -> Self {
        Stamp { at: Instant::parse(&text), text: text.into_owned() }
    }
}

pub struct Side<'a> {
    pub record: Record<'a>,
    updated: Stamp,
    /// What a merge noted of values that are older than the line.
    times: BTreeMap<String, Stamp>,
}

impl<'a> Side<'a> {
    pub fn parse(line: &'a str) -> Option<Self> {
        let record = Record::parse(line).ok()?;
        let updated = record.string("updated_at").map(Stamp::of).unwrap_or_default();
        let times = record.raw(FIELD_TIMES).and_then(|raw| times(raw, record.raw("updated_at")?)).unwrap_or_default();
        Some(Side { record, updated, times })
    }

    pub fn updated(&self) -> &Stamp {
        &self.updated
    }

    /// When the value under this name was edited, as far as the line says.
    pub fn stamp(&self, name: &str) -> &Stamp {
        self.times.get(name).unwrap_or(&self.updated)
    }
}

/// The noted times, if they were noted for this very state of the line.
fn times(raw: &str, updated: &str) -> Option<BTreeMap<String, Stamp>> {
    let noted = Record::parse_part(raw).ok()?;
    if noted.raw("at")? != updated {
        return None;
    }
    let read = |(key, raw): (Cow<'_, str>, &str)| {
        let text = crate::model::json::decode_string(raw)?;
        (key != "at").then(|| (key.into_owned(), Stamp::of(text)))
    };
    Some(noted.iter().filter_map(read).collect())
}
