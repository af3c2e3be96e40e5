//! A poll through the library with nothing changed: stat calls and nothing else.

use std::fs;
use std::path::Path;
use std::time::Duration;

use beads::internal::store::{ReadyFilter, Store};

use crate::concurrency::sandbox::Sandbox;
use crate::trace::strace;

const DIRECTORY: &str = "BD_TEST_POLL";
/// Ask what is ready, and do not only look whether something has changed: [`COMMANDS`] or [`FACE`].
const READY: &str = "BD_TEST_POLL_READY";
/// As the commands do.
const COMMANDS: &str = "commands";
/// As other programs do.
const FACE: &str = "face";
const BEGIN: &str = "/bd-poll-begins";
const END: &str = "/bd-poll-ends";
const POLLS: usize = 20;

const STAT: [&str; 4] = ["stat", "lstat", "newfstatat", "statx"];

#[test]
fn an_unchanged_poll_is_stat_calls_only() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(400);
    let stats = polled(&sandbox);
    // The ledger, its directory, and the three config files: the user's, the committed and the personal one.
    assert_eq!(stats, 5 * POLLS);
    println!("poll: {POLLS} polls, {stats} stat calls, nothing else");
}

#[test]
fn an_unchanged_poll_over_several_repos_is_stat_calls_only() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(400);
    for (n, ledger) in sandbox.join(&["one", "two", "three", "four"]).iter().enumerate() {
        let line = |k: usize| format!("{{\"id\":\"r{n}-{k:03}\",\"title\":\"t\",\"status\":\"open\"}}\n");
        fs::write(ledger, (0..200).map(line).collect::<String>()).unwrap();
    }
    let stats = polled(&sandbox);
    // Of every other repo its ledger, its directory and its config.
    assert_eq!(stats, (5 + 4 * 3) * POLLS);
    println!("poll: {POLLS} polls over 5 repos, {stats} stat calls, nothing else");
}

#[test]
fn an_unchanged_poll_of_ready_costs_four_stat_calls_more() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(400);
    // The claims, here and in the outbox, and what tells of other checkouts: git's list of them and ours.
    assert_eq!(polled_by(&sandbox, Some(COMMANDS)), (5 + 4) * POLLS);
    sandbox.checkouts(3);
    sandbox.ok(&["claim", "s-00007"]);
    // And the ledger and the outbox of each of two others.
    let stats = polled_by(&sandbox, Some(COMMANDS));
    assert_eq!(stats, (5 + 4 + 2 * 2) * POLLS);
    println!("poll: {POLLS} polls of ready with 2 other checkouts, {stats} stat calls, nothing else");
}

/// The index in memory answers, whatever the number of issues. See also `library::face::asking`.
#[test]
fn an_unchanged_question_of_another_program_is_stat_calls_only() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::with_issues(10_000);
    let stats = polled_by(&sandbox, Some(FACE));
    assert_eq!(stats, (5 + 4) * POLLS);
    println!("poll: {POLLS} questions for 20 ready issues among 10,000, {stats} stat calls, nothing else");
}

fn polled(sandbox: &Sandbox) -> usize {
    polled_by(sandbox, None)
}

/// How many stat calls the polls make; fails if they make any other call.
fn polled_by(sandbox: &Sandbox, ready: Option<&str>) -> usize {
    let log = tempfile::NamedTempFile::new_in(sandbox.home()).unwrap();
    let mut command = sandbox.program("strace");
    command.args(["-f", "-y", "-s", "80", "-o"]).arg(log.path()).arg(std::env::current_exe().unwrap());
    command.args(["--exact", "trace::poll::polls_when_asked_to", "--nocapture", "--test-threads=1"]);
    command.env(DIRECTORY, sandbox.repo()).envs(ready.map(|how| (READY, how)));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let calls = strace::parse(&fs::read_to_string(log.path()).unwrap());
    let marker = |text: &str| calls.iter().position(|call| call.mentions(text)).expect("a marker");
    let polled = &calls[marker(BEGIN) + 1..marker(END)];
    for call in polled {
        let name = call.name.as_str();
        assert!(STAT.contains(&name) || call.is_of_memory(), "{}", call.text());
    }
    polled.iter().filter(|call| STAT.contains(&call.name.as_str())).count()
}

/// The poller: it runs under strace as a child of the test above, and does nothing when it is run by itself.
#[test]
fn polls_when_asked_to() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    if std::env::var_os(READY).is_some_and(|how| how == FACE) {
        return ask_as_other_programs_do(Path::new(&directory));
    }
    let mut store = Store::open(directory).unwrap();
    let ready = std::env::var_os(READY).is_some();
    let few = ReadyFilter { limit: Some(3), ..ReadyFilter::default() };
    assert!(!store.ready(&ReadyFilter::default()).unwrap().rows.is_empty());
    // Past the time in which a stamp proves nothing.
    std::thread::sleep(Duration::from_millis(150));
    store.refresh().unwrap();
    store.ready(&few).unwrap();
    assert!(!Path::new(BEGIN).exists());
    for _ in 0..POLLS {
        if ready {
            store.look_again().unwrap();
            assert_eq!(store.ready(&few).unwrap().rows.len(), 3);
            continue;
        }
        let refresh = store.refresh().unwrap();
        assert_eq!((refresh.parsed, refresh.changed), (0, 0));
    }
    assert!(!Path::new(END).exists());
}

fn ask_as_other_programs_do(directory: &Path) {
    let store = beads::Store::open(directory).unwrap();
    let query = beads::Query::new().limit(20);
    store.ready(&query).unwrap();
    std::thread::sleep(Duration::from_millis(150));
    let known = store.ready(&query).unwrap();
    assert!(!Path::new(BEGIN).exists());
    for _ in 0..POLLS {
        assert_eq!(store.ready(&query).unwrap(), known);
    }
    assert!(!Path::new(END).exists());
}
