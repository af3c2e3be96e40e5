//! Proves that a line survives: what an edit does not name keeps its bytes and its place.
//!
//! Known answers come from how the texts were built ([`super::json_text`]) and from serde_json as a second reader.

use std::collections::HashMap;

use beads::internal::ledger::Document;
use beads::internal::model::change::{self, Change, ChangeError, Stamp};
use beads::internal::model::issue::Priority;
use beads::internal::model::json::Dialect;
use beads::internal::model::record::Record;
use beads::internal::model::time::Instant;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::value::RawValue;

use super::cases;
use super::json_text::{KNOWN, Object, dialect, literal, object, value};
use crate::library::scratch::NOW;

/// The order of keys as `docs/format.md` gives it.
const ORDER: &str = "_type id content_hash title description design acceptance_criteria notes spec_id \
    status priority issue_type assignee owner estimated_minutes \
    created_at created_by updated_at started_at closed_at close_reason closed_by_session due_at defer_until \
    external_ref source_system source_repo source_repo_path metadata pinned ephemeral is_template \
    labels dependencies comments visibility proposal \
    deleted_at deleted_by delete_reason original_type \
    compaction_level compacted_at compacted_at_commit original_size \
    dependency_count dependent_count comment_count parent";

fn rank(key: &str) -> Option<usize> {
    ORDER.split(' ').position(|known| known == key)
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let record = Record::parse(text).expect("a valid object");
    record.iter().map(|(key, raw)| (key.into_owned(), raw.to_owned())).collect()
}

/// Where a new key belongs: directly behind the last key that precedes it in the order, else at the end.
fn place(members: &[(String, String)], key: &str) -> usize {
    let precedes = |other: &str| matches!((rank(other), rank(key)), (Some(theirs), Some(mine)) if theirs < mine);
    members.iter().rposition(|(other, _)| precedes(other)).map_or(members.len(), |n| n + 1)
}

/// The members after setting a key.
fn after_setting(mut members: Vec<(String, String)>, key: &str, raw: &str) -> Vec<(String, String)> {
    match members.iter_mut().find(|(other, _)| other == key) {
        Some(member) => member.1 = raw.to_owned(),
        None => members.insert(place(&members, key), (key.to_owned(), raw.to_owned())),
    }
    members
}

/// The meaning of a raw priority: an integer, or a text with one from 0 to 4; anything else is absent, and absent is 0.
fn priority_in(raw: &str) -> i64 {
    let number = raw.parse::<f64>().ok().filter(|n| n.fract() == 0.0 && n.abs() < 9e15).map(|n| n as i64);
    let typed = || raw.strip_prefix('"')?.strip_suffix('"')?.trim().trim_start_matches(['P', 'p']).parse().ok();
    number.or_else(|| typed().filter(|n| (0..=4).contains(n))).unwrap_or(0)
}

/// Keys to set: known ones, new ones, one that the object has, and the escaped spelling of one it has taken literally.
fn target(object: &Object, fresh: String, pick: Index, kind: u8) -> String {
    match (kind, object.members.is_empty()) {
        (0, false) => pick.get(&object.members).0.decoded.clone(),
        (1, false) => pick.get(&object.members).0.escaped.clone(),
        (2, _) => pick.get(KNOWN).to_string(),
        _ => fresh,
    }
}

