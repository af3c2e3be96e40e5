//! `bd watch` beside programs that take files away and put them back: nothing is told that did not happen, and nothing is missed.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::sandbox::{Sandbox, alone, describe, full};
use crate::watch::{QUIET, Watch};

/// What happens in another checkout carries its name; a checkout that comes later is watched too.
#[test]
fn other_checkouts() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    let id = sandbox.add("One");
    let other = sandbox.add("Two");
    let checkouts = sandbox.checkouts(2);
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue,ready"]);
    let close = |place: &Path, id: &str| {
        let output = sandbox.bd(&["close", id]).current_dir(place).output().unwrap();
        assert!(output.status.success(), "{}", describe(&output));
    };
    close(&checkouts[1], &id);
    let (_, event) = watch.until("issue_closed");
    assert_eq!((&event["id"], &event["worktree"]), (&id.as_str().into(), &"checkout-1".into()));
    assert_eq!(watch.until("issue_unready").1["id"], id.as_str(), "it is not offered here either");
    let late = sandbox.repo().parent().unwrap().join("late");
    sandbox.git(&["worktree", "add", "-q", "-b", "late", late.to_str().unwrap()]);
    assert_eq!(watch.kinds(), [""; 0], "a new checkout is no news");
    close(&late, &other);
    let (_, event) = watch.until("issue_closed");
    assert_eq!((&event["id"], &event["worktree"]), (&other.as_str().into(), &"late".into()));
    watch.rest();
    sandbox.git(&["worktree", "remove", "--force", late.to_str().unwrap()]);
    assert_eq!(watch.kinds(), ["issue_ready"], "what only that checkout had closed is open again");
    // Merged here, it is news once more, without a name.
    close(&sandbox.repo(), &id);
    let (_, event) = watch.until("issue_closed");
    assert_eq!(event.get("worktree"), None, "{event}");
}

/// A checkout that is made and written to before the watch gets round to it: what happened there is told, and what it was made with
/// is not. That it moves is no news.
#[test]
fn a_new_checkout_that_was_written_to_at_once() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    let id = sandbox.add("One");
    sandbox.add("Two");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "ledger"]);
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue"]);
    watch.signal("-STOP");
    let late = sandbox.repo().parent().unwrap().join("late");
    sandbox.git(&["worktree", "add", "-q", "-b", "late", late.to_str().unwrap()]);
    for args in [["close", &id], ["q", "New"]] {
        let output = sandbox.bd(&args).current_dir(&late).output().unwrap();
        assert!(output.status.success(), "{}", describe(&output));
    }
    watch.signal("-CONT");
    let events = watch.rest();
    let mut told: Vec<String> = events.iter().map(|one| format!("{} in {}", one["event"], one["worktree"])).collect();
    told.sort();
    assert_eq!(told, ["\"issue_closed\" in \"late\"", "\"issue_created\" in \"late\""]);
    let moved = sandbox.repo().parent().unwrap().join("moved");
    sandbox.git(&["worktree", "move", late.to_str().unwrap(), moved.to_str().unwrap()]);
    assert_eq!(watch.kinds(), [""; 0], "the same checkout in another place");
}

/// git takes the ledger away and puts it back, again and again; directories are moved. Nothing is told that did not happen.
#[test]
fn files_that_come_and_go() {
    let _turn = alone();
    let rounds = if full() { 200 } else { 25 };
    let sandbox = Sandbox::with_issues(3000);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "ledger"]);
    sandbox.git(&["branch", "other"]);
    let id = sandbox.add("Only here");
    sandbox.git(&["commit", "-q", "-a", "-m", "more"]);
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue"]);
    for _ in 0..rounds {
        sandbox.git(&["checkout", "-q", "other"]);
        sandbox.git(&["checkout", "-q", "-"]);
    }
    let events = watch.rest();
    // Whoever looks in between sees the issue go and come; nobody sees another one do so.
    let strange: Vec<&Value> = events.iter().filter(|event| event["id"] != id.as_str()).collect();
    assert_eq!(strange, Vec::<&Value>::new());
    let told = |kind: &str| events.iter().filter(|event| event["event"] == kind).count();
    assert_eq!(told("issue_deleted"), told("issue_created"), "it is there now");
    // What stays away is told.
    sandbox.git(&["checkout", "-q", "other"]);
    assert_eq!(watch.until("issue_deleted").1["id"], id.as_str());
    sandbox.git(&["checkout", "-q", "-"]);
    assert_eq!(watch.until("issue_created").1["id"], id.as_str());
    // A directory that is replaced, and one that is moved away and back.
    let (beads, aside) = (sandbox.beads(), sandbox.repo().join("aside"));
    fs::rename(&beads, &aside).unwrap();
    thread::sleep(QUIET);
    fs::rename(&aside, &beads).unwrap();
    assert_eq!(watch.kinds(), [""; 0]);
    let output = sandbox.program("cp").args(["-r", ".beads", "aside"]).output().unwrap();
    assert!(output.status.success());
    fs::rename(&beads, sandbox.repo().join("old")).unwrap();
    fs::rename(&aside, &beads).unwrap();
    assert_eq!(watch.kinds(), [""; 0]);
    sandbox.ok(&["close", &id]);
    assert_eq!(watch.until("issue_closed").1["id"], id.as_str());
    println!(
        "watch: {rounds} times to another branch and back, {} events, none of an issue that did not change",
        events.len()
    );
}

