//! `bd sync`, `bd commit` and `bd trust` with real clones.

use std::fs;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::harness::Env;
use crate::project::Project;
use crate::projects::{bd_in, have, ledger, ledger_path, sh};

/// A clone with a ledger, whose branch follows a bare repository; `other` is a second clone of it.
fn clones() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::new();
    env.given("add Base --id bd-base -d 'First words'");
    let identity = "git config user.name t; git config user.email t@example.org";
    sh(&env, &format!("git init -q --bare upstream; cd web; git init -q; {identity}; echo 1 > code; git add .; git commit -q -m base
        git remote add origin ../upstream; git push -q -u origin main; cd ..; git clone -q upstream other; cd other; {identity}"));
    Some(env)
}

fn other(env: &Env, lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        bd_in(env, "other", line.split(' ')).ok();
    }
}

fn head(env: &Env, repo: &str) -> String {
    sh(env, &format!("git -C {repo} rev-parse HEAD"))
}

#[test]
fn two_clones() {
    let Some(env) = clones() else { return };
    env.given("add One --id bd-one");
    other(&env, "add Two --id bd-two");
    let first = env.script(
        "sync --dry-run
         sync
         sync",
    );
    other(&env, "sync -q");
    other(&env, "update bd-base -p 0");
    other(&env, "sync -q");
    assert_data_eq!(first + &env.script("sync\nlist"), str![[r#""#]].raw());
    assert_eq!(ledger(&env, "web"), ledger(&env, "other"));
    assert_eq!(sh(&env, "git -C web log --format=%s -3"), sh(&env, "git -C upstream log --format=%s -3 main"));
}

#[test]
fn a_clash_is_told_field_by_field() {
    let Some(env) = clones() else { return };
    bd_in(
        &env,
        "other",
        ["update", "bd-base", "--title", "A title of the other clone that is rather long for one line", "-p", "0"],
    )
    .ok();
    other(&env, "label add bd-base theirs\nsync -q");
    env.given("update bd-base --title Ours\nlabel add bd-base ours\nnote bd-base words");
    assert_data_eq!(env.script("sync\nshow bd-base"), str![[r#""#]].raw());
    other(&env, "sync -q");
    assert_eq!(ledger(&env, "web"), ledger(&env, "other"));
}

#[test]
fn as_json() {
    let Some(env) = clones() else { return };
    other(&env, "update bd-base --title Theirs\nadd Two --id bd-two\nsync -q");
    env.given("update bd-base --title Ours");
    assert_data_eq!(
        env.script("sync --dry-run --json\nsync --json\nsync --json\ncommit --json\ntrust --json"),
        str![[r#""#]].raw()
    );
}

#[test]
fn quiet_says_only_what_came_of_it() {
    let Some(env) = clones() else { return };
    env.given("add One --id bd-one");
    assert_data_eq!(env.script("sync --quiet"), str![[r#""#]].raw());
}

#[test]
fn one_direction_only() {
    let Some(env) = clones() else { return };
    other(&env, "add Two --id bd-two\nsync -q");
    env.given("add One --id bd-one");
    assert_data_eq!(
        env.script("sync --no-pull --no-push\nsync --no-pull\nsync --no-push\nsync --no-pull\nsync --repo nosuch\nsync --repo ."),
        str![[r#""#]].raw()
    );
}

#[test]
fn nothing_to_exchange_with() {
    let Some(env) = clones() else { return };
    env.given("add One --id bd-one");
    let without = "git -C web remote remove origin";
    sh(&env, without);
    let no_remote = env.script("sync");
    sh(&env, "git -C web remote add origin ../upstream; git -C web checkout -q -b side");
    env.given("add Three --id bd-three");
    let no_upstream = env.script("sync");
    sh(&env, "git -C web checkout -q --detach");
    env.given("add Four --id bd-four");
    let detached = env.script("sync");
    assert_data_eq!(no_remote + &no_upstream + &detached, str![[r#""#]].raw());
}

#[test]
fn without_version_control() {
    let env = Env::new();
    env.given("add One");
    assert_data_eq!(env.script("sync\nsync --json\ncommit\ntrust\ntrust ."), str![[r#""#]].raw());
}

#[test]
fn one_repo_without_version_control_among_others() {
    let Some(env) = clones() else { return };
    crate::projects::repo(&env, "plain", "pl");
    env.given("repo add ../plain\nadd One --id bd-one");
    assert_data_eq!(env.script("sync\ncommit"), str![[r#""#]].raw());
}

/// What stands in the way, and that nothing was changed by it.
#[test]
fn others_files_in_the_way() {
    let Some(env) = clones() else { return };
    sh(&env, "cd other; echo theirs > code; git commit -q -a -m theirs; git push -q");
    fs::write(env.path("code"), "mine, not committed\n").unwrap();
    env.given("add One --id bd-one");
    let dirty = env.script("sync");
    assert_eq!(fs::read_to_string(env.path("code")).unwrap(), "mine, not committed\n");
    sh(&env, "cd web; git commit -q -a -m ours");
    let before = head(&env, "web");
    let conflict = env.script("sync");
    assert_eq!((head(&env, "web"), sh(&env, "git -C web status --short")), (before, String::new()));
    sh(&env, "cd web; git merge -q origin/main >/dev/null 2>&1 || true");
    let unfinished = env.script("sync\nsync --json");
    assert_data_eq!(dirty + &conflict + &unfinished, str![[r#""#]].raw());
}

#[test]
fn out_of_reach() {
    let Some(env) = clones() else { return };
    env.given("add One --id bd-one");
    sh(&env, "mv upstream away");
    let run = env.bd(["sync"]).fails(1, &["cannot reach", "what is here is committed; sync again later"]);
    assert!(run.stdout.contains("committed"), "{}", run.snapshot());
    assert_eq!(sh(&env, "git -C web log -1 --format=%s; git -C web status --short"), "add bd-one: One\n");
    sh(&env, "mv away upstream");
    env.bd(["sync"]).ok();
}

#[test]
fn committing() {
    let Some(env) = clones() else { return };
    fs::write(env.path("code"), "2\n").unwrap();
    fs::write(env.path("new"), "2\n").unwrap();
    sh(&env, "cd web; git add new");
    let mut text =
        env.script("commit\nadd One --id bd-one\ncommit --dry-run\ncommit\nupdate one --title 'Eins'\ncommit");
    text += &env.script(
        "add Two --id bd-two\nadd Three --id bd-three\ncommit\nadd Four --id bd-four\ncommit -m 'plan the release'",
    );
    text += &env.script("commit -m ' '\ncommit -m\ncommit --repo nosuch\ncommit words");
    text += &sh(&env, "cd web; git log --format=%B -5; git status --short; git diff --cached --name-only");
    assert_data_eq!(text, str![[r#""#]].raw());
}

#[test]
fn a_contributor_only_pulls() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    sh(env, "git clone -q --bare web upstream; cd web; git remote add origin ../upstream; git fetch -q; git branch -q -u origin/main
        cd ..; git clone -q upstream other; cd other; git config user.name t; git config user.email t@example.org");
    bd_in(env, "other", ["add", "Theirs", "--id", "bd-two"]).ok();
    bd_in(env, "other", ["sync", "-q"]).ok();
    env.given("add Plan --id pl-1\npropose pl-1");
    let before = head(env, "web");
    let text = env.script("commit\ncommit --repo .\ncommit --repo . --json\nsync\nsync --repo ~/.beads-planning");
    assert_eq!(head(env, "web"), before, "somebody else's file would have been in the way of a proposal");
    project.git("stash -q").ok();
    assert_data_eq!(text + &env.script("sync\nlist"), str![[r#""#]].raw());
}

/// A private issue in the project's ledger is neither committed nor sent.
#[test]
fn private_issues_do_not_leave() {
    let Some(env) = clones() else { return };
    crate::projects::repo(&env, "plan", "pl");
    bd_in(&env, "plan", ["add", "Secret", "--id", "pl-1"]).ok();
    env.given("repo add ../plan\nconfig set routing.role maintainer");
    let local = "{\"id\":\"bd-zz\",\"title\":\"Secret\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"visibility\":\"local\"}\n";
    let before = (head(&env, "web"), head(&env, "upstream"));
    env.put_ledger(env.ledger_text() + local);
    for line in ["commit", "sync", "sync --no-pull"] {
        env.bd(line.split(' ')).fails(8, &["beads.jsonl:2: something private would be committed"]);
        assert_eq!((head(&env, "web"), head(&env, "upstream")), before, "{line}");
    }
    sh(&env, "cd web; git commit -q -a -m 'by hand'");
    let mine = head(&env, "web");
    for line in ["sync", "sync --no-pull"] {
        env.bd(line.split(' ')).fails(8, &["would publish something private"]);
        assert_eq!((head(&env, "web"), head(&env, "upstream")), (mine.clone(), before.1.clone()), "{line}");
    }
    sh(&env, "cd web; git reset -q --hard HEAD~1");
    env.given("add Fine --id bd-fine");
    env.bd(["sync"]).ok();
    assert_ne!(head(&env, "upstream"), before.1);
}

#[test]
fn trusting() {
    let Some(env) = clones() else { return };
    let none = env.script("trust --dry-run\ntrust");
    sh(&env, "git -C web config core.sshCommand 'ssh -v'; git -C web config diff.x.textconv cat");
    env.given("add One --id bd-one");
    let text = env.script("sync\ncommit\ntrust --dry-run\ntrust .\ntrust\nsync\ntrust ../nosuch\ntrust /\ntrust a b");
    sh(&env, "git -C web config core.sshCommand 'ssh -vv'");
    assert_data_eq!(none + &text + &env.script("sync --json"), str![[r#""#]].raw());
    assert!(ledger_path(&env, "web").exists());
}
