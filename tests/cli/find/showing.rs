//! One issue: show, and how ids are typed.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::find::listing::project;
use crate::support::harness::Env;

#[test]
fn show_everything_about_an_issue() {
    let env = project();
    env.bd(["update", "save", "-d", "First line.\n\n\tindented\n", "--notes", "n"]).ok();
    env.given(
        "comment save 'looks right'
         dep add login save -t related",
    );
    assert_data_eq!(
        env.script(
            "show save
             show epic login --short
             view docs
             show twice"
        ),
        str![[r#"
$ bd show save
bd-save  Validate on save
P2  open  task
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Labels      backend, ui
Stored in   .beads/beads.jsonl:5

Parent      bd-epic  open  Rework the settings page
Waits for   bd-form  open  Move the form
Related     bd-login  open  Login fails on Safari

Description
  First line.

  	indented

Notes
  n

Comments
  2026-01-05 09:00 ann
    looks right
$ bd show epic login --short
bd-epic   P1  open  epic  Rework the settings page #ui
bd-login  P0  open  bug   Login fails on Safari
$ bd view docs
bd-docs  Write the docs
P3  closed  chore
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Closed      2026-01-05 09:00
Reason      done in 4f2e
Stored in   .beads/beads.jsonl:1
$ bd show twice
bd-twice  Filed twice
P2  tombstone  task
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Deleted     2026-01-05 09:00 by ann
Stored in   .beads/beads.jsonl:6

"#]]
        .raw()
    );
}

#[test]
fn show_json_carries_whole_neighbours() {
    let env = project();
    env.given("comment save 'looks right'");
    assert_data_eq!(
        env.bd(["show", "save", "--json"]).snapshot(),
        str![[r#"
$ bd show save --json
[
  {
    "id": "bd-save",
    "title": "Validate on save",
    "created_by": "ann",
    "status": "open",
    "priority": 2,
    "issue_type": "task",
    "created_at": "2026-01-05T09:00:02.000Z",
    "updated_at": "2026-01-05T09:00:08.000Z",
    "labels": [
      "backend",
      "ui"
    ],
    "parent": "bd-epic",
    "visibility": "canonical",
    "source_repo": ".",
    "dependency_count": 2,
    "dependent_count": 0,
    "comment_count": 1,
    "writable": true,
    "dependencies": [
      {
        "id": "bd-epic",
        "title": "Rework the settings page",
        "created_by": "ann",
        "status": "open",
        "priority": 1,
        "issue_type": "epic",
        "created_at": "2026-01-05T09:00:00.000Z",
        "updated_at": "2026-01-05T09:00:00.000Z",
        "labels": [
          "ui"
        ],
        "visibility": "canonical",
        "source_repo": ".",
        "dependency_count": 0,
        "dependent_count": 2,
        "comment_count": 0,
        "dependency_type": "parent-child"
      },
      {
        "id": "bd-form",
        "title": "Move the form",
        "assignee": "bob",
        "created_by": "ann",
        "status": "open",
        "priority": 2,
        "issue_type": "task",
        "created_at": "2026-01-05T09:00:01.000Z",
        "updated_at": "2026-01-05T09:00:01.000Z",
        "parent": "bd-epic",
        "visibility": "canonical",
        "source_repo": ".",
        "dependency_count": 1,
        "dependent_count": 1,
        "comment_count": 0,
        "dependency_type": "blocks"
      }
    ],
    "comments": [
      {
        "id": "3809020057463175",
        "issue_id": "bd-save",
        "author": "ann",
        "text": "looks right",
        "created_at": "2026-01-05T09:00:08.000Z"
      }
    ]
  }
]

"#]]
        .raw()
    );
    let epic = env.bd(["show", "epic", "--json"]).json()[0].clone();
    assert_eq!(
        (&epic["epic_total_children"], &epic["epic_closed_children"], &epic["epic_closeable"]),
        (&2.into(), &0.into(), &false.into())
    );
    let unknown = Env::with_ledger(
        "{\"id\":\"a\",\"x\":1e400,\"y\":\"caf\\u00e9\",\"dependencies\":[{\"depends_on_id\":\"zz\"}]}\n",
    );
    assert_data_eq!(unknown.bd(["show", "a", "--json"]).compact(), str![[r#"
$ bd show a --json
[
{"id":"a","title":"","x":1e400,"y":"caf\u00e9","status":"open","priority":0,"issue_type":"task","created_at":"1970-01-01T00:00:00.000Z","updated_at":"1970-01-01T00:00:00.000Z","visibility":"canonical","source_repo":".","dependency_count":1,"dependent_count":0,"comment_count":0,"writable":true,"dependencies":[{"id":"zz","title":"","status":"unknown","priority":0,"issue_type":"task","created_at":"1970-01-01T00:00:00.000Z","updated_at":"1970-01-01T00:00:00.000Z","missing":true,"dependency_type":"blocks"}]}
]

"#]].raw());
}

#[test]
fn show_refusals() {
    let env = project();
    assert_data_eq!(
        env.script(
            "show nosuch
             show nosuch login --short
             show nosuch --json
             show l
             show d
             show bd-"
        ),
        str![[r#"
$ bd show nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd show nosuch login --short
bd-login  P0  open  bug  Login fails on Safari
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd show nosuch --json
[]
! {"error":{"code":"not_found","message":"no issue found matching \"nosuch\": not found","hint":"run `bd list --all` to see every id","recoverable":false,"exit_code":3,"id":"nosuch"}}
[exit 3]
$ bd show l
bd-login  Login fails on Safari
P0  open  bug
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Stored in   .beads/beads.jsonl:4

Description
  Cookies are lost.
$ bd show d
bd-docs  Write the docs
P3  closed  chore
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Closed      2026-01-05 09:00
Reason      done in 4f2e
Stored in   .beads/beads.jsonl:1
$ bd show bd-
! error: "bd-" is ambiguous: it matches bd-docs, bd-epic, bd-form, bd-login, bd-save, bd-twice
! hint: type more characters of the id
[exit 3]

"#]].raw()
    );
}

#[test]
fn show_without_an_id_is_the_list() {
    let env = project();
    assert_eq!(env.bd(["show"]).stdout, env.bd(["list"]).stdout);
}

#[test]
fn ids_can_be_shortened() {
    let env = Env::new();
    env.given(
        "add 'One' --id bd-abc1
         add 'Two' --id bd-abd2
         add 'Three' --id web-abc",
    );
    let shown = |typed: &str| env.bd(["show", typed, "--json"]).ids().join(" ");
    assert_eq!(
        (shown("abd"), shown("abc"), shown("bd-abc1"), shown("web")),
        ("bd-abd2".into(), "web-abc".into(), "bd-abc1".into(), "web-abc".into())
    );
    assert_data_eq!(
        env.script("show ab"),
        str![[r#"
$ bd show ab
! error: "ab" is ambiguous: it matches bd-abc1, bd-abd2, web-abc
! hint: type more characters of the id
[exit 3]

"#]]
        .raw()
    );
}
