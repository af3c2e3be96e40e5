//! When the status of a line was set.
//!
//! A status and its dates are one value, judged by their own time and never by that of the line's last edit: a note
//! that was added later must not reopen an issue that another clone closed. The time is in the line's `field_times`, or
//! it is the date that belongs to the status. Every edit that does not touch the status preserves the recorded time.

use super::fields::same_text;
use super::side::{FIELD_TIMES, Stamp, dated, set_at};
use crate::model::field::Field;
use crate::model::issue;
use crate::model::json::{Dialect, Json};
use crate::model::record::{KeyEdit, Record};
use crate::model::time::{self, Instant};

const STATUS: &str = Field::Status.key();
const UPDATED: &str = Field::Updated.key();

/// Whether a line must record when its status was set: its dates do not show it, or a version that goes by the line's
/// last edit would take it for newer than it is.
pub(super) fn wants_note(record: &Record<'_>, set: &Stamp) -> bool {
    let is = |field: Field| record.time(field.key()) == set.at;
    set.at.is_some() && (dated(record).at != set.at || !is(Field::Updated) && !is(Field::Created))
}

/// A line with the state of another version of the issue: its status, its assignee, and the time of both.
pub fn with_state_of(line: &str, other: &str, now: Instant, dialect: Dialect) -> String {
    let (Ok(record), Ok(theirs)) = (Record::parse(line), Record::parse(other)) else { return line.to_owned() };
    let keys = Field::Status.group().chain(Field::Assignee.group());
    let edits: Vec<KeyEdit> = keys.map(|field| (field.key(), theirs.raw_of(field).map(str::to_owned))).collect();
    let previous = record.time(UPDATED);
    stamped(&record.with(&edits, dialect), set_at(&theirs), time::after(previous, now), dialect)
}

/// A line after an edit, with the time of the edit and of its status.
pub fn edited(before: &str, after: &str, at: Instant, dialect: Dialect) -> String {
    let (Ok(was), Ok(is)) = (Record::parse(before), Record::parse(after)) else { return after.to_owned() };
    let is_same = |field: Field| same_text(field.key(), was.raw_of(field), is.raw_of(field));
    let dates = [Field::Closed, Field::Deleted];
    let stays = issue::status_of(&was) == issue::status_of(&is) && dates.into_iter().all(is_same);
    let set = if stays { set_at(&was) } else { Stamp { at: Some(at), text: at.to_string() } };
    stamped(after, set, at, dialect)
}

fn stamped(line: &str, set: Stamp, at: Instant, dialect: Dialect) -> String {
    let Ok(record) = Record::parse(line) else { return line.to_owned() };
    let updated = dialect.string(&at.to_string());
    let line = record.with(&[(UPDATED, Some(updated.clone())), (FIELD_TIMES, None)], dialect);
    let Some(record) = Record::parse(&line).ok().filter(|record| wants_note(record, &set)) else { return line };
    let times = vec![("at".to_owned(), Json::Raw(updated)), (STATUS.to_owned(), Json::Text(set.text))];
    let note = dialect.render(&Json::Object(times));
    record.with(&[(FIELD_TIMES, Some(note))], dialect)
}
