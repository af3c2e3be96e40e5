//! Proves that each transaction of a store that stays open is a write of its own, and that a caller can make several one.

use beads::internal::model::change::{Change, NewIssue};
use beads::internal::model::issue::Priority;
use beads::internal::store::{Store, StoreError, UndoAction};

use crate::library::scratch::Scratch;

fn priorities(store: &Store, ids: &[String]) -> Vec<i64> {
    ids.iter().map(|id| store.get(id).unwrap().unwrap().issue.priority.number()).collect()
}

fn raise(store: &mut Store, id: &str) {
    store.update(id, vec![Change::Priority(Priority::in_file(0))]).unwrap();
}

#[test]
fn each_transaction_is_a_write() {
    let scratch = Scratch::with("");
    let mut store = scratch.open();
    let ids: Vec<String> = ["One", "Two"].map(|title| store.create(NewIssue::titled(title)).unwrap().id).into();
    raise(&mut store, &ids[0]);
    raise(&mut store, &ids[1]);
    let undo = store.undo(1, false).unwrap();
    assert_eq!((undo.writes.len(), undo.issues.len()), (1, 1));
    assert_eq!((undo.issues[0].action, &undo.issues[0].id), (UndoAction::Reverted, &ids[1]));
    assert_eq!(priorities(&store, &ids), [0, 2]);
    store.undo(1, false).unwrap();
    assert_eq!(priorities(&store, &ids), [0, 0], "the undo was the last write");
}

#[test]
fn a_caller_can_make_several_transactions_one_write() {
    let scratch = Scratch::with("");
    let mut store = scratch.open();
    let ids: Vec<String> = ["One", "Two"].map(|title| store.create(NewIssue::titled(title)).unwrap().id).into();
    let mut other = scratch.open();
    other.write_as_one("tidy");
    raise(&mut other, &ids[0]);
    raise(&mut other, &ids[1]);
    let undo = store.undo(1, true).unwrap();
    assert_eq!((undo.writes[0].command.as_str(), undo.issues.len()), ("tidy", 2));
    assert_eq!(priorities(&store, &ids), [0, 0], "a look changes nothing");
    store.undo(1, false).unwrap();
    assert_eq!(priorities(&store, &ids), [2, 2]);
    let error = store.undo(9, false).unwrap_err();
    assert!(matches!(error, StoreError::NothingToUndo { known: 4, count: 9, .. }), "{error:?}");
}
