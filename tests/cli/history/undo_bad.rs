//! What an undo does not touch, and when it is refused.

use std::fs;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{Env, Run};
use crate::support::project::Project;
use crate::support::repos::{bd_in, joined, ledger, repo, sh};

fn bob(env: &Env, line: &str) -> Run {
    env.bd_with(line.split(' '), None, &[("BD_ACTOR", "bob")])
}

/// The command is refused, and no byte of the ledger is another.
#[track_caller]
fn refused(env: &Env, line: &str, code: i32, texts: &[&str]) {
    let before = env.ledger();
    env.bd(line.split(' ')).fails(code, texts);
    assert_eq!(env.ledger(), before, "{line}: nothing is written");
}

#[test]
fn a_number_that_is_none() {
    let env = Env::new();
    env.given("add One --id bd-1");
    refused(&env, "undo 0 --yes", 2, &["'0'"]);
    refused(&env, "undo x --yes", 2, &["not a number: x"]);
    refused(&env, "undo -1 --yes", 2, &["-1"]);
    refused(&env, "undo 99999999999 --yes", 2, &["99999999999"]);
    refused(&env, "undo 1.5 --yes", 2, &["1.5"]);
    refused(&env, "undo 2 --yes", 3, &["only one write of ann is known here, not 2"]);
    refused(&env, "undo 4294967295 --yes", 3, &["only one write of ann is known here"]);
    refused(&env, "undo 1 2", 2, &[]);
}

#[test]
fn without_a_log_there_is_nothing_to_undo() {
    let env = Env::new();
    refused(&env, "undo", 3, &["no write of ann is known here", "hint: run `bd log`"]);
    env.given("add One --id bd-1");
    refused(&env, "undo --yes --actor bob", 3, &["no write of bob is known here"]);
    let error = env.bd(["undo", "--json", "--actor", "bob"]).fails(3, &[]).error();
    assert_eq!(error["code"], "not_found");
    fs::remove_file(env.path(".beads/run/writes.jsonl")).unwrap();
    refused(&env, "undo --yes", 3, &["no write of ann is known here"]);
}

#[test]
fn what_another_changed_since_stays_or_stops_it() {
    let env = Env::new();
    env.given("add One --id bd-1 -l x --notes a\nupdate 1 -p 0 --add-label y --append-notes b");
    bob(&env, "update 1 --title Uno --add-label z --append-notes c").ok();
    bob(&env, "comment 1 hello").ok();
    env.bd(["undo", "--yes"]).ok();
    let issue = &env.bd(["show", "1", "--json"]).ok().json()[0];
    assert_eq!((&issue["title"], &issue["priority"]), (&"Uno".into(), &2.into()));
    assert_eq!((&issue["labels"], &issue["notes"]), (&serde_json::json!(["x", "z"]), &"a\nc".into()));
    assert_eq!(issue["comments"][0]["text"], "hello");

    env.given("update 1 -p 0 --title Eins");
    bob(&env, "update 1 -p 3").ok();
    refused(&env, "undo --yes", 8, &["changed again since: priority of bd-1 by bob at 2026-01-05T09:00:0"]);
    refused(&env, "undo", 8, &["priority of bd-1"]);
    let error = env.bd(["undo", "--yes", "--json"]).fails(8, &[]).error();
    assert_eq!(error["code"], "conflict");
    // Once bob has undone his write, it works.
    bob(&env, "undo --yes").ok();
    env.bd(["undo", "--yes"]).ok();
    let issue = &env.bd(["show", "1", "--json"]).ok().json()[0];
    assert_eq!((&issue["title"], &issue["priority"]), (&"Uno".into(), &2.into()));
}

#[test]
fn an_edit_by_another_program_is_an_edit_of_another() {
    let env = Env::new();
    env.given("add One --id bd-1\nupdate 1 -p 0");
    env.put_ledger(env.ledger_text().replace("\"priority\":0", "\"priority\":4"));
    refused(&env, "undo --yes", 8, &["changed again since: priority of bd-1 at 2026-01-05T09:00:01.000Z\n"]);
    env.put_ledger("\n");
    refused(&env, "undo --yes", 8, &["moved or taken out of its ledger since: bd-1"]);
}

#[test]
fn two_who_write_in_turn() {
    let env = Env::new();
    env.given("add One --id bd-1");
    bob(&env, "add Two --id bd-2").ok();
    env.given("update 1 -p 0");
    bob(&env, "update 2 -p 1").ok();
    env.bd(["undo", "2", "--yes"]).ok();
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-2"], "only ann's");
    bob(&env, "undo --yes").ok();
    assert_eq!(env.bd(["show", "2", "--json"]).ok().json()[0]["priority"], 2);
    env.bd(["undo", "--yes"]).ok();
    assert_eq!(env.bd(["show", "1", "--json"]).ok().json()[0]["priority"], 0, "both of ann's writes are back");
}

