//! New plans while agents claim: a task that someone holds is never removed, and of many who lock a plan one succeeds.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, alone, at_once, describe};
use crate::support::effort::pick;
use crate::support::wait::until;

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
    let rounds = pick(2, 4, 40);
    let (mut given, mut refused) = (0, 0);
    for round in 0..rounds {
        let sandbox = flow();
        // So many are served before the first new plan; after that it is a race.
        let (served, first) = (AtomicUsize::new(0), 1 + round % 4);
        let ids: Vec<String> = tasks(&sandbox).iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect();
        let outputs = at_once(TASKS + 4, |n| match n.checked_sub(TASKS) {
            None => {
                let mut claim = sandbox.bd(&["claim", &ids[n], "--json"]);
                let output = claim.env("BD_AGENT", format!("agent-{n}")).output().unwrap();
                served.fetch_add(1, Ordering::SeqCst);
                output
            }
            Some(n) => {
                until("the first claims", || served.load(Ordering::SeqCst) >= first);
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
        // Refused because the task was removed: exit 3 or 5, never a half claim.
        for output in outputs[..TASKS].iter().filter(|output| !output.status.success()) {
            assert!(matches!(output.status.code(), Some(3 | 5)), "{}", describe(output));
            refused += 1;
        }
        let names: std::collections::BTreeSet<&str> = now.iter().map(|task| task["name"].as_str().unwrap()).collect();
        assert_eq!(names.len(), now.len(), "no name twice: {now:?}");
    }
    assert!(given >= rounds, "{given} claims succeeded in {rounds} rounds");
    println!("replans: {rounds} rounds, {given} claims stayed, {refused} were refused because the plan had changed");
}

#[test]
fn one_locks() {
    let _turn = alone();
    let processes = pick(12, 16, 64);
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
