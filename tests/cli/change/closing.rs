//! The end of an issue and back: close, reopen, defer, undefer, delete.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::change::updating::two;
use crate::support::harness::{Env, words};

/// A line without the note of when its status was set.
fn without_times(line: &str) -> String {
    let start = line.find(r#","field_times":{"#).expect("a note");
    let end = start + line[start..].find('}').expect("its end") + 1;
    format!("{}{}", &line[..start], &line[end..])
}

#[test]
fn close_and_reopen() {
    let env = two();
    let before = env.ledger_text();
    assert_data_eq!(
        env.script(
            "close fix -r 'fixed in 4f2e' --suggest-next
             close fix
             show fix --short
             close
             close nosuch
             reopen fix
             reopen fix
             reopen
             reopen nosuch"
        ),
        str![[r#"
$ bd close fix -r 'fixed in 4f2e' --suggest-next
Closed bd-fix
Ready now:
bd-docs  P2  open  task  Write the docs
$ bd close fix
Already closed: bd-fix
$ bd show fix --short
bd-fix  P1  closed  bug  Fix the parser
$ bd close
! error: no issue ID provided: an issue ID is required
[exit 2]
$ bd close nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd reopen fix
Reopened bd-fix
$ bd reopen fix
Nothing to change: bd-fix
$ bd reopen
! error: no issue ID provided: an issue ID is required
[exit 2]
$ bd reopen nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    let at = |second: u32| format!(r#""updated_at":"2026-01-05T09:00:{second:02}.000Z""#);
    let reopened = env.ledger_text().lines().nth(1).unwrap().to_owned();
    assert!(
        reopened.contains(r#""field_times":{"at":"2026-01-05T09:00:07.000Z","status":"2026-01-05T09:00:07.000Z"}"#)
    );
    assert_eq!(without_times(&reopened), before.lines().nth(1).unwrap().replace(&at(0), &at(7)));
    env.given("close fix -r again");
    env.given("reopen fix --reason 'it came back'");
    assert_eq!(env.bd(["comments", "fix", "--json"]).json()[0]["text"], "it came back");
}

#[test]
fn closing_again_keeps_the_reason_or_says_that_it_is_replaced() {
    let env = two();
    assert_data_eq!(
        env.script(
            "close fix
             close fix -r first
             close fix -r first
             close fix
             close fix -r second docs"
        ),
        str![[r#"
$ bd close fix
Closed bd-fix
$ bd close fix -r first
Already closed; added the reason: bd-fix
$ bd close fix -r first
Already closed: bd-fix
$ bd close fix
Already closed: bd-fix
$ bd close fix -r second docs
Already closed; replaced the reason "first": bd-fix
Closed bd-docs

"#]]
        .raw()
    );
    let shown = env.bd(["show", "fix", "--json"]).json();
    assert_eq!(
        (&shown[0]["close_reason"], &shown[0]["closed_at"]),
        (&"second".into(), &"2026-01-05T09:00:02.000Z".into())
    );
}

#[test]
fn close_and_reopen_json() {
    let env = two();
    assert_data_eq!(env.bd(["close", "fix", "--reason", "done", "--json"]).compact(), str![[r#"
$ bd close fix --reason done --json
[
{"id":"bd-fix","title":"Fix the parser","created_by":"ann","closed_at":"2026-01-05T09:00:02.000Z","close_reason":"done","status":"closed","priority":1,"issue_type":"bug","created_at":"2026-01-05T09:00:00.000Z","updated_at":"2026-01-05T09:00:02.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"comment_count":0}
]

"#]].raw());
    assert_data_eq!(env.bd(["reopen", "fix", "--json"]).compact(), str![[r#"
$ bd reopen fix --json
[
{"id":"bd-fix","title":"Fix the parser","created_by":"ann","field_times":{"at":"2026-01-05T09:00:03.000Z","status":"2026-01-05T09:00:03.000Z"},"status":"open","priority":1,"issue_type":"bug","created_at":"2026-01-05T09:00:00.000Z","updated_at":"2026-01-05T09:00:03.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"comment_count":0}
]

"#]].raw());
    let next = env.bd(["close", "fix", "--suggest-next", "--json"]).json();
    assert_eq!((&next["closed"][0]["id"], &next["unblocked"][0]["id"]), (&"bd-fix".into(), &"bd-docs".into()));
    env.write("why.txt", "because\n");
    env.given("close docs --reason-file why.txt");
    assert_eq!(env.bd(["show", "docs", "--json"]).json()[0]["close_reason"], "because");
}

#[test]
fn reopening_what_is_open_is_not_announced() {
    let env = two();
    let run = env.bd(["reopen", "fix", "--reason", "why not"]).ok();
    assert!(!run.stdout.contains("Reopened"), "{}", run.snapshot());
}

#[test]
fn defer_and_undefer() {
    let env = two();
    let before = env.ledger_text();
    assert_data_eq!(
        env.script(
            "defer fix --until 2026-02-01
             ready
             why fix
             undefer fix
             undefer fix
             defer docs
             defer
             defer nosuch
             defer fix --until someday
             undefer
             undefer nosuch"
        ),
        str![[r#"
$ bd defer fix --until 2026-02-01
Deferred until 2026-02-01: bd-fix
$ bd ready
! nothing is ready; run `bd blocked` to see what waits
$ bd why fix
bd-fix is not ready:
  it is deferred until 2026-02-01
$ bd undefer fix
Undeferred bd-fix
$ bd undefer fix
Nothing to change: bd-fix
$ bd defer docs
Deferred bd-docs
$ bd defer
! error: no issue ID provided: an issue ID is required
[exit 2]
$ bd defer nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd defer fix --until someday
! error: invalid --until format "someday": not a date
! hint: write a date such as 2026-03-01, tomorrow, friday, 3d or +2w, or a time in RFC 3339; run `bd help dates` for every form
[exit 2]
$ bd undefer
! error: no issue ID provided: an issue ID is required
[exit 2]
$ bd undefer nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    assert_eq!(without_times(env.ledger_text().lines().nth(1).unwrap()).len(), before.lines().nth(1).unwrap().len());
    assert_eq!(env.bd(["undefer", "docs", "--json"]).json()[0]["status"], "open");
    let deferred = env.bd(["defer", "docs", "--until", "2w", "--json"]).json();
    assert_eq!(deferred[0]["defer_until"], "2026-01-19T09:00:14.000Z");
}

#[test]
fn a_date_among_the_issues_to_defer_is_told_its_flag() {
    let env = two();
    let before = env.ledger();
    for (line, hint) in [
        ("defer fix tomorrow", "hint: to name a date, run `bd defer fix --until tomorrow`\n"),
        ("defer fix docs 2w", "hint: to name a date, run `bd defer fix docs --until 2w`\n"),
        ("defer fix next week", "hint: to name a date, run `bd defer fix --until \"next week\"`\n"),
        ("defer fix nosuch", "hint: run `bd list --all` to see every id\n"),
        ("defer tomorrow", "hint: run `bd list --all` to see every id\n"),
    ] {
        env.bd(words(line)).fails(3, &["not found", hint]);
    }
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_closed_issue_is_not_deferred() {
    let env = two();
    env.given("close fix -r done");
    env.bd(["defer", "fix"]).fails(5, &["closed"]);
}

#[test]
fn delete_leaves_a_tombstone() {
    let env = two();
    env.given("add 'Part' --id bd-part --parent fix");
    assert_data_eq!(
        env.script(
            "delete fix
             delete fix --yes --dry-run --json
             delete fix --yes -r 'filed twice'
             list
             close fix
             delete fix --yes
             reopen fix
             list
             delete
             delete nosuch
             delete nosuch --yes"
        ),
        str![[r#"
$ bd delete fix
DELETE PREVIEW: nothing was changed
  bd-fix  Fix the parser
    bd-docs (blocks) would no longer wait for it
    bd-part (parent-child) refers to it
! hint: add --yes to delete; `bd reopen` brings them back
$ bd delete fix --yes --dry-run --json
{
  "preview": true,
  "would_delete": [
    {
      "id": "bd-fix",
      "title": "Fix the parser",
      "created_by": "ann",
      "status": "open",
      "priority": 1,
      "issue_type": "bug",
      "created_at": "2026-01-05T09:00:00.000Z",
      "updated_at": "2026-01-05T09:00:00.000Z",
      "visibility": "canonical",
      "source_repo": ".",
      "dependency_count": 0,
      "dependent_count": 2,
      "comment_count": 0
    }
  ]
}
$ bd delete fix --yes -r 'filed twice'
Deleted bd-fix
$ bd list
bd-part  P2  open  task  Part
bd-docs  P2  open  task  Write the docs
$ bd close fix
! error: no issue found: bd-fix is deleted
! hint: run `bd reopen bd-fix` to bring it back
[exit 5]
$ bd delete fix --yes
Nothing to change: bd-fix
$ bd reopen fix
Reopened bd-fix
$ bd list
bd-fix   P1  open  bug   Fix the parser
bd-part  P2  open  task  Part
bd-docs  P2  open  task  Write the docs [blocked]
$ bd delete
! error: no issue IDs provided: an issue ID is required
[exit 2]
$ bd delete nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd delete nosuch --yes
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
}

#[test]
fn a_deleted_issue_is_left_alone() {
    let env = two();
    env.given("add Other --id bd-x\ncomment fix first\nlabel add fix ui\ndelete fix --yes");
    let before = env.ledger();
    for line in [
        "comment fix more",
        "comments add fix more",
        "note fix more",
        "update fix --title Other",
        "update fix --priority 0 --add-label x",
        "update fix --claim",
        "update fix --status open",
        "label add fix core",
        "label remove fix ui",
        "assign fix person:bob",
        "dep add fix x",
        "close fix",
        "work fix",
        "claim fix",
        "defer fix",
    ] {
        env.bd(line.split(' ')).fails(5, &["bd-fix", "bd reopen"]);
    }
    assert_eq!(env.ledger(), before);
    // Others may still point at it, and it can be looked at, deleted again and brought back.
    env.given("show fix\ndep remove docs fix\ndelete fix --yes\nreopen fix\ncomment fix back");
    assert_eq!(env.bd(["comments", "fix", "--json"]).ok().json().as_array().unwrap().len(), 2);
}

#[test]
fn a_claim_on_a_deleted_issue_can_be_given_back() {
    let env = two();
    env.bd(["--agent", "bot", "claim", "fix"]).ok();
    env.bd(["delete", "fix", "--yes", "--agent", "bot"]).ok();
    let before = env.ledger();
    env.bd(["--agent", "bot", "release", "fix", "--reason", "gone"]);
    assert_eq!(env.ledger(), before);
    assert_eq!(env.bd(["leases", "--json"]).ok().stdout, "[]\n");
}

#[test]
fn delete_json() {
    let env = two();
    assert_data_eq!(
        env.bd(["delete", "fix", "--force", "--json"]).compact(),
        str![[r#"
$ bd delete fix --force --json
{"deleted":"bd-fix","dependencies_removed":0,"references_updated":0}

"#]]
        .raw()
    );
    assert_data_eq!(
        env.bd(["delete", "fix", "docs", "--yes", "--json"]).compact(),
        str![[r#"
$ bd delete fix docs --yes --json
{"deleted":["bd-fix","bd-docs"],"deleted_count":2,"dependencies_removed":0,"references_updated":0}

"#]]
        .raw()
    );
}

#[test]
fn an_empty_reason_is_none() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    assert_eq!(env.bd(["close", "1", "-r", ""]).ok().stdout, "Closed bd-1\n");
    let closed = env.ledger();
    assert!(!env.ledger_text().contains("close_reason"), "{}", env.ledger_text());
    assert_eq!(env.bd(["close", "1", "-r", ""]).ok().stdout, "Already closed: bd-1\n");
    assert_eq!(env.ledger(), closed);
    env.given("close 1 -r done");
    assert_eq!(env.bd(["close", "1", "-r", ""]).ok().stdout, "Already closed; removed the reason \"done\": bd-1\n");
    assert!(!env.ledger_text().contains("close_reason"), "{}", env.ledger_text());
    env.bd(["delete", "2", "--yes", "--reason", ""]).ok();
    assert!(!env.ledger_text().contains("delete_reason"), "{}", env.ledger_text());
}
