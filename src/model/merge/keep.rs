//! What becomes of a value that lost: a comment, signed by the merge.

use super::fields::{Register, is_empty, is_silent, same};
use super::settle::Lost;
use super::side::Side;
use crate::model::json::{Dialect, Json, decode_string};

/// Who writes the comments that keep a losing value.
pub const AUTHOR: &str = "bd merge";

/// The comment that keeps what was lost; `None` if it says nothing that the base or a time does not say. It depends on the
/// lost value alone, so that every clone writes the same one.
pub fn comment(
    id: &str,
    register: &Register<'_>,
    lost: &Lost,
    base: Option<&Side<'_>>,
    dialect: Dialect,
) -> Option<String> {
    let mut parts = Vec::new();
    for (key, value) in register.keys.iter().zip(&lost.values) {
        let before = base.and_then(|base| base.record.raw(key));
        let Some(raw) = value.as_deref().filter(|raw| !is_empty(Some(raw)) && !is_silent(key)) else { continue };
        if !same(key, Some(raw), before) {
            parts.push((key, decode_string(raw).map_or(raw.to_owned(), |text| text.into_owned())));
        }
    }
    let ((first, value), others) = parts.split_first()?;
    let mut text = format!("{first} of the other version: {value}");
    for (key, value) in others {
        text.push_str(&format!("; {key}: {value}"));
    }
    let hash = blake3::hash([id.as_bytes(), b"\0", text.as_bytes()].concat().as_slice());
    let number = u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has 32 bytes")) >> 11;
    let time = if lost.stamp.text.is_empty() { "1970-01-01T00:00:00Z" } else { &lost.stamp.text };
    Some(dialect.render(&Json::Object(vec![
        ("id".into(), Json::Int(number as i64)),
        ("issue_id".into(), Json::Text(id.to_owned())),
        ("author".into(), Json::Text(AUTHOR.into())),
        ("text".into(), Json::Text(text)),
        ("created_at".into(), Json::Text(time.to_owned())),
    ])))
}
