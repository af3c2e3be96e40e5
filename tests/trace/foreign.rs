//! What another program does in the narrowest moments of a write. strace holds `bd` at a chosen call while it happens, so
//! these races are met every time.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::sandbox::{Issues, Sandbox, created, describe};
use crate::strace::{self, Running};

const SOON: Duration = Duration::from_millis(100);
/// How long `bd` is held, in microseconds as strace wants it: enough to see that it is held, wait `SOON`, and act.
const HELD: &str = "delay_enter=800000";

/// Starts `bd add`, held at each rename, and waits until it is held at the first: its new file has a name then.
fn held_at_rename(sandbox: &Sandbox) -> Running {
    let options = ["-e".to_owned(), format!("inject=renameat2:{HELD}")];
    let mut running = strace::start(sandbox, &options, &["add", "Ours"]);
    wait_until(&mut running, || temporary(sandbox).is_some());
    thread::sleep(SOON);
    running
}

fn wait_until(running: &mut Running, seen: impl Fn() -> bool) {
    let start = Instant::now();
    while !seen() {
        assert!(!running.is_over(), "bd was not held");
        assert!(start.elapsed() < Duration::from_secs(20), "bd did not come that far");
        thread::sleep(Duration::from_millis(1));
    }
}

fn temporary(sandbox: &Sandbox) -> Option<PathBuf> {
    sandbox.leftovers().into_iter().find(|name| name.starts_with(".bd-tmp-")).map(|name| sandbox.beads().join(name))
}

/// Puts a version with one more line in the ledger's place, as an editor or a sync tool does.
fn replace_ledger(sandbox: &Sandbox, id: &str) {
    let beside = sandbox.repo().join("foreign");
    fs::write(&beside, with_line(sandbox, id)).unwrap();
    fs::rename(&beside, sandbox.ledger()).unwrap();
}

fn with_line(sandbox: &Sandbox, id: &str) -> String {
    format!("{}{{\"id\":\"{id}\",\"title\":\"Foreign\"}}\n", fs::read_to_string(sandbox.ledger()).unwrap())
}

/// `bd` succeeded, and its issue and the foreign ones are there.
fn expect_all(sandbox: &Sandbox, running: Running, foreign: &[&str]) {
    expect_present(sandbox, running, foreign);
    assert_eq!(sandbox.leftovers(), [""; 0]);
}

fn expect_present(sandbox: &Sandbox, running: Running, foreign: &[&str]) {
    let output = running.finish();
    let ours = created(&output.stdout).unwrap_or_else(|| panic!("{}", describe(&output)));
    let issues = Issues::read(&sandbox.ledger());
    for id in foreign.iter().copied().chain([ours.as_str()]) {
        assert!(issues.ids().contains(&id), "{id} is lost");
    }
    assert_eq!(issues.ids().iter().filter(|id| id.starts_with("s-")).count(), 5);
}

#[test]
fn a_ledger_replaced_just_before_the_rename_is_kept() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(5);
    let running = held_at_rename(&sandbox);
    replace_ledger(&sandbox, "z-1");
    expect_all(&sandbox, running, &["z-1"]);
}

#[test]
fn a_ledger_rewritten_in_place_just_before_the_rename_is_kept() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(5);
    let running = held_at_rename(&sandbox);
    fs::write(sandbox.ledger(), with_line(&sandbox, "z-1")).unwrap();
    expect_all(&sandbox, running, &["z-1"]);
}

#[test]
fn a_ledger_replaced_while_an_earlier_one_is_put_back_is_kept() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(5);
    let mut running = held_at_rename(&sandbox);
    replace_ledger(&sandbox, "z-1");
    // Ours is in place for a moment, and theirs under the temporary name: bd is held at the rename that puts it back.
    wait_until(&mut running, || fs::read_to_string(sandbox.ledger()).unwrap().contains("Ours"));
    thread::sleep(SOON);
    replace_ledger(&sandbox, "z-2");
    expect_present(&sandbox, running, &["z-2"]);
    // The second version was made from ours and knows nothing of the first: that one must be kept somewhere.
    let beside = sandbox.leftovers().into_iter().map(|name| sandbox.beads().join(name)).chain([sandbox.ledger()]);
    let kept: Vec<PathBuf> = beside.filter(|path| fs::read_to_string(path).unwrap().contains("z-1")).collect();
    assert!(!kept.is_empty(), "z-1 is lost");
    sandbox.add("The next write");
    assert!(kept.iter().all(|path| path.exists()), "the next write removes the only copy");
}

/// git replaces a file by removing it and writing it anew.
#[test]
fn a_ledger_that_is_away_for_a_moment_is_waited_for() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(5);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "seed"]);
    let mut running = held_at_rename(&sandbox);
    let with_theirs = with_line(&sandbox, "z-1");
    fs::remove_file(sandbox.ledger()).unwrap();
    wait_until(&mut running, || temporary(&sandbox).is_none());
    thread::sleep(SOON);
    fs::write(sandbox.ledger(), with_theirs).unwrap();
    expect_all(&sandbox, running, &["z-1"]);
}

#[test]
fn a_temporary_file_cleaned_away_before_the_rename_costs_nothing() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(5);
    let running = held_at_rename(&sandbox);
    fs::remove_file(temporary(&sandbox).unwrap()).unwrap();
    expect_all(&sandbox, running, &[]);
}

#[test]
fn a_displaced_ledger_cleaned_away_after_the_rename_costs_nothing() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(5);
    let options = ["-e".to_owned(), "inject=renameat2:delay_exit=800000".to_owned()];
    let mut running = strace::start(&sandbox, &options, &["add", "Ours"]);
    wait_until(&mut running, || fs::read_to_string(sandbox.ledger()).unwrap().contains("Ours"));
    fs::remove_file(temporary(&sandbox).unwrap()).unwrap();
    expect_all(&sandbox, running, &[]);
}
