//! Workflows: filing and moving them, and what they say of themselves.

use serde_json::Value;
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{Env, Run};

const PLAN: &str = r#"
name = "Ship"
max_parallel = 2
[[tasks]]
name = "design"
[[tasks]]
name = "build"
depends_on = ["design"]
[[tasks]]
name = "docs"
depends_on = ["design"]
informs = ["build"]
[[tasks]]
name = "release"
depends_on = ["build", "docs"]
context_from = ["build"]
"#;

/// A workflow `bd-w` that is ready to be started.
pub fn ready() -> Env {
    planned(PLAN)
}

pub fn planned(plan: &str) -> Env {
    let env = Env::new();
    env.write("plan.toml", plan);
    bd(&env, "workflow create --id bd-w --plan plan.toml").ok();
    env
}

/// The same, and its tasks are handed out.
pub fn started() -> Env {
    let env = ready();
    bd(&env, "workflow start bd-w").ok();
    env
}

#[track_caller]
pub fn bd(env: &Env, line: &str) -> Run {
    env.bd(line.split(' '))
}

pub fn shown(env: &Env) -> Value {
    bd(env, "workflow show bd-w --json").ok().json()
}

/// A task by its name.
pub fn task(env: &Env, name: &str) -> Value {
    let all = shown(env);
    let found = all["tasks"].as_array().unwrap().iter().find(|task| task["name"] == name);
    found.unwrap_or_else(|| panic!("no task {name}: {all}")).clone()
}

pub fn id(env: &Env, name: &str) -> String {
    task(env, name)["id"].as_str().unwrap().to_owned()
}

