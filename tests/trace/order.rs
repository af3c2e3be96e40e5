//! The order of a write: lock, read, new file, its sync, rename, sync of the directory, and only then the
//! acknowledgement.

use std::fs;

use crate::concurrency::sandbox::{Sandbox, describe};
use crate::support::effort::pick;
use crate::trace::strace::{self, Call, Trace};

#[test]
fn success_is_said_after_the_disk_has_it() {
    if strace::is_missing() {
        return;
    }
    let mut checked = 0;
    for _ in 0..pick(1, 1, 4) {
        let sandbox = Sandbox::on_disk().filled(20);
        let ids = ["First", "Second", "Third"].map(|title| sandbox.add(title));
        let [first, second, third] = [0, 1, 2].map(|n| ids[n].as_str());
        let plan = sandbox.repo().join("more.jsonl");
        fs::write(&plan, "{\"id\":\"t-more\",\"title\":\"More\",\"status\":\"open\",\"priority\":1}\n").unwrap();
        let commands: [&[&str]; 18] = [
            &["add", "New"],
            &["add", "New", "--json"],
            &["q", "Quick"],
            &["update", first, "--priority", "1"],
            &["note", first, "a note"],
            &["label", "add", first, "x"],
            &["label", "remove", first, "x"],
            &["comment", first, "a comment"],
            &["dep", "add", second, first],
            &["dep", "remove", second, first],
            &["work", first],
            &["status", first, "blocked"],
            &["close", first, second],
            &["reopen", first],
            &["defer", first],
            &["undefer", first],
            &["delete", "--yes", third],
            &["import", "more.jsonl"],
        ];
        for args in commands {
            let before = fs::read(sandbox.ledger()).unwrap();
            let trace = strace::run(&sandbox, &["-E".into(), "BD_ACTOR".into()], args);
            assert!(trace.output.status.success(), "bd {}: {}", args.join(" "), describe(&trace.output));
            assert_ne!(fs::read(sandbox.ledger()).unwrap(), before, "bd {} wrote nothing", args.join(" "));
            in_order(&trace).unwrap_or_else(|problem| panic!("bd {}: {problem}", args.join(" ")));
            checked += 1;
        }
    }
    println!(
        "order: lock < read < write < fsync(file) < rename < fsync(directory) < success line in {checked} of {checked} commands"
    );
}

/// The steps of a write, each found where the one before it allows.
pub fn in_order(trace: &Trace) -> Result<(), String> {
    let calls = &trace.calls;
    let last = |what: &str, test: &dyn Fn(&Call) -> bool| {
        calls.iter().rposition(|call| call.succeeded() && test(call)).ok_or_else(|| format!("no {what}"))
    };
    let rename = last("rename", &|call| call.name.starts_with("rename") && call.mentions("\"beads.jsonl\""))?;
    let earlier = |what: &str, test: &dyn Fn(&Call) -> bool| {
        calls[..rename].iter().rposition(|call| call.succeeded() && test(call)).ok_or_else(|| format!("no {what}"))
    };
    let is_temp = |call: &Call| call.args.contains("/.beads/#") || call.args.contains("/.beads/.bd-tmp-");
    let lock = earlier("lock", &|call| call.name == "flock" && call.args.contains("LOCK_EX"))?;
    let read = earlier("read", &|call| call.name == "read" && call.mentions("/.beads/beads.jsonl>"))?;
    let opens = |call: &Call| call.name.starts_with("open") && call.mentions("/.beads>, \"beads.jsonl\"");
    let opened = calls[..read].iter().rposition(|call| call.succeeded() && opens(call)).ok_or("no open")?;
    let write = earlier("write", &|call| call.writes() && is_temp(call))?;
    let synced = earlier("fsync", &|call| call.name == "fsync" && is_temp(call))?;
    let directory = last("fsync of the directory", &Call::syncs_directory)?;
    let spoken = calls.iter().position(Call::speaks).ok_or("no success line")?;
    // The descriptor that is locked: closing it would give the lock away.
    let descriptor = calls[lock].args.split(',').next().unwrap_or_default();
    let held = &calls[lock..directory];
    if let Some(call) = held.iter().find(|call| call.name == "close" && call.args == descriptor) {
        return Err(format!("the lock is given away before the end: {}", call.text()));
    }
    if let Some(call) = calls.iter().find(|call| call.starts_process()) {
        return Err(format!("a process is started: {}", call.text()));
    }
    let steps = [
        ("lock", lock),
        ("open of the ledger", opened),
        ("read", read),
        ("write", write),
        ("fsync of the new file", synced),
        ("rename", rename),
        ("fsync of the directory", directory),
        ("success line", spoken),
    ];
    match steps.windows(2).find(|pair| pair[0].1 >= pair[1].1) {
        Some(pair) => Err(format!("{} comes before {}", pair[1].0, pair[0].0)),
        None => Ok(()),
    }
}
