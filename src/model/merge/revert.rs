//! Reverts one edit of a line that others may have edited since.
//!
//! A pure function of three lines: after the edit, before it, and now. Later changes by others stay; in lists that are
//! sets only the edit's own elements are removed or restored, and text that was added below a long text stays there. If
//! both the edit and a later change touched a value, the value is named and nothing is reverted.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::side::Side;
use super::{fields, object, sets, text};
use crate::model::field::{self, Field, Merge};
use crate::model::json::{Dialect, DialectEvidence, decode_string};
use crate::model::record::Record;

/// The current line without the edit from `before` to `after`, or the keys that were changed again since.
pub fn revert(after: &str, before: &str, now: &str, usual: Dialect) -> Result<String, Vec<String>> {
    if now == after {
        return Ok(before.to_owned());
    }
    if now == before {
        return Ok(now.to_owned());
    }
    let [Some(after), Some(before), Some(now)] = [after, before, now].map(Side::parse) else {
        return Err(vec!["line".to_owned()]);
    };
    let dialect = DialectEvidence::of(now.record.text()).or(usual);
    let mut values: BTreeMap<Cow<'_, str>, Option<String>> = BTreeMap::new();
    let mut clashes = Vec::new();
    for register in fields::registers(&[Some(&after), Some(&before), Some(&now)]) {
        let name = register.name();
        let [made, old, new] = [&after, &before, &now].map(|side| register.values(side));
        let same = |one: &[Option<&str>], other: &[Option<&str>]| {
            register.keys.iter().zip(one.iter().zip(other)).all(|(key, (one, other))| fields::same(key, *one, *other))
        };
        // The caller sets a new time of edit.
        if name == "updated_at" || same(&made, &old) || same(&new, &old) {
            continue;
        }
        // Times that come with an edit do not justify keeping it.
        let is_same = |one: &[Option<&str>], other: &[Option<&str>]| {
            let mut pairs = register.keys.iter().zip(one.iter().zip(other));
            let is_quiet = |key: &str| key != name && fields::is_silent(key);
            pairs.all(|(key, (one, other))| is_quiet(key) || fields::same(key, *one, *other))
        };
        let own = |raw: &[Option<&str>]| raw.iter().map(|raw| raw.map(str::to_owned)).collect::<Vec<_>>();
        let settled = if is_same(&new, &made) {
            Some(own(&old))
        } else {
            match register.merge {
                Merge::Labels => Some(vec![sets::labels(made[0], new[0], old[0], dialect)]),
                Merge::Edges => Some(vec![sets::merge(made[0], new[0], old[0], dialect, sets::edge_identity)]),
                Merge::Long => long_text(made[0], old[0], new[0], dialect).map(|value| vec![value]),
                Merge::Object => {
                    let all = made[0].zip(new[0]).zip(old[0]);
                    let left = all.and_then(|((made, new), old)| object::merge(made, new, old, dialect));
                    left.map(|value| vec![Some(value)])
                }
                // Hashes and counters have no meaning of their own: the current value stays.
                Merge::Plain if fields::is_silent(name) => continue,
                Merge::Plain | Merge::With(_) | Merge::Apart => None,
            }
        };
        match settled {
            Some(settled) => values.extend(register.keys.iter().cloned().zip(settled)),
            None => clashes.extend(register.keys.iter().enumerate().filter_map(|(n, key)| {
                let changed = !fields::is_silent(key) && !fields::same(key, made[n], new[n]);
                changed.then(|| key.clone().into_owned())
            })),
        }
    }
    let comments = [&after, &now, &before].map(|side| side.record.raw("comments"));
    if !fields::same("comments", comments[0], comments[2]) {
        let [made, new, old] = comments;
        let left = if new == made {
            old.map(str::to_owned)
        } else {
            sets::merge(made, new, old, dialect, sets::comment_identity)
        };
        values.insert(Cow::Borrowed("comments"), left);
    }
    if clashes.is_empty() { Ok(super::written(&now, &values, dialect)) } else { Err(clashes) }
}

