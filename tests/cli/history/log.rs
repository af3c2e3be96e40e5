//! The past in version control: log, blame, diff, changelog, and earlier views.

use std::fs;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::project::Project;
use crate::support::repos::{bd_in, sh};

/// Commits everything in `web` at a time on 5 January 2026, by a named author.
pub fn commit(env: &Env, time: &str, who: &str, message: &str) {
    let date = format!("2026-01-05T{time}:00Z");
    sh(
        env,
        &format!(
            "cd web; git add -A; GIT_AUTHOR_NAME={who} GIT_AUTHOR_EMAIL={who}@example.org GIT_AUTHOR_DATE={date} \
             GIT_COMMITTER_DATE={date} git commit -q -m '{message}'"
        ),
    );
}

/// A project of three commits and something that is not committed.
fn project() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::new();
    sh(&env, "cd web; git init -q; git config user.name t; git config user.email t@example.org");
    env.given("add 'Read files' --id bd-one -d 'First words' -t feature\nadd 'Write files' --id bd-two --deps one");
    commit(&env, "10:00", "ann", "plan");
    sh(&env, "cd web; git tag v1");
    env.given("work one\nlabel add one io");
    commit(&env, "11:00", "bob", "begin");
    env.given("close one -r 'all read'\ncomment two 'At last'");
    commit(&env, "12:00", "ann", "done reading");
    sh(&env, "cd web; git tag v2");
    env.given("update two -p 0");
    Some(env)
}

/// Puts the message of a commit in the place of its hash.
pub fn named(env: &Env, text: String) -> String {
    let list = sh(env, "git -C web log --all --format='%H %s'");
    let commits = list.lines().filter_map(|line| line.split_once(' '));
    commits.fold(text, |text, (hash, message)| {
        let name = format!("<{message}>");
        text.replace(hash, &name).replace(&hash[..10], &name)
    })
}

