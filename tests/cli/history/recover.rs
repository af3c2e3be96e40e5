//! Acknowledged writes that another program took out of the ledger: noticed by every command, put back by one.

use std::fs;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::project::Project;
use crate::support::repos::{joined, ledger_path, sh};

const REMOVED: &str = "by another program";

/// Nothing is missed, by a command that reads and by one that looks for it.
#[track_caller]
fn nothing_missing(env: &Env) {
    let list = env.bd(["list"]).ok();
    assert!(!list.stderr.contains("acknowledged"), "{}", list.snapshot());
    let recover = env.bd(["recover", "--dry-run"]).ok();
    assert_eq!((recover.stdout.as_str(), recover.stderr.as_str()), ("", "nothing to recover\n"));
}

#[track_caller]
fn missing(env: &Env, ids: &[&str]) {
    let run = env.bd(["recover", "--dry-run", "--json"]).ok().json();
    let found: Vec<&str> = run["recovered"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(found, ids);
    assert_eq!(env.bd(["list"]).ok().stderr.contains(REMOVED), !ids.is_empty());
}

#[test]
fn a_checkout_of_the_ledger_is_noticed_and_undone() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1\nupdate base -p 0\nnote base words");
    let whole = env.ledger();
    project.git("checkout -q -- .beads").ok();
    let reverted = env.ledger();
    assert_data_eq!(
        env.script(
            "list
             stats --json
             update 1 -p 1
             recover --dry-run
             doctor"
        ),
        str![[r#"
$ bd list
bd-base  P2  open  task  Base
! warning: 2 acknowledged writes were removed by another program (bd-1, bd-base); run `bd recover --dry-run` to look
$ bd stats --json
{
  "summary": {
    "total_issues": 1,
    "open_issues": 1,
    "in_progress_issues": 0,
    "closed_issues": 0,
    "blocked_issues": 0,
    "deferred_issues": 0,
    "ready_issues": 1,
    "tombstone_issues": 0,
    "pinned_issues": 0,
    "epics_eligible_for_closure": 0,
    "average_lead_time_hours": 0.0
  },
  "total_issues": 1,
  "open_issues": 1,
  "in_progress_issues": 0,
  "closed_issues": 0,
  "blocked_issues": 0,
  "deferred_issues": 0,
  "ready_issues": 1,
  "tombstone_issues": 0,
  "pinned_issues": 0,
  "epics_eligible_for_closure": 0,
  "average_lead_time_hours": 0.0,
  "warnings": [
    "2 acknowledged writes were removed by another program (bd-1, bd-base); run `bd recover --dry-run` to look"
  ]
}
! {"warning":{"message":"2 acknowledged writes were removed by another program (bd-1, bd-base); run `bd recover --dry-run` to look"}}
$ bd update 1 -p 1
! warning: 2 acknowledged writes were removed by another program (bd-1, bd-base); run `bd recover --dry-run` to look
! error: no issue found matching "1": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd recover --dry-run
Would restore (written 2026-01-05 09:00 by ann): bd-1
Would merge notes, priority (written 2026-01-05 09:00 by ann): bd-base
$ bd doctor
warning: another program removed acknowledged writes: bd-1 bd-base
    run `bd recover` to put them back, or `bd recover --discard` to forget them

"#]]
        .raw()
    );
    assert_eq!(env.ledger(), reverted, "looking writes nothing");
    assert_data_eq!(
        env.script(
            "recover
             recover
             list"
        ),
        str![[r#"
$ bd recover
Restored (written 2026-01-05 09:00 by ann): bd-1
Merged notes, priority (written 2026-01-05 09:00 by ann): bd-base
$ bd recover
! nothing to recover
$ bd list
bd-base  P0  open  task  Base
bd-1     P2  open  task  One

"#]]
        .raw()
    );
    assert_eq!(env.ledger(), whole, "every byte is back");
    nothing_missing(env);
}

#[test]
fn what_was_meant_to_go_is_discarded() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1\nadd Two --id bd-2\nadd Three --id bd-3\nadd Four --id bd-4");
    project.git("checkout -q -- .beads").ok();
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "ready
             recover --discard
             recover --dry-run --discard
             ready"
        ),
        str![[r#"
$ bd ready
bd-base  P2  open  task  Base
! warning: 4 acknowledged writes were removed by another program (bd-1, bd-2, bd-3 and 1 more); run `bd recover --dry-run` to look
$ bd recover --discard
Discarded (written 2026-01-05 09:00 by ann): bd-1
Discarded (written 2026-01-05 09:00 by ann): bd-2
Discarded (written 2026-01-05 09:00 by ann): bd-3
Discarded (written 2026-01-05 09:00 by ann): bd-4
$ bd recover --dry-run --discard
! error: the argument '--dry-run' cannot be used with '--discard'
! 
! Usage: bd recover --dry-run
! 
! For more information, try '--help'.
[exit 2]
$ bd ready
bd-base  P2  open  task  Base

"#]]
        .raw()
    );
    assert_eq!(env.ledger(), before);
    nothing_missing(env);
    env.given("add Five --id bd-5");
    nothing_missing(env);
}

#[test]
fn recovery_in_json() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1\nupdate base -p 0");
    project.git("checkout -q -- .beads").ok();
    let warned = env.bd_with(["list", "--json"], None, &[("BD_JSON_ENVELOPE", "1")]).ok().json();
    assert!(warned["warnings"][0].as_str().unwrap().contains(REMOVED), "{warned}");
    assert_data_eq!(
        env.bd(["recover", "--json"]).ok().compact(),
        str![[r#"
$ bd recover --json
{"dry_run":false,"recovered":[{"id":"bd-1","source_repo":".","action":"restored","fields":[],"written_at":"2026-01-05T09:00:01.000Z","actor":"ann","line":{"id":"bd-1","title":"One","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:01.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:01.000Z"}},{"id":"bd-base","source_repo":".","action":"merged","fields":["priority"],"written_at":"2026-01-05T09:00:02.000Z","actor":"ann","line":{"id":"bd-base","title":"Base","status":"open","priority":0,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:02.000Z"}}],"discarded":[],"gone":[]}

"#]]
        .raw()
    );
    let none = env.bd(["recover", "--discard", "--json"]).ok().json();
    assert_eq!(none.to_string(), r#"{"discarded":[],"dry_run":false,"gone":[],"recovered":[]}"#);
}

/// A write on top of a ledger that was put back does not hide what is missing.
#[test]
fn later_writes_do_not_hide_a_loss() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1\nupdate base -p 0");
    project.git("checkout -q -- .beads").ok();
    let note = env.bd(["note", "base", "on the old line"]).ok();
    assert!(note.stderr.contains(REMOVED), "{}", note.snapshot());
    env.given("add Two --id bd-2");
    missing(env, &["bd-1", "bd-base"]);
    env.bd(["recover"]).ok();
    nothing_missing(env);
    let base = env.bd(["show", "base", "--json"]).ok().json();
    assert_eq!(base[0]["notes"], "on the old line");
    // The merge decides between the two; neither is lost.
    let remark = base[0]["comments"].to_string();
    assert!(base[0]["priority"] == 0 || remark.contains("priority: 0"), "{base}");
    assert_eq!(env.bd(["list", "--json", "--sort", "id"]).ids(), ["bd-1", "bd-2", "bd-base"]);
}

#[test]
fn an_editor_that_removes_and_one_that_changes() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2\nupdate bd-1 -p 0");
    // Another field, and the title that was given when it was filed: edits like any other.
    let edited = env.ledger_text().replace("\"title\":\"One\"", "\"title\":\"Uno\",\"design\":\"d\"");
    env.put_ledger(&edited);
    nothing_missing(&env);
    // The value that a write set goes back to what it was.
    env.put_ledger(edited.replace("\"priority\":0", "\"priority\":2"));
    missing(&env, &["bd-1"]);
    env.put_ledger(
        edited.lines().filter(|line| !line.contains("bd-2")).map(|line| format!("{line}\n")).collect::<String>(),
    );
    missing(&env, &["bd-2"]);
    env.bd(["recover"]).ok();
    assert_eq!(env.ledger_text(), edited, "in its place, byte for byte");
}

#[test]
fn a_stash_takes_writes_away_and_brings_them_back() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1");
    project.git("stash -q").ok();
    missing(env, &["bd-1"]);
    project.git("stash pop -q").ok();
    nothing_missing(env);
    env.given("update bd-1 -p 0");
    nothing_missing(env);
}

#[test]
fn what_a_branch_holds_is_not_missing() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("checkout -q -b side").ok();
    env.given("add One --id bd-1\nupdate base -p 0");
    project.git("commit -qam side").ok();
    project.git("checkout -q main").ok();
    nothing_missing(env);
    env.given("add Two --id bd-2");
    let refused = project.git("checkout side");
    assert_ne!(refused.code, 0, "git does not take uncommitted writes away: {}", refused.snapshot());
    project.git("commit -qam main").ok();
    project.git("checkout -q side").ok();
    nothing_missing(env);
    // Someone else changes the same field of a committed line, and git takes that over.
    project.git("checkout -q main").ok();
    env.given("update bd-2 --title 'Two here'");
    project.git("commit -qam here").ok();
    let theirs = env.ledger_text().replace("Two here", "Two there");
    env.put_ledger(&theirs);
    project.git("commit -qam there").ok();
    nothing_missing(env);
}

#[test]
fn what_commands_take_out_is_not_missing() {
    let env = joined();
    env.given("add One --id bd-1\nmigrate --move-to ~/plan --filter id=bd-1\nadd Two --id bd-2\ndelete bd-2 --yes");
    nothing_missing(&env);
}

#[test]
fn several_repos() {
    let env = joined();
    env.given("add Here --id bd-1\nadd There --id plan-1 --repo ~/plan\nadd More --id plan-2 --repo ~/plan");
    fs::write(env.ledger_path(), "\n").unwrap();
    fs::write(ledger_path(&env, "home/plan"), "\n").unwrap();
    assert_data_eq!(
        env.script(
            "list
             recover --repo ~/plan
             list
             recover
             list"
        ),
        str![[r#"
$ bd list
! no issues
! warning: 1 acknowledged write was removed from . by another program (bd-1); run `bd recover --dry-run` to look
! warning: 2 acknowledged writes were removed from ~/plan by another program (plan-1, plan-2); run `bd recover --dry-run` to look
$ bd recover --repo '~/plan'
Restored in ~/plan (written 2026-01-05 09:00 by ann): plan-1
Restored in ~/plan (written 2026-01-05 09:00 by ann): plan-2
$ bd list
plan-2  P2  open  task  More (~/plan)
plan-1  P2  open  task  There (~/plan)
! warning: 1 acknowledged write was removed from . by another program (bd-1); run `bd recover --dry-run` to look
$ bd recover
Restored in . (written 2026-01-05 09:00 by ann): bd-1
$ bd list
plan-2  P2  open  task  More (~/plan)
plan-1  P2  open  task  There (~/plan)
bd-1    P2  open  task  Here

"#]]
        .raw()
    );
    nothing_missing(&env);
}

#[test]
fn a_checkout_that_is_gone() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("worktree add -q -b side ../side").ok();
    let side = |args: &[&str]| crate::support::repos::bd_in(env, "side", args.iter().copied()).ok();
    side(&["add", "One", "--id", "bd-1"]);
    nothing_missing(env);
    sh(env, "cd side && git checkout -q -- .beads");
    assert!(side(&["list"]).stderr.contains(REMOVED));
    nothing_missing(env);
    project.git("worktree remove --force ../side").ok();
    assert_data_eq!(
        env.script(
            "list
             recover
             recover --from-gone
             list
             recover --from-gone"
        ),
        str![[r#"
$ bd list
bd-base  P2  open  task  Base
$ bd recover
! nothing to recover
! written in checkouts that are gone, 1 issue (--from-gone takes them in): bd-1
$ bd recover --from-gone
Restored (written 2026-01-05 09:00 by ann): bd-1
$ bd list
bd-1     P2  open  task  One
bd-base  P2  open  task  Base
$ bd recover --from-gone
! nothing to recover

"#]]
        .raw()
    );
}

#[test]
fn a_log_that_is_cut_off_or_cannot_be_written() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    let log = env.path(".beads/run/writes.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, &text[..text.len() - 20]).unwrap();
    nothing_missing(&env);
    env.given("add Three --id bd-3");
    assert_eq!(fs::read_to_string(&log).unwrap().matches('\n').count(), 3);
    nothing_missing(&env);
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    let add = env.bd(["add", "Four", "--id", "bd-4"]).ok();
    assert!(add.stderr.contains("warning: written, but not noted in the log of .: cannot open"), "{}", add.snapshot());
    assert!(env.ledger_text().contains("bd-4"));
}

/// When the log has become large, what a remote has is dropped, and the rest stays.
#[test]
fn a_large_log_is_made_smaller() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let log = env.path(".git/beads/writes.jsonl");
    let text = "words ".repeat(8_000);
    env.given("add One --id bd-1");
    project.git("commit -qam one").ok();
    sh(env, "git init -q --bare upstream; cd web; git remote add origin ../upstream; git push -q -u origin main");
    env.given("add Two --id bd-2");
    for n in 0..14 {
        env.bd(["update", "bd-2", "-d", &format!("{n} {text}")]).ok();
    }
    let kept = fs::read_to_string(&log).unwrap();
    assert!(kept.len() < 1 << 20 && kept.starts_with("{\"joined\":"), "{}", kept.len());
    assert!(!kept.contains("\"id\":\"bd-1\"") && kept.contains("\"id\":\"bd-2\""));
    nothing_missing(env);
    // The newest writes can be taken back, those that were joined cannot.
    env.bd(["undo", "14"]).fails(3, &["known here, not 14"]);
    env.bd(["undo", "4", "--yes"]).ok();
    assert!(env.ledger_text().contains("9 words"));
    env.bd(["undo", "--yes"]).ok();
    project.git("checkout -q -- .beads").ok();
    missing(env, &["bd-2"]);
    env.bd(["recover"]).ok();
    assert!(env.ledger_text().contains("13 words"));
}

#[test]
fn a_contributor_gets_back_what_was_proposed() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    env.given("add Plan --id pl-1\npropose pl-1");
    let whole = env.ledger();
    project.git("checkout -q -- .beads").ok();
    missing(env, &["pl-1"]);
    env.bd(["recover"]).ok();
    assert_eq!(env.ledger(), whole);
}

/// hg keeps the log in its own directory, too.
#[test]
fn hg_revert() {
    if !have(&["hg"]) {
        return;
    }
    let env = Env::new();
    sh(&env, "cd web && hg init && hg add -q .beads && hg commit -qm base");
    env.given("add One --id bd-1");
    assert!(env.path(".hg/beads/writes.jsonl").exists());
    nothing_missing(&env);
    sh(&env, "cd web && hg revert -q --no-backup .beads/beads.jsonl");
    missing(&env, &["bd-1"]);
    env.bd(["recover"]).ok();
    nothing_missing(&env);
}

/// A commit that only this clone has is not safe: it can be dropped.
#[test]
fn a_commit_that_is_given_up() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1\ncommit");
    nothing_missing(env);
    project.git("reset -q --hard HEAD~1").ok();
    missing(env, &["bd-1"]);
    env.bd(["recover"]).ok();
    // On a detached head, and then back on the branch.
    env.bd(["commit"]).ok();
    project.git("checkout -q --detach").ok();
    env.given("add Two --id bd-2");
    env.bd(["sync"]).ok();
    nothing_missing(env);
    project.git("checkout -q main").ok();
    missing(env, &["bd-2"]);
    env.bd(["recover"]).ok();
    env.bd(["commit"]).ok();
    // Replaced by a commit without it.
    sh(env, "cd web; git reset -q --soft HEAD~1; git checkout -q HEAD -- .beads; git commit -q --amend -m amended");
    missing(env, &["bd-2"]);
    env.bd(["recover"]).ok();
    env.bd(["commit"]).ok();
    // Once a remote has it, it need not be remembered.
    sh(env, "git init -q --bare upstream; cd web; git remote add origin ../upstream; git push -q -u origin main");
    env.bd(["sync"]).ok();
    project.git("reset -q --hard HEAD~1").ok();
    nothing_missing(env);
}

#[test]
fn jj_abandons_the_commit() {
    if !have(&["jj", "git"]) {
        return;
    }
    for way in ["--colocate", "--no-colocate"] {
        let env = Env::new();
        sh(&env, &format!("cd web; jj git init {way} 2>&1; jj commit -m base 2>&1"));
        env.given("add One --id bd-1\ncommit");
        // On another line of commits it is not missing.
        sh(&env, "cd web; jj new @-- 2>&1");
        nothing_missing(&env);
        sh(&env, "cd web; jj abandon 'heads(all() ~ @)' 2>&1");
        let recover = env.bd(["recover", "--dry-run"]).ok();
        assert!(recover.stdout.contains("Would restore") && recover.stdout.contains("bd-1"), "{}", recover.snapshot());
        env.given("recover\ncommit\nadd Two --id bd-2\ncommit");
        sh(&env, "cd web; jj abandon @- 2>&1");
        missing(&env, &["bd-2"]);
        env.bd(["recover"]).ok();
        assert!(env.ledger_text().contains("bd-2"));
    }
}

#[test]
fn hg_strips_the_commit() {
    if !have(&["hg"]) {
        return;
    }
    let env = Env::new();
    sh(&env, "cd web && hg init && hg add -q .beads && hg commit -qm base");
    env.given("add One --id bd-1\ncommit");
    sh(&env, "cd web && hg update -q 0");
    nothing_missing(&env);
    sh(&env, "cd web && hg --config extensions.strip= strip -q --no-backup 1");
    let recover = env.bd(["recover"]).ok();
    assert!(recover.stdout.contains("Restored"), "{}", recover.snapshot());
}

/// The log belongs to the checkout, wherever it is.
#[test]
fn a_project_that_was_moved() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1\nadd Two --id bd-2\nupdate bd-1 -p 0");
    fs::rename(env.path(""), env.root().join("moved")).unwrap();
    let moved = |args: &str| crate::support::repos::bd_in(env, "moved", args.split(' ')).ok();
    assert!(moved("undo --yes").stdout.contains("bd-1"));
    assert_eq!(moved("show bd-1 --json").json()[0]["priority"], 2);
    sh(env, "cd moved && git checkout -q -- .beads");
    assert!(moved("list").stderr.contains(REMOVED));
    moved("recover");
    assert!(moved("list").stdout.contains("bd-2"));
    // A copy is another checkout: what is missing there is missing there alone.
    sh(env, "cp -r moved web; cd web; git checkout -q -- .beads");
    assert!(!moved("list").stderr.contains(REMOVED));
}
