//! Edges between issues: "this issue depends on that one".

use super::record::Record;
use super::status::open_word;

open_word!(
    /// The type of a dependency. An open set: types without a rule here are kept and inert.
    DependencyType
);

impl DependencyType {
    pub const KNOWN: &[&str] = &[
        "blocks",
        "parent-child",
        "conditional-blocks",
        "waits-for",
        "related",
        "relates-to",
        "discovered-from",
        "replies-to",
        "duplicates",
        "supersedes",
        "authored-by",
        "assigned-to",
        "approved-by",
        "attests",
        "tracks",
        "until",
        "caused-by",
        "validates",
        "delegated-from",
        "informs",
    ];

    pub fn blocks() -> Self {
        Self::new("blocks")
    }

    pub fn parent_child() -> Self {
        Self::new("parent-child")
    }

    /// Reads a word as people type it; `parent` and `child-of` mean parent-child, `discovered` means discovered-from.
    pub fn typed(word: &str) -> Option<Self> {
        let word = word.trim().to_lowercase().replace('_', "-");
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if word.is_empty() || word.len() > 50 || !word.chars().all(plain) {
            return None;
        }
        Some(Self::new(match word.as_str() {
            "parent" | "child-of" => "parent-child",
            "discovered" => "discovered-from",
            "blocked-by" | "depends-on" => "blocks",
            other => other,
        }))
    }

    pub fn is_known(&self) -> bool {
        Self::KNOWN.contains(&self.as_str())
    }

    pub fn is_parent_child(&self) -> bool {
        self.as_str() == "parent-child"
    }

    /// Whether it can keep an issue from being ready.
    pub fn is_blocking(&self) -> bool {
        matches!(self.as_str(), "blocks" | "conditional-blocks" | "waits-for")
    }

    /// Whether it orders work, so that a cycle would deadlock.
    pub fn orders_work(&self) -> bool {
        self.is_blocking() || self.is_parent_child()
    }
}

/// The condition of a `waits-for` edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// Whether one closed child is enough; otherwise all children count.
    pub any: bool,
    /// The issue whose children count, if it is not the target.
    pub spawner: Option<String>,
}

/// One element of an issue's `dependencies`. The depending issue is the one whose line holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    pub target: String,
    pub kind: DependencyType,
    /// For `waits-for`: read from the edge's metadata.
    pub gate: Option<Gate>,
}

impl Dependency {
    pub fn decode(raw: &str) -> Option<Self> {
        let record = Record::parse_part(raw).ok()?;
        let target = record.text_of("depends_on_id")?.into_owned();
        let kind =
            record.text_of("type").map_or_else(DependencyType::blocks, |word| DependencyType::new(word.into_owned()));
        let gate = (kind.as_str() == "waits-for").then(|| Self::gate(&record));
        Some(Dependency { target, kind, gate })
    }

    fn gate(record: &Record<'_>) -> Gate {
        // `metadata` is a JSON text inside a string in files, an object in some exports.
        let text = record.string("metadata").map(|text| text.into_owned());
        let raw = text.as_deref().or(record.raw("metadata")).unwrap_or("{}");
        let metadata = Record::parse_part(raw).ok();
        let field = |key| metadata.as_ref().and_then(|m| m.text_of(key)).map(|text| text.into_owned());
        Gate { any: field("gate").as_deref() == Some("any-children"), spawner: field("spawner_id") }
    }
}

/// Whether `conditional-blocks` counts a close reason as failure: the words that real close reasons use.
pub fn is_failure(close_reason: &str) -> bool {
    const WORDS: &[&str] = &[
        "failed",
        "rejected",
        "wontfix",
        "won't fix",
        "canceled",
        "cancelled",
        "abandoned",
        "blocked",
        "error",
        "timeout",
        "aborted",
    ];
    let reason = close_reason.to_lowercase();
    WORDS.iter().any(|word| reason.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_read_from_both_shapes_of_metadata() {
        let text =
            r#"{"depends_on_id":"e","type":"waits-for","metadata":"{\"gate\":\"any-children\",\"spawner_id\":\"s\"}"}"#;
        let object = r#"{"depends_on_id":"e","type":"waits-for","metadata":{"gate":"any-children","spawner_id":"s"}}"#;
        let gate = Some(Gate { any: true, spawner: Some("s".into()) });
        assert_eq!(Dependency::decode(text).unwrap().gate, gate);
        assert_eq!(Dependency::decode(object).unwrap().gate, gate);
        let plain = Dependency::decode(r#"{"depends_on_id":"e","type":"waits-for","metadata":"{}"}"#).unwrap();
        assert_eq!(plain.gate, Some(Gate { any: false, spawner: None }));
    }

    #[test]
    fn typed_words() {
        assert_eq!(DependencyType::typed("parent").unwrap().as_str(), "parent-child");
        assert_eq!(DependencyType::typed("parent_child").unwrap().as_str(), "parent-child");
        assert_eq!(DependencyType::typed("my-own").unwrap().as_str(), "my-own");
        assert!(DependencyType::typed("").is_none() && DependencyType::typed("a b").is_none());
    }
}
