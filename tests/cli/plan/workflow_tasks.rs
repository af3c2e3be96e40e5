//! Tasks of workflows: who gets which, when, and what becomes of them.

use std::path::PathBuf;

use crate::cli::plan::workflows::{bd, id, planned, ready, shown, started, states, take, task};
use crate::support::checkouts::Family;
use crate::support::harness::Env;

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
            // It was skipped; someone reopens it.
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
    // Claiming the same task again is not one more, and a takeover only changes the holder.
    bd(&env, &format!("--agent bot claim {}", id(&env, "a"))).ok();
    bd(&env, &format!("--agent dog claim {} --takeover --reason lost", id(&env, "a"))).ok();
    bd(&env, "workflow set bd-w --max-parallel 3").ok();
    assert!(take(&env, "eve", "").is_some());
    assert_eq!(shown(&env)["free"], 0);
}

/// Writing the status claims the task: the same rules apply.
#[test]
fn a_task_is_not_taken_by_its_status() {
    let env = planned(
        "name = \"W\"\n[[tasks]]\nname = \"a\"\n[[tasks]]\nname = \"b\"\n[[tasks]]\nname = \"d\"\ndepends_on = [\"a\"]\n",
    );
    let (a, b, d) = (id(&env, "a"), id(&env, "b"), id(&env, "d"));
    let before = env.ledger();
    for who in ["", "--agent bot "] {
        bd(&env, &format!("{who}update {a} --status in_progress")).fails(5, &["is ready", "bd workflow start"]);
        bd(&env, &format!("{who}status {a} in_progress")).fails(5, &["is ready"]);
    }
    assert_eq!(env.ledger(), before);
    bd(&env, "workflow start bd-w").ok();
    bd(&env, &format!("--agent bot update {d} --status in_progress")).fails(5, &["it waits for"]);
    let both = bd(&env, &format!("update {a} {b} --status in_progress"));
    both.fails(6, &["1 of at most 1 tasks"]);
    assert_eq!(states(&env), ["a in_progress", "b pending", "d blocked"]);
    bd(&env, &format!("update {a} --status open")).ok();
    bd(&env, &format!("--agent bot claim {a}")).ok();
    bd(&env, &format!("--agent cat update {b} --status in_progress --assignee cat")).fails(6, &["run already"]);
    let text = env.ledger_text();
    let line = text.lines().find(|line| line.starts_with(&format!("{{\"id\":\"{b}\""))).unwrap();
    let line = line
        .replace("\"status\":\"open\"", "\"status\":\"in_progress\"")
        .replace("\"updated_at\":\"2026", "\"updated_at\":\"2036");
    env.write("newer.jsonl", format!("{line}\n"));
    bd(&env, "import newer.jsonl").fails(6, &["run already"]);
    // The holder may say what it likes of its own.
    bd(&env, &format!("--agent bot update {a} --status open")).ok();
    bd(&env, &format!("--agent bot claim {a}")).ok();
    bd(&env, &format!("--agent bot update {a} --status in_progress --priority 0")).ok();
}

