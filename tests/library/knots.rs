//! Graphs that no person makes: what is ready is worked out in a time that grows with the ledger, not with its square.

use beads::internal::store::{ReadyFilter, Store};
use rustix::time::{ClockId, clock_gettime};

use crate::library::scratch::Scratch;

/// Issues in a circle, each of which waits for the next and is its child.
fn circle(count: usize) -> Scratch {
    let line = |n: usize| {
        let next = (n + 1) % count;
        format!(
            "{{\"id\":\"bd-{n:05}\",\"title\":\"T\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\",\"dependencies\":[{{\"issue_id\":\"bd-{n:05}\",\"depends_on_id\":\"bd-{next:05}\",\"type\":\"blocks\"}},{{\"issue_id\":\"bd-{n:05}\",\"depends_on_id\":\"bd-{next:05}\",\"type\":\"parent-child\"}}]}}\n"
        )
    };
    Scratch::with((0..count).map(line).collect::<String>())
}

/// Time that this thread alone has used, the least of several attempts: what else the machine does is not in it.
fn effort(scratch: &Scratch, ask: impl Fn(&mut Store)) -> i64 {
    let used = || {
        let at = clock_gettime(ClockId::ThreadCPUTime);
        at.tv_sec * 1_000_000_000 + at.tv_nsec
    };
    let attempt = || {
        let mut store = scratch.open();
        let before = used();
        ask(&mut store);
        used() - before
    };
    (0..3).map(|_| attempt()).min().unwrap_or_default()
}

#[test]
fn a_circle_of_blockers_and_parents_costs_what_its_size_says() {
    let (small, large) = (circle(250), circle(1000));
    let ready = |store: &mut Store| {
        assert_eq!(store.ready(&ReadyFilter::default()).expect("an answer").total, 0);
    };
    let blocked = |store: &mut Store| {
        store.blocked(&beads::internal::model::query::Expr::ALL, None).expect("an answer");
    };
    for (what, ratio) in [
        ("ready", effort(&large, ready) / effort(&small, ready).max(1)),
        ("blocked", effort(&large, blocked) / effort(&small, blocked).max(1)),
    ] {
        // Four times the issues; the square of it is sixteen.
        assert!(ratio < 10, "{what}: {ratio} times");
    }
}