/// A long text without an edit; `None` if the same lines were rewritten since.
fn long_text(made: Option<&str>, old: Option<&str>, new: Option<&str>, dialect: Dialect) -> Option<Option<String>> {
    let text = |raw: Option<&str>| match raw {
        Some(raw) if !fields::is_empty(Some(raw)) => decode_string(raw).map(Cow::into_owned),
        _ => Some(String::new()),
    };
    let (made, old, new) = (text(made)?, text(old)?, text(new)?);
    let below = new.strip_prefix(made.as_str()).filter(|rest| rest.starts_with('\n') && !made.is_empty());
    let left = match below {
        Some(rest) if old.is_empty() => rest[1..].to_owned(),
        Some(rest) => format!("{old}{rest}"),
        None => text::merge(&made, &new, &old, false)?,
    };
    Some((!left.is_empty()).then(|| dialect.string(&left)))
}

/// The keys in which two lines differ, except the time of the edit. None without a line.
pub fn differing(one: &str, other: &str) -> Vec<String> {
    let (Ok(one), Ok(other)) = (Record::parse(one), Record::parse(other)) else { return Vec::new() };
    let keys: BTreeSet<String> = one.iter().chain(other.iter()).map(|(key, _)| key.into_owned()).collect();
    let is_content = |key: &String| key != Field::Updated.key() && !field::is(key, |row| row.note);
    keys.into_iter().filter(|key| is_content(key) && !fields::same(key, one.raw(key), other.raw(key))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(fields: &str) -> String {
        format!("{{\"id\":\"a\",{fields}}}")
    }

    fn back(after: &str, before: &str, now: &str) -> Result<String, Vec<String>> {
        revert(&line(after), &line(before), &line(now), Dialect::default())
    }

    #[test]
    fn an_untouched_line_comes_back_byte_for_byte() {
        let before = r#"{ "id":"a", "x":1.0,"priority":2}"#;
        let after = r#"{ "id":"a", "x":1.0,"priority":1}"#;
        assert_eq!(revert(after, before, after, Dialect::default()).as_deref(), Ok(before));
        assert_eq!(revert(after, before, before, Dialect::default()).as_deref(), Ok(before), "it is back already");
    }

    #[test]
    fn what_others_changed_since_stays() {
        for (after, before, now, expected) in [
            (r#""priority":1"#, r#""priority":2"#, r#""title":"t","priority":1"#, r#""title":"t","priority":2"#),
            (r#""labels":["x","y"]"#, r#""labels":["x"]"#, r#""labels":["x","y","z"]"#, r#""labels":["x","z"]"#),
            (r#""labels":["x"]"#, r#""labels":["x","y"]"#, r#""labels":["z"]"#, r#""labels":["y","z"]"#),
            (r#""notes":"a\nb""#, r#""notes":"a""#, r#""notes":"a\nb\nc""#, r#""notes":"a\nc""#),
            (r#""notes":"b""#, r#""x":0"#, r#""x":0,"notes":"b\nc""#, r#""x":0,"notes":"c""#),
            (r#""title":"t","x":1"#, r#""title":"t""#, r#""title":"u","x":1"#, r#""title":"u""#),
        ] {
            assert_eq!(back(after, before, now), Ok(line(expected)), "{now}");
        }
        let comment =
            |n: u8| format!(r#"{{"id":{n},"author":"ann","text":"c{n}","created_at":"2026-01-05T09:00:00Z"}}"#);
        let comments = |all: &[u8]| {
            let all: Vec<String> = all.iter().map(|n| comment(*n)).collect();
            format!("\"comments\":[{}]", all.join(","))
        };
        let left = back(&comments(&[1, 2]), &comments(&[1]), &comments(&[1, 2, 3]));
        assert_eq!(left, Ok(line(&comments(&[1, 3]))), "only the comment of the edit goes");
    }

    #[test]
    fn a_value_that_was_changed_again_is_named() {
        for (after, before, now, field) in [
            (r#""priority":1"#, r#""priority":2"#, r#""priority":0"#, "priority"),
            (r#""description":"b""#, r#""description":"a""#, r#""description":"c""#, "description"),
            (
                r#""status":"closed","close_reason":"r""#,
                r#""status":"open""#,
                r#""status":"closed","close_reason":"s""#,
                "close_reason",
            ),
            (r#""x":[1]"#, r#""x":[]"#, r#""x":[2]"#, "x"),
        ] {
            assert_eq!(back(after, before, now), Err(vec![field.to_owned()]), "{now}");
        }
    }

    #[test]
    fn keys_that_differ() {
        let one = line(r#""a":1,"b":[],"updated_at":"1""#);
        assert_eq!(differing(&one, &line(r#""a":2,"c":null,"d":0"#)), ["a", "d"]);
    }
}
