//! The part of an issue that the cache indexes.

use std::borrow::Cow;

use crate::model::dependency::{self, Dependency};
use crate::model::issue;
use crate::model::record::Record;
use crate::model::time::Instant;

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
    pub(super) failed: bool,
    pub(super) hidden: bool,
    pub(super) comments: usize,
    pub(super) labels: Vec<String>,
    pub(super) dependencies: Vec<Dependency>,
}

impl<'a> Entry<'a> {
    pub fn read(record: &Record<'a>) -> Self {
        let word = |key, default| record.text_of(key).unwrap_or(Cow::Borrowed(default));
        let time = |key| record.string(key).and_then(|text| Instant::parse(&text)).map(Instant::nanos);
        let status = word("status", "open");
        let failed = status == "closed" && record.text_of("close_reason").is_some_and(|r| dependency::is_failure(&r));
        Entry {
            id: record.string("id").unwrap_or_default(),
            title: record.string("title").unwrap_or_default(),
            priority: issue::priority_of(record).number(),
            issue_type: word("issue_type", "task"),
            assignee: record.text_of("assignee"),
            author: record.text_of("created_by"),
            owner: record.text_of("owner"),
            external_ref: record.text_of("external_ref"),
            visibility: word("visibility", "canonical"),
            created: time("created_at"),
            updated: time("updated_at"),
            started: time("started_at"),
            closed: time("closed_at"),
            due: time("due_at"),
            defer: time("defer_until"),
            failed,
            status,
            hidden: ["pinned", "ephemeral", "wisp", "is_template"].iter().any(|key| record.flag(key)),
            comments: record.raw("comments").map_or(0, |_| record.elements("comments").len()),
            labels: if record.raw("labels").is_some() { issue::labels_of(record) } else { Vec::new() },
            dependencies: if record.raw("dependencies").is_some() {
                issue::dependencies_of(record)
            } else {
                Vec::new()
            },
        }
    }
}
