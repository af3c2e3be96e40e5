//! Joined repos that are not there, or not trusted: one line, once, and a way to fetch them.

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::{put_issues, repo, sh};

/// A project whose committed settings join three repos beside it: one is there, two are not.
fn project() -> Env {
    let env = Env::new();
    repo(&env, "lib", "lib");
    put_issues(&env, "lib", &["lib-1"]);
    sh(&env, "cd lib; git init -q; git add .; git commit -qm start; cd ..; git clone -q --bare lib lib.git; rm -r lib");
    repo(&env, "app", "app");
    put_issues(&env, "app", &["app-1"]);
    let settings = "issue_prefix = \"app\"\n[repos]\nadditional = [\"../lib\", \"../docs\"]\n";
    std::fs::write(env.root().join("app/.beads/config.toml"), settings).unwrap();
    sh(&env, "cd app; git init -q; git add .; git commit -qm start");
    env
}

#[test]
fn one_line_tells_of_all_of_them_and_only_once() {
    if !have(&["git"]) {
        return;
    }
    let env = project();
    let app = |args: &[&str]| env.bd(["-C", "../app"].iter().chain(args)).ok();
    let told = |text: &str| text.lines().filter(|line| line.contains("not in use")).count();
    let first = app(&["list"]);
    assert_eq!(told(&first.stderr), 1, "{}", first.snapshot());
    assert!(
        first
            .stderr
            .contains("2 joined repos are not in use: ../lib (not trusted), ../docs (not trusted); run `bd trust`"),
        "{}",
        first.snapshot()
    );
    assert_eq!(app(&["list"]).stderr, "", "it was told");
    let envelope = env.bd_with(["-C", "../app", "list", "--json"], None, &[("BD_JSON_ENVELOPE", "1")]).ok();
    assert_eq!(envelope.json()["warnings"].as_array().map(Vec::len), Some(1), "programs are told every time");
    assert!(app(&["repo", "list"]).stderr.contains("not in use"), "asked for");
    let changed = app(&["trust"]);
    assert!(
        changed.stderr.contains("../lib (missing), ../docs (missing); create it or run `bd repo clone`"),
        "{}",
        changed.snapshot()
    );
    assert_eq!(app(&["list"]).stderr, "");
    // Without a cache it is said each time.
    let run = env.bd_with(["-C", "../app", "list"], None, &[("BD_NO_IMAGE", "1")]).ok();
    assert_eq!(told(&run.stderr), 1, "{}", run.snapshot());
}

#[test]
fn missing_repos_are_cloned_after_a_look() {
    if !have(&["git"]) {
        return;
    }
    let env = project();
    let lib = env.root().join("lib.git").display().to_string();
    env.bd(["-C", "../app", "trust"]).ok();
    let none = env.bd(["-C", "../app", "repo", "clone", "--dry-run"]).ok();
    assert!(
        none.stderr.contains("../lib: no address") && none.stderr.contains("repos.addresses"),
        "{}",
        none.snapshot()
    );
    env.bd(["-C", "../app", "config", "set", "--shared", "repos.addresses", &format!("../lib {lib}")]).ok();
    let look = env.bd(["-C", "../app", "repo", "clone", "--dry-run"]).ok();
    assert!(look.stdout.contains(&format!("would clone {lib}")), "{}", look.snapshot());
    assert!(look.stderr.contains("../docs: no address") && !env.root().join("lib").exists(), "{}", look.snapshot());
    env.bd(["-C", "../app", "repo", "clone"]).fails(2, &["nothing was cloned", "add --yes"]);
    assert!(!env.root().join("lib").exists());
    env.bd(["-C", "../app", "repo", "clone", "--yes"]).ok();
    let mut ids = env.bd(["-C", "../app", "list", "--json"]).ok().ids();
    ids.sort();
    assert_eq!(ids, ["app-1", "lib-1"]);
}

/// The address was written by anybody who can commit: it starts no program and is no flag.
#[test]
fn an_address_that_names_a_program_is_refused() {
    if !have(&["git"]) {
        return;
    }
    for address in [
        "ext::sh -c \"touch ran\"",
        "--upload-pack=touch ran",
        "-u touch",
        "ssh://-oProxyCommand=touch/x",
        "fd::17",
        "ext::touch%20ran",
        "--upload-pack=ran",
    ] {
        let env = project();
        env.bd(["-C", "../app", "trust"]).ok();
        env.bd(["-C", "../app", "config", "set", "--shared", "repos.addresses", &format!("../lib {address}")]).ok();
        let run = env.bd(["-C", "../app", "repo", "clone", "--yes"]);
        let is_refused =
            run.code != 0 && run.stderr.contains("error: ") || run.stderr.contains("../lib: no address is known");
        assert!(is_refused, "{address}: {}", run.snapshot());
        assert_eq!(sh(&env, "find . -name ran -o -name lib"), "", "{address}");
    }
}

/// Paths inside of a project need no agreement, and version control runs what it finds in its own directories.
#[test]
fn nothing_is_cloned_into_directories_of_version_control() {
    if !have(&["git"]) {
        return;
    }
    for path in [".git/m", "sub/../.git/m", ".GIT/m", "sub/.git", ".hg", ".jj", ".sl", ".beads/m", "link/m"] {
        let env = project();
        let lib = env.root().join("lib.git").display().to_string();
        std::fs::create_dir(env.root().join("app/sub")).unwrap();
        std::os::unix::fs::symlink(".git", env.root().join("app/link")).unwrap();
        let settings =
            format!("issue_prefix = \"app\"\n[repos]\nadditional = [\"{path}\"]\naddresses = [\"{path} {lib}\"]\n");
        std::fs::write(env.root().join("app/.beads/config.toml"), settings).unwrap();
        let before =
            sh(&env, "cd app; find . -maxdepth 3 -newer .beads/config.toml -o -name m | sort; ls -A . .git .beads");
        env.bd(["-C", "../app", "trust"]).ok();
        let run = env.bd(["-C", "../app", "repo", "clone", "--yes"]);
        let is_refused = run.code != 0 || run.stderr.contains("no joined repo is missing");
        assert!(is_refused, "{path}: {}", run.snapshot());
        let after =
            sh(&env, "cd app; find . -maxdepth 3 -newer .beads/config.toml -o -name m | sort; ls -A . .git .beads");
        assert_eq!(after.replace("beads\n", ""), before.replace("beads\n", ""), "{path}: {}", run.snapshot());
    }
}
