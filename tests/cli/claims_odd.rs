//! Claims where things went otherwise than planned.

use crate::checkouts::Family;
use crate::harness::{BD, Env, Run};

fn agent(env: &Env, name: &str, line: &str) -> Run {
    env.bd_with(line.split(' '), None, &[("BD_AGENT", name)])
}

/// A takeover that fails leaves the holder as it was, number included.
#[test]
fn a_takeover_that_fails_changes_nothing() {
    let env = Env::new();
    env.bd(["add", "One", "--id", "bd-1"]).ok();
    agent(&env, "bot", "claim bd-1").ok();
    let before = env.bd(["leases", "--json"]).ok().stdout;
    // A directory in the place of the file that the ledger would be swapped with is not needed: the ledger has markers.
    let ledger = env.ledger_text();
    env.put_ledger(format!("<<<<<<< a\n{ledger}=======\n>>>>>>> b\n"));
    let refused = agent(&env, "cat", "claim bd-1 --takeover --reason now");
    assert_eq!(refused.code, 8, "{}", refused.stderr);
    env.put_ledger(ledger);
    assert_eq!(env.bd(["leases", "--json"]).ok().stdout, before);
    let vars = [("BD_AGENT", "bot"), ("BD_LEASE", "bd-1:1")];
    env.bd_with(["note", "bd-1", "mine"], None, &vars).ok();
}

/// The number that a caller carries is that of an earlier claim; the one it makes has another.
#[test]
fn claiming_makes_a_new_number_whatever_the_caller_carries() {
    let env = Env::new();
    env.bd(["add", "One", "--id", "bd-1"]).ok();
    agent(&env, "bot", "claim bd-1").ok();
    let vars = [("BD_AGENT", "cat"), ("BD_LEASE", "bd-1:1")];
    let taken = env.bd_with(["claim", "bd-1", "--takeover", "--reason", "now", "--json"], None, &vars).ok().json();
    assert_eq!((&taken[0]["epoch"], &taken[0]["holder"]), (&2.into(), &"cat".into()));
    assert_eq!(env.bd_with(["note", "bd-1", "x"], None, &vars).code, 7, "and the old one is not it");
}

/// What a merge closes is nobody's any more.
#[test]
fn a_claim_on_an_issue_that_a_merge_closed_is_over() {
    let env = Env::new();
    for id in ["bd-1", "bd-2"] {
        env.bd(["add", "One", "--id", id]).ok();
        agent(&env, "bot", &format!("claim {id}")).ok();
    }
    // Another program does it: git, with the ledger of another clone.
    env.put_ledger(env.ledger_text().replace("\"status\":\"in_progress\"", "\"status\":\"closed\""));
    assert_eq!(env.bd(["leases", "--json"]).ok().stdout, "[]\n");
    assert_eq!(agent(&env, "cat", "claim bd-1").code, 5, "it is closed");
    agent(&env, "cat", "reopen bd-1").ok();
    assert_eq!(agent(&env, "cat", "claim bd-1 --takeover --reason back --json").ok().json()[0]["epoch"], 2);
    assert_eq!(agent(&env, "bot", "reclaim --json").ok().stdout, "[]\n", "nobody has failed");
    let line = std::fs::read_to_string(env.path(".beads/run/leases.jsonl")).unwrap();
    let second = line.lines().find(|line| line.contains("bd-2")).unwrap();
    assert!(!second.contains("holder"), "{second}");
}

/// An agent whose work is in another checkout closes the issue there.
#[test]
fn a_program_may_close_its_issue_in_another_checkout() {
    let Some(family) = Family::new() else { return };
    let (web, other) = (family.web(), family.worktree("feature"));
    // Later than the claim.
    let close = format!("cd {} && BD_TEST_NOW=2026-01-05T09:20:00Z {BD} close $BD_ISSUE", other.display());
    let mut run = family.env().bd_command(BD);
    run.current_dir(&web).args(["run", "bd-base", "--json", "--", "sh", "-c", &close]).env("BD_AGENT", "bot");
    let run = family.env().run(run, "bd run".into(), None);
    assert_eq!((run.code, &run.json()[0]["outcome"]), (0, &"closed".into()), "{}", run.stderr);
    let ready = family.bd(&web, "ready --json").ok();
    assert!(!ready.stdout.contains("bd-base"), "finished work is not offered again");
    assert_eq!(family.bd(&web, "leases --json").ok().stdout, "[]\n");
}

/// A program that gives its issue back itself has not failed.
#[test]
fn a_program_may_give_its_issue_back() {
    let env = Env::new();
    env.bd(["add", "One", "--id", "bd-1"]).ok();
    let script = format!("{BD} release $BD_ISSUE --failed broken");
    let run = env.bd_with(["run", "bd-1", "--json", "--", "sh", "-c", &script], None, &[("BD_AGENT", "bot")]);
    assert_eq!(run.json()[0]["outcome"], "released", "{}", run.stderr);
    assert_eq!(agent(&env, "bot", "claim bd-1 --json").ok().json()[0]["attempts"], 1, "counted once");
}

/// Settings of a person that somebody has committed are not used, and nothing is written before that is put right.
#[test]
fn committed_personal_settings_are_nobodys() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let plan = family.path("plan");
    std::fs::create_dir_all(plan.join(".beads")).unwrap();
    std::fs::write(plan.join(".beads/beads.jsonl"), "{\"id\":\"pl-1\",\"title\":\"Private\"}\n").unwrap();
    let run = web.join(".beads/run");
    std::fs::create_dir_all(&run).unwrap();
    std::fs::write(run.join("config.toml"), format!("[repos]\nadditional = [{plan:?}]\n")).unwrap();
    family.git(&web, "add -f .beads/run/config.toml").ok();
    family.git(&web, "commit -qm hostile").ok();
    let listed = family.bd(&web, "list --json");
    assert!(!listed.stdout.contains("pl-1") && listed.stderr.contains("run/config.toml"), "{listed:?}");
    let added = family.bd(&web, "add Issue");
    assert_eq!(added.code, 1, "{}", added.stderr);
    family.git(&web, "rm -q --cached .beads/run/config.toml").ok();
    family.git(&web, "commit -qm mended").ok();
    family.bd(&web, "add Issue").ok();
}
