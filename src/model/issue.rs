//! An issue, decoded from its line.
//!
//! Open sets stay open: a status, type or dependency type that we do not know is kept and shown. Decoding never fails
//! on a field of an odd kind; it reads as absent, and the line keeps it. [`super::odd`] tells which those are.

use std::fmt;

use super::dependency::Dependency;
use super::json::{self, says_nothing};
use super::record::Record;
use super::time::Instant;
use super::when::{self, Calendar, When};

macro_rules! open_word {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Takes the word as a file holds it.
            pub fn new(word: impl Into<String>) -> Self {
                $name(word.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

open_word!(
    /// Where an issue stands. An open set: `open`, `in_progress`, `blocked`, `deferred`, `closed`, `tombstone`, `pinned`,
    /// `hooked` have a meaning here, other words are kept.
    Status
);
open_word!(
    /// What kind of work an issue is. An open set.
    IssueType
);

impl Status {
    pub const KNOWN: &[&str] = &["open", "in_progress", "blocked", "deferred", "closed", "pinned", "hooked"];

    pub fn open() -> Self {
        Status::new("open")
    }

    /// Reads a word as people type it: `in-progress` and `In Progress` mean `in_progress`.
    pub fn typed(word: &str) -> Self {
        Status::new(word.trim().to_lowercase().replace(['-', ' '], "_"))
    }

    pub fn is_known(&self) -> bool {
        Self::KNOWN.contains(&self.as_str())
    }

    /// Work on it is over: closed or deleted.
    pub fn is_done(&self) -> bool {
        matches!(self.as_str(), "closed" | "tombstone")
    }

    pub fn is_tombstone(&self) -> bool {
        self.as_str() == "tombstone"
    }
}

impl IssueType {
    pub const KNOWN: &[&str] = &[
        "bug",
        "feature",
        "task",
        "epic",
        "chore",
        "decision",
        "docs",
        "spike",
        "story",
        "milestone",
        "question",
        "merge-request",
        "molecule",
        "gate",
        "convoy",
        "message",
        "event",
        "workflow",
    ];

    /// Types that serve machinery; `ready` offers them only when they are asked for.
    pub const INTERNAL: &[&str] =
        &["merge-request", "molecule", "gate", "convoy", "message", "event", "workflow", "agent", "role", "rig"];

    pub fn task() -> Self {
        IssueType::new("task")
    }

    /// Reads a word as people type it, with the aliases of the beads world.
    pub fn typed(word: &str) -> Self {
        let word = word.trim().to_lowercase();
        IssueType::new(match word.as_str() {
            "enhancement" | "feat" => "feature",
            "dec" | "adr" => "decision",
            "investigation" | "timebox" => "spike",
            "user-story" => "story",
            "ms" => "milestone",
            "mr" => "merge-request",
            "mol" => "molecule",
            other => other,
        })
    }

    pub fn is_known(&self) -> bool {
        Self::KNOWN.contains(&self.as_str())
    }
}

/// 0 (most urgent) to 4. Files may hold other numbers; they are kept and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(i64);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid priority {0:?}: 0 to 4, or P0 to P4")]
pub struct PriorityError(pub String);

impl Priority {
    pub const DEFAULT: Priority = Priority(2);

    pub const fn in_file(number: i64) -> Self {
        Priority(number)
    }

    /// Reads `0`..`4` or `P0`..`P4`.
    pub fn typed(text: &str) -> Result<Self, PriorityError> {
        match text.trim().trim_start_matches(['P', 'p']).parse::<i64>() {
            Ok(number @ 0..=4) => Ok(Priority(number)),
            _ => Err(PriorityError(text.to_owned())),
        }
    }

    pub const fn number(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "P{}", self.0)
    }
}

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

    fn read(record: &Record<'_>, key: &str) -> Option<Self> {
        let text = record.text_of(key)?.into_owned();
        Instant::parse(&text).map(|instant| Time { text, instant })
    }

    /// The same of a date, which need not have a time of day.
    fn read_date(record: &Record<'_>, key: &str, meant: fn(When) -> Instant, zone: Zone<'_>) -> Option<Self> {
        match LineDate::read(record.raw(key)?, zone) {
            LineDate::At(when) => Some(Time { text: record.text_of(key)?.into_owned(), instant: meant(when) }),
            LineDate::Absent | LineDate::Unreadable => None,
        }
    }
}

/// Where days begin. Asked only when a line has a date without a time of day, because finding the zone takes time.
pub type Zone<'a> = &'a dyn Fn() -> Calendar;

/// What `due_at` or `defer_until` of a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineDate {
    Absent,
    /// A moment or, without a time of day, a day where the reader is.
    At(When),
    /// Something is there that is not a date.
    Unreadable,
}

impl LineDate {
    pub fn read(raw: &str, zone: Zone<'_>) -> Self {
        if says_nothing(raw) {
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
            created_at: Time::read(&record, "created_at"),
        })
    }
}

