//! `bd watch` beside programs that remove files and restore them: no event is invented, and none is missed.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, alone, describe};
use crate::concurrency::watch::{QUIET, Watch, told_soon};
use crate::support::effort::pick;
use crate::support::user::BD;

/// Does something that a watch takes for a moment's absence, for it waits two seconds. If the machine made it longer than that, it is
/// done again.
fn for_a_moment(watch: &Watch, absence: impl Fn()) {
    let is_short = |_| {
        let start = Instant::now();
        absence();
        let was_short = start.elapsed() < Duration::from_millis(1500);
        let told = watch.rest();
        assert!(!was_short || told.is_empty(), "nothing happened, and it was told: {told:?}");
        was_short
    };
    assert!((0..10).any(is_short), "the machine is too busy");
}

/// Events in another checkout carry its name; a checkout added later is watched too.
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
    watch.is_silent("a new checkout is no news");
    close(&late, &other);
    let (_, event) = watch.until("issue_closed");
    assert_eq!((&event["id"], &event["worktree"]), (&other.as_str().into(), &"late".into()));
    assert_eq!(watch.until("issue_unready").1["id"], other.as_str());
    sandbox.git(&["worktree", "remove", "--force", late.to_str().unwrap()]);
    // An issue that only that checkout had closed is open again.
    watch.tells(&["issue_ready"]);
    // Closed here, too: that is another close, without a name.
    close(&sandbox.repo(), &id);
    let (_, event) = watch.until("issue_closed");
    assert_eq!(event.get("worktree"), None, "{event}");
}

/// A close that is merged into one checkout after the other is told once.
#[test]
fn a_change_that_is_merged() {
    let _turn = alone();
    // The lines are apart, so that git merges them by itself.
    let sandbox = Sandbox::with_issues(12);
    let (id, other) = ("s-00000".to_owned(), "s-00009".to_owned());
    let checkouts = sandbox.checkouts(3);
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue"]);
    let run = |place: &Path, mut command: std::process::Command| {
        let output = command.current_dir(place).output().unwrap();
        assert!(output.status.success(), "{}", describe(&output));
    };
    let git = |place: &Path, args: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=ann", "-c", "user.email=a@example.org"]).args(args);
        run(place, git);
    };
    run(&checkouts[1], sandbox.bd(&["close", &id, "-r", "done"]));
    let (_, event) = watch.until("issue_closed");
    assert_eq!((&event["id"], &event["worktree"]), (&id.as_str().into(), &"checkout-1".into()));
    git(&checkouts[1], &["commit", "-qam", "closed"]);
    run(&checkouts[2], sandbox.bd(&["update", &other, "--priority", "0"]));
    let (_, event) = watch.until("issue_updated");
    assert_eq!((&event["id"], &event["worktree"]), (&other.as_str().into(), &"checkout-2".into()));
    git(&checkouts[2], &["commit", "-qam", "urgent"]);
    for place in [&checkouts[2], &checkouts[0]] {
        git(place, &["merge", "-q", "-m", "merged", "branch-1"]);
    }
    git(&checkouts[0], &["merge", "-q", "-m", "merged", "branch-2"]);
    watch.is_silent("merges take over what was told before");
    run(&checkouts[0], sandbox.bd(&["reopen", &id]));
    let (_, event) = watch.until("issue_reopened");
    assert_eq!(event.get("worktree"), None, "{event}");
}

/// A checkout that is made and written to before the watch notices: later changes are reported, its initial content is
/// not. Moving it is not an event.
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
    let events = watch.next(2);
    let mut told: Vec<String> = events.iter().map(|one| format!("{} in {}", one["event"], one["worktree"])).collect();
    told.sort();
    assert_eq!(told, ["\"issue_closed\" in \"late\"", "\"issue_created\" in \"late\""]);
    let moved = sandbox.repo().parent().unwrap().join("moved");
    sandbox.git(&["worktree", "move", late.to_str().unwrap(), moved.to_str().unwrap()]);
    watch.is_silent("the same checkout in another place");
}

