//! Where runtime state is: with its own repository, unless a variable says otherwise, and never where version control sees it.

use std::fs;
use std::path::Path;

use crate::support::checkouts::{Family, bd, files, held};
use crate::support::harness::Env;
use crate::support::programs::have;

#[test]
fn without_configuration_state_is_with_its_own_repository_and_nowhere_else() {
    let Some(family) = Family::new() else { return };
    let other = family.path("other");
    family.git(&family.path(""), "clone -q web other").ok();
    let home = files(&family.path("home"));
    family.bd(&family.web(), "claim bd-base").ok();
    family.bd(&other, "agent register bob").ok();
    assert!(family.web().join(".git/beads/leases.jsonl").is_file());
    assert!(!family.web().join(".git/beads/agents.jsonl").exists(), "of the other repository");
    assert!(other.join(".git/beads/agents.jsonl").is_file());
    assert_eq!(family.held(&other), [""; 0], "two repositories share nothing");
    assert_eq!(without_clones(&family.path("home")), home, "nothing is kept elsewhere");
    // Only where the clones with agents are, for `bd fleet`.
    let list = fs::read_to_string(family.path("home/state/beads/clones/repositories.jsonl")).unwrap();
    assert!(list.lines().count() == 1 && list.contains("/other\"") && !list.contains("bob"), "{list}");
}

/// All files below a directory, besides the user's list of clones and the directories that hold only that.
fn without_clones(directory: &Path) -> Vec<String> {
    let mut found = files(directory);
    let list = directory.join(if directory.ends_with("beads") { "clones" } else { "state" }).display().to_string();
    found.retain(|line| !line.starts_with(&list));
    found
}

#[test]
fn the_variable_wins_over_everything() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.env().write("src/deep/file", "");
    let deep = web.join("src/deep");
    let home = family.path("home");
    family.bd_with(&web, "claim bd-base --global", &[("BD_STATE_DIR", "~/a/b/state")]).ok();
    assert!(home.join("a/b/state/leases.jsonl").is_file(), "the home directory, and the directories above are made");
    assert!(!home.join("state").exists(), "--global does not win");
    family.bd_with(&deep, "agent register bob", &[("BD_STATE_DIR", "../mine")]).ok();
    assert!(web.join("src/mine/agents.jsonl").is_file(), "relative is from the working directory");
    family.bd_with(&web, "-C src/deep agent register eve", &[("BD_STATE_DIR", "../mine")]).ok();
    let agents = fs::read_to_string(web.join("src/mine/agents.jsonl")).unwrap();
    assert!(agents.contains("\"eve\""), "-C is the working directory: {agents}");
    assert!(!web.join(".git/beads/leases.jsonl").exists());
    family.bd_with(&web, "agent register ann", &[("BD_STATE_DIR", "")]).ok();
    assert!(web.join(".git/beads/agents.jsonl").is_file(), "an empty one is none");
}

#[test]
fn an_old_store_of_the_user_is_never_touched_and_can_be_pointed_at() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "claim bd-base --global").ok();
    let old = family.path("home/state/beads");
    let before = files(&old);
    assert!(before.iter().any(|line| line.contains("leases.jsonl")), "{before:?}");
    family.bd(&web, "add Two --id bd-two").ok();
    for line in
        ["claim bd-two", "leases", "agent register bob", "mail send bob -m hi", "worktree list", "release bd-two"]
    {
        family.bd(&web, line).ok();
        assert_eq!(without_clones(&old), before, "bd {line}");
    }
    assert_eq!(family.held(&web), [""; 0]);
    let pointed = family.bd_with(&web, "leases --json", &[("BD_STATE_DIR", old.to_str().unwrap())]).ok();
    assert_eq!(held(&pointed), ["bd-base in main"]);
}