#[test]
fn who_changed_what() {
    let Some(env) = project() else { return };
    assert_data_eq!(
        named(&env, env.script("log\nlog one --field status\nlog --author BOB\nlog --since v1 -n 1\nlog nothing")),
        str![[r#"
$ bd log
not committed
  bd-two  Write files
      priority: 2 → 0

<done reading>  2026-01-05 12:00  ann  done reading
  bd-one  Read files (closed: all read)
  bd-two  Write files
      comments: +ann "At last"

<begin>  2026-01-05 11:00  bob  begin
  bd-one  Read files
      status: "open" → "in_progress"
      assignee: nothing → "ann"
      labels: +io

<plan>  2026-01-05 10:00  ann  plan
  bd-one  added: Read files
  bd-two  added: Write files
$ bd log one --field status
<done reading>  2026-01-05 12:00  ann  done reading
  bd-one  Read files (closed)

<begin>  2026-01-05 11:00  bob  begin
  bd-one  Read files
      status: "open" → "in_progress"

<plan>  2026-01-05 10:00  ann  plan
  bd-one  added: Read files
$ bd log --author BOB
<begin>  2026-01-05 11:00  bob  begin
  bd-one  Read files
      status: "open" → "in_progress"
      assignee: nothing → "ann"
      labels: +io
$ bd log --since v1 -n 1
not committed
  bd-two  Write files
      priority: 2 → 0
! there are more; -n 0 shows all
$ bd log nothing
! error: no issue found matching "nothing": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    let since = |text: &str| env.bd(["log", "--since", text, "--json"]).ok().json().as_array().unwrap().len();
    assert_eq!((since("v2"), since("v1"), since("2026-01-05T11:30:00Z"), since("30d")), (1, 4, 3, 6));
    let json = env.bd(["log", "one", "--field", "status", "--json"]).ok().json();
    assert_eq!(json[0]["fields"], serde_json::json!([{"field": "status", "before": "in_progress", "after": "closed"}]));
    assert_eq!((&json[0]["change"], &json[0]["commit"]["author"]), (&"changed".into(), &"ann".into()));
    assert_eq!(json[0]["commit"]["authored_at"], "2026-01-05T12:00:00.000Z");
}

#[test]
fn who_gave_a_field_its_value() {
    let Some(env) = project() else { return };
    assert_data_eq!(
        named(&env, env.script("blame one\nblame two\nblame nothing")),
        str![[r#"
$ bd blame one
title         <plan>  2026-01-05  ann  "Read files"
description   <plan>  2026-01-05  ann  "First words"
status        <done reading>  2026-01-05  ann  "closed"
priority      <plan>  2026-01-05  ann  2
issue_type    <plan>  2026-01-05  ann  "feature"
assignee      <begin>  2026-01-05  bob  "ann"
created_at    <plan>  2026-01-05  ann  2026-01-05 09:00
created_by    <plan>  2026-01-05  ann  "ann"
updated_at    <done reading>  2026-01-05  ann  2026-01-05 09:00
started_at    <begin>  2026-01-05  bob  2026-01-05 09:00
closed_at     <done reading>  2026-01-05  ann  2026-01-05 09:00
close_reason  <done reading>  2026-01-05  ann  "all read"
labels        <begin>  2026-01-05  bob  ["io"]
$ bd blame two
title         <plan>     2026-01-05  ann  "Write files"
status        <plan>     2026-01-05  ann  "open"
priority      not committed                   0
issue_type    <plan>     2026-01-05  ann  "task"
created_at    <plan>     2026-01-05  ann  2026-01-05 09:00
created_by    <plan>     2026-01-05  ann  "ann"
updated_at    not committed                   2026-01-05 09:00
dependencies  <plan>     2026-01-05  ann  [{"issue_id":"bd-two","depends_on_id":"b…
comments      <done reading>     2026-01-05  ann  [{"id":4231694355118669,"issue_id":"bd-t…
$ bd blame nothing
! error: no issue found matching "nothing": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    let json = env.bd(["blame", "two", "--json"]).ok().json();
    let priority = json["fields"].as_array().unwrap().iter().find(|field| field["field"] == "priority").unwrap();
    assert_eq!((&priority["value"], &priority["commit"]), (&0.into(), &serde_json::Value::Null));
}

#[test]
fn the_view_as_it_was() {
    let Some(env) = project() else { return };
    assert_data_eq!(
        named(
            &env,
            env.script(
                "list --all --at v1
                 ready --at v1
                 ready --at HEAD
                 show one --at v1
                 list --at 2026-01-05T11:30:00Z
                 list --at 2026-01-01
                 show --at v2 --json
                 show one --at 2026-01-01
                 list --at nowhere
                 list --at=--all"
            )
        ),
        str![[r#"
$ bd list --all --at v1
bd-two  P2  open  task     Write files [blocked]
bd-one  P2  open  feature  Read files
! as of 2026-01-05 10:00 (commit <plan>)
$ bd ready --at v1
bd-one  P2  open  feature  Read files
! as of 2026-01-05 10:00 (commit <plan>)
$ bd ready --at HEAD
bd-two  P2  open  task  Write files
! as of 2026-01-05 12:00 (commit <done reading>)
$ bd show one --at v1
bd-one  Read files
P2  open  feature
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Stored in   .beads/beads.jsonl:1

Blocks      bd-two  open  Write files

Description
  First words
! as of 2026-01-05 10:00 (commit <plan>)
$ bd list --at 2026-01-05T11:30:00Z
bd-two  P2  open         task     Write files [blocked]
bd-one  P2  in_progress  feature  Read files #io @ann
! as of 2026-01-05 11:30 (commit <begin>)
$ bd list --at 2026-01-01
! as of 2026-01-01 00:00 (before the first commit)
! no issues
$ bd show --at v2 --json
[
  {
    "id": "bd-two",
    "title": "Write files",
    "created_by": "ann",
    "status": "open",
    "priority": 2,
    "issue_type": "task",
    "created_at": "2026-01-05T09:00:01.000Z",
    "updated_at": "2026-01-05T09:00:05.000Z",
    "visibility": "canonical",
    "source_repo": ".",
    "dependency_count": 1,
    "dependent_count": 0,
    "comment_count": 1
  }
]
$ bd show one --at 2026-01-01
! as of 2026-01-01 00:00 (before the first commit)
! error: no issue found matching "one": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd list --at nowhere
! error: "nowhere" is neither a date nor a revision in $ROOT/web
! hint: name a branch, tag or commit of that repo, or a date: 2026-03-01, yesterday, 3d (three days ago)
[exit 3]
$ bd list --at=--all
! error: "--all" is neither a date nor a revision in $ROOT/web
! hint: name a branch, tag or commit of that repo, or a date: 2026-03-01, yesterday, 3d (three days ago)
[exit 3]

"#]]
        .raw()
    );
    assert_eq!(sh(&env, "git -C web status --porcelain"), " M .beads/beads.jsonl\n", "looking changes nothing");
}

#[test]
fn what_waited_then_waits_in_the_view_of_then() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    sh(&env, "cd web; git init -q");
    env.given("add Later --id bd-later --defer 2026-01-05T11:00:00Z");
    commit(&env, "10:00", "ann", "early");
    sh(&env, "cd web; echo 1 > code");
    commit(&env, "12:00", "ann", "late");
    let ready = |at: &str| env.bd(["ready", "--at", at, "--json"]).ok().json().as_array().unwrap().len();
    assert_eq!((ready("HEAD~1"), ready("HEAD")), (0, 1));
}

#[test]
fn two_states_compared() {
    let Some(env) = project() else { return };
    assert_data_eq!(
        named(
            &env,
            env.script(
                "diff
                 diff v1..
                 diff v1..v2
                 diff v2..v1
                 diff v2..v2
                 diff v1.. --markdown
                 diff HEAD.. --markdown
                 diff nowhere..
                 diff v1.. --markdown --json"
            )
        ),
        str![[r#"
$ bd diff
~ bd-two  Write files
    priority: 2 → 0
$ bd diff v1..
~ bd-one  Read files (closed: all read)
    assignee: nothing → "ann"
    started_at: nothing → 2026-01-05 09:00
    labels: +io
~ bd-two  Write files
    priority: 2 → 0
    comments: +ann "At last"
$ bd diff v1..v2
~ bd-one  Read files (closed: all read)
    assignee: nothing → "ann"
    started_at: nothing → 2026-01-05 09:00
    labels: +io
~ bd-two  Write files
    comments: +ann "At last"
$ bd diff v2..v1
~ bd-one  Read files (reopened)
    assignee: "ann" → nothing
    started_at: 2026-01-05 09:00 → nothing
    labels: -io
~ bd-two  Write files
    comments: -ann "At last"
$ bd diff v2..v2
! no difference
$ bd diff v1.. --markdown
### Closed

- Read files (bd-one): all read

### Changed

- Write files (bd-two): priority: 2 → 0; comments: +ann "At last"
$ bd diff HEAD.. --markdown
### Changed

- Write files (bd-two): priority: 2 → 0
$ bd diff nowhere..
! error: "nowhere" is neither a date nor a revision in $ROOT/web
! hint: name a branch, tag or commit of that repo, or a date: 2026-03-01, yesterday, 3d (three days ago)
[exit 3]
$ bd diff v1.. --markdown --json
! {"error":{"code":"usage","message":"the argument '--markdown' cannot be used with '--json'","recoverable":false,"exit_code":2}}
[exit 2]

"#]].raw()
    );
    let json = env.bd(["diff", "v1..", "--json"]).ok().json();
    let ids = |kind: &str| json[kind].as_array().unwrap().iter().map(|one| one["id"].to_string()).collect::<String>();
    assert_eq!(
        (ids("added"), ids("changed"), ids("removed")),
        (String::new(), "\"bd-one\"\"bd-two\"".into(), String::new())
    );
    // Where main went on, three dots compare with the place where the branch left it.
    sh(&env, "cd web; git stash -q; git checkout -q -b side v1");
    env.given("add 'On the side' --id bd-side");
    commit(&env, "13:00", "bob", "aside");
    let changed = |range: &str| env.bd(["diff", range]).ok().stdout.lines().count();
    assert_eq!(env.bd(["diff", "main..."]).ok().stdout, "+ bd-side  On the side\n");
    assert!(changed("main..") > 1);
}

#[test]
fn release_notes() {
    let Some(env) = project() else { return };
    env.given("close two -r written\nadd Odd --id bd-odd -t bug\nclose odd\nadd '*Bold* <b>' --id bd-bold\nclose bold");
    commit(&env, "13:00", "ann", "all closed");
    // An issue that left the ledger is still in the release notes; a reopened one is not.
    env.put_ledger(
        env.ledger_text()
            .lines()
            .filter(|line| !line.contains("bd-odd"))
            .fold(String::new(), |all, line| all + line + "\n"),
    );
    env.given("reopen bold");
    assert_data_eq!(
        env.script("changelog --since v1\nchangelog --since v2\nchangelog --since HEAD\nchangelog"),
        str![[r#"
$ bd changelog --since v1
### Features

- Read files (bd-one)

### Fixes

- Odd (bd-odd)

### Other

- Write files (bd-two)
$ bd changelog --since v2
### Fixes

- Odd (bd-odd)

### Other

- Write files (bd-two)
$ bd changelog --since HEAD
Nothing was closed.
$ bd changelog
! error: the following required arguments were not provided:
!   --since <REV|DATE>
! 
! Usage: bd changelog --since <REV|DATE>
! 
! For more information, try '--help'.
[exit 2]

"#]]
        .raw()
    );
    let json = env.bd(["changelog", "--since", "2026-01-05T12:30:00Z", "--json"]).ok().json();
    let ids: Vec<&str> = json.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["bd-odd", "bd-two"]);
}

#[test]
fn an_issue_that_has_left_the_ledger_is_shown_from_history() {
    let Some(env) = project() else { return };
    commit(&env, "13:00", "ann", "urgent");
    let without = |id: &str| {
        env.ledger_text()
            .lines()
            .filter(|line| !line.contains(&format!("\"id\":\"{id}\"")))
            .fold(String::new(), |all, line| all + line + "\n")
    };
    env.put_ledger(without("bd-one"));
    commit(&env, "14:00", "bob", "prune");
    assert_data_eq!(
        named(&env, env.script("show bd-one --short\nshow bd-one\nlog bd-one -n 1\nshow bd-none")),
        str![[r#"
$ bd show bd-one --short
bd-one  P2  closed  feature  Read files #io @ann
$ bd show bd-one
bd-one  Read files
P2  closed  feature  @ann
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Started     2026-01-05 09:00
Closed      2026-01-05 09:00
Reason      all read
Labels      io
Stored in   the history of ., not in the ledger: last changed in <done reading> on 2026-01-05, <prune> took it out on 2026-01-05; bd restore bd-one brings it back

Blocks      bd-two  open  Write files

Description
  First words
$ bd log bd-one -n 1
<prune>  2026-01-05 14:00  bob  prune
  bd-one  removed (it was closed): Read files
! there are more; -n 0 shows all
$ bd show bd-none
! error: no issue found matching "bd-none": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]].raw()
    );
    let json = env.bd(["show", "bd-one", "--json"]).ok().json();
    assert_eq!((&json[0]["pruned"], &json[0]["past"]["removed_in"]["summary"]), (&true.into(), &"prune".into()));
    assert_eq!(json[0]["title"], "Read files");
}

#[test]
fn a_ledger_that_had_another_name() {
    let Some(env) = project() else { return };
    sh(&env, "cd web; git mv .beads/beads.jsonl .beads/issues.jsonl");
    commit(&env, "13:00", "bob", "rename");
    assert_data_eq!(
        named(&env, env.script("log two --field title,priority\nshow one --at v1 --short")),
        str![[r#"
$ bd log two --field title,priority
<rename>  2026-01-05 13:00  bob  rename
  bd-two  Write files
      priority: 2 → 0

<plan>  2026-01-05 10:00  ann  plan
  bd-two  added: Write files
$ bd show one --at v1 --short
bd-one  P2  open  feature  Read files
! as of 2026-01-05 10:00 (commit <plan>)

"#]]
        .raw()
    );
}

#[test]
fn several_repos_have_one_log_and_what_is_private_stays() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let planning = env.root().join("home/.beads-planning");
    env.given("add 'My secret plan' --id pl-secret");
    sh(env, &format!("cd '{}'; git add -A; git commit -q -m 'a plan' || true", planning.display()));
    env.given("config set routing.role maintainer\nadd Public --id bd-public --repo .");
    let log = env.bd(["log", "--json"]).ok().json();
    let repos: std::collections::BTreeSet<String> =
        log.as_array().unwrap().iter().map(|one| one["source_repo"].to_string()).collect();
    assert_eq!(repos.len(), 2, "{log:#}");
    let only = env.bd(["log", "--repo", ".", "--json"]).ok();
    assert!(!only.stdout.contains("secret"), "{}", only.stdout);
    for args in [
        &["diff", "HEAD..", "--markdown"][..],
        &["changelog", "--since", "HEAD"],
        &["diff", "2020-01-01..", "--markdown"],
    ] {
        let text = env.bd(args).ok().stdout;
        assert!(!text.contains("secret"), "{args:?}: {text}");
    }
    assert!(env.bd(["diff", "2020-01-01.."]).ok().stdout.contains("secret"), "for oneself all repos are compared");
}

#[test]
fn an_issue_that_moved_between_repos() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let planning = env.root().join("home/.beads-planning");
    env.given("config set routing.role maintainer\nconfig set commit.planning false\nadd Goes --id bd-goes --repo .");
    project.git("add -A").ok();
    project.git("commit -qm public").ok();
    sh(env, &format!("cd '{}'; git add -A; git commit -q -m 'as it was' || true", planning.display()));
    env.given(&format!("migrate --move-to '{}' --filter id=bd-goes", planning.display()));
    let json = env.bd(["diff", "--json"]).ok().json();
    assert_eq!(
        (&json["moved"][0]["id"], &json["moved"][0]["moved_from"]),
        (&"bd-goes".into(), &".".into()),
        "{json:#}"
    );
}

#[test]
fn without_version_control_there_is_no_past() {
    let env = Env::new();
    env.given("add One --id bd-one");
    for line in [
        "log",
        "log one",
        "blame one",
        "diff",
        "diff a..b",
        "changelog --since x",
        "list --at 3d",
        "ready --at x",
        "show one --at x",
    ] {
        let run = env.bd(line.split(' '));
        run.fails(9, &["is not under version control"]);
    }
    env.bd(["show", "bd-none"]).fails(3, &["not found"]);
}

#[test]
fn before_the_first_commit() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    sh(&env, "cd web; git init -q");
    env.given("add One --id bd-one");
    assert_data_eq!(
        env.script("log\nblame one\ndiff\nlist --at yesterday\nlist --at HEAD\nchangelog --since 3d"),
        str![[r#"
$ bd log
not committed
  bd-one  added: One
$ bd blame one
title       not committed      "One"
status      not committed      "open"
priority    not committed      2
issue_type  not committed      "task"
created_at  not committed      2026-01-05 09:00
created_by  not committed      "ann"
updated_at  not committed      2026-01-05 09:00
$ bd diff
+ bd-one  One
$ bd list --at yesterday
! as of 2026-01-04 00:00 (before the first commit)
! no issues
$ bd list --at HEAD
! error: "HEAD" is neither a date nor a revision in $ROOT/web
! hint: name a branch, tag or commit of that repo, or a date: 2026-03-01, yesterday, 3d (three days ago)
[exit 3]
$ bd changelog --since 3d
Nothing was closed.

"#]]
        .raw()
    );
}

#[test]
fn a_shallow_clone_says_where_it_ends() {
    let Some(env) = project() else { return };
    sh(&env, "git clone -q --depth 1 \"file://$PWD/web\" shallow");
    let run = bd_in(&env, "shallow", ["log"]).ok();
    assert!(run.stderr.contains("this is a shallow clone"), "{}", run.snapshot());
    assert_eq!(run.stdout, "", "who wrote what is there cannot be told");
}

/// The same questions under another version control.
fn elsewhere(set_up: &str, commit: &str, back: &str) {
    let env = Env::new();
    sh(&env, &format!("cd web; {set_up}"));
    env.given("add One --id bd-one\nadd Two --id bd-two");
    sh(&env, &format!("cd web; {}", commit.replace("%", "first")));
    env.given("close one -r done\nupdate two -p 0");
    sh(&env, &format!("cd web; {}", commit.replace("%", "second")));
    env.given("update two -p 1");
    let told = |args: &[&str]| {
        let json = env.bd(args.iter().chain(&["--json"])).ok().json();
        let told = |event: &serde_json::Value| {
            format!(
                "{} {} {}",
                event["commit"]["summary"].as_str().unwrap_or("-"),
                event["id"].as_str().unwrap(),
                event["change"].as_str().unwrap()
            )
        };
        json.as_array().unwrap().iter().map(told).collect::<Vec<_>>()
    };
    assert_eq!(
        told(&["log"]),
        [
            "- bd-two changed",
            "second bd-one changed",
            "second bd-two changed",
            "first bd-one added",
            "first bd-two added"
        ]
    );
    assert_eq!(told(&["log", "two", "--since", back]), ["- bd-two changed", "second bd-two changed"]);
    assert_eq!(env.bd(["list", "--at", back, "--json"]).ok().json().as_array().unwrap().len(), 2);
    let shown = env.bd(["show", "one", "--at", back, "--json"]).ok().json();
    assert_eq!(shown[0]["status"], "open");
    let blame = env.bd(["blame", "one", "--json"]).ok().json();
    let status = blame["fields"].as_array().unwrap().iter().find(|field| field["field"] == "status").unwrap();
    assert_eq!((&status["value"], &status["commit"]["summary"]), (&"closed".into(), &"second".into()));
    assert_eq!(env.bd(["diff"]).ok().stdout, "~ bd-two  Two\n    priority: 0 → 1\n");
    assert!(env.bd(["changelog", "--since", back]).ok().stdout.contains("One (bd-one)"));
    env.put_ledger(
        env.ledger_text()
            .lines()
            .filter(|line| !line.contains("bd-one"))
            .fold(String::new(), |all, line| all + line + "\n"),
    );
    sh(&env, &format!("cd web; {}", commit.replace("%", "third")));
    assert_eq!(env.bd(["show", "bd-one", "--json"]).ok().json()[0]["past"]["removed_in"]["summary"], "third");
    env.bd(["list", "--at", "nowhere"]).fails(3, &["\"nowhere\" is neither a date nor a revision"]);
    assert!(fs::metadata(env.path(".beads")).is_ok());
}

#[test]
fn in_hg() {
    if have(&["hg"]) {
        elsewhere("hg init", "hg commit -q -A -m %", ".^");
    }
}

#[test]
fn in_jj() {
    if have(&["git", "jj"]) {
        elsewhere("jj git init --no-colocate 2>/dev/null", "jj commit -m % 2>/dev/null", "@--");
    }
}

#[test]
fn in_jj_beside_git() {
    if have(&["git", "jj"]) {
        elsewhere("jj git init --colocate 2>/dev/null", "jj commit -m % 2>/dev/null", "@--");
    }
}

/// Closing and deleting are what happened to an issue, not what happened to its fields.
#[test]
fn closing_and_deleting_are_told_as_such() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Gone --id bd-gone\ndelete bd-gone --yes\nadd Quick --id bd-quick\nclose bd-quick -r 'a typo'");
    let text = env.bd(["diff"]).ok().stdout;
    assert!(text.contains("- bd-gone  Gone (added and deleted)"), "{text}");
    assert!(text.contains("+ bd-quick  Quick (closed: a typo)"), "{text}");
    let markdown = env.bd(["diff", "--markdown"]).ok().stdout;
    assert!(markdown.contains("### Deleted\n\n- Gone (bd-gone)") && !markdown.contains("### Added"), "{markdown}");
    let log = env.bd(["log"]).ok().stdout;
    assert!(log.contains("bd-quick  added: Quick (closed: a typo)"), "{log}");
    assert!(log.contains("bd-gone  added: Gone (deleted)"), "{log}");
    project.git("commit -qam one").ok();
    env.given("close bd-base -r done -f\ndelete bd-quick --yes -r double\nreopen bd-gone");
    let text = env.bd(["diff"]).ok().stdout;
    for line in ["(closed: done)", "- bd-quick  Quick (deleted: double)", "+ bd-gone  Gone (restored)"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(!text.contains("status") && !text.contains("deleted_") && !text.contains("original_type"), "{text}");
    let changed = env.bd(["diff", "--json"]).ok().json();
    let turns: Vec<&str> =
        changed["changed"].as_array().unwrap().iter().filter_map(|one| one["turn"].as_str()).collect();
    assert_eq!(turns, ["closed", "restored", "deleted"], "{changed}");
    project.git("commit -qam two").ok();
    env.given("update bd-base --status open -p 1");
    let log = env.bd(["log", "-n", "1"]).ok().stdout;
    assert!(log.contains("(reopened)") && log.contains("priority:") && !log.contains("closed_at"), "{log}");
    // Two revisions, as git takes them.
    assert_eq!(env.bd(["diff", "HEAD~1", "HEAD"]).ok().stdout, env.bd(["diff", "HEAD~1..HEAD"]).ok().stdout);
}
