//! Words on issues: note, comment, comments.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;

/// Two issues, one with a description and one with a label.
pub fn two() -> Env {
    let env = Env::new();
    env.given(
        "add 'Fix the parser' --id bd-fix -d 'It stops.'
         add 'Write the docs' --id bd-docs -l web",
    );
    env
}

#[test]
fn notes_are_appended() {
    let env = two();
    assert_data_eq!(
        env.script(
            "note fix the cache is cold
             note fix 'and so is the tea'
             show fix
             note fix
             note fix ' '
             note nosuch x"
        ),
        str![[r#"
$ bd note fix the cache is cold
Note added: bd-fix
$ bd note fix 'and so is the tea'
Note added: bd-fix
$ bd show fix
bd-fix  Fix the parser
P2  open  task
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Stored in   .beads/beads.jsonl:2

Description
  It stops.

Notes
  the cache is cold
  and so is the tea
$ bd note fix
! error: a note needs a text
[exit 2]
$ bd note fix ' '
! error: a note needs a text
[exit 2]
$ bd note nosuch x
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    let piped = env.bd_with(["note", "docs", "--stdin", "--json"], Some("one\ntwo\n"), &[]).ok();
    assert_eq!(piped.json()[0]["notes"], "one\ntwo");
}

#[test]
fn comments_are_added_and_listed() {
    let env = two();
    assert_data_eq!(
        env.script(
            "comment fix seen again on main
             comments add fix 'two words' --author bob
             comments fix
             comments list fix --json
             comment fix 'third' --json
             comments docs
             comments docs --json"
        ),
        str![[r#"
$ bd comment fix seen again on main
Comment added: bd-fix
$ bd comments add fix 'two words' --author bob
Comment added: bd-fix
$ bd comments fix
2026-01-05 09:00 ann
  seen again on main
2026-01-05 09:00 bob
  two words
$ bd comments list fix --json
[
  {
    "id": "8903014719216108",
    "issue_id": "bd-fix",
    "author": "ann",
    "text": "seen again on main",
    "created_at": "2026-01-05T09:00:02.000Z"
  },
  {
    "id": "5319053690037220",
    "issue_id": "bd-fix",
    "author": "bob",
    "text": "two words",
    "created_at": "2026-01-05T09:00:03.000Z"
  }
]
$ bd comment fix third --json
{
  "id": "810243074882494",
  "issue_id": "bd-fix",
  "author": "ann",
  "text": "third",
  "created_at": "2026-01-05T09:00:06.000Z"
}
$ bd comments docs
! no comments
$ bd comments docs --json
[]

"#]]
        .raw()
    );
    env.write("log.txt", "line one\nline two\n");
    env.given("comment docs -f log.txt");
    let comment = env.bd(["comments", "docs", "--json"]).json();
    assert_eq!(comment[0]["text"], "line one\nline two");
    let id = comment[0]["id"].as_str().unwrap().to_owned();
    assert!(env.ledger_text().contains(&format!("\"comments\":[{{\"id\":{id},")), "the id is a number in the line");
}

#[test]
fn comment_refusals() {
    let env = two();
    assert_data_eq!(
        env.script(
            "comment fix
             comment fix ''
             comment nosuch x
             comment nosuch x --json
             comments nosuch
             comments
             comment fix -f nosuch.txt"
        ),
        str![[r#"
$ bd comment fix
! error: a comment needs a text
[exit 2]
$ bd comment fix ''
! error: a comment cannot be empty
[exit 2]
$ bd comment nosuch x
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd comment nosuch x --json
! {"error":{"code":"not_found","message":"no issue found matching \"nosuch\": not found","hint":"run `bd list --all` to see every id","recoverable":false,"exit_code":3,"id":"nosuch"}}
[exit 3]
$ bd comments nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd comments
! error: the following required arguments were not provided:
!   <ID>
! 
! Usage: bd comments <ID>
! 
! For more information, try '--help'.
[exit 2]
$ bd comment fix -f nosuch.txt
! error: cannot read $ROOT/web/nosuch.txt: No such file or directory (os error 2)
[exit 1]

"#]].raw()
    );
}
