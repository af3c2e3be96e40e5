//! The programs in `examples/` do what they say.

use std::path::PathBuf;
use std::process::Command;

use beads::{Query, Store, Update};

use super::{open, with};
use crate::library::scratch::Scratch;

/// Runs an example, and gives what it printed.
fn run(scratch: &Scratch, name: &str, args: &[&str]) -> String {
    let tests = std::env::current_exe().expect("the test program");
    let program: PathBuf =
        tests.parent().and_then(|deps| deps.parent()).expect("two directories").join("examples").join(name);
    let mut command = Command::new(&program);
    command.arg(scratch.root()).args(args).env_clear();
    command.env("HOME", scratch.root()).env("TMPDIR", scratch.root()).env("USER", "tester").env("BD_NO_IMAGE", "1");
    let output =
        command.output().unwrap_or_else(|error| panic!("{}: {error}; run `cargo build --examples`", program.display()));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{name}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn status(store: &Store, id: &str) -> String {
    store.get(id).unwrap().unwrap().status().to_owned()
}

#[test]
fn the_executor_does_what_is_ready() {
    let scratch = with(&["t-1", "t-2", "t-3"]);
    let store = open(&scratch);
    store.update("t-2", &Update::new().add_label("no-auto-claim")).unwrap();
    store.update("t-3", &Update::new().title("something impossible")).unwrap();
    let said = run(&scratch, "executor", &["1"]);
    assert!(said.contains("doing t-1 the title of t-1 (.)"), "{said}");
    assert_eq!(["t-1", "t-2", "t-3"].map(|id| status(&store, id)), ["closed", "open", "open"]);
    let failed = store.get("t-3").unwrap().unwrap();
    assert_eq!(failed.labels(), ["needs-attention"], "it failed until it was given up");
}

#[test]
fn the_dashboard_draws_and_goes_on() {
    let scratch = with(&["t-1", "t-2"]);
    let store = open(&scratch);
    let said = run(&scratch, "dashboard", &["0"]);
    assert_eq!(said, "2 open, 0 in progress, 0 closed\n  P2 t-1 the title of t-1\n  P2 t-2 the title of t-2\n");
    store.update("t-2", &Update::new().depends_on("t-1")).unwrap();
    let said = run(&scratch, "dashboard", &["0"]);
    assert!(said.starts_with("Updated t-2 the title of t-2\nUnready t-2"), "{said}");
    assert!(said.ends_with("  P2 t-1 the title of t-1\n  t-2 waits for t-1\n"), "{said}");
}

#[test]
fn the_importer_files_all_or_nothing() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let table = scratch.root().join("table");
    std::fs::write(&table, "A\t1\tt-1\tFirst\nB\t\tA\tSecond\n").unwrap();
    assert_eq!(run(&scratch, "importer", &[table.to_str().unwrap()]), "filed 2 issues\n");
    let found = store.list(&Query::new().matching("title=First")).unwrap();
    assert_eq!((found.total(), found[0].priority(), found[0].parent().unwrap().as_str()), (1, 1, "t-1"));
    let child = store.list(&Query::new().matching("title=Second")).unwrap();
    assert_eq!(child[0].parent().as_ref(), Some(found[0].id()));
}

#[test]
fn the_threads_share_the_work() {
    let scratch = with(&["t-1", "t-2", "t-3", "t-4", "t-5", "t-6"]);
    let store = open(&scratch);
    store.update("t-1", &Update::new().add_label("deep")).unwrap();
    let said = run(&scratch, "threads", &["3"]);
    assert!(said.ends_with("0 ready\n"), "{said}");
    let counts = store.counts().unwrap();
    assert_eq!((counts.closed, counts.total), (7, 7), "{said}");
}
