//! Help: what a newcomer sees, and that every command explains itself with an example.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;

const EVERY_DAY: [&str; 18] = [
    "init", "add", "ready", "list", "show", "work", "update", "edit", "note", "close", "dep", "label", "search", "why",
    "undo", "sync", "doctor", "help",
];
const GROUPS: [&str; 10] = [
    "Every day:",
    "Issues:",
    "Finding:",
    "Undoing:",
    "History:",
    "Sharing:",
    "Joined repos:",
    "Proposals:",
    "Agents:",
    "Orchestration:",
];
/// They do what another does, and are not listed.
const UNLISTED: [&str; 6] = ["q", "comments", "stats", "children", "where", "onboard"];

/// Every command that is listed.
fn listed(env: &Env) -> Vec<String> {
    let run = env.bd(["help", "--all"]).ok();
    let of = |heading: &&str| names(&run.stdout, heading).into_iter().map(str::to_owned).collect::<Vec<_>>();
    GROUPS.iter().flat_map(of).collect()
}

/// The names at the beginning of indented lines below a heading.
fn names<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let below = text.lines().skip_while(|line| *line != heading).skip(1);
    below.take_while(|line| line.starts_with("  ")).map(|line| line.split_whitespace().next().unwrap()).collect()
}

#[test]
fn a_newcomer_sees_eighteen_commands() {
    let env = Env::bare();
    let run = env.bd([""; 0]).ok();
    assert_eq!(names(&run.stdout, "Commands:"), EVERY_DAY);
    assert_eq!(run.stderr, "");
    for args in [&["help"][..], &["--help"], &["-h"]] {
        assert_eq!(names(&env.bd(args).ok().stdout, "Commands:"), EVERY_DAY, "{args:?}");
    }
}

#[test]
fn help_all_names_every_command_by_task() {
    let env = Env::bare();
    let run = env.bd(["help", "--all"]).ok();
    let headings = run.stdout.lines().filter(|line| line.ends_with(':') && !line.starts_with(' '));
    assert_eq!(headings.collect::<Vec<_>>(), GROUPS);
    assert_eq!(listed(&env)[..18], EVERY_DAY);
    let blank = |line: &&str| line.starts_with("  ") && line.split_whitespace().count() < 2;
    assert_eq!(run.stdout.lines().find(blank), None, "every command has a line of help");
    for name in UNLISTED {
        assert!(!listed(&env).contains(&name.to_owned()), "{name}");
        env.bd([name, "--help"]).ok();
    }
}

#[test]
fn topics_are_explained() {
    let env = Env::bare();
    let all = env.bd(["help", "--all"]).ok().stdout;
    let topics = all.lines().find_map(|line| line.strip_prefix("Topics: ")).unwrap();
    for topic in topics.split(", ") {
        let text = env.bd(["help", topic]).ok().stdout;
        assert!(text.lines().count() > 5 && text.contains("bd "), "{topic}: {text}");
    }
    let query = env.bd(["help", "query"]).ok().stdout;
    assert!(query.contains("Fields: id title") && query.contains("assignee=none"), "{query}");
    assert_eq!(env.bd(["help", "ids", "--json"]).ok().json()["text"].as_str().unwrap().lines().next(), Some("Ids"));
}

#[test]
fn every_command_helps_with_an_example() {
    let env = Env::bare();
    for name in listed(&env).iter().map(String::as_str).chain(UNLISTED) {
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
          Issues, by id or its first characters (`-`: ids from standard input)

Options:
  -h, --help
          Print help (see a summary with '-h')

Global options:
      --json
          Print JSON

      --ndjson
          Print JSON, each item of a list on a line of its own

  -C, --directory <DIR>
          Run as if started in DIR

      --actor <NAME>
          Act as NAME (default: BD_ACTOR, BEADS_ACTOR, git's user.name, USER)

      --agent <NAME>
          Act as the agent NAME (default: BD_AGENT)

      --color <WHEN>
          Use colour: auto, always or never

      --no-pager
          Do not page long output

  -q, --quiet
          Print only the result

      --config <KEY=VALUE>
          Override a setting for this command

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
! error: no command or topic "nosuch"; run `bd help --all`
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
! hint: a similar subcommand exists: 'list'
! 
! Usage: bd [OPTIONS] [COMMAND]
! 
! For more information, try '--help'.
[exit 2]
$ bd list --jsno
! error: unexpected argument '--jsno' found
! hint: a similar argument exists: '--json'
! 
! Usage: bd list [OPTIONS] [QUERY]...
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

#[test]
fn a_slip_in_a_subcommand_is_told_by_the_nearest_one() {
    let env = Env::bare();
    for (typed, wrong, meant) in [
        ("dep ad", "ad", "add"),
        ("dep ad a3 k9", "ad", "add"),
        ("dep rmove", "rmove", "remove"),
        ("dep rmove a3 k9", "rmove", "remove"),
        ("label ad", "ad", "add"),
    ] {
        let run = env.bd(typed.split(' ')).fails(
            2,
            &[
                &format!("unrecognized subcommand '{wrong}'"),
                &format!("a similar subcommand exists: '{meant}'"),
                &format!("Usage: bd {}", typed.split(' ').next().unwrap()),
            ],
        );
        assert!(!run.stderr.contains("--blocks <ID>\n\n"), "{}", run.stderr);
    }
    env.bd(["dep"]).fails(2, &["Commands:", "remove"]);
    env.bd(["dep", "--json"]).fails(2, &["requires a subcommand", "relate"]);
    env.bd(["dep", "bd-a3f8"]).fails(2, &["--blocks <ID>"]);
    // The usage is that of the command which was mistyped, not of a later word.
    for typed in [&["foo", "list"][..], &["-C", "list", "foo"], &["--actor", "show", "foo", "list"]] {
        env.bd(typed).fails(2, &["unrecognized subcommand 'foo'", "Usage: bd [OPTIONS] [COMMAND]"]);
    }
}
