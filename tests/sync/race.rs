//! Several clones that sync at the same moment: all but one lose the race for the push, and try again.

use std::sync::Barrier;
use std::thread;

use serde_json::Value;

use crate::support::effort::pick;
use crate::support::programs::have;
use crate::sync::world::{Way, World, by_id};

const CLONES: usize = 4;

#[test]
fn everybody_pushes_at_once() {
    if !have(&["git"]) {
        return;
    }
    let rounds = pick(3, 6, 30);
    let world = World::new();
    let desks = world.clones(&[Way::Git; CLONES]);
    let (mut made, mut retries) = (Vec::new(), 0);
    let mut tried = 0;
    // Until some of them met: who comes first is the machine's affair.
    while tried < rounds || (retries == 0 && tried < rounds * 20) {
        let round = tried;
        tried += 1;
        for desk in &desks {
            let said = desk.ok(&["add", &format!("{} {round}", desk.name)]);
            made.push(said.trim().rsplit(' ').next().unwrap().to_owned());
        }
        let barrier = Barrier::new(CLONES);
        let reports: Vec<Value> = thread::scope(|scope| {
            let run = |desk| {
                barrier.wait();
                crate::sync::world::Desk::sync(desk)
            };
            let threads: Vec<_> = desks.iter().map(|desk| scope.spawn(move || run(desk))).collect();
            threads.into_iter().map(|thread| thread.join().expect("every sync ends well")).collect()
        });
        for report in &reports {
            assert_eq!(report["pushed"], true, "{report}");
            retries += report["retries"].as_u64().unwrap();
        }
        let server = desks[0].sh("git fetch -q; git show origin/main:.beads/beads.jsonl");
        let lines = by_id(server.as_bytes());
        let lost: Vec<&String> = made.iter().filter(|id| !lines.contains_key(*id)).collect();
        assert!(lost.is_empty(), "round {round}: pushed and not on the server: {lost:?}");
    }
    assert!(retries > 0, "no sync met another one");
    desks.iter().for_each(|desk| drop(desk.sync()));
    for desk in &desks {
        assert_eq!((desk.bytes() == desks[0].bytes(), desk.dirty().as_str()), (true, ""), "{}", desk.name);
    }
    println!(
        "race: {tried} rounds x {CLONES} clones at once: {} of {} pushed, {retries} retries, 0 of {} issues lost",
        tried * CLONES,
        tried * CLONES,
        made.len()
    );
}
