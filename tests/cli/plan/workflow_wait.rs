//! Waiting for a workflow.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::cli::plan::workflows::{bd, id, ready, started};
use crate::support::harness::{BD, Env};
use crate::support::process::{Sleeper, until_waiting, woken};

#[test]
fn the_time_is_over() {
    let env = started();
    let start = Instant::now();
    let run = bd(&env, "workflow wait bd-w --timeout 200ms");
    assert_eq!(run.code, 6, "{}", run.snapshot());
    assert!(start.elapsed() >= Duration::from_millis(200));
    let end = bd(&env, "workflow wait bd-w --timeout 0s --json").json();
    assert_eq!((end["reached"].as_bool(), end["halt"].is_null()), (Some(false), true));
    bd(&env, "workflow wait nosuch").fails(3, &["nosuch"]);
    bd(&env, "workflow wait bd-w --until never").fails(2, &["never"]);
}

#[test]
fn what_counts_as_blocked() {
    let env = ready();
    let halt = |env: &Env| {
        let end = bd(env, "workflow wait bd-w --until any --timeout 0s --json").json();
        end["halt"].as_str().map(str::to_owned)
    };
    assert_eq!(halt(&env).as_deref(), Some("blocked"), "nothing is handed out yet");
    bd(&env, "workflow start bd-w").ok();
    assert_eq!(halt(&env), None);
    bd(&env, "--agent bot workflow next bd-w --claim").ok();
    assert_eq!(halt(&env), None);
    bd(&env, "workflow pause bd-w").ok();
    assert_eq!(halt(&env), None, "a task that runs goes on");
    let design = id(&env, "design");
    bd(&env, &format!("--agent bot release {design}")).ok();
    assert_eq!(halt(&env).as_deref(), Some("blocked"));
    bd(&env, "workflow resume bd-w").ok();
    bd(&env, &format!("defer {design}")).ok();
    assert_eq!(halt(&env).as_deref(), Some("blocked"));
    assert_eq!(bd(&env, "workflow wait bd-w --until blocked").ok().code, 0);
    bd(&env, "workflow abandon bd-w -r enough").ok();
    assert_eq!(bd(&env, "workflow wait bd-w").code, 5, "what was given up is not done");
    assert_eq!(bd(&env, "workflow wait bd-w --until blocked").code, 5);
}

#[test]
fn it_wakes_when_the_last_task_is_closed() {
    let env = started();
    for name in ["design", "build", "docs"] {
        bd(&env, &format!("close {}", id(&env, name))).ok();
    }
    let mut command = env.bd_command(BD);
    command.args(["workflow", "wait", "bd-w", "--timeout", "600s", "--json"]);
    let mut waiting = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let release = id(&env, "release");
    until_waiting(&mut waiting);
    bd(&env, &format!("close {release}")).ok();
    let output = woken(waiting);
    assert!(output.status.success());
    let end: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((end["reached"].as_bool(), end["halt"].as_str()), (Some(true), Some("done")));
}

#[test]
fn the_end_of_a_claim_wakes_too() {
    let env = started();
    for name in ["design", "build", "docs"] {
        bd(&env, &format!("close {}", id(&env, name))).ok();
    }
    let release = id(&env, "release");
    bd(&env, &format!("label add {release} no-auto-claim")).ok();
    // A machine that is so busy that the claim ends before anybody waits shows nothing; then there is more time.
    let waited = [1, 5, 25].iter().any(|seconds| {
        let start = Instant::now();
        let claim = format!("--agent bot claim {release} --ttl {seconds}s");
        assert!(real(&env, &claim).status().unwrap().success());
        bd(&env, "workflow pause bd-w").ok();
        let line = "workflow wait bd-w --until blocked --timeout 600s --json";
        let mut waiting = real(&env, line).stdout(Stdio::piped()).spawn().unwrap();
        Sleeper::process(waiting.id()).until_asleep();
        let has_waited = waiting.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(*seconds);
        std::thread::sleep(Duration::from_secs(*seconds).saturating_sub(start.elapsed()));
        let output = woken(waiting);
        let end: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((output.status.success(), &end["halt"]), (true, &"blocked".into()), "{end}");
        bd(&env, "workflow resume bd-w").ok();
        has_waited
    });
    assert!(waited, "each claim was over at once");
}

/// `bd` at the real time.
fn real(env: &Env, line: &str) -> Command {
    let mut command = env.bd_command(BD);
    command.args(line.split(' ')).env_remove("BD_TEST_NOW").env_remove("BD_TEST_SEED");
    command
}
