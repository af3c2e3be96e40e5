//! The part of an issue that the cache indexes: the fields with a column in `model::field`, and a few facts.

use std::borrow::Cow;

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};

use crate::model::dependency::{self, Dependency};
use crate::model::field::{COLUMN_COUNT, COLUMNS, Field, Kind};
use crate::model::issue::{self, LineDate, Zone};
use crate::model::json;
use crate::model::ready::NEVER;
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::when::When;

/// The value of a column.
#[derive(Debug)]
pub(super) enum Cell<'a> {
    Nothing,
    Text(Cow<'a, str>),
    Number(i64),
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Cell::Nothing => ToSqlOutput::Owned(Value::Null),
            Cell::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Cell::Number(number) => ToSqlOutput::Owned(Value::Integer(*number)),
        })
    }
}

/// One row with everything that belongs to it, read from a record without decoding its long texts.
#[derive(Debug)]
pub struct Entry<'a> {
    /// One for each of [`COLUMNS`].
    pub(super) cells: [Cell<'a>; COLUMN_COUNT],
    /// Whether a date is a day, so that the row depends on the reader's zone.
    pub(super) has_day: bool,
    pub(super) failed: bool,
    pub(super) hidden: bool,
    pub(super) comments: usize,
    pub(super) task: bool,
    /// The ledger's chunk that contains the line.
    pub chunk: u32,
    pub(super) labels: Vec<String>,
    pub(super) dependencies: Vec<Dependency>,
}

impl<'a> Entry<'a> {
    pub(super) fn text(&self, field: Field) -> &str {
        match field.column().map(|n| &self.cells[n]) {
            Some(Cell::Text(text)) => text,
            _ => "",
        }
    }

    /// Whether the row is valid only in the zone that it was read for.
    pub fn depends_on_zone(&self) -> bool {
        self.has_day
    }

    /// Reads a record in one pass over its keys: this is the hot loop of every cold start.
    pub fn read(record: &Record<'a>, zone: Zone<'_>) -> Self {
        let mut entry = Entry {
            cells: COLUMNS.map(absent),
            has_day: false,
            failed: false,
            hidden: false,
            comments: 0,
            task: false,
            chunk: 0,
            labels: Vec::new(),
            dependencies: Vec::new(),
        };
        for (key, raw) in record.iter() {
            let Some(field) = Field::of(&key) else {
                entry.hidden |= key == issue::WISP && raw == "true";
                continue;
            };
            if let Some(n) = field.column() {
                if let Some(cell) = entry.cell(field, raw, record, zone) {
                    entry.cells[n] = cell;
                }
                continue;
            }
            match field {
                Field::CloseReason => entry.failed = text(raw).is_some_and(|reason| dependency::is_failure(&reason)),
                Field::Pinned | Field::Ephemeral | Field::IsTemplate => entry.hidden |= raw == "true",
                Field::Task => entry.task = raw.starts_with('{'),
                Field::Comments => entry.comments = record.elements_of(field).len(),
                Field::Label => entry.labels = issue::labels_of(record),
                Field::Dependencies => entry.dependencies = issue::dependencies_of(record),
                _ => {}
            }
        }
        entry.failed &= entry.text(Field::Status) == "closed";
        entry
    }

    fn cell(&mut self, field: Field, raw: &'a str, record: &Record<'a>, zone: Zone<'_>) -> Option<Cell<'a>> {
        match field.row().kind {
            Kind::Number if field == Field::Priority => Some(Cell::Number(issue::priority_of(record).number())),
            Kind::Number => json::integer(raw).map(Cell::Number),
            Kind::Time => time(raw).map(Cell::Number),
            kind @ (Kind::Until | Kind::From) => {
                let date = LineDate::read(raw, zone);
                self.has_day |= matches!(date, LineDate::At(When::Day(_)));
                let at = match (date, kind) {
                    (LineDate::At(when), Kind::Until) => Some(when.end().micros()),
                    (LineDate::At(when), _) => Some(when.start().micros()),
                    // Deferred until an unknown time.
                    (LineDate::Unreadable, Kind::From) => Some(NEVER),
                    (LineDate::Absent | LineDate::Unreadable, _) => None,
                };
                at.map(Cell::Number)
            }
            _ => text(raw).map(Cell::Text),
        }
    }
}

fn absent<'a>(field: Field) -> Cell<'a> {
    match field.row().column {
        Some((_, Some(text))) => Cell::Text(Cow::Borrowed(text)),
        _ if field == Field::Priority => Cell::Number(0),
        _ => Cell::Nothing,
    }
}

/// A string that is not empty.
fn text(raw: &str) -> Option<Cow<'_, str>> {
    json::decode_string(raw).filter(|text| !text.is_empty())
}

fn time(raw: &str) -> Option<i64> {
    text(raw).and_then(|text| Instant::parse(&text)).map(Instant::micros)
}
