//! The lock of a workflow: one plans, the others work.

use crate::cli::plan::workflows::{bd, id, started, task};
use crate::support::harness::{Env, Run};

const LOCKED: &[&str] = &["bd-w is locked by boss"];

/// A workflow that runs and that the coordinator `boss` has locked; `bot` has claimed `design`.
fn locked() -> Env {
    let env = started();
    bd(&env, "agent register boss --role coordinator").ok();
    bd(&env, &format!("--agent bot claim {}", id(&env, "design"))).ok();
    bd(&env, "--agent boss workflow lock bd-w").ok();
    env
}

#[track_caller]
fn refused(env: &Env, line: &str) -> Run {
    let before = env.ledger();
    let run = bd(env, line).fails(4, LOCKED);
    assert_eq!(env.ledger(), before, "{line}");
    run
}

#[test]
fn nobody_else_changes_the_workflow_or_its_plan() {
    let env = locked();
    let (docs, build) = (id(&env, "docs"), id(&env, "build"));
    env.write("new.toml", "[[tasks]]\nname = \"x\"\n");
    env.write("more.jsonl", "{\"id\":\"bd-new\",\"title\":\"New\",\"status\":\"open\",\"dependencies\":[{\"issue_id\":\"bd-new\",\"depends_on_id\":\"bd-w\",\"type\":\"parent-child\"}]}\n");
    let lines = [
        "workflow set bd-w --max-parallel 9".to_owned(),
        "workflow pause bd-w".into(),
        "workflow fail bd-w".into(),
        "workflow abandon bd-w -r no".into(),
        "workflow add-task bd-w more".into(),
        "workflow remove-task bd-w docs".into(),
        "workflow replan bd-w new.toml".into(),
        "workflow lock bd-w".into(),
        "workflow unlock bd-w".into(),
        "update bd-w --title Other".into(),
        "close bd-w --force".into(),
        "delete bd-w --yes".into(),
        format!("update {docs} --priority 0"),
        format!("close {docs}"),
        format!("delete {docs} --yes"),
        format!("label add {docs} x"),
        format!("note {docs} words"),
        format!("dep add {docs} {build}"),
        format!("dep remove {docs} {}", id(&env, "design")),
        "add Child --parent bd-w".into(),
        format!("defer {docs}"),
        format!("status {docs} blocked"),
        "import more.jsonl".into(),
    ];
    // A worker, a person, and another coordinator.
    bd(&env, "agent register chief --role coordinator").ok();
    for who in ["--agent cat ", "", "--agent chief "] {
        for line in &lines {
            refused(&env, &format!("{who}{line}"));
        }
    }
    bd(&env, "add Free --id bd-free").ok();
    refused(&env, &format!("assign {docs} boss"));
    refused(&env, "update bd-free --parent bd-w");
    let error = bd(&env, "workflow pause bd-w --json").error();
    assert_eq!((error["code"].as_str(), error["holder"].as_str()), (Some("locked"), Some("boss")));
    assert!(error["expires"].is_string() && error["epoch"] == 1, "{error}");
    // Its holder may do all of it.
    bd(&env, "--agent boss workflow add-task bd-w more").ok();
    bd(&env, "--agent boss workflow set bd-w --max-parallel 9").ok();
    bd(&env, &format!("--agent boss update {docs} --priority 0")).ok();
}

#[test]
fn work_goes_on() {
    let env = locked();
    let design = id(&env, "design");
    bd(&env, "workflow show bd-w").ok();
    bd(&env, "comment bd-w words").ok();
    bd(&env, &format!("--agent cat comment {} words", id(&env, "docs"))).ok();
    bd(&env, &format!("--agent bot note {design} words")).ok();
    bd(&env, &format!("--agent bot checkpoint add {design} -m half")).ok();
    bd(&env, &format!("--agent bot release {design} --failed boom")).ok();
    bd(&env, &format!("--agent bot claim {design}")).ok();
    bd(&env, "add Free --id bd-free").ok();
    bd(&env, &format!("--agent bot dep add {design} bd-free --type related")).ok();
    refused(&env, &format!("--agent bot dep add {design} bd-free"));
    // Its type and existence belong to the plan.
    refused(&env, &format!("--agent bot delete {design} --yes"));
    refused(&env, &format!("--agent bot update {design} --title Other"));
    bd(&env, &format!("--agent bot close {design} -r drawn")).ok();
    bd(&env, "--agent cat workflow next bd-w --claim").ok();
    assert_eq!(task(&env, "build")["holder"], "cat");
    // A finished task is not reopened by others.
    refused(&env, &format!("reopen {design}"));
}

