//! Filing issues: add, q.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{Env, words};
use crate::support::user::BD;

#[test]
fn add_prints_the_id_and_writes_one_line() {
    let env = Env::new();
    assert_data_eq!(
        env.script("add 'Fix the parser' -t bug -p 1"),
        str![[r#"
$ bd add 'Fix the parser' -t bug -p 1
Created issue: bd-wp4nrn3z

"#]]
        .raw()
    );
    assert_data_eq!(env.ledger_text(), str![[r#"
{"id":"bd-wp4nrn3z","title":"Fix the parser","status":"open","priority":1,"issue_type":"bug","created_at":"2026-01-05T09:00:00.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:00.000Z"}

"#]].raw());
}

#[test]
fn add_takes_every_field() {
    let env = Env::new();
    env.given(
        "add 'Rework settings' -t epic --id bd-settings
         add 'Old bug' --id bd-old
         add 'Children come first' --id bd-wait",
    );
    assert_data_eq!(
        env.script(
            "add 'Part one' --id bd-part -t feature -p P0 -d 'What and why' --design 'How' --acceptance 'When done' --notes 'Seen on main' -a me -l web,api -l ui --deps discovered-from:old,bd-wait --parent settings --external-ref gh-9 -e 90 --due 2026-02-01 --defer 3d
             show part"
        ),
        str![[r#"
$ bd add 'Part one' --id bd-part -t feature -p P0 -d 'What and why' --design How --acceptance 'When done' --notes 'Seen on main' -a me -l web,api -l ui --deps discovered-from:old,bd-wait --parent settings --external-ref gh-9 -e 90 --due 2026-02-01 --defer 3d
Created issue: bd-part
$ bd show part
bd-part  Part one
P0  open  feature  @ann
Created     2026-01-05 09:00 by ann
Updated     2026-01-05 09:00
Due         2026-02-01 (in 27 days)
Deferred to 2026-01-08 09:00 (in 3 days)
Estimate    90 min
Reference   gh-9
Labels      api, ui, web
Stored in   .beads/beads.jsonl:2

Parent      bd-settings  open  Rework settings
Waits for   bd-wait  open  Children come first
Found in    bd-old  open  Old bug

Description
  What and why

Design
  How

Acceptance criteria
  When done

Notes
  Seen on main

"#]].raw()
    );
}

#[test]
fn add_json_is_one_object() {
    let env = Env::new();
    assert_data_eq!(
        env.bd(["add", "Fix it", "-l", "b,a", "--json"]).snapshot(),
        str![[r#"
$ bd add 'Fix it' -l b,a --json
{
  "id": "bd-y01q48bu",
  "title": "Fix it",
  "created_by": "ann",
  "status": "open",
  "priority": 2,
  "issue_type": "task",
  "created_at": "2026-01-05T09:00:00.000Z",
  "updated_at": "2026-01-05T09:00:00.000Z",
  "labels": [
    "a",
    "b"
  ],
  "visibility": "canonical",
  "source_repo": ".",
  "dependency_count": 0,
  "comment_count": 0
}

"#]]
        .raw()
    );
}

#[test]
fn add_reads_the_description_from_a_pipe_or_a_file() {
    let env = Env::new();
    env.write("body.txt", "from a file\n");
    env.bd_with(["add", "Piped", "--id", "bd-pipe", "--stdin"], Some("line one\nline two\n"), &[]).ok();
    env.bd_with(["add", "Dash", "--id", "bd-dash", "--body-file", "-"], Some("dash\n"), &[]).ok();
    env.given("add 'Filed' --id bd-file --body-file body.txt");
    let text = |id: &str| env.bd(["show", id, "--json"]).json()[0]["description"].clone();
    assert_eq!(
        (text("pipe"), text("dash"), text("file")),
        ("line one\nline two".into(), "dash".into(), "from a file".into())
    );
    env.bd(["add", "x", "--body-file", "nosuch.txt"]).fails(1, &["cannot read", "nosuch.txt"]);
}

#[test]
fn add_from_a_plan() {
    let env = Env::new();
    env.given("add 'Known' --id bd-known");
    let plan = "# Plan\nIgnored.\n\n## First thing\nWhy it matters.\n\n### Type\nbug\n### Priority\n1\n### Labels\n- a\n- b\n### Dependencies\nblocks:known\n\n## Second thing\n";
    env.write("plan.md", plan);
    env.write("bad.md", "## Thing\n### Colour\nred\n");
    env.write("empty.md", "Nothing here\n");
    assert_data_eq!(
        env.script(
            "add -f plan.md
             list
             add -f bad.md
             add -f empty.md
             add -f nosuch.md"
        ),
        str![[r###"
$ bd add -f plan.md
Created issue: bd-hr55b4j1
Created issue: bd-k7fvz6iw
$ bd list
bd-hr55b4j1  P1  open  bug   First thing [blocked] #a #b
bd-k7fvz6iw  P2  open  task  Second thing
bd-known     P2  open  task  Known
$ bd add -f bad.md
! error: bad.md: line 2: unknown section "colour"; known: type, priority, labels, assignee, dependencies, design, acceptance criteria, notes, description
[exit 2]
$ bd add -f empty.md
! error: empty.md: no issue in the plan: each one starts with a line "## Title"
[exit 2]
$ bd add -f nosuch.md
! error: cannot read $ROOT/web/nosuch.md: No such file or directory (os error 2)
[exit 1]

"###]].raw()
    );
    assert_eq!(env.bd(["add", "-f", "plan.md", "--json"]).ids().len(), 2);
}

#[test]
fn add_dry_run_files_nothing() {
    let env = Env::new();
    assert_data_eq!(
        env.script(
            "add 'Maybe' -p 0 --dry-run
             add 'Maybe' --dry-run --json
             add 'Maybe' --parent nosuch --dry-run
             list"
        ),
        str![[r#"
$ bd add Maybe -p 0 --dry-run
Would file P0 task "Maybe" in .beads/beads.jsonl
  repo .: routing.mode is single
$ bd add Maybe --dry-run --json
[
  {
    "dry_run": true,
    "title": "Maybe",
    "issue_type": "task",
    "priority": 2,
    "ledger": "$ROOT/web/.beads/beads.jsonl",
    "source_repo": ".",
    "routing_rule": "routing.mode is single"
  }
]
$ bd add Maybe --parent nosuch --dry-run
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd list
! no issues yet; add one with `bd add "Title"`

"#]]
        .raw()
    );
    assert_eq!(env.ledger(), b"");
}

#[test]
fn add_refusals() {
    let env = Env::new();
    env.given("add 'Here' --id bd-here");
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "add
             add '   '
             add x -p 7
             add x -t bgu
             add x --due someday
             add x --deps nosuch
             add x --deps '-x:here'
             add x --parent nosuch
             add x --id bd-here
             add x --id 'Not Good'
             add x -e -5
             add x --json -p highest"
        ),
        str![[r#"
$ bd add
! error: title required: a title is required
[exit 2]
$ bd add '   '
! error: title required: a title is required
[exit 2]
$ bd add x -p 7
! error: invalid priority "7": 0 to 4, P0 to P4, or critical high medium low backlog
[exit 2]
$ bd add x -t bgu
! error: invalid issue type "bgu"; known: bug feature task epic chore decision docs spike story milestone question merge-request molecule gate convoy message event workflow
! hint: did you mean "bug"?
[exit 2]
$ bd add x --due someday
! error: invalid --due format "someday": not a date
! hint: write a date such as 2026-03-01, tomorrow, friday, 3d or +2w, or a time in RFC 3339; run `bd help dates` for every form
[exit 2]
$ bd add x --deps nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd add x --deps -x:here
! error: unexpected argument '-x' found
! 
! Usage: bd add [OPTIONS] [TITLE]...
! 
! For more information, try '--help'.
[exit 2]
$ bd add x --parent nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd add x --id bd-here
! error: bd-here exists already
! hint: leave --id out to get a fresh id
[exit 5]
$ bd add x --id 'Not Good'
! error: a new id is made of a-z, 0-9, '-' and '.': "Not Good"
[exit 2]
$ bd add x -e -5
! error: estimate must be a non-negative number of minutes
[exit 2]
$ bd add x --json -p highest
! {"error":{"code":"usage","message":"invalid priority \"highest\": 0 to 4, P0 to P4, or critical high medium low backlog","recoverable":false,"exit_code":2}}
[exit 2]

"#]].raw()
    );
    assert_eq!(env.ledger(), before);
    let long = "x".repeat(501);
    env.bd(["add", &long]).fails(2, &["501 bytes", "500"]);
    env.bd(["add", &long[..500]]).ok();
}

#[test]
fn q_prints_only_the_id() {
    let env = Env::new();
    assert_data_eq!(
        env.script(
            "q Look into the slow start
             q 'Fix it' -p 1 -t bug -l now --json
             add 'Silent' --silent
             list
             q
             q x -p 9"
        ),
        str![[r#"
$ bd q Look into the slow start
bd-hbaky2ca
$ bd q 'Fix it' -p 1 -t bug -l now --json
bd-braeiqen
$ bd add Silent --silent
bd-52oqkw1t
$ bd list
bd-braeiqen  P1  open  bug   Fix it #now
bd-52oqkw1t  P2  open  task  Silent
bd-hbaky2ca  P2  open  task  Look into the slow start
$ bd q
! error: the following required arguments were not provided:
!   <TITLE>...
! 
! Usage: bd q <TITLE>...
! 
! For more information, try '--help'.
[exit 2]
$ bd q x -p 9
! error: invalid priority "9": 0 to 4, P0 to P4, or critical high medium low backlog
[exit 2]

"#]]
        .raw()
    );
}

/// One thing that is said in two ways: neither is dropped in silence.
#[test]
fn what_is_said_twice_is_refused() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2\nadd Three --id bd-3");
    env.write("text.md", "## From a file\n");
    let before = env.ledger();
    for line in [
        "add foo --title bar",
        "add '' --title bar",
        "add -f text.md --title bar",
        "add -f text.md -t bug",
        "add -f text.md --parent 1",
        "add -f text.md --ephemeral",
        "add x -d one --body-file text.md",
        "add x --parent 1 --parent 2",
        "update 1 -d one --stdin",
        "update 1 --body-file text.md --stdin",
        "update 1 --title a --title b",
        "note 1 words --stdin",
        "comment 1 words --stdin",
        "comment 1 words -f text.md",
        "comment 1 -f text.md --stdin",
        "comments add 1 words --stdin",
        "close 1 -r one --reason two",
        "close 1 -r one --reason-file text.md",
        "dep add 1 2 --blocked-by 3",
        "dep add 1 2 --depends-on 3",
        "dep add 1 --blocked-by 2 --depends-on 3",
        "count --by status --by-type",
    ] {
        let run = env.bd_with(words(line), Some("piped"), &[]);
        assert!(run.code == 2 && run.stdout.is_empty() && !run.stderr.is_empty(), "{}", run.snapshot());
        assert_eq!(env.ledger(), before, "{line}");
    }
    env.bd(["add", "--title", "bar"]).ok();
    env.bd(["add", "-f", "text.md"]).ok();
}

#[test]
fn what_should_be_a_number_and_is_not_one_is_told_plainly() {
    let env = Env::new();
    for (line, said) in [
        ("list -n x", "error: not a number: x (for --limit <N>)"),
        ("list -n 2.5", "error: not a whole number: 2.5 (for --limit <N>)"),
        ("log --limit=-1", "error: number below zero: -1 (for --limit <N>)"),
        ("add T -e 99999999999999999999", "error: number too large: 99999999999999999999 (for --estimate <MINUTES>)"),
        ("workflow set x --max-parallel many", "error: not a number: many (for --max-parallel <N>)"),
    ] {
        env.bd(words(line)).fails(2, &[said]);
    }
    assert!(env.bd(["list", "-n", "x", "--json"]).error()["message"].as_str().unwrap().starts_with("not a number: x"));
}

#[test]
fn an_answer_that_cannot_be_printed_is_told_so_nobody_files_twice() {
    let env = Env::new();
    for format in [&[][..], &["--json"]] {
        let mut command = env.bd_command(BD);
        command.args(["add", "One"]).args(format);
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command.stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let ledger = env.ledger_text();
        let last = ledger.lines().find(|line| said.contains(&line[7..18]));
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(last.is_some() && said.contains("the change was made; do not repeat it"), "{said}");
    }
    // A read has nothing to repeat.
    let mut command = env.bd_command(BD);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command.arg("list").stdout(full).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && !said.contains("change was made"), "{said}");
}
