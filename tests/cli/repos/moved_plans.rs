//! An issue that is moved into a planning repo is what it would be if it had been filed there. Three projects plan in one repo.

use crate::support::checkouts::bd;
use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::project::Project;
use crate::support::repos::{ledger, sh};

const PLANS: &str = "home/.beads-planning";

/// Three projects of a contributor, each with a commit of its own. In the first, an issue was filed by mistake.
fn three() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Project::single()?.env;
    env.given("add Mistake --id bd-oops --notes 'call Ann'");
    env.bd(["init", "--contributor", "~/.beads-planning", "--quiet"]).ok();
    for name in ["two", "three"] {
        sh(&env, &format!("mkdir {name} && cd {name} && git init -q && git commit -q --allow-empty -m {name}"));
        let at = env.root().join(name);
        bd(&env, &at, "init --quiet --prefix bd", &[]).ok();
        bd(&env, &at, "init --contributor ~/.beads-planning --quiet", &[]).ok();
    }
    Some(env)
}

#[test]
fn what_is_moved_belongs_to_the_project_that_it_comes_from() {
    let Some(env) = three() else { return };
    env.bd(["migrate", "--move-to", "~/.beads-planning", "--filter", "id=bd-oops"]).ok();
    let plans = ledger(&env, PLANS);
    let filed = env.bd(["q", "Filed"]).ok().stdout.trim().to_owned();
    let project_of = |id: &str| {
        let plans = ledger(&env, PLANS);
        let line = plans.lines().find(|line| line.contains(&format!("\"id\":\"{id}\""))).unwrap().to_owned();
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        (line["project"].clone(), line["visibility"].clone())
    };
    assert!(plans.contains("bd-oops"), "{plans}");
    assert_eq!(project_of("bd-oops"), project_of(&filed), "as if it had been filed there");
    for name in ["two", "three"] {
        let at = env.root().join(name);
        let taken = bd(&env, &at, "ready --claim --json", &[]);
        assert!(!taken.stdout.contains("bd-oops"), "{}", taken.snapshot());
        bd(&env, &at, "propose bd-oops", &[]).fails(5, &["bd-oops"]);
        assert!(!ledger(&env, name).contains("Mistake"), "{name}");
    }
    let taken = env.bd(["ready", "--json"]).ok();
    assert!(taken.stdout.contains("bd-oops"), "{}", taken.snapshot());
    env.bd(["propose", "bd-oops"]).ok();
}

#[test]
fn what_is_imported_belongs_to_the_project_that_imports_it() {
    let Some(env) = three() else { return };
    env.write(
        "in.jsonl",
        "{\"id\":\"bd-in\",\"title\":\"Mistake\",\"status\":\"open\",\"updated_at\":\"2026-01-01T00:00:00Z\"}\n",
    );
    env.bd(["import", "in.jsonl", "--repo", "~/.beads-planning"]).ok();
    let at = env.root().join("two");
    bd(&env, &at, "propose bd-in", &[]).fails(5, &["bd-in"]);
    assert!(!ledger(&env, "two").contains("Mistake"));
}

/// A dry run asks what the move asks.
#[test]
fn a_dry_run_is_refused_as_the_move_is() {
    let Some(env) = three() else { return };
    for dry in [" --dry-run", ""] {
        let line = format!("migrate --move-to ~/.beads-planning --filter id=bd-base{dry}");
        let run = bd(&env, &env.root().join("web"), &line, &[]).fails(5, &["bd-base", "contributor"]);
        assert!(!run.stdout.contains("move 1"), "{}", run.snapshot());
    }
    let before = (ledger(&env, "web"), ledger(&env, PLANS));
    let run = env.bd(["migrate", "--move-to", "~/.beads-planning", "--filter", "id=bd-oops", "--dry-run"]).ok();
    assert!(run.stdout.contains("Would move 1 issue"), "{}", run.snapshot());
    assert_eq!((ledger(&env, "web"), ledger(&env, PLANS)), before);
}

/// Whom the ledger gives an issue to, counts for a contributor as for a maintainer.
#[test]
fn a_contributor_does_not_take_what_the_ledger_gives_to_another() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    bd(env, &env.root().join("web"), "work bd-base --actor mia", &[]).ok();
    sh(env, "cd web && git add -A && git commit -qm taken && git clone -q . ../fork");
    let fork = env.root().join("fork");
    bd(env, &fork, "init --contributor ~/.beads-planning --quiet", &[]).ok();
    for line in ["work bd-base", "claim bd-base"] {
        bd(env, &fork, line, &[]).fails(4, &["mia"]);
    }
    assert_eq!(bd(env, &fork, "leases --json", &[]).ok().json(), serde_json::json!([]));
}
