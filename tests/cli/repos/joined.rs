//! Several repos as one project: joined and left out, named in answers, and where new issues go.

use std::os::unix::fs::symlink;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::repos::{bd_in, contributing, issues, joined, ledger, put_issues, repo};

#[test]
fn repo_add_remove_list() {
    let env = Env::new();
    repo(&env, "home/plan", "plan");
    put_issues(&env, "home/plan", &["plan-far"]);
    let before = ledger(&env, "home/plan");
    assert_data_eq!(
        env.script(
            "repo
             repo add ~/plan
             repo add ~/plan/.beads
             repo list
             repo list --json
             list
             repo remove plan
             list
             repo remove ~/plan
             repo add .
             repo remove ."
        ),
        str![[r#"
$ bd repo
.  primary  0 issues  writable
$ bd repo add '~/plan'
changed: .beads/run/config.toml (personal)
$ bd repo add '~/plan/.beads'
! ~/plan is already listed in the personal settings
$ bd repo list
.       primary     0 issues  writable
~/plan  additional  1 issue   writable
$ bd repo list --json
[
  {
    "id": "rp_dchy2fxt8thq",
    "source_repo": ".",
    "path": "$ROOT/web",
    "kind": "primary",
    "ledger": "$ROOT/web/.beads/beads.jsonl",
    "issues": 0,
    "writable": true,
    "auto_commit": false
  },
  {
    "id": "rp_j1tm1ryuutjv",
    "source_repo": "~/plan",
    "path": "$ROOT/home/plan",
    "kind": "additional",
    "origin": "personal",
    "ledger": "$ROOT/home/plan/.beads/beads.jsonl",
    "issues": 1,
    "writable": true,
    "auto_commit": false
  }
]
$ bd list
plan-far  P2  open  task  PLAN-FAR (~/plan)
$ bd repo remove plan
changed: .beads/run/config.toml (personal)
$ bd list
! no issues yet; add one with `bd add "Title"`
$ bd repo remove '~/plan'
! error: no repo "~/plan" in this project; it has .
! hint: run `bd repo list` to see the repos, or `bd repo add PATH` to join one
[exit 3]
$ bd repo add .
! error: . is this project's own repo; it is always read
[exit 2]
$ bd repo remove .
! error: . is this project's own repo; it cannot be removed
[exit 2]

"#]]
        .raw()
    );
    assert_eq!(ledger(&env, "home/plan"), before);
}

#[test]
fn every_answer_names_the_repo() {
    let env = joined();
    env.given(
        "dep add bd-own plan-far
         label add plan-far x",
    );
    let of = |line: &str, id: &str| {
        let run = env.bd(line.split(' ')).ok();
        let json = run.json();
        let rows = json.as_array().cloned().unwrap_or_else(|| vec![json.clone()]);
        let row = rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("{}", run.snapshot()));
        row["source_repo"].as_str().unwrap_or_else(|| panic!("no source_repo\n{}", run.snapshot())).to_owned()
    };
    for line in [
        "list --json",
        "ready --json",
        "search far --json",
        "show plan-far --json",
        "dep tree bd-own --json",
        "update plan-far -p 1 --json",
        "note plan-far x --json",
        "status plan-far blocked --json",
        "defer plan-far --until 2w --json",
        "undefer plan-far --json",
        "work plan-far --json",
        "close plan-far --json",
        "reopen plan-far --json",
    ] {
        assert_eq!(of(line, "plan-far"), "~/plan", "{line}");
    }
    for line in
        ["list --json", "blocked --json", "show bd-own --json", "dep tree bd-own --json", "update bd-own -p 1 --json"]
    {
        assert_eq!(of(line, "bd-own"), ".", "{line}");
    }
    assert_eq!(env.bd(["show", "bd-own", "--json"]).json()[0]["dependencies"][0]["source_repo"], "~/plan");
    let add = |args: &[&str]| env.bd(["add", "New", "--json"].iter().chain(args)).ok().json()["source_repo"].clone();
    assert_eq!((add(&[]), add(&["--repo", "plan"])), (".".into(), "~/plan".into()));
    for below in ["web", "home/plan"] {
        assert!(!ledger(&env, below).contains("source_repo"), "it is never stored");
    }
}

#[test]
fn a_repo_is_named_in_many_ways() {
    let env = joined();
    std::fs::create_dir_all(env.path("src/deep")).unwrap();
    let absolute = env.root().join("home/plan").to_str().unwrap().to_owned();
    for (from, name) in [
        ("web", "~/plan"),
        ("web", "plan"),
        ("web", "../home/plan"),
        ("web", "../home/plan/"),
        ("web", "~/plan/.beads"),
        ("web", absolute.as_str()),
        ("web/src/deep", "~/plan"),
        ("web/src/deep", "plan"),
        ("web/src/deep", "../../../home/plan"),
        ("web/src/deep", absolute.as_str()),
    ] {
        for line in ["list", "show", "ready", "search FAR"] {
            let args = line.split(' ').chain(["--repo", name, "--json"]);
            let run = bd_in(&env, from, args).ok();
            assert_eq!(run.ids(), ["plan-far"], "from {from}: {}", run.snapshot());
        }
        assert_eq!(bd_in(&env, from, ["stats", "--repo", name, "--json"]).ok().json()["total_issues"], 1);
        assert_eq!(bd_in(&env, from, ["count", "--repo", name, "--json"]).ok().json()["count"], 1);
        let add = bd_in(&env, from, ["add", "x", "--repo", name, "--dry-run", "--json"]).ok();
        assert_eq!(add.json()[0]["source_repo"], "~/plan");
    }
    for from in ["web", "web/src/deep"] {
        assert_eq!(bd_in(&env, from, ["list", "--repo", ".", "--json"]).ok().ids(), ["bd-own"], "from {from}");
    }
    let both = env.bd(["list", "--repo", ".", "--repo", "plan", "--json", "--sort", "id"]).ok();
    assert_eq!(both.ids(), ["bd-own", "plan-far"]);
}

#[test]
fn an_unknown_repo_is_not_found() {
    let env = joined();
    for line in ["list", "show", "ready", "search FAR", "stats", "count"] {
        let args = line.split(' ').chain(["--repo", "nosuch"]);
        env.bd(args).fails(3, &["no repo \"nosuch\" in this project; it has ., ~/plan", "bd repo list"]);
    }
    let before = (env.ledger_text(), ledger(&env, "home/plan"));
    env.bd(["add", "x", "--repo", "nosuch"]).fails(3, &["no repo \"nosuch\""]);
    env.bd(["add", "x", "--repo", "~/nosuch"]).fails(9, &["no repo at ~/nosuch"]);
    assert_eq!((env.ledger_text(), ledger(&env, "home/plan")), before);
}

#[test]
fn one_directory_counts_once() {
    let env = joined();
    symlink(env.root().join("home/plan"), env.root().join("home/alias")).unwrap();
    env.write(".beads/run/config.toml", "[repos]\nadditional = [\"~/alias\", \"~/plan/.beads\", \"../home/plan\"]\n");
    let run = env.bd(["list", "--json", "--sort", "id"]).ok();
    assert_eq!(run.ids(), ["bd-own", "plan-far"]);
    assert_eq!(env.bd(["repo", "list", "--json"]).ok().json().as_array().unwrap().len(), 2);
    let far = env.bd(["list", "--repo", "~/alias", "--json"]).ok();
    assert_eq!(far.ids(), ["plan-far"]);
    env.bd(["repo", "add", "~/alias"]).ok();
    assert_eq!(env.bd(["repo", "list", "--json"]).ok().json().as_array().unwrap().len(), 2);
}

#[test]
fn a_name_that_two_repos_share_stands_for_neither() {
    let env = joined();
    repo(&env, "home/other/plan", "other");
    put_issues(&env, "home/other/plan", &["other-1"]);
    env.given("repo add ~/other/plan");
    env.bd(["list", "--repo", "plan"]).fails(3, &["no repo \"plan\" in this project; it has ., ~/plan, ~/other/plan"]);
    assert_eq!(env.bd(["list", "--repo", "~/plan", "--json"]).ok().ids(), ["plan-far"]);
}

#[test]
fn the_same_id_in_two_repos() {
    let env = joined();
    let far =
        issues(&["bd-own", "plan-far"]).replace("BD-OWN", "As planned").replace("\"priority\":2", "\"priority\":0");
    std::fs::write(env.root().join("home/plan/.beads/beads.jsonl"), far).unwrap();
    assert_data_eq!(
        env.script(
            "list
             list --copies
             show bd-own
             show bd-own --copies
             show bd-own --repo plan
             list --repo plan
             ready
             stats --repo plan"
        ),
        str![[r#"
$ bd list
plan-far  P0  open  task  PLAN-FAR (~/plan)
bd-own    P2  open  task  BD-OWN
$ bd list --copies
bd-own    P0  open  task  As planned (~/plan) (behind another copy)
plan-far  P0  open  task  PLAN-FAR (~/plan)
bd-own    P2  open  task  BD-OWN
$ bd show bd-own
bd-own  BD-OWN
P2  open  task
Created     2026-01-02 09:00
Updated     2026-01-02 09:00
Stored in   . (.beads/beads.jsonl:1), writable
Copies in   ~/plan
$ bd show bd-own --copies
bd-own  BD-OWN
P2  open  task
Created     2026-01-02 09:00
Updated     2026-01-02 09:00
Stored in   . (.beads/beads.jsonl:1), writable
Copies in   ~/plan

bd-own  As planned
P0  open  task
Created     2026-01-02 09:00
Updated     2026-01-02 09:00
Stored in   ~/plan (~/plan/.beads/beads.jsonl:1), writable, behind another repo's copy
Copies in   .
$ bd show bd-own --repo plan
bd-own  As planned
P0  open  task
Created     2026-01-02 09:00
Updated     2026-01-02 09:00
Stored in   ~/plan (~/plan/.beads/beads.jsonl:1), writable, behind another repo's copy
Copies in   .
$ bd list --repo plan
plan-far  P0  open  task  PLAN-FAR (~/plan)
$ bd ready
plan-far  P0  open  task  PLAN-FAR (~/plan)
bd-own    P2  open  task  BD-OWN
$ bd stats --repo plan
Total Issues:        1
Open:                1
In Progress:         0
Ready:               1
Blocked:             0
Deferred:            0
Closed:              0
Deleted:             0
Epics to close:      0

"#]]
        .raw()
    );
    let before = ledger(&env, "home/plan");
    env.given("update bd-own --title Changed");
    assert_eq!(ledger(&env, "home/plan"), before, "the effective copy is written");
    assert!(env.ledger_text().contains("\"title\":\"Changed\""));
}

#[test]
fn semantic_labels_sort_first_wherever_they_live_and_never_route() {
    let env = contributing();
    env.given(
        "--config routing.mode=single add 'Near, urgent' --id bd-urgent -p 0
         --config routing.mode=single add 'Near blocker' --id bd-blocker -p 4 -l discovered:blocker
         add 'Far baseline' --id plan-base -p 4 -l baseline-failure
         add 'Far blocker' --id plan-blocker -p 3 -l discovered:blocker
         --config routing.mode=single add 'Near baseline' --id bd-base -p 3 -l baseline-failure",
    );
    assert_eq!(
        env.bd(["ready", "--json"]).ok().ids(),
        ["bd-base", "plan-base", "plan-blocker", "bd-blocker", "bd-urgent", "bd-own", "plan-far"]
    );
    for label in ["discovered:blocker", "discovered:related", "no-auto-claim", "baseline-failure", "plan", "repo:."] {
        let run = env.bd(["add", "Labelled", "-l", label, "--dry-run", "--json"]).ok();
        assert_eq!(run.json()[0]["source_repo"], "~/plan", "{label}");
    }
}

#[test]
fn what_belongs_together_stays_together() {
    let env = joined();
    assert_data_eq!(
        env.script(
            "add 'Child' --parent plan-far --dry-run
             add 'Found' --deps discovered-from:plan-far --dry-run
             add 'Waits' --deps blocks:plan-far --dry-run
             add 'Child' --parent plan-far --repo . --dry-run
             add 'Both' --parent bd-own --deps discovered-from:plan-far --dry-run
             add 'Plain' --dry-run --json
             add 'Child' --parent plan-far --id plan-child
             add 'Grandchild' --parent plan-child --json --id plan-grandchild"
        ),
        str![[r#"
$ bd add Child --parent plan-far --dry-run
Would file P2 task "Child" in ~/plan/.beads/beads.jsonl
  repo ~/plan: its parent plan-far lives there
$ bd add Found --deps discovered-from:plan-far --dry-run
Would file P2 task "Found" in ~/plan/.beads/beads.jsonl
  repo ~/plan: its origin plan-far lives there
$ bd add Waits --deps blocks:plan-far --dry-run
Would file P2 task "Waits" in .beads/beads.jsonl
  repo .: routing.mode is single
$ bd add Child --parent plan-far --repo . --dry-run
Would file P2 task "Child" in .beads/beads.jsonl
  repo .: --repo names it
$ bd add Both --parent bd-own --deps discovered-from:plan-far --dry-run
Would file P2 task "Both" in .beads/beads.jsonl
  repo .: its parent bd-own lives there
$ bd add Plain --dry-run --json
[
  {
    "dry_run": true,
    "title": "Plain",
    "issue_type": "task",
    "priority": 2,
    "ledger": "$ROOT/web/.beads/beads.jsonl",
    "source_repo": ".",
    "routing_rule": "routing.mode is single"
  }
]
$ bd add Child --parent plan-far --id plan-child
Created issue in ~/plan: plan-child
$ bd add Grandchild --parent plan-child --json --id plan-grandchild
{
  "id": "plan-grandchild",
  "title": "Grandchild",
  "created_by": "ann",
  "status": "open",
  "priority": 2,
  "issue_type": "task",
  "created_at": "2026-01-05T09:00:09.000Z",
  "updated_at": "2026-01-05T09:00:09.000Z",
  "parent": "plan-child",
  "visibility": "canonical",
  "source_repo": "~/plan",
  "dependency_count": 1,
  "comment_count": 0
}

"#]]
        .raw()
    );
    assert_eq!(env.ledger_text().lines().count(), 1);
    assert_eq!(ledger(&env, "home/plan").lines().count(), 3);
}
