//! Proves which paths lead to a store.

use std::fs;
use std::path::Path;

use beads::internal::cache::Sort;
use beads::internal::model::query::Expr;
use beads::internal::store::{Store, StoreError};

use crate::library::scratch::{Scratch, options};

const LEDGER: &str = "{\"id\":\"t-1\",\"title\":\"one\"}\n";

/// A store can be handed to another thread; checked by the compiler.
const fn can_be_sent<T: Send>() {}
const _: () = can_be_sent::<Store>();

fn open(path: &Path) -> Result<Store, StoreError> {
    for name in ["BEADS_DIR", "BEADS_DB"] {
        assert!(std::env::var_os(name).is_none(), "{name} leads every path to another repo; unset it for this test");
    }
    Store::open(path)
}

fn count(store: Store) -> usize {
    store.list(&Expr::ALL, Sort::default(), None).expect("a list").total
}

#[test]
fn every_path_into_a_project_opens_it() {
    let scratch = Scratch::with(LEDGER);
    let root = scratch.root();
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::write(root.join("src/main.rs"), "").unwrap();
    for path in ["", ".beads", ".beads/vc.db", ".beads/beads.jsonl", "src", "src/deep", "src/main.rs", "src/none.rs"] {
        let store = open(&root.join(path)).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        assert_eq!(
            store.ledger_path(0).unwrap().canonicalize().unwrap(),
            scratch.ledger().canonicalize().unwrap(),
            "{path:?}"
        );
        assert_eq!(count(store), 1, "{path:?}");
    }
}

#[test]
fn a_relative_path_is_seen_from_the_working_directory() {
    let scratch = Scratch::with(LEDGER);
    fs::create_dir(scratch.root().join("src")).unwrap();
    for (path, from) in
        [(".", ""), (".beads", ""), (".beads/vc.db", ""), (".", "src"), ("..", "src"), ("../.beads", "src")]
    {
        let opened = Store::open_with(options(Path::new(path), &scratch.root().join(from)));
        assert_eq!(count(opened.unwrap_or_else(|error| panic!("{path} from {from:?}: {error}"))), 1);
    }
}

#[test]
fn elsewhere_there_is_no_repository() {
    let empty = crate::support::place::in_memory("empty");
    for path in ["", "vc.db", "sub/dir", ".beads", ".beads/vc.db"] {
        match open(&empty.path().join(path)) {
            Err(StoreError::NoRepository { start, beyond: None }) => assert_eq!(start, empty.path().join(path)),
            other => panic!("{path:?}: {other:?}"),
        }
    }
}

#[test]
fn a_store_works_in_the_thread_it_is_sent_to() {
    let scratch = Scratch::with(LEDGER);
    let store = scratch.open();
    assert_eq!(std::thread::spawn(move || count(store)).join().unwrap(), 1);
}

#[test]
fn a_directory_without_a_ledger_is_not_an_empty_project() {
    let scratch = Scratch::with("");
    assert_eq!(count(scratch.open()), 0, "an empty file is a ledger without issues");
    fs::remove_file(scratch.ledger()).unwrap();
    let missing = scratch.open().list(&Expr::ALL, Sort::default(), None);
    assert!(matches!(missing, Err(StoreError::NoLedger { .. })), "{missing:?}");
}
