//! Checkpoints: adding, listing over checkouts, files and snapshots, letting go.

use std::fs;

use serde_json::Value;
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{Env, Run};
use crate::support::project::Project;

/// Ids of checkpoints differ from run to run of the tests' own commands.
fn hidden(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("cp_") {
        out += &rest[..at];
        out += "cp_ID";
        rest = &rest[at + 15..];
    }
    out + rest
}

fn summaries(run: &Run) -> Vec<String> {
    let rows = run.json();
    rows.as_array().unwrap().iter().map(|row| row["summary"].as_str().unwrap().to_owned()).collect()
}

fn bd(env: &Env, line: &str) -> Run {
    env.bd(line.split(' '))
}

#[test]
fn what_a_person_sees() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    let text = env.script(
        "checkpoint list
         checkpoint add 1 -m 'first step' --type plan --files src/a.rs b.rs --detail '{\"left\":[1,2]}'
         checkpoint add 2 -m other
         checkpoint add 1 -m 'does not build' -t error
         checkpoint list
         checkpoint list 1 --limit 1
         checkpoint show 1#1
         checkpoint show 1#7
         checkpoint add 3 -m x
         checkpoint add 1 -m ''
         checkpoint add 1 -m x --detail '{'
         checkpoint restore 1#1 --to out",
    );
    assert_data_eq!(
        hidden(&text),
        str![[r#"
$ bd checkpoint list
! no checkpoints
$ bd checkpoint add 1 -m 'first step' --type plan --files src/a.rs b.rs --detail '{"left":[1,2]}'
Added bd-1#1  plan  cp_ID
$ bd checkpoint add 2 -m other
Added bd-2#1  progress  cp_ID
$ bd checkpoint add 1 -m 'does not build' -t error
Added bd-1#2  error  cp_ID
$ bd checkpoint list
bd-1#1  plan  2026-01-05 09:00  main  first step  cp_ID
bd-2#1  progress  2026-01-05 09:00  main  other  cp_ID
bd-1#2  error  2026-01-05 09:00  main  does not build  cp_ID
$ bd checkpoint list 1 --limit 1
bd-1#2  error  2026-01-05 09:00  main  does not build  cp_ID
! the latest 1 of 2 checkpoints
$ bd checkpoint show '1#1'
bd-1#1  plan  cp_ID
by ann at 2026-01-05 09:00 in main
> first step
detail:
> {
>   "left": [
>     1,
>     2
>   ]
> }
file: src/a.rs
file: b.rs
$ bd checkpoint show '1#7'
! error: no checkpoint matches "1#7"
! hint: run `bd checkpoint list --all-worktrees` to see all of them
[exit 3]
$ bd checkpoint add 3 -m x
! error: no issue found matching "3": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd checkpoint add 1 -m ''
! error: the summary is empty
[exit 2]
$ bd checkpoint add 1 -m x --detail '{'
! error: the detail is not one value of JSON
[exit 2]
$ bd checkpoint restore '1#1' --to out
! error: cp_ID was made without --snapshot, so it has no files to restore
[exit 5]

"#]]
        .raw()
    );
}

#[test]
fn everything_comes_back() {
    let env = Env::new();
    env.given("add One --id bd-1");
    fs::write(env.path("detail.json"), "{\n  \"n\": 1e400,\n  \"t\": \"\\u00e9\"\n}\n").unwrap();
    let added = env.bd_with(
        ["checkpoint", "add", "1", "-m", "-", "--detail", "@detail.json", "--key", "k", "-t", "decision", "--json"],
        Some("two\nlines \u{1b}[31m\n"),
        &[("BD_AGENT", "bob")],
    );
    let added = added.ok();
    assert!(added.stdout.contains("\"n\": 1e400"), "kept as given: {}", added.stdout);
    let id = added.stdout.split("\"id\": \"").nth(1).unwrap()[..15].to_owned();
    let shown = bd(&env, &format!("checkpoint show {} --json", &id[..8])).ok();
    for part in [
        "\"type\": \"decision\"",
        "\"summary\": \"two\\nlines \\u001b[31m\"",
        "\"key\": \"k\"",
        "\"actor\": \"bob\"",
        "\"agent\": \"ag_",
        "\"worktree\": \"main\"",
        "\"worktree_id\": \"wt_",
        "\"number\": 1,",
        "1e400",
    ] {
        assert!(shown.stdout.contains(part), "{part}\n{}", shown.stdout);
    }
    // On a terminal or in a pipe, text of others cannot act.
    assert!(bd(&env, "checkpoint show 1#1").ok().stdout.contains("> lines \\u{1b}[31m\n"));
    assert_eq!(env.ledger_text().lines().count(), 1, "the ledger is not touched");
}

#[test]
fn the_same_key_adds_nothing() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    let first = bd(&env, "checkpoint add 1 -m a --key k --json").ok().json();
    let again = bd(&env, "checkpoint add 1 -m b --key k --json").ok().json();
    assert_eq!((&again["id"], &again["summary"], &again["added"]), (&first["id"], &"a".into(), &false.into()));
    let other = bd(&env, "checkpoint add 2 -m b --key k --json").ok().json();
    assert_eq!((&other["added"], &other["number"]), (&true.into(), &1.into()));
    assert_eq!(bd(&env, "checkpoint list --json").ok().json().as_array().unwrap().len(), 2);
}

