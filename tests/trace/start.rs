//! The cost of a command before its actual work: instructions up to its answer, and file system calls.
//!
//! Instructions are counted by callgrind and do not depend on the load of the machine. The bounds hold in every
//! profile, the unoptimised one of `cargo test` included; the release build needs about half.

use crate::concurrency::sandbox::{Sandbox, describe};
use crate::support::programs::have;
use crate::support::user::BD;
use crate::trace::strace;

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
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", BD]).args(args);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(exit), "bd {}: {}", args.join(" "), describe(&output));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let count = text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    count.unwrap_or_else(|| panic!("callgrind counts: {text}"))
}

/// The start of the repository, its settings, claims, other checkouts: each is looked up once or twice, not again by
/// each caller.
#[test]
fn a_command_makes_few_system_calls() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(50);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "seed"]);
    sandbox.ok(&["add", "the state home is there"]);
    let reads = [&["show", "s-00007"][..], &["list"], &["ready"], &["ready", "--json"]].map(|args| (args, 300));
    let writes = [&["add", "one more"][..], &["update", "s-00007", "--priority", "1"], &["close", "s-00007"]];
    for (args, most) in reads.into_iter().chain(writes.map(|args| (args, 450))) {
        let trace = strace::run(&sandbox, &[], args);
        assert!(trace.output.status.success(), "bd {}: {}", args.join(" "), describe(&trace.output));
        println!("start: bd {}: {} system calls", args.join(" "), trace.calls.len());
        assert!(trace.calls.len() <= most, "bd {}: {} system calls", args.join(" "), trace.calls.len());
    }
}