#[test]
fn a_lock_ends() {
    let env = locked();
    bd(&env, "--agent boss workflow lock bd-w --ttl 1ms").ok();
    // The next command runs a second later. A dead holder blocks no one, and the former holder must learn that the lock
    // has ended.
    bd(&env, "workflow set bd-w --max-parallel 5").ok();
    let over = bd(&env, "--agent boss workflow pause bd-w");
    over.fails(7, &["the lock of boss on bd-w (number 1) is over", "run `bd workflow lock` to take it again"]);
    let taken = bd(&env, "--agent cat workflow lock bd-w --json").ok().json();
    assert_eq!((taken["epoch"].as_i64(), taken["taken_from"].as_str()), (Some(2), Some("boss")));
    bd(&env, "--agent boss workflow pause bd-w").fails(7, &["cat holds it, epoch 2"]);
    bd(&env, "--agent boss mail inbox").ok();
    assert!(bd(&env, "--agent boss mail inbox").ok().stdout.contains("your lock on bd-w is over"));
    bd(&env, "--agent boss workflow unlock bd-w").ok();
    bd(&env, "--agent boss workflow pause bd-w").fails(4, &["locked by cat"]);
    bd(&env, "--agent cat workflow unlock bd-w").ok();
    bd(&env, "--agent boss workflow pause bd-w").ok();
    assert!(bd(&env, "workflow unlock bd-w").ok().stdout.contains("Not locked"));
}

#[test]
fn by_force_and_for_a_reason() {
    let env = locked();
    bd(&env, "workflow unlock bd-w --force").fails(2, &["--reason"]);
    bd(&env, "--agent cat workflow unlock bd-w --force --reason impatient").fails(5, &["coordinator"]);
    bd(&env, "--agent cat workflow lock bd-w --takeover --reason impatient").fails(5, &["coordinator"]);
    bd(&env, "workflow unlock bd-w --force --reason gone").ok();
    bd(&env, "workflow pause bd-w").ok();
    bd(&env, "--agent boss workflow resume bd-w").fails(7, &["is over"]);
    // A person's lock has no end, and goes with the workflow.
    bd(&env, "workflow lock bd-w").ok();
    assert!(bd(&env, "workflow show bd-w --json").ok().json()["lock"]["expires"].is_null());
    bd(&env, "workflow abandon bd-w -r enough").ok();
    assert!(bd(&env, "workflow show bd-w --json").ok().json()["lock"].is_null());
    bd(&env, "workflow lock bd-w").fails(5, &["is abandoned and cannot be locked"]);
}

#[test]
fn a_lock_is_no_claim() {
    let env = locked();
    let line = |env: &Env| env.ledger_text().lines().find(|line| line.contains("\"id\":\"bd-w\"")).unwrap().to_owned();
    assert!(!line(&env).contains("assignee"), "{}", line(&env));
    let held = bd(&env, "leases --json").ok().ids();
    assert_eq!(held, [id(&env, "design")]);
    bd(&env, "reclaim").ok();
    bd(&env, "--agent boss checkpoint add bd-w -m planning").ok();
    assert!(bd(&env, "--agent boss workflow lock bd-w --json").ok().json()["again"].as_bool().unwrap());
    bd(&env, "agent unregister boss").ok();
    bd(&env, "workflow pause bd-w").ok();
}

#[test]
fn several_at_once_where_one_is_locked() {
    let env = locked();
    bd(&env, "add Free --id bd-free").ok();
    let docs = id(&env, "docs");
    bd(&env, &format!("close {docs} bd-free")).fails(4, LOCKED);
    assert_eq!(bd(&env, "show bd-free --json").ok().json()[0]["status"], "closed");
    assert_eq!(task(&env, "docs")["status"], "open");
}

#[test]
fn an_import_under_a_lock_says_what_it_did() {
    let env = locked();
    bd(&env, "add Free --id bd-free").ok();
    let newer = |line: &str| {
        let mut issue: serde_json::Value = serde_json::from_str(line).unwrap();
        issue["title"] = "newer".into();
        issue["updated_at"] = "2999-01-01T00:00:00Z".into();
        format!("{issue}\n")
    };
    let (free, rest): (Vec<String>, Vec<String>) =
        env.ledger_text().lines().map(newer).partition(|line| line.contains("bd-free"));
    let workflow: String = rest.into_iter().filter(|line| !line.contains("\"name\":\"design\"")).collect();
    env.write("locked.jsonl", &workflow);
    env.write("both.jsonl", workflow + &free.concat());
    let run = refused(&env, "import locked.jsonl");
    assert_eq!(run.stdout, "", "nothing was imported, and nothing else is said");
    let run = bd(&env, "import both.jsonl").fails(4, LOCKED);
    assert!(run.stdout.contains("0 created, 1 updated, 0 unchanged, 0 deleted, 4 refused"), "{}", run.stdout);
    assert_eq!(bd(&env, "show bd-free --json").ok().json()[0]["title"], "newer");
}

#[test]
fn what_was_written_before_is_not_undone_under_a_lock() {
    let env = started();
    bd(&env, "workflow set bd-w --max-parallel 7").ok();
    bd(&env, "agent register boss --role coordinator").ok();
    bd(&env, "--agent boss workflow lock bd-w").ok();
    refused(&env, "undo --yes");
    bd(&env, "--agent boss workflow unlock bd-w").ok();
}
