//! `bd sync`, `bd commit` and `bd trust` with real clones.

use std::fs;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{BD, Env};
use crate::support::programs::have;
use crate::support::project::Project;
use crate::support::repos::{bd_in, ledger, ledger_path, sh};

/// A clone with a ledger, whose branch follows a bare repository; `other` is a second clone of it.
pub fn clones() -> Option<Env> {
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

pub fn other(env: &Env, lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        bd_in(env, "other", line.split(' ')).ok();
    }
}

pub fn head(env: &Env, repo: &str) -> String {
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
    assert_data_eq!(
        first + &env.script("sync\nlist"),
        str![[r#"
$ bd sync --dry-run
. (git with origin/main): would be committed, would push 1 commit to origin/main
$ bd sync
. (git with origin/main): committed, pushed
$ bd sync
. (git with origin/main): nothing to do
$ bd sync
. (git with origin/main): fast-forwarded, received 1 new, 1 changed issue
$ bd list
bd-base  P0  open  task  Base
bd-two   P2  open  task  Two
bd-one   P2  open  task  One

"#]]
        .raw()
    );
    assert_eq!(ledger(&env, "web"), ledger(&env, "other"));
    assert_eq!(sh(&env, "git -C web log --format=%s -3"), sh(&env, "git -C upstream log --format=%s -3 main"));
}

/// A sync asks the remotes, and reads the rest itself.
#[test]
fn a_sync_in_which_nothing_happens_starts_few_programs() {
    let Some(env) = clones() else { return };
    if !have(&["strace"]) {
        return;
    }
    sh(
        &env,
        "git init -q --bare libup; git clone -q libup lib 2>/dev/null; cd lib; git config user.name t
            git config user.email t@example.org; mkdir .beads; : > .beads/beads.jsonl; git add .
            git commit -q -m base; git push -q -u origin main",
    );
    env.given("repo add ../lib\nadd Two --id bd-two");
    sh(&env, "cd web; git commit -q -a -m join");
    env.given("sync\nsync");
    let trace = env.path("../trace");
    let mut command = env.bd_command("strace");
    command.args(["-f", "-qq", "-e", "trace=execve", "-o"]).arg(&trace).args([BD, "sync"]);
    let run = env.run(command, "bd sync".to_owned(), None).ok();
    assert_eq!(run.stdout.matches("nothing to do").count(), 2, "{}", run.snapshot());
    let started = fs::read_to_string(trace).unwrap();
    let started: Vec<&str> = started.lines().filter(|line| line.ends_with(" = 0")).skip(1).collect();
    assert!(started.len() <= 8, "{started:#?}");
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
    assert_data_eq!(
        env.script("sync\nshow bd-base"),
        str![[r#"
$ bd sync
. (git with origin/main): committed, rebased, received 1 changed issue, pushed
  bd-base: notes from ours; priority from theirs; labels from both; changed on both sides:
    title: "Ours" from ours, not "A title of the other clone that is rathe…" from theirs, which is kept as a comment
$ bd show bd-base
bd-base  Ours
P0  open  task
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Labels      ours, theirs
Stored in   .beads/beads.jsonl:1

Description
  First words

Notes
  words

Comments
  2026-01-05 09:00 bd merge
    title of the other version: A title of the other clone that is rather long for one line

"#]]
        .raw()
    );
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
        str![[r#"
$ bd sync --dry-run --json
{
  "dry_run": true,
  "repos": [
    {
      "repos": [
        "."
      ],
      "vcs": "git",
      "branch": "main",
      "upstream": "origin/main",
      "ahead": 0,
      "behind": 0,
      "committed": true,
      "received": {
        "added": [],
        "changed": [],
        "removed": []
      },
      "merged": [],
      "sends_to": "origin/main",
      "pushed": false,
      "retries": 0,
      "notes": []
    }
  ],
  "reconciled": []
}
$ bd sync --json
{
  "dry_run": false,
  "repos": [
    {
      "repos": [
        "."
      ],
      "vcs": "git",
      "branch": "main",
      "upstream": "origin/main",
      "ahead": 0,
      "behind": 0,
      "committed": true,
      "integrated": "rebased",
      "received": {
        "added": [
          "bd-two"
        ],
        "changed": [
          "bd-base"
        ],
        "removed": []
      },
      "merged": [
        {
          "id": "bd-base",
          "from_ours": [
            "title"
          ],
          "from_theirs": [],
          "clashes": [
            {
              "field": "title",
              "kept": "Ours",
              "lost": "Theirs"
            }
          ]
        }
      ],
      "pushed": true,
      "retries": 0,
      "notes": []
    }
  ],
  "reconciled": []
}
$ bd sync --json
{
  "dry_run": false,
  "repos": [
    {
      "repos": [
        "."
      ],
      "vcs": "git",
      "branch": "main",
      "upstream": "origin/main",
      "ahead": 0,
      "behind": 0,
      "committed": false,
      "integrated": "up_to_date",
      "received": {
        "added": [],
        "changed": [],
        "removed": []
      },
      "merged": [],
      "pushed": false,
      "retries": 0,
      "notes": []
    }
  ],
  "reconciled": []
}
$ bd commit --json
{
  "dry_run": false,
  "repos": [
    {
      "repos": [
        "."
      ],
      "vcs": "git",
      "committed": false,
      "notes": []
    }
  ]
}
$ bd trust --json
{
  "dry_run": false,
  "paths": [],
  "working_copies": [
    {
      "path": "$ROOT/web",
      "programs": [],
      "idle": [],
      "known": false
    }
  ],
  "state_homes": []
}

"#]]
        .raw()
    );
}

#[test]
fn quiet_says_only_what_came_of_it() {
    let Some(env) = clones() else { return };
    env.given("add One --id bd-one");
    assert_data_eq!(
        env.script("sync --quiet"),
        str![[r#"
$ bd sync --quiet
. (git with origin/main): committed, pushed

"#]]
        .raw()
    );
}

#[test]
fn one_direction_only() {
    let Some(env) = clones() else { return };
    other(&env, "add Two --id bd-two\nsync -q");
    env.given("add One --id bd-one");
    assert_data_eq!(
        env.script("sync --no-pull --no-push\nsync --no-pull\nsync --no-push\nsync --no-pull\nsync --repo nosuch\nsync --repo ."),
        str![[r#"
$ bd sync --no-pull --no-push
. (git with origin/main): committed
$ bd sync --no-pull
. (git with origin/main): failed
! error: the remote of . has new commits, and --no-pull forbids merging them
! hint: try again without --no-pull
[exit 6]
$ bd sync --no-push
. (git with origin/main): merged, received 1 new issue
$ bd sync --no-pull
. (git with origin/main): pushed
$ bd sync --repo nosuch
! error: no repo "nosuch" in this project; it has .
! hint: run `bd repo list` to see the repos, or `bd repo add PATH` to join one
[exit 3]
$ bd sync --repo .
. (git with origin/main): nothing to do

"#]].raw()
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
    assert_data_eq!(
        no_remote + &no_upstream + &detached,
        str![[r#"
$ bd sync
. (git): committed
  not pushed: the branch `main` follows no branch of a remote
$ bd sync
. (git): committed
  not pushed: `origin` has no branch `side` yet; push it once with git
$ bd sync
. (git): committed
  not pushed: no branch is checked out

"#]]
        .raw()
    );
}

#[test]
fn without_version_control() {
    let env = Env::new();
    env.given("add One");
    assert_data_eq!(env.script("sync\nsync --json\ncommit\ntrust\ntrust ."), str![[r#"
$ bd sync
! error: $ROOT/web is not under version control
! hint: put it under git, jj or hg
[exit 9]
$ bd sync --json
! {"error":{"code":"no_repository","message":"$ROOT/web is not under version control","hint":"put it under git, jj or hg","recoverable":false,"exit_code":9}}
[exit 9]
$ bd commit
! error: $ROOT/web is not under version control
! hint: put it under git, jj or hg
[exit 9]
$ bd trust
! error: $ROOT/web is not under version control
! hint: put it under git, jj or hg
[exit 9]
$ bd trust .
! error: $ROOT/web is not under version control
! hint: put it under git, jj or hg
[exit 9]

"#]].raw());
}

#[test]
fn one_repo_without_version_control_among_others() {
    let Some(env) = clones() else { return };
    crate::support::repos::repo(&env, "plain", "pl");
    env.given("repo add ../plain\nadd One --id bd-one");
    assert_data_eq!(
        env.script("sync\ncommit"),
        str![[r#"
$ bd sync
. (git with origin/main): committed, pushed
  .beads/config.toml has changes that are not committed; run `git commit .beads/config.toml`
../plain (none): nothing to do
  not under version control: exchange the ledger in $ROOT/plain by hand, then run `bd resolve`
$ bd commit
.: nothing to commit
  .beads/config.toml has changes that are not committed; run `git commit .beads/config.toml`
../plain: nothing to commit
  not under version control: there is nothing to commit to

"#]]
        .raw()
    );
}

/// The obstacle is named, and nothing was changed.
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
    assert_data_eq!(dirty + &conflict + &unfinished, str![[r#"
$ bd sync
. (git): committed
! error: origin/main changes files that are changed in $ROOT/web and not committed: code
! hint: nothing was merged; commit or stash these files, then sync again
[exit 8]
$ bd sync
. (git): failed
! error: origin/main conflicts with $ROOT/web: code
! hint: nothing was merged; merge these files with your version control, and the ledger merges with them
[exit 8]
$ bd sync
. (git): failed
! error: a merge is not finished in $ROOT/web
! hint: finish it or abort it, then sync again
[exit 8]
$ bd sync --json
{
  "dry_run": false,
  "repos": [
    {
      "repos": [
        "."
      ],
      "vcs": "git",
      "ahead": 0,
      "behind": 0,
      "committed": false,
      "received": {
        "added": [],
        "changed": [],
        "removed": []
      },
      "merged": [],
      "pushed": false,
      "retries": 0,
      "notes": [],
      "error": {
        "code": "unfinished",
        "message": "a merge is not finished in $ROOT/web",
        "hint": "finish it or abort it, then sync again",
        "recoverable": false,
        "exit_code": 8
      }
    }
  ],
  "reconciled": []
}
! {"error":{"code":"unfinished","message":"a merge is not finished in $ROOT/web","hint":"finish it or abort it, then sync again","recoverable":false,"exit_code":8,"id":"."}}
[exit 8]

"#]].raw());
}

#[test]
fn out_of_reach() {
    let Some(env) = clones() else { return };
    env.given("add One --id bd-one");
    sh(&env, "mv upstream away");
    let run = env.bd(["sync"]).fails(1, &["cannot reach", "your changes are committed here; sync again later"]);
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
    assert_data_eq!(
        text,
        str![[r#"
$ bd commit
.: nothing to commit
$ bd add One --id bd-one
Created issue: bd-one
$ bd commit --dry-run
.: would be committed
$ bd commit
.: committed
$ bd update one --title Eins
Updated issue: bd-one
$ bd commit
.: committed
$ bd add Two --id bd-two
Created issue: bd-two
$ bd add Three --id bd-three
Created issue: bd-three
$ bd commit
.: committed
$ bd add Four --id bd-four
Created issue: bd-four
$ bd commit -m 'plan the release'
.: committed
$ bd commit -m ' '
! error: a message of a commit says something
[exit 2]
$ bd commit -m
! error: a value is required for '--message <TEXT>' but none was supplied
! 
! For more information, try '--help'.
[exit 2]
$ bd commit --repo nosuch
! error: no repo "nosuch" in this project; it has .
! hint: run `bd repo list` to see the repos, or `bd repo add PATH` to join one
[exit 3]
$ bd commit words
! error: unexpected argument 'words' found
! 
! Usage: bd commit [OPTIONS]
! 
! For more information, try '--help'.
[exit 2]
plan the release

update 2 issues

bd-three
bd-two

update bd-one: Eins

add bd-one: One

base

 M code
A  new
new

"#]]
        .raw()
    );
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
    let text = (text + &env.script("sync\nlist")).replace("`master`", "`main`");
    assert_data_eq!(text, str![[r#"
$ bd commit
.: nothing to commit
  you are a contributor here: not committed; commit a proposal on its branch yourself, with git commit .beads/beads.jsonl
~/.beads-planning: nothing to commit
$ bd commit --repo .
! error: you are a contributor to .: its commits are not yours to make with bd
! hint: commit a proposal on its branch yourself, with git commit .beads/beads.jsonl
[exit 5]
$ bd commit --repo . --json
{
  "dry_run": false,
  "repos": [
    {
      "repos": [
        "."
      ],
      "vcs": "git",
      "committed": false,
      "notes": [],
      "error": {
        "code": "read_only",
        "message": "you are a contributor to .: its commits are not yours to make with bd",
        "hint": "commit a proposal on its branch yourself, with git commit .beads/beads.jsonl",
        "recoverable": false,
        "exit_code": 5
      }
    }
  ]
}
! {"error":{"code":"read_only","message":"you are a contributor to .: its commits are not yours to make with bd","hint":"commit a proposal on its branch yourself, with git commit .beads/beads.jsonl","recoverable":false,"exit_code":5,"id":"."}}
[exit 5]
$ bd sync
. (git): failed
  you are a contributor here: only pulled
~/.beads-planning (git): nothing to do
  not pushed: the branch `main` follows no branch of a remote
! error: origin/main changes files that are changed in $ROOT/web and not committed: .beads/beads.jsonl
! hint: nothing was merged; commit or stash these files, then sync again
[exit 8]
$ bd sync --repo '~/.beads-planning'
~/.beads-planning (git): nothing to do
  not pushed: the branch `main` follows no branch of a remote
$ bd sync
. (git with origin/main): fast-forwarded, received 1 new issue
  you are a contributor here: only pulled
~/.beads-planning (git): nothing to do
  not pushed: the branch `main` follows no branch of a remote
! warning: 1 acknowledged write was removed from . by another program (pl-1); run `bd recover --dry-run` to look
$ bd list
pl-1     P2  open  task  Plan [proposed] (~/.beads-planning, for bd)
bd-two   P2  open  task  Theirs
bd-base  P2  open  task  Base
! warning: 1 acknowledged write was removed from . by another program (pl-1); run `bd recover --dry-run` to look

"#]].raw());
}

/// A private issue in the project's ledger is neither committed nor sent.
#[test]
fn private_issues_do_not_leave() {
    let Some(env) = clones() else { return };
    crate::support::repos::repo(&env, "plan", "pl");
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
    assert_data_eq!(none + &text + &env.script("sync --json"), str![[r#"
$ bd trust --dry-run
.: asks for nothing
$ bd trust
.: asks for nothing
$ bd sync
. (git): failed
! error: not trusted in $ROOT/web: core.sshcommand = ssh -v, diff.x.textconv = cat
! hint: run `bd trust --dry-run` to see all of it, then `bd trust $ROOT/web` to agree to exactly that
[exit 10]
$ bd commit
! error: not trusted in $ROOT/web: core.sshcommand = ssh -v, diff.x.textconv = cat
! hint: run `bd trust --dry-run` to see all of it, then `bd trust $ROOT/web` to agree to exactly that
[exit 10]
$ bd trust --dry-run
.: not trusted
  core.sshcommand = ssh -v
  diff.x.textconv = cat
$ bd trust .
.: trusted
  core.sshcommand = ssh -v
  diff.x.textconv = cat
$ bd trust
.: trusted already
  core.sshcommand = ssh -v
  diff.x.textconv = cat
$ bd sync
. (git with origin/main): committed, pushed
$ bd trust ../nosuch
! error: directory not found: $ROOT/web/../nosuch
[exit 3]
$ bd trust /
! error: / is not under version control
! hint: put it under git, jj or hg
[exit 9]
$ bd trust a b
! error: unexpected argument 'b' found
! 
! Usage: bd trust [OPTIONS] [DIR]
! 
! For more information, try '--help'.
[exit 2]
$ bd sync --json
{
  "dry_run": false,
  "repos": [
    {
      "repos": [
        "."
      ],
      "vcs": "git",
      "ahead": 0,
      "behind": 0,
      "committed": false,
      "received": {
        "added": [],
        "changed": [],
        "removed": []
      },
      "merged": [],
      "pushed": false,
      "retries": 0,
      "notes": [],
      "error": {
        "code": "untrusted",
        "message": "not trusted in $ROOT/web: core.sshcommand = ssh -vv, diff.x.textconv = cat",
        "hint": "run `bd trust --dry-run` to see all of it, then `bd trust $ROOT/web` to agree to exactly that",
        "recoverable": false,
        "exit_code": 10
      }
    }
  ],
  "reconciled": []
}
! {"error":{"code":"untrusted","message":"not trusted in $ROOT/web: core.sshcommand = ssh -vv, diff.x.textconv = cat","hint":"run `bd trust --dry-run` to see all of it, then `bd trust $ROOT/web` to agree to exactly that","recoverable":false,"exit_code":10,"id":"."}}
[exit 10]

"#]].raw());
    assert!(ledger_path(&env, "web").exists());
}

/// A sync that succeeds and says this.
fn says(env: &Env, text: &str) {
    let said = env.bd(["sync"]).ok().stdout;
    assert!(said.contains(text), "{said}");
}

/// Someone else's branch that happens to have the same name is not ours.
#[test]
fn a_branch_that_follows_none() {
    let Some(env) = clones() else { return };
    sh(&env, "cd other; git switch -q -c side; echo 2 > theirs; git add theirs; git commit -q -m theirs; git push -q origin side
        cd ../web; git switch -q -c side; echo 3 > ours; git add ours; git commit -q -m ours");
    let theirs = sh(&env, "git -C upstream rev-parse side");
    says(&env, "not pushed: `origin` has a branch `side`, but this one does not follow it");
    assert_eq!(sh(&env, "git -C upstream rev-parse side"), theirs);
}

#[test]
fn a_merge_of_the_user_is_not_finished() {
    let Some(env) = clones() else { return };
    sh(
        &env,
        "cd web; git switch -q -c side; echo 2 > code; git commit -q -a -m two; git switch -q main; echo 3 > code
        git commit -q -a -m three; git merge -q side > /dev/null || true",
    );
    let sent = sh(&env, "git -C upstream rev-parse main");
    env.bd(["sync"]).fails(8, &["a merge is not finished"]);
    assert_eq!(sh(&env, "git -C upstream rev-parse main"), sent);
}

/// A missing planning repo's private content is unknown.
#[test]
fn a_repo_that_is_away() {
    let Some(env) = clones() else { return };
    sh(&env, "mkdir -p plan; cd plan; git init -q");
    bd_in(&env, "plan", ["init", "-q"]).ok();
    env.given("config --add-repo ../plan --personal");
    sh(&env, "mv plan gone");
    env.given("add Public --id bd-public --repo .");
    env.bd(["sync"])
        .fails(8, &["cannot tell whether something private would be published", "that directory does not exist"]);
    sh(&env, "mv gone plan");
    env.bd(["sync"]).ok();
}

/// Half a ledger that someone commits is reported to those who receive it.
#[test]
fn half_a_ledger_comes() {
    let Some(env) = clones() else { return };
    env.given("add One --id bd-one");
    env.bd(["sync"]).ok();
    sh(
        &env,
        "cd other; git pull -q; head -c 250 .beads/beads.jsonl > half; mv half .beads/beads.jsonl; git commit -q -a -m half; git push -q",
    );
    env.given("add Two --id bd-two");
    says(&env, "the ledger of the other side is empty, cut off or holds conflict markers");
}

#[test]
fn settings_that_are_not_committed_are_named() {
    let Some(env) = clones() else { return };
    assert!(!env.bd(["sync"]).ok().snapshot().contains("config.toml"));
    fs::write(env.path(".beads/config.toml"), "issue_prefix = \"bd\"\n[ready]\nunknown_blocks = true\n").unwrap();
    env.given("add One");
    const NAMED: &str = ".beads/config.toml has changes that are not committed; run `git commit .beads/config.toml`";
    for line in [&["sync", "--dry-run"][..], &["commit", "--dry-run"], &["sync"], &["sync"]] {
        let run = env.bd(line.iter().copied()).ok();
        assert!(run.stdout.contains(NAMED) || run.stderr.contains(NAMED), "{}", run.snapshot());
    }
    let json = env.bd(["sync", "--json"]).ok();
    assert!(json.stdout.contains(".beads/config.toml has changes"), "{}", json.snapshot());
    assert_eq!(sh(&env, "git -C web status --short"), " M .beads/config.toml\n", "it is left to its user");
    sh(&env, "git -C web commit -qm settings .beads/config.toml");
    assert!(!env.bd(["sync"]).ok().snapshot().contains("config.toml"));
}

/// The suggested command works as printed, even for a file that was never added.
#[test]
fn new_settings_are_named_with_what_commits_them() {
    let known = [
        ("git", "git init -q web; git -C web config user.name t; git -C web config user.email t@example.org"),
        ("hg", "hg init web"),
        ("jj", "jj git init web 2>&1"),
    ];
    for (name, init) in known.into_iter().filter(|(name, _)| have(&[name])) {
        let env = Env::bare();
        sh(&env, init);
        env.given("init --quiet --prefix bd\nadd One --id bd-one\nconfig set ready.unknown_blocks true\ncommit -q");
        let told = env.bd(["commit"]).ok().stdout;
        let command = told.split('`').nth(1).unwrap_or_else(|| panic!("{name}: {told}"));
        let expected = match name {
            "jj" => "jj commit .beads/config.toml".to_owned(),
            _ => format!("{name} add .beads/config.toml && {name} commit .beads/config.toml"),
        };
        assert_eq!(command, expected, "{told}");
        // An editor that writes a message.
        sh(&env, &format!("cd web; EDITOR='echo words >'; export EDITOR; HOME=$PWD/../home {command} 2>&1"));
        let run = env.bd(["commit"]).ok();
        assert!(!run.stdout.contains("config.toml"), "{}", run.snapshot());
    }
}
