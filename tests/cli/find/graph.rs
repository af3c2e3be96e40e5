//! Cycles and epics: dep cycles, epic.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;

#[test]
fn epics() {
    let env = Env::new();
    env.given(
        "add 'Settings' -t epic --id bd-set
         add 'Empty' -t epic --id bd-empty
         add 'Form' --id bd-form --parent set
         add 'Save' --id bd-save --parent set
         close form",
    );
    assert_data_eq!(
        env.script(
            "epic status
             epic status --eligible-only
             ready
             close save
             epic status --eligible-only
             epic close-eligible --dry-run
             epic close-eligible
             epic status
             epic"
        ),
        str![[r#"
$ bd epic status
bd-set    1/2 closed  Settings
bd-empty  0/0 closed  Empty
$ bd epic status --eligible-only
! no epic has all its children closed
$ bd ready
bd-empty  P2  open  epic  Empty
bd-save   P2  open  task  Save
$ bd close save
Closed bd-save
$ bd epic status --eligible-only
bd-set  2/2 closed  Settings
$ bd epic close-eligible --dry-run
bd-set  2/2 closed  Settings
$ bd epic close-eligible
Closed bd-set
$ bd epic status
bd-empty  0/0 closed  Empty
$ bd epic
bd-empty  0/0 closed  Empty

"#]]
        .raw()
    );
    let status = env.bd(["epic", "status", "--json"]);
    assert_data_eq!(status.compact(), str![[r#"
$ bd epic status --json
[
{"epic":{"id":"bd-empty","title":"Empty","created_by":"ann","status":"open","priority":2,"issue_type":"epic","created_at":"2026-01-05T09:00:01.000Z","updated_at":"2026-01-05T09:00:01.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"dependent_count":0,"comment_count":0},"total_children":0,"closed_children":0,"eligible_for_close":false}
]

"#]].raw());
    env.given("reopen set");
    assert_eq!(env.bd(["epic", "close-eligible", "--json"]).ids(), ["bd-set"]);
    assert_data_eq!(
        env.script("epic status --eligible-only --json"),
        str![[r#"
$ bd epic status --eligible-only --json
[]

"#]]
        .raw()
    );
    let run = env.bd(["epic", "close-eligible"]).ok();
    assert!(!(run.stdout.is_empty() && run.stderr.is_empty()), "says that there is nothing to close");
}

#[test]
fn cycles_in_a_file_are_reported() {
    let edge = |id: &str, target: &str| {
        format!(
            r#"{{"id":"{id}","title":"T","dependencies":[{{"issue_id":"{id}","depends_on_id":"{target}","type":"blocks"}}]}}"#
        )
    };
    let env = Env::with_ledger(format!("{}\n{}\n", edge("bd-a", "bd-b"), edge("bd-b", "bd-a")));
    assert_data_eq!(
        env.script(
            "dep cycles
             ready
             doctor"
        ),
        str![[r#"
$ bd dep cycles
bd-a -> bd-b -> bd-a
$ bd ready
! nothing is ready; run `bd blocked` to see what waits
$ bd doctor
warning: dependency cycle: bd-a -> bd-b -> bd-a
    remove one of these dependencies: run `bd dep remove ISSUE TARGET`

"#]]
        .raw()
    );
    let cycles = env.bd(["dep", "cycles", "--json"]).json();
    assert_eq!((&cycles[0][0]["id"], &cycles[0][1]["id"]), (&"bd-a".into(), &"bd-b".into()));
    assert_data_eq!(
        Env::new().script("dep cycles"),
        str![[r#"
$ bd dep cycles
! no cycles

"#]]
        .raw()
    );
}

#[test]
fn filing_an_awaited_id_closes_no_cycle() {
    let env = Env::with_ledger(concat!(
        r#"{"id":"bd-a","title":"A","dependencies":[{"issue_id":"bd-a","depends_on_id":"bd-z","type":"blocks"}]}"#,
        "\n"
    ));
    env.bd(["add", "Z", "--id", "bd-z", "--deps", "bd-a"]).fails(5, &["cycle"]);
}

/// An epic waits for its children: a child that waits for it, by whatever way, would keep both open for ever.
#[test]
fn a_child_does_not_wait_for_its_own_epic() {
    let env = Env::new();
    env.bd(["add", "Epic", "--id", "bd-e", "-t", "epic"]).ok();
    env.bd(["add", "Child", "--id", "bd-c", "--parent", "bd-e"]).ok();
    env.bd(["add", "Other", "--id", "bd-o"]).ok();
    let around = "cycle (bd-c -> bd-e -> bd-c)";
    env.bd(["dep", "add", "bd-c", "bd-e"]).fails(5, &[around]);
    // By way of another issue, from either end.
    env.bd(["dep", "add", "bd-o", "bd-e"]).ok();
    env.bd(["dep", "add", "bd-c", "bd-o"]).fails(5, &["bd-c -> bd-o -> bd-e -> bd-c"]);
    env.bd(["update", "bd-o", "--parent", "bd-e"]).fails(5, &["bd-e -> bd-o -> bd-e"]);
    env.bd(["dep", "add", "bd-o", "bd-e", "-t", "parent-child"]).fails(5, &["cycle"]);
    for chosen in [&[][..], &["--id", "bd-n"]] {
        for blocker in ["bd-e", "bd-o"] {
            let args = ["add", "New", "--parent", "bd-e", "--deps", blocker];
            env.bd(args.into_iter().chain(chosen.iter().copied())).fails(5, &["cycle", "bd-e"]);
        }
    }
    // Nothing else is refused: an epic may wait for a child, and a task is not an epic.
    env.bd(["dep", "add", "bd-e", "bd-c"]).ok();
    env.bd(["add", "Part", "--id", "bd-p", "--parent", "bd-o"]).ok();
    env.bd(["dep", "add", "bd-p", "bd-o"]).ok();
    env.bd(["dep", "cycles"]).ok();
    assert_eq!(env.bd(["dep", "cycles", "--json"]).ok().stdout, "[]\n");
    // In a file it is found, while it matters.
    let text = env.ledger_text();
    let waits = r#"{"id":"bd-x","title":"X","status":"open","dependencies":[{"issue_id":"bd-x","depends_on_id":"bd-e","type":"blocks"},{"issue_id":"bd-x","depends_on_id":"bd-e","type":"parent-child"}]}"#;
    for (status, found) in [("open", true), ("closed", false)] {
        env.put_ledger(format!("{text}{}\n", waits.replace("open", status)).as_bytes());
        assert_eq!(env.bd(["dep", "cycles", "--json"]).ok().stdout.contains("bd-x"), found, "{status}");
        assert_eq!(env.bd(["doctor"]).stdout.contains("bd-e -> bd-x"), found, "{status}");
    }
}

/// A child waits for what its ancestors wait for: if that waits for the child, none of them could ever be worked on.
#[test]
fn what_an_ancestor_waits_for_does_not_wait_for_its_child() {
    let env = Env::new();
    env.given(
        "add 'Epic' -t epic --id bd-p
         add 'Child' --id bd-c --parent bd-p
         add 'Other' --id bd-d --deps bd-c",
    );
    let before = env.ledger();
    env.bd(["dep", "add", "bd-p", "bd-d"]).fails(5, &["bd-p -> bd-d -> bd-c -> bd-p"]);
    assert_eq!(env.ledger(), before);
    // The same from the other side.
    env.given(
        "dep remove bd-c bd-p
         dep add bd-p bd-d",
    );
    env.bd(["update", "bd-c", "--parent", "bd-p"]).fails(5, &["bd-c -> bd-p -> bd-d -> bd-c"]);
    // A finished issue blocks nothing.
    env.bd(["close", "bd-c"]).ok();
    env.bd(["update", "bd-c", "--parent", "bd-p"]).ok();
    env.bd(["reopen", "bd-c"]).ok();
    assert!(env.bd(["dep", "cycles"]).ok().stdout.contains("bd-c -> bd-p -> bd-d -> bd-c"));
    assert!(env.bd(["doctor"]).stdout.contains("dependency cycle: bd-c -> bd-p -> bd-d -> bd-c"));
    // An epic may wait for its own children.
    env.bd(["dep", "remove", "bd-p", "bd-d"]).ok();
    env.bd(["dep", "add", "bd-p", "bd-c"]).ok();
    assert!(env.bd(["ready", "--ids"]).ok().stdout.contains("bd-c"));
}
