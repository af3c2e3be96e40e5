//! Tasks of workflows: who gets which, when, and what becomes of them.

use crate::harness::Env;
use crate::workflows::{bd, id, planned, ready, shown, started, states, take, task};

#[test]
fn no_claim_takes_a_task_of_a_workflow_that_does_not_run() {
    for state in ["ready", "paused", "failed", "abandoned"] {
        let env = ready();
        let design = id(&env, "design");
        match state {
            "ready" => {}
            "abandoned" => drop(bd(&env, "workflow abandon bd-w -r enough").ok()),
            other => {
                bd(&env, "workflow start bd-w").ok();
                bd(&env, &format!("workflow {} bd-w", if other == "paused" { "pause" } else { "fail" })).ok();
            }
        }
        if state == "abandoned" {
            // It was skipped; somebody brings it back.
            bd(&env, &format!("reopen {design}")).ok();
        }
        let said = format!("is {state}");
        bd(&env, &format!("claim {design}")).fails(5, &[&said]);
        bd(&env, &format!("--agent bot claim {design}")).fails(5, &[&said]);
        bd(&env, &format!("work {design}")).fails(5, &[&said]);
        bd(&env, &format!("run {design} -- true")).fails(5, &[&said]);
        assert_eq!(bd(&env, "ready --json").ok().stdout, "[]\n", "{state}");
        assert_eq!(bd(&env, "--agent bot ready --claim --json").ok().stdout, "[]\n", "{state}");
        let why = bd(&env, &format!("why {design} --json")).ok().json();
        assert_eq!((&why["ready"], &why["reasons"][0]["reason"]), (&false.into(), &"workflow".into()), "{why}");
        assert_eq!(why["reasons"][0]["state"], state);
        if state != "abandoned" {
            bd(&env, "--agent bot workflow next bd-w --claim").fails(5, &[&said]);
        }
        assert!(bd(&env, "leases").ok().stdout.is_empty(), "{state}: nobody got it");
    }
}

#[test]
fn no_more_tasks_run_than_may() {
    let env = planned(
        "name = \"W\"\nmax_parallel = 2\n[[tasks]]\nname = \"a\"\n[[tasks]]\nname = \"b\"\n[[tasks]]\nname = \"c\"\n",
    );
    bd(&env, "workflow start bd-w").ok();
    assert_eq!(bd(&env, "workflow next bd-w --json").ok().json()["tasks"].as_array().unwrap().len(), 2);
    bd(&env, &format!("--agent bot claim {}", id(&env, "a"))).ok();
    assert_eq!(bd(&env, "--agent cat ready --claim --json").ok().ids().len(), 1);
    let (running, rest): (Vec<String>, Vec<String>) = ["a", "b", "c"]
        .map(|name| id(&env, name))
        .into_iter()
        .partition(|id| bd(&env, "leases --json").ok().ids().contains(id));
    assert_eq!((running.len(), rest.len()), (2, 1));
    let full = bd(&env, &format!("--agent dog claim {} --json", rest[0]));
    full.fails(6, &["2 of at most 2 tasks of its workflow bd-w run already", "workflow_full", "\"recoverable\":true"]);
    assert_eq!(bd(&env, "--agent dog ready --json").ok().stdout, "[]\n");
    assert_eq!(bd(&env, "--agent dog ready --claim --json").ok().stdout, "[]\n");
    assert_eq!(take(&env, "dog", ""), None);
    bd(&env, &format!("run {} -- true", rest[0])).fails(6, &["run already"]);
    // The same one again is no further one, and a takeover only changes hands.
    bd(&env, &format!("--agent bot claim {}", id(&env, "a"))).ok();
    bd(&env, &format!("--agent dog claim {} --takeover --reason lost", id(&env, "a"))).ok();
    bd(&env, "workflow set bd-w --max-parallel 3").ok();
    assert!(take(&env, "eve", "").is_some());
    assert_eq!(shown(&env)["free"], 0);
}

#[test]
fn a_task_that_waits_is_not_given_out() {
    let env = started();
    let build = id(&env, "build");
    bd(&env, &format!("claim {build}")).fails(5, &["it waits for", &id(&env, "design")]);
    bd(&env, &format!("run {build} -- true")).fails(5, &["it waits for"]);
    // Only a closed one lets others go on.
    let design = id(&env, "design");
    bd(&env, &format!("defer {design}")).ok();
    bd(&env, &format!("claim {build}")).fails(5, &["it waits for"]);
    bd(&env, &format!("close {design}")).ok();
    bd(&env, &format!("claim {build}")).ok();
    let line = env.ledger_text();
    let build_line = line.lines().find(|line| line.contains(&format!("{{\"id\":\"{build}\""))).unwrap();
    assert!(build_line.contains("\"type\":\"informs\""), "{build_line}");
}

