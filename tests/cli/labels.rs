//! Labels: label add, remove, list, list-all.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::remarks::two;

#[test]
fn labels() {
    let env = two();
    assert_data_eq!(
        env.script(
            "label add fix docs web
             label list fix
             label list-all
             label remove docs web
             label list docs --json
             label list fix --json
             label list-all --json
             label add fix urgent --json
             label remove fix urgent --json"
        ),
        str![[r#"
$ bd label add fix docs web
Added label "web": bd-fix
Nothing to change: bd-docs
$ bd label list fix
web
$ bd label list-all
    2  web
$ bd label remove docs web
Removed label "web": bd-docs
$ bd label list docs --json
[]
$ bd label list fix --json
[
  "web"
]
$ bd label list-all --json
[
  {
    "label": "web",
    "count": 1
  }
]
$ bd label add fix urgent --json
[
  {
    "status": "added",
    "issue_id": "bd-fix",
    "label": "urgent"
  }
]
$ bd label remove fix urgent --json
[
  {
    "status": "removed",
    "issue_id": "bd-fix",
    "label": "urgent"
  }
]

"#]]
        .raw()
    );
}

#[test]
fn labels_are_sorted_in_the_line() {
    let env = two();
    env.given(
        "label add docs zeta
         label add docs alpha",
    );
    assert!(env.ledger_text().contains(r#""labels":["alpha","web","zeta"]"#), "{}", env.ledger_text());
}

#[test]
fn label_refusals() {
    let env = two();
    assert_data_eq!(
        env.script(
            "label add fix ''
             label add nosuch x
             label add nosuch fix x --json
             label add x
             label list nosuch
             label"
        ),
        str![[r#"
$ bd label add fix ''
! error: a label cannot be empty
[exit 2]
$ bd label add nosuch x
! error: no issue found matching "nosuch": not found
! hint: bd list --all shows every id
[exit 3]
$ bd label add nosuch fix x --json
! {"error":{"code":"not_found","message":"no issue found matching \"nosuch\": not found; nothing was changed","hint":"bd list --all shows every id","recoverable":false,"exit_code":3,"ids":["nosuch"]}}
[exit 3]
$ bd label add x
! error: 2 values required by '<ID> <LABEL>...'; only 1 was provided
! 
! Usage: bd label add [OPTIONS] <ID> <LABEL>...
! 
! For more information, try '--help'.
[exit 2]
$ bd label list nosuch
! error: no issue found matching "nosuch": not found
! hint: bd list --all shows every id
[exit 3]
$ bd label
! Labels of issues
! 
! Usage: bd label [OPTIONS] <COMMAND>
! 
! Commands:
!   add       Put a label on issues: ID… LABEL
!   remove    Take a label off issues: ID… LABEL
!   list      The labels of an issue
!   list-all  All labels in use, with how many issues bear them
! 
! Options:
!       --json                Print JSON
!   -C, --directory <DIR>     Run as if started in DIR
!       --actor <NAME>        Who acts (default: BD_ACTOR, BEADS_ACTOR, git's user.name, USER)
!       --agent <NAME>        The agent that acts (default: BD_AGENT; without one it is a person)
!   -q, --quiet               Print only what was asked for, no talk
!       --config <KEY=VALUE>  A setting for this once
!   -h, --help                Print help
! 
! Examples:
!   bd label add bd-a3f8 backend
!   bd label add a3 k9 urgent          the last word is the label
!   bd label remove a3 urgent
!   bd label list-all
[exit 2]

"#]].raw()
    );
}

#[test]
fn a_label_that_is_there_is_not_added() {
    let env = two();
    let before = env.ledger();
    for args in [["label", "add", "docs", "web"], ["label", "remove", "docs", "nosuch"]] {
        let run = env.bd(args).ok();
        assert!(run.stdout.starts_with("Nothing to change"), "{}", run.snapshot());
    }
    assert_eq!(env.ledger(), before);
}
