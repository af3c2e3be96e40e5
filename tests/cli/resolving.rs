//! `bd resolve`: what it refuses, what it says, and that it touches nothing else. Real merges are in `tests/vcs/driver.rs`.

use crate::cli::harness::Env;

const A: &str = r#"{"id":"bd-a","title":"First","updated_at":"2026-01-02T00:00:00Z"}"#;
const OLD: &str = r#"{"id":"bd-b","title":"Second","updated_at":"2026-01-02T00:00:00Z"}"#;
const NEW: &str = r#"{"id":"bd-b","title":"Renamed","updated_at":"2026-01-03T00:00:00Z"}"#;

#[test]
fn nothing_to_resolve() {
    let env = Env::with_ledger(format!("{A}\n{OLD}\n"));
    let before = env.ledger();
    assert_eq!(env.bd(["resolve"]).ok().stdout, "nothing to resolve\n");
    let json = env.bd(["resolve", "--json"]).ok().json();
    assert_eq!(json["resolved"], serde_json::json!([]));
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_region_of_which_one_side_is_the_base() {
    let text = format!("{A}\n<<<<<<< HEAD\n{NEW}\n||||||| base\n{OLD}\n=======\n{OLD}\n>>>>>>> other\n");
    let env = Env::with_ledger(&text);
    let dry = env.bd(["resolve", "--dry-run"]).ok();
    assert!(dry.stdout.starts_with("Would merge 1 marked region: "), "{}", dry.snapshot());
    assert_eq!(env.ledger_text(), text);
    let run = env.bd(["resolve"]).ok();
    assert!(run.stdout.starts_with("Merged 1 marked region: ") && run.stderr.is_empty(), "{}", run.snapshot());
    assert_eq!(env.ledger_text(), format!("{A}\n{NEW}\n"));
    env.bd(["add", "More"]).ok();
}

#[test]
fn markers_that_do_not_fit() {
    for (text, place) in [
        (format!("{A}\n<<<<<<< HEAD\n{NEW}\n=======\n{OLD}\n"), "beads.jsonl:2: conflict markers that do not fit"),
        (format!("{A}\n=======\n{OLD}\n"), "beads.jsonl:2: conflict markers that do not fit"),
        (format!("{A}\n<<<<<<< HEAD\n{NEW}\n>>>>>>> other\n"), "beads.jsonl:4: conflict markers that do not fit"),
    ] {
        let env = Env::with_ledger(&text);
        env.bd(["resolve"]).fails(8, &[place, "nothing was changed"]);
        env.bd(["resolve", "--dry-run"]).fails(8, &[place]);
        assert_eq!(env.ledger_text(), text);
    }
}

#[test]
fn another_repo_of_the_project() {
    let text = format!("<<<<<<< HEAD\n{NEW}\n||||||| base\n{OLD}\n=======\n{OLD}\n>>>>>>> other\n");
    let env = Env::with_ledger(format!("{A}\n"));
    env.given("init --contributor ~/.beads-planning");
    let planning = env.root().join("home/.beads-planning/.beads/beads.jsonl");
    std::fs::write(&planning, &text).unwrap();
    assert_eq!(env.bd(["resolve", "--repo", "."]).ok().stdout, "nothing to resolve\n");
    let json = env.bd(["resolve", "--json", "--repo", "~/.beads-planning"]).ok().json();
    assert_eq!(
        (&json["resolved"][0]["regions"], &json["resolved"][0]["source_repo"]),
        (&1.into(), &"~/.beads-planning".into())
    );
    assert_eq!(std::fs::read_to_string(&planning).unwrap(), format!("{NEW}\n"));
}