#[test]
fn the_issue_that_one_works_on() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    bd(&env, "checkpoint add -m x").fails(2, &["ann has no issue in progress"]);
    env.given("work 1");
    assert_eq!(bd(&env, "checkpoint add -m x --json").ok().json()["issue"], "bd-1");
    env.given("work 2");
    bd(&env, "checkpoint add -m x").fails(2, &["ann has several issues in progress", "bd-1 bd-2"]);
    let agent = [("BD_AGENT", "bob")];
    env.given("release 2");
    env.bd_with(["claim", "2"], None, &agent).ok();
    assert_eq!(env.bd_with(["checkpoint", "add", "-m", "x", "--json"], None, &agent).ok().json()["issue"], "bd-2");
}

#[test]
fn who_lost_its_claim_is_refused() {
    let env = Env::new();
    env.given("add One --id bd-1");
    env.bd_with(["claim", "1", "--ttl", "1s"], None, &[("BD_AGENT", "bob")]).ok();
    env.given("list\nlist");
    env.bd_with(["claim", "1"], None, &[("BD_AGENT", "ann")]).ok();
    let refused = env.bd_with(["checkpoint", "add", "1", "-m", "late", "--json"], None, &[("BD_AGENT", "bob")]);
    assert_eq!(refused.fails(7, &[]).error()["code"], "stale");
    env.bd_with(["checkpoint", "add", "1", "-m", "not mine"], None, &[("BD_AGENT", "w1")]).fails(4, &["ann"]);
    assert_eq!(bd(&env, "checkpoint list --json").ok().stdout, "[]\n");
    env.bd_with(["checkpoint", "add", "1", "-m", "mine"], None, &[("BD_AGENT", "ann")]).ok();
}

#[test]
fn filters() {
    let env = Env::new();
    env.given("add One --id bd-1\ncheckpoint add 1 -m a -t plan\ncheckpoint add 1 -m b\ncheckpoint add 1 -m c");
    let list = |rest: &str| summaries(&bd(&env, &format!("checkpoint list --json {rest}")).ok());
    assert_eq!(list("1 --since 1"), ["b", "c"]);
    assert_eq!(list("--type plan"), ["a"]);
    assert_eq!(list("-n 2"), ["b", "c"]);
    assert_eq!(list("--worktree main"), ["a", "b", "c"]);
    bd(&env, "checkpoint list --worktree nosuch").fails(3, &["nosuch"]);
    bd(&env, "checkpoint add 1 -m x --type nosuch").fails(2, &["possible values: plan, replan"]);
}

