//! A checkpoint: what somebody who works on an issue wants to be known later, by itself or by who takes over.
//!
//! Checkpoints are numbered from 1 for each issue and are never changed. `detail` is JSON of whatever kind, kept as it was given.

use super::json::{Object, decode_string};
use super::record::Record;

/// What a checkpoint is about. An open set: words of later versions are kept and shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointKind(String);

impl CheckpointKind {
    pub const KNOWN: &[&str] = &["plan", "replan", "progress", "decision", "error", "recovery", "complete"];

    pub fn new(word: impl Into<String>) -> Self {
        CheckpointKind(word.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Something went wrong here: nobody should go on from it.
    pub fn is_error(&self) -> bool {
        self.0 == "error"
    }
}

impl Default for CheckpointKind {
    fn default() -> Self {
        CheckpointKind("progress".to_owned())
    }
}

/// The files of the checkout, kept by version control under the checkpoint's id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Saved {
    /// What version control calls it.
    pub name: String,
    /// Files that differ from the commit below.
    pub files: Vec<String>,
    pub base: Option<String>,
    /// Files that are not in it, and why.
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checkpoint {
    pub id: String,
    pub issue: String,
    /// Which repository, where several share a state home.
    pub repo: Option<String>,
    /// From 1, for each issue.
    pub number: i64,
    pub kind: CheckpointKind,
    pub summary: String,
    /// Raw JSON on one line.
    pub detail: Option<String>,
    pub files: Vec<String>,
    /// Whoever adds one with the same key again gets this one.
    pub key: Option<String>,
    /// An agent's id; a person has none.
    pub agent: Option<String>,
    pub actor: String,
    pub worktree_id: Option<String>,
    /// How the checkout was called then.
    pub worktree: Option<String>,
    pub branch: Option<String>,
    pub created_at: String,
    pub snapshot: Option<Saved>,
}

impl Checkpoint {
    pub fn parse(record: &Record<'_>) -> Option<Self> {
        let text = |key: &str| record.text_of(key).map(|text| text.into_owned());
        let snapshot = record.raw("snapshot").and_then(|raw| {
            let inner = Record::parse_part(raw).ok()?;
            Some(Saved {
                name: inner.string("name")?.into_owned(),
                files: texts(&inner, "files"),
                base: inner.text_of("base").map(|text| text.into_owned()),
                left_out: texts(&inner, "left_out"),
            })
        });
        Some(Checkpoint {
            id: text("id")?,
            issue: text("issue")?,
            repo: text("repo"),
            number: record.integer("number")?,
            kind: text("type").map(CheckpointKind).unwrap_or_default(),
            summary: record.string("summary").unwrap_or_default().into_owned(),
            detail: record.raw("detail").map(str::to_owned),
            files: texts(record, "files"),
            key: text("key"),
            agent: text("agent"),
            actor: text("actor").unwrap_or_default(),
            worktree_id: text("worktree_id"),
            worktree: text("worktree"),
            branch: text("branch"),
            created_at: text("created_at").unwrap_or_default(),
            snapshot,
        })
    }

    /// The line of a state home.
    pub fn render(&self) -> String {
        let mut object = Object::new()
            .text("id", &self.id)
            .text("issue", &self.issue)
            .optional("repo", self.repo.as_deref())
            .number("number", self.number)
            .text("type", self.kind.as_str())
            .text("summary", &self.summary);
        if let Some(detail) = &self.detail {
            object = object.raw("detail", detail);
        }
        if !self.files.is_empty() {
            object = object.texts("files", &self.files);
        }
        object = object
            .optional("key", self.key.as_deref())
            .optional("agent", self.agent.as_deref())
            .text("actor", &self.actor)
            .optional("worktree_id", self.worktree_id.as_deref())
            .optional("worktree", self.worktree.as_deref())
            .optional("branch", self.branch.as_deref())
            .text("created_at", &self.created_at);
        if let Some(saved) = &self.snapshot {
            object = object.raw("snapshot", &saved.render());
        }
        object.finish()
    }
}

impl Saved {
    pub fn render(&self) -> String {
        let object = Object::new().text("name", &self.name).optional("base", self.base.as_deref());
        let object = object.texts("files", &self.files);
        if self.left_out.is_empty() { object.finish() } else { object.texts("left_out", &self.left_out).finish() }
    }
}

/// The highest number that an issue's checkpoints had when they were dropped: the next one has a higher one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastNumber {
    pub id: String,
    pub issue: String,
    pub repo: Option<String>,
    pub last: i64,
}

impl LastNumber {
    pub fn parse(record: &Record<'_>) -> Option<Self> {
        let text = |key: &str| record.text_of(key).map(|text| text.into_owned());
        Some(LastNumber { id: text("id")?, issue: text("issue")?, repo: text("repo"), last: record.integer("last")? })
    }

    pub fn render(&self) -> String {
        let object = Object::new().text("id", &self.id).text("issue", &self.issue);
        object.optional("repo", self.repo.as_deref()).number("last", self.last).finish()
    }
}

fn texts(record: &Record<'_>, key: &str) -> Vec<String> {
    record.elements(key).into_iter().filter_map(decode_string).map(|text| text.into_owned()).collect()
}

/// JSON as it was given, on one line; `None` if it is not one JSON value.
pub fn raw_json(text: &str) -> Option<String> {
    let text = text.trim();
    let wrapped = format!("{{\"detail\":{text}}}");
    let record = Record::parse(&wrapped).ok()?;
    let is_one = record.iter().count() == 1 && record.raw("detail") == Some(text);
    // No string of JSON holds a line end as it is.
    is_one.then(|| text.replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_one_value_on_one_line() {
        for (given, kept) in [
            ("{\"a\": 1}", Some("{\"a\": 1}")),
            (" [1,\n 2]\n", Some("[1,  2]")),
            ("1e400", Some("1e400")),
            ("\"text\"", Some("\"text\"")),
            ("null", Some("null")),
            ("", None),
            ("words", None),
            ("1,\"x\":2", None),
            ("1}{", None),
            ("{\"a\":1", None),
            ("\"a\nb\"", None),
        ] {
            assert_eq!(raw_json(given).as_deref(), kept, "{given}");
        }
    }
}
