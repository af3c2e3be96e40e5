//! Errors of few kinds, with their sources.

use std::error::Error as _;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use beads::internal::store::Scope;
use beads::{ErrorKind, NewIssue, Query, Store};

use super::{builder, open, refused, with};

#[test]
fn a_busy_lock_can_be_tried_again() {
    let scratch = with(&["t-1"]);
    let store = builder(&scratch).lock_wait(Duration::ZERO).open().unwrap();
    let mut other = scratch.open();
    let held = other.begin(Scope::All).unwrap();
    let error = store.create(NewIssue::titled("x")).unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Busy, true), "{error}");
    assert_eq!((error.code(), error.retry_after()), ("busy", Some(Duration::from_secs(1))), "{error}");
    // Reading goes on.
    assert_eq!(store.ready(&Query::new()).unwrap().total(), 1);
    drop(held);
    store.create(NewIssue::titled("x")).unwrap();
}

#[test]
fn each_failure_has_its_kind_and_its_source() {
    let empty = crate::support::place::in_memory("nothing");
    let error = Store::open(empty.path()).unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::NoProject, false), "{error}");
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    assert_eq!(refused(store.history("t-1")).0, ErrorKind::Unsupported);
    std::fs::write(scratch.ledger(), "{\"id\":\"t-1\",\"title\":\"cut o").unwrap();
    assert_eq!(refused(store.create(NewIssue::titled("x"))).0, ErrorKind::Damaged);
    assert!(!store.warnings().is_empty());
    let text = "not a position".parse::<beads::Position>();
    assert_eq!(refused(text).0, ErrorKind::Invalid);
    // A file that the system does not let us read: its own error is the source. Root may read everything.
    scratch.swap_in(super::line("t-1"));
    std::fs::set_permissions(scratch.ledger(), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(scratch.ledger()).is_err() {
        let error = open(&scratch).ready(&Query::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        let source = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
        assert_eq!(source.map(std::io::Error::kind), Some(std::io::ErrorKind::PermissionDenied));
    }
}

/// Facts about a failure are values, so a program need not search the text.
#[test]
fn who_stands_in_the_way_is_a_value() {
    let scratch = with(&["t-1"]);
    let waiting = "{\"id\":\"t-2\",\"title\":\"t\",\"status\":\"open\",\"dependencies\":[{\"depends_on_id\":\"t-1\",\"type\":\"blocks\"}]}\n";
    scratch.swap_in(super::line("t-1") + waiting);
    let store = open(&scratch);
    let lease = store.agent("ann").unwrap().claim("t-1", Duration::from_secs(3600)).unwrap();
    let error = store.agent("bob").unwrap().claim("t-1", Duration::from_secs(60)).unwrap_err();
    assert_eq!((error.kind(), error.holder()), (ErrorKind::Claimed, Some("ann")), "{error}");
    // As the error tells it, in milliseconds.
    let apart = lease.expires_at().unwrap().duration_since(error.expires_at().unwrap()).unwrap();
    assert!(apart < Duration::from_millis(1), "{apart:?}");
    assert!(error.hint().is_some(), "{error}");
    let error = store.close("t-2", "").unwrap_err();
    assert_eq!((error.kind(), error.blockers()), (ErrorKind::Refused, &["t-1".to_owned()][..]), "{error}");
    assert_eq!((error.holder(), error.expires_at()), (None, None));
}

/// While a write waits for a lock, questions are answered.
#[test]
fn reading_waits_for_no_write() {
    let scratch = with(&["t-1"]);
    let store = builder(&scratch).lock_wait(Duration::from_secs(600)).open().unwrap();
    let mut other = scratch.open();
    let held = other.begin(Scope::All).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| store.create(NewIssue::titled("x")).unwrap());
        // Wherever the writer is by now, it cannot be at its end.
        for _ in 0..20 {
            assert_eq!(store.ready(&Query::new()).unwrap().total(), 1);
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!writer.is_finished());
        drop(held);
        writer.join().unwrap();
    });
    assert_eq!(store.ready(&Query::new()).unwrap().total(), 2);
}
