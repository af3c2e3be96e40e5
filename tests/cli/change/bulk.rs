//! Changing many issues at once: by a condition, or by ids on standard input.

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::terminal::on_terminal;

/// A repo with so many open bugs, `bd-n0` and so on, and one closed.
fn bugs(count: usize) -> Env {
    let env = Env::new();
    let lines =
        (0..count).map(|n| format!("{{\"op\":\"add\",\"title\":\"Bug {n}\",\"type\":\"bug\",\"id\":\"bd-n{n}\"}}\n"));
    env.bd_with(["batch"], Some(&lines.collect::<String>()), &[]).ok();
    env.given("add Done -t bug --id bd-done\nclose bd-done");
    env
}

fn priorities(env: &Env, number: i64) -> usize {
    env.ledger_text().lines().filter(|line| line.contains(&format!("\"priority\":{number},"))).count()
}

/// How many writes the log knows.
fn writes(env: &Env) -> usize {
    let log = env.path(".beads/run/writes.jsonl");
    std::fs::read_to_string(&log).unwrap_or_else(|error| panic!("{}: {error}", log.display())).lines().count()
}

#[test]
fn a_thousand_issues_are_one_write_and_one_undo() {
    let env = bugs(1000);
    let (before, known) = (env.ledger_text(), writes(&env));
    let run = env.bd(["update", "--where", "type=bug", "-p", "0", "--json"]).ok();
    assert_eq!(run.ids().len(), 1000, "closed issues are not meant");
    assert_eq!(priorities(&env, 0), 1000);
    assert_eq!(writes(&env), known + 1, "one line in the log of writes");
    env.bd(["undo", "--yes"]).ok();
    let times = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    assert_eq!(times(&env.ledger_text()), times(&before));
    assert_eq!(priorities(&env, 0), 0);
}

#[test]
fn one_unknown_id_writes_nothing() {
    let env = bugs(200);
    let before = env.ledger();
    let ids: Vec<String> = (0..49).map(|n| format!("bd-n{n}")).chain(["bd-nosuch".to_owned()]).collect();
    let typed = ["update", "-p", "0"].into_iter().map(str::to_owned).chain(ids);
    env.bd(typed).fails(3, &["bd-nosuch"]);
    let mut piped: String = (0..199).map(|n| format!("bd-n{n}\n")).collect();
    piped.push_str("\nbd-wrong\n");
    for command in
        [&["update", "-", "-p", "0"][..], &["close", "-"], &["label", "add", "-", "x"], &["delete", "-", "--yes"]]
    {
        env.bd_with(command, Some(&piped), &[]).fails(3, &["bd-wrong"]);
    }
    env.bd(["update", "--where", "type=bug", "-p", "9"]).fails(2, &["invalid priority"]);
    env.bd(["update", "--where", "type=bug", "--parent", "nosuch"]).fails(3, &["nosuch"]);
    env.bd(["update", "--where", "colour=red", "-p", "1"]).fails(2, &["unknown field \"colour\""]);
    env.bd(["update", "bd-n1", "--where", "type=bug", "-p", "1"]).fails(2, &["cannot be used with"]);
    env.bd(["update", "-p", "1"]).fails(2, &["no issue ID provided"]);
    assert_eq!(env.ledger(), before);
}

#[test]
fn ids_come_from_standard_input() {
    let env = bugs(12);
    env.bd_with(["update", "-", "-p", "0"], Some("bd-n0\n\n  bd-n1 \nn2\r\nbd-n0\n"), &[]).ok();
    assert_eq!(priorities(&env, 0), 3);
    env.bd_with(["close", "-", "-r", "all of them"], Some("n3\nn4\n"), &[]).ok();
    env.bd_with(["reopen", "-"], Some("n3\n"), &[]).ok();
    env.bd_with(["label", "add", "-", "late"], Some("n5\nn6\n"), &[]).ok();
    assert_eq!(env.bd(["count", "-l", "late"]).ok().stdout, "2\n");
    let before = env.ledger();
    let none = env.bd_with(["update", "-", "-p", "1", "--json"], Some("\n"), &[]).ok();
    assert_eq!(none.json(), serde_json::json!([]), "an empty pipe changes nothing");
    env.bd_with(["update", "-", "--stdin"], Some("bd-n0\n"), &[]).fails(2, &["standard input can be read only once"]);
    assert_eq!(env.ledger(), before);
}

