//! Claims across clones, by commands: of clones that race for an issue on one remote, one wins and the others learn by
//! whom.

use std::path::PathBuf;
use std::process::Output;
use std::time::Instant;

use serde_json::Value;

use crate::concurrency::sandbox::{Issues, Sandbox, alone, at_once, describe};
use crate::support::effort::pick;
use crate::support::wait::until;

const CLAIMED: i32 = 4;
const STALE: i32 = 7;
/// Ten minutes on: more than clocks may be apart.
const LATER: (&str, &str) = ("BD_TEST_SHIFT", "600");
const NOW: (&str, &str) = ("BD_TEST_SHIFT", "0");

/// A bare remote, and clones of it, each with an agent of its own.
struct Clones {
    sandbox: Sandbox,
    places: Vec<PathBuf>,
    ids: Vec<String>,
}

impl Clones {
    fn new(count: usize, issues: usize) -> Self {
        let sandbox = Sandbox::new();
        let ids = (0..issues).map(|n| sandbox.add(&format!("Task {n}"))).collect();
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "ledger"]);
        sandbox.git(&["clone", "-q", "--bare", ".", "../server"]);
        let place = |n: usize| sandbox.repo().parent().unwrap().join(format!("clone-{n}"));
        let places: Vec<PathBuf> = (0..count).map(place).collect();
        for place in &places {
            sandbox.git(&["clone", "-q", "../server", place.to_str().unwrap()]);
        }
        Clones { sandbox, places, ids }
    }

    /// A command of the agent in a clone.
    fn run(&self, clone: usize, args: &[&str], shift: (&str, &str)) -> Output {
        let mut bd = self.sandbox.bd(args);
        bd.current_dir(&self.places[clone]).env("BD_AGENT", name(clone)).env(shift.0, shift.1);
        bd.arg("--json").output().unwrap()
    }

    fn ok(&self, clone: usize, args: &[&str]) -> Value {
        let output = self.run(clone, args, NOW);
        assert!(output.status.success(), "bd {}: {}", args.join(" "), describe(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Refused with an exit code; gives the error.
    fn refused(&self, clone: usize, args: &[&str], code: i32) -> Value {
        error(&self.run(clone, args, NOW), code)
    }

    /// All of `clones` claim at the same moment. Returns the winner, once all others have been refused.
    fn race(&self, clones: &[usize], id: &str, shift: (&str, &str)) -> (usize, Value) {
        let outputs = at_once(clones.len(), |n| self.run(clones[n], &["claim", id, "--remote"], shift));
        let winners: Vec<usize> = (0..clones.len()).filter(|n| outputs[*n].status.success()).collect();
        let said: Vec<String> = outputs.iter().map(describe).collect();
        assert_eq!(winners.len(), 1, "{id}: {said:#?}");
        let winner = winners[0];
        for (n, output) in outputs.iter().enumerate().filter(|(n, _)| *n != winner) {
            let error = error(output, CLAIMED);
            assert_eq!(error["holder"], name(clones[winner]), "a loser is told by whom");
            assert_eq!(self.issue(clones[n], id)["status"], "open", "a loser writes nothing");
        }
        let claimed: Value = serde_json::from_slice(&outputs[winner].stdout).unwrap();
        let (winner, claimed) = (clones[winner], claimed[0].clone());
        let issue = self.issue(winner, id);
        assert_eq!((&issue["status"], &issue["assignee"]), (&"in_progress".into(), &name(winner).into()));
        (winner, claimed)
    }

    fn issue(&self, clone: usize, id: &str) -> Value {
        Issues::read(&self.places[clone].join(".beads/beads.jsonl")).get(id).clone()
    }

    /// Issues and holders on the remote, as a clone sees them.
    fn on_remote(&self, clone: usize) -> Vec<(String, String)> {
        let leases = self.ok(clone, &["leases", "--remote"]);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        leases.as_array().unwrap().iter().map(|one| (text(&one["id"]), text(&one["holder"]))).collect()
    }

    /// Whether a clone considers the claim of an issue valid, asked by a non-holder: any command of the holder would
    /// renew its own.
    fn is_live(&self, clone: usize, id: &str) -> bool {
        let mut bd = self.sandbox.bd(&["leases", "--json"]);
        let output = bd.current_dir(&self.places[clone]).env("BD_AGENT", "onlooker").output().unwrap();
        let leases: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", describe(&output)));
        let lease = leases.as_array().unwrap().iter().find(|lease| lease["id"] == id);
        lease.unwrap_or_else(|| panic!("no claim of {id}: {leases}"))["status"] == "live"
    }

    /// The refs of claims, asked of git alone.
    fn refs(&self) -> String {
        let mut git = self.sandbox.program("git");
        let output = git.args(["--git-dir", "../server", "for-each-ref", "refs/beads"]).output().unwrap();
        assert!(output.status.success(), "{}", describe(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

fn name(clone: usize) -> String {
    format!("agent-{clone}")
}

fn error(output: &Output, code: i32) -> Value {
    assert_eq!(output.status.code(), Some(code), "{}", describe(output));
    let error: Value = serde_json::from_slice(&output.stderr).unwrap_or_else(|e| panic!("{e}: {}", describe(output)));
    error["error"].clone()
}

#[test]
fn one_clone_wins() {
    let _turn = alone();
    let (count, rounds) = (8, pick(3, 5, 100));
    let clones = Clones::new(count, rounds);
    let everybody: Vec<usize> = (0..count).collect();
    let start = Instant::now();
    for (round, id) in clones.ids.iter().enumerate() {
        let (winner, claimed) = clones.race(&everybody, id, NOW);
        assert_eq!(claimed["epoch"], 1);
        let loser = (winner + 1) % count;
        assert_eq!(clones.on_remote(loser), [(id.clone(), name(winner))]);
        // Given back, it is anybody's again; done, it leaves the remote.
        clones.ok(winner, &["release", id]);
        assert_eq!(clones.refs(), "", "round {round}");
        clones.ok(loser, &["claim", id, "--remote"]);
        let again = clones.refused(winner, &["claim", id, "--remote"], CLAIMED);
        assert_eq!(again["holder"], name(loser));
        clones.ok(loser, &["close", id, "-r", "done"]);
        assert_eq!((clones.refs(), clones.on_remote(winner)), (String::new(), Vec::new()), "round {round}");
    }
    println!(
        "remote claims: {count} clones, {rounds} rounds: exactly one winner each; {:.1} s",
        start.elapsed().as_secs_f64()
    );
}

/// The holder is silent for longer than its claim lasts and clocks may differ: of those who take it over, one does.
#[test]
fn a_claim_that_is_over() {
    let _turn = alone();
    let rounds = pick(1, 2, 20);
    let clones = Clones::new(4, rounds);
    for id in &clones.ids {
        let claimed = clones.ok(0, &["claim", id, "--remote", "--ttl", "1s"]);
        assert_eq!(claimed[0]["epoch"], 1);
        let first = clones.refs();
        until("its time is over", || !clones.is_live(0, id));
        // Over here, and perhaps not there.
        let held = clones.refused(1, &["claim", id, "--remote"], CLAIMED);
        assert_eq!(held["holder"], name(0));
        let (winner, _) = clones.race(&[1, 2, 3], id, LATER);
        assert_ne!(clones.refs(), first);
        assert_eq!(clones.on_remote(0), [(id.clone(), name(winner))]);
        // The one who slept can neither write nor take the other's claim off the remote.
        clones.refused(0, &["note", id, "late"], STALE);
        let held = clones.refused(0, &["claim", id, "--remote"], CLAIMED);
        assert_eq!(held["holder"], name(winner));
        clones.run(0, &["release", id], NOW);
        assert_eq!(clones.on_remote(0), [(id.clone(), name(winner))]);
        clones.ok(winner, &["release", id]);
        assert_eq!(clones.refs(), "");
    }
}

#[test]
fn a_remote_that_is_out_of_reach() {
    let _turn = alone();
    let clones = Clones::new(1, 1);
    let id = &clones.ids[0];
    let server = clones.sandbox.repo().parent().unwrap().join("server");
    std::fs::rename(&server, server.with_extension("away")).unwrap();
    let ledger = clones.places[0].join(".beads/beads.jsonl");
    let before = std::fs::read(&ledger).unwrap();
    let error = clones.refused(0, &["claim", id, "--remote"], 1);
    assert_eq!(error["code"], "unreachable", "{error}");
    assert!(error["hint"].as_str().unwrap().starts_with("nothing was claimed"), "{error}");
    assert_eq!(std::fs::read(&ledger).unwrap(), before, "nothing is claimed here");
    assert_eq!(clones.ok(0, &["leases"]), Value::Array(Vec::new()));
    clones.refused(0, &["leases", "--remote"], 1);
    // Given back, or done, while the remote is away: it stays claimed there, and that is said.
    for (command, status) in [("release", "open"), ("close", "closed")] {
        std::fs::rename(server.with_extension("away"), &server).unwrap();
        clones.ok(0, &["claim", id, "--remote"]);
        std::fs::rename(&server, server.with_extension("away")).unwrap();
        let done = clones.run(0, &[command, id], NOW);
        assert!(done.status.success(), "{}", describe(&done));
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(said.matches(&format!("{id} is still claimed on the remote")).count(), 1, "{said}");
        assert_eq!(clones.issue(0, id)["status"], status);
        assert_eq!(clones.ok(0, &["leases"]), Value::Array(Vec::new()));
    }
}
