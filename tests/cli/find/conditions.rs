//! The words of conditions: what `bd query` and the filter flags understand, and what they refuse.

use crate::cli::find::listing::project;
use crate::support::harness::{Env, words};

fn ids(env: &Env, line: &str) -> String {
    let args: Vec<String> = words(line).into_iter().chain(["--sort", "id", "--json"].map(str::to_owned)).collect();
    env.bd(args).ok().ids().join(" ")
}

#[test]
fn an_unknown_word_is_an_error_with_a_suggestion() {
    let env = project();
    for (line, message, hint) in [
        ("query status=opne", "invalid status \"opne\"; known: open in_progress", "did you mean \"open\"?"),
        ("query 'not status=opne'", "invalid status \"opne\"", "did you mean \"open\"?"),
        ("query 'status!=clsoed'", "invalid status \"clsoed\"", "did you mean \"closed\"?"),
        ("query type=bgu", "invalid issue type \"bgu\"; known: bug feature", "did you mean \"bug\"?"),
        ("query 'label=ui or type=bgu'", "invalid issue type \"bgu\"", "did you mean \"bug\"?"),
        ("query stauts=open", "unknown field \"stauts\"", "did you mean \"status\"?"),
        ("query craeted=today", "unknown field \"craeted\"", "did you mean \"created\"?"),
        ("query visibility=locl", "invalid visibility \"locl\"", "did you mean \"local\"?"),
        ("list --status opne", "invalid status \"opne\"", "did you mean \"open\"?"),
        ("list --status open,opne", "invalid status \"opne\"", "did you mean \"open\"?"),
        ("list --type bgu", "invalid issue type \"bgu\"", "did you mean \"bug\"?"),
        ("list --exclude-type bgu", "invalid issue type \"bgu\"", "did you mean \"bug\"?"),
        ("ready --type bgu", "invalid issue type \"bgu\"", "did you mean \"bug\"?"),
        ("count --status opne", "invalid status \"opne\"", "did you mean \"open\"?"),
        ("search form --status opne", "invalid status \"opne\"", "did you mean \"open\"?"),
        ("export --type bgu", "invalid issue type \"bgu\"", "did you mean \"bug\"?"),
        ("stale --status opne", "invalid status \"opne\"", "did you mean \"open\"?"),
        ("update bd-form --status opne", "invalid status \"opne\"", "did you mean \"open\"?"),
        ("add T --type bgu", "invalid issue type \"bgu\"", "did you mean \"bug\"?"),
    ] {
        env.bd(words(line)).fails(2, &[message, hint]);
        let error = env.bd(words(line).into_iter().chain(["--json".to_owned()])).fails(2, &[]).error();
        assert_eq!((&error["code"], &error["hint"]), (&"usage".into(), &hint.into()), "{line}");
    }
    for line in ["query id=bd-nosuch", "query parent=nosuch", "list --parent nosuch", "list --id bd-nosuch"] {
        env.bd(words(line)).fails(3, &["no issue found matching"]);
    }
    env.bd(["query", "repo=nosuch"]).fails(3, &["nosuch"]);
    for line in ["list --project nosuch", "query project=nosuch", "ready --project nosuch", "blocked --project nosuch"]
    {
        env.bd(words(line)).fails(3, &["no issue was planned for a project \"nosuch\"; known: bd"]);
    }
    assert_eq!(ids(&env, "list --project bd"), "");
    env.bd(words("dep list bd-save --type blcks")).fails(2, &["unknown dependency type", "did you mean \"blocks\"?"]);
    env.given("dep add bd-form bd-login --type rhymes-with");
    assert_eq!(env.bd(words("dep list bd-save --type rhymes-with --json")).ok().ids(), [""; 0]);
    env.bd(words("checkpoint list --type plna")).fails(2, &["plan"]);
}

