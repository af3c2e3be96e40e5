//! Values that another program or a person wrote in an unusual form: read if they are clear, reported if not.

use crate::support::harness::{Env, Run, words};

const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

fn line(id: &str, fields: &str) -> String {
    format!("{{\"id\":\"bd-{id}\",\"title\":\"T\",\"updated_at\":\"2026-01-01T00:00:00Z\",{fields}}}\n")
}

fn at(env: &Env, zone: &str, now: &str, line: &str) -> Run {
    env.bd_with(words(line), None, &[("TZ", zone), ("BD_TEST_NOW", now)]).ok()
}

#[test]
fn a_date_alone_is_the_day_where_the_reader_is() {
    let few = line("d", r#""due_at":"2026-01-05","defer_until":"2026-01-06""#);
    let many: String = (1000..1400).map(|n| format!("{{\"id\":\"bd-{n}\",\"status\":\"closed\"}}\n")).collect();
    // With many lines an image is made, which must not remember the zone of the first reader.
    for ledger in [few.clone(), many + &few] {
        let env = Env::with_ledger(&ledger);
        let ready = |zone, now| at(&env, zone, now, "ready --json").ids().len();
        let overdue = |zone, now| at(&env, zone, now, "list --overdue --json").ids().len();
        for _ in 0..2 {
            assert_eq!((ready(BERLIN, "2026-01-05T22:59:59Z"), ready(BERLIN, "2026-01-05T23:00:00Z")), (0, 1));
            assert_eq!((ready("UTC", "2026-01-05T23:59:59Z"), ready("UTC", "2026-01-06T00:00:00Z")), (0, 1));
            assert_eq!((overdue(BERLIN, "2026-01-05T22:59:59Z"), overdue(BERLIN, "2026-01-05T23:00:00Z")), (0, 1));
            assert_eq!((overdue("UTC", "2026-01-05T23:59:59Z"), overdue("UTC", "2026-01-06T00:00:00Z")), (0, 1));
        }
        let shown = at(&env, BERLIN, "2026-01-05T09:00:00Z", "show bd-d").stdout;
        assert!(shown.contains("\nDue         2026-01-05 (in 13 h)\nDeferred to 2026-01-06 (tomorrow)\n"), "{shown}");
        let why = at(&env, BERLIN, "2026-01-05T09:00:00Z", "why bd-d").stdout;
        assert_eq!(why, "bd-d is not ready:\n  it is deferred until 2026-01-06\n");
        let due = at(&env, BERLIN, "2026-01-05T09:00:00Z", "query due=today --json").ids();
        assert_eq!(due, ["bd-d"]);
        assert!(!env.bd(["doctor"]).ok().stdout.contains("bd-d"));
        assert_eq!(env.ledger_text(), ledger, "reading changes nothing");
    }
}

#[test]
fn an_offset_needs_no_colon() {
    let env = Env::with_ledger(line("o", r#""due_at":"2026-01-05T10:00:00+0100""#));
    assert_eq!(at(&env, "UTC", "2026-01-05T09:00:01Z", "list --overdue --json").ids(), ["bd-o"]);
    assert!(
        at(&env, BERLIN, "2026-01-05T09:00:00Z", "show bd-o").stdout.contains("\nDue         2026-01-05 10:00 (now)\n")
    );
}

#[test]
fn what_is_put_off_in_a_way_that_cannot_be_read_stays_put_off() {
    for raw in ["1764547200", "\"someday\"", "\"2026-13-01\"", "true"] {
        for status in ["open", "deferred"] {
            let fields = format!("\"status\":\"{status}\",\"defer_until\":{raw}");
            let env = Env::with_ledger(line("x", &fields));
            let before = env.ledger();
            assert_eq!(env.bd(["ready", "--json"]).ok().ids().len(), 0, "{raw}");
            assert_eq!(env.bd(["list", "--deferred", "--json"]).ok().ids(), ["bd-x"], "{raw}");
            let why = env.bd(["why", "bd-x"]).ok().stdout;
            assert!(why.contains(&format!("it is deferred, but its defer_until is not a date: {raw}")), "{why}");
            let shown = env.bd(["show", "bd-x"]).ok().stdout;
            assert!(shown.contains(&format!("\nNot read    defer_until: {raw}\n")), "{shown}");
            let doctor = env.bd(["doctor"]).ok().stdout;
            let found = format!("defer_until is not a date, so these issues stay deferred: bd-x ({raw})");
            assert!(doctor.contains(&found) && doctor.contains("bd defer ID --clear"), "{doctor}");
            assert_eq!(env.ledger(), before);
            env.bd(["undefer", "bd-x"]).ok();
            assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-x"], "{raw}");
        }
    }
}

#[test]
fn values_that_are_not_read_are_shown_and_named() {
    let fields = r#""due_at":17,"created_at":"2026-01-01","dependencies":["bd-y",{"depends_on_id":"bd-z"}],"comments":["hi"],"labels":[7,"a"]"#;
    let env =
        Env::with_ledger(line("x", fields) + &line("y", r#""labels":"two words""#) + &line("z", "\"priority\":1"));
    let shown = env.bd(["show", "bd-x"]).ok().stdout;
    let expected = r#"created_at: "2026-01-01", due_at: 17, labels: 7, dependencies: "bd-y", comments: "hi""#;
    assert!(shown.contains(&format!("\nNot read    {expected}\n")), "{shown}");
    let doctor = env.bd(["doctor"]).ok().stdout;
    for text in [
        "beads.jsonl:1: created_at is not a time and does not count: bd-x (\"2026-01-01\")",
        "due_at is not a date, so these issues have no due date: bd-x (17)\n    run `bd update ID --due DATE`",
        "labels has something that is not a label and does not count: bd-x (7)",
        "beads.jsonl:2: labels is a text, which counts as one label; it should be a list: bd-y (\"two words\")",
        "dependencies has something that is not a dependency and blocks nothing: bd-x (\"bd-y\")",
        "comments has something that is not a comment and is not shown: bd-x (\"hi\")",
    ] {
        assert!(doctor.contains(text), "{text}\n{doctor}");
    }
    // Labels in one text count as one.
    assert_eq!(env.bd(["list", "-l", "two words", "--json"]).ok().ids(), ["bd-y"]);
    assert!(env.bd(["show", "bd-y"]).ok().stdout.contains("\nLabels      two words\n"));
    env.given("update bd-y --set-labels two,words");
    env.given("update bd-x --due 2026-02-01");
    let doctor = env.bd(["doctor"]).ok().stdout;
    assert!(!doctor.contains("bd-y (") && !doctor.contains("due_at"), "{doctor}");
    assert!(env.ledger_text().contains(r#""labels":["two","words"]"#));
}

#[test]
fn doctor_names_ten_issues_and_counts_the_rest() {
    let ledger: String = (10..23).map(|n| line(&n.to_string(), "\"due_at\":1")).collect();
    let doctor = Env::with_ledger(ledger).bd(["doctor"]).ok().stdout;
    assert!(doctor.contains("bd-10 (1), ") && doctor.contains("bd-19 (1) and 3 more\n"), "{doctor}");
}

#[test]
fn a_due_date_that_cannot_be_read_can_be_cleared() {
    let env = Env::with_ledger(line("x", r#""due_at":"someday","defer_until":7"#));
    env.bd(["update", "bd-x", "--due", "", "--defer", ""]).ok();
    assert!(!env.ledger_text().contains("due_at") && !env.ledger_text().contains("defer_until"));
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-x"]);
}