#[test]
fn every_checkout_has_its_own_and_sees_all() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("worktree add -q -b second ../second").ok();
    let second = env.root().join("second");
    let there = |line: &str| env.bd(["-C", second.to_str().unwrap()].into_iter().chain(line.split(' ')));
    bd(env, "checkpoint add base -m here").ok();
    assert_eq!(there("checkpoint add base -m there --json").ok().json()["number"], 2, "one row of numbers");
    bd(env, "checkpoint add base -m again").ok();
    assert_eq!(summaries(&bd(env, "checkpoint list base --json").ok()), ["here", "again"]);
    assert_eq!(summaries(&there("checkpoint list --json").ok()), ["there"]);
    assert_eq!(summaries(&there("checkpoint list --worktree main --json").ok()), ["here", "again"]);
    let all = bd(env, "checkpoint list base --all-worktrees --json").ok();
    assert_eq!(summaries(&all), ["here", "there", "again"]);
    let second_row = all.json()[1].clone();
    assert_eq!((&second_row["worktree"], &second_row["branch"]), (&"second".into(), &"second".into()));
    // The checkout goes; what it noted stays, and says so.
    project.git("worktree remove --force ../second").ok();
    let all = bd(env, "checkpoint list --all-worktrees").ok().stdout;
    assert!(all.contains("second (gone)  there"), "{all}");
    assert_eq!(summaries(&bd(env, "checkpoint list --worktree second --json").ok()), ["there"]);
    assert_eq!(bd(env, "checkpoint show base#2 --json").ok().json()["worktree_gone"], true);
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
}

#[test]
fn files_by_version_control() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.write("src/new.rs", "x");
    fs::write(env.path(".beads/beads.jsonl"), env.ledger_text() + "\n").unwrap();
    let added = bd(env, "checkpoint add base -m x --files auto --json").ok().json();
    let files: Vec<&str> = added["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    assert!(files.contains(&"src/new.rs") && files.contains(&".beads/beads.jsonl"), "{files:?}");
    let added = bd(env, "-C src checkpoint add base -m x --files new.rs ../README --json").ok().json();
    assert_eq!(added["files"], serde_json::json!(["src/new.rs", "README"]));
    bd(env, "checkpoint add base -m x --files ../../etc").fails(2, &["outside"]);
}

#[test]
fn a_snapshot_outlives_its_checkout() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("worktree add -q -b second ../second").ok();
    let second = env.root().join("second");
    let there = |line: &str| env.bd(["-C", second.to_str().unwrap()].into_iter().chain(line.split(' ')));
    fs::write(second.join("untracked \u{1f600}.bin"), [0, 255, 13, 10]).unwrap();
    fs::write(second.join(".beads/beads.jsonl"), "{\"id\":\"bd-changed\",\"title\":\"Changed\"}\n").unwrap();
    let ledger = fs::read(second.join(".beads/beads.jsonl")).unwrap();
    let status = || env.command("git").args(["-C", "../second", "status", "--porcelain"]).output().unwrap().stdout;
    let before = status();
    let added = there("checkpoint add changed -m kept --snapshot --key once --json").ok().json();
    assert_eq!(status(), before, "nothing is staged or changed");
    assert_eq!(added["snapshot"]["files"].as_array().unwrap().len(), 2, "{added}");
    assert!(added["snapshot"]["base"].as_str().unwrap().len() >= 40, "{added}");
    fs::remove_dir_all(&second).unwrap();
    let id = added["id"].as_str().unwrap();
    env.write("full/x", "x");
    bd(env, &format!("checkpoint restore {id} --to full")).fails(8, &["full exists and is not empty"]);
    bd(env, &format!("checkpoint restore {id} --to full/x")).fails(8, &["is not empty"]);
    bd(env, &format!("checkpoint restore {id} --to ../then")).ok();
    let then = env.root().join("then");
    assert_eq!(fs::read(then.join("untracked \u{1f600}.bin")).unwrap(), [0, 255, 13, 10]);
    assert_eq!(fs::read(then.join(".beads/beads.jsonl")).unwrap(), ledger);
    assert!(!then.join(".git").exists());
}