#[test]
fn words_that_the_ledger_or_the_settings_hold_are_known() {
    let env = project();
    let line = r#"{"id":"bd-odd","title":"Odd","status":"In-Review","issue_type":"Incident","priority":2,"created_at":"2026-01-05T09:00:00Z","updated_at":"2026-01-05T09:00:00Z"}"#;
    env.put_ledger(format!("{}{line}\n", env.ledger_text()));
    assert_eq!(ids(&env, "query status=in_review"), "bd-odd");
    assert_eq!(ids(&env, "list --status 'in review'"), "bd-odd");
    assert_eq!(ids(&env, "query type=incident"), "bd-odd");
    assert_eq!(ids(&env, "list -t INCIDENT"), "bd-odd");
    env.bd(["query", "status=in_reviwe"]).fails(2, &["did you mean"]);
    env.bd(["list", "--status", "parked"]).fails(2, &["invalid status \"parked\""]);
    env.write(".beads/config.toml", "[status]\ncustom = \"parked, waiting:active\"\n[types]\ncustom = \"outage\"\n");
    assert_eq!(ids(&env, "list --status parked,waiting"), "");
    assert_eq!(ids(&env, "query type=outage"), "");
    env.given("update bd-form --status parked --type outage");
    assert_eq!(ids(&env, "query 'status=parked type=outage'"), "bd-form");
    env.bd(["query", "status=parkd"]).fails(2, &["did you mean \"parked\"?"]);
}

