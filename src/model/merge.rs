//! Two copies of one issue made into one, without a common ancestor.
//!
//! Used for duplicate ids and for two ledgers side by side. The result does not depend on which copy comes first. Sets are
//! joined; of two different values the one of the later copy stands (a tie is settled by bytes), and what lost is kept as a
//! comment, so that nothing anyone wrote is gone.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::dependency::Dependency;
use super::json::{Dialect, Json};
use super::record::{KeyEdit, Record};
use super::time::Instant;

/// Long texts and the title: what a person wrote and may want back.
const TEXTS: &[&str] = &["title", "description", "design", "acceptance_criteria", "notes", "close_reason"];

/// What says nothing of its own: times of the edit itself, hashes and counters.
const DERIVED: &[&str] =
    &["updated_at", "content_hash", "dependency_count", "dependent_count", "comment_count", "source_repo"];

/// A value that two sides changed differently: which one stands, and that the other was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    pub field: String,
    /// The raw JSON of the value that stands; `None` if the key is absent.
    pub kept: Option<String>,
    /// The raw JSON of the value that does not.
    pub lost: Option<String>,
}

/// One issue, merged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergedIssue {
    pub line: String,
    pub clashes: Vec<Clash>,
}

/// Merges two versions of one issue that grew from a common one, or from none; `None` if one of the lines is no record. The
/// sides can be swapped.
pub fn merge_issue(base: Option<&str>, ours: &str, theirs: &str, usual: Dialect) -> Option<MergedIssue> {
    if base == Some(theirs) {
        return Some(MergedIssue { line: ours.to_owned(), clashes: Vec::new() });
    }
    if base == Some(ours) {
        return Some(MergedIssue { line: theirs.to_owned(), clashes: Vec::new() });
    }
    let line = join_copies(ours, theirs, usual)?;
    Some(MergedIssue { line, clashes: Vec::new() })
}

/// Joins two copies of one issue; `None` if one of the lines is no record.
pub fn join_copies(one: &str, other: &str, dialect: Dialect) -> Option<String> {
    let (one, other) = (Record::parse(one).ok()?, Record::parse(other).ok()?);
    Some(if stands(&one, &other, dialect) { unite(&one, &other, dialect) } else { unite(&other, &one, dialect) })
}

/// The winner with what only the loser has.
fn unite(winner: &Record<'_>, loser: &Record<'_>, dialect: Dialect) -> String {
    let mut line = winner.text().to_owned();
    let mut lost = Vec::new();
    let mut values = Vec::new();
    for (key, theirs) in loser.iter() {
        match winner.raw(&key) {
            None | Some("null") => line = set(&line, &key, theirs, dialect),
            Some(ours) if ours == theirs || matches!(theirs, "null" | "\"\"" | "[]") => {}
            Some(ours) => match key.as_ref() {
                "labels" => {
                    line = set(&line, &key, &joined(ours, theirs, dialect, label_identity), dialect);
                }
                "dependencies" => {
                    line = set(&line, &key, &joined(ours, theirs, dialect, edge_identity), dialect);
                }
                "comments" => {
                    line = set(&line, &key, &joined(ours, theirs, dialect, comment_identity), dialect);
                }
                text if TEXTS.contains(&text) => match loser.text_of(text) {
                    Some(value) if winner.text_of(text).as_ref() != Some(&value) => lost.push((key, value)),
                    _ => {}
                },
                other if DERIVED.contains(&other) => {}
                _ => values.push(format!("{key}: {theirs}")),
            },
        }
    }
    if !values.is_empty() {
        lost.push((Cow::Borrowed("values"), Cow::Owned(values.join(", "))));
    }
    for (key, text) in lost {
        line = keep_as_comment(&line, &key, &text, loser, dialect);
    }
    line
}

/// Later copies stand. Of equally late ones one that has all of the other, so that joining again changes nothing; else the
/// greater bytes.
fn stands(one: &Record<'_>, other: &Record<'_>, dialect: Dialect) -> bool {
    let time = |record: &Record<'_>| record.string("updated_at").and_then(|text| Instant::parse(&text));
    let has_all = |copy: &Record<'_>, of: &Record<'_>| unite(copy, of, dialect) == copy.text();
    let order = time(one).cmp(&time(other));
    let order = order.then_with(|| has_all(one, other).cmp(&has_all(other, one)));
    order.then_with(|| one.text().cmp(other.text())).is_ge()
}

