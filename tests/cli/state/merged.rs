//! Two state homes that were both used: what they know is put together, and a home that is elsewhere is only read.

use std::path::Path;

use crate::support::harness::Env;
use crate::support::project::listing;

/// Runs a line in both the usual home and that of all repositories.
fn in_both(env: &Env, line: &str) {
    env.bd(line.split(' ')).ok();
    env.bd(["--global"].into_iter().chain(line.split(' '))).ok();
}

fn subjects(env: &Env, agent: &str) -> Vec<String> {
    let inbox = env.bd(["mail", "inbox", "--json", "--agent", agent]).ok().json();
    let mut found: Vec<String> =
        inbox.as_array().unwrap().iter().map(|one| one["body"].as_str().unwrap().to_owned()).collect();
    found.sort();
    found
}

#[test]
fn a_home_that_was_used_once_takes_what_comes() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    env.bd(["agent", "register", "bot", "--cap", "rust"]).ok();
    in_both(&env, "claim bd-1 --agent bot");
    env.bd(["--global", "claim", "bd-2", "--agent", "cat"]).ok();
    env.bd(["mail", "send", "bot", "-m", "here"]).ok();
    env.bd(["--global", "mail", "send", "bot", "-m", "there"]).ok();
    env.bd(["state", "move", "--to", "global", "--dry-run"]).ok();
    env.bd(["state", "move", "--to", "global"]).ok();
    let agents = env.bd(["agent", "list", "--json"]).ok().json();
    let names: Vec<&str> = agents.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["bot", "cat"], "each once");
    assert_eq!(agents[0]["capabilities"], serde_json::json!(["rust"]), "what it said is kept");
    assert_eq!(subjects(&env, "bot"), ["here", "there"]);
    let leases = env.bd(["leases", "--json"]).ok().json();
    let held: Vec<(&str, &str)> = leases
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["id"].as_str().unwrap(), one["holder"].as_str().unwrap()))
        .collect();
    assert_eq!(held, [("bd-1", "bot"), ("bd-2", "cat")]);
    assert_eq!(env.bd(["agent", "show", "bot", "--json"]).ok().json()["current_task"], "bd-1");
    // And back again, after a claim has ended there.
    env.bd(["release", "bd-1", "--agent", "bot"]).ok();
    env.bd(["state", "move", "--to", "repo"]).ok();
    assert_eq!(env.bd(["leases", "--json"]).ok().json().as_array().unwrap().len(), 1, "what was given back stays so");
    let again = env.bd(["claim", "bd-1", "--agent", "bot", "--json"]).ok().json();
    assert!(again["epoch"].as_i64().or(again[0]["epoch"].as_i64()).unwrap() > 1, "numbers never fall: {again}");
}

#[test]
fn two_holders_of_one_issue_are_not_put_together() {
    let env = Env::new();
    env.given("add One --id bd-1");
    env.bd(["claim", "bd-1", "--agent", "bot"]).ok();
    // The other home knows of no claim, so the ledger alone would have to say it.
    env.bd(["update", "bd-1", "--status", "open", "--assignee", ""]).ok();
    env.bd(["claim", "bd-1", "--agent", "bot"]).ok();
    env.bd(["--global", "claim", "bd-1", "--agent", "cat", "--takeover", "--reason", "test"]).ok();
    let home = env.bd(["where", "--json"]).ok().json()["state_home"].as_str().unwrap().to_owned();
    let before = listing(Path::new(&home));
    env.bd(["state", "move", "--to", "global"]).fails(8, &["bd-1", "release"]);
    assert_eq!(listing(Path::new(&home)), before);
    env.bd(["release", "bd-1"]).ok();
    env.bd(["state", "move", "--to", "global"]).ok();
}

#[test]
fn s0_6_checkpoints_of_another_store_are_brought_in_once_and_the_store_is_left_alone() {
    let env = Env::new();
    let old = env.root().join("old");
    let named = [("BD_STATE_DIR", old.to_str().unwrap())];
    env.given("add One --id bd-1");
    env.bd_with(["claim", "bd-1", "--agent", "bot"], None, &named).ok();
    env.bd_with(["checkpoint", "add", "bd-1", "-m", "half", "--agent", "bot"], None, &named).ok();
    let before = listing(&old);
    let from = old.to_str().unwrap();
    let dry = env.bd(["state", "move", "--from", from, "--dry-run", "--json"]).ok().json();
    assert!(dry["records"].as_i64().unwrap() >= 3, "{dry}");
    assert_eq!(env.bd(["checkpoint", "list", "bd-1", "--json"]).ok().json().as_array().unwrap().len(), 0);
    env.bd(["state", "move", "--from", from, "--to", "repo"]).ok();
    let found = env.bd(["checkpoint", "list", "bd-1", "--json"]).ok().json();
    assert_eq!(found[0]["summary"], "half", "{found}");
    assert!(env.bd(["resume", "--agent", "bot"]).ok().stdout.contains("half"));
    env.bd(["claim", "bd-1", "--agent", "cat"]).fails(4, &["bot"]);
    assert_eq!(env.bd(["state", "move", "--from", from, "--json"]).ok().json()["records"], 0, "once is enough");
    assert_eq!(listing(&old), before, "the store is as it was");
    // The variable may still be set.
    env.bd_with(["checkpoint", "add", "bd-1", "-m", "more", "--agent", "bot"], None, &named).ok();
    env.bd_with(["state", "move", "--to", "repo"], None, &named).ok();
    assert_eq!(env.bd(["checkpoint", "list", "bd-1", "--json"]).ok().json().as_array().unwrap().len(), 2);
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let env = Env::new();
    let nowhere = env.root().join("nowhere");
    env.bd(["state", "move", "--from", nowhere.to_str().unwrap()]).fails(3, &["nowhere", "nothing was copied"]);
    env.bd(["state", "move", "--from", nowhere.to_str().unwrap(), "--to", "moon"]).fails(2, &["moon"]);
    env.bd(["state", "move"]).fails(2, &["--to"]);
    let here = env.bd(["where", "--json"]).ok().json()["state_home"].as_str().unwrap().to_owned();
    std::fs::create_dir_all(&here).unwrap();
    env.bd(["state", "move", "--from", &here]).fails(2, &["--to"]);
    assert!(!nowhere.exists());
}
