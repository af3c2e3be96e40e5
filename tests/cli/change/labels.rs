//! Labels: label add, remove, list, list-all.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::change::notes::two;

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
! hint: run `bd list --all` to see every id
[exit 3]
$ bd label add nosuch fix x --json
! {"error":{"code":"not_found","message":"no issue found matching \"nosuch\": not found; nothing was changed","hint":"run `bd list --all` to see every id","recoverable":false,"exit_code":3,"ids":["nosuch"]}}
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
! hint: run `bd list --all` to see every id
[exit 3]
$ bd label
! Add, remove and list labels
! 
! Usage: bd label [OPTIONS] <COMMAND>
! 
! Commands:
!   add       Add labels to issues: ID… LABEL[,LABEL…]
!   remove    Remove labels from issues: ID… LABEL[,LABEL…] [alias: rm]
!   list      List the labels of an issue
!   list-all  List all labels in use, with the number of issues of each
! 
! Options:
!   -h, --help  Print help
! 
! Global options:
!       --json                Print JSON
!       --ndjson              Print JSON, each item of a list on a line of its own
!   -C, --directory <DIR>     Run as if started in DIR
!       --actor <NAME>        Act as NAME (default: BD_ACTOR, BEADS_ACTOR, git's user.name, USER)
!       --agent <NAME>        Act as the agent NAME (default: BD_AGENT)
!       --color <WHEN>        Use colour: auto, always or never
!       --no-pager            Do not page long output
!   -q, --quiet               Print only the result
!       --config <KEY=VALUE>  Override a setting for this command
! 
! Examples:
!   bd label add bd-a3f8 backend
!   bd label add a3 k9 urgent          the last word is the label
!   bd label add a3 ui,backend         or several, with commas between
!   bd label remove a3 urgent
!   bd list --ids --overdue | bd label add - late
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

#[test]
fn several_labels_at_once_are_several() {
    let env = two();
    let added = env.bd(["label", "add", "fix", "ui, backend"]).ok();
    assert_eq!(added.stdout, "Added labels \"ui\", \"backend\": bd-fix\n");
    for label in ["ui", "backend"] {
        assert_eq!(env.bd(["list", "-l", label, "--json"]).ok().ids(), ["bd-fix"], "{label}");
    }
    let json = env.bd(["label", "remove", "fix", "ui,backend", "--json"]).ok().json();
    let labels: Vec<&str> = json.as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["ui", "backend"]);
    assert_eq!(env.bd(["list", "-l", "ui", "--json"]).ok().ids(), [""; 0]);
    for bad in ["ui,", ",", "ui,,backend", " "] {
        env.bd(["label", "add", "fix", bad]).fails(2, &["a label cannot be empty"]);
    }
}

#[test]
fn a_label_with_a_comma_in_a_ledger_can_be_removed() {
    let env = two();
    let line = env.ledger_text().replace("\"web\"", "\"ui,backend\"");
    env.put_ledger(line);
    env.given("label remove docs ui,backend");
    assert_eq!(env.bd(["label", "list-all", "--json"]).ok().json(), serde_json::json!([]));
}

#[test]
fn update_label_adds() {
    let env = two();
    env.given(
        "update docs --add-label one,two
         update docs --label three
         update docs --label 'four, five'",
    );
    let labels = |env: &crate::support::harness::Env| env.bd(["label", "list", "docs", "--json"]).ok().json();
    assert_eq!(labels(&env), serde_json::json!(["five", "four", "one", "three", "two", "web"]));
    env.given("update docs --set-labels 'six, seven'");
    assert_eq!(labels(&env), serde_json::json!(["seven", "six"]));
    env.bd(["update", "docs", "--label", ""]).fails(2, &["a label cannot be empty"]);
}