/// The same in another checkout.
#[test]
fn files_that_come_and_go_elsewhere() {
    let _turn = alone();
    let rounds = if full() { 200 } else { 25 };
    let sandbox = Sandbox::with_issues(3000);
    let checkouts = sandbox.checkouts(2);
    let there = |program: &str, args: &[&str]| {
        let identity = ["-c", "user.name=ann", "-c", "user.email=ann@example.com"];
        let identity = if program == "git" { &identity[..] } else { &[] };
        let mut command = sandbox.program(program);
        let output = command.args(identity).args(args).current_dir(&checkouts[1]).output().unwrap();
        assert!(output.status.success(), "{program} {}: {}", args.join(" "), describe(&output));
    };
    there(env!("CARGO_BIN_EXE_bd"), &["add", "Only there", "--id", "t-there"]);
    there("git", &["commit", "-q", "-a", "-m", "more"]);
    there("git", &["branch", "without", "HEAD~"]);
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue"]);
    for _ in 0..rounds {
        there("git", &["checkout", "-q", "without"]);
        there("git", &["checkout", "-q", "-"]);
    }
    let events = watch.rest();
    let strange: Vec<&Value> = events.iter().filter(|event| event["id"] != "t-there").collect();
    assert_eq!(strange, Vec::<&Value>::new());
    // A branch without any ledger: that checkout has nothing to say, and here all goes on.
    there("git", &["checkout", "-q", "--orphan", "empty"]);
    there("git", &["rm", "-rfq", "."]);
    there("git", &["commit", "-q", "--allow-empty", "-m", "nothing"]);
    // The first time it is waited for, in case it comes back.
    thread::sleep(Duration::from_secs(3));
    let id = sandbox.add("Here");
    let written = Instant::now();
    let (at, event) = watch.until("issue_created");
    assert_eq!(event["id"], id.as_str());
    assert!(at.saturating_duration_since(written) < Duration::from_secs(1), "it waits for the other ledger");
}

/// A slow version control: under its lock it writes the ledger bit by bit, whole lines each time. Nothing of it is told.
#[test]
fn a_ledger_that_is_written_bit_by_bit() {
    let _turn = alone();
    let sandbox = Sandbox::with_issues(40);
    let checkouts = sandbox.checkouts(2);
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue"]);
    let git = sandbox.repo().join(".git");
    for (checkout, lock) in
        [(&checkouts[0], git.join("index.lock")), (&checkouts[1], git.join("worktrees/checkout-1/index.lock"))]
    {
        let ledger = checkout.join(".beads/beads.jsonl");
        let text = fs::read_to_string(&ledger).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        fs::write(&lock, "").unwrap();
        fs::remove_file(&ledger).unwrap();
        for count in [0, 10, 20, 30, 40] {
            thread::sleep(Duration::from_millis(150));
            let part: String = lines[..count].iter().map(|line| format!("{line}\n")).collect();
            fs::write(&ledger, part).unwrap();
        }
        fs::remove_file(&lock).unwrap();
        assert_eq!(watch.rest(), Vec::<Value>::new(), "{}", checkout.display());
        // Without a lock, what stays away is gone.
        fs::write(&ledger, format!("{}\n", lines[1..].join("\n"))).unwrap();
        assert_eq!(watch.until("issue_deleted").1["id"], "s-00000");
        assert_eq!(watch.kinds(), [""; 0]);
        fs::write(&ledger, text).unwrap();
        watch.rest();
    }
}

/// A repo that is joined, and one that is let go, while the watch goes on.
#[test]
fn repos_that_come_and_go() {
    let _turn = alone();
    let sandbox = Sandbox::new();
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue"]);
    let ledgers = sandbox.join(&["second"]);
    assert_eq!(watch.kinds(), [""; 0], "that a repo was joined is no event of an issue");
    sandbox.ok(&["add", "In the second", "--repo", "../second"]);
    let (_, event) = watch.until("issue_created");
    assert_ne!(event["source_repo"], ".");
    fs::remove_file(sandbox.home().join("config/beads/config.toml")).unwrap();
    assert_eq!(watch.kinds(), [""; 0]);
    fs::write(&ledgers[0], "").unwrap();
    assert_eq!(watch.kinds(), [""; 0]);
    sandbox.add("Here");
    assert_eq!(watch.until("issue_created").1["title"], "Here");
}
