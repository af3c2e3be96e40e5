//! Proves that a change touches only the keys it is about, whatever else the line holds, and that making it twice is making
//! it once.

use beads::internal::model::change::{self, Change, ChangeError, Stamp};
use beads::internal::model::dependency::DependencyType;
use beads::internal::model::field::Field;
use beads::internal::model::issue::{IssueType, Priority, Status};
use beads::internal::model::record::Record;
use beads::internal::model::time::Instant;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::cases;
use super::json_text::{dialect, object};
use crate::library::scratch::NOW;

const CLOSING: &[&str] =
    &["status", "closed_at", "close_reason", "closed_by_session", "started_at", "defer_until", "issue_type"];
const GRAVE: &[&str] = &["deleted_at", "deleted_by", "delete_reason", "original_type"];

/// A change and the keys that it may touch besides `updated_at` and `field_times`.
fn change() -> impl Strategy<Value = (Change, Vec<&'static str>)> {
    let word = || "[a-c<é]{1,3}";
    let id = || select(vec!["t-1", "t-2"]).prop_map(str::to_owned);
    let kind = || select(vec!["blocks", "parent-child", "odd"]).prop_map(DependencyType::new);
    let status = select(vec!["open", "closed", "in_progress", "deferred", "my_own"]).prop_map(Status::new);
    let date = || option::of((0i64..4_000_000_000_000).prop_map(Instant::from_millis));
    let key = |key: &'static str| move |change: Change| (change, vec![key]);
    let all = |keys: Vec<&'static str>| move |change: Change| (change, keys.clone());
    prop_oneof![
        word().prop_map(Change::Title).prop_map(key("title")),
        word().prop_map(|text| Change::Text(Field::Notes, text)).prop_map(key("notes")),
        Just(Change::Text(Field::Description, String::new())).prop_map(key("description")),
        status.prop_map(Change::Status).prop_map(all(CLOSING.to_vec())),
        option::of(word()).prop_map(|reason| Change::Close { reason }).prop_map(all(CLOSING.to_vec())),
        Just(Change::Reopen { comment: None }).prop_map(all([CLOSING, GRAVE].concat())),
        option::of(word()).prop_map(|reason| Change::Delete { reason }).prop_map(all([&["status"], GRAVE].concat())),
        (0i64..5).prop_map(|n| Change::Priority(Priority::in_file(n))).prop_map(key("priority")),
        select(vec!["bug", "my-type"]).prop_map(|word| Change::Type(IssueType::new(word))).prop_map(key("issue_type")),
        option::of(0i64..99).prop_map(Change::Estimate).prop_map(key("estimated_minutes")),
        date().prop_map(|at| Change::Date(Field::Due, at)).prop_map(key("due_at")),
        date().prop_map(|at| Change::Date(Field::Defer, at)).prop_map(key("defer_until")),
        word().prop_map(Change::AddLabel).prop_map(key("labels")),
        word().prop_map(Change::RemoveLabel).prop_map(key("labels")),
        proptest::collection::vec(word(), 0..3).prop_map(Change::SetLabels).prop_map(key("labels")),
        (id(), kind()).prop_map(|(target, kind)| Change::AddDependency { target, kind }).prop_map(key("dependencies")),
        (id(), option::of(kind()))
            .prop_map(|(target, kind)| Change::RemoveDependency { target, kind })
            .prop_map(key("dependencies")),
        option::of(id()).prop_map(Change::Parent).prop_map(key("dependencies")),
    ]
}

/// Values of the kind that each field has, so that changes meet something to change.
fn fields() -> impl Strategy<Value = Vec<(&'static str, Option<String>)>> {
    let labels = select(vec![r#"["a", "b"]"#, r#"["\u0061",7,"c"]"#, "[]", "null"]);
    let status = select(vec![r#""open""#, r#""closed""#, r#""deferred""#, r#""tombstone""#]);
    let edges = select(vec![
        r#"[{"depends_on_id":"t-1","type":"parent-child","x":1e400}]"#,
        r#"[{"depends_on_id":"t-1"}, 5, {"depends_on_id":"t-2","type":"odd"}]"#,
    ]);
    let some = |raw: &str| Some(raw.to_owned());
    (option::of(labels), option::of(status), option::of(edges), option::of(select(vec!["5", "5.0", "null"]))).prop_map(
        move |(labels, status, edges, estimate)| {
            let fields =
                [("labels", labels), ("status", status), ("dependencies", edges), ("estimated_minutes", estimate)];
            fields.into_iter().filter_map(|(key, raw)| raw.map(|raw| (key, some(raw)))).collect()
        },
    )
}

fn pairs(line: &str) -> Vec<(String, String)> {
    Record::parse(line).expect("a record").iter().map(|(key, raw)| (key.into_owned(), raw.to_owned())).collect()
}

proptest! {
    #![proptest_config(cases(2500, 7))]

    #[test]
    fn a_change_is_about_its_keys_and_is_made_once(
        object in object(), fields in fields(), (change, keys) in change(), dialect in dialect(),
    ) {
        let line = Record::parse(&object.text).unwrap().with(&fields, dialect);
        let now = Instant::parse(NOW).unwrap();
        let stamp = |minutes: i64| Stamp { now: now.plus_nanos(minutes * 60_000_000_000), actor: "a", dialect };
        let changed = match change::apply(&line, std::slice::from_ref(&change), stamp(0)) {
            Ok(changed) => changed,
            Err(refusal) => {
                // A field with an odd value cannot be extended, and a deleted issue can be restored in only one way.
                let known = matches!(refusal, ChangeError::Deleted(_) | ChangeError::OddValue { .. } | ChangeError::Done { .. });
                prop_assert!(known, "{}", refusal);
                return Ok(());
            }
        };
        let Some(text) = changed else { return Ok(()) };
        let others = |line: &str| -> Vec<(String, String)> {
            let named = |key: &str| ["updated_at", "field_times"].contains(&key) || keys.contains(&key);
            pairs(line).into_iter().filter(|(key, _)| !named(key)).collect()
        };
        prop_assert_eq!(others(&text), others(&line), "{:?}", change);
        let again = change::apply(&text, std::slice::from_ref(&change), stamp(5));
        let settled = matches!(&again, Ok(None)) || matches!(&again, Err(ChangeError::Deleted(_)));
        prop_assert!(settled, "{:?} twice: {} then {:?}", change, text, again);
    }
}
