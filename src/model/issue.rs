//! An issue, decoded from its line.
//!
//! Open sets stay open: an unknown status, type or dependency type is kept and shown. Decoding never fails on a field
//! of an unexpected type; the field reads as absent, and the line keeps it. [`super::odd`] lists such fields.

use std::borrow::Cow;

use super::dependency::Dependency;
use super::field::{Field, Kind};
use super::json::{self, is_unset};
use super::record::Record;
pub use super::status::{IssueType, Priority, PriorityError, Status};
use super::time::Instant;
use super::when::{self, Calendar, When};

/// A time as the file writes it, with the instant it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Time {
    pub text: String,
    pub instant: Instant,
}

impl Time {
    pub fn at(instant: Instant) -> Self {
        Time { text: instant.to_string(), instant }
    }

    fn read(raw: Option<&str>) -> Option<Self> {
        let text = text(raw)?;
        Instant::parse(&text).map(|instant| Time { text: text.into_owned(), instant })
    }

    /// The same for a date, which may lack a time of day.
    fn read_date(raw: Option<&str>, meant: fn(When) -> Instant, zone: Zone<'_>) -> Option<Self> {
        match LineDate::read(raw?, zone) {
            LineDate::At(when) => Some(Time { text: text(raw)?.into_owned(), instant: meant(when) }),
            LineDate::Absent | LineDate::Unreadable => None,
        }
    }
}

/// A string that is not empty.
fn text(raw: Option<&str>) -> Option<Cow<'_, str>> {
    raw.and_then(json::decode_string).filter(|text| !text.is_empty())
}

/// Where days begin. Called only for a date without a time of day, because finding the zone takes time.
pub type Zone<'a> = &'a dyn Fn() -> Calendar;

/// The value of `due_at` or `defer_until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineDate {
    Absent,
    /// A moment or, without a time of day, a day in the reader's zone.
    At(When),
    /// A value that is not a date.
    Unreadable,
}

impl LineDate {
    pub fn read(raw: &str, zone: Zone<'_>) -> Self {
        if is_unset(raw) {
            return LineDate::Absent;
        }
        let text = json::decode_string(raw).unwrap_or_default();
        let moment = Instant::parse(&text).map(When::Moment);
        let day = || when::is_day(&text).then(|| zone().day_of(&text)).flatten().map(When::Day);
        moment.or_else(day).map_or(LineDate::Unreadable, LineDate::At)
    }
}

/// A remark on an issue. Its identity in a merge is (id, author, created_at, text).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// As text: files hold integers (ours are random below 2^53) and, from later tools, strings.
    pub id: String,
    pub author: String,
    pub text: String,
    pub created_at: Option<Time>,
}

impl Comment {
    pub(in crate::model) fn decode(raw: &str) -> Option<Self> {
        let record = Record::parse_part(raw).ok()?;
        let id = record.raw("id").map(|raw| json::decode_string(raw).map_or(raw.to_owned(), |text| text.into_owned()));
        Some(Comment {
            id: id.unwrap_or_default(),
            author: record.string("author").unwrap_or_default().into_owned(),
            text: record.string("text").unwrap_or_default().into_owned(),
            created_at: Time::read(record.raw("created_at")),
        })
    }
}

/// The value of a field for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldValue<'a> {
    /// No value, or one that is more than a word or a number.
    Nothing,
    Text(&'a str),
    Number(i64),
    Time(&'a Time),
}

/// A parsed record, and where days begin.
type Line<'r, 'a> = (&'r Record<'a>, Zone<'r>);

/// A type of values: how a field is read and shown.
trait Value: Sized {
    fn read(line: Line<'_, '_>, field: Field) -> Self;

    fn value(&self) -> FieldValue<'_> {
        FieldValue::Nothing
    }
}

impl Value for String {
    fn read((record, _): Line<'_, '_>, field: Field) -> Self {
        record.raw_of(field).and_then(json::decode_string).unwrap_or_default().into_owned()
    }

    fn value(&self) -> FieldValue<'_> {
        if self.is_empty() { FieldValue::Nothing } else { FieldValue::Text(self) }
    }
}

impl Value for Option<String> {
    fn read((record, _): Line<'_, '_>, field: Field) -> Self {
        text(record.raw_of(field)).map(Cow::into_owned)
    }

    fn value(&self) -> FieldValue<'_> {
        self.as_deref().map_or(FieldValue::Nothing, FieldValue::Text)
    }
}

impl Value for Option<i64> {
    fn read((record, _): Line<'_, '_>, field: Field) -> Self {
        record.raw_of(field).and_then(json::integer)
    }

    fn value(&self) -> FieldValue<'_> {
        self.map_or(FieldValue::Nothing, FieldValue::Number)
    }
}

impl Value for Option<Time> {
    fn read((record, zone): Line<'_, '_>, field: Field) -> Self {
        let raw = record.raw_of(field);
        match field.row().kind {
            Kind::Until => Time::read_date(raw, When::end, zone),
            Kind::From => Time::read_date(raw, When::start, zone),
            _ => Time::read(raw),
        }
    }

