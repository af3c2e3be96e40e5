//! Issue ids in texts.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::record::Record;
use crate::model::time::Instant;

/// Old ids with the new ones.
pub type Names = BTreeMap<String, String>;

/// The key of an edge that holds the id of the dependency.
const TARGET: &str = "depends_on_id";

/// The most parts of a word that are tried: no id has more, and a text may be one endless word.
const PARTS: usize = 12;

/// Everything in a line that may be the id of another issue, in any key or value except its dependencies.
pub fn mentions(line: &Record<'_>) -> Vec<String> {
    let id = line.string("id").unwrap_or_default();
    let mut found = Vec::new();
    for (key, raw) in line.iter().filter(|(key, _)| key != "id") {
        found.extend(mentions_of(&key));
        if key == "dependencies" {
            for edge in line.elements("dependencies").into_iter().map(|raw| (Record::parse_part(raw), raw)) {
                match edge {
                    (Ok(edge), _) => edge.iter().filter(|(key, _)| key != TARGET).for_each(|(key, raw)| {
                        found.extend(mentions_of(&key));
                        found.extend(mentions_in(raw));
                    }),
                    (Err(_), raw) => found.extend(mentions_in(raw)),
                }
            }
        } else {
            found.extend(mentions_in(raw));
        }
    }
    found.retain(|word| *word != id);
    found.sort();
    found.dedup();
    found
}

/// Everything in a raw value that may be an id: in texts, in nested values and in their keys. Times do not count.
pub fn mentions_in(raw: &str) -> Vec<String> {
    match serde_json::from_str::<Value>(raw) {
        Ok(value) => {
            let mut found = Vec::new();
            gather(&value, &mut found);
            found
        }
        Err(_) => mentions_of(raw),
    }
}

fn gather(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if Instant::parse(text).is_none() => found.extend(mentions_of(text)),
        Value::Array(parts) => parts.iter().for_each(|part| gather(part, found)),
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            found.extend(mentions_of(key));
            gather(value, found);
        }),
        _ => {}
    }
}

/// Everything in a text that may be an id: each word, and its parts between punctuation, as in `_web-1_`, `web-1-like`
/// and `not-web-1`.
pub(super) fn mentions_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in text.split(|c| !is_part(c)).filter(|word| word.contains('-')) {
        let marks =
            |from: usize| word[from..].char_indices().filter(|(_, c)| is_mark(*c)).map(move |(at, _)| from + at);
        let starts = std::iter::once(0).chain(marks(0).map(|at| at + 1)).take(PARTS);
        for start in starts.filter(|start| word[*start..].starts_with(|c| !is_mark(c))) {
            let ends = marks(start).take(PARTS).chain(std::iter::once(word.len()));
            let parts = ends.map(|end| &word[start..end]).filter(|part| part.contains('-') && !part.ends_with(is_mark));
            found.extend(parts.map(str::to_owned));
        }
    }
    found
}

/// A text with old ids replaced where they are whole words; `None` if it has none.
pub(super) fn renamed(text: &str, names: &Names) -> Option<String> {
    let (mut new, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_part(c) != is_part(first)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        // A full stop or a mark of emphasis is not part of an id.
        let id = word.trim_matches(is_mark);
        let start = word.find(id).unwrap_or_default();
        new.push_str(&word[..start]);
        new.push_str(names.get(id).map_or(id, String::as_str));
        new.push_str(&word[start + id.len()..]);
        rest = after;
    }
    (new != text).then_some(new)
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

fn is_mark(c: char) -> bool {
    matches!(c, '-' | '_' | '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_ids_that_are_words_are_replaced() {
        let names = Names::from([("pl-1".to_owned(), "web-1".to_owned())]);
        let of = |text: &str| renamed(text, &names);
        assert_eq!(
            of("(pl-1) see pl-1. Not pl-12, xpl-1 or pl-1.2; ärger: _pl-1_").as_deref(),
            Some("(web-1) see web-1. Not pl-12, xpl-1 or pl-1.2; ärger: _web-1_")
        );
        assert_eq!(of("nothing ... --- of it"), None);
    }

    #[test]
    fn what_may_be_an_id_is_found() {
        for text in
            ["pl-1", "see pl-1.", "(pl-1)", "_pl-1_", "https://x/pl-1#a", "pl-1-like", "not-pl-1", "pl-1.2", "a pl-1's"]
        {
            assert!(mentions_of(text).contains(&"pl-1".to_owned()), "{text}");
        }
        for text in ["pl-12", "xpl-1", "pl 1", "pl", "-", "pl-", ""] {
            assert!(!mentions_of(text).contains(&"pl-1".to_owned()), "{text}");
        }
        assert!(mentions_of("see pl-1.2.").contains(&"pl-1.2".to_owned()));
        assert!(mentions_of(&"a-".repeat(100_000)).len() < 1_000);
    }

    #[test]
    fn every_value_of_a_line_is_looked_at() {
        let line = r#"{"id":"web-1","title":"t-1 web-1","description":"d-1","design":"e-1","acceptance_criteria":"a-1","notes":"n-1","assignee":"b-1","created_at":"2026-01-05T09:00:00Z","close_reason":"r-1","external_ref":"f-1","metadata":{"k-1":[{"deep":"m-1"}],"n":1e400},"labels":["l-1"],"dependencies":[{"issue_id":"web-1","depends_on_id":"x-1","created_by":"g-1"}],"comments":[{"issue_id":"web-1","author":"h-1","text":"c-1"}],"odd":"o-1","q-1":true}"#;
        let expected = [
            "a-1", "b-1", "c-1", "d-1", "e-1", "f-1", "g-1", "h-1", "k-1", "l-1", "m-1", "n-1", "o-1", "q-1", "r-1",
            "t-1",
        ];
        assert_eq!(mentions(&Record::parse(line).unwrap()), expected);
        // A value that cannot be parsed is searched as text.
        assert!(mentions_in(r#"{"a":1e400,"b":"p-1"}"#).contains(&"p-1".to_owned()));
    }
}
