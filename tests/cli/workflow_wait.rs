//! Waiting for a workflow.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::harness::BD;
use crate::workflows::{bd, id, ready, started};

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
    let halt = |env: &crate::harness::Env| {
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
    command.args(["workflow", "wait", "bd-w", "--timeout", "60s", "--json"]);
    let mut waiting = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    assert!(waiting.try_wait().unwrap().is_none(), "it waits");
    bd(&env, &format!("close {}", id(&env, "release"))).ok();
    let start = Instant::now();
    let output = waiting.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
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
    bd(&env, &format!("--agent bot claim {release} --ttl 700ms")).ok();
    bd(&env, "workflow pause bd-w").ok();
    let start = Instant::now();
    let end = bd(&env, "workflow wait bd-w --until blocked --timeout 30s --json").ok().json();
    assert_eq!(end["halt"], "blocked");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}