#[test]
fn snapshots_in_every_system() {
    for (program, init) in [("true", ""), ("git", "init -q"), ("hg", "init"), ("jj", "git init")] {
        let env = Env::new();
        if !crate::support::programs::have(&[program]) {
            continue;
        }
        if !init.is_empty() {
            assert!(env.command(program).args(init.split(' ')).output().unwrap().status.success(), "{program}");
        }
        env.given("add One --id bd-1");
        env.write("deep/new file", "words\r\n");
        let added = bd(&env, "checkpoint add 1 -m x --snapshot --files auto --json");
        // Without version control, changed files are unknown.
        let added = if program == "true" { bd(&env, "checkpoint add 1 -m x --snapshot --json") } else { added };
        let id = added.ok().json()["id"].as_str().unwrap().to_owned();
        fs::remove_file(env.path("deep/new file")).unwrap();
        bd(&env, &format!("checkpoint restore {id} --to ../then")).ok();
        assert_eq!(fs::read_to_string(env.root().join("then/deep/new file")).unwrap(), "words\r\n", "{program}");
        assert!(env.root().join("then/.beads/beads.jsonl").exists(), "{program}");
        env.given("close 1\ncheckpoint prune --closed-older-than 0s --apply");
        assert_eq!(bd(&env, "checkpoint list --all-worktrees --json").ok().stdout, "[]\n", "{program}");
    }
}

#[test]
fn a_snapshot_holds_what_is_only_staged() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1");
    env.write("file", "staged\n");
    project.git("add file").ok();
    env.write("file", "later\n");
    bd(env, "checkpoint add 1 -m kept --snapshot").ok();
    let told = bd(env, "checkpoint restore 1#1 --to ../then --json").ok().json();
    assert!(told["staged_in"].as_str().unwrap().ends_with("then/.bd-index"), "{told}");
    let then = env.root().join("then");
    assert_eq!(fs::read_to_string(then.join("file")).unwrap(), "later\n");
    assert_eq!(fs::read_to_string(then.join(".bd-index/staged/file")).unwrap(), "staged\n");
}

fn refs(project: &Project) -> usize {
    project.git("for-each-ref refs/beads").ok().stdout.lines().count()
}

#[test]
fn pruning_drops_what_is_long_done() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1\nadd Two --id bd-2");
    for line in ["1 -m a --snapshot", "1 -m b", "2 -m open --snapshot"] {
        bd(env, &format!("checkpoint add {line}")).ok();
    }
    env.given("close 1");
    let report = bd(env, "checkpoint prune --json").ok().json();
    assert_eq!((&report["pruned"], &report["kept"]), (&serde_json::json!([]), &3.into()), "closed too lately");
    let report = bd(env, "checkpoint prune --closed-older-than 0s --json").ok().json();
    assert_eq!((report["pruned"].as_array().unwrap().len(), &report["applied"]), (2, &false.into()));
    assert_eq!((refs(&project), bd(env, "checkpoint list --json").ok().json().as_array().unwrap().len()), (2, 3));
    let told = bd(env, "checkpoint prune --closed-older-than 0s --apply").ok();
    assert!(told.stdout.ends_with("Dropped 2 checkpoints; 1 stay\n"), "{}", told.snapshot());
    assert_eq!(summaries(&bd(env, "checkpoint list --json").ok()), ["open"]);
    assert_eq!(refs(&project), 1);
    env.given("reopen 1");
    bd(env, "checkpoint show 1#1").fails(3, &["1#1"]);
    assert_eq!(
        bd(env, "checkpoint add 1 -m anew --json").ok().json()["number"],
        3,
        "no number means another one later"
    );
    env.given("close 1\ncheckpoint prune --closed-older-than 0s --apply\nreopen 1");
    assert_eq!(bd(env, "checkpoint add 1 -m again --json").ok().json()["number"], 4);
    assert_eq!(summaries(&bd(env, "checkpoint list --json").ok()), ["open", "again"]);
    bd(env, "checkpoint prune --closed-older-than soon").fails(2, &["invalid --closed-older-than"]);
}