    fn value(&self) -> FieldValue<'_> {
        self.as_ref().map_or(FieldValue::Nothing, FieldValue::Time)
    }
}

impl Value for Status {
    fn read((record, _): Line<'_, '_>, _: Field) -> Self {
        status_of(record)
    }

    fn value(&self) -> FieldValue<'_> {
        FieldValue::Text(self.as_str())
    }
}

impl Value for IssueType {
    fn read((record, _): Line<'_, '_>, _: Field) -> Self {
        type_of(record)
    }

    fn value(&self) -> FieldValue<'_> {
        FieldValue::Text(self.as_str())
    }
}

impl Value for Priority {
    fn read((record, _): Line<'_, '_>, _: Field) -> Self {
        priority_of(record)
    }

    fn value(&self) -> FieldValue<'_> {
        FieldValue::Number(self.number())
    }
}

impl Value for bool {
    fn read((record, _): Line<'_, '_>, field: Field) -> Self {
        record.raw_of(field) == Some("true") || field == Field::Ephemeral && record.flag(WISP)
    }
}

impl Value for Vec<String> {
    fn read((record, _): Line<'_, '_>, _: Field) -> Self {
        labels_of(record)
    }
}

impl Value for Vec<Dependency> {
    fn read((record, _): Line<'_, '_>, _: Field) -> Self {
        dependencies_of(record)
    }
}

impl Value for Vec<Comment> {
    fn read((record, _): Line<'_, '_>, field: Field) -> Self {
        record.elements_of(field).into_iter().filter_map(Comment::decode).collect()
    }
}

/// Another name of `ephemeral`, which older writers use.
pub const WISP: &str = "wisp";

/// The fields that `bd` understands: the name and type of each in [`Issue`].
macro_rules! issue {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $field:ident;)*) => {
        /// One issue with the fields that `bd` understands. The line keeps all others.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Issue {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl Issue {
            /// Decodes a record whose `id` the ledger has checked; days are in the given zone.
            pub fn decode_in(record: &Record<'_>, zone: Zone<'_>) -> Self {
                Issue { $($name: Value::read((record, zone), Field::$field),)* }
            }

            /// The value of a field.
            pub fn value(&self, field: Field) -> FieldValue<'_> {
                match field {
                    $(Field::$field => self.$name.value(),)*
                    _ => FieldValue::Nothing,
                }
            }

            /// Fills fields that belong to the proposer, where this copy has none, from another copy.
            pub fn fill_own(&mut self, other: Issue) {
                $(if Field::$field.row().own && self.$name.value() == FieldValue::Nothing {
                    self.$name = other.$name;
                })*
            }
        }
    };
}

issue! {
    id: String = Id;
    title: String = Title;
    description: Option<String> = Description;
    design: Option<String> = Design;
    acceptance_criteria: Option<String> = AcceptanceCriteria;
    notes: Option<String> = Notes;
    status: Status = Status;
    /// A missing priority reads as 0: one older writer dropped zeros.
    priority: Priority = Priority;
    issue_type: IssueType = Type;
    assignee: Option<String> = Assignee;
    owner: Option<String> = Owner;
    estimated_minutes: Option<i64> = Estimate;
    created_at: Option<Time> = Created;
    created_by: Option<String> = Author;
    updated_at: Option<Time> = Updated;
    started_at: Option<Time> = Started;
    closed_at: Option<Time> = Closed;
    close_reason: Option<String> = CloseReason;
    due_at: Option<Time> = Due;
    defer_until: Option<Time> = Defer;
    external_ref: Option<String> = ExternalRef;
    pinned: bool = Pinned;
    ephemeral: bool = Ephemeral;
    is_template: bool = IsTemplate;
    labels: Vec<String> = Label;
    dependencies: Vec<Dependency> = Dependencies;
    comments: Vec<Comment> = Comments;
    /// `None` reads as canonical.
    visibility: Option<String> = Visibility;
    deleted_at: Option<Time> = Deleted;
    deleted_by: Option<String> = DeletedBy;
    delete_reason: Option<String> = DeleteReason;
}

impl Issue {
    /// Decodes a record. Dates without a time of day are days in UTC.
    pub fn decode(record: &Record<'_>) -> Self {
        Self::decode_in(record, &|| Calendar::utc(Instant::default()))
    }

    /// The parent issue.
    pub fn parent(&self) -> Option<&str> {
        self.dependencies.iter().find(|d| d.kind.is_parent_child()).map(|d| d.target.as_str())
    }
}

pub fn status_of(record: &Record<'_>) -> Status {
    text(record.raw_of(Field::Status)).map_or_else(Status::open, |word| Status::new(word.into_owned()))
}

pub fn type_of(record: &Record<'_>) -> IssueType {
    text(record.raw_of(Field::Type)).map_or_else(IssueType::task, |word| IssueType::new(word.into_owned()))
}

