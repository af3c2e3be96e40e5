//! Ledgers that are not plain files in a plain place: links, pipes, redirects.

use std::os::unix::fs::symlink;

use crate::support::harness::Env;

fn one() -> Env {
    let env = Env::new();
    env.given("add 'One' --id bd-1");
    env
}

#[test]
fn a_ledger_with_two_hard_links_is_read_only() {
    let env = one();
    std::fs::hard_link(env.ledger_path(), env.path("copy")).unwrap();
    let before = env.ledger();
    env.bd(["close", "1"]).fails(5, &["beads.jsonl has 2 hard links"]);
    assert_eq!((env.ledger(), env.bd(["list", "--json"]).ids().len()), (before, 1));
}

#[test]
fn a_dry_run_says_what_the_write_would_say() {
    let env = one();
    env.given("update 1 -p 0");
    std::fs::hard_link(env.ledger_path(), env.path("copy")).unwrap();
    for line in [&["undo", "--yes"][..], &["undo", "--dry-run"]] {
        env.bd(line).fails(5, &["beads.jsonl has 2 hard links"]);
    }
    std::fs::remove_file(env.path("copy")).unwrap();
    env.bd(["undo", "--dry-run"]).ok();
    env.bd(["undo", "--yes"]).ok();
}

#[test]
fn a_link_out_of_the_repository_is_refused() {
    let env = one();
    let outside = env.root().join("outside.jsonl");
    std::fs::rename(env.ledger_path(), &outside).unwrap();
    symlink(&outside, env.ledger_path()).unwrap();
    let before = std::fs::read(&outside).unwrap();
    env.bd(["close", "1"]).fails(5, &["beads.jsonl is a link to", "outside.jsonl", "must be a regular file"]);
    env.bd(["list"]).fails(5, &["outside.jsonl"]);
    assert_eq!(std::fs::read(&outside).unwrap(), before);
}

#[test]
fn a_link_inside_is_refused_too() {
    let env = one();
    for (name, target) in [("real.jsonl", "real.jsonl"), ("../real.jsonl", "../real.jsonl")] {
        let real = env.path(".beads").join(name);
        std::fs::rename(env.ledger_path(), &real).unwrap();
        symlink(target, env.ledger_path()).unwrap();
        let before = std::fs::read(&real).unwrap();
        env.bd(["close", "1"]).fails(5, &["beads.jsonl is a link to", "hint: ", ".beads/redirect"]);
        env.bd(["list"]).fails(5, &["beads.jsonl is a link to"]);
        assert_eq!(std::fs::read(&real).unwrap(), before);
        std::fs::rename(&real, env.ledger_path()).unwrap();
    }
}

#[test]
fn a_pipe_does_not_hang_the_reader() {
    let env = one();
    std::fs::remove_file(env.ledger_path()).unwrap();
    assert!(env.command("mkfifo").arg(env.ledger_path()).status().unwrap().success());
    env.bd(["list"]).fails(1, &["beads.jsonl: not a regular file"]);
    env.bd(["add", "x"]).fails(1, &["beads.jsonl: not a regular file"]);
}

#[test]
fn a_redirect_is_followed_inside_the_working_copy_only() {
    let env = one();
    assert!(env.command("git").args(["init", "-q"]).status().unwrap().success());
    let inner = env.write("inner/.beads/beads.jsonl", "{\"id\":\"in-1\",\"title\":\"Inner\"}\n");
    env.write("../other/.beads/beads.jsonl", "{\"id\":\"out-1\",\"title\":\"Outside\"}\n");
    env.write(".beads/redirect", "inner\n");
    assert_eq!(env.bd(["list", "--json"]).ids(), ["in-1"]);
    env.bd(["close", "in-1"]).ok();
    assert!(std::fs::read_to_string(inner).unwrap().contains("closed"));
    env.write(".beads/redirect", "../other\n");
    env.bd(["list"]).fails(5, &["outside of this repository"]);
    env.write(".beads/redirect", "nosuch\n");
    env.bd(["list"]).fails(9, &["nosuch"]);
    std::fs::remove_file(env.path(".beads/redirect")).unwrap();
    std::fs::rename(env.path(".beads"), env.root().join("moved")).unwrap();
    symlink(env.root().join("moved"), env.path(".beads")).unwrap();
    env.bd(["list"]).fails(5, &["outside of this repository"]);
}

#[test]
fn a_subdirectory_finds_the_repo_above() {
    let env = one();
    std::fs::create_dir_all(env.path("a/b")).unwrap();
    for dir in ["a", "a/b", ".beads"] {
        assert_eq!(env.bd(["-C", dir, "list", "--json"]).ok().ids(), ["bd-1"], "{dir}");
    }
    assert!(env.bd(["-C", "a/b", "where"]).stdout.contains("found above the"));
    let here = env.bd(["where", "--json"]).json();
    assert_eq!(here["reason"], "working directory");
}