#[test]
fn dates_of_a_query_compare_as_days() {
    let env = Env::new();
    // Days in Berlin; it is the 7th.
    env.set("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
    for (id, now) in
        [("five", "2026-01-04T23:00:00Z"), ("six", "2026-01-05T23:10:00Z"), ("seven", "2026-01-06T23:00:00Z")]
    {
        let id = format!("bd-{id}");
        env.bd_with(["add", "T", "--id", &id], None, &[("BD_TEST_NOW", now)]).ok();
    }
    env.set("BD_TEST_NOW", "2026-01-07T09:00:00Z");
    for (text, expected) in [
        ("created=today", "bd-seven"),
        ("created = yesterday", "bd-six"),
        ("created=2026-01-05", "bd-five"),
        ("created=1d", "bd-six"),
        ("created!=today", "bd-five bd-six"),
        ("created<today", "bd-five bd-six"),
        ("created<=2026-01-06", "bd-five bd-six"),
        ("created>2026-01-05", "bd-seven bd-six"),
        ("created>=2026-01-06", "bd-seven bd-six"),
        ("created=today,yesterday", "bd-seven bd-six"),
        ("created>=monday", "bd-five bd-seven bd-six"),
        ("created>1d", "bd-seven"),
        ("created>2d", "bd-seven bd-six"),
        ("created=tomorrow", ""),
        ("created_at=today", "bd-seven"),
    ] {
        assert_eq!(ids(&env, &format!("query '{text}'")), expected, "{text}");
    }
    env.bd(["query", "created=3h"]).fails(2, &["created: \"3h\" is a moment, not a day; compare it with < or >"]);
    env.bd(["query", "created=2026-13-01"]).fails(2, &["created: \"2026-13-01\" is not a date"]);
}

#[test]
fn a_length_of_time_counts_ahead_for_due_and_defer() {
    let env = Env::new();
    env.given(
        "add Late --id bd-late --due 2026-01-02
         add Now --id bd-now --due today
         add Soon --id bd-soon --due 3d
         add Week --id bd-week --due 7d
         add Far --id bd-far --due 30d --defer 5d
         add Never --id bd-never",
    );
    for (text, expected) in [
        ("due<7d", "bd-late bd-now bd-soon"),
        ("due<=7d", "bd-late bd-now bd-soon bd-week"),
        ("due=7d", "bd-week"),
        ("due>7d", "bd-far"),
        ("due=today", "bd-now"),
        ("due<today", "bd-late"),
        ("due>-7d due<today", "bd-late"),
        ("due=none", "bd-never"),
        ("due!=none and due > 1w", "bd-far"),
        ("defer<=1w", "bd-far"),
        ("defer<2d", ""),
    ] {
        assert_eq!(ids(&env, &format!("query '{text}'")), expected, "{text}");
    }
    assert_eq!(ids(&env, "list --due-before 7d"), "bd-late bd-now bd-soon");
}

#[test]
fn names_of_people_match_in_any_case() {
    let env = project();
    env.given("update login -a @me\nupdate save -a Jörg");
    for line in ["query assignee=@me", "query assignee=me", "query assignee=ANN", "list -a @me", "list -a Ann"] {
        assert_eq!(ids(&env, line), "bd-login", "{line}");
    }
    for line in
        ["list -a Bob", "list --assignee BOB", "query assignee=BoB", "query 'assignee = @bob'", "query assignee~BO"]
    {
        assert_eq!(ids(&env, line), "bd-form", "{line}");
    }
    assert_eq!(ids(&env, "query assignee=JÖRG"), "bd-save");
    assert_eq!(ids(&env, "list -a none"), "bd-epic");
    assert_eq!(ids(&env, "query 'assignee!=Bob status=open'"), "bd-epic bd-login bd-save");
    assert_eq!(env.bd(["ready", "-a", "BOB", "--json"]).ok().ids(), ["bd-form"]);
    assert_eq!(env.bd(["count", "--author", "ANN", "--json"]).ok().json()["count"], 5);
    let shown = env.bd(["show", "login", "--json"]).ok().json();
    assert_eq!(shown[0]["assignee"], "ann", "@me is the one who acts");
}

#[test]
fn flags_mean_what_conditions_mean() {
    let env = project();
    env.given(
        "update login -a 'Doe, Jane' --due 2026-01-05T09:00:30Z
         update save --due 2026-01-05T09:00:29Z
         add Named --id bd-none -a none -l none",
    );
    for (flags, condition, expected) in [
        ("-l none", "label=none", "bd-form bd-login"),
        ("-l None", "label=NONE", "bd-form bd-login"),
        ("--label-any backend,none", "label=backend,none", "bd-form bd-login bd-save"),
        ("--exclude-label none", "label!=none", "bd-epic bd-none bd-save"),
        ("-l none -l ui", "label=none label=ui", ""),
        ("-a bob,none", "assignee=bob,none", "bd-epic bd-form bd-save"),
        ("-a none", "assignee=none", "bd-epic bd-save"),
        ("-a ''", "assignee=''", "bd-epic bd-save"),
        ("-a 'doe, jane'", "assignee='doe, jane'", "bd-login"),
        ("--author me,bob", "author=me,bob", "bd-epic bd-form bd-login bd-none bd-save"),
        ("--parent none", "parent=none", "bd-epic bd-login bd-none"),
        ("--status all", "status=all", "bd-docs bd-epic bd-form bd-login bd-none bd-save"),
        ("--status closed,ALL", "status=closed,All", "bd-docs bd-epic bd-form bd-login bd-none bd-save"),
        ("--due-after 2026-01-05T09:00:30Z", "due>=2026-01-05T09:00:30Z", "bd-login"),
        ("--due-before 2026-01-05T09:00:30Z", "due<2026-01-05T09:00:30Z", "bd-save"),
        ("--due-after 2026-01-05", "due>=2026-01-05", "bd-login bd-save"),
        ("--due-before 2026-01-05", "due<2026-01-05", ""),
    ] {
        let of_flags = ids(&env, &format!("list {flags}"));
        let condition = condition.replace('\'', "\"");
        let run = env.bd(["query", &condition, "--sort", "id", "--json"]).ok();
        assert_eq!((of_flags.as_str(), run.ids().join(" ").as_str()), (expected, expected), "{flags}: {condition}");
    }
    assert_eq!(env.bd(words("blocked --parent none --json")).ok().ids(), [""; 0]);
    assert_eq!(ids(&env, "query label~none"), "bd-none");
    assert_eq!(ids(&env, "query 'status=all status=closed'"), "bd-docs");
}

#[test]
fn blanks_and_commas() {
    let env = project();
    for text in ["title ~ login", "title~ login", "title ~login", "  ( title ~ login )  ", "title ~ 'Login fails'"] {
        assert_eq!(env.bd(["query", text, "--json"]).ok().ids(), ["bd-login"], "{text}");
    }
    let run = env.bd(["query", "title", "~", "login", "--json"]).ok();
    assert_eq!(run.ids(), ["bd-login"], "words of the shell are one query");
    assert_eq!(ids(&env, "query 'label = ui , backend'"), "bd-epic bd-save");
    assert_eq!(ids(&env, "query 'type in_progress'"), "");
}

#[test]
fn half_a_query_is_refused_clearly_and_at_once() {
    let env = project();
    for (text, message) in [
        ("status=", "\"status=\" has no value"),
        ("status= ", "\"status=\" has no value"),
        ("status=,", "\"status=\" has no value"),
        ("status=''", "\"status=\" has no value"),
        ("status= or type=bug", "\"status=\" has no value"),
        ("title= type=bug", "\"title=\" has no value"),
        ("()", "a condition is missing before \")\""),
        ("(", "a condition is missing at the end"),
        ("a=b or", "unknown field \"a\"; known: id title"),
        ("type=bug or", "a condition is missing at the end"),
        ("or type=bug", "a condition is missing before \"or\""),
        ("type=bug and and label=ui", "a condition is missing before \"and\""),
        ("type=bug)", "unexpected \")\""),
        ("type==bug", "unexpected \"=\""),
        ("not", "a condition is missing at the end"),
        (" ", "the query is empty"),
    ] {
        env.bd(["query", text]).fails(2, &[message, "hint: run `bd help query` for the language"]);
    }
    env.bd(["query", "status=none"]).fails(2, &["invalid status \"none\""]);
}

#[test]
fn long_queries_are_answered_or_refused() {
    let env = project();
    let many = |part: &str, bytes: usize| part.repeat(bytes / part.len());
    // Ten kilobytes and more of conditions that fit.
    for text in [
        format!("{}type=bug", many("label=nosuch or ", 10_000)),
        format!("{}type=bug", many("type=bug and ", 10_000)),
        format!("{}type=bug", many("priority=0 updated>7d ", 10_000)),
        format!("{}type=bug", many("title~zzz or text~yyy or ", 10_000)),
        format!("id={}bd-login", many("bd-login,", 8_000)),
        format!("{}type=bug{}", "(".repeat(30), ")".repeat(30)),
        format!("{}type=bug", "not ".repeat(32)),
    ] {
        assert_eq!(env.bd(["query", &text, "--json"]).ok().ids(), ["bd-login"], "{text:.60}");
    }
    for (text, message) in [
        (many("x ", 10_000), "the query has more than 1000 conditions"),
        (many("type=bug ", 100_000), "the query has more than 1000 conditions"),
        (format!("label={}", many("a,", 10_000)), "the query has more than 1000 conditions"),
        ("(".repeat(10_000), "brackets and `not` are nested more than 32 deep"),
        ("not ".repeat(2_500), "brackets and `not` are nested more than 32 deep"),
    ] {
        env.bd(["query", &text]).fails(2, &[message]);
    }
}

#[test]
fn deleted_issues_are_listed_only_when_asked_for() {
    let env = project();
    let all = "bd-docs bd-epic bd-form bd-login bd-save";
    for line in ["list --all", "list --status all", "list --status=all", "query --all 'priority>=0'"] {
        assert_eq!(ids(&env, line), all, "{line}");
    }
    assert_eq!(ids(&env, "query status!=open"), "bd-docs");
    assert_eq!(ids(&env, "list --all --copies"), all);
    for line in ["list --status tombstone", "list --status deleted", "query status=tombstone"] {
        assert_eq!(ids(&env, line), "bd-twice", "{line}");
    }
    assert_eq!(ids(&env, "list --all --deleted"), format!("{all} bd-twice"));
    assert_eq!(ids(&env, "query --deleted priority=2"), "bd-form bd-save bd-twice");
    assert_eq!(ids(&env, "list --deleted"), "bd-epic bd-form bd-login bd-save bd-twice");
    assert_eq!(ids(&env, "list --id bd-twice"), "bd-twice", "what is named is shown");
    assert_eq!(ids(&env, "query 'status=tombstone twice'"), "bd-twice");
    env.bd(["search", "twice", "--status", "tombstone"]).fails(2, &["bd list 'status=tombstone WORD'"]);
    assert_eq!(env.bd(["count", "--status", "all", "--json"]).ok().json()["count"], 5);
    let json = env.bd(["list", "--all", "--limit", "0", "--json"]).ok().stdout;
    assert!(!json.contains("tombstone"), "{json}");
}
