//! Reasons and numbers: why, stats; and --quiet.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::find::listing::project;
use crate::support::harness::Env;

#[test]
fn why_names_every_reason() {
    let env = project();
    env.given(
        "dep add epic login
         defer login --until 2026-02-01
         update save --status blocked
         close form",
    );
    assert_data_eq!(
        env.script(
            "why save
             why login
             why epic
             why docs
             why twice
             why nosuch"
        ),
        str![[r#"
$ bd why save
bd-save is not ready:
  its status is blocked, only open issues are offered
  its ancestor bd-epic is blocked by bd-login
  no longer waits for bd-form
$ bd why login
bd-login is not ready:
  it is deferred until 2026-02-01
$ bd why epic
bd-epic is not ready:
  it waits for bd-login
  it is an epic with open children (listed by `bd ready --include-epics`): bd-save
$ bd why docs
bd-docs is not ready:
  its status is closed, only open issues are offered
$ bd why twice
bd-twice is not ready:
  its status is tombstone, only open issues are offered
$ bd why nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    assert_data_eq!(
        env.bd(["why", "save", "--json"]).snapshot(),
        str![[r#"
$ bd why save --json
{
  "id": "bd-save",
  "title": "Validate on save",
  "status": "blocked",
  "ready": false,
  "reasons": [
    {
      "reason": "status",
      "text": "its status is blocked, only open issues are offered"
    },
    {
      "reason": "blocked_ancestor",
      "text": "its ancestor bd-epic is blocked by bd-login",
      "id": "bd-epic",
      "blockers": [
        "bd-login"
      ]
    }
  ],
  "unknown_dependencies": [],
  "satisfied": [
    "bd-form"
  ]
}

"#]]
        .raw()
    );
    assert_data_eq!(
        project().script("why login"),
        str![[r#"
$ bd why login
bd-login is ready

"#]]
        .raw()
    );
}

#[test]
fn why_and_ready_agree() {
    let env = project();
    env.given("dep add epic login");
    let ready = env.bd(["ready", "--json"]).ids();
    for id in ["bd-epic", "bd-form", "bd-save", "bd-login", "bd-docs", "bd-twice"] {
        let said = env.bd(["why", id, "--json"]).json()["ready"].clone();
        assert_eq!(said, ready.contains(&id.to_owned()), "{id}");
    }
}

#[test]
fn stats_add_up() {
    let env = project();
    assert_data_eq!(
        env.script(
            "stats
             stats --json
             stats --bogus"
        ),
        str![[r#"
$ bd stats
Total Issues:        5
Open:                4
In Progress:         0
Ready:               2
Blocked:             1
Deferred:            0
Closed:              1
Deleted:             1
Epics to close:      0
Average lead:      0.0 h
$ bd stats --json
{
  "summary": {
    "total_issues": 5,
    "open_issues": 4,
    "in_progress_issues": 0,
    "closed_issues": 1,
    "blocked_issues": 1,
    "deferred_issues": 0,
    "ready_issues": 2,
    "tombstone_issues": 1,
    "pinned_issues": 0,
    "epics_eligible_for_closure": 0,
    "average_lead_time_hours": 0.0
  },
  "total_issues": 5,
  "open_issues": 4,
  "in_progress_issues": 0,
  "closed_issues": 1,
  "blocked_issues": 1,
  "deferred_issues": 0,
  "ready_issues": 2,
  "tombstone_issues": 1,
  "pinned_issues": 0,
  "epics_eligible_for_closure": 0,
  "average_lead_time_hours": 0.0
}
$ bd stats --bogus
! error: unexpected argument '--bogus' found
! 
! Usage: bd stats [OPTIONS]
! 
! For more information, try '--help'.
[exit 2]

"#]]
        .raw()
    );
    assert_eq!(env.bd(["status"]).stdout, env.bd(["stats"]).stdout);
    assert_eq!(env.bd(["status", "--json"]).json(), env.bd(["stats", "--json"]).json());
}

#[test]
fn stats_of_an_empty_ledger() {
    let numbers = Env::new().bd(["stats", "--json"]).json();
    assert_eq!((&numbers["total_issues"], &numbers["average_lead_time_hours"]), (&0.into(), &0.0.into()));
}

#[test]
fn quiet_prints_data_only() {
    let env = project();
    assert_data_eq!(
        env.script(
            "list --quiet --type spike
             close login --quiet
             --quiet close nosuch"
        ),
        str![[r#"
$ bd list --quiet --type spike
$ bd close login --quiet
$ bd --quiet close nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    assert!(env.bd(["add", "x", "--quiet"]).ok().stdout.contains("bd-"), "the new id is data");
}
