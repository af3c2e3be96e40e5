//! Suggestions after mistakes and by shells: never hidden things.

use std::collections::BTreeSet;

use crate::support::harness::{Env, words};

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];
/// Accepted for the clients of the original, or for programs; in no help text.
const HIDDEN: [&str; 12] = [
    "allow-stale",
    "no-daemon",
    "no-auto-flush",
    "no-auto-import",
    "no-db",
    "sandbox",
    "state-dir",
    "lock-timeout",
    "include-dependents",
    "allow-empty-description",
    "by-assignee",
    "title-contains",
];

/// The words in a text that begin with two dashes, without them.
fn flags(text: &str) -> BTreeSet<String> {
    let word = |rest: &str| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap().to_owned();
    text.match_indices("--").map(|(at, _)| word(&text[at + 2..])).filter(|word| !word.is_empty()).collect()
}

#[test]
fn tips_name_only_what_the_help_names() {
    let env = Env::bare();
    for line in [
        "ready --all",
        "add T --all",
        "list --allow-stal",
        "list --no-deamon",
        "show --include-dependent",
        "list --titel-contains x",
        "update x --lable three",
        "count --by-assigne",
        "list --state-dri x",
        "list --sandbx",
        "update x --allow-empty-descriptio",
    ] {
        let run = env.bd(words(line)).fails(2, &["unexpected argument"]);
        for hidden in HIDDEN {
            let typed = line.contains(&format!("--{hidden}"));
            assert!(typed || !flags(&run.stderr).contains(hidden), "{hidden}: {}", run.snapshot());
        }
    }
    env.bd(words("update x --lable three")).fails(2, &["a similar argument exists: '--label'"]);
    env.bd(words("list --statsu open"))
        .fails(2, &["a similar argument exists: '--status'", "Usage: bd list [OPTIONS]"]);
    env.bd(words("dep add a b --tpye x")).fails(2, &["a similar argument exists: '--type'"]);
    for (typed, meant) in [("lst", "list"), ("chekpoint", "checkpoint"), ("label lsit", "list")] {
        env.bd(words(typed)).fails(2, &[&format!("a similar subcommand exists: '{meant}'")]);
    }
    for typed in ["prove", "hok", "merg", "nosuch", "dele", "x"] {
        let run = env.bd([typed]).fails(2, &["unrecognized subcommand"]);
        assert!(!run.stderr.contains("similar"), "{}", run.snapshot());
    }
}

/// Commands that do what a listed one does.
const DUPLICATES: [&str; 6] = ["q", "comments", "stats", "children", "where", "onboard"];

#[test]
fn duplicates_are_not_suggested() {
    let env = Env::new();
    for typed in ["chldren", "childrn", "commnts", "stast", "wheer", "onbord"] {
        let run = env.bd([typed]).fails(2, &["unrecognized subcommand"]);
        let named = DUPLICATES.iter().find(|name| run.stderr.contains(&format!("'{name}'")));
        assert_eq!(named, None, "{}", run.snapshot());
    }
    let offered = |typed: &[&str]| {
        let args = ["--", "bd"].iter().chain(typed);
        let run = env.bd_with(args, None, &[("BD_COMPLETE", "fish")]).ok();
        let names = run.stdout.lines().map(|line| line.split('\t').next().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    for typed in ["", "q", "comments", "sta", "chil", "onb"] {
        let found = offered(&[typed]);
        assert!(!DUPLICATES.iter().any(|name| found.iter().any(|word| word == name)), "{typed}: {found:?}");
    }
    assert!(offered(&["com"]).contains(&"comment".to_owned()));
    assert!(offered(&["comments", "--js"]).contains(&"--json".to_owned()), "what was typed is completed");
    env.bd(["comments", "x", "--jsno"]).fails(2, &["hint: a similar argument exists: '--json'", "Usage: bd comments"]);
    for shell in SHELLS {
        let script = env.bd(["completions", shell, "--static"]).ok().stdout;
        assert!(!script.contains("onboard") && !script.contains("comments add"), "{shell}");
    }
}

#[test]
fn fields_are_known_in_any_case() {
    let env = Env::new();
    env.given("add One --id bd-a -p 2\nadd Two --id bd-b -p 1");
    assert_eq!(env.bd(["list", "--sort", "PRIORITY", "--ids"]).ok().stdout, "bd-b\nbd-a\n");
    assert_eq!(env.bd(["list", "--sort", "-Priority", "--columns", "ID"]).ok().stdout, "bd-a\nbd-b\n");
}

#[test]
fn completions_offer_only_what_the_help_names() {
    let env = Env::bare();
    for shell in SHELLS {
        let script = env.bd(["completions", shell, "--static"]).ok().stdout;
        let offered: BTreeSet<&str> =
            script.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').map(|word| word.trim_matches('-')).collect();
        for hidden in HIDDEN {
            assert!(!offered.contains(hidden), "{shell} offers --{hidden}");
        }
        for shown in ["include-deferred", "include-epics", "checkpoint", "add-label", "worktree", "overdue"] {
            assert!(offered.contains(shown), "{shell} lacks {shown}");
        }
    }
}
