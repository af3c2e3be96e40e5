//! Agents, and what they hold.

use std::time::{Duration, Instant};

use beads::internal::store::Scope;
use beads::{Agent, ErrorKind, Lease, NewIssue, Query, Store, Update};

use super::{builder, open, refused, with};

const LONG: Duration = Duration::from_secs(3600);

fn agent(store: &Store, name: &str) -> Agent {
    store.agent(name).expect("an agent")
}

fn next(agent: &Agent, ttl: Duration) -> Option<Lease> {
    agent.claim_next(&Query::new(), ttl).expect("a claim, or none")
}

/// Waits until a condition holds, which it does at last.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A handle per agent, several on one store; each write and claim has the name of the handle that made it.
#[test]
fn several_agents_on_one_store_are_told_apart() {
    let scratch = with(&["t-1", "t-2", "t-3"]);
    let store = open(&scratch);
    let (ann, bob) = (agent(&store, "ann"), agent(&store, "bob"));
    let first = ann.claim("t-1", LONG).unwrap();
    let second = bob.claim("t-2", LONG).unwrap();
    let third = ann.claim("t-3", LONG).unwrap();
    let holder = |lease: &Lease| store.get(lease.issue().id()).unwrap().unwrap().assignee().map(str::to_owned);
    assert_eq!([&first, &second, &third].map(holder), ["ann", "bob", "ann"].map(|name| Some(name.to_owned())));
    let filed =
        [ann.create(NewIssue::titled("a")), bob.create(NewIssue::titled("b")), store.create(NewIssue::titled("c"))];
    let by = filed.map(|issue| issue.unwrap().created_by().map(str::to_owned).unwrap());
    assert_eq!(by, ["ann", "bob", "tester"]);
    // The same name is the same agent, also from another handle and another clone of the store.
    let again = store.clone().agent("ann").unwrap();
    assert_eq!(again.claim("t-1", LONG).unwrap().epoch(), first.epoch());
}

/// One way to claim. Another's claim has one kind of error whichever call meets it, an expired claim is taken back by
/// either call, and there is no claim without a lease.
#[test]
fn there_is_one_way_to_claim() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let (ann, bob) = (agent(&store, "ann"), agent(&store, "bob"));
    let mut held = next(&ann, LONG).expect("the only issue");
    assert!(next(&bob, LONG).is_none());
    assert_eq!(refused(bob.claim("t-1", LONG)).0, ErrorKind::Claimed);
    assert_eq!(refused(bob.update("t-1", &Update::new().priority(0))).0, ErrorKind::Claimed);
    // The same claim, now a short one, ends by itself.
    assert_eq!(ann.claim("t-1", Duration::from_millis(1)).unwrap().epoch(), held.epoch());
    let mut taken = None;
    until("the claim of ann never ended", || {
        taken = next(&bob, LONG);
        taken.is_some()
    });
    let mut taken = taken.unwrap();
    assert!(taken.epoch() > held.epoch() && taken.attempts() == 1, "{taken:?}");
    let (kind, text) = refused(held.close("too late"));
    assert_eq!(kind, ErrorKind::Stale, "{text}");
    assert_eq!(store.get("t-1").unwrap().unwrap().status(), "in_progress");
    taken.close("done").unwrap();
}

/// The number of a claim is checked by every call of a lease, also against the same agent's own later claim.
#[test]
fn a_lease_is_checked_by_its_number() {
    let scratch = with(&["t-1", "t-2"]);
    let store = open(&scratch);
    let ann = agent(&store, "ann");
    let mut early = ann.claim("t-1", Duration::from_millis(1)).unwrap();
    until("the claim never ended", || early.renew().is_err());
    let later = ann.claim("t-1", LONG).unwrap();
    assert!(later.epoch() > early.epoch());
    assert_eq!(refused(early.renew()).0, ErrorKind::Stale);
    assert_eq!(refused(early.update(&Update::new().priority(0))).0, ErrorKind::Stale);
    assert_eq!(refused(early.fail("too late")).0, ErrorKind::Stale);
    let before = later.expires_at().unwrap();
    let mut later = later;
    later.renew().unwrap();
    assert!(later.expires_at().unwrap() >= before);
    later.update(&Update::new().priority(0)).unwrap();
    assert_eq!(later.issue().priority(), 0);
    later.fail("no network").unwrap();
    let issue = store.get("t-1").unwrap().unwrap();
    assert_eq!((issue.status(), issue.assignee()), ("open", None));
    let again = ann.claim("t-1", LONG).unwrap();
    assert!(again.attempts() >= 1);
    again.release("for bob").unwrap();
    assert_eq!(store.get("t-1").unwrap().unwrap().comments()[0].text, "Released: for bob");
}

/// Many threads on one store: each issue is done once.
#[test]
fn threads_share_a_store() {
    let ids: Vec<String> = (0..40).map(|n| format!("t-{n}")).collect();
    let scratch = with(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    let store = open(&scratch);
    let work = |n: usize| {
        let agent = agent(&store, &format!("agent-{n}"));
        let mut done = Vec::new();
        while let Some(mut lease) = next(&agent, LONG) {
            done.push(lease.issue().id().to_string());
            lease.close("done").expect("a close");
        }
        done
    };
    let mut done: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|n| scope.spawn(move || work(n))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    done.sort();
    let mut expected = ids;
    expected.sort();
    assert_eq!(done, expected);
    assert_eq!(store.counts().unwrap().closed, 40);
}

/// A call that fails takes no lease with it: it is repeated when its cause is gone.
#[test]
fn a_lease_outlives_a_close_that_failed() {
    let scratch = with(&["t-1"]);
    let store = builder(&scratch).lock_wait(Duration::ZERO).open().unwrap();
    let mut lease = store.agent("ann").unwrap().claim("t-1", LONG).unwrap();
    let mut other = scratch.open();
    let held = other.begin(Scope::All).unwrap();
    assert_eq!(lease.close("done").unwrap_err().kind(), ErrorKind::Busy);
    assert_eq!(lease.fail("why").unwrap_err().kind(), ErrorKind::Busy);
    assert_eq!(lease.release("").unwrap_err().kind(), ErrorKind::Busy);
    drop(held);
    assert_eq!(lease.close("done").unwrap().status(), "closed");
    assert_eq!(lease.issue().status(), "closed");
    assert_eq!(lease.close("again").unwrap_err().kind(), ErrorKind::Stale, "it is over");
}