#[test]
fn an_issue_that_others_use_is_not_taken_out() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd New --id bd-2");
    bob(&env, "dep add 1 2").ok();
    refused(&env, "undo --yes", 5, &["bd-2 was made by that write, and bd-1 refers to it"]);
    bob(&env, "undo --yes").ok();
    bob(&env, "note 2 mine").ok();
    refused(&env, "undo --yes", 8, &["notes of bd-2 by bob"]);
    bob(&env, "undo --yes").ok();
    env.bd(["undo", "--yes"]).ok();
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-1"]);
}

#[test]
fn a_dependency_that_would_close_a_circle_does_not_come_back() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2 --deps bd-1\ndep remove 2 1");
    bob(&env, "dep add 1 2").ok();
    refused(&env, "undo --yes", 5, &["that would close a cycle"]);
    env.given("dep remove 1 2\ndep add 1 2");
    // The three together bring both back, that of bob and that of ann.
    refused(&env, "undo 3 --yes", 5, &["that would close a cycle"]);
    env.given("dep remove 1 2");
    // These two make room for each other.
    env.given("dep add 2 1\ndep remove 2 1\ndep add 1 2");
    env.bd(["undo", "2", "--yes"]).ok();
    assert_eq!(env.bd(["dep", "list", "2", "--json"]).ok().ids(), ["bd-1"]);
}

#[test]
fn a_line_of_the_log_that_cannot_be_read() {
    let env = Env::new();
    env.given("add One --id bd-1\nupdate 1 -p 0");
    let log = env.path(".beads/run/writes.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, &text[..text.len() - 20]).unwrap();
    refused(&env, "undo --yes", 8, &["writes.jsonl:2: the line cannot be read"]);
    env.given("update 1 -p 1");
    env.bd(["undo", "--yes"]).ok();
    assert_eq!(env.bd(["show", "1", "--json"]).ok().json()[0]["priority"], 0);
    refused(&env, "undo 3 --yes", 8, &["writes.jsonl:2: the line cannot be read"]);
    fs::write(&log, "{}\n[\n\n\u{0}\n").unwrap();
    refused(&env, "undo --yes", 8, &["writes.jsonl:1: the line cannot be read"]);
}

#[test]
fn a_log_that_cannot_be_written_fails_no_write() {
    let env = Env::new();
    let log = env.path(".beads/run/writes.jsonl");
    fs::create_dir_all(&log).unwrap();
    let add = env.bd(["add", "One", "--id", "bd-1"]).ok();
    assert!(add.stderr.contains("warning: written, but not noted in the log of .: cannot open"), "{}", add.snapshot());
    assert_eq!(add.stderr.matches("warning:").count(), 1, "{}", add.snapshot());
    assert!(env.ledger_text().contains("bd-1"));
    refused(&env, "undo", 1, &["writes.jsonl"]);
    // A state home that is a file.
    fs::remove_dir_all(env.path(".beads/run")).unwrap();
    fs::write(env.path(".beads/run"), "").unwrap();
    env.bd(["add", "Three", "--id", "bd-3"]).ok();
    assert!(env.ledger_text().contains("bd-3"));
}

#[test]
fn a_contributor_changes_nothing_upstream_by_it() {
    let env = joined();
    env.given("update own -p 0\nmigrate --move-to ~/plan --filter id=bd-own");
    env.given("config --routing contributor");
    refused(&env, "undo --yes", 5, &["bd-own cannot be written to ."]);
    assert!(ledger(&env, "home/plan").contains("bd-own"));
    let env = joined();
    env.given("update own -p 0\nconfig --routing contributor");
    refused(&env, "undo --yes", 5, &["bd-own cannot be written to ."]);
    refused(&env, "undo", 5, &["bd-own cannot be written to ."]);
}

#[test]
fn a_repo_that_only_the_command_named() {
    let env = Env::new();
    repo(&env, "away", "aw");
    env.given("add One --id bd-1");
    env.bd(["migrate", "--move-to", "../away", "--filter", "id=bd-1"]).ok();
    assert!(ledger(&env, "away").contains("bd-1"));
    let moved = fs::read(env.root().join("away/.beads/beads.jsonl")).unwrap();
    env.bd(["undo", "--yes"]).ok();
    assert!(!ledger(&env, "away").contains("bd-1") && env.ledger_text().contains("bd-1"));
    env.bd(["undo", "--yes"]).ok();
    assert_eq!(fs::read(env.root().join("away/.beads/beads.jsonl")).unwrap(), moved);
    fs::remove_dir_all(env.root().join("away")).unwrap();
    refused(&env, "undo --yes", 9, &["that write also changed", "away/.beads/beads.jsonl"]);
}

#[test]
fn another_worktree_is_left_alone() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("update base -p 0");
    project.git("commit -qam zero").ok();
    project.git("worktree add -q ../other").ok();
    bd_in(env, "other", ["update", "base", "-p", "4"]).ok();
    env.bd(["undo", "--yes"]).ok();
    assert!(env.ledger_text().contains("\"priority\":2"));
    assert!(ledger(env, "other").contains("\"priority\":4"));
    bd_in(env, "other", ["undo", "--yes"]).ok();
    assert!(ledger(env, "other").contains("\"priority\":0"));
}