/// An edge cannot bypass the plan.
#[test]
fn a_task_leaves_and_joins_a_plan_with_the_plan() {
    let env = started();
    let design = id(&env, "design");
    let before = env.ledger();
    for line in [format!("update {design} --parent="), format!("dep remove {design} bd-w")] {
        bd(&env, &format!("--agent bot {line}")).fails(5, &["is a task of the plan of bd-w", "remove-task"]);
    }
    assert_eq!(env.ledger(), before);
    bd(&env, "--agent boss workflow lock bd-w").ok();
    bd(&env, &format!("--agent boss update {design} --parent=")).ok();
    bd(&env, "--agent boss workflow unlock bd-w").ok();
    bd(&env, &format!("--agent bot update {design} --parent bd-w")).fails(5, &["is a task of the plan of bd-w"]);
    // A name is unique, whoever moves the task.
    bd(&env, "workflow add-task bd-w design").ok();
    bd(&env, &format!("update {design} --parent bd-w")).fails(5, &["bd-w has a task \"design\" already"]);
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

/// A workflow of three tasks that runs, and a second checkout that knows it.
fn family(tasks: &[&str]) -> Option<(Family, PathBuf, Vec<String>)> {
    let family = Family::new()?;
    let web = family.web();
    let plan: String = tasks.iter().map(|name| format!("[[tasks]]\nname = \"{name}\"\n")).collect();
    std::fs::write(web.join("plan.toml"), format!("name = \"W\"\n{plan}")).unwrap();
    let made = family.bd(&web, "workflow create --id bd-w --plan plan.toml --json").ok().json();
    let ids = made["tasks"].as_array().unwrap().iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect();
    family.bd(&web, "workflow start bd-w").ok();
    family.commit(&web);
    let other = family.worktree("other");
    Some((family, other, ids))
}

#[test]
fn tasks_of_other_checkouts_count() {
    let Some((family, other, ids)) = family(&["a", "b"]) else { return };
    let web = family.web();
    family.bd(&other, "workflow add-task bd-w e").ok();
    let made = family.bd(&other, "workflow show bd-w --json").ok().json();
    let e = made["tasks"].as_array().unwrap().iter().find(|task| task["name"] == "e").unwrap()["id"].clone();
    family.bd(&other, &format!("--agent bot claim {}", e.as_str().unwrap())).ok();
    let full = family.bd(&web, &format!("--agent cat claim {}", ids[0]));
    full.fails(6, &["1 of at most 1 tasks of its workflow bd-w run already"]);
    assert_eq!(family.bd(&web, "--agent cat ready --json").ok().ids(), ["bd-base"]);
    assert_eq!(family.bd(&web, "workflow show bd-w --json").ok().json()["free"], 0);
    family.bd(&web, &format!("update {} --status in_progress", ids[0])).fails(6, &["run already"]);
    family.bd(&other, &format!("--agent bot close {}", e.as_str().unwrap())).ok();
    family.bd(&web, &format!("--agent cat claim {}", ids[0])).ok();
}

#[test]
fn a_halt_in_one_checkout_holds_in_all() {
    let Some((family, other, ids)) = family(&["a", "b"]) else { return };
    let web = family.web();
    family.bd(&web, "workflow pause bd-w -r broken").ok();
    let said = "its workflow bd-w is paused in the checkout main, which is not merged here";
    family.bd(&other, &format!("--agent bot claim {}", ids[0])).fails(5, &[said]);
    family.bd(&other, "--agent bot workflow next bd-w --claim").fails(5, &[said]);
    assert_eq!(family.bd(&other, "workflow next bd-w --json").ok().json()["tasks"].as_array().unwrap().len(), 0);
    // Whatever else is changed here since.
    family.bd(&other, "workflow set bd-w --max-parallel 9").ok();
    family.bd(&other, &format!("--agent bot claim {}", ids[0])).fails(5, &[said]);
    family.bd(&web, "workflow resume bd-w").ok();
    // Of two limits the lower one counts where it is the later word.
    family.bd(&web, "workflow set bd-w --max-parallel 1").ok();
    family.bd(&other, &format!("--agent bot claim {}", ids[0])).ok();
    family.bd(&other, &format!("--agent cat claim {}", ids[1])).fails(6, &["1 of at most 1"]);
}

#[test]
fn what_another_checkout_has_done_is_not_skipped() {
    let Some((family, other, ids)) = family(&["a", "b"]) else { return };
    let web = family.web();
    family.bd(&other, &format!("close {} -r elsewhere", ids[0])).ok();
    family.commit(&other);
    let moved = family.bd(&web, "workflow complete bd-w --skip-open --json").ok().json();
    assert_eq!(moved["skipped"], serde_json::json!(["b"]), "{moved}");
    let text = std::fs::read_to_string(web.join(".beads/beads.jsonl")).unwrap();
    let line = text.lines().find(|line| line.starts_with(&format!("{{\"id\":\"{}\"", ids[0]))).unwrap();
    assert!(line.contains("\"status\":\"open\"") && !line.contains("skipped"), "{line}");
}
