//! The copy of an issue for the target, built from an allow-list.

use super::{Proposal, Visibility};
use crate::model::dependency::Dependency;
use crate::model::field::{self, Field, Travel};
use crate::model::issue;
use crate::model::json::{Dialect, Json};
use crate::model::record::Record;
use crate::model::row::Row;

/// The keys that are copied verbatim to the target. All others stay: notes, comments, assignee, dates, references,
/// reasons, and every field that `bd` does not know.
pub(in crate::model) fn shared_keys() -> impl Iterator<Item = &'static str> {
    field::with(|row| row.travel == Travel::Shared).map(Field::key)
}

/// Whether both copies of a proposed issue share a field.
pub fn is_shared(key: &str) -> bool {
    Field::of(key).is_some_and(Field::is_shared)
}

/// Whether an export copies or sets a field, or it is machinery that reveals nothing about people.
pub(super) fn is_public(key: &str) -> bool {
    Field::of(key).is_some_and(Field::is_public)
}

/// Fields that are exported on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Include {
    pub notes: bool,
    pub comments: bool,
}

impl Include {
    pub fn of(proposal: &Proposal) -> Self {
        let has = |word: &str| proposal.include.iter().any(|known| known == word);
        Include { notes: has("notes"), comments: has("comments") }
    }

    pub(in crate::model) fn has(self, field: Field) -> bool {
        field == Field::Notes && self.notes || field == Field::Comments && self.comments
    }

    pub fn words(self) -> Vec<String> {
        let words = [("notes", self.notes), ("comments", self.comments)];
        words.into_iter().filter(|(_, wanted)| *wanted).map(|(word, _)| word.to_owned()).collect()
    }
}

/// Something that is not exported, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldBack {
    pub what: String,
    pub why: &'static str,
}

/// The line for the target, and what it leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    pub line: String,
    pub held_back: Vec<HeldBack>,
}

/// Builds the target's line from a planning line. `visible` tells whether the target can see an id.
pub fn export(
    planning: &Record<'_>,
    proposal: &Proposal,
    updated_at: &str,
    visible: impl Fn(&str) -> bool,
    dialect: Dialect,
) -> Export {
    let include = Include::of(proposal);
    let mut held_back = Vec::new();
    let raw = |key: &str| planning.raw(key).filter(|raw| !matches!(*raw, "null" | "\"\"" | "[]"));
    let text = |text: &str| Json::Text(text.to_owned());
    let id = planning.string("id").unwrap_or_default();
    let status = issue::status_of(planning);
    let status = public_status(status.as_str());
    let mut edges = Vec::new();
    for raw in planning.elements("dependencies") {
        let Some(dependency) = Dependency::decode(raw) else { continue };
        if visible(&dependency.target) {
            edges.push(Json::Raw(public_edge(&id, &dependency, raw, dialect)));
        } else {
            let what = format!("dependency ({}) on {}", dependency.kind, dependency.target);
            held_back.push(HeldBack { what, why: "the target cannot see that issue" });
        }
    }
    let mut members = Vec::new();
    for field in field::ALL {
        let value = match (field.row().travel, field) {
            (Travel::Private | Travel::Planning | Travel::Open, _) => None,
            (Travel::OnRequest, _) if !include.has(*field) => None,
            (Travel::Copied, Field::Closed) if status != "closed" => None,
            (Travel::Shared | Travel::OnRequest | Travel::Copied, _) => {
                raw(field.key()).map(|raw| Json::Raw(raw.to_owned()))
            }
            (Travel::Made, Field::Id) => Some(text(&id)),
            (Travel::Made, Field::Status) => Some(text(status)),
            (Travel::Made, Field::Updated) => Some(text(updated_at)),
            (Travel::Made, Field::Visibility) => Some(text(Visibility::Proposed.word())),
            (Travel::Made, Field::Proposal) => Some(Json::Raw(proposal.public().render(dialect))),
            (Travel::Made, _) => (!edges.is_empty()).then(|| Json::List(std::mem::take(&mut edges))),
        };
        members.extend(value.map(|value| (field.key(), value)));
    }
    for (key, raw) in planning.iter() {
        let known = field::is(&key, |row| matches!(row.travel, Travel::Made | Travel::Planning));
        let is_unset = matches!(raw, "null" | "\"\"" | "[]");
        if !known && !is_unset && !members.iter().any(|(taken, _)| *taken == key) {
            held_back.push(HeldBack { what: key.into_owned(), why: "private" });
        }
    }
    let members = members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Export { line: dialect.render(&Json::Object(members)), held_back }
}

/// The status for the target: that work has started is private, since no assignee is published.
pub(in crate::model) fn public_status(status: &str) -> &str {
    if status == "in_progress" { "open" } else { status }
}

/// An edge with only what every reader needs.
pub(super) fn public_edge(id: &str, dependency: &Dependency, raw: &str, dialect: Dialect) -> String {
    let text = |text: &str| Json::Text(text.to_owned());
    let mut members = vec![
        ("issue_id".to_owned(), text(id)),
        ("depends_on_id".to_owned(), text(&dependency.target)),
        ("type".to_owned(), text(dependency.kind.as_str())),
    ];
    if let Ok(edge) = Record::parse_part(raw) {
        for key in ["created_at", "created_by"] {
            members.extend(edge.raw(key).map(|raw| (key.to_owned(), Json::Raw(raw.to_owned()))));
        }
    }
    dialect.render(&Json::Object(members))
}
