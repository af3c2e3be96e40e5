//! A command that reads opens nothing in the repo for writing, takes no lock and starts no program.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::concurrency::sandbox::{Sandbox, describe};
use crate::trace::strace::{self, Call};

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
    let checked = read_all(&sandbox, &first, &second);
    println!("reads: {checked} commands, 0 files opened for writing, 0 locks, 0 processes");
}

#[test]
fn reads_over_several_repos_change_nothing_and_start_nothing() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(20);
    let others = sandbox.join(&["repos-one", "repos-two"]);
    for (n, ledger) in others.iter().enumerate() {
        // A copy of one issue is in both, and an edge leads from one to the other.
        let line = |id: &str, edge: &str| {
            format!(
                "{{\"id\":\"{id}\",\"title\":\"First of {n}\",\"status\":\"open\",\"dependencies\":\
                 [{{\"depends_on_id\":\"{edge}\",\"type\":\"blocks\"}}]}}\n"
            )
        };
        let other = 1 - n;
        fs::write(ledger, line("both", "s-00001") + &line(&format!("r{n}-1"), &format!("r{other}-2"))).unwrap();
    }
    // Reads find out the role, in every mode of routing.
    let settings = sandbox.home().join("config/beads/config.toml");
    let joined = fs::read_to_string(&settings).unwrap();
    let mut checked = 0;
    for routing in ["", "[routing]\nmode = \"auto\"\n"] {
        fs::write(&settings, format!("{joined}{routing}")).unwrap();
        checked += read_all(&sandbox, "both", "r0-1");
        for args in [&["config", "list"][..], &["config", "--list-repos"], &["repo", "list"], &["role"]] {
            checked += 1;
            read(&sandbox, args, &inside_all(&sandbox));
        }
        let dry = ["migrate", "--move-to", "../repos-one", "--filter", "status=open", "--dry-run"];
        read(&sandbox, &dry, &inside_all(&sandbox));
        checked += 1;
    }
    println!("reads over 3 repos: {checked} commands, 0 files opened for writing, 0 locks, 0 processes");
}

/// The directories of all repos.
fn inside_all(sandbox: &Sandbox) -> Vec<PathBuf> {
    let above = fs::read_dir(sandbox.repo().parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    above.filter(|path| path.join(".beads").is_dir()).collect()
}

fn read_all(sandbox: &Sandbox, first: &str, second: &str) -> usize {
    let commands: [&[&str]; 14] = [
        &["list"],
        &["list", "--json"],
        &["show", first],
        &["ready"],
        &["ready", "--json"],
        &["blocked"],
        &["search", "First"],
        &["stats"],
        &["query", "status:open"],
        &["count"],
        &["where"],
        &["dep", "tree", second],
        &["why", second],
        &["export"],
    ];
    commands.iter().for_each(|args| read(sandbox, args, &inside_all(sandbox)));
    commands.len()
}

/// Runs a command that must change nothing in these repos.
fn read(sandbox: &Sandbox, args: &[&str], repos: &[PathBuf]) {
    let all = || repos.iter().map(|repo| listing(repo)).collect::<Vec<_>>();
    let before = all();
    // Without BD_ACTOR: who acts is then found out otherwise, but never by starting a program.
    let trace = strace::run(sandbox, &["-E".into(), "BD_ACTOR".into()], args);
    assert!(trace.output.status.success(), "bd {}: {}", args.join(" "), describe(&trace.output));
    assert!(!trace.output.stdout.is_empty());
    for call in &trace.calls {
        assert!(repos.iter().all(|repo| is_allowed(call, repo)), "bd {}: {}", args.join(" "), call.text());
    }
    assert_eq!(all(), before, "bd {} changed files", args.join(" "));
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
pub fn listing(dir: &Path) -> Vec<(PathBuf, u64, SystemTime)> {
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

#[test]
fn a_ledger_that_cannot_be_read_is_an_error_with_its_name() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::new().filled(400);
    let ledger = sandbox.ledger().display().to_string();
    // The first makes the image of the cache, in whose presence the ledger is opened and read only when it is needed.
    for command in [&["list", "-n", "0"][..], &["search", "nothing"], &["list", "--all", "--json", "-n", "0"]] {
        sandbox.ok(&["list"]);
        for touched in [false, true] {
            if touched {
                fs::File::open(&ledger).unwrap().set_modified(SystemTime::now()).unwrap();
            }
            let options = ["-P", &ledger, "-e", "inject=read,pread64,readv,preadv:error=EIO"].map(str::to_owned);
            let output = strace::run(&sandbox, &options, command).output;
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("panicked"), "{command:?}: {}", describe(&output));
            let is_told = output.status.code() == Some(1) && said.contains(&ledger);
            assert!(output.status.success() && !touched || is_told, "{command:?}: {}", describe(&output));
        }
    }
}
