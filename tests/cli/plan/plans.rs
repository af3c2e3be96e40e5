//! Plan files: both formats, and every problem at once.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::plan::workflows::bd;
use crate::support::harness::Env;

const BROKEN: &str = r#"max_paralel = 3
[[tasks]]
name = "build"
depends_on = ["build", "biuld"]
[[tasks]]
name = "test"
depends_on = ["ship"]
[[tasks]]
name = "ship"
depends_on = ["test"]
[[tasks]]
name = "test"
priority = 7
"#;

#[test]
fn everything_that_is_wrong_is_said_at_once_and_nothing_is_written() {
    let env = Env::new();
    env.write("plan.toml", BROKEN);
    let before = env.ledger();
    assert_data_eq!(
        env.script("workflow create X --plan plan.toml"),
        str![[r#"
$ bd workflow create X --plan plan.toml
! error: $ROOT/web/plan.toml: 6 problems:
!   line 1: unknown key "max_paralel"; did you mean "max_parallel"?
!   line 3: task "build": depends_on names the task itself
!   line 3: task "build": depends_on names "biuld", which is not a task of this plan; did you mean "build"?
!   line 9: a circle of dependencies: ship → test → ship
!   line 12: task "test": a second task of this name; the first is in line 6
!   line 13: task "test": priority must be 0 to 4, or P0 to P4, not 7
! hint: nothing was written; fix the plan and try again
[exit 2]

"#]]
        .raw()
    );
    assert_eq!(env.ledger(), before);
    let error = bd(&env, "workflow create X --plan plan.toml --json").error();
    assert_eq!(error["code"], "usage");
    assert_eq!(error["problems"].as_array().unwrap().len(), 6);
}

#[test]
fn json_and_standard_input() {
    let env = Env::new();
    let json =
        r#"{"name": "From JSON", "max_parallel": 3, "tasks": [{"name": "a"}, {"name": "b", "depends_on": ["a"]}]}"#;
    env.write("plan.json", json);
    env.write("plan", json);
    for (n, file) in ["plan.json", "plan"].into_iter().enumerate() {
        bd(&env, &format!("workflow create --id bd-w{n} --plan {file}")).ok();
    }
    env.bd_with(["workflow", "create", "--id", "bd-w2", "--plan", "-"], Some(json), &[]).ok();
    for n in 0..3 {
        let shown = bd(&env, &format!("workflow show bd-w{n} --json")).ok().json();
        assert_eq!((shown["title"].as_str(), shown["max_parallel"].as_i64()), (Some("From JSON"), Some(3)), "{n}");
        assert_eq!(shown["tasks"][1]["blocked_by"][0], "a");
    }
    env.write("bad.json", "{\n \"tasks\": [\n  {\"name\": \"a\",}\n ]\n}");
    bd(&env, "workflow create X --plan bad.json").fails(2, &["bad.json: line 3: unexpected character"]);
}

#[test]
fn files_that_are_no_plans() {
    let env = Env::new();
    env.write("empty.toml", "");
    env.write("bytes.toml", b"name = \"\xff\"");
    env.write("big.toml", vec![b'#'; (4 << 20) + 1]);
    for (file, code, said) in [
        ("empty.toml", 2, "a plan needs at least one task"),
        ("bytes.toml", 2, "is not UTF-8"),
        ("big.toml", 2, "longer than 4194304 bytes"),
        ("nosuch.toml", 1, "cannot read"),
        (".", 1, "cannot read"),
    ] {
        bd(&env, &format!("workflow create X --plan {file}")).fails(code, &[said]);
    }
    assert!(env.ledger().is_empty());
}

#[test]
fn control_characters_of_a_plan_do_not_reach_the_terminal() {
    let env = Env::new();
    env.write("plan.toml", "[[tasks]]\nname = \"a\"\n\"k\\u001b[31m\\u202e\" = 1\n");
    let run = bd(&env, "workflow create X --plan plan.toml").fails(2, &["unknown key"]);
    assert!(!run.stderr.contains(['\u{1b}', '\u{202e}']), "{}", run.stderr);
}

#[test]
fn large_steps_are_refused_before_they_fill_the_ledger() {
    let env = crate::support::harness::Env::new();
    let plan = |between: bool| -> String {
        let tasks =
            (0..400).map(|n| format!("[[tasks]]\nname = \"t{n}\"\nsequence = {}\n", if n % 2 == 0 { 0 } else { 2 }));
        let gate = between.then(|| "[[tasks]]\nname = \"gate\"\nsequence = 1\n".to_owned());
        tasks.chain(gate).collect()
    };
    env.write("wide.toml", plan(false));
    let run = crate::cli::plan::workflows::bd(&env, "workflow create Wide --id bd-w --plan wide.toml");
    run.fails(2, &["make 40000 edges; 10000 are the most", "between two large steps"]);
    assert_eq!(env.ledger_text(), "");
    env.write("gated.toml", plan(true));
    crate::cli::plan::workflows::bd(&env, "workflow create Wide --id bd-w --plan gated.toml").ok();
    assert_eq!(env.ledger_text().matches("\"type\":\"blocks\"").count(), 400);
    crate::cli::plan::workflows::bd(&env, "workflow replan bd-w wide.toml").fails(2, &["40000 edges"]);
}
