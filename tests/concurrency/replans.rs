//! New plans while agents claim: a task that somebody was given is never taken away, and of many who lock a plan one does.

use serde_json::Value;

use crate::sandbox::{Sandbox, alone, at_once, describe, full};

const TASKS: usize = 12;

fn plan(tasks: impl Iterator<Item = usize>) -> String {
    tasks.map(|n| format!("[[tasks]]\nname = \"t{n}\"\n")).collect()
}

/// A workflow `bd-w` of many tasks that all may run.
fn flow() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.repo().join("all.toml"), plan(0..TASKS)).unwrap();
    for (n, name) in ["even", "odd"].into_iter().enumerate() {
        std::fs::write(sandbox.repo().join(format!("{name}.toml")), plan((0..TASKS).filter(|t| t % 2 == n))).unwrap();
    }
    for line in ["workflow create W --id bd-w --plan all.toml --max-parallel 100", "workflow start bd-w"] {
        let words: Vec<&str> = line.split(' ').collect();
        let output = sandbox.bd(&words).output().unwrap();
        assert!(output.status.success(), "{}", describe(&output));
    }
    sandbox
}

fn tasks(sandbox: &Sandbox) -> Vec<Value> {
    let output = sandbox.bd(&["workflow", "show", "bd-w", "--json"]).output().unwrap();
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", describe(&output)));
    shown["tasks"].as_array().unwrap().clone()
}

#[test]
fn what_was_claimed_stays() {
    let _turn = alone();
    let rounds = if full() { 40 } else { 4 };
    let mut given = 0;
    for _ in 0..rounds {
        let sandbox = flow();
        let ids: Vec<String> = tasks(&sandbox).iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect();
        let outputs = at_once(TASKS + 4, |n| match n.checked_sub(TASKS) {
            None => sandbox.bd(&["claim", &ids[n], "--json"]).env("BD_AGENT", format!("agent-{n}")).output().unwrap(),
            Some(n) => {
                let file = ["even.toml", "odd.toml"][n % 2];
                sandbox.bd(&["workflow", "replan", "bd-w", file]).output().unwrap()
            }
        });
        for output in &outputs[TASKS..] {
            assert!(output.status.success(), "{}", describe(output));
        }
        let now = tasks(&sandbox);
        for n in (0..TASKS).filter(|n| outputs[*n].status.success()) {
            given += 1;
            let task = now.iter().find(|task| task["id"] == ids[n]);
            let task = task.unwrap_or_else(|| panic!("agent-{n} was given {} and it is gone: {now:?}", ids[n]));
            assert_eq!(task["holder"], format!("agent-{n}"));
            assert_eq!(task["status"], "in_progress");
        }
        // Who was refused was told so because the task was gone: exit 3 or 5, never a half claim.
        for output in outputs[..TASKS].iter().filter(|output| !output.status.success()) {
            assert!(matches!(output.status.code(), Some(3 | 5)), "{}", describe(output));
        }
        let names: std::collections::BTreeSet<&str> = now.iter().map(|task| task["name"].as_str().unwrap()).collect();
        assert_eq!(names.len(), now.len(), "no name twice: {now:?}");
    }
    assert!(given > 0, "nobody was given anything: nothing was shown");
}

#[test]
fn one_locks() {
    let _turn = alone();
    let processes = if full() { 64 } else { 16 };
    let sandbox = flow();
    let outputs = at_once(processes, |n| {
        sandbox.bd(&["workflow", "lock", "bd-w", "--json"]).env("BD_AGENT", format!("agent-{n}")).output().unwrap()
    });
    let winners: Vec<usize> = (0..processes).filter(|n| outputs[*n].status.success()).collect();
    assert_eq!(winners.len(), 1);
    for loser in outputs.iter().filter(|output| !output.status.success()) {
        assert_eq!(loser.status.code(), Some(4), "{}", describe(loser));
        let error: Value = serde_json::from_slice(&loser.stderr).unwrap();
        assert_eq!(error["error"]["holder"], format!("agent-{}", winners[0]));
    }
}