pub fn priority_of(record: &Record<'_>) -> Priority {
    let raw = record.raw_of(Field::Priority);
    let typed = || text(raw).and_then(|text| Priority::typed(&text).ok());
    raw.and_then(json::integer).map(Priority::in_file).or_else(typed).unwrap_or(Priority::in_file(0))
}

/// The text of a field that a search looks at.
pub fn searched_text(record: &Record<'_>, field: Field) -> String {
    match field.row().kind {
        Kind::Labels => labels_of(record).join("\n"),
        Kind::Comments => {
            let comments = record.elements_of(field).into_iter().filter_map(Comment::decode);
            comments.map(|comment| comment.text).collect::<Vec<_>>().join("\n")
        }
        _ => record.raw_of(field).and_then(json::decode_string).unwrap_or_default().into_owned(),
    }
}

/// The labels of a line. A text instead of a list is one label.
pub fn labels_of(record: &Record<'_>) -> Vec<String> {
    let elements = match record.raw_of(Field::Label) {
        Some(raw) if raw.starts_with('"') && !is_unset(raw) => vec![raw],
        _ => record.elements_of(Field::Label),
    };
    elements.into_iter().filter_map(|raw| json::decode_string(raw).map(|text| text.into_owned())).collect()
}

pub fn dependencies_of(record: &Record<'_>) -> Vec<Dependency> {
    record.elements_of(Field::Dependencies).into_iter().filter_map(Dependency::decode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::field;

    #[test]
    fn odd_kinds_read_as_absent() {
        let line = r#"{"id":"a","title":null,"priority":"P3","labels":null,"comments":[7],"closed_at":"","status":""}"#;
        let issue = Issue::decode(&Record::parse(line).unwrap());
        assert_eq!((issue.title.as_str(), issue.priority.number(), issue.status.as_str()), ("", 3, "open"));
        assert!(issue.labels.is_empty() && issue.comments.is_empty() && issue.closed_at.is_none());
    }

    /// Every field that `bd show` shows, `bd update` sets or a planning copy adds must be in [`Issue`].
    #[test]
    fn every_field_that_is_shown_is_decoded() {
        for field in field::ALL.iter().filter(|field| **field != Field::Id) {
            let row = field.row();
            let raw = match row.kind {
                Kind::Number => "7",
                _ if field.is_time() => "\"2026-01-01T00:00:00Z\"",
                _ => "\"x\"",
            };
            let line = format!(r#"{{"id":"a","{}":{raw}}}"#, row.key);
            let issue = Issue::decode(&Record::parse(&line).unwrap());
            if row.fact.is_some() || row.section.is_some() || row.settable || row.own {
                assert_ne!(issue.value(*field), FieldValue::Nothing, "{} is missing from `issue!`", row.key);
            }
            let mut other = Issue::decode(&Record::parse(r#"{"id":"b"}"#).unwrap());
            other.fill_own(issue);
            assert_eq!(row.own, other.value(*field) != FieldValue::Nothing && row.default.is_none(), "{field:?}");
        }
    }

    #[test]
    fn dates_are_read_where_there_is_no_doubt() {
        let zone = jiff::tz::TimeZone::posix("CET-1").unwrap();
        let calendar = || Calendar::new(Instant::default(), zone.clone());
        let read = |raw: &str| {
            let line = format!(r#"{{"id":"a","due_at":{raw},"defer_until":{raw}}}"#);
            let issue = Issue::decode_in(&Record::parse(&line).unwrap(), &calendar);
            [issue.due_at, issue.defer_until].map(|time| time.map(|time| time.instant.to_string()).unwrap_or_default())
        };
        assert_eq!(read("\"2026-12-01\""), ["2026-12-01T22:59:59.999Z", "2026-11-30T23:00:00.000Z"]);
        assert_eq!(read("\"2026-12-01T10:00:00+0100\""), ["2026-12-01T09:00:00.000Z"; 2]);
        for raw in ["1764547200", "\"someday\"", "\"2026-13-01\"", "\"20261201\"", "{}", "true", "[]"] {
            assert_eq!(read(raw), ["", ""], "{raw}");
            assert_eq!(LineDate::read(raw, &calendar), LineDate::Unreadable, "{raw}");
        }
        assert_eq!(LineDate::read("null", &calendar), LineDate::Absent);
    }

    #[test]
    fn a_text_is_one_label() {
        let labels = |raw: &str| labels_of(&Record::parse(&format!(r#"{{"id":"a","labels":{raw}}}"#)).unwrap());
        assert_eq!(labels(r#""x, y""#), ["x, y"]);
        assert_eq!(labels(r#"["x","y"]"#), ["x", "y"]);
        assert!(labels("\"\"").is_empty() && labels("7").is_empty());
    }

    #[test]
    fn a_missing_priority_is_zero() {
        let record = Record::parse(r#"{"id":"a"}"#).unwrap();
        assert_eq!(priority_of(&record).number(), 0);
        assert_eq!(type_of(&record), IssueType::task());
    }
}
