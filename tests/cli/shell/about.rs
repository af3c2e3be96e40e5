//! The ledger as a file, and the program itself: doctor, where, info, schema, completions, version, quickstart.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::change::transfer::OLD;
use crate::support::harness::Env;

#[test]
fn doctor_finds_and_fixes() {
    let lines: Vec<&str> = OLD.lines().collect();
    let env = Env::with_ledger(format!("{}\r\n\n{}\n{{\"id\":\"old-0\",\n", lines[1], lines[0]));
    assert_data_eq!(
        env.script(
            "doctor
             doctor --fix
             doctor
             doctor --json"
        ),
        str![[r#"
$ bd doctor
damaged: .beads/beads.jsonl:4: ends in the middle of a value (column 15)
    run `bd doctor --fix` to move the line to .beads/damaged.txt
note: .beads/beads.jsonl:1: lines that end with a carriage return: 1
    run `bd doctor --fix` to repair it
note: .beads/beads.jsonl:1: lines are not sorted by id
    run `bd doctor --fix` to repair it
note: .beads/beads.jsonl:2: blank lines: 1
    harmless
[exit 8]
$ bd doctor --fix
fixed: .beads/beads.jsonl:4: moved a damaged line out (ends in the middle of a value (column 15)) to .beads/damaged.txt
fixed: .beads/beads.jsonl: sorted the lines by id
fixed: .beads/beads.jsonl: made line ends plain line feeds
note: .beads/beads.jsonl:3: blank lines: 1
    harmless
$ bd doctor
note: .beads/beads.jsonl:3: blank lines: 1
    harmless
$ bd doctor --json
{
  "ok": true,
  "findings": [
    {
      "severity": "note",
      "file": "$ROOT/web/.beads/beads.jsonl",
      "line": 3,
      "message": "blank lines: 1",
      "remedy": "harmless"
    }
  ],
  "fixed": []
}

"#]]
        .raw()
    );
    assert_eq!(env.ledger_text(), format!("{}\n{}\n\n", lines[0], lines[1]));
    assert_eq!(std::fs::read_to_string(env.path(".beads/damaged.txt")).unwrap(), "{\"id\":\"old-0\",\n");
}

#[test]
fn doctor_joins_two_ledgers() {
    let env = Env::with_ledger(OLD.lines().next().unwrap().to_owned() + "\n");
    env.write(".beads/issues.jsonl", OLD);
    assert_data_eq!(
        env.script(
            "list --all
             add 'Where to'
             doctor
             doctor --fix
             list --all"
        ),
        str![[r#"
$ bd list --all
old-1  P1  open    bug   From before
old-2  P2  closed  task  Done long ago
$ bd add 'Where to'
! error: $ROOT/web/.beads has two ledgers, beads.jsonl and issues.jsonl; writes need one
! hint: run `bd doctor --fix` to join them by id
[exit 8]
$ bd doctor
damaged: .beads: two ledgers, beads.jsonl and issues.jsonl: both are shown, writes are refused
    run `bd doctor --fix` to join them by id
[exit 8]
$ bd doctor --fix
fixed: .beads/beads.jsonl: lines taken from .beads/issues.jsonl: 1; that file is now .beads/issues.jsonl.joined
everything is in order
$ bd list --all
old-1  P1  open    bug   From before
old-2  P2  closed  task  Done long ago

"#]]
        .raw()
    );
    assert_eq!(env.ledger_text(), OLD);
}

#[test]
fn doctor_json() {
    let env = Env::with_ledger(format!("{OLD}not JSON\n"));
    assert_data_eq!(
        env.bd(["doctor", "--json"]).snapshot(),
        str![[r#"
$ bd doctor --json
{
  "ok": false,
  "findings": [
    {
      "severity": "damage",
      "file": "$ROOT/web/.beads/beads.jsonl",
      "line": 3,
      "message": "not a JSON object",
      "remedy": "run `bd doctor --fix` to move the line to .beads/damaged.txt"
    }
  ],
  "fixed": []
}
[exit 8]

"#]]
        .raw()
    );
    env.bd(["doctor", "--bogus"]).fails(2, &["unexpected argument '--bogus'"]);
}

#[test]
fn where_and_info() {
    let env = Env::with_ledger(OLD);
    assert_data_eq!(
        env.script(
            "where
             where --json
             info
             info --json
             where --bogus
             info --bogus"
        ),
        str![[r#"
$ bd where
Ledger      .beads/beads.jsonl
Directory   .beads
Because     working directory
New ids     bd-…
State home  .beads/run
Its mode    repo: not under version control
Checkout    main
New issues  go to .: routing.mode is single
$ bd where --json
{
  "path": "$ROOT/web/.beads",
  "prefix": "bd",
  "database_path": "$ROOT/web/.beads/beads.jsonl",
  "ledger": "$ROOT/web/.beads/beads.jsonl",
  "source_repo": ".",
  "reason": "working directory",
  "state_home": "$ROOT/web/.beads/run",
  "state_mode": "repo",
  "state_reason": "not under version control",
  "worktree": "main",
  "repos": [
    "."
  ],
  "new_issues": ".",
  "routing_rule": "routing.mode is single"
}
$ bd info
Ledger      .beads/beads.jsonl
Issues      2 in 363 bytes
Directory   .beads
Because     working directory
New ids     bd-…
State home  .beads/run
Its mode    repo: not under version control
Checkout    main
New issues  go to .: routing.mode is single
Actor       ann
Role        maintainer: no version control here, so the project is yours; it means nothing while routing.mode is single
Version     3.0.0
$ bd info --json
{
  "database_path": "$ROOT/web/.beads/beads.jsonl",
  "ledger": "$ROOT/web/.beads/beads.jsonl",
  "issue_count": 2,
  "ledger_bytes": 363,
  "mode": "direct",
  "actor": "ann",
  "version": "3.0.0",
  "config": {
    "issue_prefix": "bd"
  },
  "place": {
    "path": "$ROOT/web/.beads",
    "prefix": "bd",
    "database_path": "$ROOT/web/.beads/beads.jsonl",
    "ledger": "$ROOT/web/.beads/beads.jsonl",
    "source_repo": ".",
    "reason": "working directory",
    "state_home": "$ROOT/web/.beads/run",
    "state_mode": "repo",
    "state_reason": "not under version control",
    "worktree": "main",
    "repos": [
      "."
    ],
    "new_issues": ".",
    "routing_rule": "routing.mode is single"
  },
  "role": {
    "role": "maintainer",
    "rule": "no-remote",
    "because": "no version control here, so the project is yours",
    "in_effect": false
  }
}
$ bd where --bogus
! error: unexpected argument '--bogus' found
! 
! Usage: bd where [OPTIONS]
! 
! For more information, try '--help'.
[exit 2]
$ bd info --bogus
! error: unexpected argument '--bogus' found
! 
! Usage: bd info [OPTIONS]
! 
! For more information, try '--help'.
[exit 2]

"#]]
        .raw()
    );
    assert_data_eq!(Env::bare().script("where\ninfo --json"), str![[r#"
$ bd where
! error: no .beads directory at or above $ROOT/web
! hint: run `bd init` to make one here, or name another place with -C DIR or BEADS_DIR
[exit 9]
$ bd info --json
! {"error":{"code":"no_repository","message":"no .beads directory at or above $ROOT/web","hint":"run `bd init` to make one here, or name another place with -C DIR or BEADS_DIR","recoverable":false,"exit_code":9}}
[exit 9]

"#]].raw());
}

#[test]
fn version_and_quickstart() {
    let env = Env::bare();
    assert_data_eq!(
        env.script(
            "version
             --version
             version --json
             version --bogus
             quickstart"
        ),
        str![[r#"
$ bd version
bd version 3.0.0
$ bd --version
bd version 3.0.0
$ bd version --json
{
  "version": "3.0.0",
  "build": "release",
  "branch": ""
}
$ bd version --bogus
! error: unexpected argument '--bogus' found
! 
! Usage: bd version [OPTIONS]
! 
! For more information, try '--help'.
[exit 2]
$ bd quickstart
Quickstart

bd is a dependency-aware issue tracker: it knows which issue waits for which, and what is ready. It keeps issues as
lines of .beads/beads.jsonl, a file you commit like code.

  bd init                         make a ledger in this repo
  bd hooks install                once in a clone: git merges issues without conflicts
  bd add "Fix the parser" -p 1    file an issue (also: bd create); its id is printed
  bd ready                        what can be worked on now
  bd work ID                      take it: assigned to you, in progress
  bd note ID "what I found"       add to its notes
  bd dep add ID OTHER             ID waits for OTHER
  bd close ID -r "done in 4f2e"   close it
  bd sync                         commit the ledger, merge with the remote, push

A few characters of an id are enough. Every command takes --json. bd help --all lists the rest.

"#]]
        .raw()
    );
}

#[test]
fn schemas_of_all_json() {
    let env = Env::bare();
    assert_data_eq!(
        env.script(
            "schema count
             schema nosuch"
        ),
        str![[r#"
$ bd schema count
{
  "type": "object",
  "properties": {
    "count": {
      "type": "integer"
    }
  },
  "required": [
    "count"
  ]
}
$ bd schema nosuch
! error: no schema for "nosuch"
! hint: run `bd schema` for their names
[exit 2]

"#]]
        .raw()
    );
    let all = env.bd(["schema", "--all"]).ok().json();
    assert_eq!(all["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert!(all["commands"]["list"]["items"]["required"].as_array().unwrap().contains(&"issue_type".into()));
}

#[test]
fn completions_for_shells() {
    let env = Env::bare();
    for shell in ["bash", "zsh", "fish"] {
        let run = env.bd(["completions", shell, "--static"]).ok();
        assert!(run.stdout.contains("triage"), "{shell}");
        let run = env.bd(["completions", shell]).ok();
        assert!(run.stdout.contains("BD_COMPLETE") && !run.stdout.contains("triage"), "{shell}");
    }
    env.bd(["completions", "nosuch"]).fails(2, &["invalid value 'nosuch'", "bash"]);
    env.bd(["completions", "--json"]).fails(2, &["usage"]);
}