/// Names and states, in the order of the tasks.
pub fn states(env: &Env) -> Vec<String> {
    let all = shown(env);
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    all["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| format!("{} {}", word(&task["name"]), word(&task["state"])))
        .collect()
}

/// Claims the next task and tells its name; nothing if there is none.
pub fn take(env: &Env, agent: &str, more: &str) -> Option<String> {
    let answer = bd(env, &format!("--agent {agent} workflow next bd-w --claim{more} --json")).ok().json();
    answer["claimed"]["issue"]["task"]["name"].as_str().map(str::to_owned)
}

#[test]
fn a_workflow_from_plan_to_end() {
    let env = Env::new();
    env.write("plan.toml", PLAN);
    let story = env.script(
        "workflow list
         workflow create --id bd-w --plan plan.toml
         workflow list
         workflow next bd-w
         ready
         workflow start bd-w
         workflow start bd-w
         workflow next bd-w
         --agent bot workflow next bd-w --claim
         --agent cat workflow next bd-w --claim
         workflow progress bd-w",
    );
    assert_data_eq!(
        story,
        str![[r#"
$ bd workflow list
! no workflows; create one with `bd workflow create`
$ bd workflow create --id bd-w --plan plan.toml
Created a workflow with 4 tasks: bd-w
$ bd workflow list
ready  Ship  (0 of 4 done, 1 pending, 3 blocked)  bd-w
$ bd workflow next bd-w
! bd-w is ready, and its tasks are not handed out; legal now: in_progress (bd workflow start), abandoned (bd workflow abandon)
$ bd ready
! nothing is ready; run `bd blocked` to see what waits
$ bd workflow start bd-w
ready → in_progress: bd-w
$ bd workflow start bd-w
Already in_progress: bd-w
$ bd workflow next bd-w
pending  design    bd-w2s69b4p
$ bd --agent bot workflow next bd-w --claim
Claimed for 30 minutes: bd-w2s69b4p
design
$ bd --agent cat workflow next bd-w --claim
! nothing can be started now: 0 of 4 done, 3 blocked, 1 in progress
$ bd workflow progress bd-w
in_progress  Ship  (0 of 4 done, 3 blocked, 1 in progress)  bd-w
  in progress  design   by bot                 bd-w2s69b4p
  blocked      build    waits for design       bd-yoi32a0u
  blocked      docs     waits for design       bd-yz53rhuj
  blocked      release  waits for build, docs  bd-hih9kwko
0%

"#]]
        .raw()
    );
    bd(&env, &format!("--agent bot close {} -r drawn", id(&env, "design"))).ok();
    assert_eq!(task(&env, "design")["outcome"], "drawn");
    assert_eq!((take(&env, "bot", ""), take(&env, "cat", "")), (Some("build".into()), Some("docs".into())));
    assert_eq!(take(&env, "dog", ""), None);
    assert_eq!(states(&env), ["design completed", "build in_progress", "docs in_progress", "release blocked"]);
    for (agent, name) in [("bot", "build"), ("cat", "docs")] {
        bd(&env, &format!("--agent {agent} close {} -r done", id(&env, name))).ok();
    }
    assert_eq!(take(&env, "dog", ""), Some("release".into()));
    bd(&env, &format!("--agent dog close {}", id(&env, "release"))).ok();
    let next = bd(&env, "--agent dog workflow next bd-w --claim").ok();
    assert!(next.stderr.contains("all tasks are done; run `bd workflow complete bd-w`"), "{}", next.snapshot());
    assert_eq!(shown(&env)["done"], true);
    bd(&env, "--agent dog workflow complete bd-w --merge-commit 4f2e").ok();
    let over = shown(&env);
    assert_eq!(
        (&over["state"], &over["status"], &over["percent"]),
        (&"completed".into(), &"closed".into(), &100.into())
    );
    assert_eq!(over["merge_commit"], "4f2e");
    let late = bd(&env, "workflow next bd-w --claim --json").ok().json();
    assert_eq!((&late["state"], &late["tasks"]), (&"completed".into(), &serde_json::json!([])));
}

/// Every state and every moving command: `+` moves, `=` is already there, `-` is refused and names what is legal.
#[test]
fn every_move_from_every_state() {
    let ways: [(&str, &[&str], &str); 8] = [
        ("planning", &[], "-+-----+"),
        ("ready", &["add"], "=+-----+"),
        ("in_progress", &["add", "start"], "-==+++++"),
        ("paused", &["add", "start", "pause"], "--+=---+"),
        ("awaiting_merge", &["add", "start", "close", "await"], "--+-=-++"),
        ("failed", &["add", "start", "fail"], "--+--=-+"),
        ("completed", &["add", "start", "close", "complete"], "------=-"),
        ("abandoned", &["abandon"], "-------="),
    ];
    let moves = ["state ready", "start", "resume", "pause", "await", "fail", "complete", "abandon"];
    let line = |word: &str| match word {
        "state ready" => "workflow set bd-w --state ready".to_owned(),
        "await" => "workflow complete bd-w --await-merge".to_owned(),
        "abandon" => "workflow abandon bd-w -r enough".to_owned(),
        word => format!("workflow {word} bd-w"),
    };
    std::thread::scope(|scope| {
        for (state, way, row) in ways {
            scope.spawn(move || {
                for (to, mark) in moves.into_iter().zip(row.chars()) {
                    // A planned workflow without tasks cannot be started: these are told apart below.
                    let env = if way.first() == Some(&"add") || to == "start" {
                        planned("name = \"W\"\n[[tasks]]\nname = \"a\"\n")
                    } else {
                        empty()
                    };
                    if state == "planning" && to == "start" {
                        set_state(&env, "planning");
                    }
                    for step in way.iter().filter(|step| **step != "add") {
                        let line = if *step == "close" { format!("close {}", id(&env, "a")) } else { line(step) };
                        bd(&env, &line).ok();
                    }
                    // The tasks are done, so that only the table decides.
                    if to == "complete" || to == "await" {
                        let open: Vec<String> = shown(&env)["tasks"]
                            .as_array()
                            .unwrap()
                            .iter()
                            .map(|task| task["id"].as_str().unwrap().to_owned())
                            .collect();
                        open.iter().for_each(|id| drop(bd(&env, &format!("close {id}")).ok()));
                    }
                    assert_eq!(shown(&env)["state"], state);
                    let before = env.ledger();
                    // If it is already in that state, a different reason is not a change either.
                    let again =
                        if mark == '=' && to == "abandon" { "workflow abandon bd-w -r other" } else { &line(to) };
                    let run = bd(&env, again);
                    assert!(mark == '+' || env.ledger() == before, "{state}: {to} changes nothing");
                    match mark {
                        '+' => assert!(run.ok().stdout.contains(['→', 'S']), "{state}: {to}"),
                        '=' => drop(run.ok()),
                        _ => {
                            let legal = if state == "completed" || state == "abandoned" {
                                "legal now: nothing"
                            } else {
                                "legal now: "
                            };
                            run.fails(5, &[legal]);
                        }
                    }
                }
            });
        }
    });
}

/// A workflow without tasks.
fn empty() -> Env {
    let env = Env::new();
    bd(&env, "workflow create Empty --id bd-w").ok();
    env
}

/// Writes a state into the line, as another program would.
pub fn set_state(env: &Env, state: &str) {
    let text = env.ledger_text();
    let at = text.find("\"state\":\"").unwrap() + 9;
    let end = at + text[at..].find('"').unwrap();
    env.put_ledger([&text[..at], state, &text[end..]].concat());
}

#[test]
fn a_plan_that_its_numbers_turn_around_is_refused() {
    let env = Env::new();
    env.write("plan.toml", "name = \"W\"\n[[tasks]]\nname = \"a\"\nsequence = 1\ndepends_on = [\"b\"]\n[[tasks]]\nname = \"b\"\nsequence = 2\n");
    bd(&env, "workflow create --plan plan.toml").fails(2, &["circle", "a", "b"]);
    assert_eq!(env.ledger_text(), "");
}

#[test]
fn the_end_of_a_workflow_and_its_tasks() {
    let env = started();
    bd(&env, "workflow complete bd-w --await-merge")
        .fails(5, &["design, build, docs, release are not done", "--skip-open"]);
    take(&env, "bot", "").unwrap();
    bd(&env, "workflow complete bd-w --skip-open").fails(5, &["somebody works on design", "bd leases"]);
    bd(&env, &format!("--agent bot close {}", id(&env, "design"))).ok();
    let done = bd(&env, "workflow complete bd-w --await-merge --skip-open --json").ok().json();
    assert_eq!(done["skipped"], serde_json::json!(["build", "docs", "release"]));
    assert_eq!((&done["state"], &done["status"]), (&"awaiting_merge".into(), &"in_progress".into()));
    assert_eq!(states(&env), ["design completed", "build skipped", "docs skipped", "release skipped"]);
    bd(&env, "workflow complete bd-w -r merged --merge-commit 4f2e").ok();
    let issue = bd(&env, "show bd-w --json").ok().json()[0].clone();
    assert_eq!(issue["close_reason"], "completed: merged");

    let env = started();
    take(&env, "bot", "").unwrap();
    let over = bd(&env, "workflow abandon bd-w -r enough --json").ok().json();
    assert_eq!(over["running"], serde_json::json!(["design"]));
    assert_eq!(over["skipped"], serde_json::json!(["build", "docs", "release"]));
    bd(&env, &format!("--agent bot close {} -r drawn", id(&env, "design"))).ok();
    assert_eq!(states(&env)[0], "design completed", "who works on one may finish it");
    bd(&env, "workflow abandon bd-w").fails(2, &["--reason"]);
}

#[test]
fn what_can_be_set_and_what_not() {
    let env = ready();
    bd(&env, "workflow set bd-w").fails(2, &["nothing to set"]);
    bd(&env, "workflow set bd-w --set novalue").fails(2, &["KEY=VALUE"]);
    bd(&env, "workflow set bd-w --max-parallel 0").fails(2, &["1"]);
    bd(&env, "workflow set bd-w --state dancing").fails(2, &["planning ready"]);
    bd(&env, "workflow set bd-w --state completed --title No").fails(5, &["legal now"]);
    bd(&env, "workflow set bd-w --title Other --max-parallel 5 --auto-workspace true --plan-summary Short --set model=big --set n=1").ok();
    let now = shown(&env);
    assert_eq!(
        (&now["title"], &now["max_parallel"], &now["auto_workspace"]),
        (&"Other".into(), &5.into(), &true.into())
    );
    assert_eq!(
        (&now["plan_summary"], &now["config"]),
        (&"Short".into(), &serde_json::json!({"model": "big", "n": "1"}))
    );
    bd(&env, "workflow set bd-w --set model= --plan-summary=").ok();
    let now = shown(&env);
    assert_eq!(now["config"], serde_json::json!({"n": "1"}));
    assert!(now.get("plan_summary").is_none());
    bd(&env, "workflow set bd-w --state in_progress").ok();
    assert_eq!(shown(&env)["state"], "in_progress");
}

#[test]
fn a_workflow_by_its_names() {
    let env = ready();
    let wf = shown(&env)["workflow_id"].as_str().unwrap().to_owned();
    assert!(wf.starts_with("wf_") && wf.len() == 15, "{wf}");
    for name in ["bd-w", "w", &wf] {
        assert_eq!(bd(&env, &format!("workflow show {name} --json")).ok().json()["id"], "bd-w", "{name}");
    }
    bd(&env, "add Plain --id bd-plain").ok();
    bd(&env, "workflow show bd-plain").fails(5, &["is not a workflow", "bd workflow list"]);
    bd(&env, "workflow start nosuch").fails(3, &["nosuch"]);
    bd(&env, "workflow show wf_000000000000").fails(3, &["wf_000000000000"]);
    bd(&env, "workflow create").fails(2, &["a workflow needs a name"]);
    bd(&env, "workflow create Again --id bd-w").fails(5, &["bd-w exists already"]);
    bd(&env, "workflow create X --plan nosuch.toml").fails(1, &["nosuch.toml"]);
    bd(&env, "workflow create X --plan plan.toml --max-parallel 0").fails(2, &["1"]);
}

#[test]
fn what_this_version_does_not_know_stays() {
    let env = ready();
    let text = env.ledger_text().replace("\"max_parallel\":2", "\"later\":{\"a\":1.50},\"max_parallel\":2");
    env.put_ledger(text.replace("\"name\":\"design\"", "\"name\":\"design\",\"later\":[1.50]"));
    bd(&env, "workflow start bd-w").ok();
    bd(&env, "workflow set bd-w --set k=v").ok();
    take(&env, "bot", "").unwrap();
    bd(&env, &format!("--agent bot close {} -r done", id(&env, "design"))).ok();
    let text = env.ledger_text();
    assert!(text.contains("\"later\":{\"a\":1.50}") && text.contains("\"later\":[1.50]"), "{text}");
}
