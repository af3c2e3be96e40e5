//! A checkpoint: what a worker on an issue records for later, for itself or for a successor.
//!
//! Checkpoints are numbered from 1 per issue and never change. `detail` is any JSON, kept verbatim.

use super::json::Json;
use super::record::Record;
use super::row::{Cell, Exact, Form, Plain, Raw, Row, cells, row};

/// The kind of a checkpoint. An open set: words of later versions are kept and shown.
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

    /// Whether something went wrong here: work should not resume from it.
    pub fn is_error(&self) -> bool {
        self.0 == "error"
    }
}

impl Default for CheckpointKind {
    fn default() -> Self {
        CheckpointKind("progress".to_owned())
    }
}

cells! {
    CheckpointKind: |raw| String::read(raw).map(CheckpointKind), |kind| kind.0.json();
}

/// A list that is written even if it is empty.
enum Listed {}

impl Form<Vec<String>> for Listed {
    fn read(record: &Record<'_>, key: &str) -> Option<Vec<String>> {
        Plain::read(record, key)
    }

    fn write(all: &Vec<String>, key: &str, into: &mut Vec<(String, Json)>) {
        into.push((key.to_owned(), Json::List(all.iter().map(Cell::json).collect())));
    }
}

row! {
    /// The files of the checkout, saved by version control under the checkpoint's id.
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct Saved {
        /// Version control's name for it.
        pub name: String as Exact,
        pub base: Option<String>,
        /// Files that differ from the commit below.
        pub files: Vec<String> as Listed,
        /// Files that were not saved, and why.
        pub left_out: Vec<String>,
    }
}

row! {
    #[derive(Debug, Clone, PartialEq, Eq, Default)]
    pub struct Checkpoint {
        pub id: String,
        pub issue: String,
        /// The repository, if several share a state home.
        pub repo: Option<String>,
        /// Counts from 1 per issue.
        pub number: i64,
        pub kind: CheckpointKind as "type" = CheckpointKind::default(),
        pub summary: String = String::new(),
        /// Raw JSON on one line.
        pub detail: Option<String> as Raw,
        pub files: Vec<String>,
        /// Adding a checkpoint with the same key again returns this one.
        pub key: Option<String>,
        /// An agent's id; a person has none.
        pub agent: Option<String>,
        pub actor: String = String::new(),
        pub worktree_id: Option<String>,
        /// The checkout's name at that time.
        pub worktree: Option<String>,
        pub branch: Option<String>,
        pub created_at: String = String::new(),
        pub snapshot: Option<Saved>,
    }
}

row! {
    /// The highest number of an issue's deleted checkpoints: the next one gets a higher number.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LastNumber {
        pub id: String,
        pub issue: String,
        pub repo: Option<String>,
        pub last: i64,
    }
}

/// A row in a file of checkpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noted {
    Checkpoint(Box<Checkpoint>),
    Last(LastNumber),
}

impl Row for Noted {
    fn parse(record: &Record<'_>) -> Option<Self> {
        let last = || LastNumber::parse(record).map(Noted::Last);
        Checkpoint::parse(record).map(|one| Noted::Checkpoint(Box::new(one))).or_else(last)
    }

    fn write(&self, into: &mut Vec<(String, Json)>) {
        match self {
            Noted::Checkpoint(one) => one.write(into),
            Noted::Last(one) => one.write(into),
        }
    }
}

/// JSON as it was given, on one line; `None` if it is not exactly one JSON value.
pub fn raw_json(text: &str) -> Option<String> {
    let text = text.trim();
    let wrapped = format!("{{\"detail\":{text}}}");
    let record = Record::parse(&wrapped).ok()?;
    let is_one = record.iter().count() == 1 && record.raw("detail") == Some(text);
    // A JSON string cannot contain a literal line end.
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