#[test]
fn a_task_that_failed_is_open_with_its_error() {
    let env = started();
    let design = id(&env, "design");
    for attempt in 1..3 {
        assert_eq!(take(&env, "bot", " --include-failed"), Some("design".into()));
        bd(&env, &format!("--agent bot release {design} --failed no-paper")).ok();
        let failed = task(&env, "design");
        assert_eq!((&failed["state"], &failed["status"]), (&"failed".into(), &"open".into()));
        assert_eq!((&failed["last_error"], &failed["attempts"]), (&"no-paper".into(), &attempt.into()));
    }
    assert_eq!(take(&env, "bot", ""), None, "not without a word");
    assert_eq!(bd(&env, "workflow progress bd-w --json").ok().json()["failed"][0]["name"], "design");
    // A program that fails says so too, and a success takes the error away.
    bd(&env, &format!("--agent bot run {design} -- false"));
    let failed = task(&env, "design");
    assert_eq!((&failed["attempts"], &failed["last_error"]), (&3.into(), &"the program ended with 1".into()));
    assert_eq!(take(&env, "bot", " --include-failed"), None, "it needs attention now");
    bd(&env, &format!("claim {design}")).ok();
    bd(&env, &format!("close {design} -r drawn")).ok();
    let done = task(&env, "design");
    assert_eq!((&done["state"], &done["outcome"]), (&"completed".into(), &"drawn".into()));
    assert!(done.get("last_error").is_none(), "{done}");
    bd(&env, &format!("reopen {design}")).ok();
    assert!(task(&env, "design").get("outcome").is_none());
}

#[test]
fn what_the_silent_hold_is_handed_on() {
    let env = started();
    let at = |time: &str, line: &str| {
        let now = format!("2026-01-05T{time}Z");
        env.bd_with(line.split(' '), None, &[("BD_TEST_NOW", &now)])
    };
    at("10:00:00", "--agent bot workflow next bd-w --claim --ttl 5m").ok();
    let none = at("10:04:00", "--agent cat workflow next bd-w --claim --json").ok().json();
    assert!(none.get("claimed").is_none(), "{none}");
    let left = at("10:06:00", "workflow next bd-w --json").ok().json();
    assert_eq!((&left["tasks"][0]["name"], &left["tasks"][0]["expired"]), (&"design".into(), &true.into()));
    let taken = at("10:06:00", "--agent cat workflow next bd-w --claim --json").ok().json();
    assert_eq!(taken["claimed"]["holder"], "cat");
    let design = id(&env, "design");
    at("10:07:00", &format!("--agent bot close {design}")).fails(7, &["epoch"]);
}

#[test]
fn numbers_and_groups_become_dependencies() {
    let env = planned(
        "name = \"W\"\nmax_parallel = 9\n
         [[tasks]]\nname = \"c\"\nsequence = 3\n
         [[tasks]]\nname = \"b1\"\nsequence = 2\nparallel_group = \"b\"\n
         [[tasks]]\nname = \"b2\"\nsequence = 2\nparallel_group = \"b\"\n
         [[tasks]]\nname = \"a\"\nsequence = 1\n
         [[tasks]]\nname = \"free\"\n",
    );
    bd(&env, "workflow start bd-w").ok();
    assert_eq!(states(&env), ["a pending", "b1 blocked", "b2 blocked", "c blocked", "free pending"]);
    assert_eq!(task(&env, "c")["blocked_by"].as_array().unwrap().len(), 2, "as few edges as say it");
    let names = |env: &Env| -> Vec<String> {
        let next = bd(env, "workflow next bd-w --json").ok().json();
        next["tasks"].as_array().unwrap().iter().map(|task| task["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&env), ["a", "free"]);
    bd(&env, &format!("close {}", id(&env, "a"))).ok();
    assert_eq!(names(&env), ["b1", "b2", "free"]);
    // Any program that reads the ledger sees the same order.
    let ready = bd(&env, "ready --json").ok().json();
    assert_eq!(ready.as_array().unwrap().len(), 3);
}
