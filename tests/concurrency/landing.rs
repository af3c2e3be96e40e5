//! Agents finish work in workspaces while a loop of `bd land` brings it home, and is killed now and then. In the end all
//! of it is in the branch, no commit of the branch fails the tests, and what conflicted or failed was done again.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, alone, describe};
use crate::support::dice::Dice;
use crate::support::effort::pick;
use crate::support::user::BD;

/// The tests of the project: no file is marked as broken.
const CHECK: &str = "! ls | grep -q '^broken-'";

/// What an agent does: each work has a file of its own, every second one changes a common file, and every third one
/// breaks the tests, unless a landing has complained about it before.
const WORK: &str = r#"
n=$(echo "$BD_ISSUE" | tr -dc 0-9)
told=$("$BD" show "$BD_ISSUE" --json | grep -c 'Not landed: its check failed' || true)
sleep 0.05
echo "$BD_ISSUE" > "work-$n.txt"
if [ $((n % 2)) = 0 ]; then echo "$BD_ISSUE" >> common.txt; fi
if [ $((n % 3)) = 0 ] && [ "$told" = 0 ]; then touch "broken-$n"; fi
git add -A
git commit -qm "work on $BD_ISSUE"
"$BD" close -q "$BD_ISSUE"
"#;

struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_loop_of_landings_keeps_the_branch_green_and_loses_nothing() {
    let _turn = alone();
    let (issues, agents, kills) = pick((6, 2, 1), (8, 2, 2), (24, 3, 8));
    let sandbox = Sandbox::new();
    sandbox.git(&["config", "user.name", "ann"]);
    sandbox.git(&["config", "user.email", "ann@example.org"]);
    sandbox.ok(&["config", "set", "--personal", "land.check", CHECK]);
    sandbox.ok(&["config", "set", "--personal", "lease.max_attempts", "100"]);
    sandbox.ok(&["config", "set", "--personal", "workspace.min_free", "1M"]);
    for n in 0..issues {
        sandbox.ok(&["add", &format!("Task {n}"), "--id", &format!("bd-w{n}")]);
    }
    fs::write(sandbox.repo().join("common.txt"), "begin\n").unwrap();
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "begin"]);
    let start = sandbox.git_in(&sandbox.repo(), &["rev-parse", "HEAD"]);
    let (is_over, put_back) = (AtomicBool::new(false), AtomicUsize::new(0));
    let until = Instant::now() + Duration::from_secs(900);
    let closed = || {
        let listed: Value = serde_json::from_str(&sandbox.ok(&["list", "--status", "closed", "--json"])).unwrap();
        listed.as_array().unwrap().len()
    };
    thread::scope(|scope| {
        for n in 0..agents {
            let (sandbox, is_over) = (&sandbox, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let mut run = sandbox.bd(&["run", "--workspace", "--", "sh", "-ec", WORK]);
                    let output = run.env("BD_AGENT", format!("worker-{n}")).env("BD", BD).output().unwrap();
                    // Nothing is ready at the moment, or somebody has just closed it.
                    if !output.status.success() {
                        thread::sleep(Duration::from_millis(100));
                    }
                }
            });
        }
        // The agents end, however this does.
        let _end = End(&is_over);
        let mut dice = Dice::new(7);
        let mut left = kills;
        while closed() < issues && Instant::now() < until {
            let mut landing = sandbox.bd(&["land", "--keep-going", "--json"]);
            if left > 0 && dice.chance(2) {
                let mut child = landing.stdout(std::process::Stdio::null()).spawn().unwrap();
                thread::sleep(Duration::from_millis(dice.below(900) as u64));
                child.kill().unwrap();
                child.wait().unwrap();
                left -= 1;
                continue;
            }
            let output = landing.output().unwrap();
            assert!(matches!(output.status.code(), Some(0 | 1)), "{}", describe(&output));
            let done: Value =
                serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", describe(&output)));
            let is_back = |row: &&Value| ["conflict", "check_failed"].contains(&row["outcome"].as_str().unwrap());
            put_back.fetch_add(done["landed"].as_array().unwrap().iter().filter(is_back).count(), Ordering::SeqCst);
            thread::sleep(Duration::from_millis(50));
        }
    });
    assert_eq!(closed(), issues, "all of it has landed in time");
    let root = sandbox.repo();
    let common = fs::read_to_string(root.join("common.txt")).unwrap();
    let lines: BTreeSet<&str> = common.lines().collect();
    for n in 0..issues {
        let id = format!("bd-w{n}");
        assert_eq!(fs::read_to_string(root.join(format!("work-{n}.txt"))).unwrap().trim(), id);
        assert!(n % 2 == 1 || lines.contains(id.as_str()), "{id} is in the common file: {common}");
    }
    // Every commit that was ever checked out passes.
    let range = format!("{}..HEAD", start.trim());
    let commits = sandbox.git_in(&root, &["log", "--first-parent", "--format=%H", &range]);
    for commit in commits.lines() {
        let files = sandbox.git_in(&root, &["ls-tree", "--name-only", commit]);
        assert!(!files.contains("broken-"), "{commit} fails the tests: {files}");
    }
    assert_eq!(sandbox.git_in(&root, &["worktree", "list"]).lines().count(), 1);
    let back = put_back.load(Ordering::SeqCst);
    println!(
        "landing in a loop: {issues} issues by {agents} agents, {} commits in the branch, {back} put back, {kills} landings killed",
        commits.lines().count()
    );
    assert!(back > 0, "some of it breaks the tests at first");
}
