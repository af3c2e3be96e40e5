//! The ledger's name: `beads.jsonl` or `issues.jsonl`, and one command between them.

use crate::support::harness::Env;
use crate::support::project::Project;

#[test]
fn one_command_renames_the_ledger() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("update bd-base -p 1\ncommit");
    env.given("add Two --id bd-two");
    env.bd(["export", "-o", ".beads/issues.jsonl"]).fails(2, &["bd migrate --ledger issues.jsonl"]);
    let before = env.ledger_text();
    let shown = env.bd(["migrate", "--ledger", "issues.jsonl", "--dry-run"]).ok();
    assert!(shown.stdout.starts_with("Would rename") && env.ledger_path().exists(), "{}", shown.snapshot());
    let done = env.bd(["migrate", "--ledger", "issues.jsonl"]).ok();
    assert!(done.stdout.starts_with("Renamed"), "{}", done.snapshot());
    let ledger = env.path(".beads/issues.jsonl");
    assert_eq!(std::fs::read_to_string(&ledger).unwrap(), before);
    assert!(!env.ledger_path().exists());
    assert!(std::fs::read_to_string(env.path(".beads/metadata.json")).unwrap().contains("\"issues.jsonl\""));
    // The write that no commit has is still known to the journal, and can be taken back.
    assert_eq!(env.bd(["doctor"]).ok().stderr, "");
    env.given("undo --yes\nadd Three --id bd-three");
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-base", "bd-three"]);
    let committed = env.bd(["commit"]).ok();
    assert!(committed.stdout.contains("committed"), "{}", committed.snapshot());
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
    assert_eq!(project.git("ls-files .beads/*.jsonl").ok().stdout, ".beads/issues.jsonl\n");
    // The history goes on across the rename.
    let log = env.bd(["log", "bd-base", "--json"]).ok().json();
    assert_eq!(log.as_array().unwrap().len(), 2, "{log}");
    let again = env.bd(["migrate", "--ledger", "issues.jsonl", "--json"]).ok().json();
    assert_eq!(again["changed"], false);
    // A rename alone is worth a commit, and nothing else is in it.
    env.given("migrate --ledger beads.jsonl");
    assert!(env.bd(["commit", "--dry-run"]).ok().stdout.contains("would be committed"));
    env.given("commit");
    assert_eq!(project.git("log -1 --format=%s").ok().stdout, "rename the ledger to .beads/beads.jsonl\n");
    assert!(project.git("show --stat -M --format= HEAD").ok().stdout.contains("=>"));
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-base", "bd-three"]);
}

#[test]
fn what_is_lost_across_the_rename_is_noticed() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Two --id bd-two\nmigrate --ledger issues.jsonl");
    let ledger = env.path(".beads/issues.jsonl");
    let text = std::fs::read_to_string(&ledger).unwrap();
    let kept: String = text.lines().filter(|line| !line.contains("bd-two")).map(|line| format!("{line}\n")).collect();
    crate::support::harness::put_file(&ledger, kept.as_bytes());
    assert!(env.bd(["list"]).ok().stderr.contains("bd-two"), "an acknowledged write is gone");
    env.given("recover");
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-two", "bd-base"]);
}

#[test]
fn a_setting_that_names_the_ledger_follows() {
    let env = Env::bare();
    env.given("init --prefix bd --ledger-name work.jsonl\nadd One --id bd-1\nmigrate --ledger beads.jsonl");
    assert!(env.ledger_text().contains("bd-1") && !env.path(".beads/work.jsonl").exists());
    assert!(!std::fs::read_to_string(env.path(".beads/config.toml")).unwrap().contains("work.jsonl"));
    env.given("add Two --id bd-2");
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-2", "bd-1"]);
    // Cut off after the rename: the same command finishes.
    env.write(".beads/config.toml", "issue_prefix = \"bd\"\n[ledger]\nfile = \"issues.jsonl\"\n");
    env.given("migrate --ledger beads.jsonl");
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-2", "bd-1"]);
    env.bd_with(["migrate", "--ledger", "issues.jsonl"], None, &[("BD_LEDGER_FILE", "beads.jsonl")])
        .fails(2, &["ledger.file is set by the environment"]);
}

