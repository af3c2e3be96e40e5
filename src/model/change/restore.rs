//! Restores an older version of an issue by editing the present one.

use std::collections::BTreeSet;

use super::Stamp;
use crate::model::field::{self, Field, place_of};
use crate::model::issue::Comment;
use crate::model::json::{Dialect, decode_string, is_unset};
use crate::model::merge::{edited, same_value};
use crate::model::record::Record;
use crate::model::time;

/// Whether an older version leaves a key alone: the identity of the issue, its times of edit, its visibility and its
/// proposal.
fn is_present(key: &str) -> bool {
    let by_name = matches!(Field::of(key), Some(Field::Id | Field::Updated | Field::Visibility | Field::Proposal));
    by_name || field::is(key, |row| row.note)
}

/// The present line with the values of an older one; `None` if they are equal. Comments stay, and those that only the
/// older line has come back.
pub fn restore(now: &str, then: &str, stamp: Stamp<'_>) -> Option<String> {
    let (present, past) = (Record::parse(now).ok()?, Record::parse(then).ok()?);
    let mut keys: BTreeSet<(usize, String)> = BTreeSet::new();
    for record in [&present, &past] {
        keys.extend(record.iter().map(|(key, _)| (place_of(&key), key.into_owned())));
    }
    let mut line = now.to_owned();
    for (_, key) in keys.iter().filter(|(_, key)| !is_present(key)) {
        let value = match key.as_str() {
            "comments" => comments(&present, &past).map(|parts| stamp.dialect.array(parts)),
            _ => past.raw(key).map(str::to_owned),
        };
        if !same_value(key, present.raw(key), value.as_deref()) {
            line = Record::parse(&line).ok()?.with_key(key, value.as_deref(), stamp.dialect);
        }
    }
    if line == now {
        return None;
    }
    let previous = present.time("updated_at");
    Some(edited(now, &line, time::after(previous, stamp.now), stamp.dialect))
}

/// The keys that a deletion sets. An older version has the values from before.
const DELETION: [&str; 7] =
    ["status", "closed_at", "close_reason", "deleted_at", "deleted_by", "delete_reason", "original_type"];
/// The placeholders in a tombstone for a title or a type that was discarded.
const NO_VALUES: [(&str, &str); 2] = [("title", "(deleted)"), ("issue_type", "tombstone")];

/// A deleted issue as it was before the deletion: an older version with later edits, as far as the tombstone still has
/// them.
pub fn before_deletion(tombstone: &str, then: &str, dialect: Dialect) -> Option<String> {
    let (deleted, past) = (Record::parse(tombstone).ok()?, Record::parse(then).ok()?);
    let is_restored = |key: &str, raw: &str| {
        let is_lost = NO_VALUES.iter().any(|(name, text)| *name == key && decode_string(raw).as_deref() == Some(*text));
        !DELETION.contains(&key) && !is_unset(raw) && !is_lost
    };
    let mut line = then.to_owned();
    for (key, raw) in deleted.iter().filter(|(key, raw)| is_restored(key, raw)) {
        if !same_value(&key, past.raw(&key), Some(raw)) {
            line = Record::parse(&line).ok()?.with_key(&key, Some(raw), dialect);
        }
    }
    Some(line)
}

/// The comments of both, present ones first; `None` if there are none, or the present value is not a list.
fn comments<'a>(present: &Record<'a>, past: &Record<'a>) -> Option<Vec<&'a str>> {
    let mut parts = present.elements("comments");
    let known: Vec<Option<Comment>> = parts.iter().map(|raw| Comment::decode(raw)).collect();
    let is_new = |raw: &&str| {
        let comment = Comment::decode(raw);
        let is_known = parts.contains(raw) || comment.is_some() && known.contains(&comment);
        !is_known
    };
    let lost: Vec<&str> = past.elements("comments").into_iter().filter(is_new).collect();
    parts.extend(lost);
    (!parts.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Instant;

    const THEN: &str = r#"{"id":"a","title":"One","status":"open","priority":1,"updated_at":"2026-01-01T00:00:00Z","x":{"k":1e400},"comments":[{"id":1,"author":"ann","text":"first"}]}"#;
    const NOW: &str = r#"{"id":"a","title":"Two","status":"closed","updated_at":"2026-02-01T00:00:00Z","closed_at":"2026-02-01T00:00:00Z","y":2,"comments":[{"text":"first","id":1,"author":"ann"},{"id":2,"author":"bob","text":"second"}],"visibility":"local","field_times":{"at":"z"}}"#;

    fn stamp() -> Stamp<'static> {
        Stamp { now: Instant::parse("2026-01-15T00:00:00Z").unwrap(), actor: "ann", dialect: Dialect::default() }
    }

    #[test]
    fn values_come_back_and_comments_stay() {
        assert_eq!(
            restore(NOW, THEN, stamp()).unwrap(),
            r#"{"id":"a","title":"One","status":"open","priority":1,"updated_at":"2026-02-01T00:00:00.001Z","comments":[{"text":"first","id":1,"author":"ann"},{"id":2,"author":"bob","text":"second"}],"visibility":"local","field_times":{"at":"2026-02-01T00:00:00.001Z","status":"2026-02-01T00:00:00.001Z"},"x":{"k":1e400}}"#
        );
    }

    #[test]
    fn a_deleted_issue_keeps_the_values_of_its_tombstone() {
        let then =
            r#"{"id":"a","title":"One","description":"old","status":"closed","issue_type":"bug","closed_at":"c"}"#;
        let living = |tombstone: &str| before_deletion(tombstone, then, Dialect::default()).unwrap();
        let ours = r#"{"id":"a","title":"Two","description":"new","status":"tombstone","issue_type":"bug","deleted_at":"d","original_type":"bug"}"#;
        assert_eq!(
            living(ours),
            r#"{"id":"a","title":"Two","description":"new","status":"closed","issue_type":"bug","closed_at":"c"}"#
        );
        let bare = r#"{"id":"a","title":"(deleted)","description":"","status":"tombstone","issue_type":"tombstone"}"#;
        assert_eq!(living(bare), then, "what was thrown away comes from the older version");
    }

    #[test]
    fn comments_that_are_gone_come_back() {
        let now = r#"{"id":"a","title":"One"}"#;
        let then = r#"{"id":"a","title":"One","comments":[{"id":1,"text":"t"}]}"#;
        assert!(restore(now, then, stamp()).unwrap().contains(r#""comments":[{"id":1,"text":"t"}]"#));
        assert_eq!(restore(then, now, stamp()), None, "none is taken away");
    }

    #[test]
    fn the_same_is_no_change() {
        assert_eq!(restore(NOW, NOW, stamp()), None);
        let other_layout = r#"{"title":"One", "id":"a","updated_at":"x"}"#;
        assert_eq!(restore(r#"{"id":"a","title":"One"}"#, other_layout, stamp()), None);
        assert_eq!(restore("no record", THEN, stamp()), None);
    }
}
