//! The project that a planning issue belongs to, as its line records it. The record stays in the planning repo.

use crate::model::field::Field;
use crate::model::json::{Dialect, Json, decode_string};
use crate::model::record::Record;

/// The key of the record in a planning line.
pub const PROJECT: &str = Field::Project.key();
/// The key of the id that a planning issue had before it was proposed.
pub const FORMER_ID: &str = Field::FormerId.key();
/// The key that marks a companion.
pub const COMPANION: &str = Field::Companion.key();

/// A project by what survives a clone and a move: the id of its first commit, else the address of its remote, else an id of
/// its own. No path of anybody's machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner {
    pub id: String,
    /// For people: the prefix of its ids.
    pub name: String,
    /// Where it is known to come from or go to: servers, and sums of paths. The planning repo must never be pushed there.
    pub remotes: Vec<String>,
}

impl Owner {
    /// The project that a line says it belongs to; without one it belongs to every project.
    pub fn of(record: &Record<'_>) -> Option<Self> {
        let inner = Record::parse_part(record.raw(PROJECT)?).ok()?;
        let text = |key: &str| inner.string(key).map(|text| text.into_owned());
        let remotes = inner.elements("remotes").into_iter().filter_map(decode_string).map(|text| text.into_owned());
        let id = text("id").filter(|id| !id.is_empty())?;
        Some(Owner { id, name: text("name").unwrap_or_default(), remotes: remotes.collect() })
    }

    pub fn of_line(line: &str) -> Option<Self> {
        Record::parse(line).ok().as_ref().and_then(Self::of)
    }

    pub fn render(&self, dialect: Dialect) -> String {
        let text = |text: &str| Json::Text(text.to_owned());
        let mut members = vec![("id".to_owned(), text(&self.id)), ("name".to_owned(), text(&self.name))];
        if !self.remotes.is_empty() {
            let remotes = self.remotes.iter().map(|remote| text(remote)).collect();
            members.push(("remotes".to_owned(), Json::List(remotes)));
        }
        dialect.render(&Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
