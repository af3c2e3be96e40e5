//! People read times of their own zone, also in what is said about changes; programs read them as the ledger has them.

use crate::cli::history::log::commit;
use crate::support::harness::{Env, Run, words};
use crate::support::project::Project;

/// Nine hours ahead of UTC, so that no zone files are needed.
const TOKYO: &str = "JST-9";

fn tokyo(env: &Env, line: &str) -> Run {
    env.bd_with(words(line), None, &[("TZ", TOKYO)]).ok()
}

/// A project with an issue whose due date has changed since the last commit.
fn project() -> Option<Project> {
    let project = Project::single()?;
    tokyo(&project.env, "update base --due 2026-02-01");
    commit(&project.env, "09:30", "ann", "due");
    tokyo(&project.env, "update base --due 2026-02-03");
    Some(project)
}

/// It has no time as ledgers write them.
fn is_local(text: &str) -> bool {
    !text.contains("T1") && !text.contains("T0") && !text.contains(".999Z")
}

#[test]
fn changes_are_told_in_local_times() {
    let Some(project) = project() else { return };
    let env = &project.env;
    let rehearsal = tokyo(env, "update base --due 2026-02-05 --dry-run").stdout;
    assert_eq!(rehearsal, "Would change (due_at: 2026-02-03 → 2026-02-05): bd-base\n");
    let told = "due_at: 2026-02-01 → 2026-02-03";
    for line in ["log", "diff", "diff HEAD.. --markdown"] {
        let shown = tokyo(env, line).stdout;
        assert!(shown.replace('\\', "").contains(told) && is_local(&shown), "{line}: {shown}");
    }
    let blame = tokyo(env, "blame base").stdout;
    let due = blame.lines().find(|line| line.starts_with("due_at")).unwrap();
    assert!(due.ends_with("2026-02-03") && is_local(&blame), "{blame}");
    let created = blame.lines().find(|line| line.starts_with("created_at")).unwrap();
    assert!(created.contains("2026-01-05 18:00"), "{blame}");
    let json = tokyo(env, "diff --json").json();
    let fields = json["changed"][0]["fields"].as_array().unwrap();
    let due = fields.iter().find(|field| field["field"] == "due_at").unwrap();
    assert_eq!(due["after"], "2026-02-03T14:59:59.999Z", "programs read what the ledger has");
}

#[test]
fn an_issue_that_was_only_touched_is_not_listed() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let line = env.ledger_text();
    let times: Vec<&str> =
        line.match_indices("\"updated_at\":\"").map(|(at, key)| &line[at + key.len()..][..4]).collect();
    assert_eq!(times, ["2026"]);
    env.put_ledger(line.replace("\"updated_at\":\"2026", "\"updated_at\":\"2027"));
    let run = env.bd(["diff"]).ok();
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", "1 issue touched without another change\n"));
    assert_eq!(env.bd(["diff", "HEAD..", "--markdown"]).ok().stdout, "No issue is different.\n");
    assert_eq!(env.bd(["diff", "--json"]).ok().json()["changed"][0]["id"], "bd-base");
    let log = env.bd(["log"]).ok().stdout;
    assert!(log.contains("\n      touched\n") && !log.contains("updated_at"), "{log}");
}

#[test]
fn agents_have_local_times_and_just_now() {
    let env = Env::new();
    tokyo(&env, "agent register worker");
    let shown = tokyo(&env, "agent show worker").stdout;
    assert!(shown.contains("Registered  2026-01-05 18:00 (session 1)\n"), "{shown}");
    assert!(shown.contains("Heard of    2026-01-05 18:00 (just now)\n"), "{shown}");
}
