//! Proves that what people type finds the issue they mean, and that the short form shown to them is the shortest.
//!
//! The model asks the four rules of `docs/format.md` section 6 one after the other, each over all ids.

use std::collections::BTreeSet;

use beads::internal::model::id::{PrefixIndex, Resolved, hash_of, resolve};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::cases;

/// Ids of every style, from so few characters that hashes often start alike or are equal.
fn id() -> impl Strategy<Value = String> {
    let prefix = select(vec!["bd", "b", "bd-x", "my proj", "Ü", "a.b"]);
    let hash = prop_oneof![
        5 => "[ab1]{1,4}",
        2 => "[0-9]{1,2}",
        1 => "[ab]{1,2}\\.[12](\\.1)?",
        1 => "[éb]{1,3}",
    ];
    prop_oneof![
        9 => (prefix, hash.clone()).prop_map(|(prefix, hash)| format!("{prefix}-{hash}")),
        1 => hash,
        1 => select(vec!["bd", "b", "bd-x", "a-", "-", "x-bd"]).prop_map(str::to_owned),
    ]
}

/// The text behind the last dash, found from the front.
fn hash(id: &str) -> &str {
    id.split('-').next_back().unwrap_or(id)
}

fn model(typed: &str, ids: &[String]) -> Resolved {
    by_rules(4, typed, ids)
}

/// The same by so many of the rules.
fn by_rules(count: usize, typed: &str, ids: &[String]) -> Resolved {
    let ids: BTreeSet<&String> = ids.iter().collect();
    // What goes on with a dot is the child of what was typed.
    let begins = |whole: &str| whole.starts_with(typed) && whole.as_bytes().get(typed.len()) != Some(&b'.');
    let rules: [&dyn Fn(&str) -> bool; 4] =
        [&|id| id == typed, &|id| hash(id) == typed, &|id| begins(hash(id)), &|id| begins(id)];
    for rule in &rules[..count] {
        let found: Vec<String> = ids.iter().filter(|id| rule(id)).map(|id| id.to_string()).collect();
        match found.as_slice() {
            _ if typed.is_empty() => {}
            [] => {}
            [one] => return Resolved::One(one.clone()),
            _ => return Resolved::Many(found),
        }
    }
    Resolved::None
}

fn ask(typed: &str, ids: &[String]) -> Resolved {
    resolve(typed, ids.iter().map(String::as_str))
}

/// Every beginning of a text, the empty one and the whole one included.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).map(|at| &text[..at])
}

proptest! {
    #![proptest_config(cases(3000, 3))]

    #[test]
    fn a_typed_text_means_what_the_rules_say(ids in vec(id(), 0..12), typed in "[ab1.]{0,3}|bd?-?[ab1]?|[éÜ]", pick in any::<Index>()) {
        prop_assert_eq!(ask(&typed, &ids), model(&typed, &ids));
        if !ids.is_empty() {
            let id = pick.get(&ids);
            for typed in beginnings(id).chain(beginnings(hash(id))) {
                prop_assert_eq!(ask(typed, &ids), model(typed, &ids), "{:?}", typed);
            }
            prop_assert_eq!(ask(id, &ids), Resolved::One(id.clone()), "a whole id names its issue");
        }
    }

    #[test]
    fn the_shortest_form_is_enough_and_no_shorter_one_is(ids in vec(id(), 1..14)) {
        let index = PrefixIndex::new(ids.iter().map(String::as_str));
        for id in &ids {
            prop_assert_eq!(hash_of(id), hash(id));
            let alone = Resolved::One(id.clone());
            // That a prefix begins like the hash is chance.
            let shortest = beginnings(hash(id)).find(|typed| by_rules(3, typed, &ids) == alone);
            // Only a text that the whole hash does not settle has no short form.
            let clash = ids.iter().any(|other| other != id && hash(other) == hash(id));
            let expected = shortest.map(str::len).filter(|_| !clash);
            prop_assert_eq!(index.shortest(id), expected, "{} among {:?}", id, &ids);
        }
    }
}
