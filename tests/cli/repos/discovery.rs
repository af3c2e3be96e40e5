//! Where looking for a ledger ends: at a repository of its own, and at what is another user's.

use std::os::unix::fs::chown;

use crate::support::harness::Env;
use crate::support::programs::{have, skip};
use crate::support::repos::{bd_in, sh};

fn refused_inside(env: &Env, below: &str, outer: &str) {
    let before = env.ledger();
    let said = bd_in(env, below, ["add", "Lost"]);
    let said = said.fails(9, &["a repository of its own without a ledger", "`bd init`", "`bd -C "]);
    assert!(said.stderr.contains(&env.root().join(outer).display().to_string()), "{}", said.snapshot());
    for line in [&["list"][..], &["ready", "--claim"], &["run", "--", "touch", "ran"]] {
        bd_in(env, below, line.iter().copied()).fails(9, &["`bd init`"]);
    }
    assert_eq!(env.ledger(), before, "{below}");
    // Both ways work.
    bd_in(env, below, ["-C", &env.root().join(outer).display().to_string(), "add", "Meant"]).ok();
    assert_ne!(env.ledger(), before, "{below}");
    bd_in(env, below, ["init", "-q"]).ok();
    let count = env.ledger();
    bd_in(env, below, ["add", "Own"]).ok();
    assert_eq!(env.ledger(), count, "{below}");
}

#[test]
fn a_repository_inside_another_is_a_border() {
    if !have(&["git", "hg", "jj"]) {
        return;
    }
    let env = Env::new();
    sh(
        &env,
        "cd web; git init -q; mkdir -p sub/deep
         git init -q vendor; mkdir vendor/src
         hg init old
         git init -q --separate-git-dir=../elsewhere apart
         jj git init -q new 2>/dev/null || jj git init new",
    );
    // A directory of the project itself is none.
    bd_in(&env, "web/sub/deep", ["add", "Here"]).ok();
    assert!(env.ledger_text().contains("\"Here\""));
    for inner in ["vendor/src", "old", "apart", "new"] {
        refused_inside(&env, &format!("web/{inner}"), "web");
    }
}

#[test]
fn a_ledger_above_a_repository_is_not_its_own() {
    if !have(&["git"]) {
        return;
    }
    // Without version control above, as in a home directory or where several projects are kept.
    let env = Env::new();
    sh(&env, "git init -q web/project");
    refused_inside(&env, "web/project", "web");
}

#[test]
fn submodules_and_worktrees_are_no_borders() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    sh(
        &env,
        "git init -q lib; git -C lib commit -q --allow-empty -m lib
         cd web; git init -q; git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qam base
         git worktree add -q inside/tree",
    );
    for below in ["web/lib", "web/inside/tree"] {
        let title = format!("From {below}");
        bd_in(&env, below, ["add", &title]).ok();
        assert!(env.ledger_text().contains(&title), "{below}");
    }
}

#[test]
fn a_ledger_of_another_user_above_is_not_taken() {
    if !rustix::process::geteuid().is_root() {
        skip("only root can make a directory another user's");
        return;
    }
    let env = Env::new();
    std::fs::create_dir(env.path("mine")).unwrap();
    let before = env.ledger();
    // A shared temporary directory, in which another has put a ledger.
    for path in [".beads", ".beads/beads.jsonl"] {
        chown(env.path(path), Some(4711), None).unwrap();
    }
    let said = bd_in(&env, "web/mine", ["add", "Lost"]);
    said.fails(9, &["belongs to another user", "`bd init`", "`bd -C "]);
    assert_eq!(env.ledger(), before);
    bd_in(&env, "web/mine", ["-C", "..", "add", "Meant"]).ok();
    env.bd_with(["list"], None, &[("BEADS_DIR", env.path(".beads").to_str().unwrap())]).ok();
    env.bd(["list"]).ok();
    // All of one user's, as for an administrator who looks into a project.
    chown(env.path("mine"), Some(4711), None).unwrap();
    bd_in(&env, "web/mine", ["list"]).ok();
}

#[test]
fn a_second_ledger_in_a_project_is_made_only_on_request() {
    let env = Env::new();
    std::fs::create_dir_all(env.path("sub/deep")).unwrap();
    let said = bd_in(&env, "web/sub/deep", ["init"]).fails(1, &["part of the project in", "`bd init --here`"]);
    assert!(said.stderr.contains(&env.path("").display().to_string()), "{}", said.snapshot());
    assert!(!env.path("sub/deep/.beads").exists());
    bd_in(&env, "web/sub/deep", ["init", "--here", "-q"]).ok();
    bd_in(&env, "web/sub/deep", ["add", "Second"]).ok();
    assert!(!env.ledger_text().contains("Second"));
    // Again is as little as anywhere.
    assert!(bd_in(&env, "web/sub/deep", ["init"]).ok().stdout.contains("already initialized"));
    assert!(env.bd(["init"]).ok().stdout.contains("already initialized"));
}
