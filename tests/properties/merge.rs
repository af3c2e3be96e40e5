//! Proves that joining two copies of one issue does not depend on which comes first, changes nothing the second time, and
//! loses nothing that anyone wrote.

use std::collections::BTreeSet;

use beads::internal::ledger::{Document, Edit};
use beads::internal::model::issue::Issue;
use beads::internal::model::json::{self, Dialect};
use beads::internal::model::merge::join_copies;
use beads::internal::model::record::Record;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::cases;
use super::json_text::{dialect, value};

/// The texts of a person; one that loses becomes a comment.
const TEXTS: &[&str] = &["title", "description", "design", "acceptance_criteria", "notes", "close_reason"];

fn texts(key: &'static str) -> impl Strategy<Value = (String, String)> {
    let raw = select(vec!["\"one\"", "\"two\"", "\"tw\\u006f\"", "\"thr\\u00e9e <&>\\n\"", "\"\"", "null"]);
    raw.prop_map(move |raw| (key.to_owned(), raw.to_owned()))
}

fn array(elements: &'static [&'static str]) -> impl Strategy<Value = String> {
    let some = |most| subsequence(elements, 0..=most);
    prop_oneof![
        6 => some(elements.len()).prop_map(|parts| format!("[{}]", parts.join(","))),
        2 => some(elements.len()).prop_shuffle().prop_map(|parts| format!("[ {} ]", parts.join(" , "))),
        1 => select(vec!["null", "\"no list\"", "{\"n\": 1}"]).prop_map(str::to_owned),
    ]
}

const LABELS: &[&str] = &[r#""ui""#, r#""core""#, r#""\u0075i2""#, r#""z""#, "7"];
const EDGES: &[&str] = &[
    r#"{"depends_on_id":"b","type":"blocks"}"#,
    r#"{"depends_on_id":"b","type":"parent-child","metadata":"{}"}"#,
    r#"{"depends_on_id":"c"}"#,
    r#"{"issue_id":"t","depends_on_id":"c","type":"waits-for","metadata":{"gate":"any-children"}}"#,
    r#""odd""#,
];
const COMMENTS: &[&str] = &[
    r#"{"id":1,"author":"p","text":"first","created_at":"2026-01-01T00:00:00Z"}"#,
    r#"{"id":1,"author":"q","text":"first","created_at":"2026-01-01T00:00:00Z"}"#,
    r#"{"id":2,"author":"p","text":"second","created_at":"2026-01-01T00:00:00Z"}"#,
    r#"{"id":2,"author":"p","text":"second","created_at":"2026-01-01T00:00:01Z"}"#,
    r#"{"id":"c3","author":"p","text":"by another tool"}"#,
    r#"{"id":4,"author":"p","text":"when?","created_at":"monday"}"#,
    r#"{"id":4,"author":"p","text":"when?","created_at":"tuesday"}"#,
    r#"{"note":1}"#,
    r#"{"note":2}"#,
    "5",
];

/// One copy: the members in the usual order or any other, each there or not.
fn copy() -> impl Strategy<Value = String> {
    let time = select(vec![
        "\"2026-01-01T00:00:00Z\"",
        "\"2026-01-01T01:00:00+01:00\"",
        "\"2026-01-02T00:00:00.000Z\"",
        "\"never\"",
        "null",
    ]);
    let written = TEXTS.iter().map(|key| option::weighted(0.5, texts(key))).collect::<Vec<_>>();
    let named = |key: &'static str| move |raw: String| (key.to_owned(), raw);
    let others = (
        option::weighted(0.8, time.prop_map(str::to_owned).prop_map(named("updated_at"))),
        option::weighted(0.6, array(LABELS).prop_map(named("labels"))),
        option::weighted(0.6, array(EDGES).prop_map(named("dependencies"))),
        option::weighted(0.6, array(COMMENTS).prop_map(named("comments"))),
        option::weighted(0.5, select(vec!["1", "2"]).prop_map(str::to_owned).prop_map(named("priority"))),
    );
    let odd = vec((select(vec!["x", "größe", "a\\nb", "a\nb", "content_hash"]).prop_map(str::to_owned), value()), 0..3);
    (written, others, odd, any::<u64>(), 0..3, dialect()).prop_map(|(written, others, odd, dice, style, dialect)| {
        let (updated, labels, edges, comments, priority) = others;
        let mut members = vec![("id".to_owned(), "\"t\"".to_owned())];
        members.extend(written.into_iter().chain([priority, updated, labels, edges, comments]).flatten());
        members.extend(odd);
        let mut seen = BTreeSet::new();
        members.retain(|(key, _)| seen.insert(key.clone()));
        if style == 0 {
            let turn = dice as usize % members.len();
            members.rotate_left(turn);
        }
        let parts: Vec<String> =
            members.iter().map(|(key, raw)| [&dialect.string(key), dialect.colon(), raw].concat()).collect();
        format!("{{{}}}", parts.join(dialect.comma()))
    })
}

fn issue(line: &str) -> Issue {
    Issue::decode(&Record::parse(line).expect("a record"))
}

fn raw(line: &str, key: &str) -> Option<String> {
    Record::parse(line).expect("a record").raw(key).map(str::to_owned)
}

/// Text and labels as sets, for asking whether one is part of the other.
fn set<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    items.into_iter().collect()
}