proptest! {
    #![proptest_config(cases(1000, 1))]

    #[test]
    fn every_raw_value_is_found_and_kept(object in object()) {
        prop_assert_eq!(pairs(&object.text), object.pairs());
        let again: Vec<String> = pairs(&object.text)
            .iter()
            .map(|(key, raw)| format!("{}:{raw}", Dialect::default().string(key)))
            .collect();
        prop_assert_eq!(pairs(&format!("{{{}}}", again.join(","))), object.pairs());
        let other: HashMap<String, Box<RawValue>> = serde_json::from_str(&object.text).expect("valid for serde_json");
        for (key, raw) in object.pairs() {
            prop_assert_eq!(other[&key].get(), raw);
        }
    }

    #[test]
    fn no_edit_is_the_identity(object in object(), dialect in dialect()) {
        let record = Record::parse(&object.text).unwrap();
        prop_assert_eq!(record.with(&[], dialect), object.text);
    }

    #[test]
    fn a_key_that_is_set_reads_back_and_moves_nothing(
        object in object(), fresh in literal(), raw in value(), dialect in dialect(), pick in any::<Index>(), kind in 0u8..4,
    ) {
        let key = target(&object, fresh.decoded, pick, kind);
        let text = Record::parse(&object.text).unwrap().with_key(&key, Some(&raw), dialect);
        prop_assert_eq!(Record::parse(&text).unwrap().raw(&key), Some(raw.as_str()));
        prop_assert_eq!(pairs(&text), after_setting(object.pairs(), &key, &raw));
    }

    #[test]
    fn a_new_key_leaves_without_a_trace(
        object in object(), raw in value(), dialect in dialect(),
        key in select(vec!["zz_new", "größe", "with \"quotes\"", "title", "priority", "updated_at", "labels", "parent"]),
    ) {
        prop_assume!(object.members.iter().all(|(other, _)| other.decoded != key));
        let longer = Record::parse(&object.text).unwrap().with(&[(key, Some(raw))], dialect);
        prop_assert_ne!(&longer, &object.text);
        prop_assert_eq!(Record::parse(&longer).unwrap().with(&[(key, None)], dialect), object.text);
    }

    #[test]
    fn a_key_that_is_removed_takes_nothing_with_it(
        object in object(), dialect in dialect(), key in select(KNOWN),
    ) {
        let text = Record::parse(&object.text).unwrap().with(&[(key, None)], dialect);
        let expected: Vec<_> = object.pairs().into_iter().filter(|(other, _)| other != key).collect();
        prop_assert_eq!(pairs(&text), expected);
    }

    #[test]
    fn a_repeated_key_is_refused_however_it_is_spelt(object in object(), pick in any::<Index>()) {
        prop_assume!(!object.members.is_empty());
        let spelt: String = pick.get(&object.members).0.decoded.encode_utf16().map(|u| format!("\\u{u:04x}")).collect();
        let closing = object.text.rfind('}').unwrap();
        let text = format!("{},\"{spelt}\":1{}", &object.text[..closing], &object.text[closing..]);
        prop_assert!(Record::parse(&text).is_err(), "{}", text);
    }

    #[test]
    fn a_priority_changes_itself_and_the_time_only(
        object in object(), dialect in dialect(), number in 0i64..5, old in select(vec![
            None, Some("\"2026-03-01T11:59:59.9999Z\""), Some("\"2099-01-01T00:00:00.000000001+14:00\""), Some("\"soon\""),
        ]),
    ) {
        let line = match old {
            Some(raw) => Record::parse(&object.text).unwrap().with(&[("updated_at", Some(raw.into()))], dialect),
            None => object.text.clone(),
        };
        let now = Instant::parse(NOW).unwrap();
        let changed = change::apply(&line, &[Change::Priority(Priority::in_file(number))], Stamp { now, actor: "a", dialect });
        let status = pairs(&line).into_iter().find(|(key, _)| key == "status");
        if status.is_some_and(|(_, raw)| raw == "\"tombstone\"") {
            prop_assert!(matches!(changed, Err(ChangeError::Deleted(_))));
            return Ok(());
        }
        let said = pairs(&line).into_iter().find(|(key, _)| key == "priority").map(|(_, raw)| priority_in(&raw));
        let changed = changed.unwrap();
        prop_assert_eq!(changed.is_none(), said == Some(number), "{:?} to {} in {}", said, number, line);
        let Some(text) = changed else { return Ok(()) };
        let time = pairs(&text).into_iter().find(|(key, _)| key == "updated_at").expect("an edit has a time").1;
        let expected = after_setting(pairs(&line), "priority", &number.to_string());
        prop_assert_eq!(pairs(&text), after_setting(expected, "updated_at", &time));
        let at = |raw: &str| Instant::parse(raw.trim_matches('"'));
        prop_assert!(at(&time) >= Some(now), "{}", time);
        prop_assert!(old.and_then(at).is_none_or(|old| at(&time) > Some(old)), "{} after {:?}", time, old);
    }
}

/// Bytes as disks and editors leave them.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(b"\n".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        1 => Just(b"\0".to_vec()),
        1 => Just(b"\xef\xbb\xbf".to_vec()),
        1 => Just(b"\xff\xfe".to_vec()),
        1 => Just(b"<<<<<<< x".to_vec()),
        2 => Just(b"{\"id\":\"a\"}".to_vec()),
        2 => proptest::collection::vec(any::<u8>(), 0..6),
    ];
    (any::<bool>(), proptest::collection::vec(piece, 0..30)).prop_map(|(marked, pieces)| {
        let mark: &[u8] = if marked { b"\xef\xbb\xbf" } else { b"" };
        [mark, &pieces.concat()].concat()
    })
}

proptest! {
    #![proptest_config(cases(3000, 2))]

    #[test]
    fn lines_put_together_are_the_file(bytes in soup()) {
        let document = Document::new(bytes.clone());
        let mut again = if document.has_bom() { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
        for n in 0..document.len() {
            prop_assert!(!document.raw(n).contains(&b'\n'));
            let text = document.text(n);
            prop_assert!(document.raw(n) == text || document.raw(n) == [text, b"\r"].concat());
            again.extend_from_slice(document.raw(n));
            if n + 1 < document.len() || document.ends_well() {
                again.push(b'\n');
            }
        }
        prop_assert_eq!(again, bytes);
    }

    #[test]
    fn no_bytes_upset_the_reader(bytes in soup()) {
        let document = Document::new(bytes);
        let findings = document.check();
        prop_assert!(findings.iter().all(|finding| (1..=document.len().max(1)).contains(&finding.line)));
        prop_assert!(document.conflicts().iter().all(|region| region.start < region.end && region.end <= document.len()));
        let repair = document.repair();
        prop_assert!(repair.edits.len() >= repair.steps.len());
    }
}
