//! Messages say what happened, once, about things that the reader knows.

use crate::cli::plan::workflows::{bd, id, planned};
use crate::support::harness::Env;
use crate::support::project::Project;

#[test]
fn one_time_is_not_one_times() {
    let env = Env::new();
    env.given("add A --id bd-a");
    for expected in ["Released (failed 1 time): bd-a\n", "Released (failed 2 times): bd-a\n"] {
        bd(&env, "--agent bot claim a").ok();
        assert_eq!(bd(&env, "--agent bot release a --failed broken").ok().stdout, expected);
    }
}

#[test]
fn next_says_why_no_task_is_handed_out() {
    let env = planned("name = \"W\"\n[[tasks]]\nname = \"a\"\nlabels = [\"no-auto-claim\"]\n");
    bd(&env, "workflow start bd-w").ok();
    let task = id(&env, "a");
    let why = format!("{task} has the label no-auto-claim");
    let run = bd(&env, "--agent bot workflow next bd-w --claim").ok();
    assert!(run.stderr.contains(&why), "{}", run.snapshot());
    let json = bd(&env, "--agent bot workflow next bd-w --claim --json").ok().json();
    assert_eq!((&json["passed_over"], &json["claimed"]), (&why.into(), &serde_json::Value::Null));
    bd(&env, &format!("label remove {task} no-auto-claim")).ok();
    let json = bd(&env, "--agent bot workflow next bd-w --claim --json").ok().json();
    assert!(json["claimed"].is_object() && json["passed_over"].is_null(), "{json}");
}

/// The same failure by whatever command it comes.
#[test]
fn a_remote_that_cannot_be_reached_has_one_exit_code() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("remote add origin ../nowhere.git").ok();
    let commands = ["work bd-base", "claim bd-base", "update bd-base --claim", "run bd-base -- true"];
    let failures = commands.map(|line| {
        let run = env.bd(["--json", "--config", "claims.remote=true"].into_iter().chain(line.split(' ')));
        assert_eq!(run.code, 1, "{}", run.snapshot());
        let error = run.error();
        (error["code"].clone(), error["message"].clone(), error["hint"].clone())
    });
    assert!(failures.iter().all(|one| *one == failures[0]), "{failures:?}");
    assert_eq!(failures[0].0, "unreachable");
}
