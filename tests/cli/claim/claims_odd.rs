//! Claims where things went otherwise than planned.

use crate::support::checkouts::Family;
use crate::support::harness::{BD, Env, Run};

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

/// A merge that closes an issue ends its claim.
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
    let second: serde_json::Value = serde_json::from_str(second).unwrap();
    assert!(second["holder"].is_null() && second["lost"][0]["holder"] == "bot", "{second}");
}

/// An agent whose work is in another checkout closes the issue there.
#[test]
fn a_program_may_close_its_issue_in_another_checkout() {
    let Some(family) = Family::new() else { return };
    let (web, other) = (family.web(), family.worktree("feature"));
    // Later than the claim.
    let close = format!("cd '{}' && BD_TEST_NOW=2026-01-05T09:20:00Z '{BD}' close $BD_ISSUE", other.display());
    let mut run = family.env().bd_command(BD);
    run.current_dir(&web).args(["run", "bd-base", "--json", "--", "sh", "-c", &close]).env("BD_AGENT", "bot");
    let run = family.env().run(run, "bd run".into(), None);
    assert_eq!((run.code, &run.json()[0]["outcome"]), (0, &"closed".into()), "{}", run.stderr);
    let ready = family.bd(&web, "ready --json").ok();
    assert!(!ready.stdout.contains("bd-base"), "finished work is not offered again");
    assert_eq!(family.bd(&web, "leases --json").ok().stdout, "[]\n");
}

/// The state home knows claims on issues that only another branch has.
#[test]
fn a_claim_on_an_issue_of_another_branch_is_taken_back() {
    let Some(family) = Family::new() else { return };
    let (web, other) = (family.web(), family.worktree("feature"));
    for id in ["bd-there", "bd-too", "bd-live"] {
        family.bd(&other, &format!("add There --id {id}")).ok();
    }
    let bot = [("BD_AGENT", "bot"), ("BD_TEST_NOW", "2026-01-05T10:00:00Z")];
    for line in ["claim bd-there --ttl 1m", "claim bd-too --ttl 1m", "claim bd-live --ttl 9h"] {
        family.bd_with(&other, line, &bot).ok();
    }
    let later = [("BD_AGENT", "cat"), ("BD_TEST_NOW", "2026-01-05T11:00:00Z")];
    let would = family.bd_with(&web, "reclaim --dry-run --json", &later).ok().json();
    assert_eq!((&would[0]["id"], &would[1]["id"]), (&"bd-there".into(), &"bd-too".into()), "{would}");
    let one = family.bd_with(&web, "reclaim bd-too --json", &later).ok().json();
    assert_eq!((one.as_array().unwrap().len(), &one[0]["id"]), (1, &"bd-too".into()));
    assert_eq!(family.bd_with(&web, "reclaim bd-live", &later).code, 4, "its time is not over");
    family.bd_with(&web, "reclaim", &later).ok();
    assert_eq!(family.bd_with(&web, "reclaim --json", &later).ok().stdout, "[]\n");
    let held = crate::support::checkouts::held(&family.bd_with(&web, "leases --json", &later).ok());
    assert_eq!(held, ["bd-live in feature"]);
    let late = [("BD_AGENT", "bot"), ("BD_TEST_NOW", "2026-01-05T11:01:00Z")];
    assert_eq!(family.bd_with(&other, "note bd-there late", &late).code, 7, "it was taken back");
}

/// The number that a program gets is one that `bd` understands, whatever is in the id.
#[test]
fn ids_with_commas_and_blanks_have_numbers_too() {
    let env = Env::new();
    for id in ["m-x,y", "My Project-1"] {
        let line = format!("{{\"id\":\"{id}\",\"title\":\"Odd\",\"status\":\"open\",\"priority\":2}}\n");
        env.put_ledger(line);
        let script = format!("'{BD}' close \"$BD_ISSUE\"");
        let run = env.bd_with(["run", id, "--json", "--", "sh", "-c", &script], None, &[("BD_AGENT", "bot")]);
        assert_eq!(run.json()[0]["outcome"], "closed", "{}", run.stderr);
        env.put_ledger(format!("{{\"id\":\"{id}\",\"title\":\"Odd\",\"status\":\"open\",\"priority\":2}}\n"));
        let old = [("BD_AGENT", "bot"), ("BD_LEASE", &format!("{id}:9"))];
        assert_eq!(env.bd_with(["note", id, "late"], None, &old).code, 7);
    }
}

/// A program that gives its issue back itself has not failed.
#[test]
fn a_program_may_give_its_issue_back() {
    let env = Env::new();
    env.bd(["add", "One", "--id", "bd-1"]).ok();
    let script = format!("'{BD}' release $BD_ISSUE --failed broken");
    let run = env.bd_with(["run", "bd-1", "--json", "--", "sh", "-c", &script], None, &[("BD_AGENT", "bot")]);
    assert_eq!(run.json()[0]["outcome"], "released", "{}", run.stderr);
    assert_eq!(agent(&env, "bot", "claim bd-1 --json").ok().json()[0]["attempts"], 1, "counted once");
}

/// Personal settings that someone has committed are not used, and nothing is written until that is repaired.
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
    // Now it may be this user's own, which only the user can say.
    assert_eq!(family.bd(&web, "add Issue").code, 10);
    family.bd(&web, "trust").ok();
    family.bd(&web, "add Issue").ok();
}

