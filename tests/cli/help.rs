//! Help: what a newcomer sees, and that every command explains itself with an example.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::harness::Env;

const EVERY_DAY: [&str; 15] = [
    "init", "add", "ready", "list", "show", "work", "update", "note", "close", "dep", "label", "search", "why",
    "doctor", "help",
];
const MORE: &[&str] = &[
    "q",
    "batch",
    "status",
    "reopen",
    "defer",
    "undefer",
    "delete",
    "undo",
    "edit",
    "comment",
    "comments",
    "duplicate",
    "supersede",
    "human",
    "blocked",
    "children",
    "graph",
    "epic",
    "query",
    "count",
    "stats",
    "stale",
    "duplicates",
    "orphans",
    "lint",
    "types",
    "log",
    "blame",
    "diff",
    "changelog",
    "restore",
    "prune",
    "claim",
    "release",
    "reclaim",
    "leases",
    "run",
    "assign",
    "agent",
    "mail",
    "watch",
    "reserve",
    "checkpoint",
    "resume",
    "context",
    "prime",
    "state",
    "workspace",
    "worktree",
    "workflow",
    "template",
    "commit",
    "sync",
    "import",
    "export",
    "resolve",
    "recover",
    "validate",
    "repair-deps",
    "detect-pollution",
    "rename-prefix",
    "merge-driver",
    "mcp",
    "setup",
    "onboard",
    "where",
    "info",
    "schema",
    "completions",
    "version",
    "quickstart",
];

/// The names at the beginning of indented lines below a heading.
fn names<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let below = text.lines().skip_while(|line| *line != heading).skip(1);
    below.take_while(|line| line.starts_with("  ")).map(|line| line.split_whitespace().next().unwrap()).collect()
}

#[test]
fn a_newcomer_sees_fifteen_commands() {
    let env = Env::bare();
    let run = env.bd([""; 0]).ok();
    assert_eq!(names(&run.stdout, "Commands:"), EVERY_DAY);
    assert_eq!(run.stderr, "");
    for args in [&["help"][..], &["--help"], &["-h"]] {
        assert_eq!(names(&env.bd(args).ok().stdout, "Commands:"), EVERY_DAY, "{args:?}");
    }
}

#[test]
fn help_all_names_every_command() {
    let run = Env::bare().bd(["help", "--all"]).ok();
    let headings = ["Every day:", "More on issues:", "Looking:", "The past:", "Working together:", "Files and set-up:"];
    let listed: Vec<&str> = headings.iter().flat_map(|heading| names(&run.stdout, heading)).collect();
    assert_eq!(listed, EVERY_DAY.into_iter().chain(MORE.iter().copied()).collect::<Vec<_>>());
    let blank = |line: &&str| line.starts_with("  ") && line.split_whitespace().count() < 2;
    assert_eq!(run.stdout.lines().find(blank), None, "every command has a line of help");
}

#[test]
fn every_command_helps_with_an_example() {
    let env = Env::bare();
    for name in EVERY_DAY.into_iter().chain(MORE.iter().copied()) {
        let long = env.bd([name, "--help"]).ok();
        assert!(long.stdout.contains(&format!("Usage: bd {name}")), "{}", long.snapshot());
        let examples = names(&long.stdout, "Examples:");
        assert!(!examples.is_empty(), "{name} has no example");
        assert!(long.stdout.split("Examples:").nth(1).unwrap().contains(&format!("bd {name}")), "{}", long.snapshot());
        env.bd([name, "-h"]).ok();
        let asked = env.bd(["help", name]).ok();
        assert!(asked.stdout.contains(&format!("Usage: bd {name}")), "{}", asked.snapshot());
        assert!(!names(&asked.stdout, "Examples:").is_empty(), "{}", asked.snapshot());
    }
}

#[test]
fn subcommands_help_too() {
    let env = Env::bare();
    for words in [
        "dep add",
        "dep remove",
        "dep list",
        "dep tree",
        "dep cycles",
        "label add",
        "label list-all",
        "comments add",
        "epic status",
    ] {
        let run = env.bd(words.split(' ').chain(["--help"])).ok();
        assert!(run.stdout.contains(&format!("Usage: bd {words}")), "{}", run.snapshot());
        env.bd(["help"].into_iter().chain(words.split(' '))).ok();
    }
}

#[test]
fn one_help_as_it_is_read() {
    assert_data_eq!(
        Env::bare().script("help work"),
        str![[r#"
$ bd help work
Take an issue: assign it to yourself and start it

Refused (exit 4) if another has it. Of many that try at once, one wins.

Usage: bd work [OPTIONS] [IDS]...

Arguments:
  [IDS]...
          Issues, by id or its first characters

Options:
      --json
          Print JSON

  -C, --directory <DIR>
          Run as if started in DIR

      --actor <NAME>
          Act as NAME (default: BD_ACTOR, BEADS_ACTOR, git's user.name, USER)

      --agent <NAME>
          Act as the agent NAME (default: BD_AGENT)

  -q, --quiet
          Print only the result

      --config <KEY=VALUE>
          Override a setting for this command

  -h, --help
          Print help (see a summary with '-h')

Examples:
  bd work bd-a3f8
  bd work $(bd ready -n 1 --json | jq -r '.[0].id')

"#]]
        .raw()
    );
}

#[test]
fn what_is_no_command() {
    let env = Env::bare();
    assert_data_eq!(
        env.script(
            "help nosuch
             nosuch
             lst
             list --jsno
             nosuch --json"
        ),
        str![[r#"
$ bd help nosuch
! error: no command "nosuch"; run `bd help --all` to list them
[exit 2]
$ bd nosuch
! error: unrecognized subcommand 'nosuch'
! 
! Usage: bd [OPTIONS] [COMMAND]
! 
! For more information, try '--help'.
[exit 2]
$ bd lst
! error: unrecognized subcommand 'lst'
! 
!   tip: a similar subcommand exists: 'list'
! 
! Usage: bd [OPTIONS] [COMMAND]
! 
! For more information, try '--help'.
[exit 2]
$ bd list --jsno
! error: unexpected argument '--jsno' found
! 
!   tip: a similar argument exists: '--json'
! 
! Usage: bd list [OPTIONS]
! 
! For more information, try '--help'.
[exit 2]
$ bd nosuch --json
! {"error":{"code":"usage","message":"unrecognized subcommand 'nosuch'","recoverable":false,"exit_code":2}}
[exit 2]

"#]]
        .raw()
    );
}
