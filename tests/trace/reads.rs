//! F63: a command that reads opens nothing in the repo for writing, takes no lock and starts no program.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::sandbox::{Sandbox, describe};
use crate::strace::{self, Call};

/// Calls that change what a path leads to. None of them has a place in a read.
const CHANGES: [&str; 22] = [
    "chmod",
    "chown",
    "creat",
    "fallocate",
    "fchmod",
    "fchmodat",
    "fchown",
    "fchownat",
    "flock",
    "fsync",
    "ftruncate",
    "link",
    "linkat",
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "symlinkat",
    "truncate",
    "unlink",
    "unlinkat",
];

#[test]
fn reads_change_nothing_and_start_nothing() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(50);
    let (first, second) = (sandbox.add("First"), sandbox.add("Second"));
    sandbox.ok(&["dep", "add", &second, &first]);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "seed"]);
    let before = listing(&sandbox.repo());
    let commands: [&[&str]; 14] = [
        &["list"],
        &["list", "--json"],
        &["show", &first],
        &["ready"],
        &["ready", "--json"],
        &["blocked"],
        &["search", "First"],
        &["stats"],
        &["query", "status:open"],
        &["count"],
        &["where"],
        &["dep", "tree", &second],
        &["why", &second],
        &["export"],
    ];
    for args in commands {
        // Without BD_ACTOR: who acts is then found out otherwise, but never by starting a program.
        let trace = strace::run(&sandbox, &["-E".into(), "BD_ACTOR".into()], args);
        assert!(trace.output.status.success(), "bd {}: {}", args.join(" "), describe(&trace.output));
        assert!(!trace.output.stdout.is_empty());
        for call in &trace.calls {
            assert!(is_allowed(call, &sandbox.repo()), "bd {}: {}", args.join(" "), call.text());
        }
        assert_eq!(listing(&sandbox.repo()), before, "bd {} changed files", args.join(" "));
    }
    println!("reads: {} commands, 0 files opened for writing, 0 locks, 0 processes", commands.len());
}

fn is_allowed(call: &Call, repo: &Path) -> bool {
    let inside = call.args.contains(repo.to_str().unwrap());
    match call.name.as_str() {
        "open" | "openat" | "openat2" => {
            let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE", "O_APPEND"];
            !(inside && writes.iter().any(|flag| call.args.contains(flag)))
        }
        "fcntl" => !call.args.contains("F_SETLK") && !call.args.contains("F_OFD_SETLK"),
        "write" | "pwrite64" | "writev" => !inside || call.speaks(),
        name => !CHANGES.contains(&name) && !call.starts_process(),
    }
}

/// Every file with its size and time.
fn listing(dir: &Path) -> Vec<(PathBuf, u64, SystemTime)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        if meta.is_dir() {
            found.extend(listing(&path));
        }
        found.push((path, meta.len(), meta.modified().unwrap()));
    }
    found.sort();
    found
}
