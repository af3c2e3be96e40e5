//! A watch is an iterator of batches that can be stopped and continued.

use std::sync::mpsc;

use beads::{Event, EventKind, NewIssue, Position, Query, Update, Watch, WatchOptions};

use super::{open, with};

/// The kinds of events about an issue.
fn kinds(events: &[Event], id: &str) -> Vec<EventKind> {
    let about = events.iter().filter(|event| event.issue.as_ref().is_some_and(|issue| issue.as_str() == id));
    about.map(|event| event.kind).collect()
}

/// Takes batches until exactly this was reported about an issue.
fn until(watch: &mut Watch, id: &str, expected: &[EventKind]) -> Vec<Event> {
    let mut found = Vec::new();
    while expected.iter().any(|kind| !kinds(&found, id).contains(kind)) {
        found.extend(watch.next().expect("more"));
    }
    assert_eq!(kinds(&found, id).len(), expected.len(), "{found:?}");
    found
}

#[test]
fn a_watch_is_an_iterator_of_batches() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let mut watch = store.watch(WatchOptions::new()).unwrap();
    let first = watch.next().unwrap();
    assert_eq!(kinds(&first, "t-1"), [EventKind::Ready]);
    assert!(first.iter().all(|event| event.is_initial));
    // The store is free while the watch lives.
    let new = store.create(NewIssue::titled("new")).unwrap();
    until(&mut watch, new.id().as_str(), &[EventKind::Created, EventKind::Ready]);
    store.update("t-1", &Update::new().priority(0)).unwrap();
    let events = until(&mut watch, "t-1", &[EventKind::Updated]);
    assert_eq!((events.len(), &events[0].fields), (1, &vec!["priority".to_owned()]));
}

#[test]
fn another_thread_can_end_it() {
    let scratch = with(&["t-1"]);
    let mut watch = open(&scratch).watch(WatchOptions::new()).unwrap();
    let stopper = watch.stopper();
    let (tell, told) = mpsc::channel();
    let waiter = std::thread::spawn(move || {
        watch.next().unwrap();
        tell.send(()).unwrap();
        watch.next()
    });
    told.recv().unwrap();
    stopper.stop();
    assert_eq!(waiter.join().unwrap(), None);
    stopper.clone().stop();
}

#[test]
fn a_later_watch_goes_on_where_one_was() {
    let scratch = with(&["t-1", "t-2", "t-3", "t-4"]);
    let store = open(&scratch);
    let mut lease = store.agent("ann").unwrap().claim("t-4", std::time::Duration::from_secs(3600)).unwrap();
    let mut watch = store.watch(WatchOptions::new()).unwrap();
    watch.next().unwrap();
    let kept = watch.since().to_string();
    drop(watch);
    // Without a watch.
    store.close("t-1", "done").unwrap();
    store.update("t-2", &Update::new().title("another")).unwrap();
    let new = store.create(NewIssue::titled("new")).unwrap();
    lease.close("done").unwrap();
    let claimed = store.agent("bob").unwrap().claim("t-3", std::time::Duration::from_secs(3600)).unwrap();
    let mut watch = store.watch(WatchOptions::new().since(kept.parse().unwrap())).unwrap();
    let first = watch.next().unwrap();
    assert!(first.iter().all(|event| !event.is_initial), "{first:?}");
    assert_eq!(kinds(&first, "t-1"), [EventKind::Closed, EventKind::Unready]);
    assert_eq!(kinds(&first, "t-2"), [EventKind::Updated]);
    assert_eq!(kinds(&first, new.id().as_str()), [EventKind::Created, EventKind::Ready]);
    assert_eq!(kinds(&first, "t-3"), [EventKind::Updated, EventKind::Unready, EventKind::Claimed]);
    assert_eq!(kinds(&first, "t-4"), [EventKind::Closed, EventKind::Released]);
    let holder = first.iter().find(|event| event.kind == EventKind::Claimed).unwrap();
    assert_eq!((holder.holder.as_deref(), holder.epoch), (Some("bob"), Some(claimed.epoch())));
    // And from there nothing has happened.
    let again: Position = watch.since().to_string().parse().unwrap();
    assert_eq!(store.watch(WatchOptions::new().since(again)).unwrap().next().unwrap(), []);
    assert_eq!(store.ready(&Query::new()).unwrap().total(), 2);
}
