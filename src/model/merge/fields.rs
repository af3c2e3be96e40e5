//! The registers of a line: the parts that merge as one value. Most are single keys; a few keys mean something only
//! together.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::side::Side;
use crate::model::field::{self, Field, Kind, Merge, place_of};
use crate::model::json::{decode_string, elements};
use crate::model::time::Instant;

/// The key with the values that the planning copy of a proposed issue and the target's copy last agreed on: the base of
/// their next merge.
pub const AGREED: &str = Field::Agreed.key();

pub(super) const CREATED: &str = Field::Created.key();

/// A part of a line that merges as one value.
#[derive(Debug)]
pub(super) struct Register<'a> {
    pub keys: Vec<Cow<'a, str>>,
    pub merge: Merge,
}

impl Register<'_> {
    pub(super) fn name(&self) -> &str {
        &self.keys[0]
    }

    /// The raw values of one side.
    pub(super) fn values<'a>(&self, side: &Side<'a>) -> Vec<Option<&'a str>> {
        self.keys.iter().map(|key| side.record.raw(key)).collect()
    }

    /// Whether both sides have the same values.
    pub(super) fn agrees(&self, one: &Side<'_>, other: &Side<'_>) -> bool {
        self.keys.iter().all(|key| same(key, one.record.raw(key), other.record.raw(key)))
    }
}

pub(super) fn is_silent(key: &str) -> bool {
    field::is(key, |row| row.silent)
}

/// Whether the losing value of a key is kept in a comment. If two issues are `apart` (they only share an id), both
/// creation times are.
pub(super) fn is_kept(key: &str, apart: bool) -> bool {
    !is_silent(key) || apart && key == CREATED
}

/// All registers of these lines, in a fixed order, without comments and field times.
pub(super) fn registers<'a>(sides: &[Option<&Side<'a>>]) -> Vec<Register<'a>> {
    let mut keys: BTreeSet<Cow<'a, str>> = BTreeSet::new();
    for side in sides.iter().flatten() {
        keys.extend(side.record.iter().map(|(key, _)| key));
    }
    let mut registers: Vec<Register<'a>> = Vec::new();
    let mut heads: Vec<Field> = Vec::new();
    for key in keys {
        let field = Field::of(&key);
        let (head, merge) = match field.map_or(Merge::Plain, |field| field.row().merge) {
            Merge::Apart => continue,
            Merge::With(head) => (Some(head), Merge::Plain),
            merge => (field, merge),
        };
        if head.is_some_and(|head| heads.contains(&head)) {
            continue;
        }
        heads.extend(head);
        let keys = match head {
            Some(head) => head.group().map(|field| Cow::Borrowed(field.key())).collect(),
            None => vec![key],
        };
        registers.push(Register { keys, merge });
    }
    registers.sort_by_key(|register| (place_of(register.name()), register.name().to_owned()));
    registers
}

/// Absent, or equivalent to absent.
pub(super) fn is_empty(raw: Option<&str>) -> bool {
    raw.is_none_or(|raw| matches!(raw, "null" | "\"\"" | "[]" | "{}"))
}

/// The value that an absent key is read as.
fn default(key: &str) -> Option<&'static str> {
    Field::of(key)?.row().default
}

/// Whether the key is a list that merges element by element.
fn is_set(key: &str) -> bool {
    field::is(key, |row| matches!(row.kind, Kind::Labels | Kind::Edges | Kind::Comments))
}

/// Whether two raw values of an issue's key mean the same; an absent one counts as its default.
pub(super) fn same(key: &str, one: Option<&str>, other: Option<&str>) -> bool {
    let [one, other] = [one, other].map(|raw| if is_empty(raw) { default(key).or(raw) } else { raw });
    same_text(key, one, other)
}

/// Whether two raw values mean the same, in any kind of object.
pub fn same_text(key: &str, one: Option<&str>, other: Option<&str>) -> bool {
    if one == other || is_empty(one) && is_empty(other) {
        return true;
    }
    let (Some(one), Some(other)) = (one, other) else { return false };
    let instant = |raw: &str| decode_string(raw).and_then(|text| Instant::parse(&text));
    let is_time = key.ends_with("_at") || Field::of(key).is_some_and(Field::is_time);
    if is_time && instant(one).is_some() && instant(one) == instant(other) {
        return true;
    }
    if is_set(key) {
        return members(one) == members(other);
    }
    meaning(one) == meaning(other)
}

/// The elements of a list that is a set: order and repetition do not matter.
fn members(raw: &str) -> BTreeSet<String> {
    match elements(raw) {
        Ok(spans) => spans.into_iter().map(|span| meaning(&raw[span])).collect(),
        Err(_) => BTreeSet::from([meaning(raw)]),
    }
}

/// A raw value without differences that carry no meaning: blanks between tokens, and how strings are escaped.
pub(super) fn meaning(raw: &str) -> String {
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

/// The end of a string that begins here, after its closing quote.
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
