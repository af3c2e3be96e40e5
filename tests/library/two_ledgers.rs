//! Proves that two ledgers side by side are both shown and neither is written, also when one of them cannot be read for a
//! while.

use std::fs;

use beads::internal::cache::Sort;
use beads::internal::model::change::NewIssue;
use beads::internal::model::query::Expr;
use beads::internal::store::{Store, StoreError};

use crate::library::scratch::Scratch;

fn line(id: &str, title: &str, day: u32) -> String {
    format!("{{\"id\":\"{id}\",\"title\":\"{title}\",\"updated_at\":\"2026-01-{day:02}T00:00:00Z\"}}\n")
}

fn titles(store: &mut Store) -> Vec<String> {
    store.look_again().expect("a look");
    let sort = Sort::by(beads::internal::cache::SortBy::Id);
    let page = store.list(&Expr::ALL, sort, None).expect("a list");
    page.rows.into_iter().map(|row| row.issue.title).collect()
}

#[test]
fn both_are_read_and_neither_is_written() {
    let scratch = Scratch::with(line("t-1", "old", 1) + &line("t-2", "two", 1));
    let second = scratch.beads().join("issues.jsonl");
    let other = line("t-1", "new", 2) + &line("t-3", "three", 1);
    fs::write(&second, &other).unwrap();
    let mut store = scratch.open();
    assert_eq!(titles(&mut store), ["new", "two", "three"], "of two copies the later");
    let refused = store.create(NewIssue::titled("x"));
    assert!(matches!(refused, Err(StoreError::TwoLedgers { .. })), "{refused:?}");
    assert_eq!(fs::read_to_string(&second).unwrap(), other);
}

#[test]
fn a_failure_of_one_does_not_confuse_the_copies_of_the_other() {
    let scratch = Scratch::with(line("t-1", "one", 1));
    let second = scratch.beads().join("issues.jsonl");
    fs::write(&second, line("t-2", "two", 1)).unwrap();
    let mut store = scratch.open();
    assert_eq!(titles(&mut store), ["one", "two"]);
    // The first ledger gets a second copy of an id in the moment in which the second ledger is away.
    scratch.swap_in(line("t-1", "one", 1) + &line("t-1", "one, edited", 2));
    fs::rename(&second, scratch.root().join("away")).unwrap();
    store.look_again().expect("a look");
    let missing = store.list(&Expr::ALL, Sort::default(), None);
    assert!(missing.is_err(), "{missing:?}");
    fs::rename(scratch.root().join("away"), &second).unwrap();
    assert_eq!(titles(&mut store), ["one, edited", "two"]);
    assert_eq!(titles(&mut scratch.open()), ["one, edited", "two"]);
    assert_eq!(store.warnings(), scratch_warnings(&scratch));
}

fn scratch_warnings(scratch: &Scratch) -> Vec<beads::internal::store::Warning> {
    let mut store = scratch.open();
    store.refresh().expect("a refresh");
    store.warnings()
}
