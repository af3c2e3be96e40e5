//! People run git on a ledger that agents write. git does not take our lock and removes writes; none of them is lost
//! for good, no reader gets a wrong count, and nothing from before disappears.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::concurrency::sandbox::{Ender, Issues, Sandbox, alone, at_once, created, describe};
use crate::support::effort::pick;

const WRITERS: usize = 3;
const READERS: usize = 2;
/// Busy, and read-only while a merge is not finished: both say so, and the caller tries again.
const ALLOWED: [i32; 2] = [6, 8];

#[test]
fn what_git_takes_away_is_recovered() {
    let _turn = alone();
    let (seeds, each, budget) = pick((100, 15, 300), (150, 20, 300), (2_000, 350, 900));
    let sandbox = Sandbox::with_issues(seeds);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "seed"]);
    let upstream = sandbox.home().join("upstream");
    sandbox.git(&["clone", "-q", ".", upstream.to_str().unwrap()]);
    sandbox.git(&["remote", "add", "origin", upstream.to_str().unwrap()]);
    sandbox.git(&["fetch", "-q", "origin"]);
    let branch = String::from_utf8(sandbox.program("git").args(["branch", "--show-current"]).output().unwrap().stdout);
    let branch = branch.unwrap().trim().to_owned();

    let (over, reads, refused, retried) =
        (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    let (mut filed, steps) = thread::scope(|scope| {
        let ender = Ender(&over);
        let people = scope.spawn(|| people(&sandbox, &upstream, &branch, &over));
        let readers: Vec<_> =
            (0..READERS).map(|_| scope.spawn(|| read(&sandbox, seeds, &over, &reads, &refused))).collect();
        let filed: Vec<String> = at_once(WRITERS, |n| {
            let mut filed = Vec::new();
            while filed.len() < each && start.elapsed() < Duration::from_secs(budget) {
                let output = sandbox.run(&["add", &format!("w{n}-{}-end", filed.len())]);
                match created(&output.stdout) {
                    Some(id) => filed.push(id),
                    None if output.status.code().is_some_and(|code| ALLOWED.contains(&code)) => {
                        retried.fetch_add(1, Ordering::Relaxed);
                        thread::sleep(Duration::from_millis(5));
                    }
                    None => panic!("{}", describe(&output)),
                }
            }
            filed
        })
        .concat();
        drop(ender);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        (filed, people.join().unwrap())
    });
    // An unfinished merge is the people's to end, and so are the markers of one that they committed.
    let _ = git(&sandbox, &sandbox.repo(), &["merge", "--abort"]);
    sandbox.ok(&["resolve"]);
    // Whatever git came to take away until now: this one it takes for certain.
    filed.push(sandbox.add("last"));
    assert!(git(&sandbox, &sandbox.repo(), &["checkout", "-q", "--", ".beads"]), "the last change is thrown away");

    let present = |sandbox: &Sandbox| -> HashSet<String> {
        Issues::read(&sandbox.ledger()).ids().into_iter().map(str::to_owned).collect()
    };
    let before = present(&sandbox);
    let missing = filed.iter().filter(|id| !before.contains(*id)).count();
    let told = sandbox.run(&["list"]);
    assert!(told.status.success(), "{}", describe(&told));
    assert_eq!(String::from_utf8_lossy(&told.stderr).contains("acknowledged"), missing > 0, "{}", describe(&told));
    sandbox.ok(&["recover"]);
    let after = present(&sandbox);
    let lost: Vec<&String> = filed.iter().filter(|id| !after.contains(*id)).collect();
    println!(
        "people with git: {} acknowledged adds by {WRITERS} writers ({} tried again), {steps} steps of git, {} reads right, {} \
         refused, {:.1} s: {missing} writes were taken away, {} restored, {} lost; seeds lost 0 of {seeds}",
        filed.len(),
        retried.load(Ordering::Relaxed),
        reads.load(Ordering::Relaxed),
        refused.load(Ordering::Relaxed),
        start.elapsed().as_secs_f64(),
        missing - lost.len().min(missing),
        lost.len(),
    );
    assert!(lost.is_empty(), "acknowledged and not recovered: {lost:?}");
    assert!(missing > 0, "git took nothing away");
    assert_eq!(after.iter().filter(|id| id.starts_with("s-")).count(), seeds, "seed issues were lost");
    assert_eq!(filed.len(), WRITERS * each + 1, "the time was not enough");
    let again = sandbox.run(&["recover", "--dry-run"]);
    assert!(again.stdout.is_empty() && again.status.success(), "{}", describe(&again));
}

/// Whether git succeeded.
fn git(sandbox: &Sandbox, directory: &Path, args: &[&str]) -> bool {
    let args = [&["-c", "merge.conflictStyle=merge"], args].concat();
    sandbox.user().named("bob").try_git(directory, &args).is_some()
}

/// What people do: discard changes, stash, commit, pull with and without changes of their own, abort a merge.
fn people(sandbox: &Sandbox, upstream: &Path, branch: &str, over: &AtomicBool) -> usize {
    let repo = sandbox.repo();
    let mut steps = 0;
    while !over.load(Ordering::Relaxed) {
        match steps % 5 {
            0 => drop(git(sandbox, &repo, &["checkout", "-q", "--", ".beads"])),
            1 => {
                git(sandbox, &repo, &["stash", "-q"]);
                git(sandbox, &repo, &["stash", "drop", "-q"]);
            }
            2 => {
                // Someone pushes an issue, and it is pulled over uncommitted changes.
                let ledger = upstream.join(".beads/beads.jsonl");
                let line = format!("{{\"id\":\"u-{steps:06}\",\"title\":\"Upstream\",\"status\":\"open\"}}\n");
                fs::write(&ledger, fs::read_to_string(&ledger).unwrap() + &line).unwrap();
                git(sandbox, upstream, &["commit", "-q", "-a", "-m", "upstream"]);
                git(sandbox, &repo, &["pull", "-q", "--no-rebase", "--no-edit", "origin", branch]);
            }
            3 => {
                // A pull may have left markers; until they are resolved every writer is refused.
                sandbox.run(&["resolve"]);
                git(sandbox, &repo, &["commit", "-q", "-a", "-m", "work"]);
            }
            _ => {
                if !git(sandbox, &repo, &["pull", "-q", "--no-rebase", "--no-edit", "origin", branch]) {
                    git(sandbox, &repo, &["merge", "--abort"]);
                }
            }
        }
        steps += 1;
        thread::sleep(Duration::from_millis(10));
    }
    steps
}

/// Every answer counts all seeds, or is none.
fn read(sandbox: &Sandbox, seeds: usize, over: &AtomicBool, reads: &AtomicUsize, refused: &AtomicUsize) {
    while !over.load(Ordering::Relaxed) {
        let output = sandbox.run(&["list", "--all", "--json", "--limit", "0"]);
        if output.status.success() {
            let rows: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
            let found = rows.iter().filter(|row| row["id"].as_str().is_some_and(|id| id.starts_with("s-"))).count();
            assert_eq!(found, seeds, "a wrong number: {}", String::from_utf8_lossy(&output.stderr));
            reads.fetch_add(1, Ordering::Relaxed);
        } else {
            assert!(output.status.code().is_some_and(|code| ALLOWED.contains(&code)), "{}", describe(&output));
            refused.fetch_add(1, Ordering::Relaxed);
        }
        thread::sleep(Duration::from_millis(5));
    }
}