/// A contributor's routing does not go away with a variable that names a state home.
#[test]
fn a_named_state_home_does_not_change_where_issues_go() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "config set routing.role contributor").ok();
    let plan = family.path("home/plan");
    family.bd(&web, &format!("init --contributor '{}'", plan.display())).ok();
    let before = std::fs::read(web.join(".beads/beads.jsonl")).unwrap();
    let named = family.path("elsewhere");
    family.bd_with(&web, "add Secret", &[("BD_STATE_DIR", named.to_str().unwrap())]).ok();
    assert_eq!(std::fs::read(web.join(".beads/beads.jsonl")).unwrap(), before);
    assert!(std::fs::read_to_string(plan.join(".beads/beads.jsonl")).unwrap().contains("Secret"));
}

/// A project does not decide where its users keep their state, and what would be committed is not kept.
#[test]
fn a_committed_mode_is_not_followed() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let config = web.join(".beads/config.toml");
    let text = std::fs::read_to_string(&config).unwrap_or_default();
    std::fs::write(&config, format!("{text}\n[state]\nmode = \"worktree\"\n")).unwrap();
    let place = family.bd(&web, "where --json").ok().json();
    assert_eq!(
        (place["state_mode"].as_str(), place["state_home"].as_str()),
        (Some("repo"), web.join(".git/beads").to_str())
    );
    std::fs::create_dir_all(web.join(".beads/run")).unwrap();
    std::fs::write(web.join(".beads/run/.gitignore"), "nothing\n").unwrap();
    let refused = family.bd(&web, "--config state.mode=worktree claim bd-base");
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains(".gitignore"), "{}", refused.stderr);
}

/// A writer that waited for a state home being moved is refused instead of writing to the old one.
#[test]
fn nothing_is_written_to_a_state_home_that_was_left() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "claim bd-base --agent bot").ok();
    family.bd(&web, "state move --to global").ok();
    let late = family.bd(&web, "--config state.mode=repo mail send bot -m late");
    assert_eq!(late.code, 6, "{}", late.stderr);
    family.bd(&web, "mail send bot -m now").ok();
    family.bd(&web, "release bd-base --agent bot").ok();
    assert_eq!(family.bd(&web, "leases --json").ok().stdout, "[]\n");
}

/// The merge decides between two clones that claim without a remote, and the loser is notified and refused.
#[test]
fn after_a_sync_the_loser_of_two_clones_is_told() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.git(&web, "clone -q --bare . ../server").ok();
    family.git(&web, "remote add origin ../server").ok();
    family.git(&web, "fetch -q").ok();
    family.git(&web, "branch -q --set-upstream-to=origin/main").ok();
    family.git(&web, "clone -q ../server ../other").ok();
    let other = family.path("other");
    let role = "--config routing.role=maintainer";
    family.bd(&web, &format!("{role} claim bd-base --agent bot")).ok();
    family.bd(&other, &format!("{role} claim bd-base --agent cat")).ok();
    family.bd(&web, &format!("{role} sync")).ok();
    family.bd(&other, &format!("{role} sync")).ok();
    let late = family.bd(&other, &format!("{role} note bd-base mine --agent cat"));
    assert_eq!(late.code, 7, "{}", late.stderr);
    let mail = family.bd(&other, "mail inbox --agent cat --json").ok().stdout;
    assert!(mail.contains("bot had claimed bd-base earlier"), "{mail}");
    family.bd(&web, &format!("{role} note bd-base mine --agent bot")).ok();
}

/// Repositories that share a state home are not checkouts of each other.
#[test]
fn another_repository_in_the_same_state_home_is_no_checkout() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let other = family.path("unrelated");
    std::fs::create_dir(&other).unwrap();
    family.git(&other, "init -q").ok();
    family.bd(&other, "init --prefix bd").ok();
    family.bd(&other, "add Secret --id bd-base").ok();
    family.bd(&other, "--global claim bd-base --agent bot").ok();
    family.bd(&web, "--global agent register cat").ok();
    family.bd(&web, "--global worktree list").ok();
    for line in
        ["worktree list --json", "list --all-worktrees --json", "status --all-worktrees --json", "leases --json"]
    {
        let run = family.bd(&web, &format!("--global {line}")).ok();
        assert!(!run.stdout.contains("unrelated") && !run.stdout.contains("Secret"), "{line}: {}", run.stdout);
    }
    // The same id there is another issue.
    family.bd(&web, "--global claim bd-base --agent cat").ok();
    let copy = family.path("copy");
    family.env().command("cp").args(["-r", web.to_str().unwrap(), copy.to_str().unwrap()]).status().unwrap();
    let listed = family.bd(&copy, "worktree list --json").ok().json();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
}

/// State is not kept behind a link that a repository brought along.
#[test]
fn a_link_in_the_place_of_the_state_home_is_refused() {
    let Some(family) = Family::new() else { return };
    let (web, docs) = (family.web(), family.path("docs"));
    std::fs::create_dir(&docs).unwrap();
    std::os::unix::fs::symlink(&docs, web.join(".beads/run")).unwrap();
    let refused = family.bd(&web, "--config state.mode=worktree claim bd-base");
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert_eq!(std::fs::read_dir(&docs).unwrap().count(), 0, "nothing was written there");
    std::fs::remove_file(web.join(".beads/run")).unwrap();
    std::fs::create_dir_all(web.join(".git/beads")).unwrap();
    std::os::unix::fs::symlink(&docs, web.join(".git/beads/mail")).unwrap();
    assert_eq!(family.bd(&web, "mail send human -m words").code, 1);
    assert_eq!(std::fs::read_dir(&docs).unwrap().count(), 0, "nor there");
}
