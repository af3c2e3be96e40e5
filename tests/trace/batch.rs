//! A batch costs the disk what one command costs: each ledger is locked, written and synced once.

use std::fs;

use crate::concurrency::sandbox::{Sandbox, describe};
use crate::support::effort::pick;
use crate::trace::order::in_order;
use crate::trace::strace::{self, Call, Trace};

#[test]
fn many_changes_sync_as_often_as_one() {
    if strace::is_missing() {
        return;
    }
    let lines = pick(200, 1000, 1000);
    let sandbox = Sandbox::on_disk().filled(20);
    let id = sandbox.add("First");
    // The additional work of a checkout's first write is over.
    let one = traced(&sandbox, &["update", &id, "--priority", "1"]);
    let each = |n: usize| match n % 4 {
        0 => format!("{{\"op\":\"add\",\"title\":\"New {n}\"}}\n"),
        1 => format!("{{\"op\":\"note\",\"id\":\"${n}\",\"text\":\"more\"}}\n"),
        2 => format!("{{\"op\":\"dep add\",\"id\":\"${}\",\"depends_on\":\"{id}\"}}\n", n - 1),
        _ => format!("{{\"op\":\"close\",\"id\":\"${}\",\"force\":true}}\n", n - 2),
    };
    fs::write(sandbox.repo().join("batch.jsonl"), (0..lines).map(each).collect::<String>()).unwrap();
    let many = traced(&sandbox, &["batch", "batch.jsonl"]);
    let count = |trace: &Trace, of: fn(&Call) -> bool| trace.calls.iter().filter(|call| of(call)).count();
    let syncs = |trace: &Trace| count(trace, |call| call.name == "fsync" || call.name == "fdatasync");
    let locks = |trace: &Trace| count(trace, |call| call.name == "flock" && call.args.contains("LOCK_EX"));
    let renames = |trace: &Trace| count(trace, |call| call.name.starts_with("rename") && call.mentions("beads.jsonl"));
    assert_eq!((syncs(&many), renames(&many)), (syncs(&one), renames(&one)));
    assert!(locks(&many) <= locks(&one), "{} locks, {} for one", locks(&many), locks(&one));
    in_order(&many).unwrap();
    let (all, single) = (many.calls.len(), one.calls.len());
    assert!(all * 20 <= single * lines, "{all} system calls for {lines} lines, {single} for one command");
    println!(
        "batch: {lines} changes, {} syncs, {all} system calls; one command {} and {single}",
        syncs(&many),
        syncs(&one)
    );
}

fn traced(sandbox: &Sandbox, args: &[&str]) -> Trace {
    let trace = strace::run(sandbox, &["-E".into(), "BD_ACTOR".into()], args);
    assert!(trace.output.status.success(), "bd {}: {}", args.join(" "), describe(&trace.output));
    trace
}
