//! SIGKILL at every single call of the command that carries the logs of version 1 over. Whatever the next command finds, it finishes
//! that: every record of the old logs is in the new one, once.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, describe};
use crate::support::effort::is_full;
use crate::support::fixture::state_of_1_7;
use crate::trace::faults::inject;
use crate::trace::strace;

const OLD: [&str; 3] = ["journal.jsonl", "undo.1.jsonl", "undo.jsonl"];

/// How often each record exists, by the write or by the issue and the time, read without any of the code under test.
fn records(path: &Path) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let text = fs::read_to_string(path).unwrap_or_default();
    for line in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap_or_else(|e| panic!("{line}: {e}"))) {
        let name = match (line["write"].as_str(), &line["changes"][0]["id"], &line["id"]) {
            (Some(write), ..) => format!("write {write}"),
            (None, Value::String(id), _) | (None, _, Value::String(id)) => format!("{id} at {}", line["at"]),
            _ => continue,
        };
        *found.entry(name).or_default() += 1;
    }
    found
}

#[test]
fn a_kill_at_any_call_loses_no_record_and_doubles_none() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::on_disk();
    let home = sandbox.repo().join(".git/beads");
    state_of_1_7(&sandbox.repo());
    let old: BTreeMap<String, usize> = OLD.iter().flat_map(|name| records(&home.join(name))).collect();
    assert_eq!((old.len(), old.values().max()), (14, Some(&1)));
    let (mut kills, mut unfinished, mut both) = (0, 0, 0);
    // A write to a ledger, and one to the records alone.
    for command in [&["note", "bd-3", "words"][..], &["mail", "send", "bob", "-m", "words"]] {
        state_of_1_7(&sandbox.repo());
        let plain = strace::run(&sandbox, &[], command);
        assert!(plain.output.status.success(), "{}", describe(&plain.output));
        let is_old = |call: &strace::Call| OLD.iter().any(|name| call.mentions(name));
        let (first, last) = match is_full() {
            true => (plain.calls.iter().position(is_old).unwrap(), plain.calls.len()),
            // From the lock of the log on until the old files are gone, and a little of what follows.
            false => {
                let locks = |call: &strace::Call| call.name == "flock" && call.mentions("/.git/beads>");
                let removes = |call: &strace::Call| call.name == "unlinkat" && is_old(call);
                (plain.calls.iter().position(locks).unwrap(), plain.calls.iter().rposition(removes).unwrap() + 10)
            }
        };
        for call in plain.calls[first..last].iter().filter(|call| !call.is_of_memory()) {
            state_of_1_7(&sandbox.repo());
            let trace = strace::run(&sandbox, &inject(call, "signal=KILL"), command);
            let at = format!("bd {}, killed at {}: {}", command.join(" "), call.text(), describe(&trace.output));
            assert_eq!(trace.output.status.signal(), Some(9), "{at}");
            let is_there = |name: &&&str| home.join(name).exists();
            let left = OLD.iter().filter(is_there).count();
            unfinished += usize::from(left > 0);
            both += usize::from(left > 0 && home.join("writes.jsonl").exists());
            let list = sandbox.run(&["list"]);
            assert!(list.stderr.is_empty(), "{at}: then {}", describe(&list));
            sandbox.ok(&["note", "bd-2", "the next write"]);
            assert_eq!(OLD.iter().filter(is_there).count(), 0, "{at}");
            let new = records(&home.join("writes.jsonl"));
            for (name, count) in &old {
                assert_eq!(new.get(name), Some(count), "{at}: {name}");
            }
            assert!(new.values().all(|count| *count == 1), "{at}: {new:?}");
            let list = sandbox.run(&["list"]);
            assert!(list.stderr.is_empty(), "{at}: then {}", describe(&list));
            kills += 1;
        }
    }
    println!(
        "carried over: {kills} kills, {unfinished} left it unfinished, {both} of them with the lines in both places; \
         every record was there once after the next command"
    );
    assert!(kills > 40 && unfinished > 10 && both > 3 && unfinished < kills);
}