/// One issue with the fields that `bd` understands. What it does not understand stays in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    pub id: String,
    pub title: String,
    pub description: Option<String>,
    pub design: Option<String>,
    pub acceptance_criteria: Option<String>,
    pub notes: Option<String>,
    pub status: Status,
    /// A missing priority reads as 0: one writer of the past dropped zeros.
    pub priority: Priority,
    pub issue_type: IssueType,
    pub assignee: Option<String>,
    pub owner: Option<String>,
    pub estimated_minutes: Option<i64>,
    pub created_at: Option<Time>,
    pub created_by: Option<String>,
    pub updated_at: Option<Time>,
    pub started_at: Option<Time>,
    pub closed_at: Option<Time>,
    pub close_reason: Option<String>,
    pub due_at: Option<Time>,
    pub defer_until: Option<Time>,
    pub external_ref: Option<String>,
    pub pinned: bool,
    pub ephemeral: bool,
    pub is_template: bool,
    pub labels: Vec<String>,
    pub dependencies: Vec<Dependency>,
    pub comments: Vec<Comment>,
    /// `None` reads as canonical.
    pub visibility: Option<String>,
    pub deleted_at: Option<Time>,
    pub deleted_by: Option<String>,
    pub delete_reason: Option<String>,
}

impl Issue {
    /// Decodes a record whose `id` has been checked by the ledger. Dates without a time of day are days in UTC.
    pub fn decode(record: &Record<'_>) -> Self {
        Self::decode_in(record, &|| Calendar::utc(Instant::default()))
    }

    /// The same with days in a zone.
    pub fn decode_in(record: &Record<'_>, zone: Zone<'_>) -> Self {
        let text = |key| record.text_of(key).map(|text| text.into_owned());
        Issue {
            id: record.string("id").unwrap_or_default().into_owned(),
            title: record.string("title").unwrap_or_default().into_owned(),
            description: text("description"),
            design: text("design"),
            acceptance_criteria: text("acceptance_criteria"),
            notes: text("notes"),
            status: status_of(record),
            priority: priority_of(record),
            issue_type: type_of(record),
            assignee: text("assignee"),
            owner: text("owner"),
            estimated_minutes: record.integer("estimated_minutes"),
            created_at: Time::read(record, "created_at"),
            created_by: text("created_by"),
            updated_at: Time::read(record, "updated_at"),
            started_at: Time::read(record, "started_at"),
            closed_at: Time::read(record, "closed_at"),
            close_reason: text("close_reason"),
            due_at: Time::read_date(record, "due_at", When::end, zone),
            defer_until: Time::read_date(record, "defer_until", When::start, zone),
            external_ref: text("external_ref"),
            pinned: record.flag("pinned"),
            ephemeral: record.flag("ephemeral") || record.flag("wisp"),
            is_template: record.flag("is_template"),
            labels: labels_of(record),
            dependencies: dependencies_of(record),
            comments: record.elements("comments").into_iter().filter_map(Comment::decode).collect(),
            visibility: text("visibility"),
            deleted_at: Time::read(record, "deleted_at"),
            deleted_by: text("deleted_by"),
            delete_reason: text("delete_reason"),
        }
    }

    /// The issue this one is a child of.
    pub fn parent(&self) -> Option<&str> {
        self.dependencies.iter().find(|d| d.kind.is_parent_child()).map(|d| d.target.as_str())
    }
}

pub fn status_of(record: &Record<'_>) -> Status {
    record.text_of("status").map_or_else(Status::open, |word| Status::new(word.into_owned()))
}

pub fn type_of(record: &Record<'_>) -> IssueType {
    record.text_of("issue_type").map_or_else(IssueType::task, |word| IssueType::new(word.into_owned()))
}

pub fn priority_of(record: &Record<'_>) -> Priority {
    let typed = || record.text_of("priority").and_then(|text| Priority::typed(&text).ok());
    record.integer("priority").map(Priority).or_else(typed).unwrap_or(Priority(0))
}

/// The labels of a line. One text in the place of the list is one label.
pub fn labels_of(record: &Record<'_>) -> Vec<String> {
    let elements = match record.raw("labels") {
        Some(raw) if raw.starts_with('"') && !says_nothing(raw) => vec![raw],
        _ => record.elements("labels"),
    };
    elements.into_iter().filter_map(|raw| json::decode_string(raw).map(|text| text.into_owned())).collect()
}

pub fn dependencies_of(record: &Record<'_>) -> Vec<Dependency> {
    record.elements("dependencies").into_iter().filter_map(Dependency::decode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_kinds_read_as_absent() {
        let line = r#"{"id":"a","title":null,"priority":"P3","labels":null,"comments":[7],"closed_at":"","status":""}"#;
        let issue = Issue::decode(&Record::parse(line).unwrap());
        assert_eq!((issue.title.as_str(), issue.priority.number(), issue.status.as_str()), ("", 3, "open"));
        assert!(issue.labels.is_empty() && issue.comments.is_empty() && issue.closed_at.is_none());
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

    #[test]
    fn typed_words() {
        assert_eq!(Status::typed("In-Progress").as_str(), "in_progress");
        assert_eq!(IssueType::typed("feat").as_str(), "feature");
        assert_eq!(Priority::typed("P1").unwrap().number(), 1);
        for bad in ["7", "-1", "high", ""] {
            assert!(Priority::typed(bad).is_err(), "{bad}");
        }
    }
}
