//! Proves that a write keeps a ledger's other attributes besides its bytes, and refuses where it could not.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use beads::internal::ledger::LedgerError;
use beads::internal::model::change::NewIssue;
use beads::internal::store::{Store, StoreError};

use crate::library::scratch::{Scratch, options};

const LEDGER: &str = "{\"id\":\"t-1\",\"title\":\"one\"}\n";

fn create(scratch: &Scratch) -> Result<(), StoreError> {
    Store::open_with(options(scratch.root(), scratch.root()))?.create(NewIssue::titled("new")).map(drop)
}

#[test]
fn the_mode_stays() {
    for mode in [0o664, 0o600, 0o640, 0o644] {
        let scratch = Scratch::with(LEDGER);
        fs::set_permissions(scratch.ledger(), fs::Permissions::from_mode(mode)).unwrap();
        let group = fs::metadata(scratch.ledger()).unwrap().gid();
        create(&scratch).unwrap();
        let meta = fs::metadata(scratch.ledger()).unwrap();
        assert_eq!((meta.mode() & 0o7777, meta.gid(), meta.nlink()), (mode, group, 1), "{mode:o}");
        assert_eq!(fs::read_to_string(scratch.ledger()).unwrap().lines().count(), 2);
    }
}

#[test]
fn a_link_inside_is_refused() {
    let scratch = Scratch::with(LEDGER);
    let target = scratch.root().join("data/real.jsonl");
    fs::create_dir(scratch.root().join("data")).unwrap();
    fs::rename(scratch.ledger(), &target).unwrap();
    symlink("../data/real.jsonl", scratch.ledger()).unwrap();
    let refused = create(&scratch);
    assert!(matches!(refused, Err(StoreError::Ledger(LedgerError::Linked { .. }))), "{refused:?}");
    assert_eq!(fs::read_to_string(&target).unwrap(), LEDGER);
    let names = |dir: &std::path::Path| fs::read_dir(dir).unwrap().count();
    assert_eq!((names(&scratch.beads()), names(&scratch.root().join("data"))), (1, 1), "nothing is left behind");
}

#[test]
fn a_link_that_leads_outside_is_refused() {
    let scratch = Scratch::with(LEDGER);
    let elsewhere = crate::support::place::in_memory("elsewhere");
    let target = elsewhere.path().join("theirs.jsonl");
    fs::write(&target, LEDGER).unwrap();
    fs::remove_file(scratch.ledger()).unwrap();
    symlink(&target, scratch.ledger()).unwrap();
    let refused = create(&scratch);
    assert!(matches!(refused, Err(StoreError::Ledger(LedgerError::Linked { .. }))), "{refused:?}");
    assert_eq!(fs::read_to_string(&target).unwrap(), LEDGER);
    assert_eq!(fs::read_link(scratch.ledger()).unwrap(), target);
}

/// A store that is open already must not be led outside by a link that takes the ledger's place.
#[test]
fn a_link_that_comes_later_is_not_followed_outside() {
    let scratch = Scratch::with(LEDGER);
    let elsewhere = crate::support::place::in_memory("elsewhere");
    let target = elsewhere.path().join("theirs.jsonl");
    fs::write(&target, "{\"id\":\"t-secret\",\"title\":\"theirs\"}\n").unwrap();
    let mut store = scratch.open();
    store.refresh().unwrap();
    fs::remove_file(scratch.ledger()).unwrap();
    symlink(&target, scratch.ledger()).unwrap();
    assert!(store.create(NewIssue::titled("new")).is_err());
    assert!(store.get("t-secret").is_err(), "nothing outside is read");
    assert_eq!(fs::read_to_string(&target).unwrap(), "{\"id\":\"t-secret\",\"title\":\"theirs\"}\n");
}

#[test]
fn a_file_with_two_names_is_read_but_not_written() {
    let scratch = Scratch::with(LEDGER);
    let other = scratch.root().join("second-name.jsonl");
    fs::hard_link(scratch.ledger(), &other).unwrap();
    let refused = create(&scratch);
    assert!(matches!(refused, Err(StoreError::Ledger(LedgerError::HardLinks { links: 2, .. }))), "{refused:?}");
    assert!(scratch.open().get("t-1").unwrap().is_some());
    assert_eq!(fs::read_to_string(scratch.ledger()).unwrap(), LEDGER);
    let ino = |path: &std::path::Path| fs::metadata(path).unwrap().ino();
    assert_eq!(ino(&scratch.ledger()), ino(&other));
    assert_eq!(fs::read_dir(scratch.beads()).unwrap().count(), 1, "no temporary file stays");
}
