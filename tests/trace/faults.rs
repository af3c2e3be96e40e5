//! Any one call of a write fails. Then the command fails and the ledger is unchanged, or the call did not matter and
//! the write is done; the ledger is never torn and no output is wrong.

use std::collections::BTreeMap;
use std::fs;

use crate::concurrency::sandbox::{Issues, Sandbox, created, describe};
use crate::support::effort::is_full;
use crate::trace::order::in_order;
use crate::trace::strace::{self, Call, Trace};

const ERRORS: [&str; 5] = ["ENOSPC", "EIO", "EDQUOT", "EACCES", "EROFS"];
const CALLS: [&str; 15] = [
    "open",
    "openat",
    "read",
    "write",
    "writev",
    "utimensat",
    "fsync",
    "linkat",
    "renameat2",
    "unlinkat",
    "fchmod",
    "flock",
    "close",
    "fstat",
    "newfstatat",
];

#[test]
fn a_failed_call_leaves_the_old_ledger_or_did_not_matter() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::on_disk().filled(20);
    let id = sandbox.add("First");
    let commands: &[&[&str]] = if is_full() {
        &[&["add", "WORD"], &["note", &id, "WORD"], &["comment", &id, "WORD"], &["label", "add", &id, "WORD"]]
    } else {
        &[&["add", "WORD"]]
    };
    let errors = if is_full() { &ERRORS[..] } else { &ERRORS[..2] };
    let mut tally: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut cases, mut problems) = (0, Vec::new());
    for command in commands {
        let plain = strace::run(&sandbox, &[], &worded(command, "plain"));
        // Before the lock only the loader and the search for the ledger are at work: the short form leaves them out.
        let from = if is_full() { 0 } else { plain.calls.iter().position(|call| call.name == "flock").unwrap() };
        for call in plain.calls[from..].iter().filter(|call| CALLS.contains(&call.name.as_str())) {
            for error in errors {
                cases += 1;
                let word = format!("word-{cases}-end");
                match judge(&sandbox, call, &format!("error={error}"), &worded(command, &word), &word) {
                    Ok(fate) => *tally.entry(fate).or_default() += 1,
                    Err(problem) => problems.push(format!("{} with {error} in {}: {problem}", command[0], call.text())),
                }
            }
        }
    }
    println!("faults: {cases} cases in {} commands: {tally:?}", commands.len());
    let first = problems.iter().take(12).cloned().collect::<Vec<_>>().join("\n");
    assert!(problems.is_empty(), "{} problems, the first of them:\n{first}", problems.len());
}

#[test]
fn an_interrupted_call_is_made_again() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::on_disk().filled(20);
    // The first write makes the state home, too.
    sandbox.add("First");
    let plain = strace::run(&sandbox, &[], &["add", "plain"]);
    let from = plain.first_look(&sandbox);
    let (mut cases, mut problems) = (0, Vec::new());
    for call in plain.calls[from..].iter().filter(|call| CALLS.contains(&call.name.as_str())) {
        cases += 1;
        let word = format!("word-{cases}-end");
        match judge(&sandbox, call, "error=EINTR", &["add", &word], &word) {
            Ok("did not matter") => {}
            Ok(fate) => problems.push(format!("{}: {fate}", call.text())),
            Err(problem) => problems.push(format!("{}: {problem}", call.text())),
        }
    }
    println!("interrupts: success in {} of {cases} cases of EINTR", cases - problems.len());
    assert!(problems.is_empty(), "not made again:\n{}", problems.join("\n"));
}

#[test]
fn a_file_system_that_cannot_swap_or_hide_files_will_do() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::on_disk().filled(20);
    // The first write makes the state home; all that follow make the same calls.
    sandbox.ok(&["add", "first"]);
    let plain = strace::run(&sandbox, &[], &["add", "plain"]);
    let hidden = plain.calls.iter().find(|call| call.args.contains("O_TMPFILE")).expect("an unnamed temporary file");
    let options =
        [inject(hidden, "error=EOPNOTSUPP"), vec!["-e".into(), "inject=renameat2:error=EINVAL".into()]].concat();
    let trace = strace::run(&sandbox, &options, &["add", "Plain file system"]);
    let id = created(&trace.output.stdout).unwrap_or_else(|| panic!("{}", describe(&trace.output)));
    assert!(sandbox.issues().ids().contains(&id.as_str()));
    assert_eq!(sandbox.leftovers(), [""; 0]);
    in_order(&trace).unwrap();
}

#[test]
fn without_locks_nothing_is_written() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::on_disk().filled(20);
    let before = fs::read(sandbox.ledger()).unwrap();
    for error in ["ENOLCK", "ENOSYS", "EOPNOTSUPP", "EBADF"] {
        let options = ["-e".to_owned(), format!("inject=flock:error={error}")];
        let trace = strace::run(&sandbox, &options, &["add", "Unlocked"]);
        assert!(!trace.output.status.success(), "{error}: {}", describe(&trace.output));
        assert!(fs::read(sandbox.ledger()).unwrap() == before, "{error}: the ledger was written without a lock");
    }
}

pub fn worded<'a>(command: &[&'a str], word: &'a str) -> Vec<&'a str> {
    command.iter().map(|arg| if *arg == "WORD" { word } else { arg }).collect()
}

pub fn inject(call: &Call, what: &str) -> Vec<String> {
    vec!["-e".into(), format!("inject={}:{what}:when={}", call.name, call.nth)]
}

/// Runs a command with one fault and says what became of it, or what is wrong with that.
fn judge(sandbox: &Sandbox, call: &Call, what: &str, args: &[&str], word: &str) -> Result<&'static str, String> {
    let before = fs::read(sandbox.ledger()).unwrap();
    let Trace { output, calls } = strace::run(sandbox, &inject(call, what), args);
    let after = fs::read(sandbox.ledger()).unwrap();
    let hit = calls.iter().find(|call| call.was_injected()).ok_or("the call was not made")?;
    let told = || describe(&output);
    let complaint = String::from_utf8_lossy(&output.stderr);
    if output.status.code().is_none_or(|code| code == 101) || complaint.contains("panicked") {
        return Err(format!("panic: {}", told()));
    }
    Issues::parse(&after).map_err(|problem| format!("torn: {problem}"))?;
    let present = String::from_utf8_lossy(&after).contains(word);
    let left: Vec<String> = sandbox.leftovers().into_iter().filter(|_| hit.name != "unlinkat").collect();
    if !left.is_empty() {
        return Err(format!("left behind: {left:?}; {}", told()));
    }
    match (output.status.success(), present) {
        (true, true) => Ok("did not matter"),
        (true, false) => Err(format!("success without the write: {}", told())),
        (false, _) if output.stdout.ends_with(b"\n") => Err(format!("success line and a failure: {}", told())),
        (false, false) if after == before => Ok("failed, nothing changed"),
        (false, false) => Err(format!("failed, but something else changed: {}", told())),
        // The file is replaced but the directory may not be on disk, or the output cannot be written.
        (false, true) if hit.syncs_directory() && complaint.contains("not known to be on disk") => {
            Ok("written, not known durable, failed")
        }
        (false, true) if hit.speaks() => Ok("written, could not say so, failed"),
        (false, true) => Err(format!("failed although it had written: {}", told())),
    }
}