/// `bd recover` forgets what a remote has, but it can still be undone.
#[test]
fn what_is_committed_can_be_undone() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1\nclose base");
    project.git("commit -qam one").ok();
    sh(env, "git init -q --bare upstream; cd web; git remote add origin ../upstream; git push -q -u origin main");
    env.bd(["recover"]).ok();
    assert!(fs::read_to_string(env.path(".git/beads/writes.jsonl")).unwrap().contains("\n{\"forgets_all\":true,"));
    env.bd(["undo", "2", "--yes"]).ok();
    let list = env.bd(["list", "--all", "--json"]).ok();
    assert_eq!((list.ids(), list.stderr.as_str()), (vec!["bd-base".to_owned()], ""));
    assert_eq!(list.json()[0]["status"], "open");
    // History is as it was, and the working copy has the undo.
    assert_eq!(project.git("log --format=%s").ok().stdout, "one\nbase\n");
    assert!(project.git("status --porcelain").ok().stdout.contains(".beads/beads.jsonl"));
    // A checkout that takes the undo away is noticed like that of any write.
    project.git("checkout -q -- .beads").ok();
    assert!(env.bd(["list"]).ok().stderr.contains("by another program"));
}

/// A fresh clone has no log, but it has commits.
#[test]
fn without_a_log_it_is_the_last_commit() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    for (who, line) in [("ann", "update base -p 0 --add-label x"), ("bob", "note base words"), ("ann", "close base")] {
        env.bd_with(line.split(' '), None, &[("BD_ACTOR", who)]).ok();
        project.git(&format!("-c user.name={who} commit -qam {who}")).ok();
    }
    project.git("clone -q . ../fresh").ok();
    let shown = bd_in(env, "fresh", ["undo", "2"]).ok();
    let commits: Vec<String> =
        project.git("log --author=ann --format=%h --abbrev=10").ok().stdout.lines().map(str::to_owned).collect();
    for (commit, told) in commits.iter().zip(shown.stdout.lines().skip(1)) {
        assert!(told.starts_with(&format!("  commit {commit} of ")), "{}", shown.snapshot());
    }
    assert!(shown.stdout.contains("Would revert closed_at, labels, priority, status: bd-base"), "{}", shown.snapshot());
    bd_in(env, "fresh", ["undo", "--yes"]).ok();
    let issue = |env: &Env| bd_in(env, "fresh", ["show", "base", "--json"]).ok().json()[0].clone();
    let open = issue(env);
    assert_eq!((&open["status"], &open["priority"], &open["notes"]), (&"open".into(), &0.into(), &"words".into()));
    // From now on there is a log.
    bd_in(env, "fresh", ["undo", "--yes"]).ok();
    assert_eq!(issue(env)["status"], "closed");
    bd_in(env, "fresh", ["undo", "3"]).fails(3, &["only 2 writes of ann are known here, not 3"]);
    bd_in(env, "fresh", ["undo", "--actor", "max"]).fails(3, &["no write of max is known here"]);
    // The first commit of the ledger is not an edit.
    bd_in(env, "fresh", ["undo", "--actor", "t"]).fails(3, &["no write of t is known here"]);
}

#[test]
fn putting_a_file_in_order_is_no_write_to_take_back() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    let lines: Vec<String> = env.ledger_text().lines().rev().map(|line| format!("{line}\n")).collect();
    env.put_ledger(lines.concat());
    env.given("update 1 -p 0\ndoctor --fix");
    let undo = env.bd(["undo", "--yes"]).ok();
    assert_data_eq!(
        undo.snapshot(),
        str![[r#"
$ bd undo --yes
Reverted priority: bd-1
! bd doctor of 2026-01-05 09:00 only put a file in order, and stays

"#]]
        .raw()
    );
    assert!(env.ledger_text().starts_with("{\"id\":\"bd-1\""), "the order stays");
}

#[test]
fn a_planning_repo_commits_the_undo() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    env.given("add Plan --id pl-1\nclose pl-1\nundo --yes");
    let log = sh(env, "git -C home/.beads-planning log --format=%s");
    assert_eq!(log.lines().take(3).collect::<Vec<_>>(), ["update pl-1: Plan", "update pl-1: Plan", "add pl-1: Plan"]);
    assert_eq!(sh(env, "git -C home/.beads-planning status --porcelain -- .beads/beads.jsonl"), "");
}

