//! Mistyped input, and text that would act on a terminal. The ledger never changes.

use serde_json::Value;
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{Env, Run};

fn two() -> Env {
    let env = Env::new();
    env.given(
        "add 'Fix the parser' --id bd-abc1
         add 'Write the docs' --id bd-abd2 --deps abc1",
    );
    env
}

/// Runs a command that must be refused and leave the bytes alone, as text and as JSON.
fn refused(env: &Env, args: &[&str], code: i32, word: &str) -> Run {
    let before = env.ledger();
    let json = env.bd(args.iter().chain(&["--json"]));
    assert_eq!((json.code, &json.error()["code"]), (code, &Value::from(word)), "{}", json.snapshot());
    assert_eq!(json.error()["exit_code"], code);
    let run = env.bd(args);
    assert_eq!((run.code, run.stdout.as_str()), (code, ""), "{}", run.snapshot());
    assert_eq!(env.ledger(), before);
    run
}

#[test]
fn an_unknown_id() {
    let run = refused(&two(), &["update", "zzz", "-p", "1"], 3, "not_found");
    assert_data_eq!(
        run.snapshot(),
        str![[r#"
$ bd update zzz -p 1
! error: no issue found matching "zzz": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
}

#[test]
fn an_ambiguous_id() {
    let run = refused(&two(), &["close", "ab"], 3, "ambiguous");
    assert_data_eq!(
        run.snapshot(),
        str![[r#"
$ bd close ab
! error: "ab" is ambiguous: it matches bd-abc1, bd-abd2
! hint: type more characters of the id
[exit 3]

"#]]
        .raw()
    );
}

#[test]
fn an_empty_id() {
    refused(&two(), &["close", ""], 3, "not_found");
}

#[test]
fn a_dependency_cycle() {
    let run = refused(&two(), &["dep", "add", "abc1", "abd2"], 5, "illegal");
    assert_data_eq!(
        run.snapshot(),
        str![[r#"
$ bd dep add abc1 abd2
! error: bd-abc1 cannot depend on bd-abd2: that would close a cycle (bd-abc1 -> bd-abd2 -> bd-abc1)
! hint: run `bd dep tree ID` to see the dependencies
[exit 5]

"#]]
        .raw()
    );
}

#[test]
fn a_self_dependency() {
    let run = refused(&two(), &["dep", "add", "abc1", "bd-abc1"], 5, "illegal");
    assert_data_eq!(
        run.snapshot(),
        str![[r#"
$ bd dep add abc1 bd-abc1
! error: bd-abc1 cannot depend on itself
[exit 5]

"#]]
        .raw()
    );
    refused(&two(), &["add", "Self", "--id", "bd-self", "--deps", "bd-self"], 3, "not_found");
}

#[test]
fn a_priority_of_7() {
    for args in
        [&["add", "x", "-p", "7"][..], &["update", "abc1", "-p", "7"], &["q", "x", "-p", "7"], &["list", "-p", "7"]]
    {
        let run = refused(&two(), args, 2, "usage");
        assert_eq!(
            run.stderr,
            "error: invalid priority \"7\": 0 to 4, P0 to P4, or critical high medium low backlog\n"
        );
    }
    refused(&two(), &["update", "abc1", "-p", "-1"], 2, "usage");
    refused(&two(), &["update", "abc1", "-p", ""], 2, "usage");
}

#[test]
fn an_empty_title() {
    for args in
        [&["add", ""][..], &["add", " \t"], &["add", "--title", ""], &["update", "abc1", "--title", ""], &["q", ""]]
    {
        let run = refused(&two(), args, 2, "usage");
        assert_eq!(run.stderr, "error: title required: a title is required\n", "{args:?}");
    }
}

#[test]
fn a_title_of_two_lines() {
    let run = refused(&two(), &["add", "one\ntwo"], 2, "usage");
    assert!(run.stderr.contains("title"), "{}", run.snapshot());
    refused(&two(), &["update", "abc1", "--title", "one\ntwo"], 2, "usage");
}

#[test]
fn a_date_that_is_none() {
    for args in [
        &["add", "x", "--due", "soon"][..],
        &["add", "x", "--defer", "2026-02-30"],
        &["update", "abc1", "--due", "3x"],
        &["defer", "abc1", "--until", "d"],
        &["list", "--created-after", "13"],
        &["query", "created<soon"],
    ] {
        let run = refused(&two(), args, 2, "usage");
        assert!(run.stderr.contains("not a date"), "{}", run.snapshot());
    }
    let run = refused(&two(), &["add", "x", "--due", "soon"], 2, "usage");
    assert_data_eq!(
        run.snapshot(),
        str![[r#"
$ bd add x --due soon
! error: invalid --due format "soon": not a date
! hint: write a date such as 2026-03-01, tomorrow, friday, 3d or +2w, or a time in RFC 3339; run `bd help dates` for every form
[exit 2]

"#]]
        .raw()
    );
}

#[test]
fn a_missing_argument_is_named_in_json_too() {
    let run = two().bd(["dep", "add", "abc1", "--json"]);
    assert_eq!(run.code, 2);
    assert!(run.error()["message"].as_str().unwrap().contains("TARGET"), "{}", run.snapshot());
}

#[test]
fn text_that_is_no_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let env = two();
    let before = env.ledger();
    let mut command = env.bd_command(crate::support::harness::BD);
    command.arg("add").arg(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    let run = env.run(command, "bd add '…'".into(), None);
    assert_eq!((run.code, env.ledger()), (2, before), "{}", run.snapshot());
}

/// Colour, cursor, window title, bell, a C1 introducer, direction overrides and isolates, zero-width, tag and separator.
const HOSTILE: &str = "a\u{1b}[31mred\u{1b}[0m \u{1b}]0;owned\u{7} \u{9b}2J \u{85} \u{202e}evil\u{202c} \u{2066}x\u{2069} \u{200b}\u{feff}\u{e0041} \u{2028}\u{7f} end";

/// No byte of this output acts on a terminal or hides from its reader.
fn is_clean(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let bad = text.chars().find(|c| {
            (c.is_control() && *c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
                || ('\u{e0000}'..='\u{e0fff}').contains(c)
        });
        assert_eq!(bad, None, "{:?}", run.snapshot());
    }
}

#[test]
fn escape_sequences_stay_out_of_the_terminal() {
    let env = Env::new();
    is_clean(&env.bd(["add", HOSTILE, "--id", "bd-bad", "-d", HOSTILE, "-a", HOSTILE, "-l", HOSTILE]).ok());
    is_clean(&env.bd(["add", "Waits", "--id", "bd-wait", "--deps", "bad"]).ok());
    is_clean(&env.bd(["comment", "bad", HOSTILE, "--author", HOSTILE]).ok());
    is_clean(&env.bd(["note", "bad", HOSTILE]).ok());
    is_clean(&env.bd(["label", "add", "wait", HOSTILE]).ok());
    for args in [
        &["list"][..],
        &["list", "--tree"],
        &["show", "bad"],
        &["show", "wait"],
        &["ready"],
        &["blocked"],
        &["comments", "bad"],
        &["search", "red"],
        &["label", "list", "bad"],
        &["label", "list-all"],
        &["count", "--by", "assignee"],
        &["dep", "tree", "wait"],
        &["dep", "list", "wait"],
        &["duplicates", "--all"],
        &["delete", "bad"],
        &["add", HOSTILE, "--dry-run"],
        &["query", "type=task"],
        &["close", "bad", "-r", HOSTILE],
        &["show", "bad"],
        &["doctor"],
    ] {
        is_clean(&env.bd(args).ok());
    }
}

#[test]
fn escape_sequences_in_errors() {
    let env = two();
    env.write("plan.md", format!("## x\n### {HOSTILE}\ny\n"));
    for args in [
        &["show", HOSTILE][..],
        &["update", HOSTILE, "-p", "1"],
        &["add", "x", "--due", HOSTILE],
        &["add", "x", "-t", HOSTILE],
        &["add", "x", "-p", HOSTILE],
        &["add", "x", "--id", HOSTILE],
        &["add", "x", "--deps", HOSTILE],
        &["add", "-f", "plan.md"],
        &["update", "abc1", "-s", HOSTILE],
        &["query", &format!("created<{HOSTILE}")],
        &["import", HOSTILE],
        &["export", "-o", &format!("nosuch/{HOSTILE}")],
        &["schema", HOSTILE],
        &["help", HOSTILE],
        &["-C", HOSTILE, "list"],
    ] {
        let run = env.bd(args);
        assert_ne!(run.code, 0, "{args:?}");
        is_clean(&run);
    }
}

#[test]
fn escape_sequences_in_usage_errors() {
    let env = two();
    for args in
        [&[HOSTILE][..], &["list", &format!("--x{HOSTILE}")], &["list", "--sort", HOSTILE], &["completions", HOSTILE]]
    {
        let run = env.bd(args);
        assert_eq!(run.code, 2, "{args:?}");
        is_clean(&run);
    }
}

#[test]
fn escape_sequences_in_a_file() {
    let line = |id: &str| {
        format!("{{\"id\":{},\"title\":{},\"status\":\"st\\u001b[7m\"}}\n", Value::from(id), Value::from(HOSTILE))
    };
    let env = Env::with_ledger(line("bd-\u{202e}x") + &line("bd-two"));
    is_clean(&env.bd(["list"]).ok());
    is_clean(&env.bd(["show", "two"]).ok());
    is_clean(&env.bd(["why", "two"]).ok());
    is_clean(&env.bd(["count", "--by", "status"]).ok());
    is_clean(&env.bd(["show", "bd-"]).fails(3, &["ambiguous"]));
    is_clean(&env.bd(["doctor"]));
}

#[test]
fn json_to_a_pipe_is_exact() {
    let env = Env::new();
    env.bd(["add", HOSTILE, "--id", "bd-bad", "-d", HOSTILE, "-l", HOSTILE]).ok();
    env.bd(["comment", "bad", HOSTILE]).ok();
    let shown = env.bd(["show", "bad", "--json"]).json()[0].clone();
    for field in [&shown["title"], &shown["description"], &shown["labels"][0], &shown["comments"][0]["text"]] {
        assert_eq!(field, HOSTILE);
    }
    assert_eq!(env.bd(["list", "--json"]).json()[0]["title"], HOSTILE);
    let line: Value = serde_json::from_str(&env.bd(["export"]).stdout).unwrap();
    assert_eq!(line["title"], HOSTILE);
    let error = env.bd(["show", HOSTILE, "--json"]).error();
    assert!(error["message"].as_str().unwrap().contains("no issue found"));
    assert_eq!(error["id"], HOSTILE);
}
