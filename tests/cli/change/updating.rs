//! Changing fields: update, status, work.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;

/// A bug, and docs that wait for it.
pub fn two() -> Env {
    let env = Env::new();
    env.given(
        "add 'Fix the parser' -t bug -p 1 --id bd-fix
         add 'Write the docs' --id bd-docs --deps fix",
    );
    env
}

#[test]
fn update_changes_only_what_is_named() {
    let env = two();
    let before = env.ledger_text();
    assert_data_eq!(
        env.script(
            "update fix --priority 3 --assignee me
             update fix --priority 3 --assignee me"
        ),
        str![[r#"
$ bd update fix --priority 3 --assignee me
Updated issue: bd-fix
$ bd update fix --priority 3 --assignee me
Nothing to change: bd-fix

"#]]
        .raw()
    );
    let expected = before
        .replace(r#""priority":1"#, r#""priority":3"#)
        .replace(r#""issue_type":"bug""#, r#""issue_type":"bug","assignee":"ann""#);
    let expected = expected.replacen(
        r#""updated_at":"2026-01-05T09:00:00.000Z""#,
        r#""updated_at":"2026-01-05T09:00:02.000Z""#,
        1,
    );
    assert_eq!(env.ledger_text(), expected);
}

#[test]
fn update_every_field_and_clear_them() {
    let env = two();
    env.given("add 'The whole' -t epic --id bd-whole");
    let before = env.ledger_text();
    assert_data_eq!(
        env.script(
            "update fix -s in_progress -t chore --title 'New title' -d 'Words' --design 'How' --acceptance-criteria 'When' --notes 'One' --external-ref gh-1 -e 30 --due 2026-03-01 --defer 2026-02-01 --add-label a,b --parent whole
             update fix --append-notes 'Two' --remove-label a
             show fix
             update fix -s open -t bug --title 'Fix the parser' -d '' --design '' --acceptance '' --notes '' --external-ref '' --due '' --defer '' --set-labels '' --parent ''"
        ),
        str![[r#"
$ bd update fix -s in_progress -t chore --title 'New title' -d Words --design How --acceptance-criteria When --notes One --external-ref gh-1 -e 30 --due 2026-03-01 --defer 2026-02-01 --add-label a,b --parent whole
Updated issue: bd-fix
$ bd update fix --append-notes Two --remove-label a
Updated issue: bd-fix
$ bd show fix
bd-fix  New title
P1  in_progress  chore
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Started     2026-01-05 09:00
Due         2026-03-01
Deferred to 2026-02-01 (in 27 days)
Estimate    30 min
Reference   gh-1
Labels      b
Stored in   .beads/beads.jsonl:2

Parent      bd-whole  open  The whole
Blocks      bd-docs  open  Write the docs

Description
  Words

Design
  How

Acceptance criteria
  When

Notes
  One
  Two
$ bd update fix -s open -t bug --title 'Fix the parser' -d '' --design '' --acceptance '' --notes '' --external-ref '' --due '' --defer '' --set-labels '' --parent ''
Updated issue: bd-fix

"#]].raw()
    );
    let line = |text: &str| text.lines().find(|line| line.contains(r#""id":"bd-fix""#)).unwrap().to_owned();
    let started = r#""started_at":"2026-01-05T09:00:03.000Z""#;
    let expected =
        line(&before).replace(r#""issue_type":"bug""#, r#""issue_type":"bug","estimated_minutes":30"#).replace(
            r#""updated_at":"2026-01-05T09:00:00.000Z""#,
            &format!(r#""updated_at":"2026-01-05T09:00:06.000Z",{started}"#),
        );
    let times = r#","field_times":{"at":"2026-01-05T09:00:06.000Z","status":"2026-01-05T09:00:06.000Z"}}"#;
    assert_eq!(line(&env.ledger_text()), format!("{}{times}", expected.strip_suffix('}').unwrap()));
}

#[test]
fn update_json_is_an_array() {
    let env = two();
    assert_data_eq!(
        env.bd(["update", "fix", "-p", "0", "--json"]).snapshot(),
        str![[r#"
$ bd update fix -p 0 --json
[
  {
    "id": "bd-fix",
    "title": "Fix the parser",
    "created_by": "ann",
    "status": "open",
    "priority": 0,
    "issue_type": "bug",
    "created_at": "2026-01-05T09:00:00.000Z",
    "updated_at": "2026-01-05T09:00:02.000Z",
    "visibility": "canonical",
    "source_repo": ".",
    "dependency_count": 0,
    "comment_count": 0
  }
]

"#]]
        .raw()
    );
}

#[test]
fn update_refusals() {
    let env = two();
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "update
             update fix
             update nosuch -p 1
             update fix -p 7
             update fix -s opne
             update fix -s tombstone
             update fix -t bgu
             update fix --title ''
             update fix --due someday
             update fix -e -1
             update fix --add-label ''
             update fix --parent fix
             update fix --notes a --append-notes b
             update nosuch -p 1 --json"
        ),
        str![[r#"
$ bd update
! error: no issue ID provided: an issue ID is required
[exit 2]
$ bd update fix
! error: nothing to change: name a field, such as --status or --priority
[exit 2]
$ bd update nosuch -p 1
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd update fix -p 7
! error: invalid priority "7": 0 to 4, P0 to P4, or critical high medium low backlog
[exit 2]
$ bd update fix -s opne
! error: invalid status "opne"; known: open in_progress blocked deferred closed pinned hooked
! hint: did you mean "open"?
[exit 2]
$ bd update fix -s tombstone
! error: invalid status "tombstone"; known: open in_progress blocked deferred closed pinned hooked
[exit 2]
$ bd update fix -t bgu
! error: invalid issue type "bgu"; known: bug feature task epic chore decision docs spike story milestone question merge-request molecule gate convoy message event workflow
! hint: did you mean "bug"?
[exit 2]
$ bd update fix --title ''
! error: title required: a title is required
[exit 2]
$ bd update fix --due someday
! error: invalid --due format "someday": not a date
! hint: write a date such as 2026-03-01, tomorrow, friday, 3d or +2w, or a time in RFC 3339; run `bd help dates` for every form
[exit 2]
$ bd update fix -e -1
! error: estimate must be a non-negative number of minutes
[exit 2]
$ bd update fix --add-label ''
! error: a label cannot be empty
[exit 2]
$ bd update fix --parent fix
! error: bd-fix cannot depend on itself
[exit 5]
$ bd update fix --notes a --append-notes b
! error: the argument '--notes <TEXT>' cannot be used with '--append-notes <TEXT>'
! 
! Usage: bd update --notes <TEXT> <IDS>...
! 
! For more information, try '--help'.
[exit 2]
$ bd update nosuch -p 1 --json
! {"error":{"code":"not_found","message":"no issue found matching \"nosuch\": not found","hint":"run `bd list --all` to see every id","recoverable":false,"exit_code":3,"id":"nosuch"}}
[exit 3]

"#]].raw()
    );
    assert_eq!(env.ledger(), before);
}

#[test]
fn of_several_ids_all_are_known_or_none_is_changed() {
    let env = two();
    assert_data_eq!(
        env.script("update nosuch fix gone docs -p 0"),
        str![[r#"
$ bd update nosuch fix gone docs -p 0
! error: no issue found matching "nosuch": not found; no issue found matching "gone": not found; nothing was changed
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    let run = env.bd(["close", "fix", "nosuch", "docs", "--json"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""));
    assert_eq!((&run.error()["code"], &run.error()["ids"]), (&"not_found".into(), &serde_json::json!(["nosuch"])));
}