#[test]
fn a_ledger_that_takes_no_write_takes_no_undo() {
    let env = Env::new();
    env.given("add One --id bd-1\nupdate 1 -p 0");
    let text = env.ledger_text();
    env.put_ledger(format!("<<<<<<< a\n{text}=======\n{text}>>>>>>> b\n"));
    refused(&env, "undo --yes", 8, &["conflict"]);
}

/// A project that its own settings join with `../lib`.
fn with_lib() -> Env {
    let env = Env::new();
    repo(&env, "lib", "lib");
    env.given("repo add ../lib");
    env
}

/// A write over two repos goes back whole or not at all, also when one of them has left the project.
#[test]
fn a_move_out_of_a_repo_that_left_the_project() {
    let env = with_lib();
    bd_in(&env, "lib", ["add", "Moved", "--id", "lib-m"]).ok();
    env.given("migrate --move-to . --filter id=lib-m\nrepo remove ../lib");
    assert!(ledger(&env, "web").contains("lib-m") && !ledger(&env, "lib").contains("lib-m"));
    let shown = env.bd(["undo"]).ok();
    assert!(shown.stdout.contains("Would remove from .: lib-m"), "{}", shown.snapshot());
    assert!(shown.stdout.contains("Would restore in ../lib: lib-m"), "{}", shown.snapshot());
    fs::rename(env.root().join("lib"), env.root().join("away")).unwrap();
    refused(&env, "undo --yes", 9, &["that write also changed", "lib/.beads/beads.jsonl"]);
    // Also after the project was moved.
    fs::rename(env.root().join("web"), env.root().join("moved")).unwrap();
    bd_in(&env, "moved", ["undo", "--yes"]).fails(9, &["that write also changed"]);
    fs::rename(env.root().join("moved"), env.root().join("web")).unwrap();
    fs::rename(env.root().join("away"), env.root().join("lib")).unwrap();
    env.bd(["undo", "--yes"]).ok();
    assert!(!ledger(&env, "web").contains("lib-m") && ledger(&env, "lib").contains("lib-m"), "it is in one place");
}

#[test]
fn a_move_into_a_repo_that_left_the_project() {
    let env = with_lib();
    env.given("add Moved --id bd-m\nmigrate --move-to ../lib --filter id=bd-m\nrepo remove ../lib");
    env.bd(["undo", "--yes"]).ok();
    assert!(ledger(&env, "web").contains("bd-m") && !ledger(&env, "lib").contains("bd-m"));
}

#[test]
fn an_issue_that_was_deleted_since_is_not_edited() {
    let env = Env::new();
    env.given("add One --id bd-1\nupdate 1 --title Uno");
    bob(&env, "delete 1 --yes").ok();
    refused(&env, "undo", 5, &["bd-1 was deleted since", "bd reopen ID"]);
    refused(&env, "undo --yes", 5, &["bd-1 was deleted since"]);
    bob(&env, "reopen 1").ok();
    env.bd(["undo", "--yes"]).ok();
    assert_eq!(env.bd(["show", "1", "--json"]).ok().json()[0]["title"], "One");
    // One's own deletion goes back together with the edit before it.
    env.given("update 1 --title Eins\ndelete 1 --yes\nundo 2 --yes");
    assert_eq!(env.bd(["show", "1", "--json"]).ok().json()[0]["title"], "One");
}

#[test]
fn a_dependency_on_an_issue_that_was_deleted_since_does_not_come_back() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2\nadd Epic --id bd-3 -t epic\ndep add 1 2\ndep remove 1 2");
    bob(&env, "delete 2 --yes").ok();
    refused(&env, "undo --yes", 5, &["bd-1 would depend on bd-2 again, which was deleted since"]);
    bob(&env, "reopen 2").ok();
    env.bd(["undo", "--yes"]).ok();
    assert_eq!(env.bd(["dep", "list", "1", "--json"]).ok().ids(), ["bd-2"]);
    env.bd(["update", "1", "--parent", "3"]).ok();
    env.bd(["update", "1", "--parent", ""]).ok();
    bob(&env, "delete 3 --yes").ok();
    refused(&env, "undo", 5, &["bd-1 would depend on bd-3 again"]);
}

/// An empty file could be one that was lost, and the last commit may hold the issue.
#[test]
fn a_ledger_that_loses_its_last_issue_is_not_an_empty_file() {
    let env = Env::new();
    assert_eq!(env.ledger_text(), "");
    env.given("add One --id bd-1\nundo --yes");
    assert_eq!(env.ledger_text(), "\n");
    assert_eq!(env.bd(["list", "--json"]).ok().json(), serde_json::json!([]));
    env.given("add Two --id bd-2");
    assert!(env.ledger_text().starts_with("{\"id\":\"bd-2\""), "the line feed goes with the next write");
}
