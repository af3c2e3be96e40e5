//! What a command costs before it does anything: instructions up to its answer, and looks at files.
//!
//! Instructions are counted by callgrind and do not depend on how busy the machine is. The bounds hold in every profile, the
//! unoptimised one of `cargo test` included; the release build needs about half.

use std::collections::BTreeMap;

use crate::concurrency::sandbox::{Sandbox, describe};
use crate::support::programs::have;
use crate::trace::strace::{self, Call};

/// All arguments of all commands take sixteen million to build.
const VERSION: u64 = 4_000_000;
/// The flags of one command, and looking for a repo that is not there.
const COMMAND: u64 = 8_000_000;

#[test]
fn only_the_arguments_of_the_named_command_are_built() {
    if !have(&["valgrind"]) {
        return;
    }
    let sandbox = Sandbox::new();
    let version = instructions(&sandbox, &["--version"], 0);
    assert!(version < VERSION, "bd --version: {version} instructions");
    for command in ["show x", "list", "ready", "update x --priority 1", "create x", "close x"] {
        // No repo: it goes no further than its arguments.
        let args: Vec<&str> = ["-C", "/", "--json"].into_iter().chain(command.split(' ')).collect();
        let found = instructions(&sandbox, &args, 9);
        assert!(found < COMMAND, "bd {command}: {found} instructions, {version} for --version");
        println!("start: {found} instructions for {command}");
    }
    println!("start: {version} instructions for --version");
}

/// So many instructions until a command ends with this exit code.
fn instructions(sandbox: &Sandbox, args: &[&str], exit: i32) -> u64 {
    let mut command = sandbox.program("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", env!("CARGO_BIN_EXE_bd")]).args(args);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(exit), "bd {}: {}", args.join(" "), describe(&output));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    count.unwrap_or_else(|| panic!("callgrind counts: {text}"))
}

/// What is not there is looked for once: where the repository begins, its settings, claims, other checkouts.
#[test]
fn what_is_missing_is_looked_for_once() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(50);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "seed"]);
    for (args, most) in [(&["show", "s-00007"][..], 40), (&["list"], 40), (&["ready"], 45), (&["ready", "--json"], 45)]
    {
        looks_for_what_is_missing(&sandbox, args, 1, most);
    }
}

/// A write looks once while the project is opened, while it finds out who files, before the lock, with it, and when it has written.
#[test]
fn what_is_missing_is_looked_for_again_with_the_lock() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(50);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "seed"]);
    sandbox.ok(&["add", "the state home is there"]);
    for args in [&["add", "one more"][..], &["update", "s-00007", "--priority", "1"], &["close", "s-00007"]] {
        looks_for_what_is_missing(&sandbox, args, 5, 100);
    }
}

/// A command looks at most so often at the same place for something that is not there, and at most so often in all.
fn looks_for_what_is_missing(sandbox: &Sandbox, args: &[&str], again: usize, most: usize) {
    let trace = strace::run(sandbox, &[], args);
    assert!(trace.output.status.success(), "bd {}: {}", args.join(" "), describe(&trace.output));
    let looks = trace.calls[trace.first_look(sandbox)..].iter().filter(|call| !call.succeeded());
    let mut missing: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for call in looks {
        missing.entry(looked_at(call).unwrap_or_else(|| call.name.clone())).or_default().push(call.text());
    }
    let failed = missing.values().map(Vec::len).sum::<usize>();
    assert!(failed <= most, "bd {}: {failed} calls failed: {missing:#?}", args.join(" "));
    missing.retain(|path, calls| path.starts_with('/') && calls.len() > again);
    assert!(missing.is_empty(), "bd {} looked again: {missing:#?}", args.join(" "));
    println!("start: bd {}: {} system calls, {failed} failed", args.join(" "), trace.calls.len());
}

/// The path that a call is about: named whole, or from a directory that is open.
fn looked_at(call: &Call) -> Option<String> {
    let name = call.args.split('"').nth(1)?;
    match call.args.split_once("</") {
        Some((before, rest)) if !name.starts_with('/') && !before.contains('"') => {
            Some(format!("/{}/{name}", rest.split_once('>')?.0))
        }
        _ => Some(name.to_owned()),
    }
}
