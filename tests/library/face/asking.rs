//! Asking again and again.

use std::time::{Duration, Instant, SystemTime};

use beads::{Generation, IssueId, NewIssue, Query, Store, Update};

use super::{builder, line, open, with};
use crate::library::scratch::Scratch;

const LONG: Duration = Duration::from_secs(3600);

/// What programs hold can be shared and sent; checked by the compiler.
const fn can_be_shared<T: Send + Sync + Clone>() {}
const fn can_be_sent<T: Send>() {}
const _: () = {
    can_be_shared::<Store>();
    can_be_shared::<beads::Agent>();
    can_be_shared::<beads::Issue>();
    can_be_shared::<beads::IssueId>();
    can_be_shared::<beads::Stopper>();
    can_be_sent::<beads::Lease>();
    can_be_sent::<beads::Batch>();
    can_be_sent::<beads::Watch>();
    can_be_sent::<beads::Error>();
};

/// Polls until the generation is another one.
fn until_news(store: &Store, known: Generation) -> Generation {
    let start = Instant::now();
    loop {
        let now = store.poll().expect("a poll");
        if now != known {
            return now;
        }
        assert!(start.elapsed() < Duration::from_secs(120), "nothing came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// An answer about unchanged files is the same as before; a change is in the next one. `trace::poll` counts system calls.
#[test]
fn an_answer_is_the_same_as_long_as_nothing_changes() {
    let scratch = Scratch::with((0..10_000).map(|n| line(&format!("t-{n:05}"))).collect::<String>());
    let store = open(&scratch);
    let query = Query::new().limit(20);
    // Past the time in which a stamp of a file proves nothing.
    std::thread::sleep(Duration::from_millis(150));
    let first = store.ready(&query).unwrap();
    assert_eq!((first.len(), first.total()), (20, 10_000));
    let generation = store.poll().unwrap();
    for _ in 0..100 {
        assert_eq!(store.ready(&query).unwrap(), first);
    }
    assert_eq!(store.clone().ready(&query).unwrap(), first);
    assert_eq!(store.poll().unwrap(), generation);
    store.agent("ann").unwrap().update("t-00003", &Update::new().priority(0)).unwrap();
    let second = store.ready(&query).unwrap();
    assert_eq!((second[0].id().as_str(), second.total()), ("t-00003", 10_000));
    assert_ne!(store.poll().unwrap(), generation);
    assert_eq!(store.counts().unwrap().ready, 10_000);
    assert_eq!(store.ready(&Query::new().matching("priority=0")).unwrap().total(), 1);
}

/// One generation covers ledgers, claims, their expiry, and dates.
#[test]
fn whatever_changes_an_answer_is_a_new_generation() {
    let scratch = with(&["t-1", "t-2"]);
    let store = open(&scratch);
    let ready = |store: &Store| store.ready(&Query::new()).unwrap().total();
    let mut known = store.poll().unwrap();
    assert_eq!((ready(&store), store.poll().unwrap()), (2, known));
    // A claim.
    let ann = builder(&scratch).open().unwrap().agent("ann").unwrap();
    let lease = ann.claim("t-1", LONG).unwrap();
    known = until_news(&store, known);
    assert_eq!(ready(&store), 1);
    // Its end: the same claim, now a short one, is over by itself.
    let short = ann.claim("t-1", Duration::from_millis(1)).unwrap();
    assert_eq!(short.epoch(), lease.epoch());
    known = until_news(&store, known);
    // Another program writes the ledger.
    scratch.swap_in([line("t-1"), line("t-2"), line("t-3")].concat());
    until_news(&store, known);
    assert_eq!(store.get("t-3").unwrap().unwrap().title(), "the title of t-3");
    // A date comes, and nothing else happens. On a slow machine it may have come before it was looked at; then it says nothing.
    let is_ready = |id: &IssueId| store.ready(&Query::new()).unwrap().iter().any(|issue| issue.id() == id);
    let mut wait = Duration::from_millis(200);
    loop {
        let soon = SystemTime::now() + wait;
        let id = store.create(NewIssue::titled("later").defer_until(soon)).unwrap().id().clone();
        let (known, was_ready) = (store.poll().unwrap(), is_ready(&id));
        if SystemTime::now() >= soon {
            wait *= 2;
            continue;
        }
        assert!(!was_ready);
        until_news(&store, known);
        assert!(is_ready(&id));
        break;
    }
}

/// Times are the standard library's, and an issue says all that its line says.
#[test]
fn an_issue_is_plain_values() {
    let store_of = with(&["t-1"]);
    let store = open(&store_of);
    let due = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000);
    let new = NewIssue::titled("Fix the parser").kind("bug").priority(1).label("parser").parent("t-1").due(due);
    let id = store.create(new.description("it fails").estimate(Duration::from_secs(5400))).unwrap().id().clone();
    let issue = store.get(&id).unwrap().unwrap();
    assert_eq!((issue.title(), issue.kind(), issue.priority(), issue.status()), ("Fix the parser", "bug", 1, "open"));
    assert_eq!((issue.due_at(), issue.estimate()), (Some(due), Some(Duration::from_secs(5400))));
    assert_eq!((issue.labels(), issue.parent().unwrap().as_str()), (["parser".to_owned()].as_slice(), "t-1"));
    assert_eq!((issue.description(), issue.created_by(), issue.repo()), (Some("it fails"), Some("tester"), "."));
    assert!(issue.json().contains("\"due_at\":\"2033-05-18T03:33:20.000Z\""), "{}", issue.json());
    assert!(issue.created_at().unwrap() <= SystemTime::now());
    assert_eq!(store.get("no-such").unwrap(), None);
    assert_eq!(store.resolve(&id.as_str()[..id.as_str().len() - 2]).unwrap(), id);
    let blocked = store.update("t-1", &Update::new().depends_on(store.create(NewIssue::titled("first")).unwrap().id()));
    blocked.unwrap();
    let waiting = store.blocked(&Query::new()).unwrap();
    assert!(waiting.iter().any(|one| one.issue.id().as_str() == "t-1" && one.blockers.len() == 1), "{waiting:?}");
    assert_eq!(store.list(&Query::new().kind("bug")).unwrap().total(), 1);
    let lease = store.agent("ann").unwrap().claim(&id, LONG).unwrap();
    assert!(lease.expires_at().unwrap() > SystemTime::now());
}
