//! Histories as projects really have them: merges that choose and drop, a ledger that was copied before it was renamed, both
//! names at once, issues that leave and come back by the hundred.

use std::fmt::Write as _;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::project::Project;
use crate::support::repos::{bd_in, sh};

const LEDGER: &str = "web/.beads/beads.jsonl";
const OTHER: &str = "web/.beads/issues.jsonl";

/// A project under git, without a commit.
fn fresh() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::new();
    sh(&env, "cd web; git init -q; git config user.name t; git config user.email t@example.org");
    Some(env)
}

fn line(id: &str, rest: &str) -> String {
    format!("{{\"id\":\"{id}\",\"title\":\"{}\"{rest}}}\n", id.to_uppercase())
}

fn put(env: &Env, file: &str, text: impl AsRef<[u8]>) {
    std::fs::write(env.root().join(file), text).unwrap();
}

/// Commits everything, at an hour of 5 January 2026.
fn commit(env: &Env, hour: u32, message: &str) {
    let date = format!("2026-01-05T{hour:02}:00:00Z");
    sh(
        env,
        &format!(
            "cd web; git add -A; GIT_AUTHOR_DATE={date} GIT_COMMITTER_DATE={date} git commit -q --allow-empty -m '{message}'"
        ),
    );
}

/// A merge of a branch into the checked out one that leaves these lines.
fn merge(env: &Env, hour: u32, branch: &str, text: &str) {
    sh(env, &format!("cd web; git merge -q --no-commit --no-ff -s ours {branch}"));
    put(env, LEDGER, text);
    commit(env, hour, &format!("merge {branch}"));
}

/// Puts the message of a commit in the place of its hash.
fn named(env: &Env, text: String) -> String {
    let list = sh(env, "git -C web log --all --format='%H %s'");
    let commits = list.lines().filter_map(|line| line.split_once(' '));
    commits.fold(text, |text, (hash, message)| {
        text.replace(hash, &format!("<{message}>")).replace(&hash[..10], &format!("<{message}>"))
    })
}

