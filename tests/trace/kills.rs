//! SIGKILL at every single call of a write. The ledger is the old or the new one, complete; after a reported success it
//! is the new one; the next write works at once and leaves nothing behind.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;

use crate::concurrency::sandbox::{Issues, Sandbox, describe};
use crate::support::effort::is_full;
use crate::trace::faults::{inject, worded};
use crate::trace::strace;

const SIGKILL: i32 = 9;

#[test]
fn a_kill_at_any_call_leaves_the_old_or_the_new_ledger() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::on_disk().filled(20);
    let id = sandbox.add("First");
    let commands: &[&[&str]] = if is_full() {
        &[&["add", "WORD"], &["note", &id, "WORD"], &["comment", &id, "WORD"], &["close", &id, "--reason", "WORD"]]
    } else {
        &[&["add", "WORD"]]
    };
    let (mut kills, mut old, mut new, mut orphans) = (0, 0, 0, 0);
    for command in commands {
        let plain = strace::run(&sandbox, &[], &worded(command, "plain"));
        let flock = plain.calls.iter().position(|call| call.name == "flock").unwrap();
        let from = if is_full() { plain.first_look(&sandbox) } else { flock };
        for call in plain.calls[from..].iter().filter(|call| !call.is_of_memory()) {
            let word = format!("word-{kills}-end");
            let before = fs::read(sandbox.ledger()).unwrap();
            let trace = strace::run(&sandbox, &inject(call, "signal=KILL"), &worded(command, &word));
            let at = format!("bd {}, killed at {}: {}", command.join(" "), call.text(), describe(&trace.output));
            assert_eq!(trace.output.status.signal(), Some(SIGKILL), "{at}");
            let after = fs::read(sandbox.ledger()).unwrap();
            let issues = Issues::parse(&after).unwrap_or_else(|problem| panic!("{at}: {problem}"));
            let written = String::from_utf8_lossy(&after).contains(&word);
            assert!(written || after == before, "{at}: neither the old nor the new ledger");
            assert!(written || trace.output.stdout.is_empty(), "{at}: success without the write");
            assert!(issues.ids().len() >= Issues::parse(&before).unwrap().ids().len(), "{at}: issues were lost");
            orphans += usize::from(!sandbox.leftovers().is_empty());
            let missed =
                |output: std::process::Output| String::from_utf8_lossy(&output.stderr).contains("acknowledged");
            assert!(!missed(sandbox.run(&["list"])), "{at}: nothing was removed");
            sandbox.ok(&["note", &id, "the next write"]);
            assert!(!missed(sandbox.run(&["list"])), "{at}: nothing was removed, and the journal goes on");
            assert_eq!(sandbox.leftovers(), [""; 0], "{at}");
            kills += 1;
            if written { new += 1 } else { old += 1 }
        }
    }
    println!(
        "kills, call by call: {kills} kills in {} commands, {old} left the old ledger, {new} the new one, 0 anything else; \
         {orphans} orphan temporary files, all gone after the next write",
        commands.len()
    );
    assert!(old > 0 && new > 0);
}
