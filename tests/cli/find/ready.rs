//! What to do next: ready, blocked, children, stale, duplicates.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::find::listing::project;
use crate::support::harness::Env;

#[test]
fn ready_offers_what_nothing_blocks() {
    let env = project();
    env.given(
        "add 'Tests are red' -p 4 --id bd-red -l baseline-failure
         add 'In the way' -p 4 --id bd-way -l discovered:blocker",
    );
    assert_data_eq!(
        env.script(
            "ready
             ready -n 1
             ready --sort oldest
             ready --type gate
             ready --sort colour"
        ),
        str![[r#"
$ bd ready
bd-red    P4  open  task  Tests are red #baseline-failure
bd-way    P4  open  task  In the way #discovered:blocker
bd-login  P0  open  bug   Login fails on Safari
bd-form   P2  open  task  Move the form @bob
$ bd ready -n 1
bd-red  P4  open  task  Tests are red #baseline-failure
! 1 of 4 issues shown; --limit 0 shows all
$ bd ready --sort oldest
bd-form   P2  open  task  Move the form @bob
bd-login  P0  open  bug   Login fails on Safari
bd-red    P4  open  task  Tests are red #baseline-failure
bd-way    P4  open  task  In the way #discovered:blocker
$ bd ready --type gate
! nothing that matches is ready; run `bd blocked` to see what waits
$ bd ready --sort colour
! error: invalid value 'colour' for '--sort <ORDER>': one of priority hybrid oldest, or one of priority created updated closed due id title status type assignee
! 
! For more information, try '--help'.
[exit 2]

"#]]
        .raw()
    );
    assert_data_eq!(env.bd(["ready", "--assignee", "bob", "--json"]).compact(), str![[r#"
$ bd ready --assignee bob --json
[
{"id":"bd-form","title":"Move the form","assignee":"bob","created_by":"ann","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:01.000Z","updated_at":"2026-01-05T09:00:01.000Z","parent":"bd-epic","visibility":"canonical","source_repo":".","dependency_count":1,"dependent_count":1,"comment_count":0}
]

"#]].raw());
    assert_data_eq!(
        env.bd(["ready", "-t", "gate", "--json"]).snapshot(),
        str![[r#"
$ bd ready -t gate --json
[]

"#]]
        .raw()
    );
}

#[test]
fn blocked_names_the_blockers() {
    let env = project();
    env.given(
        "dep add epic login
         update login --status blocked",
    );
    assert_data_eq!(
        env.script(
            "blocked
             blocked --parent epic
             blocked --parent nosuch"
        ),
        str![[r#"
$ bd blocked
bd-login  P0  blocked  bug   Login fails on Safari
bd-epic   P1  open     epic  Rework the settings page #ui
    waits for bd-login
bd-form   P2  open     task  Move the form @bob
    is below bd-epic, which is blocked
bd-save   P2  open     task  Validate on save #backend #ui
    waits for bd-form
    is below bd-epic, which is blocked
$ bd blocked --parent epic
bd-form  P2  open  task  Move the form @bob
    is below bd-epic, which is blocked
bd-save  P2  open  task  Validate on save #backend #ui
    waits for bd-form
    is below bd-epic, which is blocked
$ bd blocked --parent nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    assert_data_eq!(env.bd(["blocked", "--json"]).compact(), str![[r#"
$ bd blocked --json
[
{"id":"bd-login","title":"Login fails on Safari","description":"Cookies are lost.","created_by":"ann","field_times":{"at":"2026-01-05T09:00:09.000Z","status":"2026-01-05T09:00:09.000Z"},"status":"blocked","priority":0,"issue_type":"bug","created_at":"2026-01-05T09:00:03.000Z","updated_at":"2026-01-05T09:00:09.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"dependent_count":1,"comment_count":0,"blocked_by_count":0,"blocked_by":[]},
{"id":"bd-epic","title":"Rework the settings page","created_by":"ann","status":"open","priority":1,"issue_type":"epic","created_at":"2026-01-05T09:00:00.000Z","updated_at":"2026-01-05T09:00:08.000Z","labels":["ui"],"visibility":"canonical","source_repo":".","dependency_count":1,"dependent_count":2,"comment_count":0,"blocked_by_count":1,"blocked_by":["bd-login"]},
{"id":"bd-form","title":"Move the form","assignee":"bob","created_by":"ann","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:01.000Z","updated_at":"2026-01-05T09:00:01.000Z","parent":"bd-epic","visibility":"canonical","source_repo":".","dependency_count":1,"dependent_count":1,"comment_count":0,"blocked_by_count":1,"blocked_by":["bd-epic"]},
{"id":"bd-save","title":"Validate on save","created_by":"ann","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","updated_at":"2026-01-05T09:00:02.000Z","labels":["backend","ui"],"parent":"bd-epic","visibility":"canonical","source_repo":".","dependency_count":2,"dependent_count":0,"comment_count":0,"blocked_by_count":2,"blocked_by":["bd-form","bd-epic"]}
]

"#]].raw());
    assert_data_eq!(
        Env::new().script("blocked\nblocked --json"),
        str![[r#"
$ bd blocked
! nothing is blocked
$ bd blocked --json
[]

"#]]
        .raw()
    );
}

#[test]
fn children_of_an_issue() {
    let env = project();
    env.given("close form");
    assert_data_eq!(
        env.script(
            "children epic
             children login
             children login --json
             children nosuch"
        ),
        str![[r#"
$ bd children epic
bd-save  P2  open    task  Validate on save #backend #ui
bd-form  P2  closed  task  Move the form @bob
$ bd children login
! no children
$ bd children login --json
[]
$ bd children nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]

"#]]
        .raw()
    );
    assert_eq!(env.bd(["children", "epic", "--json"]).ids(), ["bd-save", "bd-form"]);
}

#[test]
fn stale_lists_the_untouched() {
    let env = Env::with_ledger(concat!(
        r#"{"id":"bd-new","title":"New","status":"open","updated_at":"2026-01-04T00:00:00Z"}"#,
        "\n",
        r#"{"id":"bd-old","title":"Old","status":"in_progress","updated_at":"2025-11-01T00:00:00Z"}"#,
        "\n",
        r#"{"id":"bd-older","title":"Older","status":"open","updated_at":"2025-10-01T00:00:00Z"}"#,
        "\n"
    ));
    assert_data_eq!(
        env.script(
            "stale
             stale --days 80
             stale --status in_progress
             stale --days 400
             stale --days 400 --json
             stale --days soon
             stale --status bogus"
        ),
        str![[r#"
$ bd stale
bd-older  P0  open         task  Older
bd-old    P0  in_progress  task  Old
$ bd stale --days 80
bd-older  P0  open  task  Older
$ bd stale --status in_progress
bd-old  P0  in_progress  task  Old
$ bd stale --days 400
! nothing is stale
$ bd stale --days 400 --json
[]
$ bd stale --days soon
! error: not a number: soon (for --days <N>)
! 
! For more information, try '--help'.
[exit 2]
$ bd stale --status bogus
! error: invalid status "bogus"; known: open in_progress blocked deferred closed pinned hooked
[exit 2]

"#]]
        .raw()
    );
    assert_eq!(env.bd(["stale", "--json"]).ids(), ["bd-older", "bd-old"]);
}

#[test]
fn duplicates_by_title() {
    let env = Env::new();
    env.given(
        "add 'Fix the parser' --id bd-1
         add 'fix  the Parser!' --id bd-2
         add 'Other' --id bd-3",
    );
    assert_data_eq!(
        env.script(
            "duplicates
             close 2
             duplicates
             duplicates --json
             duplicates --bogus"
        ),
        str![[r#"
$ bd duplicates
bd-1  P2  open  task  Fix the parser
bd-2  P2  open  task  fix  the Parser!
$ bd close 2
Closed bd-2
$ bd duplicates
! no duplicates
$ bd duplicates --json
{
  "duplicate_groups": 0,
  "groups": []
}
$ bd duplicates --bogus
! error: unexpected argument '--bogus' found
! 
! Usage: bd duplicates [OPTIONS]
! 
! For more information, try '--help'.
[exit 2]

"#]]
        .raw()
    );
    let groups = env.bd(["duplicates", "--all", "--json"]).json();
    assert_eq!((&groups["duplicate_groups"], &groups["groups"][0]["issues"][1]["id"]), (&1.into(), &"bd-2".into()));
}
