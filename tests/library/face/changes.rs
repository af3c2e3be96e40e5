//! Reopening, deleting, deferring and undoing, and updates that expect a version.

use std::fs;
use std::time::{Duration, SystemTime};

use beads::{ErrorKind, NewIssue, Query, Store, Update};

use super::{open, refused, with};

const LONG: Duration = Duration::from_secs(3600);

fn status(store: &Store, id: &str) -> String {
    store.get(id).unwrap().unwrap().status().to_owned()
}

#[test]
fn closed_and_deleted_issues_come_back() {
    let scratch = with(&["t-1", "t-2"]);
    let store = open(&scratch);
    let ann = store.agent("ann").unwrap();
    store.close("t-1", "").unwrap();
    let back = ann.reopen("t-1", "it fails again").unwrap();
    assert_eq!(back.status(), "open");
    let comment = &back.comments()[0];
    assert_eq!((comment.author.as_str(), comment.text.as_str()), ("ann", "it fails again"));
    let deleted = ann.delete("t-2", "filed twice").unwrap();
    assert!(deleted.is_done());
    assert_eq!(store.list(&Query::new()).unwrap().total(), 1);
    assert_eq!(refused(store.update("t-2", &Update::new().priority(0))).0, ErrorKind::NotFound);
    assert_eq!(store.reopen("t-2", "").unwrap().status(), "open");
    assert_eq!(store.list(&Query::new()).unwrap().total(), 2);
    assert_eq!(refused(store.reopen("t-9", "")).0, ErrorKind::NotFound);
    assert_eq!(refused(store.delete("t-9", "")).0, ErrorKind::NotFound);
}

/// Another agent neither deletes, defers nor reopens a claimed issue; its holder may delete it, and the claim ends.
#[test]
fn a_claimed_issue_belongs_to_its_holder() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let (ann, bob) = (store.agent("ann").unwrap(), store.agent("bob").unwrap());
    let mut lease = ann.claim("t-1", LONG).unwrap();
    let before = fs::read(scratch.ledger()).unwrap();
    for error in [bob.delete("t-1", "").unwrap_err(), bob.defer("t-1", None).unwrap_err()] {
        assert_eq!(
            (error.kind(), error.code(), error.holder()),
            (ErrorKind::Claimed, "claimed", Some("ann")),
            "{error}"
        );
        assert_eq!(error.retry_after(), None, "{error}");
    }
    assert_eq!(fs::read(scratch.ledger()).unwrap(), before);
    ann.delete("t-1", "").unwrap();
    assert_eq!(status(&store, "t-1"), "tombstone");
    assert!(store.leases().unwrap().is_empty());
    let (kind, text) = refused(lease.update(&Update::new().priority(0)));
    assert_eq!(kind, ErrorKind::Stale, "{text}");
}

#[test]
fn a_deferred_issue_comes_back_in_time() {
    let scratch = with(&["t-1", "t-2"]);
    let store = open(&scratch);
    let later = SystemTime::UNIX_EPOCH + Duration::from_secs(4_000_000_000);
    let deferred = store.defer("t-1", Some(later)).unwrap();
    assert_eq!((deferred.status(), deferred.defer_until()), ("deferred", Some(later)));
    let ann = store.agent("ann").unwrap();
    assert_eq!(ann.defer("t-2", None).unwrap().defer_until(), None);
    assert_eq!(store.ready(&Query::new()).unwrap().total(), 0);
    let open = Update::new().status("open");
    assert_eq!(store.update("t-1", &open).unwrap().defer_until(), None);
    ann.update("t-2", &open).unwrap();
    assert_eq!(store.ready(&Query::new()).unwrap().total(), 2);
    store.close("t-1", "").unwrap();
    assert_eq!(refused(store.defer("t-1", None)).0, ErrorKind::Refused);
    assert_eq!(refused(store.defer("t-9", None)).0, ErrorKind::NotFound);
}

#[test]
fn each_actor_undoes_its_own_writes() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let ann = store.agent("ann").unwrap();
    assert_eq!(refused(ann.undo(1)).0, ErrorKind::NotFound, "nothing is written yet");
    ann.update("t-1", &Update::new().priority(0)).unwrap();
    let filed = store.create(NewIssue::titled("new")).unwrap();
    assert_eq!(ann.undo(1).unwrap(), ["t-1"]);
    assert_eq!(store.get("t-1").unwrap().unwrap().priority(), 2);
    assert_eq!(store.undo(1).unwrap(), [filed.id().clone()]);
    assert_eq!(store.get(filed.id()).unwrap(), None);
    store.undo(1).unwrap();
    assert!(store.get(filed.id()).unwrap().is_some(), "the undo was the last write");
    assert_eq!(refused(store.undo(9)).0, ErrorKind::NotFound);
    assert_eq!(refused(store.undo(0)).0, ErrorKind::Invalid);
}

/// Where another has changed the same field since, nothing is undone.
#[test]
fn an_undo_that_would_overwrite_others_is_refused() {
    let scratch = with(&["t-1", "t-2"]);
    let store = open(&scratch);
    let ann = store.agent("ann").unwrap();
    ann.update("t-1", &Update::new().title("by ann").add_label("deep")).unwrap();
    store.update("t-1", &Update::new().title("by tester")).unwrap();
    let before = fs::read(scratch.ledger()).unwrap();
    let error = ann.undo(1).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Refused, "conflict"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("nothing was changed")), "{error}");
    assert_eq!(fs::read(scratch.ledger()).unwrap(), before);
}

#[test]
fn an_update_can_expect_a_version() {
    // Finer than `bd` writes times itself.
    let line = "{\"id\":\"t-1\",\"title\":\"t\",\"status\":\"open\",\"priority\":2,\"updated_at\":\"2026-01-05T09:00:00.123456789+01:00\"}\n";
    let scratch = crate::library::scratch::Scratch::with(line);
    let store = open(&scratch);
    let seen = store.get("t-1").unwrap().unwrap();
    let known = seen.updated_at().unwrap();
    let mine = Update::new().priority(1).if_updated_at(known);
    let changed = store.update("t-1", &mine).unwrap();
    assert_eq!(changed.priority(), 1);
    let before = fs::read(scratch.ledger()).unwrap();
    let late = Update::new().title("late").if_updated_at(known);
    let mut lease_of_ann = store.agent("ann").unwrap().claim("t-1", LONG).unwrap();
    for error in [store.update("t-1", &late).unwrap_err(), lease_of_ann.update(&late).unwrap_err()] {
        assert_eq!((error.kind(), error.code()), (ErrorKind::Refused, "changed"), "{error}");
        assert!(error.hint().is_some_and(|hint| hint.contains("read the issue again")), "{error}");
    }
    assert_ne!(fs::read(scratch.ledger()).unwrap(), before, "the claim is in the ledger");
    let now = lease_of_ann.issue().updated_at().unwrap();
    lease_of_ann.update(&Update::new().title("in time").if_updated_at(now)).unwrap();
    assert_eq!(store.get("t-1").unwrap().unwrap().title(), "in time");
}

/// Of several threads that have read the same version, one changes it.
#[test]
fn one_of_several_updates_of_a_version_wins() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let known = store.update("t-1", &Update::new().priority(3)).unwrap().updated_at().unwrap();
    let write =
        |n: usize| store.update("t-1", &Update::new().add_label(format!("by-{n}")).if_updated_at(known)).is_ok();
    let won = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|n| scope.spawn(move || write(n))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).filter(|won| *won).count()
    });
    assert_eq!(won, 1);
    assert_eq!(store.get("t-1").unwrap().unwrap().labels().len(), 1);
}