#[test]
fn every_command_that_takes_several_ids_reads_them_from_a_pipe() {
    let env = bugs(3);
    let piped = |line: &[&str]| env.bd_with(line, Some("n0\nn2\n"), &[]);
    assert_eq!(piped(&["show", "-", "--json"]).ok().ids(), ["bd-n0", "bd-n2"]);
    let lint = piped(&["lint", "-"]).fails(1, &[]);
    assert!(lint.stdout.contains("bd-n0") && lint.stdout.contains("bd-n2") && !lint.stdout.contains("bd-n1"));
    assert!(!env.bd_with(["lint", "-"], Some(""), &[]).ok().stdout.contains("bd-n"), "no ids are not all");
    assert_eq!(env.bd_with(["show", "-", "--json"], Some(""), &[]).ok().json(), serde_json::json!([]));
    for line in ["defer", "undefer", "work", "release", "claim", "close", "reopen"] {
        piped(&[line, "-"]).ok();
    }
    // All that says "ids" in its help says this too.
    for line in [
        "show",
        "lint",
        "claim",
        "work",
        "release",
        "reopen",
        "defer",
        "undefer",
        "restore",
        "propose",
        "withdraw",
        "accept",
        "reject",
        "update",
        "close",
        "delete",
        "mail ack",
        "mail archive",
    ] {
        let help = env.bd(line.split(' ').chain(["--help"])).ok().stdout;
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains("`-`: ids from standard input"), "{line}\n{help}");
    }
}

#[test]
fn a_list_is_not_taken_for_ids() {
    let env = bugs(30);
    env.put_ledger(env.ledger_text() + "{\"id\":\"odd one-1\",\"title\":\"Blank\",\"status\":\"open\"}\n");
    let before = env.ledger();
    let list = env.bd(["list"]).ok().stdout;
    for line in ["close", "show", "lint", "delete"] {
        let run = env.bd_with([line, "-"], Some(&list), &[]);
        let run = run.fails(2, &["line 1 of standard input is not an id", "`bd list --ids`"]);
        assert_eq!(run.stderr.lines().count(), 2, "{}", run.snapshot());
    }
    let unknown: String = (0..9).map(|n| format!("bd-none{n}\n")).collect();
    for line in ["close", "show"] {
        let run = env.bd_with([line, "-"], Some(&unknown), &[]).fails(3, &["bd-none0", "bd-none2", "and 6 more"]);
        assert!(!run.stderr.contains("bd-none3"), "{}", run.snapshot());
    }
    assert_eq!(env.ledger(), before);
    env.bd_with(["close", "-"], Some("odd one-1\n"), &[]).ok();
}

#[test]
fn a_dry_run_shows_what_would_change_and_what_would_not() {
    let env = bugs(2);
    env.given("add Epic -t epic --id bd-e\nadd Part --parent bd-e --id bd-part");
    let before = env.ledger();
    let run = env.bd(["update", "--where", "type=bug", "-p", "0", "--dry-run"]).ok();
    assert!(run.stdout.contains("Would change (priority: 2 → 0): bd-n0\n"), "{}", run.snapshot());
    assert!(run.stderr.contains("nothing was written"), "{}", run.snapshot());
    let json = env.bd(["update", "n0", "-p", "0", "--dry-run", "--json"]).ok().json();
    assert_eq!(json[0]["priority"], 0);
    env.bd(["close", "--where", "type=epic or type=bug", "--dry-run"]).fails(5, &["bd-e"]);
    assert_eq!(env.ledger(), before, "nothing is written");
    env.bd(["close", "--where", "type=epic or type=bug"]).fails(5, &["bd-e"]);
    let open = env.bd(["list", "--json"]).ok().ids();
    assert_eq!(open, ["bd-part", "bd-e"], "what can be closed is, as it was shown");
    let run = env.bd(["delete", "--where", "type=task"]).ok();
    assert!(run.stdout.contains("DELETE PREVIEW") && run.stdout.contains("bd-part"), "{}", run.snapshot());
    assert!(run.stderr.contains("add --yes to delete"), "{}", run.snapshot());
    let run = env.bd(["delete", "bd-part", "--yes", "--dry-run"]).ok();
    assert!(run.stderr.contains("run it again without --dry-run to delete"), "{}", run.snapshot());
    assert!(!run.stderr.contains("--yes"), "{}", run.snapshot());
}

