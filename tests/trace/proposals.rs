//! SIGKILL at every single call of propose, withdraw, accept, reject and reconcile: whatever it leaves, the same command
//! again brings the same end as if nothing had happened, with nothing lost and nothing doubled.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::concurrency::sandbox::{Issues, Sandbox, describe};
use crate::support::effort::{is_full, pick};
use crate::trace::faults::inject;
use crate::trace::strace;

/// The command under test, what comes before it, and who gives it.
struct Case {
    command: &'static [&'static str],
    before: &'static [&'static [&'static str]],
}

const MAX: [&str; 4] = ["--actor", "max", "--config", "routing.role=maintainer"];

const CASES: &[Case] = &[
    Case { command: &["propose", "pl-1"], before: &[] },
    Case { command: &["withdraw", "pl-1"], before: &[&["propose", "pl-1"]] },
    Case { command: &["accept", "pl-1", MAX[0], MAX[1], MAX[2], MAX[3]], before: &[&["propose", "pl-1"]] },
    Case {
        command: &["reject", "pl-1", "--reason", "no", MAX[0], MAX[1], MAX[2], MAX[3]],
        before: &[&["propose", "pl-1"]],
    },
    Case {
        command: &["proposals", "reconcile"],
        before: &[&["propose", "pl-1"], &["accept", "pl-1", MAX[0], MAX[1], MAX[2], MAX[3]]],
    },
    Case {
        command: &["proposals", "reconcile"],
        before: &[&["propose", "pl-1"], &["reject", "pl-1", "--reason", "no", MAX[0], MAX[1], MAX[2], MAX[3]]],
    },
    Case { command: &["propose", "pl-1", "pl-2", "--with-deps"], before: &[] },
    Case { command: &["update", "pl-1", "--title", "Edited in both copies"], before: &[&["propose", "pl-1"]] },
];

fn planning(sandbox: &Sandbox) -> PathBuf {
    sandbox.home().join(".beads-planning/.beads/beads.jsonl")
}

/// Both ledgers without what differs from run to run: times and random ids.
fn ends(sandbox: &Sandbox) -> [Vec<Value>; 2] {
    let plain = |path: &Path| -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        Issues::parse(text.as_bytes()).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
        let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        lines.iter_mut().for_each(forget_times);
        lines
    };
    [plain(&sandbox.ledger()), plain(&planning(sandbox))]
}

fn forget_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for key in ["updated_at", "closed_at", "at", "synced", "created_at"] {
                map.remove(key);
            }
            for (key, inner) in map.iter_mut() {
                let random =
                    key == "id" && (inner.is_number() || inner.as_str().is_some_and(|id| id.starts_with("prop_")));
                if random {
                    *inner = Value::Null;
                }
                forget_times(inner);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forget_times),
        _ => {}
    }
}

fn prepared() -> Sandbox {
    let sandbox = Sandbox::with_issues(3);
    sandbox.ok(&["init", "--contributor"]);
    sandbox.ok(&["config", "set", "commit.planning", "false", "--personal"]);
    sandbox.ok(&["add", "Other plan", "--id", "pl-2", "--notes", "also private"]);
    let more = ["--deps", "pl-2,s-00001", "--notes", "private", "-l", "x", "-d", "text"];
    sandbox.ok(&[&["add", "Plan", "--id", "pl-1"][..], &more].concat());
    sandbox
}

/// The files that a command may change.
fn state(sandbox: &Sandbox) -> [(PathBuf, Vec<u8>); 2] {
    [sandbox.ledger(), planning(sandbox)].map(|path| (path.clone(), fs::read(path).unwrap()))
}

