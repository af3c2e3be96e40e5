//! Ways by which a private issue once got where it must not be, or by which a project once lost its way.

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::{bd_in, sh};

/// A bare upstream and a clone of it with a ledger, in which we are contributors.
fn clones(env: &Env) {
    sh(
        env,
        "git init -q --bare up.git; git clone -q up.git a 2>/dev/null; cd a; mkdir .beads; : > .beads/beads.jsonl;
         git add -A; git commit -q -m start; git push -q origin HEAD:main; cd ..; git clone -q -b main up.git b",
    );
}

#[test]
fn another_clone_of_the_project_is_no_planning_repo() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    clones(&env);
    bd_in(&env, "a", ["init", "--contributor", "../b"]).fails(5, &["another clone of it"]);
    // Not by way of the settings either.
    let join = ["config", "--add-repo", "../b", "--routing", "contributor"];
    bd_in(&env, "a", join).fails(5, &["another clone of it"]);
    env.set("BD_ROUTING_MODE", "auto");
    env.set("BD_ROUTING_AUTO_CONTRIBUTOR", "../b");
    bd_in(&env, "a", ["add", "Private", "--config", "routing.role=contributor"]).fails(5, &["another clone of it"]);
    assert_eq!(sh(&env, "cat a/.beads/beads.jsonl b/.beads/beads.jsonl; git -C b status --porcelain"), "");
}

#[test]
fn settings_made_before_version_control_stay_in_effect() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    env.bd(["init", "--contributor"]).ok();
    sh(&env, "cd web; git init -q; git add -A; git commit -q -m start");
    env.bd(["add", "Private"]).ok();
    assert_eq!(env.ledger(), b"");
    assert!(env.bd(["where"]).ok().stdout.contains("go to ~/.beads-planning"));
    assert_eq!(sh(&env, "cd web; git ls-files .beads/run; git status --porcelain"), "");
}

#[test]
fn the_part_one_plays_is_set_up_for_the_project_around() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    clones(&env);
    sh(&env, "mkdir -p a/src/deep");
    bd_in(&env, "a/src/deep", ["init", "--contributor", "../../../plans"]).ok();
    assert!(!env.root().join("a/src/deep/.beads").exists());
    bd_in(&env, "a", ["add", "Private", "--id", "pl-1"]).ok();
    assert!(sh(&env, "cat plans/.beads/beads.jsonl").contains("pl-1"));
    assert_eq!(sh(&env, "git -C a status --porcelain"), "");
}

#[test]
fn a_ledger_whose_last_issue_moved_away_is_not_a_lost_one() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    env.bd(["add", "One", "--id", "bd-1"]).ok();
    sh(&env, "mkdir other");
    bd_in(&env, "other", ["init", "--prefix", "ot"]).ok();
    env.bd(["config", "--add-repo", "../other"]).ok();
    sh(&env, "cd web; git init -q; git add -A; git commit -q -m start");
    let before = env.ledger();
    env.bd(["migrate", "--move-to", "../other", "--filter", "status=open"]).ok();
    assert_eq!(env.ledger(), b"\n");
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-1"]);
    // The next line takes the place of the empty one.
    env.bd(["migrate", "--move-to", ".", "--filter", "id=bd-1"]).ok();
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_contributor_s_doctor_says_what_it_did_not_repair() {
    let env = Env::with_ledger("{\"id\":\"b\"}\n{\"id\":\"a\"}\n");
    env.bd(["init", "--contributor"]).ok();
    let before = env.ledger();
    let run = env.bd(["doctor", "--fix"]).ok();
    assert!(run.stdout.contains(". was not repaired: you are a contributor here"), "{}", run.snapshot());
    assert_eq!(env.ledger(), before);
}
