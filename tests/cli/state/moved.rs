//! Moving the state home, and one ledger for all checkouts.

use crate::support::checkouts::Family;
use crate::support::harness::Env;

fn state_home(env: &Env) -> String {
    env.bd(["where", "--json"]).ok().json()["state_home"].as_str().unwrap().to_owned()
}

/// A claim, an agent, a message, a checkpoint and a reservation.
fn populate(env: &Env) {
    env.bd(["add", "One", "--id", "bd-1"]).ok();
    env.bd(["claim", "bd-1", "--agent", "bot"]).ok();
    env.bd(["mail", "send", "bot", "-m", "words"]).ok();
    env.bd(["checkpoint", "add", "bd-1", "-m", "half", "--agent", "bot"]).ok();
    env.bd(["reserve", "src/**", "--agent", "bot"]).ok();
}

fn view(env: &Env) -> Vec<String> {
    let look = |line: &str| env.bd(line.split(' ')).ok().stdout;
    let boxes = look("mail inbox --json --agent bot");
    vec![
        look("leases --json"),
        boxes,
        look("checkpoint list bd-1 --json"),
        look("reserve list --json"),
        look("agent list --json"),
    ]
}

#[test]
fn everything_moves_and_the_source_stays() {
    let env = Env::new();
    populate(&env);
    let (before, from) = (view(&env), state_home(&env));
    let old = std::fs::read(format!("{from}/leases.jsonl")).unwrap();
    let dry = env.bd(["state", "move", "--to", "global", "--dry-run", "--json"]).ok().json();
    assert!(dry["records"].as_i64().unwrap() >= 5, "{dry}");
    assert_eq!(state_home(&env), from, "nothing was moved");
    env.bd(["state", "move", "--to", "global"]).ok();
    let to = state_home(&env);
    assert_ne!(to, from);
    assert_eq!(view(&env), before);
    assert_eq!(std::fs::read(format!("{from}/leases.jsonl")).unwrap(), old, "the source is as it was");
    assert_eq!(env.bd(["claim", "bd-1", "--agent", "cat"]).code, 4, "the claim stands there too");
    // Once more is nothing new; and the way back finds what was written meanwhile.
    assert_eq!(env.bd(["state", "move", "--to", "global", "--json"]).ok().json()["records"], 0);
    env.bd(["add", "Two", "--id", "bd-2"]).ok();
    env.bd(["claim", "bd-2", "--agent", "cat"]).ok();
    let epoch = |env: &Env| env.bd(["leases", "--json"]).ok().json()[1]["epoch"].clone();
    assert_eq!(epoch(&env), 1);
}

#[test]
fn a_state_home_that_was_named_and_is_not_there_is_not_moved() {
    let env = Env::new();
    populate(&env);
    env.bd_with(["state", "move", "--to", "global"], None, &[("BD_STATE_DIR", "/nowhere/else")])
        .fails(3, &["/nowhere/else"]);
}

#[test]
fn all_checkouts_can_write_the_ledger_of_the_main_one() {
    let Some(family) = Family::new() else { return };
    let (main, other) = (family.web(), family.worktree("feature"));
    let ledger = |place: &std::path::Path| std::fs::read_to_string(place.join(".beads/beads.jsonl")).unwrap();
    let before = ledger(&other);
    family.bd(&other, "--config ledger.write=primary add Shared --id bd-shared").ok();
    assert_eq!(ledger(&other), before, "the own ledger is left alone");
    assert!(ledger(&main).contains("bd-shared"));
    assert!(family.bd(&other, "--config ledger.write=primary list").ok().stdout.contains("bd-shared"));
    family.bd(&other, "add Own --id bd-own").ok();
    assert!(ledger(&other).contains("bd-own") && !ledger(&main).contains("bd-own"));
}

/// Both homes were used: no number means two checkpoints, and the last one made is the one to resume from.
#[test]
fn checkpoints_of_two_homes_are_told_apart() {
    let env = Env::new();
    env.bd(["add", "One", "--id", "bd-1"]).ok();
    let add = |env: &Env, flags: &[&str], text: &str| {
        env.bd(flags.iter().copied().chain(["checkpoint", "add", "bd-1", "-m", text])).ok();
    };
    add(&env, &["--global"], "first there");
    add(&env, &["--global"], "second there");
    add(&env, &[], "first here");
    add(&env, &[], "second here");
    add(&env, &[], "third here");
    env.bd(["state", "move", "--to", "global"]).ok();
    let listed = env.bd(["checkpoint", "list", "bd-1", "--json"]).ok().json();
    let all = listed.as_array().unwrap();
    let mut numbers: Vec<i64> = all.iter().map(|one| one["number"].as_i64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5], "{listed}");
    let resumed = env.bd(["resume", "bd-1", "--json"]).ok().json();
    assert_eq!(resumed[0]["resume_from"]["summary"], "third here", "{resumed}");
    // Once more changes nothing, and the next one has a number of its own.
    env.bd(["state", "move", "--to", "global"]).ok();
    add(&env, &[], "sixth");
    let next = env.bd(["checkpoint", "list", "bd-1", "--json"]).ok().json();
    assert_eq!(next.as_array().unwrap().last().unwrap()["number"], 6, "{next}");
}
