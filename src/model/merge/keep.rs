//! Keeps a value that lost a merge: as a comment, signed by the merge.

use std::borrow::Cow;

use super::fields::{Register, is_empty, is_kept, same};
use super::sets::AUTHOR;
use super::settle::Lost;
use super::side::Side;
use crate::model::issue::Status;
use crate::model::json::{Dialect, Json, decode_string};

/// The comments that keep lost values, one for each key with a value that the base does not have; a deletion is kept as
/// a whole, in one comment. Each comment depends on the lost value alone, so that every clone writes the same one, and
/// a comment that holds the winning value can be recognized.
pub(super) fn comments(
    id: &str,
    register: &Register<'_>,
    lost: &Lost,
    (base, apart): (Option<&Side<'_>>, bool),
    dialect: Dialect,
) -> Vec<String> {
    let new_value = |(key, value): (&Cow<'_, str>, &Option<String>)| {
        let raw = value.as_deref().filter(|raw| !is_empty(Some(raw)) && is_kept(key, apart))?;
        let is_known = base.is_some_and(|base| same(key, Some(raw), base.record.raw(key)));
        let value = decode_string(raw).map_or(raw.to_owned(), |text| text.into_owned());
        (!is_known).then(|| (key.clone().into_owned(), value))
    };
    let values: Vec<(String, String)> = register.keys.iter().zip(&lost.values).filter_map(new_value).collect();
    let texts: Vec<String> = match values.split_first() {
        Some(((key, word), rest)) if key == "status" && Status::new(word).is_tombstone() => {
            vec![text(key, &with_details(word, rest))]
        }
        _ => values.iter().map(|(key, value)| text(key, value)).collect(),
    };
    texts.iter().map(|text| comment(id, text, &lost.stamp.text, dialect)).collect()
}

/// A value with the keys that belong to it.
fn with_details(value: &str, rest: &[(String, String)]) -> String {
    let rest: Vec<String> = rest.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    if rest.is_empty() { value.to_owned() } else { format!("{value} ({})", rest.join(", ")) }
}

/// The text of the comment for a lost value.
pub(super) fn text(key: &str, value: &str) -> String {
    format!("{key} of the other version: {value}")
}

/// A comment that keeps a value, dated like the edit that set it.
pub(super) fn comment(id: &str, text: &str, at: &str, dialect: Dialect) -> String {
    let hash = blake3::hash([id.as_bytes(), b"\0", text.as_bytes()].concat().as_slice());
    let number = u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has 32 bytes")) >> 11;
    let time = if at.is_empty() { "1970-01-01T00:00:00Z" } else { at };
    dialect.render(&Json::Object(vec![
        ("id".into(), Json::Int(number as i64)),
        ("issue_id".into(), Json::Text(id.to_owned())),
        ("author".into(), Json::Text(AUTHOR.into())),
        ("text".into(), Json::Text(text.to_owned())),
        ("created_at".into(), Json::Text(time.to_owned())),
    ]))
}