/// What loses something is shown, and a person is asked; an agent never is.
#[test]
fn a_person_is_asked_before_something_is_lost() {
    if !have(&["script"]) {
        return;
    }
    let env = bugs(2);
    let is_there = |id: &str| env.bd(["list", "--ids"]).ok().stdout.contains(id);
    let questions = [
        ("undo", "Undo this? (y/N)", "Would revert"),
        ("delete n0", "Delete this? (y/N)", "n0"),
        ("rename-prefix zz", "Rename these? (y/N)", "-> zz-"),
    ];
    for (line, question, shown) in questions {
        let before = env.ledger_text();
        let (code, seen) = on_terminal(&env, line, "n\n");
        assert!(code == 1 && seen.contains(question) && seen.contains(shown), "{line}: {code} {seen}");
        assert!(seen.contains("nothing was changed"), "{line}: {seen}");
        assert_eq!(env.ledger_text(), before, "{line}");
    }
    let (code, seen) = on_terminal(&env, "delete n0", "y\n");
    assert!(code == 0 && seen.contains("Deleted bd-n0"), "{code} {seen}");
    let (code, seen) = on_terminal(&env, "undo", "y\n");
    assert!(code == 0 && seen.contains("Reverted") && is_there("bd-n0"), "{code} {seen}");
    let (code, seen) = on_terminal(&env, "rename-prefix zz", "y\n");
    assert!(code == 0 && seen.contains("Renamed 3 issues") && is_there("zz-n0"), "{code} {seen}");
    let (code, seen) = on_terminal(&env, "rename-prefix bd --yes", "");
    assert!(code == 0 && !seen.contains("(y/N)") && is_there("bd-n0"), "{code} {seen}");
    // Nobody answers for an agent.
    let (code, seen) = on_terminal(&env, "--agent kay delete n0", "");
    assert!(code == 0 && seen.contains("add --yes"), "{code} {seen}");
    env.bd(["rename-prefix", "zz"]).ok();
}

#[test]
fn a_person_is_asked_before_more_than_ten_are_changed() {
    if !have(&["script"]) {
        return;
    }
    let env = bugs(11);
    let question = "Update 11 issues? (y/N)";
    for answer in ["\n", "no\n", "x\n"] {
        let (code, seen) = on_terminal(&env, "update --where type=bug -p 0", answer);
        assert!(code == 1 && seen.contains(question) && seen.contains("nothing was changed"), "{code} {seen}");
    }
    assert!(!on_terminal(&env, "update --where type=bug -p 0", "n\n").1.contains("error"), "a no is no error");
    // The end of the input, as Ctrl-D types it.
    let (code, seen) = on_terminal(&env, "close --where type=bug", "\u{4}");
    assert!(code == 1 && seen.contains("\nnothing was changed"), "{code} {seen}");
    assert!(seen.contains("Close 11 issues? (y/N) ") && !seen.contains("[N]"), "{seen}");
    assert_eq!(priorities(&env, 0), 0);
    let (code, seen) = on_terminal(&env, "update --where type=bug -p 0", "y\n");
    assert!(code == 0 && seen.contains(question), "{code} {seen}");
    assert_eq!(priorities(&env, 0), 11);
    for line in ["update --where type=bug -p 1 --yes", "update n0 n1 n2 n3 n4 n5 n6 n7 n8 n9 -p 1"] {
        let (code, seen) = on_terminal(&env, line, "");
        assert!(code == 0 && !seen.contains("(y/N)"), "{line}: {code} {seen}");
    }
    // A script is not asked.
    env.bd(["update", "--where", "type=bug", "-p", "3"]).ok();
    assert_eq!(priorities(&env, 3), 11);
}