fn set(line: &str, key: &str, raw: &str, dialect: Dialect) -> String {
    let record = Record::parse(line).expect("a joined record stays a valid object");
    record.with_key(key, raw, dialect)
}

fn joined(ours: &str, theirs: &str, dialect: Dialect, identity: fn(&str) -> String) -> String {
    // A value that is no list stands as one element, so that it is not lost.
    let spans = |raw: &str| match super::json::elements(raw) {
        Ok(spans) => spans,
        Err(_) if raw == "null" => Vec::new(),
        Err(_) => std::iter::once(0..raw.len()).collect(),
    };
    let mut seen = BTreeSet::new();
    let mut parts = Vec::new();
    let mut own = 0;
    for raw in [ours, theirs] {
        own = parts.len();
        for span in spans(raw) {
            let element = &raw[span];
            if seen.insert(identity(element)) {
                parts.push(element.to_owned());
            }
        }
    }
    if parts.len() == own {
        return ours.to_owned();
    }
    dialect.array(parts.iter().map(String::as_str))
}

fn label_identity(raw: &str) -> String {
    super::json::decode_string(raw).map_or(raw.to_owned(), |text| text.into_owned())
}

fn edge_identity(raw: &str) -> String {
    Dependency::decode(raw).map_or(raw.to_owned(), |d| format!("{}\u{0}{}", d.target, d.kind))
}

fn comment_identity(raw: &str) -> String {
    let Ok(record) = Record::parse_part(raw) else { return raw.to_owned() };
    let Some(text) = record.string("text") else { return raw.to_owned() };
    let part = |key| record.raw(key).unwrap_or_default().to_owned();
    // A time that cannot be read still tells two comments apart.
    let time = record.string("created_at").and_then(|text| Instant::parse(&text)).map(|at| at.nanos().to_string());
    let time = time.unwrap_or_else(|| part("created_at"));
    format!("{}\u{0}{}\u{0}{text}\u{0}{time}", part("id"), part("author"))
}

fn keep_as_comment(line: &str, key: &str, text: &str, loser: &Record<'_>, dialect: Dialect) -> String {
    let record = Record::parse(line).expect("a joined record stays a valid object");
    let hash = blake3::hash([key.as_bytes(), b"\0", text.as_bytes()].concat().as_slice());
    let number = u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has 32 bytes")) >> 11;
    let time =
        loser.text_of("updated_at").or(loser.text_of("created_at")).unwrap_or(Cow::Borrowed("1970-01-01T00:00:00Z"));
    let comment = dialect.render(&Json::Object(vec![
        ("id".into(), Json::Int(number as i64)),
        ("issue_id".into(), Json::Text(record.string("id").unwrap_or_default().into_owned())),
        ("author".into(), Json::Text("bd merge".into())),
        ("text".into(), Json::Text(format!("{key} of the other copy: {text}"))),
        ("created_at".into(), Json::Text(time.into_owned())),
    ]));
    let current = record.raw("comments").unwrap_or("[]");
    let comments = joined(current, &format!("[{comment}]"), dialect, comment_identity);
    let edit: KeyEdit = ("comments", Some(comments));
    record.with(&[edit], dialect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_either_copy_is_missing() {
        let old = r#"{"id":"a","title":"Old title","priority":3,"notes":"n","labels":["x"],"updated_at":"2025-01-01T00:00:00Z","comments":[{"id":1,"author":"p","text":"t","created_at":"2025-01-01T00:00:00Z"}],"odd":1e400}"#;
        let new = r#"{"id":"a","title":"New title","priority":1,"labels":["y"],"updated_at":"2025-01-02T00:00:00Z","comments":[{"id":1,"author":"q","text":"u","created_at":"2025-01-01T00:00:00Z"}]}"#;
        let joined = join_copies(old, new, Dialect::default()).unwrap();
        assert_eq!(join_copies(new, old, Dialect::default()).unwrap(), joined);
        for part in [
            "New title",
            "title of the other copy: Old title",
            r#"["y","x"]"#,
            "values of the other copy: priority: 3",
            r#""odd":1e400"#,
            r#""notes":"n""#,
        ] {
            assert!(joined.contains(part), "{part} in {joined}");
        }
        assert_eq!(joined.matches("\"author\":").count(), 4, "{joined}");
        assert_eq!(join_copies(&joined, old, Dialect::default()).unwrap(), joined, "joining again changes nothing");
    }
}