/// The content of each comment: identity and text; the raw element if it is not a comment.
fn remarks(line: &str) -> BTreeSet<String> {
    let record = Record::parse(line).expect("a record");
    let elements = record.elements("comments").into_iter();
    set(elements.map(|element| match Record::parse(element) {
        Ok(c) => ["id", "author", "text", "created_at", "note"].map(|key| c.raw(key).unwrap_or("-")).join(" "),
        Err(_) => element.to_owned(),
    }))
}

/// Whether a text is in its field or in a comment.
fn is_told(joined: &str, key: &str, text: &str) -> bool {
    let record = Record::parse(joined).expect("a record");
    let grown = |now: &str| key == "notes" && format!("\n{now}\n").contains(&format!("\n{text}\n"));
    record.string(key).is_some_and(|now| now == text || grown(&now))
        || issue(joined).comments.iter().any(|comment| comment.text.starts_with(key) && comment.text.ends_with(text))
}

fn join(one: &str, other: &str, dialect: Dialect) -> String {
    join_copies(one, other, dialect).expect("two records")
}

proptest! {
    #![proptest_config(cases(3000, 6))]

    #[test]
    fn the_order_of_the_copies_does_not_matter(a in copy(), b in copy(), dialect in dialect()) {
        prop_assert_eq!(join(&a, &b, dialect), join(&b, &a, dialect));
    }

    #[test]
    fn a_copy_joined_with_itself_is_itself(a in copy(), dialect in dialect()) {
        prop_assert_eq!(join(&a, &a, dialect), a);
    }

    #[test]
    fn joining_again_changes_nothing(a in copy(), b in copy(), dialect in dialect()) {
        let joined = join(&a, &b, dialect);
        prop_assert_eq!(&join(&joined, &joined, dialect), &joined);
        prop_assert_eq!(&join(&joined, &a, dialect), &joined, "with {}", a);
        prop_assert_eq!(&join(&joined, &b, dialect), &joined, "with {}", b);
    }

    #[test]
    fn nothing_of_either_copy_is_lost(a in copy(), b in copy(), dialect in dialect()) {
        let joined = join(&a, &b, dialect);
        let result = issue(&joined);
        prop_assert_eq!(&result.id, "t");
        for (copy, other) in [(&a, &b), (&b, &a)] {
            let part = issue(copy);
            prop_assert!(set(&part.labels).is_subset(&set(&result.labels)), "labels of {} in {}", copy, joined);
            let edges = |issue: &Issue| set(issue.dependencies.iter().map(|d| (d.target.clone(), d.kind.clone())));
            prop_assert!(edges(&part).is_subset(&edges(&result)), "dependencies of {} in {}", copy, joined);
            prop_assert!(remarks(copy).is_subset(&remarks(&joined)), "comments of {} in {}", copy, joined);
            for key in ["labels", "dependencies", "comments"] {
                let kind_of_list = |raw: &str| raw == "null" || raw.starts_with('[');
                let odd = raw(copy, key).filter(|raw| !kind_of_list(raw));
                prop_assert!(odd.is_none_or(|odd| raw(&joined, key).unwrap().contains(&odd)), "{} of {}", key, copy);
                let odd = |line: &str| -> Vec<String> {
                    let raw = raw(line, key).unwrap_or_default();
                    let spans = json::elements(&raw).unwrap_or_default();
                    spans.into_iter().map(|span| raw[span].to_owned()).filter(|e| e == "7" || e == "\"odd\"").collect()
                };
                prop_assert!(odd(copy).iter().all(|element| odd(&joined).contains(element)), "{} of {}", key, copy);
            }
            for key in TEXTS {
                let text = Record::parse(copy).unwrap().text_of(key).map(|text| text.into_owned());
                prop_assert!(text.is_none_or(|text| is_told(&joined, key, &text)), "{} of {} in {}", key, copy, joined);
            }
            for (key, value) in Record::parse(copy).unwrap().iter() {
                let kept = raw(&joined, &key);
                prop_assert!(kept.is_some(), "{} of {} in {}", key, copy, joined);
                let alone = raw(other, &key).is_none_or(|theirs| theirs == value || theirs == "null");
                if alone && key != "comments" {
                    prop_assert_eq!(kept.as_deref(), Some(value), "{} of {} in {}", key, copy, joined);
                }
            }
        }
    }

    #[test]
    fn every_clone_repairs_copies_to_the_same_line(copies in vec(copy(), 2..5), turn in 1usize..4) {
        let repaired = |copies: &[String]| -> Vec<String> {
            let repair = Document::new(copies.join("\n").into_bytes()).repair();
            let texts = repair.edits.into_iter().filter_map(|edit| match edit {
                Edit::Set { text, .. } => Some(text),
                _ => None,
            });
            texts.collect()
        };
        let mut other = copies.clone();
        other.rotate_left(turn % copies.len());
        other.swap(0, 1);
        prop_assert_eq!(repaired(&copies).len(), 1);
        prop_assert_eq!(repaired(&copies), repaired(&other));
    }
}
