//! Writes of several ledgers that a claim forbids: refused before any part is on disk.

use std::path::PathBuf;

use crate::cli::share::proposals::Story;
use crate::support::harness::{Env, Run};

/// Runs a command as an agent.
fn agent(env: &Env, name: &str, line: &str) -> Run {
    env.bd_with(line.split('|'), None, &[("BD_AGENT", name)])
}

/// A project and another repo of it, with the ledger of that one.
fn two_repos() -> (Env, PathBuf) {
    let env = Env::new();
    let other = env.root().join("home/plan/.beads/beads.jsonl");
    std::fs::create_dir_all(other.parent().unwrap()).unwrap();
    std::fs::write(&other, "").unwrap();
    env.given("repo add ~/plan");
    (env, other)
}

#[test]
fn a_claimed_issue_is_not_moved_and_not_copied_either() {
    let (env, planning) = two_repos();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    agent(&env, "bot", "claim|bd-2").ok();
    let before = (env.ledger(), std::fs::read(&planning).unwrap());
    agent(&env, "cat", "migrate|--move-to|~/plan|--filter|status!=closed").fails(4, &["bd-2", "bot"]);
    assert_eq!((env.ledger(), std::fs::read(&planning).unwrap()), before);
    // One that another holds in the repo that it goes to.
    env.bd(["migrate", "--move-to", "~/plan", "--filter", "id=bd-1"]).ok();
    agent(&env, "bot", "claim|bd-1").ok();
    let line = r#"{"id":"bd-1","title":"Another copy","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","updated_at":"2026-01-05T10:00:00.000Z"}"#;
    env.put_ledger(format!("{line}\n{}", env.ledger_text()));
    let before = (env.ledger(), std::fs::read(&planning).unwrap());
    agent(&env, "cat", "migrate|--move-to|~/plan|--filter|id=bd-1").fails(4, &["bd-1", "bot"]);
    assert_eq!((env.ledger(), std::fs::read(&planning).unwrap()), before);
}

#[test]
fn a_claimed_plan_is_neither_proposed_nor_edited_nor_taken_back_in_one_place() {
    let story = Story::new();
    story.plan("pl-1", "Dark mode", &[]);
    agent(&story.env, "bot", "claim|pl-1").ok();
    let planned = story.ledgers();
    agent(&story.env, "cat", "propose|pl-1").fails(4, &["pl-1", "bot"]);
    assert_eq!(story.ledgers(), planned);
    agent(&story.env, "bot", "propose|pl-1").ok();
    let proposed = story.ledgers();
    for line in ["update|pl-1|--title|Other", "withdraw|pl-1", "close|pl-1"] {
        agent(&story.env, "cat", line).fails(4, &["pl-1", "bot"]);
        assert_eq!(story.ledgers(), proposed, "{line}");
    }
    agent(&story.env, "bot", "update|pl-1|--title|Darker").ok();
    // In both copies, and in what they agree on.
    assert_eq!(story.ledgers().matches("Darker").count(), 3);
}

#[test]
fn an_undo_that_a_claim_forbids_in_one_ledger_is_made_in_none() {
    let (env, planning) = two_repos();
    env.given("add One --id bd-1\nadd Two --id plan-2 --repo ~/plan");
    agent(&env, "cat", "update|bd-1|plan-2|-p|1").ok();
    agent(&env, "bot", "claim|plan-2").ok();
    let before = (env.ledger(), std::fs::read(&planning).unwrap());
    agent(&env, "cat", "undo|--yes").fails(4, &["plan-2", "bot"]);
    assert_eq!((env.ledger(), std::fs::read(&planning).unwrap()), before);
}
