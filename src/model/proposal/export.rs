//! The copy of an issue that goes to the target: a list of what may go, and nothing else.

use super::{PLANNING_KEYS, Proposal, Visibility};
use crate::model::dependency::Dependency;
use crate::model::issue;
use crate::model::json::{Dialect, Json};
use crate::model::record::Record;

/// Fields that go to the target with the value they have. Whatever is not named here stays: notes, comments, assignee,
/// dates, references, reasons, and every field that `bd` does not know.
pub(super) const EXPORTED: &[&str] =
    &["title", "description", "design", "acceptance_criteria", "priority", "issue_type", "labels"];

/// What an export carries, or makes anew; and what is machinery and says nothing about anybody.
pub(super) const PUBLIC: &[&str] = &[
    "_type",
    "id",
    "title",
    "description",
    "design",
    "acceptance_criteria",
    "status",
    "priority",
    "issue_type",
    "created_at",
    "created_by",
    "updated_at",
    "closed_at",
    "labels",
    "dependencies",
    "visibility",
    "proposal",
    "content_hash",
    "source_repo",
    "compaction_level",
    "original_size",
    "dependency_count",
    "dependent_count",
    "comment_count",
    "parent",
];

/// Whether both copies of a proposed issue have a field, and mean the same by it.
pub fn is_shared(key: &str) -> bool {
    EXPORTED.contains(&key)
}

/// What is exported beyond that, on request.
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

    pub fn words(self) -> Vec<String> {
        let words = [("notes", self.notes), ("comments", self.comments)];
        words.into_iter().filter(|(_, wanted)| *wanted).map(|(word, _)| word.to_owned()).collect()
    }
}

/// Something that does not go to the target, and why.
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

/// Makes the target's line out of a planning line. `visible` tells whether the target can see an id.
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
    let mut members = vec![("id", text(&id))];
    let mut take = |key: &'static str| members.extend(raw(key).map(|raw| (key, Json::Raw(raw.to_owned()))));
    for key in ["title", "description", "design", "acceptance_criteria"] {
        take(key);
    }
    if include.notes {
        take("notes");
    }
    let status = issue::status_of(planning);
    let status = public_status(status.as_str());
    members.push(("status", text(status)));
    let mut take = |key: &'static str| members.extend(raw(key).map(|raw| (key, Json::Raw(raw.to_owned()))));
    for key in ["priority", "issue_type", "created_at", "created_by"] {
        take(key);
    }
    members.push(("updated_at", text(updated_at)));
    if status == "closed" {
        members.extend(raw("closed_at").map(|raw| ("closed_at", Json::Raw(raw.to_owned()))));
    }
    members.extend(raw("labels").map(|raw| ("labels", Json::Raw(raw.to_owned()))));
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
    if !edges.is_empty() {
        members.push(("dependencies", Json::List(edges)));
    }
    if include.comments {
        members.extend(raw("comments").map(|raw| ("comments", Json::Raw(raw.to_owned()))));
    }
    members.push(("visibility", text(Visibility::Proposed.word())));
    members.push(("proposal", Json::Raw(proposal.public().render(dialect))));
    for (key, raw) in planning.iter() {
        let known = ["id", "status", "updated_at", "dependencies", "visibility", "proposal"].contains(&key.as_ref())
            || PLANNING_KEYS.contains(&key.as_ref());
        let says_nothing = matches!(raw, "null" | "\"\"" | "[]");
        if !known && !says_nothing && !members.iter().any(|(taken, _)| *taken == key) {
            held_back.push(HeldBack { what: key.into_owned(), why: "private" });
        }
    }
    let members = members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Export { line: dialect.render(&Json::Object(members)), held_back }
}

/// The status that the target is told: that work has begun is a private matter, since nobody is named for it.
pub(super) fn public_status(status: &str) -> &str {
    if status == "in_progress" { "open" } else { status }
}

/// An edge with what every reader needs and nothing more.
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