#[test]
fn a_merge_says_which_side_won() {
    let Some(env) = fresh() else { return };
    let issue = |rest: &str| line("t-a", rest);
    put(&env, LEDGER, issue(r#","priority":2,"status":"open""#));
    commit(&env, 9, "base");
    sh(&env, "cd web; git checkout -q -b side");
    put(&env, LEDGER, issue(r#","priority":1,"status":"open","labels":["x"]"#));
    commit(&env, 10, "side");
    sh(&env, "cd web; git checkout -q main");
    put(&env, LEDGER, issue(r#","priority":3,"status":"closed""#));
    commit(&env, 11, "main");
    merge(&env, 12, "side", &issue(r#","priority":1,"status":"closed","labels":["x"]"#));
    assert_data_eq!(
        named(&env, env.script("log t-a\nlog -n 1\nlog --field priority -n 1 --json")),
        str![[r#"
$ bd log t-a
<merge side>  2026-01-05 12:00  Script  merge side
  t-a  T-A
      priority: 3 → 1 (theirs won)

<main>  2026-01-05 11:00  Script  main
  t-a  T-A (closed)
      priority: 2 → 3

<side>  2026-01-05 10:00  Script  side
  t-a  T-A
      priority: 2 → 1
      labels: +x

<base>  2026-01-05 09:00  Script  base
  t-a  added: T-A
$ bd log -n 1
<merge side>  2026-01-05 12:00  Script  merge side
  t-a  T-A
      priority: 3 → 1 (theirs won)
! there are more; -n 0 shows all
$ bd log --field priority -n 1 --json
[
  {
    "id": "t-a",
    "title": "T-A",
    "source_repo": ".",
    "change": "changed",
    "commit": {
      "id": "<merge side>",
      "author": "Script",
      "email": "script@example.org",
      "authored_at": "2026-01-05T12:00:00.000Z",
      "committed_at": "2026-01-05T12:00:00.000Z",
      "summary": "merge side"
    },
    "fields": [
      {
        "field": "priority",
        "before": 3,
        "after": 1,
        "won": "theirs"
      }
    ]
  }
]
! {"warning":{"message":"there are more; -n 0 shows all"}}

"#]]
        .raw()
    );
}

#[test]
fn a_merge_that_takes_one_file_whole_says_what_it_gave_up() {
    let Some(env) = fresh() else { return };
    put(&env, LEDGER, line("t-a", "") + &line("t-b", "") + &line("t-c", ""));
    commit(&env, 9, "base");
    sh(&env, "cd web; git checkout -q -b side");
    put(&env, LEDGER, line("t-a", r#","status":"closed""#) + &line("t-b", "") + &line("t-new", ""));
    commit(&env, 10, "side");
    sh(&env, "cd web; git checkout -q main");
    put(&env, LEDGER, line("t-a", "") + &line("t-b", r#","priority":1"#) + &line("t-c", ""));
    commit(&env, 11, "main");
    sh(&env, "cd web; git merge -q --no-commit -s ours side");
    commit(&env, 12, "merge");
    let told = named(&env, env.bd(["log"]).ok().stdout);
    let merged = told.split("\n\n").next().unwrap();
    assert_eq!(
        merged,
        "<merge>  2026-01-05 12:00  Script  merge\n  t-a  T-A\n      status: \"closed\" → nothing (ours won)\n  t-c  added: T-C\n  t-new  removed: T-NEW",
        "{told}"
    );
    // The same of one issue.
    assert!(env.bd(["log", "t-new"]).ok().stdout.contains("removed: T-NEW"));
    assert!(env.bd(["log", "t-c", "-n", "1"]).ok().stdout.contains("added: T-C"));
    // If only one side changed anything, taking it is not a change of the merge.
    sh(&env, "cd web; git checkout -q -b again");
    put(&env, LEDGER, line("t-a", r#","priority":0"#));
    commit(&env, 13, "again");
    sh(&env, "cd web; git checkout -q main");
    commit(&env, 14, "empty");
    sh(&env, "cd web; git merge -q --no-ff -m plain again");
    assert!(!env.bd(["log"]).ok().stdout.contains("plain"));
}

#[test]
fn fields_that_a_merge_dropped_are_told() {
    let Some(env) = fresh() else { return };
    put(&env, LEDGER, line("t-a", ""));
    commit(&env, 9, "base");
    sh(&env, "cd web; git checkout -q -b side");
    put(&env, LEDGER, line("t-a", "") + &line("t-b", r#","assignee":"ann","labels":["x"],"notes":"n""#));
    commit(&env, 10, "side");
    sh(&env, "cd web; git checkout -q main");
    put(&env, LEDGER, line("t-a", r#","priority":1"#));
    commit(&env, 11, "main");
    // Only one parent has the issue.
    merge(&env, 12, "side", &(line("t-a", r#","priority":1"#) + &line("t-b", r#","notes":"n""#)));
    assert_data_eq!(
        named(&env, env.script("log t-b -n 1\nblame t-b")),
        str![[r#"
$ bd log t-b -n 1
<merge side>  2026-01-05 12:00  Script  merge side
  t-b  T-B
      assignee: "ann" → nothing
      labels: -x
! there are more; -n 0 shows all
$ bd blame t-b
title     <side>  2026-01-05  Script  "T-B"
notes     <side>  2026-01-05  Script  "n"
assignee  <merge side>  2026-01-05  Script  nothing
labels    <merge side>  2026-01-05  Script  nothing

"#]]
        .raw()
    );
    let blame = env.bd(["blame", "t-b", "--json"]).ok().json();
    let labels = blame["fields"].as_array().unwrap().iter().find(|field| field["field"] == "labels").unwrap();
    assert_eq!((&labels["value"], &labels["commit"]["summary"]), (&serde_json::Value::Null, &"merge side".into()));
    // Removed, but not committed yet.
    put(&env, LEDGER, line("t-a", r#","priority":1"#) + &line("t-b", ""));
    let blame = env.bd(["blame", "t-b"]).ok().stdout;
    assert!(blame.lines().any(|line| line.starts_with("notes") && line.contains("not committed")), "{blame}");
}

/// A rename that was a copy in one commit and a deletion in a later one, with changes in between.
fn copied(env: &Env, copy: &str, remove: &str, commit: &dyn Fn(&str)) {
    put(env, LEDGER, line("t-a", "") + &line("t-old", r#","status":"closed""#));
    commit("plan");
    put(env, LEDGER, line("t-a", ""));
    commit("prune");
    sh(env, &format!("cd web; {copy}"));
    commit("copy");
    put(env, OTHER, line("t-a", r#","priority":1,"updated_at":"2026-01-05T10:00:00Z""#) + &line("t-b", ""));
    commit("edit");
    sh(env, &format!("cd web; {remove}"));
    commit("remove");
    put(env, OTHER, line("t-a", r#","priority":0,"updated_at":"2026-01-05T11:00:00Z""#) + &line("t-b", ""));
    commit("last");
}

fn told(env: &Env, args: &[&str]) -> Vec<String> {
    let json = env.bd(args.iter().chain(&["--json"])).ok().json();
    let told = |event: &serde_json::Value| {
        format!("{} {} {}", event["commit"]["summary"], event["id"], event["change"]).replace('"', "")
    };
    json.as_array().unwrap().iter().map(told).collect()
}

const COPIED: [&str; 6] = [
    "last t-a changed",
    "edit t-a changed",
    "edit t-b added",
    "prune t-old removed",
    "plan t-a added",
    "plan t-old added",
];

#[test]
fn a_ledger_that_was_copied_first_and_removed_later() {
    let Some(env) = fresh() else { return };
    let hour = std::cell::Cell::new(9);
    copied(&env, "cp .beads/beads.jsonl .beads/issues.jsonl", "git rm -q .beads/beads.jsonl", &|message| {
        commit(&env, hour.get(), message);
        hour.set(hour.get() + 1);
    });
    assert_eq!(told(&env, &["log"]), COPIED);
    assert_eq!(told(&env, &["log", "t-old"]), ["prune t-old removed", "plan t-old added"]);
    assert_eq!(env.bd(["show", "t-old", "--json"]).ok().json()[0]["past"]["removed_in"]["summary"], "prune");
    // Each commit shows what standing there would show.
    for (back, expected) in [(5, "t-a t-old"), (4, "t-a"), (3, "t-a"), (2, "t-a t-b"), (1, "t-a t-b"), (0, "t-a t-b")] {
        let at = format!("HEAD~{back}");
        let json = env.bd(["list", "--all", "--at", &at, "--json"]).ok().json();
        let mut ids: Vec<&str> = json.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids.join(" "), expected, "{at}");
        let stood = sh(
            &env,
            &format!("rm -rf stood; git -C web worktree prune; git -C web worktree add -q ../stood {at}; echo"),
        );
        let there = bd_in(&env, "stood", ["list", "--all", "--json"]).ok().json();
        assert_eq!(there.as_array().map(Vec::len), json.as_array().map(Vec::len), "{at}{stood}");
    }
    let shown = env.bd(["show", "t-a", "--at", "HEAD~2", "--json"]).ok().json();
    assert_eq!(shown[0]["priority"], 1, "of two copies the later");
    env.bd(["restore", "t-old"]).ok();
}

#[test]
fn both_names_are_followed_in_hg() {
    if !have(&["hg"]) {
        return;
    }
    let env = Env::new();
    sh(&env, "cd web; hg init");
    let day = std::cell::Cell::new(1);
    copied(&env, "hg cp -q .beads/beads.jsonl .beads/issues.jsonl", "hg rm -q .beads/beads.jsonl", &|message| {
        sh(&env, &format!("cd web; hg commit -q -A -d '{} 0' -m {message}", day.get() * 86_400));
        day.set(day.get() + 1);
    });
    assert_eq!(told(&env, &["log"]), COPIED);
    assert_eq!(env.bd(["list", "--all", "--at", "2", "--json"]).ok().json().as_array().unwrap().len(), 1);
    assert_eq!(env.bd(["list", "--all", "--at", "3", "--json"]).ok().json().as_array().unwrap().len(), 2);
}

#[test]
fn a_commit_with_both_names_shows_both() {
    let Some(env) = fresh() else { return };
    put(&env, LEDGER, line("t-a", r#","updated_at":"2026-01-01T00:00:00Z""#) + &line("t-b", ""));
    put(&env, OTHER, line("t-a", r#","priority":1,"updated_at":"2026-01-02T00:00:00Z""#) + &line("t-c", ""));
    commit(&env, 9, "both");
    let now = env.bd(["list", "--all", "--json"]).ok().json();
    sh(&env, "cd web; git rm -q .beads/beads.jsonl");
    commit(&env, 10, "one");
    let then = env.bd(["list", "--all", "--at", "HEAD~1", "--json"]).ok().json();
    assert_eq!(then, now);
    assert_eq!(then.as_array().unwrap().len(), 3);
    let shown = env.bd(["show", "t-b", "--at", "HEAD~1"]).ok().stdout;
    assert!(shown.contains(".beads/beads.jsonl:2"), "the file that it was in: {shown}");
    assert_eq!(told(&env, &["log", "-n", "1"]), ["one t-b removed"], "the other file has t-a as it was shown");
    assert_eq!(env.bd(["diff", "HEAD~1.."]).ok().stdout, "- t-b  T-B\n");
    // Both names in the working copy: nothing is reported twice.
    put(&env, LEDGER, line("t-d", ""));
    assert_eq!(told(&env, &["log", "-n", "1"]), ["null t-d added"]);
    assert_eq!(told(&env, &["log"]).iter().filter(|one| one.contains("t-c")).count(), 1);
}

#[test]
fn release_notes_compare_states() {
    let Some(env) = fresh() else { return };
    let closed = |id: &str| line(id, r#","status":"closed","closed_at":"2026-01-01T00:00:00Z""#);
    put(&env, LEDGER, closed("t-back") + &closed("t-gone") + &closed("t-kept") + &line("t-open", ""));
    commit(&env, 9, "plan");
    put(&env, LEDGER, closed("t-kept") + &line("t-open", ""));
    commit(&env, 10, "prune");
    sh(&env, "cd web; git tag v1");
    // All lines go and come back, and one that had been pruned before.
    put(&env, LEDGER, "");
    commit(&env, 11, "emptied");
    put(&env, LEDGER, closed("t-back") + &closed("t-kept") + &closed("t-open") + &closed("t-new"));
    commit(&env, 12, "back");
    put(&env, LEDGER, closed("t-back") + &closed("t-kept") + &closed("t-open"));
    commit(&env, 13, "prune again");
    let notes = |since: &str| {
        let json = env.bd(["changelog", "--since", since, "--json"]).ok().json();
        let ids = json.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned());
        ids.collect::<std::collections::BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(notes("v1"), "t-new t-open");
    assert_eq!(notes("2026-01-05T10:30:00Z"), "t-new t-open", "the same by date");
    assert_eq!(notes("HEAD"), "");
    assert_eq!(notes("2020-01-01"), "t-back t-gone t-kept t-new t-open", "before the first commit nothing was closed");
    // The same file again is one version of both times.
    let text = env.ledger_text();
    for (hour, text, message) in [(14, "", "emptied again"), (15, &text, "as it was")] {
        put(&env, LEDGER, text);
        commit(&env, hour, message);
    }
    assert_eq!(notes("HEAD~1"), "", "it was closed, left and came back");
    env.given("reopen t-open");
    assert_eq!(notes("v1"), "t-new");
}

#[test]
fn an_issue_that_has_left_is_blamed_for_what_it_was() {
    let Some(env) = fresh() else { return };
    put(&env, LEDGER, line("t-a", "") + &line("t-b", ""));
    commit(&env, 9, "plan");
    put(&env, LEDGER, line("t-a", r#","status":"closed""#) + &line("t-b", ""));
    commit(&env, 10, "close");
    put(&env, LEDGER, line("t-b", ""));
    commit(&env, 11, "prune");
    assert_data_eq!(
        named(&env, env.script("blame t-a\nblame t-nothing")),
        str![[r#"
$ bd blame t-a
title   <plan>  2026-01-05  Script  "T-A"
status  <close>  2026-01-05  Script  "closed"
! t-a is not in the ledger any more: <prune> removed it
$ bd blame t-nothing
! error: no issue found matching "t-nothing": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    let json = env.bd(["blame", "t-a", "--json"]).ok().json();
    assert_eq!(json["past"]["removed_in"]["summary"], "prune");
}

#[test]
fn a_proposed_issue_is_in_the_diff_once() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    env.given("config set commit.planning false\nadd Plan --id bd-plan");
    sh(env, "cd home/.beads-planning; git add -A; git commit -q -m planned");
    env.given("propose bd-plan");
    assert_eq!(env.bd(["diff"]).ok().stdout, "+ bd-plan  Plan\n");
    project.git("add -A").ok();
    project.git("commit -qm proposed").ok();
    sh(env, "cd home/.beads-planning; git add -A; git commit -q -m proposed");
    env.given("update bd-plan --title 'Better plan'\nnote bd-plan 'only mine'");
    let diff = env.bd(["diff"]).ok().stdout;
    assert_eq!(diff.lines().filter(|line| line.contains("bd-plan")).count(), 1, "{diff}");
    assert_eq!(diff.matches("title:").count(), 1, "{diff}");
    assert!(diff.contains("only mine"), "what only one copy has is there too: {diff}");
    let json = env.bd(["diff", "--json"]).ok().json();
    assert_eq!((json["changed"].as_array().unwrap().len(), json["added"].as_array().unwrap().len()), (1, 0));
}

/// So many closed issues in one commit, all of them gone in the next.
fn pruned(count: usize) -> Option<Env> {
    let env = fresh()?;
    let mut text = line("t-stays", "");
    for n in 0..count {
        write!(text, "{}", line(&format!("u-{n:04}"), r#","status":"closed""#)).unwrap();
    }
    put(&env, LEDGER, &text);
    commit(&env, 9, "plan");
    put(&env, LEDGER, line("t-stays", ""));
    commit(&env, 10, "prune");
    Some(env)
}

#[test]
fn hundreds_of_issues_come_back_in_one_write() {
    let Some(env) = pruned(700) else { return };
    let whole = sh(&env, "git -C web show HEAD~1:.beads/beads.jsonl");
    let ids: Vec<String> = (0..700).map(|n| format!("u-{n:04}")).collect();
    let restore = |more: &[&str]| {
        let args = ["restore"].into_iter().chain(ids.iter().map(String::as_str)).chain(more.iter().copied());
        env.bd(args)
    };
    let before = env.ledger();
    let unknown = restore(&["u-none", "t-missing", "nothing"]);
    unknown.fails(3, &["u-none", "t-missing", "nothing"]);
    assert_eq!(env.ledger(), before, "all of them, or none");
    assert_eq!(restore(&["--dry-run"]).ok().stdout.lines().count(), 700);
    assert_eq!(env.ledger(), before);
    restore(&["-q"]).ok();
    assert_eq!(env.ledger_text(), whole, "byte for byte");
    env.bd(["undo", "--yes"]).ok();
    assert_eq!(env.ledger(), before, "it was one write");
    // An existing issue does not prevent restoring the others.
    let some = env.bd(["restore", "u-0001", "t-stays", "u-0002"]);
    some.fails(5, &["t-stays cannot be restored: it is there"]);
    assert!(env.ledger_text().contains("u-0001") && env.ledger_text().contains("u-0002"));
    // By the beginning of an id, twice the same one, and as they were at a moment.
    let json = env.bd(["restore", "u-0003", "u-0003", "0004", "--at", "HEAD~1", "--json"]).ok().json();
    assert_eq!(json.as_array().unwrap().len(), 2);
    let again = env.bd(["restore", "u-0001", "u-0005", "--at", "HEAD~1"]).ok();
    assert!(again.stdout.starts_with("Nothing to change: u-0001\n"), "{}", again.stdout);
}

#[test]
fn the_log_is_told_as_it_is_found() {
    let Some(env) = fresh() else { return };
    // Some 30 MB of changes, in a process that may have 128 MB.
    let mut stream = String::new();
    for n in 0..100 {
        let text = line("t-a", &format!(",\"description\":\"{}{n}\"", "x".repeat(300_000)));
        let from = if n == 0 { String::new() } else { format!("from :{n}\n") };
        write!(
            stream,
            "commit refs/heads/main\nmark :{}\ncommitter Ann <ann@x> {} +0000\ndata 1\nc\n{from}M 644 inline .beads/beads.jsonl\ndata {}\n{text}\n",
            n + 1,
            1_750_000_000 + n,
            text.len(),
        )
        .unwrap();
    }
    put(&env, "stream", stream);
    sh(&env, "cd web; git fast-import --quiet --force < ../stream; git reset -q --hard main");
    let bd = crate::support::harness::BD;
    for args in ["log -n 0 --json", "log t-a -n 0 --json", "log -n 0"] {
        let count = sh(&env, &format!("cd web; ulimit -d 131072; '{bd}' {args} > ../out; wc -c < ../out"));
        let told = std::fs::read_to_string(env.root().join("out")).unwrap();
        if args.ends_with("--json") {
            assert!(count.trim().parse::<usize>().unwrap() > 50_000_000, "{count}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&told).unwrap().as_array().unwrap().len(), 100);
        } else {
            assert_eq!(told.lines().filter(|line| line.starts_with("  t-a")).count(), 100);
        }
    }
}

#[test]
fn an_array_that_grows_looks_like_any_other() {
    let Some(env) = pruned(2) else { return };
    let shape = |env: &Env, args: &[&str], envelope: bool| {
        let vars: &[(&str, &str)] = if envelope { &[("BD_JSON_ENVELOPE", "1")] } else { &[] };
        env.bd_with(args.iter().copied(), None, vars).ok().stdout
    };
    for (args, count) in [(&["log", "--json"][..], 5), (&["log", "--author", "nobody", "--json"], 0)] {
        for envelope in [false, true] {
            let text = shape(&env, args, envelope);
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            let data = if envelope { &value["data"] } else { &value };
            assert_eq!(data.as_array().unwrap().len(), count, "{text}");
            assert_eq!(envelope, value["schema_version"] == 1);
            assert_eq!(envelope, value["warnings"].is_array());
            // As it would be printed whole.
            assert_eq!(text, beads::internal::model::json::pretty(text.trim_end()) + "\n");
        }
    }
}

#[test]
fn a_shallow_clone_does_not_guess_what_a_merge_gave_up() {
    let Some(env) = fresh() else { return };
    put(&env, LEDGER, line("t-a", "") + &line("t-b", r#","status":"closed""#));
    commit(&env, 9, "base");
    sh(&env, "cd web; git checkout -q -b side");
    put(&env, LEDGER, line("t-a", r#","priority":1"#) + &line("t-b", r#","status":"closed""#));
    commit(&env, 10, "side");
    sh(&env, "cd web; git checkout -q main");
    commit(&env, 11, "main");
    merge(&env, 12, "side", &(line("t-a", r#","priority":1"#) + &line("t-b", r#","status":"closed""#)));
    put(&env, LEDGER, line("t-a", r#","status":"closed""#) + &line("t-b", r#","status":"closed""#));
    commit(&env, 13, "last");
    sh(&env, "git clone -q --depth 3 \"file://$PWD/web\" shallow");
    let run = bd_in(&env, "shallow", ["log"]).ok();
    assert!(run.stderr.contains("this is a shallow clone"), "{}", run.snapshot());
    assert!(!run.stdout.contains("merge side"), "{}", run.stdout);
    for args in [&["log", "t-a"][..], &["blame", "t-a"], &["changelog", "--since", "2020-01-01"]] {
        let run = bd_in(&env, "shallow", args.iter().copied()).ok();
        assert!(run.stderr.contains("shallow clone"), "{}", run.snapshot());
    }
    let notes = bd_in(&env, "shallow", ["changelog", "--since", "2020-01-01"]).ok().stdout;
    assert!(
        notes.contains("t-a") && !notes.contains("t-b"),
        "what was closed where it ends was closed before: {notes}"
    );
}

#[test]
fn without_a_commit_there_is_nothing_to_bring_back() {
    let Some(env) = fresh() else { return };
    env.given("add One --id bd-one");
    env.bd(["log", "bd-none"]).fails(3, &["no issue found matching \"bd-none\""]);
    env.bd(["blame", "bd-none"]).fails(3, &["no issue found matching \"bd-none\""]);
    env.bd(["restore", "bd-none", "bd-one"]).fails(3, &["bd-none"]);
    assert_eq!(env.bd(["log", "--json"]).ok().json().as_array().unwrap().len(), 1);
    assert_eq!(env.bd(["changelog", "--since", "2020-01-01"]).ok().stdout, "Nothing was closed.\n");
    env.bd(["changelog", "--since", "HEAD"]).fails(3, &["\"HEAD\" is neither a date nor a revision"]);
}