#[test]
fn pruning_leaves_what_another_checkout_has_open() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("worktree add -q -b second ../second").ok();
    let second = env.root().join("second");
    bd(env, "checkpoint add base -m a").ok();
    env.given("close base");
    let line =
        env.ledger_text().replace("\"status\":\"closed\"", "\"status\":\"open\"").replace("2026-01-05", "2026-01-06");
    fs::write(second.join(".beads/beads.jsonl"), line).unwrap();
    let report: Value = bd(env, "checkpoint prune --closed-older-than 0s --json").ok().json();
    assert_eq!(report["kept"], 1, "{report}");
}

#[test]
fn they_move_with_the_state_home() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    bd(env, "checkpoint add base -m a").ok();
    bd(env, "reserve src").ok();
    bd(env, "state move --to global").ok();
    assert_eq!(summaries(&bd(env, "--global checkpoint list base --json").ok()), ["a"]);
    assert_eq!(bd(env, "--global checkpoint add base -m b --json").ok().json()["number"], 2);
    let agent = [("BD_AGENT", "bob")];
    env.bd_with(["--global", "reserve", "src/a"], None, &agent).fails(11, &["src/a is reserved by ann (src)"]);
}

#[test]
fn damage_and_strangers_in_the_file() {
    let env = Env::new();
    env.given("add One --id bd-1\ncheckpoint add 1 -m a");
    let runs = env.path(".beads/run/wt");
    let directory = fs::read_dir(&runs).unwrap().next().unwrap().unwrap().path();
    let file = directory.join("checkpoints.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("not JSON\n{{\"id\":\"cp_other\"}}\n{text}")).unwrap();
    bd(&env, "checkpoint add 1 -m b").ok();
    assert_eq!(summaries(&bd(&env, "checkpoint list --json").ok()), ["a", "b"]);
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.contains("not JSON\n{\"id\":\"cp_other\"}\n"), "{after}");
}

#[test]
fn a_limit_of_nothing_is_none() {
    let env = Env::new();
    env.given("add One --id bd-1\ncheckpoint add 1 -m a\ncheckpoint add 1 -m b");
    let all = bd(&env, "checkpoint list --limit 0").ok();
    assert_eq!((all.stdout.lines().count(), all.stderr.as_str()), (2, ""));
    assert_eq!(summaries(&bd(&env, "checkpoint list --limit 0 --json").ok()), ["a", "b"]);
    assert_eq!(summaries(&bd(&env, "checkpoint list --limit 1 --json").ok()), ["b"]);
}

/// A snapshot is a commit in the repository of the project, and `git push --mirror` sends it: what it is about stays here.
#[test]
fn a_snapshot_says_nothing_about_the_work() {
    let Some(project) = crate::support::project::Project::new() else { return };
    project.env.given(
        "add 'SECRET plan' --id pl-1\ncheckpoint add pl-1 -m 'SECRET progress' --detail '{\"SECRET\":1}' --snapshot",
    );
    project.git("init -q --bare ../hub.git").ok();
    project.git("push -q --mirror ../hub.git").ok();
    let refs = project.git("-C ../hub.git for-each-ref --format=%(refname)").ok().stdout;
    assert!(refs.contains("refs/beads/checkpoints/"), "{refs}");
    let all = ["-C", "../hub.git", "cat-file", "--batch-all-objects", "--batch"];
    let objects = project.env.command("git").args(all).output().unwrap().stdout;
    let objects = String::from_utf8_lossy(&objects);
    assert!(objects.contains("bd snapshot") && !objects.contains("SECRET"), "{objects}");
    assert!(project.env.bd(["checkpoint", "list", "pl-1"]).ok().stdout.contains("SECRET progress"));
}
