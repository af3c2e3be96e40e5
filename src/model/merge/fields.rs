//! The parts of a line that are merged as one: mostly single keys, and a few that mean something only together.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::side::{FIELD_TIMES, Side};
use crate::model::json::{decode_string, elements};
use crate::model::record::place_of;
use crate::model::time::Instant;

/// Keys that change together. The first one gives its name to all.
const TOGETHER: [&[&str]; 3] = [
    &[
        "status",
        "closed_at",
        "close_reason",
        "closed_by_session",
        "deleted_at",
        "deleted_by",
        "delete_reason",
        "original_type",
    ],
    &["assignee", "started_at"],
    &["visibility", "proposal", AGREED],
];

/// Texts that people write at length: both sides' changes are merged line by line where they do not touch.
const LONG: [&str; 4] = ["description", "design", "acceptance_criteria", "notes"];

/// What says nothing of its own: times that go with an edit, hashes and counters. Of these the losing value is not kept.
const SILENT: [&str; 13] = [
    "created_at",
    "updated_at",
    "started_at",
    "closed_at",
    "deleted_at",
    "compacted_at",
    "content_hash",
    "dependency_count",
    "dependent_count",
    "comment_count",
    "source_repo",
    "source_repo_path",
    AGREED,
];

/// The key of what the planning copy of a proposed issue and the target's last agreed on: the base of their next merge.
pub const AGREED: &str = "agreed";

pub const CREATED: &str = "created_at";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    Long,
    Labels,
    Edges,
    /// Merged key by key, where both sides do not touch.
    Object,
}

/// A part of a line that is merged as one.
#[derive(Debug)]
pub struct Register<'a> {
    pub keys: Vec<Cow<'a, str>>,
    pub kind: Kind,
}

impl Register<'_> {
    pub fn name(&self) -> &str {
        &self.keys[0]
    }

    /// The raw values on one side.
    pub fn values<'a>(&self, side: &Side<'a>) -> Vec<Option<&'a str>> {
        self.keys.iter().map(|key| side.record.raw(key)).collect()
    }

    /// Both sides say the same.
    pub fn agrees(&self, one: &Side<'_>, other: &Side<'_>) -> bool {
        self.keys.iter().all(|key| same(key, one.record.raw(key), other.record.raw(key)))
    }
}

pub fn is_silent(key: &str) -> bool {
    SILENT.contains(&key)
}

/// Whether the losing value of a key is kept. Of two issues that are `apart` and only share their id, both times of creation are.
pub fn is_told(key: &str, apart: bool) -> bool {
    !is_silent(key) || apart && key == CREATED
}

/// All registers of these lines, in one order. Comments and the times of fields are not among them.
pub fn registers<'a>(sides: &[Option<&Side<'a>>]) -> Vec<Register<'a>> {
    let mut keys: BTreeSet<Cow<'a, str>> = BTreeSet::new();
    for side in sides.iter().flatten() {
        keys.extend(side.record.iter().map(|(key, _)| key));
    }
    keys.remove("comments");
    keys.remove(FIELD_TIMES);
    let mut registers: Vec<Register<'a>> = Vec::new();
    for group in TOGETHER {
        if group.iter().any(|key| keys.remove(*key)) {
            keys.retain(|key| !group.contains(&key.as_ref()));
            registers.push(Register { keys: group.iter().map(|key| Cow::Borrowed(*key)).collect(), kind: Kind::Plain });
        }
    }
    for key in keys {
        let kind = match key.as_ref() {
            "labels" => Kind::Labels,
            "dependencies" => Kind::Edges,
            "workflow" | "task" => Kind::Object,
            text if LONG.contains(&text) => Kind::Long,
            _ => Kind::Plain,
        };
        registers.push(Register { keys: vec![key], kind });
    }
    registers.sort_by_key(|register| (place_of(register.name()), register.name().to_owned()));
    registers
}

/// Absent, or as good as absent.
pub fn is_empty(raw: Option<&str>) -> bool {
    raw.is_none_or(|raw| matches!(raw, "null" | "\"\"" | "[]" | "{}"))
}

/// What an absent value of this key stands for.
fn default(key: &str) -> Option<&'static str> {
    match key {
        "priority" => Some("0"),
        "status" => Some("\"open\""),
        "issue_type" => Some("\"task\""),
        _ => None,
    }
}

/// Whether two raw values of an issue mean the same under this key; an absent one is what it stands for.
pub fn same(key: &str, one: Option<&str>, other: Option<&str>) -> bool {
    let [one, other] = [one, other].map(|raw| if is_empty(raw) { default(key).or(raw) } else { raw });
    same_text(key, one, other)
}

/// Whether two raw values say the same, of whatever object the key is.
pub fn same_text(key: &str, one: Option<&str>, other: Option<&str>) -> bool {
    if one == other || is_empty(one) && is_empty(other) {
        return true;
    }
    let (Some(one), Some(other)) = (one, other) else { return false };
    let instant = |raw: &str| decode_string(raw).and_then(|text| Instant::parse(&text));
    let is_time = key.ends_with("_at") || matches!(key, "defer_until");
    if is_time && instant(one).is_some() && instant(one) == instant(other) {
        return true;
    }
    if matches!(key, "labels" | "dependencies" | "comments") {
        return members(one) == members(other);
    }
    meaning(one) == meaning(other)
}

/// The elements of a list that is a set: their order and their number say nothing.
fn members(raw: &str) -> BTreeSet<String> {
    match elements(raw) {
        Ok(spans) => spans.into_iter().map(|span| meaning(&raw[span])).collect(),
        Err(_) => BTreeSet::from([meaning(raw)]),
    }
}

/// A raw value without what carries no meaning: blanks between tokens, and the way in which strings are escaped.
pub fn meaning(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let end = string_end(rest);
            match decode_string(&rest[..end]) {
                Some(text) => out.push_str(&crate::model::json::Dialect::default().string(&text)),
                None => out.push_str(&rest[..end]),
            }
            rest = &rest[end..];
        } else {
            if !c.is_ascii_whitespace() {
                out.push(c);
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// Where a string that begins here ends, its closing quote included.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_mean_the_same() {
        for (key, one, other, expected) in [
            ("title", Some(r#""a<b""#), Some(r#""a\u003cb""#), true),
            ("title", None, Some("null"), true),
            ("labels", Some("[]"), None, true),
            ("labels", Some(r#"["a","b"]"#), Some(r#"["b", "a", "a"]"#), true),
            ("labels", Some(r#"["a","b"]"#), Some(r#"["a"]"#), false),
            ("metadata", Some(r#"{"a": 1, "b":"x y"}"#), Some(r#"{"a":1,"b":"x y"}"#), true),
            ("metadata", Some(r#"{"b":"x y"}"#), Some(r#"{"b":"xy"}"#), false),
            ("created_at", Some(r#""2025-01-01T01:00:00+01:00""#), Some(r#""2025-01-01T00:00:00Z""#), true),
            ("title", Some(r#""2025-01-01T01:00:00+01:00""#), Some(r#""2025-01-01T00:00:00Z""#), false),
            ("x", Some("18446744073709551616"), Some("18446744073709551617"), false),
            ("x", Some(r#""\\\"""#), Some(r#""\u005c\u0022""#), true),
            ("priority", None, Some("0"), true),
            ("priority", Some("null"), Some("2"), false),
            ("status", Some(r#""open""#), None, true),
            ("issue_type", None, Some(r#""task""#), true),
            ("estimated_minutes", None, Some("0"), false),
        ] {
            assert_eq!(same(key, one, other), expected, "{key}: {one:?} {other:?}");
        }
    }
}
