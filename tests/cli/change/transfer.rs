//! Lines in and out: import, export.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;

/// Two lines of an older tool.
pub const OLD: &str = r#"{"id":"old-1","title":"From before","status":"open","priority":1,"issue_type":"bug","created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-01T00:00:00Z","x":1.50}
{"id":"old-2","title":"Done long ago","status":"closed","priority":2,"issue_type":"task","created_at":"2025-01-01T00:00:00Z","updated_at":"2025-01-02T00:00:00Z","closed_at":"2025-01-02T00:00:00Z"}
"#;

#[test]
fn import_takes_lines_as_they_are() {
    let env = Env::new();
    env.write("old.jsonl", format!("{OLD}{{\"_type\":\"memory\",\"key\":\"k\"}}\n"));
    assert_data_eq!(
        env.script(
            "import old.jsonl --dry-run
             import old.jsonl
             import old.jsonl --json
             import -i old.jsonl"
        ),
        str![[r#"
$ bd import old.jsonl --dry-run
Would import: 2 created, 0 updated, 0 unchanged, 0 deleted
! warning: old.jsonl:3: skipped: not an issue
$ bd import old.jsonl
Imported: 2 created, 0 updated, 0 unchanged, 0 deleted
! warning: old.jsonl:3: skipped: not an issue
$ bd import old.jsonl --json
{
  "dry_run": false,
  "created": 0,
  "updated": 0,
  "unchanged": 2,
  "deleted": 0,
  "created_ids": [],
  "updated_ids": [],
  "skipped": [
    {
      "line": 3,
      "reason": "not an issue"
    }
  ],
  "refused": []
}
$ bd import -i old.jsonl
Imported: 0 created, 0 updated, 2 unchanged, 0 deleted
! warning: old.jsonl:3: skipped: not an issue

"#]]
        .raw()
    );
    assert_eq!(env.ledger_text(), OLD);
    let piped = env.bd_with(["import", "-", "--json"], Some(OLD), &[]).ok();
    assert_eq!(piped.json()["unchanged"], 2);
}

#[test]
fn import_joins_what_is_newer_and_keeps_ours() {
    let env = Env::with_ledger(OLD);
    let newer = OLD
        .lines()
        .next()
        .unwrap()
        .replace("From before", "Renamed")
        .replace("2025-01-01T00:00:00Z\",\"x", "2025-06-01T00:00:00Z\",\"x");
    env.write("new.jsonl", newer + "\n");
    env.given("comment old-2 'ours'");
    env.write("older.jsonl", OLD);
    assert_data_eq!(
        env.script("import new.jsonl\nimport older.jsonl"),
        str![[r#"
$ bd import new.jsonl
Imported: 0 created, 1 updated, 0 unchanged, 0 deleted
$ bd import older.jsonl
Imported: 0 created, 0 updated, 2 unchanged, 0 deleted

"#]]
        .raw()
    );
    assert_eq!(env.bd(["show", "old-1", "--json"]).json()[0]["title"], "Renamed");
    assert_eq!(env.bd(["show", "old-2", "--json"]).json()[0]["comments"][0]["text"], "ours");
}

#[test]
fn import_of_deletions_leaves_tombstones() {
    let env = Env::with_ledger(OLD);
    env.write(
        "deletions.jsonl",
        "{\"id\":\"old-1\",\"ts\":\"2025-02-01T00:00:00Z\",\"by\":\"zoe\",\"reason\":\"gone\"}\n",
    );
    assert_data_eq!(
        env.script("import deletions.jsonl\nlist --all --deleted"),
        str![[r#"
$ bd import deletions.jsonl
Imported: 0 created, 0 updated, 0 unchanged, 1 deleted
$ bd list --all --deleted
old-1  P1  tombstone  bug   From before
old-2  P2  closed     task  Done long ago

"#]]
        .raw()
    );
}

#[test]
fn import_refuses_damage_whole() {
    let env = Env::new();
    env.write("bad.jsonl", format!("{OLD}{{\"id\":\"old-3\",\n"));
    assert_data_eq!(
        env.script(
            "import bad.jsonl
             import bad.jsonl --json
             import nosuch.jsonl
             import"
        ),
        str![[r#"
$ bd import bad.jsonl
! error: bad.jsonl:3: ends in the middle of a value (column 15); nothing was imported
! hint: fix that line, or import the rest with --skip-damaged
[exit 8]
$ bd import bad.jsonl --json
! {"error":{"code":"damaged","message":"bad.jsonl:3: ends in the middle of a value (column 15); nothing was imported","hint":"fix that line, or import the rest with --skip-damaged","recoverable":false,"exit_code":8}}
[exit 8]
$ bd import nosuch.jsonl
! error: cannot read $ROOT/web/nosuch.jsonl: No such file or directory (os error 2)
[exit 1]
$ bd import
! error: the following required arguments were not provided:
!   <FILE>
! 
! Usage: bd import <FILE>
! 
! For more information, try '--help'.
[exit 2]

"#]].raw()
    );
    assert_eq!(env.ledger(), b"");
    assert_data_eq!(
        env.script("import bad.jsonl --skip-damaged"),
        str![[r#"
$ bd import bad.jsonl --skip-damaged
Imported: 2 created, 0 updated, 0 unchanged, 0 deleted
! warning: bad.jsonl:3: skipped: ends in the middle of a value (column 15)

"#]]
        .raw()
    );
    assert_eq!(env.ledger_text(), OLD);
}

#[test]
fn export_prints_lines_as_they_are() {
    let env = Env::with_ledger(OLD);
    assert_eq!(env.bd(["export"]).ok().stdout, OLD);
    assert_eq!(
        env.bd(["export", "--json", "--status", "open"]).ok().stdout,
        format!("{}\n", OLD.lines().next().unwrap())
    );
    assert_data_eq!(
        env.script(
            "export -o out.jsonl
             export --status open -o open.jsonl --json
             export -o nosuch/out.jsonl
             export -o .beads/beads.jsonl
             export --status open -p 7"
        ),
        str![[r#"
$ bd export -o out.jsonl
Exported 2 issues to out.jsonl
$ bd export --status open -o open.jsonl --json
{
  "exported": 1,
  "path": "$ROOT/web/open.jsonl"
}
$ bd export -o nosuch/out.jsonl
! error: cannot write $ROOT/web/nosuch/out.jsonl: No such file or directory (os error 2)
[exit 1]
$ bd export -o .beads/beads.jsonl
! error: $ROOT/web/.beads/beads.jsonl is a ledger, or would be taken for one: choose another place
[exit 2]
$ bd export --status open -p 7
! error: invalid priority "7": 0 to 4, P0 to P4, or critical high medium low backlog
[exit 2]

"#]]
        .raw()
    );
    assert_eq!(std::fs::read_to_string(env.path("out.jsonl")).unwrap(), OLD);
    assert_eq!(env.ledger_text(), OLD);
}

#[test]
fn export_never_writes_into_a_ledger() {
    let env = Env::with_ledger(OLD);
    std::fs::hard_link(env.ledger_path(), env.path("linked.jsonl")).unwrap();
    env.bd(["export", "--id", "old-1", "-o", "linked.jsonl"]);
    assert_eq!(env.ledger_text(), OLD, "a hard link to the ledger");
    std::fs::remove_file(env.path("linked.jsonl")).unwrap();
    std::os::unix::fs::symlink(env.ledger_path(), env.path("soft.jsonl")).unwrap();
    env.bd(["export", "--id", "old-1", "-o", "soft.jsonl"]).fails(2, &["is a ledger"]);
    let second = "{\"id\":\"old-3\",\"title\":\"Only here\"}\n";
    env.write(".beads/issues.jsonl", second);
    env.bd(["export", "--id", "old-1", "-o", ".beads/issues.jsonl"]);
    assert_eq!(std::fs::read_to_string(env.path(".beads/issues.jsonl")).unwrap(), second, "the second ledger");
    std::fs::remove_file(env.path(".beads/issues.jsonl")).unwrap();
    env.bd(["export", "-o", ".beads/issues.jsonl"]);
    env.bd(["add", "Still one ledger"]).ok();
}

/// An issue held by another agent cannot be imported; the rest is, and both are reported.
#[test]
fn lines_that_are_refused_do_not_hide_what_came_in() {
    let env = Env::new();
    env.write("old.jsonl", OLD);
    env.bd(["import", "old.jsonl"]).ok();
    env.bd_with(["claim", "old-1"], None, &[("BD_AGENT", "bob")]).ok();
    let line = |id: &str| format!("{{\"id\":\"{id}\",\"title\":\"New\",\"updated_at\":\"2099-01-01T00:00:00Z\"}}\n");
    let import = |lines: String, more: &[&str]| {
        env.write("more.jsonl", lines);
        let args = [&["import", "more.jsonl"], more].concat();
        env.bd_with(args, None, &[("BD_AGENT", "eve")])
    };
    let run = import(line("old-1") + &line("x-1"), &[]).fails(4, &["already claimed by bob"]);
    assert_eq!(run.stdout, "Imported: 1 created, 0 updated, 0 unchanged, 0 deleted, 1 refused\n");
    assert!(env.ledger_text().contains("\"x-1\"") && env.ledger_text().contains("From before"));
    let json = import(line("old-1") + &line("x-2"), &["--json"]);
    assert_eq!((json.code, &json.json()["refused"]), (4, &serde_json::json!(["old-1"])));
    assert_eq!(json.json()["created_ids"], serde_json::json!(["x-2"]));
    let vain = import(line("old-1"), &[]).fails(4, &["already claimed by bob"]);
    assert_eq!(vain.stdout, "", "nothing came in");
}
