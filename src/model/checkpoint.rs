//! A checkpoint: what a worker on an issue records for later, for itself or for a successor.
//!
//! Checkpoints are numbered from 1 per issue and never change. `detail` is any JSON, kept verbatim.

use serde::{Deserialize, Serialize, Serializer};

use super::record::Record;
use super::row::{self, Raw, Row};

/// What a checkpoint is about. An open set: words of later versions are kept and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// A list that is written also when it is empty.
fn listed<S: Serializer>(all: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    match all {
        [] => Raw("[]".to_owned()).serialize(serializer),
        all => all.serialize(serializer),
    }
}

/// The files of the checkout, saved by version control under the checkpoint's id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Saved {
    /// Version control's name for it.
    #[serde(deserialize_with = "row::exact")]
    pub name: String,
    pub base: Option<String>,
    /// Files that differ from the commit below.
    #[serde(default, deserialize_with = "row::list", serialize_with = "listed")]
    pub files: Vec<String>,
    /// Files that were not saved, and why.
    #[serde(default, deserialize_with = "row::list")]
    pub left_out: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    pub id: String,
    pub issue: String,
    /// The repository, if several share a state home.
    pub repo: Option<String>,
    /// Counts from 1 per issue.
    pub number: i64,
    #[serde(rename = "type", default)]
    pub kind: CheckpointKind,
    #[serde(default)]
    pub summary: String,
    /// Raw JSON on one line.
    pub detail: Option<Raw>,
    #[serde(default, deserialize_with = "row::list")]
    pub files: Vec<String>,
    /// Adding a checkpoint with the same key again returns this one.
    pub key: Option<String>,
    /// An agent's id; a person has none.
    pub agent: Option<String>,
    #[serde(default)]
    pub actor: String,
    pub worktree_id: Option<String>,
    /// The checkout's name at that time.
    pub worktree: Option<String>,
    pub branch: Option<String>,
    #[serde(default)]
    pub created_at: String,
    pub snapshot: Option<Saved>,
}

/// The highest number of an issue's deleted checkpoints: the next one gets a higher number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastNumber {
    pub id: String,
    pub issue: String,
    pub repo: Option<String>,
    pub last: i64,
}

/// A record in a file of checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Noted {
    Checkpoint(Box<Checkpoint>),
    Last(LastNumber),
}

impl Row for Noted {
    fn parse(record: &Record<'_>) -> Option<Self> {
        let last = || LastNumber::parse(record).map(Noted::Last);
        Checkpoint::parse(record).map(|one| Noted::Checkpoint(Box::new(one))).or_else(last)
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