#[test]
fn a_kill_at_any_call_of_a_move_is_made_good_by_repeating_it() {
    if strace::is_missing() {
        return;
    }
    let (mut kills, mut half) = (0, 0);
    let cases = &CASES[..pick(1, 2, CASES.len())];
    for case in cases {
        let sandbox = prepared();
        case.before.iter().for_each(|command| drop(sandbox.ok(command)));
        let start = state(&sandbox);
        let plain = strace::run(&sandbox, &[], case.command);
        assert!(plain.output.status.success(), "{}", describe(&plain.output));
        let expected = ends(&sandbox);
        let whole = state(&sandbox);
        let flock = plain.calls.iter().position(|call| call.name == "flock").unwrap();
        let from = if is_full() { plain.first_look(&sandbox) } else { flock };
        for call in plain.calls[from..].iter().filter(|call| !call.is_of_memory()).step_by(pick(10, 7, 1)) {
            start.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
            let trace = strace::run(&sandbox, &inject(call, "signal=KILL"), case.command);
            let at = format!("bd {}, killed at {}: {}", case.command.join(" "), call.text(), describe(&trace.output));
            kills += 1;
            let left = state(&sandbox);
            let text: String = left.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect();
            for word in ["\"pl-1\"", "\"pl-2\"", "also private", "\"s-00002\""] {
                let retired = word != "also private" && word != "\"s-00002\"";
                assert!(text.contains(word) || retired, "{at}: {word} is gone");
            }
            // Both are changed in the end, and only one of them is by now.
            let both = (0..2).all(|n| whole[n].1 != start[n].1);
            half += usize::from(both && (left[0].1 == start[0].1) != (left[1].1 == start[1].1));
            let again = sandbox.run(case.command);
            assert!(again.status.success(), "{at}: again: {}", describe(&again));
            assert_eq!(ends(&sandbox), expected, "{at}");
            assert_eq!(sandbox.leftovers(), [""; 0], "{at}");
        }
    }
    println!(
        "moves, call by call: {kills} kills in {} commands, {half} of them between the two ledgers; repeating brought the same end each time",
        cases.len()
    );
    assert!(half > 0, "no kill fell between the two ledgers");
}

#[test]
fn a_failure_between_the_two_ledgers_says_what_was_done() {
    if strace::is_missing() {
        return;
    }
    const WRITING: [&str; 6] = ["openat", "write", "writev", "fsync", "linkat", "renameat2"];
    let (mut faults, mut half) = (0, 0);
    for case in &CASES[..pick(2, 4, CASES.len())] {
        let sandbox = prepared();
        case.before.iter().for_each(|command| drop(sandbox.ok(command)));
        let start = state(&sandbox);
        let plain = strace::run(&sandbox, &[], case.command);
        assert!(plain.output.status.success(), "{}", describe(&plain.output));
        let expected = ends(&sandbox);
        let from = plain.calls.iter().position(|call| call.name == "flock").unwrap();
        let calls = plain.calls[from..].iter().filter(|call| WRITING.contains(&call.name.as_str()) && !call.speaks());
        for call in calls.step_by(pick(2, 1, 1)) {
            start.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
            let trace = strace::run(&sandbox, &inject(call, "error=ENOSPC"), case.command);
            let at = format!("bd {}, no room at {}: {}", case.command.join(" "), call.text(), describe(&trace.output));
            faults += 1;
            let changed: Vec<PathBuf> = state(&sandbox)
                .into_iter()
                .zip(&start)
                .filter(|(now, was)| now != *was)
                .map(|(now, _)| now.0)
                .collect();
            let said = String::from_utf8_lossy(&trace.output.stderr);
            if !trace.output.status.success() && !changed.is_empty() {
                assert_eq!(trace.output.status.code(), Some(1), "{at}");
                let below = |path: &PathBuf| path.strip_prefix(sandbox.home()).unwrap_or(path).display().to_string();
                let is_told = said.contains("done in part") && changed.iter().all(|path| said.contains(&below(path)));
                assert!(is_told || said.contains("not known to be on disk"), "{at}");
                half += usize::from(is_told);
            }
            let again = sandbox.run(case.command);
            assert!(again.status.success(), "{at}: again: {}", describe(&again));
            assert_eq!(ends(&sandbox), expected, "{at}");
        }
    }
    println!(
        "moves on a full disk: {faults} faults, {half} of them between the two ledgers, each told; repeating finished it"
    );
    assert!(half > 0, "no fault fell between the two ledgers");
}
