//! Of many that claim one issue at the same moment, one wins and the others are refused.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Output;
use std::time::Instant;

use serde_json::Value;

use crate::concurrency::sandbox::{Issues, Sandbox, alone, at_once, describe};
use crate::support::effort::pick;

const ALREADY_CLAIMED: i32 = 4;

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("{}", describe(output)))
}

/// Persons, in one checkout, with the old command.
#[test]
fn one_person_wins() {
    let _turn = alone();
    let (processes, rounds) = pick((16, 6), (24, 6), (64, 200));
    let sandbox = Sandbox::new();
    let start = Instant::now();
    for round in 0..rounds {
        let id = sandbox.add(&format!("Round {round}"));
        let codes = at_once(processes, |n| {
            code(&sandbox.bd(&["work", &id]).env("BD_ACTOR", format!("agent-{n}")).output().unwrap())
        });
        let winners: Vec<usize> = (0..processes).filter(|n| codes[*n] == 0).collect();
        let refused = codes.iter().filter(|code| **code == ALREADY_CLAIMED).count();
        assert_eq!((winners.len(), refused), (1, processes - 1), "round {round}: exit codes {codes:?}");
        let issues = sandbox.issues();
        let issue = issues.get(&id);
        assert_eq!(issue["assignee"], format!("agent-{}", winners[0]), "the winner was told so and does not have it");
        assert_eq!(issue["status"], "in_progress");
    }
    tell("persons", processes, rounds, start);
}

/// Agents, in one checkout and then from eight.
#[test]
fn one_agent_wins() {
    let _turn = alone();
    let (processes, rounds) = pick((16, 4), (24, 5), (64, 200));
    for count in [1, 8] {
        let sandbox = Sandbox::new();
        let ids: Vec<String> = (0..rounds).map(|round| sandbox.add(&format!("Round {round}"))).collect();
        let checkouts = sandbox.checkouts(count);
        let start = Instant::now();
        for (round, id) in ids.iter().enumerate() {
            let outputs = at_once(processes, |n| {
                let mut bd = sandbox.bd(&["claim", id, "--json"]);
                bd.current_dir(&checkouts[n % count]).env("BD_AGENT", format!("agent-{n}")).output().unwrap()
            });
            let winners: Vec<usize> = (0..processes).filter(|n| code(&outputs[*n]) == 0).collect();
            let codes: Vec<i32> = outputs.iter().map(code).collect();
            let refused = codes.iter().filter(|code| **code == ALREADY_CLAIMED).count();
            assert_eq!((winners.len(), refused), (1, processes - 1), "round {round}: exit codes {codes:?}");
            let winner = winners[0];
            for loser in outputs.iter().filter(|output| code(output) != 0) {
                let error: Value = serde_json::from_slice(&loser.stderr).unwrap();
                assert_eq!(error["error"]["holder"], format!("agent-{winner}"), "a loser is told by whom");
                assert_eq!(error["error"]["epoch"], 1);
            }
            let issues = Issues::read(&checkouts[winner % count].join(".beads/beads.jsonl"));
            assert_eq!(issues.get(id)["assignee"], format!("agent-{winner}"));
            assert_eq!(issues.get(id)["status"], "in_progress");
        }
        tell(&format!("agents in {count} checkouts"), processes, rounds, start);
    }
}

/// As many agents as issues: each gets one, no issue goes out twice.
#[test]
fn every_agent_gets_an_issue_of_its_own() {
    let _turn = alone();
    let (processes, rounds) = pick((24, 1), (40, 1), (64, 20));
    for count in [1, 8] {
        let start = Instant::now();
        for round in 0..rounds {
            let sandbox = Sandbox::new();
            let ids: BTreeSet<String> = (0..processes).map(|n| sandbox.add(&format!("Task {n}"))).collect();
            let checkouts: Vec<PathBuf> = sandbox.checkouts(count);
            let taken: Vec<String> = at_once(processes, |n| {
                let mut bd = sandbox.bd(&["ready", "--claim", "--json"]);
                bd.current_dir(&checkouts[n % count]).env("BD_AGENT", format!("agent-{n}"));
                let output = bd.output().unwrap();
                assert_eq!(code(&output), 0, "{}", describe(&output));
                let claimed: Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(claimed.as_array().unwrap().len(), 1, "round {round}: {claimed}");
                claimed[0]["id"].as_str().unwrap().to_owned()
            });
            let distinct: BTreeSet<String> = taken.iter().cloned().collect();
            assert_eq!(distinct, ids, "handed out {} times, {} distinct", taken.len(), distinct.len());
            let mut late = sandbox.bd(&["ready", "--claim", "--json"]);
            let late = late.env("BD_AGENT", "late").output().unwrap();
            assert_eq!(String::from_utf8_lossy(&late.stdout).trim(), "[]", "nothing is left");
        }
        tell(&format!("ready --claim in {count} checkouts"), processes, rounds, start);
    }
}

fn tell(what: &str, processes: usize, rounds: usize, start: Instant) {
    println!(
        "claims by {what}: {processes} processes, {rounds} rounds: exactly one winner each; {:.1} s",
        start.elapsed().as_secs_f64()
    );
}
