//! Many processes add checkpoints to one issue, from several checkouts.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, alone, at_once, describe};
use crate::support::effort::pick;

#[test]
fn every_number_is_given_once() {
    let _turn = alone();
    let processes = pick(20, 24, 150);
    let sandbox = Sandbox::new();
    let id = sandbox.add("One");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "ledger"]);
    let places = sandbox.checkouts(3);
    let numbers: BTreeSet<i64> = at_once(processes, |n| {
        let place = places[n % places.len()].to_str().unwrap();
        let (message, key) = (format!("step {n}"), format!("key {n}"));
        let add = || sandbox.run(&["-C", place, "checkpoint", "add", &id, "-m", &message, "--key", &key, "--json"]);
        let output = add();
        assert!(output.status.success() && output.stderr.is_empty(), "{}", describe(&output));
        let added: Value = serde_json::from_slice(&output.stdout).unwrap();
        let again: Value = serde_json::from_slice(&add().stdout).unwrap();
        assert_eq!((&again["id"], &again["added"]), (&added["id"], &false.into()));
        added["number"].as_i64().unwrap()
    })
    .into_iter()
    .collect();
    let expected: BTreeSet<i64> = (1..=processes as i64).collect();
    assert_eq!(numbers, expected);
    let all: Value =
        serde_json::from_str(&sandbox.ok(&["checkpoint", "list", &id, "--all-worktrees", "--json"])).unwrap();
    let stored: BTreeSet<i64> = all.as_array().unwrap().iter().map(|row| row["number"].as_i64().unwrap()).collect();
    assert_eq!((stored, all.as_array().unwrap().len()), (expected, processes));
    println!("checkpoints: {processes} processes in {} checkouts: each number once", places.len());
}

/// Two holders want overlapping files at the same moment: one has them.
#[test]
fn one_of_many_reserves() {
    let _turn = alone();
    let (processes, rounds) = pick((12, 2), (16, 2), (64, 20));
    let sandbox = Sandbox::new();
    for round in 0..rounds {
        let won: Vec<bool> = at_once(processes, |n| {
            let (agent, glob) = (format!("agent{n}"), format!("src{round}/{}*", "?".repeat(n % 3)));
            let output = sandbox.run(&["--agent", &agent, "reserve", &format!("other{n}"), &glob, "--json"]);
            let code = output.status.code();
            assert!(code == Some(0) || code == Some(11), "{}", describe(&output));
            code == Some(0)
        });
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {round}");
        let all: Value = serde_json::from_str(&sandbox.ok(&["reserve", "list", "--json"])).unwrap();
        assert!(all.as_array().unwrap().len() <= 2 * (round + 1), "all or nothing: {all}");
    }
}
