//! Refusals and remarks that once named the wrong cause, or a way out that leads nowhere.

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::sh;

/// A repo of jj and git whose ledger is committed.
fn jj() -> Option<Env> {
    if !have(&["jj", "git"]) {
        return None;
    }
    let env = Env::new();
    env.given("add Base --id bd-base");
    sh(&env, "cd web; (jj git init --colocate; jj commit -m base; jj bookmark create main -r @-) 2>&1");
    Some(env)
}

#[test]
fn without_version_control_there_is_no_history_and_that_is_said() {
    let env = Env::new();
    env.given("add One --id bd-1");
    for line in ["log bd-1", "diff a..b", "blame bd-1", "show bd-1 --at HEAD", "list --at yesterday", "restore bd-9"] {
        let run = env.bd(line.split(' ')).fails(9, &["no history", "put it under git, jj or hg"]);
        assert!(!run.stderr.contains("bd resolve"), "{}", run.snapshot());
    }
    env.bd(["sync"]).fails(9, &["put it under git, jj or hg"]);
    let run = env.bd(["worktree", "create", "x"]).fails(1, &["only a repository of git, jj or hg"]);
    assert!(!run.stderr.contains("none"), "{}", run.snapshot());
}

#[test]
fn what_stands_between_markers_is_left_to_resolve() {
    let line = |title: &str| {
        format!(
            "{{\"id\":\"bd-2\",\"title\":\"{title}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}}\n"
        )
    };
    let env = Env::with_ledger(format!("<<<<<<< a\n{}=======\n{}not an issue\n>>>>>>> b\n", line("x"), line("y")));
    let run = env.bd(["doctor"]);
    let said = run.snapshot();
    assert!(said.contains("conflict markers, to line 6") && said.contains("bd resolve"), "{said}");
    assert!(!said.contains("--fix") && !said.contains("2 lines"), "{said}");
    const READS: [&str; 5] = ["list", "show bd-2", "count", "ready", "list --json"];
    for read in READS {
        let said = env.bd(read.split(' ')).ok().snapshot();
        assert!(said.contains("conflict markers, to line 6") && said.contains("bd resolve"), "{said}");
        assert!(!said.contains("doctor") && !said.contains("2 lines"), "{said}");
    }
    // Outside of them it still says what it does.
    let env = Env::with_ledger(format!("{}{}not an issue\n", line("x"), line("y")));
    let said = env.bd(["doctor"]).snapshot();
    assert!(said.contains("to move the line") && said.contains("to join the copies"), "{said}");
    for read in READS {
        let said = env.bd(read.split(' ')).ok().snapshot();
        assert!(said.contains("bd-2 is on 2 lines") && said.contains("beads.jsonl:3: "), "{said}");
    }
}

#[test]
fn a_revision_that_means_several_commits_is_not_unknown() {
    let Some(env) = jj() else { return };
    env.bd(["show", "bd-base", "--at", "all()"]).fails(3, &["\"all()\" means several commits"]);
    env.bd(["show", "bd-base", "--at", "none()"]).fails(3, &["neither a date nor a revision"]);
    env.bd(["show", "bd-base", "--at", "@-"]).ok();
}

#[test]
fn a_write_on_an_anonymous_head_of_jj_is_not_lost() {
    let Some(env) = jj() else { return };
    env.given("add One --id bd-1");
    env.bd(["commit"]).ok();
    env.given("add Two --id bd-2");
    sh(&env, "cd web; jj new main 2>&1");
    let list = env.bd(["list", "--json"]).ok();
    assert_eq!((list.ids(), list.stderr.as_str()), (vec!["bd-base".to_owned()], ""));
    assert!(env.bd(["recover"]).ok().snapshot().contains("nothing to recover"));
    // A commit that is in no head any more is reported.
    sh(&env, "cd web; jj abandon 'all() ~ ::main ~ @' 2>&1");
    assert!(env.bd(["list"]).ok().stderr.contains("bd recover"));
}

#[test]
fn the_change_of_a_working_copy_of_jj_is_counted_once() {
    let Some(env) = jj() else { return };
    sh(
        &env,
        "git init -q --bare up.git; cd web; (jj git remote add origin ../up.git; jj git push -b main || jj git push --allow-new -b main) 2>&1",
    );
    env.write("x", "x");
    let line = env.bd(["worktree", "list"]).ok().stdout;
    assert!(line.contains("1 changed") && !line.contains("unsaved"), "{line}");
    sh(&env, "cd web; jj commit -m x 2>&1");
    let line = env.bd(["worktree", "list"]).ok().stdout;
    assert!(line.contains("1 unsaved") && !line.contains("changed"), "{line}");
}