/// git removes the ledger and restores it, again and again; directories are moved. No event is invented.
#[test]
fn files_that_come_and_go() {
    let _turn = alone();
    let rounds = pick(10, 15, 200);
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
    // A read in between sees this issue go and come, but no other. It exists at the end.
    let mut events = watch.rest();
    let count = |events: &[Value], kind: &str| events.iter().filter(|event| event["event"] == kind).count();
    while count(&events, "issue_deleted") > count(&events, "issue_created") {
        events.extend(watch.next(1));
    }
    let strange: Vec<&Value> = events.iter().filter(|event| event["id"] != id.as_str()).collect();
    assert_eq!(strange, Vec::<&Value>::new());
    assert_eq!(count(&events, "issue_deleted"), count(&events, "issue_created"), "it is there now");
    // A lasting removal is reported.
    sandbox.git(&["checkout", "-q", "other"]);
    assert_eq!(watch.until("issue_deleted").1["id"], id.as_str());
    sandbox.git(&["checkout", "-q", "-"]);
    assert_eq!(watch.until("issue_created").1["id"], id.as_str());
    // A directory that is replaced, and one that is moved away and back.
    let (beads, aside) = (sandbox.beads(), sandbox.repo().join("aside"));
    for_a_moment(&watch, || {
        fs::rename(&beads, &aside).unwrap();
        thread::sleep(QUIET);
        fs::rename(&aside, &beads).unwrap();
    });
    let output = sandbox.program("cp").args(["-r", ".beads", "aside"]).output().unwrap();
    assert!(output.status.success());
    fs::rename(&beads, sandbox.repo().join("old")).unwrap();
    fs::rename(&aside, &beads).unwrap();
    watch.is_silent("the same again");
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
    let rounds = pick(10, 15, 200);
    let sandbox = Sandbox::with_issues(3000);
    let checkouts = sandbox.checkouts(2);
    let git = |args: &[&str]| sandbox.git_in(&checkouts[1], args);
    let add = ["add", "Only there", "--id", "t-there"];
    let output = sandbox.program(BD).args(add).current_dir(&checkouts[1]).output().unwrap();
    assert!(output.status.success(), "{}", describe(&output));
    git(&["commit", "-q", "-a", "-m", "more"]);
    git(&["branch", "without", "HEAD~"]);
    let watch = Watch::in_repo(&sandbox, &["--since-now", "--events", "issue"]);
    for _ in 0..rounds {
        git(&["checkout", "-q", "without"]);
        git(&["checkout", "-q", "-"]);
    }
    let events = watch.rest();
    let strange: Vec<&Value> = events.iter().filter(|event| event["id"] != "t-there").collect();
    assert_eq!(strange, Vec::<&Value>::new());
    // A branch without any ledger: that checkout has nothing to say, and here all goes on.
    git(&["checkout", "-q", "--orphan", "empty"]);
    git(&["rm", "-rfq", "."]);
    git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
    // The first time that ledger is waited for, in case it comes back: two seconds. After that the news here come as soon as ever.
    let (mut delays, mut adds) = (Vec::new(), Vec::new());
    for n in 0..5 {
        let start = Instant::now();
        let id = sandbox.add(&format!("Here {n}"));
        adds.push(start.elapsed());
        let written = Instant::now();
        // Issues that came and went there may still be reported.
        let (at, event) = std::iter::repeat_with(|| watch.until("issue_created"))
            .find(|(_, event)| event["id"] != "t-there")
            .expect("no end of looking");
        assert_eq!(event["id"], id.as_str());
        delays.push(at.saturating_duration_since(written));
    }
    told_soon(delays, adds);
}

/// A slow version control: under its lock it writes the ledger piece by piece, in whole lines. None of it is reported.
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
        for_a_moment(&watch, || {
            fs::write(&lock, "").unwrap();
            fs::remove_file(&ledger).unwrap();
            for count in [0, 10, 20, 30, 40] {
                thread::sleep(Duration::from_millis(150));
                let part: String = lines[..count].iter().map(|line| format!("{line}\n")).collect();
                fs::write(&ledger, part).unwrap();
            }
            fs::remove_file(&lock).unwrap();
        });
        // Without a lock, what stays away is gone.
        fs::write(&ledger, format!("{}\n", lines[1..].join("\n"))).unwrap();
        assert_eq!(watch.until("issue_deleted").1["id"], "s-00000");
        watch.is_silent("nothing else is gone");
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
    watch.is_silent("that a repo was joined is no event of an issue");
    sandbox.ok(&["add", "In the second", "--repo", "../second"]);
    let (_, event) = watch.until("issue_created");
    assert_ne!(event["source_repo"], ".");
    fs::remove_file(sandbox.home().join("config/beads/config.toml")).unwrap();
    watch.is_silent("that it was let go is none either");
    fs::write(&ledgers[0], "").unwrap();
    watch.is_silent("what happens there is not told any more");
    sandbox.add("Here");
    assert_eq!(watch.until("issue_created").1["title"], "Here");
}