#[test]
fn bad_names_and_places() {
    let env = Env::new();
    for name in ["other.jsonl", "../x.jsonl", "", "issues"] {
        env.bd(["migrate", "--ledger", name]).fails(2, &[]);
    }
    for args in [&["--ledger", "issues.jsonl", "--move-to", "."][..], &["--inspect", "--ledger", "issues.jsonl"], &[]] {
        env.bd(["migrate"].iter().chain(args)).fails(2, &[]);
    }
    env.given("add One --id bd-1");
    env.write(".beads/issues.jsonl", "{\"id\":\"bd-2\",\"title\":\"Two\"}\n");
    for name in ["issues.jsonl", "beads.jsonl"] {
        env.bd(["migrate", "--ledger", name]).fails(8, &["bd doctor --fix"]);
        env.bd(["migrate", "--ledger", name, "--dry-run"]).fails(8, &["bd doctor --fix"]);
    }
    assert!(env.ledger_text().contains("bd-1"));
    std::fs::remove_file(env.path(".beads/issues.jsonl")).unwrap();
    std::os::unix::fs::symlink("beads.jsonl", env.path(".beads/issues.jsonl")).unwrap();
    assert_ne!(env.bd(["migrate", "--ledger", "issues.jsonl"]).code, 0);
    assert!(env.ledger_text().contains("bd-1"));
}

#[test]
fn a_contributor_does_not_rename_the_projects_ledger() {
    let Some(project) = Project::new() else { return };
    project.env.bd(["migrate", "--ledger", "issues.jsonl", "--dry-run"]).fails(5, &[]);
    project.env.bd(["migrate", "--ledger", "issues.jsonl"]).fails(5, &[]);
    assert!(project.env.ledger_path().exists());
}

#[test]
fn a_clone_that_still_edits_the_old_file_loses_nothing() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("init -q --bare -b main ../up.git").ok();
    project.git("remote add origin ../up.git").ok();
    project.git("push -q -u origin main").ok();
    project.git("clone -q ../up.git ../other").ok();
    project.git("clone -q ../up.git ../quiet").ok();
    let other = |line: &str| env.bd(["-C", "../other"].into_iter().chain(line.split(' ')));
    other("update bd-base -p 0").ok();
    other("add Theirs --id bd-theirs").ok();
    env.given("migrate --ledger issues.jsonl\nadd Ours --id bd-ours\nsync");
    // One without edits of its own just follows.
    let followed = env.bd(["-C", "../quiet", "sync"]).ok();
    assert!(
        followed.stdout.contains("received 1 new") && !followed.stdout.contains("removed"),
        "{}",
        followed.snapshot()
    );
    assert_eq!(env.bd(["-C", "../quiet", "list", "--json"]).ok().ids(), ["bd-ours", "bd-base"]);
    assert!(env.path("../quiet/.beads/issues.jsonl").exists() && !env.path("../quiet/.beads/beads.jsonl").exists());
    other("sync").fails(8, &["bd doctor --fix"]);
    let listed = other("list --json").ok();
    let mut ids = listed.ids();
    ids.sort();
    assert_eq!(ids, ["bd-base", "bd-ours", "bd-theirs"], "{}", listed.snapshot());
    // Two files now: nothing is written before they are one again.
    other("add More").fails(8, &["bd doctor --fix"]);
    other("doctor --fix").ok();
    other("sync").ok();
    env.given("sync");
    let mut ids = env.bd(["list", "--json"]).ok().ids();
    ids.sort();
    assert_eq!(ids, ["bd-base", "bd-ours", "bd-theirs"]);
    assert_eq!(env.bd(["show", "bd-base", "--json"]).ok().json()[0]["priority"], 0);
    env.bd(["doctor"]).ok();
}

/// A setting that names another file does not hide the issues of the existing one.
#[test]
fn a_setting_that_names_a_missing_ledger() {
    let env = Env::new();
    env.given("add One --id bd-1\nconfig set ledger.file tasks.jsonl");
    let hint = "rename beads.jsonl to tasks.jsonl, or run `bd config unset ledger.file`";
    for line in ["list", "init", "doctor"] {
        env.bd([line]).fails(9, &["tasks.jsonl, which is missing; beads.jsonl is there", hint]);
    }
    assert!(!env.path(".beads/tasks.jsonl").exists(), "no empty ledger takes its place");
    env.given("config unset ledger.file");
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-1"]);
}

/// A ledger that no commit has and that is gone: the way back is named, and it is one.
#[test]
fn a_ledger_that_is_gone() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    let text = env.ledger_text();
    std::fs::remove_file(env.ledger_path()).unwrap();
    env.bd(["list"]).fails(9, &["run `bd init` for an empty ledger, then `bd recover` to put back"]);
    env.given("init\nrecover");
    assert_eq!(env.ledger_text(), text);
}