#[test]
fn a_state_home_of_a_newer_version_is_refused_and_left_alone() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "claim bd-base").ok();
    let home = web.join(".git/beads");
    fs::write(home.join("version"), "{\"layout\":4,\"scope\":\"repo\",\"new\":true}\n").unwrap();
    let before = (files(&home), family.env().ledger());
    for line in ["claim bd-base", "leases", "agent register bob", "release bd-base"] {
        let run = family.bd(&web, &format!("{line} --json"));
        assert_eq!((run.code, &run.error()["code"]), (8, &"newer".into()), "{}", run.snapshot());
    }
    assert_eq!((files(&home), family.env().ledger()), before);
}

#[test]
fn outside_of_any_repo_nothing_is_made() {
    let env = Env::bare();
    let place = env.root().join("tmp");
    let before = files(&env.root());
    for line in
        ["claim x", "leases", "worktree list", "worktree create w", "agent register bob", "mail inbox", "status"]
    {
        bd(&env, &place, line, &[]).fails(9, &["no .beads directory at or above", "BEADS_DIR"]);
    }
    assert_eq!(files(&env.root()), before);
}

#[test]
fn a_subdirectory_finds_the_same_state_and_a_nested_repository_its_own() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "claim bd-base").ok();
    family.env().write("a/b/c/file", "");
    let deep = web.join("a/b/c");
    assert_eq!(family.held(&deep), ["bd-base in main"]);
    assert_eq!(family.id(&deep), family.id(&web));
    family.env().write(".gitignore", "vendor/\n");
    let nested = web.join("vendor/lib");
    fs::create_dir_all(&nested).unwrap();
    family.git(&nested, "init -q").ok();
    family.bd(&nested, "init --quiet --prefix lib").ok();
    assert_eq!(family.held(&nested), [""; 0]);
    assert_ne!(family.id(&nested), family.id(&web));
    let all = family.bd(&web, "worktree list --json").ok().json();
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
}

#[test]
fn a_state_home_can_be_thrown_away_without_a_trace() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "agent register ann").ok();
    let before = fs::read(web.join(".git/beads/agents.jsonl")).unwrap();
    let throw_away = family.path("tmp/throw-away");
    let vars = [("BD_STATE_DIR", throw_away.to_str().unwrap())];
    for line in ["agent register bob", "claim bd-base", "mail send bob -m hi"] {
        family.bd_with(&web, line, &vars).ok();
    }
    fs::remove_dir_all(&throw_away).unwrap();
    assert_eq!(fs::read(web.join(".git/beads/agents.jsonl")).unwrap(), before);
    assert_eq!(family.held(&web), [""; 0]);
}

#[test]
fn a_write_that_fails_is_an_error_and_says_where() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let worktree = family.worktree("w1");
    let home = web.join(".git/beads");
    if home.exists() {
        fs::rename(&home, web.join(".git/away")).unwrap();
    }
    fs::write(&home, "a file in the place of the directory").unwrap();
    for (directory, line) in [(&web, "claim bd-base"), (&worktree, "claim bd-base"), (&worktree, "agent register bob")]
    {
        let ledger = fs::read(directory.join(".beads/beads.jsonl")).unwrap();
        let run = family.bd(directory, &format!("{line} --json"));
        assert_eq!(run.code, 1, "{}", run.snapshot());
        assert!(run.error()["message"].as_str().unwrap().contains(".git/beads"), "{}", run.snapshot());
        assert_eq!(fs::read(directory.join(".beads/beads.jsonl")).unwrap(), ledger, "bd {line}");
    }
}

#[test]
fn a_clean_of_the_working_copy_loses_no_claim_and_no_message() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let worktree = family.worktree("w1");
    family.bd(&worktree, "agent register bob").ok();
    family.bd_with(&worktree, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    family.bd(&web, "mail send bob -m words").ok();
    for directory in [&web, &worktree] {
        family.git(directory, "clean -fdxq").ok();
        assert_eq!(family.held(directory), ["bd-base in w1"]);
        let inbox = family.bd_with(directory, "mail inbox --json", &[("BD_AGENT", "bob")]).ok().json();
        assert_eq!(inbox.as_array().unwrap().len(), 1, "{inbox}");
    }
}

