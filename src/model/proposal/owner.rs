//! The project that a planning issue belongs to, as its line records it. The record stays in the planning repo.

use serde::{Deserialize, Serialize};

use super::Visibility;
use crate::model::field::Field;
use crate::model::record::Record;
use crate::model::row::{self, Row};

/// The key of the record in a planning line.
pub const PROJECT: &str = Field::Project.key();
/// The key of the id that a planning issue had before it was proposed.
pub const FORMER_ID: &str = Field::FormerId.key();
/// The key that marks a companion.
pub const COMPANION: &str = Field::Companion.key();

/// A project, identified by what survives a clone and a move: the id of its first commit, else the address of its
/// remote, else a generated id. It holds no local path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Owner {
    pub id: String,
    /// For people: the prefix of its ids.
    #[serde(default)]
    pub name: String,
    /// Its known remotes: servers, and hashes of paths. The planning repo must never be pushed to them.
    #[serde(default, deserialize_with = "row::list")]
    pub remotes: Vec<String>,
}

impl Owner {
    /// The project that a line belongs to; without one it belongs to every project.
    pub fn of(record: &Record<'_>) -> Option<Self> {
        Self::parse_part(record.raw(PROJECT)?)
    }

    pub fn of_line(line: &str) -> Option<Self> {
        Record::parse(line).ok().as_ref().and_then(Self::of)
    }
}

/// A contributor's private line beside an issue that they may not write.
pub fn is_companion(record: &Record<'_>) -> bool {
    record.raw(COMPANION) == Some("true") && Visibility::of(record) == Visibility::Local
}

/// The same for the text of a line, with a cheap test that rejects nearly all others.
pub fn is_companion_line(line: &[u8]) -> bool {
    let marked = memchr::memmem::find(line, b"\"companion\"").is_some();
    let text = std::str::from_utf8(line).ok().filter(|_| marked);
    text.and_then(|text| Record::parse(text).ok()).is_some_and(|record| is_companion(&record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::json::Dialect;

    #[test]
    fn an_owner_survives_its_line() {
        let owner = Owner { id: "4b825dc6".into(), name: "web".into(), remotes: vec!["example.org/web".into()] };
        let line = format!("{{\"id\":\"a\",\"project\":{}}}", owner.render(Dialect::default()));
        assert_eq!(Owner::of_line(&line), Some(owner));
        for none in [r#"{"id":"a"}"#, r#"{"id":"a","project":"web"}"#, r#"{"id":"a","project":{"name":"web"}}"#] {
            assert_eq!(Owner::of_line(none), None, "{none}");
        }
    }
}
