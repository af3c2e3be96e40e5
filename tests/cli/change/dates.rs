//! Dates are days in the user's zone: as people type them, as the ledger keeps them, as people read them.

use crate::support::harness::{Env, Run, words};
use crate::support::repos::sh;

/// The rules of Berlin, so that no zone files are needed.
const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

/// Runs a line at a moment, in a zone.
fn at(env: &Env, zone: &str, now: &str, line: &str) -> Run {
    env.bd_with(words(line), None, &[("TZ", zone), ("BD_TEST_NOW", now)])
}

fn due_at(run: Run) -> String {
    let value = run.ok().json();
    let issue = value.as_array().map_or(&value, |all| &all[0]);
    issue["due_at"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn what_is_due_today_is_not_overdue_before_the_day_is_over() {
    let env = Env::new();
    let morning = "2026-01-05T09:00:00Z";
    at(&env, "UTC", morning, "add T --id bd-t --due today").ok();
    let overdue = |now: &str| at(&env, "UTC", now, "list --overdue --json").ok().ids().len();
    assert_eq!(overdue(morning), 0);
    assert_eq!(overdue("2026-01-05T23:59:58Z"), 0);
    assert_eq!(overdue("2026-01-06T00:00:00Z"), 1);
}

#[test]
fn a_date_lasts_to_the_end_of_the_local_day_and_is_shown_as_that_day() {
    let env = Env::new();
    let now = "2026-01-05T09:00:00Z";
    let summer = due_at(at(&env, BERLIN, now, "add S --id bd-s --due 2026-07-20 --json"));
    assert_eq!(summer, "2026-07-20T21:59:59.999Z");
    let winter = due_at(at(&env, BERLIN, now, "add W --id bd-w --due 2026-11-20 --json"));
    assert_eq!(winter, "2026-11-20T22:59:59.999Z");
    for (id, day) in [("bd-s", "2026-07-20"), ("bd-w", "2026-11-20")] {
        let shown = at(&env, BERLIN, now, &format!("show {id}")).ok().stdout;
        assert!(shown.contains(&format!("\nDue         {day}\n")), "{shown}");
    }
    // Late in the evening in California it is still the day before.
    let zone = "PST8PDT,M3.2.0,M11.1.0";
    assert_eq!(
        due_at(at(&env, zone, "2026-01-06T05:00:00Z", "update bd-s --due today --json")),
        "2026-01-06T07:59:59.999Z"
    );
    let shown = at(&env, zone, now, "show bd-s").ok().stdout;
    assert!(shown.contains("\nDue         2026-01-05 (in 22 h)\n"), "{shown}");
    let json = at(&env, zone, now, "show bd-s --json").ok().json();
    assert_eq!(json[0]["due_at"], "2026-01-06T07:59:59.999Z", "JSON keeps RFC 3339");
}

#[test]
fn a_time_of_day_is_local_and_kept() {
    let env = Env::new();
    let now = "2026-01-05T09:00:00Z";
    let typed = ["2026-07-20 17:00", "2026-07-20T17:00:00", "2026-07-20T15:00:00Z", "2026-07-20T16:00:00+01:00"];
    for (n, text) in typed.iter().enumerate() {
        let line = format!("add T --id bd-{n} --due '{text}' --json");
        assert_eq!(due_at(at(&env, BERLIN, now, &line)), "2026-07-20T15:00:00.000Z", "{text}");
        let shown = at(&env, BERLIN, now, &format!("show bd-{n}")).ok().stdout;
        assert!(shown.contains("\nDue         2026-07-20 17:00\n"), "{shown}");
    }
    assert_eq!(due_at(at(&env, BERLIN, now, "add T --id bd-h --due 3h --json")), "2026-01-05T12:00:00.000Z");
    assert_eq!(due_at(at(&env, BERLIN, now, "add T --id bd-d --due 3d --json")), "2026-01-08T22:59:59.999Z");
}

#[test]
fn an_issue_deferred_to_a_day_is_ready_when_that_day_begins() {
    let env = Env::new();
    at(&env, BERLIN, "2026-01-05T09:00:00Z", "add T --id bd-t --defer tomorrow").ok();
    let why = at(&env, BERLIN, "2026-01-05T22:59:59Z", "why bd-t").ok().stdout;
    assert_eq!(why, "bd-t is not ready:\n  it is deferred until 2026-01-06\n");
    let ready = |now: &str| at(&env, BERLIN, now, "ready --json").ok().ids().len();
    assert_eq!((ready("2026-01-05T22:59:59Z"), ready("2026-01-05T23:00:00Z")), (0, 1));
    let json = at(&env, BERLIN, "2026-01-05T09:00:00Z", "why bd-t --json").ok().json();
    assert_eq!(json["reasons"][0]["text"], "it is deferred until 2026-01-05T23:00:00.000Z");
}

#[test]
fn every_time_that_show_prints_is_local() {
    let env = Env::new();
    at(&env, BERLIN, "2026-01-05T23:30:00Z", "add T --id bd-t").ok();
    at(&env, BERLIN, "2026-01-05T23:31:00Z", "comment bd-t seen").ok();
    let shown = at(&env, BERLIN, "2026-01-05T23:32:00Z", "show bd-t").ok().stdout;
    assert!(shown.contains("\nCreated     2026-01-06 00:30 by ann\n"), "{shown}");
    assert!(shown.contains("\n  2026-01-06 00:31 ann\n"), "{shown}");
    assert!(
        at(&env, BERLIN, "2026-01-05T23:32:00Z", "comments bd-t").ok().stdout.starts_with("2026-01-06 00:31 ann\n")
    );
}

#[test]
fn other_commands_print_local_times_too() {
    let env = Env::new();
    // Midnight in Berlin has passed, that of UTC has not.
    let late = |line: &str| at(&env, BERLIN, "2026-01-05T23:30:00Z", line).ok().stdout;
    sh(&env, "cd web; git init -q");
    late("add T --id bd-t");
    sh(
        &env,
        "cd web; git add -A; GIT_AUTHOR_DATE='2026-01-05T23:30:00Z' GIT_COMMITTER_DATE='2026-01-05T23:30:00Z' git commit -qm base",
    );
    late("agent register bot");
    late("claim bd-t");
    late("checkpoint add bd-t -m half");
    late("mail send bot -m hello");
    late("reserve src/*.rs");
    let message = at(&env, BERLIN, "2026-01-05T23:31:00Z", "--agent bot mail inbox --json").ok().json();
    let message = message[0]["id"].as_str().unwrap().to_owned();
    for (line, expected) in [
        ("log", "  2026-01-06 00:30  Script"),
        ("blame bd-t", "  2026-01-06  Script"),
        ("checkpoint list bd-t", "  2026-01-06 00:30  main"),
        ("checkpoint show bd-t#1", "by ann at 2026-01-06 00:30 in main"),
        ("resume", "  2026-01-06 00:30  main"),
        ("--agent bot mail thread MESSAGE", "2026-01-06 00:30 ann to bot"),
        ("reserve list", "until 2026-01-06 "),
        ("undo", "2026-01-06 00:30"),
    ] {
        let run = at(&env, BERLIN, "2026-01-05T23:31:00Z", &line.replace("MESSAGE", &message)).ok();
        assert!(run.stdout.contains(expected), "{line}\n{}", run.snapshot());
        // The values of fields are shown as the ledger has them.
        let said = format!("{}{}", run.stdout, run.stderr).replace("\"2026-01-05T23:3", "");
        assert!(!said.contains("T23:3"), "{line}\n{}", run.snapshot());
    }
    let past = at(&env, BERLIN, "2026-01-05T23:31:00Z", "list --at HEAD").ok();
    assert!(past.stderr.contains("as of 2026-01-06 00:30 (commit "), "{}", past.snapshot());
}

#[test]
fn flags_take_days_and_leave_no_gap() {
    let env = Env::new();
    // The 5th in Berlin.
    at(&env, BERLIN, "2026-01-04T23:00:00Z", "add First --id bd-first").ok();
    at(&env, BERLIN, "2026-01-05T22:59:59Z", "add Last --id bd-last").ok();
    at(&env, BERLIN, "2026-01-05T23:00:00Z", "add Next --id bd-next").ok();
    let ids = |line: &str| at(&env, BERLIN, "2026-01-07T09:00:00Z", line).ok().ids().join(" ");
    assert_eq!(ids("list --created-after 2026-01-05 --created-before 2026-01-06 --sort id --json"), "bd-first bd-last");
    assert_eq!(ids("list --created-after 2026-01-06 --json"), "bd-next");
    assert_eq!(ids("list --created-before 2026-01-05 --json"), "");
    at(&env, BERLIN, "2026-01-07T09:00:00Z", "update bd-first --due 2026-01-09").ok();
    assert_eq!(ids("list --due-after 2026-01-09 --json"), "bd-first");
    assert_eq!(ids("list --due-before 2026-01-09 --json"), "");
    assert_eq!(ids("list --due-before 2026-01-10 --json"), "bd-first");
}

#[test]
fn a_date_may_begin_with_a_dash() {
    let env = Env::new();
    let now = "2026-01-05T09:00:00Z";
    assert_eq!(due_at(at(&env, "UTC", now, "add T --id bd-t --due -3d --json")), "2026-01-02T23:59:59.999Z");
    assert_eq!(due_at(at(&env, "UTC", now, "update bd-t --due -1w --json")), "2025-12-29T23:59:59.999Z");
    assert_eq!(at(&env, "UTC", now, "list --due-before -1d --json").ok().ids(), ["bd-t"]);
    assert_eq!(at(&env, "UTC", now, "list --created-after -1d --json").ok().ids(), ["bd-t"]);
    at(&env, "UTC", now, "defer bd-t --until -1d").ok();
    at(&env, "UTC", now, "update bd-t --defer -2d").ok();
    // An option is never taken for a date.
    let before = env.ledger();
    for line in
        ["update bd-t --due --json", "update bd-t --due -p 1", "list --due-after --all", "defer bd-t --until -q"]
    {
        at(&env, "UTC", now, line).fails(2, &["not a date", "hint: put the date right after --"]);
    }
    assert_eq!(env.ledger(), before);
}

#[test]
fn the_last_day_of_9999_is_a_date() {
    let env = Env::new();
    let now = "2026-01-05T09:00:00Z";
    for (n, (zone, end)) in [("UTC", "23:59"), (BERLIN, "22:59"), ("EST5", "23:59")].iter().enumerate() {
        let line = format!("add T --id bd-{n} --due 9999-12-31 --defer 9999-12-31 --json");
        assert_eq!(due_at(at(&env, zone, now, &line)), format!("9999-12-31T{end}:59.999Z"), "{zone}");
        let shown = at(&env, zone, now, &format!("show bd-{n}")).ok().stdout;
        assert!(shown.contains("\nDue         9999-12-31\nDeferred to 9999-12-31\n"), "{shown}");
        assert!(at(&env, zone, now, &format!("why bd-{n}")).ok().stdout.contains("deferred until 9999-12-31\n"));
    }
}

#[test]
fn what_is_not_a_date_is_refused() {
    let env = Env::new();
    env.given("add T --id bd-t --due 2026-02-01");
    let before = env.ledger();
    for text in [
        "2026-13-01",
        "2026-02-30",
        " ",
        "someday",
        "3",
        "20260301",
        "2026-01-01T25:00",
        "99999999999d",
        "today]",
        "\u{1}",
    ] {
        env.bd(["add", "X", "--due", text]).fails(2, &["invalid --due format", "not a date"]);
        env.bd(["update", "bd-t", "--due", text]).fails(2, &["invalid --due format"]);
        env.bd(["update", "bd-t", "--defer", text]).fails(2, &["invalid --defer format"]);
        env.bd(["defer", "bd-t", "--until", text]).fails(2, &["invalid --until format"]);
        env.bd(["list", "--due-before", text]).fails(2, &["invalid --due-before format"]);
    }
    env.bd(["add", "X", "--due", ""]).fails(2, &["invalid --due format \"\""]);
    assert_eq!(env.ledger(), before, "nothing was written");
    let cleared = env.bd(["update", "bd-t", "--due", "", "--json"]).ok().json();
    assert!(cleared[0]["due_at"].is_null(), "{cleared}");
}

#[test]
fn none_is_no_date() {
    let env = Env::new();
    env.given("add Whole --id bd-e -t epic\nadd Part --id bd-t --due 2026-02-01 --defer 2026-02-01 --parent bd-e");
    env.bd(["update", "t", "--due", "none", "--defer", "None", "--parent", "none"]).ok();
    let row = env.bd(["show", "t", "--json"]).ok().json()[0].clone();
    assert!(row["due_at"].is_null() && row["defer_until"].is_null() && row["parent"].is_null(), "{row}");
    assert!(env.bd(["add", "Other", "--due", "none", "--json"]).ok().json()["due_at"].is_null());
    env.given("update t --due 2026-02-01");
    let line = "{\"op\":\"update\",\"id\":\"bd-t\",\"due\":\"none\"}\n";
    env.bd_with(["batch"], Some(line), &[]).ok();
    assert!(env.bd(["show", "t", "--json"]).ok().json()[0]["due_at"].is_null());
}

#[test]
fn a_due_date_that_has_passed_is_taken_and_told() {
    let env = Env::new();
    let run = env.bd(["add", "Late", "--id", "bd-late", "--due", "yesterday"]).ok();
    assert_eq!(run.stderr, "the due date has passed: 2026-01-04\n");
    assert_eq!(env.bd(["list", "--overdue", "--json"]).ok().ids(), ["bd-late"]);
    assert_eq!(env.bd(["update", "bd-late", "--due", "today"]).ok().stderr, "");
}

#[test]
fn an_unknown_zone_is_utc() {
    let env = Env::new();
    let due = due_at(at(&env, "No/Such", "2026-01-05T09:00:00Z", "add T --due 2026-02-01 --json"));
    assert_eq!(due, "2026-02-01T23:59:59.999Z");
}
