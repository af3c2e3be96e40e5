//! A8: of many that claim one issue at the same moment, one wins and the others are told.

use std::time::Instant;

use crate::sandbox::{Sandbox, alone, at_once, describe, full};

const ALREADY_CLAIMED: i32 = 4;

#[test]
fn one_claim_wins() {
    let _turn = alone();
    let (processes, rounds) = if full() { (64, 200) } else { (32, 20) };
    let sandbox = Sandbox::new();
    let start = Instant::now();
    for round in 0..rounds {
        let id = sandbox.add(&format!("Round {round}"));
        let codes = at_once(processes, |n| {
            let output = sandbox.bd(&["work", &id]).env("BD_ACTOR", format!("agent-{n}")).output().unwrap();
            output.status.code().unwrap_or_else(|| panic!("{}", describe(&output)))
        });
        let winners: Vec<usize> = (0..processes).filter(|n| codes[*n] == 0).collect();
        let refused = codes.iter().filter(|code| **code == ALREADY_CLAIMED).count();
        assert_eq!((winners.len(), refused), (1, processes - 1), "round {round}: exit codes {codes:?}");
        let issues = sandbox.issues();
        let issue = issues.get(&id);
        assert_eq!(issue["assignee"], format!("agent-{}", winners[0]), "the winner was told so and does not have it");
        assert_eq!(issue["status"], "in_progress");
    }
    println!(
        "claims: {processes} processes, {rounds} rounds: exactly one winner in {rounds} of {rounds}; {:.1} s",
        start.elapsed().as_secs_f64()
    );
}
