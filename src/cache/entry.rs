//! The part of an issue that the cache indexes.

use std::borrow::Cow;

use crate::model::dependency::{self, Dependency};
use crate::model::issue::{self, LineDate, Zone};
use crate::model::json;
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::when::When;

/// Later than every date: what is put off in a way that cannot be read.
pub(super) const NEVER: i64 = i64::MAX;

/// One row and what hangs on it, read from a record without decoding its long texts.
#[derive(Debug)]
pub struct Entry<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) title: Cow<'a, str>,
    pub(super) status: Cow<'a, str>,
    pub(super) priority: i64,
    pub(super) issue_type: Cow<'a, str>,
    pub(super) assignee: Option<Cow<'a, str>>,
    pub(super) author: Option<Cow<'a, str>>,
    pub(super) owner: Option<Cow<'a, str>>,
    pub(super) external_ref: Option<Cow<'a, str>>,
    pub(super) visibility: Cow<'a, str>,
    pub(super) created: Option<i64>,
    pub(super) updated: Option<i64>,
    pub(super) started: Option<i64>,
    pub(super) closed: Option<i64>,
    pub(super) due: Option<i64>,
    pub(super) defer: Option<i64>,
    /// One of these two is a day, so that it depends on the reader's zone.
    pub(super) has_day: bool,
    pub(super) failed: bool,
    pub(super) hidden: bool,
    pub(super) comments: usize,
    pub(super) task: bool,
    pub(super) labels: Vec<String>,
    pub(super) dependencies: Vec<Dependency>,
}

impl<'a> Entry<'a> {
    pub fn id(&self) -> &Cow<'a, str> {
        &self.id
    }

    /// What was read holds only in the zone that was asked for.
    pub fn depends_on_zone(&self) -> bool {
        self.has_day
    }

    /// Reads a record in one pass over its keys: this is the hot loop of every start.
    pub fn read(record: &Record<'a>, zone: Zone<'_>) -> Self {
        let mut entry = Entry {
            id: Cow::Borrowed(""),
            title: Cow::Borrowed(""),
            status: Cow::Borrowed("open"),
            priority: 0,
            issue_type: Cow::Borrowed("task"),
            assignee: None,
            author: None,
            owner: None,
            external_ref: None,
            visibility: Cow::Borrowed("canonical"),
            created: None,
            updated: None,
            started: None,
            closed: None,
            due: None,
            defer: None,
            has_day: false,
            failed: false,
            hidden: false,
            comments: 0,
            task: false,
            labels: Vec::new(),
            dependencies: Vec::new(),
        };
        for (key, raw) in record.iter() {
            match key.as_ref() {
                "id" => entry.id = text(raw).unwrap_or_default(),
                "title" => entry.title = text(raw).unwrap_or_default(),
                "status" => entry.status = text(raw).unwrap_or(entry.status),
                "priority" => entry.priority = issue::priority_of(record).number(),
                "issue_type" => entry.issue_type = text(raw).unwrap_or(entry.issue_type),
                "assignee" => entry.assignee = text(raw),
                "created_by" => entry.author = text(raw),
                "owner" => entry.owner = text(raw),
                "external_ref" => entry.external_ref = text(raw),
                "visibility" => entry.visibility = text(raw).unwrap_or(entry.visibility),
                "created_at" => entry.created = time(raw),
                "updated_at" => entry.updated = time(raw),
                "started_at" => entry.started = time(raw),
                "closed_at" => entry.closed = time(raw),
                "due_at" => {
                    entry.due = match entry.date(raw, zone) {
                        LineDate::At(when) => Some(when.end().micros()),
                        LineDate::Absent | LineDate::Unreadable => None,
                    }
                }
                "defer_until" => {
                    entry.defer = match entry.date(raw, zone) {
                        LineDate::At(when) => Some(when.start().micros()),
                        LineDate::Absent => None,
                        // Somebody put it off, until whenever that is.
                        LineDate::Unreadable => Some(NEVER),
                    }
                }
                "close_reason" => entry.failed = text(raw).is_some_and(|reason| dependency::is_failure(&reason)),
                "pinned" | "ephemeral" | "wisp" | "is_template" => entry.hidden |= raw == "true",
                "task" => entry.task = raw.starts_with('{'),
                "comments" => entry.comments = record.elements("comments").len(),
                "labels" => entry.labels = issue::labels_of(record),
                "dependencies" => entry.dependencies = issue::dependencies_of(record),
                _ => {}
            }
        }
        entry.failed &= entry.status == "closed";
        entry
    }

    fn date(&mut self, raw: &str, zone: Zone<'_>) -> LineDate {
        let date = LineDate::read(raw, zone);
        self.has_day |= matches!(date, LineDate::At(When::Day(_)));
        date
    }
}

/// A string that says something.
fn text(raw: &str) -> Option<Cow<'_, str>> {
    json::decode_string(raw).filter(|text| !text.is_empty())
}

fn time(raw: &str) -> Option<i64> {
    text(raw).and_then(|text| Instant::parse(&text)).map(Instant::micros)
}