/// On a small scale; the concurrency tests do it at length.
#[test]
fn writers_in_two_checkouts_at_once_all_succeed() {
    let Some(family) = Family::new() else { return };
    let places = [family.web(), family.worktree("w1")];
    let spawn = |n: usize| {
        let mut command = family.env().bd_command(crate::support::harness::BD);
        command.current_dir(&places[n % 2]).args(["agent", "register", &format!("bot-{n}"), "--quiet"]);
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..12).map(spawn).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let agents = family.bd(&places[1], "agent list --json").ok().json();
    assert_eq!(agents.as_array().unwrap().len(), 12);
}

/// Neither finding the state nor reading it needs another program.
#[test]
fn the_state_is_found_without_running_a_program() {
    let Some(family) = Family::new() else { return };
    let worktree = family.worktree("w1");
    family.bd(&family.web(), "claim bd-base").ok();
    let empty = family.path("tmp");
    let vars = [("PATH", empty.to_str().unwrap()), ("BD_ACTOR", "bob")];
    for line in ["leases", "ready", "list", "show bd-base", "why bd-base", "agent list", "claim bd-base"] {
        let run = family.bd_with(&worktree, line, &vars);
        let expected = if line.starts_with("claim") { 4 } else { 0 };
        assert_eq!(run.code, expected, "{}", run.snapshot());
    }
}

/// With jj and hg: the claims of one checkout are seen in the others, whoever made them.
#[test]
fn workspaces_of_jj_see_each_others_claims() {
    let env = Env::new();
    if !have(&["jj"]) {
        return;
    }
    let config = env.write("../jj.toml", "[user]\nname = \"t\"\nemail = \"t@example.org\"\n");
    env.given("add Base --id bd-base");
    fs::remove_dir_all(env.path(".beads/run")).unwrap();
    let jj = |args: &[&str]| {
        let mut command = env.command("jj");
        command.env("JJ_CONFIG", &config).args(args);
        env.run(command, format!("jj {}", args.join(" ")), None).ok()
    };
    jj(&["git", "init"]);
    jj(&["commit", "-m", "ledger"]);
    jj(&["workspace", "add", "../ws1"]);
    see_each_other(&env, "ws1");
}

#[test]
fn shares_of_hg_see_each_others_claims() {
    let env = Env::new();
    if !have(&["hg"]) {
        return;
    }
    env.given("add Base --id bd-base");
    fs::remove_dir_all(env.path(".beads/run")).unwrap();
    let hg = |args: &[&str]| {
        let mut command = env.command("hg");
        command.env("HGRCPATH", "").args(["--config", "ui.username=t", "--config", "extensions.share="]).args(args);
        env.run(command, format!("hg {}", args.join(" ")), None).ok()
    };
    hg(&["init"]);
    hg(&["commit", "-q", "--addremove", "-m", "ledger"]);
    hg(&["share", "-q", ".", "../ws1"]);
    see_each_other(&env, "ws1");
}

fn see_each_other(env: &Env, name: &str) {
    let (main, other) = (env.path(""), env.root().join(name));
    let id = |place: &Path| {
        let info = bd(env, place, "worktree info --json", &[]).ok().json();
        info["worktree_id"].as_str().unwrap().to_owned()
    };
    assert_ne!(id(&main), id(&other));
    bd(env, &other, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    let seen = bd(env, &main, "leases --json", &[]).ok();
    assert_eq!(held(&seen), [format!("bd-base in {name}")]);
    bd(env, &main, "claim bd-base", &[("BD_AGENT", "eve")]).fails(4, &["claimed by bob"]);
    assert_eq!(bd(env, &main, "ready --json", &[]).ok().ids(), [""; 0]);
    let all = bd(env, &main, "worktree list --json", &[]).ok().json();
    let ids: Vec<&str> = all.as_array().unwrap().iter().map(|one| one["worktree_id"].as_str().unwrap()).collect();
    assert_eq!(ids, [id(&main), id(&other)], "{all}");
}
