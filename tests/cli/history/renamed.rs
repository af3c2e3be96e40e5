//! Issues that got another id: the past goes on under the former one, and the former one leads to the issue.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::history::log::{commit, named};
use crate::support::harness::{Env, words};
use crate::support::project::Project;
use crate::support::repos::sh;

/// A project whose issues got another prefix in its third commit, which is left to the test.
fn renamed() -> Option<Env> {
    let env = Project::single()?.env;
    env.given("add One --id bd-one --deps bd-base\ncomment bd-one hello");
    commit(&env, "10:00", "ann", "plan");
    env.given("update bd-one -p 0");
    commit(&env, "11:00", "bob", "raise");
    env.given("rename-prefix web");
    Some(env)
}

#[test]
fn the_past_goes_on_under_the_old_prefix() {
    let Some(env) = renamed() else { return };
    assert_data_eq!(
        named(&env, env.script("log web-one")),
        str![[r#"
$ bd log web-one
not committed
  web-one  One
      id: "bd-one" → "web-one"
      dependencies: -blocks bd-base +blocks web-base

<raise>  2026-01-05 11:00  bob  raise
  bd-one  One
      priority: 2 → 0

<plan>  2026-01-05 10:00  ann  plan
  bd-one  added: One

"#]]
        .raw()
    );
    commit(&env, "12:00", "cid", "rename");
    env.given("rename-prefix kw");
    commit(&env, "13:00", "cid", "again");
    let log = env.bd(["log", "kw-one", "--json"]).ok().json();
    let told: Vec<_> = log.as_array().unwrap().iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!(told, ["kw-one", "web-one", "bd-one", "bd-one"], "{log}");
    assert_data_eq!(
        named(&env, env.script("blame kw-one")),
        str![[r#"
$ bd blame kw-one
title         <plan>  2026-01-05  ann  "One"
status        <plan>  2026-01-05  ann  "open"
priority      <raise>  2026-01-05  bob  0
issue_type    <plan>  2026-01-05  ann  "task"
created_at    <plan>  2026-01-05  ann  2026-01-05 09:00
created_by    <plan>  2026-01-05  ann  "ann"
updated_at    <raise>  2026-01-05  bob  2026-01-05 09:00
dependencies  <again>  2026-01-05  cid  [..]"depends_on_id":"k…
comments      <plan>  2026-01-05  ann  [..]"issue_id":"kw-o…

"#]]
    );
}

#[test]
fn the_old_id_leads_to_the_issue() {
    let Some(env) = renamed() else { return };
    // As long as it is not committed, and afterwards.
    for _ in 0..2 {
        let shown = env.bd(["show", "bd-one"]).ok();
        assert!(shown.stdout.contains("; bd-one is called web-one now"), "{}", shown.snapshot());
        assert!(!shown.stdout.contains("bd restore"), "{}", shown.snapshot());
        assert_eq!(env.bd(["show", "bd-one", "--json"]).ok().json()[0]["past"]["called_now"], "web-one");
        env.bd(["restore", "bd-one"]).fails(5, &["it is called web-one now"]);
        assert!(env.bd(["log", "bd-one"]).ok().stderr.contains("bd-one is called web-one now"));
        assert!(env.bd(["blame", "bd-one"]).ok().stderr.contains("bd-one is called web-one now"));
        commit(&env, "12:00", "cid", "rename");
        env.write("other", "to commit");
    }
    // Over two renames, and where the issue itself has left since.
    env.given("rename-prefix kw");
    commit(&env, "13:00", "cid", "again");
    env.bd(["restore", "bd-one"]).fails(5, &["it is called kw-one now"]);
    sh(&env, "cd web/.beads; grep -v '\"id\":\"kw-one\"' beads.jsonl > rest; mv rest beads.jsonl");
    commit(&env, "14:00", "cid", "out");
    assert!(env.bd(["show", "bd-one"]).ok().stdout.contains("bd-one is called kw-one now"));
    env.given("restore kw-one");
}

/// An issue that left for good, and one of another ledger that ends alike.
#[test]
fn what_only_ends_alike_is_not_taken_for_the_same() {
    let Some(env) = renamed() else { return };
    commit(&env, "12:00", "cid", "rename");
    env.given("add Odd --id odd-one");
    sh(&env, "cd web/.beads; grep -v '\"id\":\"web-one\"' beads.jsonl > rest; mv rest beads.jsonl");
    commit(&env, "13:00", "cid", "out");
    let shown = env.bd(["show", "web-one"]).ok();
    assert!(shown.stdout.contains("bd restore web-one brings it back"), "{}", shown.snapshot());
    let log = env.bd(["log", "odd-one", "--json"]).ok().json();
    assert_eq!(log.as_array().unwrap().len(), 1, "{log}");
    env.given("restore web-one");
}

#[test]
fn a_proposed_plan_has_its_past_in_the_planning_repo() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let plans = |line: &str| {
        let place = env.root().join("home/.beads-planning").display().to_string();
        env.bd(["-C".to_owned(), place].into_iter().chain(words(line))).ok()
    };
    let plan = plans("add Plan --json").json()["id"].as_str().unwrap().to_owned();
    plans("commit");
    for line in [format!("update {plan} -p 0"), format!("comment {plan} remark")] {
        plans(&line);
        plans("commit");
    }
    let id = env.bd(["propose", &plan, "--json"]).ok().json()[0]["id"].as_str().unwrap().to_owned();
    let changes = |log: &serde_json::Value| -> Vec<(String, String)> {
        let text = |event: &serde_json::Value, key: &str| event[key].as_str().unwrap().to_owned();
        let planned = log.as_array().unwrap().iter().filter(|event| event["source_repo"] != ".");
        planned.map(|event| (text(event, "id"), text(event, "change"))).collect()
    };
    let log = env.bd(["log", &id, "--json"]).ok().json();
    let told = changes(&log);
    let then: Vec<_> = told.iter().filter(|(id, _)| *id == plan).map(|(_, change)| change.as_str()).collect();
    assert_eq!(then, ["changed", "changed", "added"], "{log}");
    assert!(told.iter().any(|(then, change)| *then == id && change == "changed"), "{log}");
    assert!(!told.iter().any(|(then, change)| *then == id && change == "added"), "it was there before: {log}");
    let renamed = log.as_array().unwrap().iter().flat_map(|event| event["fields"].as_array().unwrap());
    let renamed: Vec<_> = renamed.filter(|field| field["field"] == "id").collect();
    assert_eq!((renamed.len(), &renamed[0]["before"], &renamed[0]["after"]), (1, &plan.into(), &id.clone().into()));
    // The project's line is not even committed; the authors of its values are still known.
    let blamed = |field: &str| -> serde_json::Value {
        let blame = env.bd(["blame", &id, "--json"]).ok().json();
        blame["fields"].as_array().unwrap().iter().find(|one| one["field"] == field).unwrap().clone()
    };
    let first = sh(env, "git -C home/.beads-planning log --reverse --format=%H -- .beads/beads.jsonl");
    let commits: Vec<&str> = first.lines().collect();
    let title = blamed("title");
    assert!(commits.contains(&title["commit"]["id"].as_str().unwrap()), "{title}");
    assert!(title["source_repo"].as_str().unwrap().contains("planning"), "{title}");
    let priority = blamed("priority");
    assert_ne!(priority["commit"]["id"], title["commit"]["id"], "{priority}");
    env.given(&format!("update {id} --title Better"));
    project.git("add -A").ok();
    project.git("commit -qm propose").ok();
    env.given(&format!("update {id} --title Best"));
    assert_eq!((&blamed("title")["commit"], &blamed("title")["source_repo"]), (&().into(), &().into()));
}

/// `bd undo` gives a proposed plan its former id back.
#[test]
fn a_proposal_that_was_taken_back_has_its_former_id() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let place = env.root().join("home/.beads-planning").display().to_string();
    let plan = env.bd(["-C", &place, "add", "Plan", "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    env.bd(["-C", &place, "commit"]).ok();
    let id = env.bd(["propose", &plan, "--json"]).ok().json()[0]["id"].as_str().unwrap().to_owned();
    env.given("undo --yes");
    let shown = env.bd(["show", &id]).ok();
    assert!(shown.stdout.contains(&format!("{id} is called {plan} now")), "{}", shown.snapshot());
    env.bd(["restore", &id]).fails(5, &["is called"]);
}
