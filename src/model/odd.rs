//! Values of a line that have an unexpected type. The line keeps them, and most of them count as absent: `bd show`
//! prints those, and `bd doctor` names all of them.

use super::dependency::Dependency;
use super::field::{self, Field, Kind};
use super::issue::Comment;
use super::json::{self, is_unset};
use super::record::Record;
use super::time::Instant;
use super::when;

/// A value, or one element of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddValue<'a> {
    pub key: &'static str,
    pub raw: &'a str,
    /// It is read anyway: a text instead of labels is one label.
    pub is_read: bool,
}

pub fn odd_values<'a>(record: &Record<'a>) -> Vec<OddValue<'a>> {
    let value = |field: &Field| record.raw(field.key()).filter(|raw| !is_unset(raw));
    let mut found = Vec::new();
    for field in field::ALL.iter().filter(|field| field.is_time()) {
        let odd = value(field).filter(|raw| !is_time(*field, raw));
        found.extend(odd.map(|raw| OddValue { key: field.key(), raw, is_read: false }));
    }
    for field in field::with(|row| matches!(row.kind, Kind::Labels | Kind::Edges | Kind::Comments)) {
        let (key, kind) = (field.key(), field.row().kind);
        match value(&field) {
            None => {}
            Some(raw) if raw.starts_with('[') => {
                let odd = record.elements(key).into_iter().filter(|raw| !is_unset(raw) && !is_element(kind, raw));
                found.extend(odd.map(|raw| OddValue { key, raw, is_read: false }));
            }
            Some(raw) => found.push(OddValue { key, raw, is_read: kind == Kind::Labels && raw.starts_with('"') }),
        }
    }
    found
}

fn is_element(kind: Kind, raw: &str) -> bool {
    match kind {
        Kind::Labels => raw.starts_with('"'),
        Kind::Edges => Dependency::decode(raw).is_some(),
        _ => Comment::decode(raw).is_some(),
    }
}

fn is_time(field: Field, raw: &str) -> bool {
    let is_day = |text: &str| field.is_date() && when::is_day(text);
    json::decode_string(raw).is_some_and(|text| Instant::parse(&text).is_some() || is_day(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd(line: &str) -> Vec<String> {
        let record = Record::parse(line).unwrap();
        let text = |odd: OddValue<'_>| format!("{} {}{}", odd.key, odd.raw, if odd.is_read { " read" } else { "" });
        odd_values(&record).into_iter().map(text).collect()
    }

    #[test]
    fn what_is_in_order_is_not_odd() {
        let line = r#"{"id":"a","created_at":"2026-01-01T00:00:00+0100","updated_at":null,"closed_at":"","due_at":"2026-01-01",
            "defer_until":"2026-01-01 10:00:00","labels":["x",null],"comments":[{"id":1}],"dependencies":[{"depends_on_id":"b"}]}"#;
        assert_eq!(odd(line), [""; 0]);
        assert_eq!(odd(r#"{"id":"a","labels":"","comments":[],"dependencies":null}"#), [""; 0]);
    }

    #[test]
    fn odd_values_are_named_one_by_one() {
        let line = r#"{"id":"a","created_at":"2026-01-01","due_at":1764547200,"defer_until":"someday","labels":"x",
            "dependencies":["b",{"depends_on_id":"c"},{"id":"d"}],"comments":"hi"}"#;
        assert_eq!(
            odd(line),
            [
                "created_at \"2026-01-01\"",
                "due_at 1764547200",
                "defer_until \"someday\"",
                "labels \"x\" read",
                "dependencies \"b\"",
                "dependencies {\"id\":\"d\"}",
                "comments \"hi\"",
            ]
        );
        assert_eq!(odd(r#"{"id":"a","labels":["x",7]}"#), ["labels 7"]);
    }
}
