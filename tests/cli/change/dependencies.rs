//! Dependencies: dep add, remove, list, tree.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;

fn three() -> Env {
    let env = Env::new();
    env.given(
        "add 'Choose a layout' -p 1 --id bd-layout
         add 'Write the storage' --id bd-store
         add 'Release' --id bd-release",
    );
    env
}

#[test]
fn dep_add_and_remove() {
    let env = three();
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "dep add store layout
             dep add store layout
             dep store --blocks release
             ready
             dep remove store layout
             dep rm release store"
        ),
        str![[r#"
$ bd dep add store layout
Added dependency: bd-store now waits for bd-layout
$ bd dep add store layout
Nothing to change: bd-store already waits for bd-layout
$ bd dep store --blocks release
Added dependency: bd-release now waits for bd-store
$ bd ready
bd-layout  P1  open  task  Choose a layout
$ bd dep remove store layout
Removed dependency: bd-store no longer depends on bd-layout
$ bd dep rm release store
Removed dependency: bd-release no longer depends on bd-store

"#]]
        .raw()
    );
    let empty = String::from_utf8(before).unwrap();
    let now = env.ledger_text();
    assert_eq!(now.lines().next(), empty.lines().next(), "only the dependent's line changes");
    assert!(!now.contains("dependencies"), "{now}");
}

#[test]
fn dep_add_writes_one_edge() {
    let env = three();
    env.given("dep add store layout -t discovered-from");
    let line = env.ledger_text().lines().nth(2).unwrap().to_owned();
    assert_data_eq!(line, str![[r#"{"id":"bd-store","title":"Write the storage","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:01.000Z","created_by":"ann","updated_at":"2026-01-05T09:00:03.000Z","dependencies":[{"issue_id":"bd-store","depends_on_id":"bd-layout","type":"discovered-from","created_at":"2026-01-05T09:00:03.000Z","created_by":"ann"}]}"#]].raw());
}

#[test]
fn dep_json() {
    let env = three();
    let all: String = [
        "dep add store layout --json",
        "dep store --blocks release --json",
        "dep add release layout --type related --json",
        "dep remove store layout --json",
        "dep list release --json",
        "dep tree release --json",
        "dep cycles --json",
    ]
    .iter()
    .map(|line| env.bd(line.split(' ')).compact())
    .collect();
    assert_data_eq!(all, str![[r#"
$ bd dep add store layout --json
{"status":"added","issue_id":"bd-store","depends_on_id":"bd-layout","type":"blocks"}
$ bd dep store --blocks release --json
{"status":"added","blocker_id":"bd-store","blocked_id":"bd-release","type":"blocks"}
$ bd dep add release layout --type related --json
{"status":"added","issue_id":"bd-release","depends_on_id":"bd-layout","type":"related"}
$ bd dep remove store layout --json
{"status":"removed","issue_id":"bd-store","depends_on_id":"bd-layout"}
$ bd dep list release --json
[
{"id":"bd-store","title":"Write the storage","created_by":"ann","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:01.000Z","updated_at":"2026-01-05T09:00:06.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"dependent_count":1,"comment_count":0,"dependency_type":"blocks"},
{"id":"bd-layout","title":"Choose a layout","created_by":"ann","status":"open","priority":1,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","updated_at":"2026-01-05T09:00:00.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"dependent_count":1,"comment_count":0,"dependency_type":"related"}
]
$ bd dep tree release --json
[
{"id":"bd-release","title":"Release","created_by":"ann","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:02.000Z","updated_at":"2026-01-05T09:00:05.000Z","visibility":"canonical","source_repo":".","dependency_count":2,"dependent_count":0,"comment_count":0,"dependency_type":"","depth":0,"parent_id":"","truncated":false},
{"id":"bd-store","title":"Write the storage","created_by":"ann","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-05T09:00:01.000Z","updated_at":"2026-01-05T09:00:06.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"dependent_count":1,"comment_count":0,"dependency_type":"blocks","depth":1,"parent_id":"bd-release","truncated":false},
{"id":"bd-layout","title":"Choose a layout","created_by":"ann","status":"open","priority":1,"issue_type":"task","created_at":"2026-01-05T09:00:00.000Z","updated_at":"2026-01-05T09:00:00.000Z","visibility":"canonical","source_repo":".","dependency_count":0,"dependent_count":1,"comment_count":0,"dependency_type":"related","depth":1,"parent_id":"bd-release","truncated":false}
]
$ bd dep cycles --json
[]

"#]].raw());
}

#[test]
fn dep_refusals() {
    let env = three();
    env.given(
        "dep add store layout
         dep add release store
         update store --parent layout",
    );
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "dep add layout layout
             dep add layout release
             dep add layout release --json
             update layout --parent store
             dep add layout store -t parent-child
             dep add store nosuch
             dep add nosuch store
             dep add store layout -t 'Not A Type'
             dep remove layout release
             dep remove layout nosuch
             dep list nosuch
             dep list store --direction sideways
             dep tree nosuch
             dep add store"
        ),
        str![[r#"
$ bd dep add layout layout
! error: bd-layout cannot depend on itself
[exit 5]
$ bd dep add layout release
! error: bd-layout cannot depend on bd-release: that would close a cycle (bd-layout -> bd-release -> bd-store -> bd-layout)
! hint: run `bd dep tree ID` to see the dependencies
[exit 5]
$ bd dep add layout release --json
! {"error":{"code":"illegal","message":"bd-layout cannot depend on bd-release: that would close a cycle (bd-layout -> bd-release -> bd-store -> bd-layout)","hint":"run `bd dep tree ID` to see the dependencies","recoverable":false,"exit_code":5}}
[exit 5]
$ bd update layout --parent store
! error: bd-layout cannot depend on bd-store: that would close a cycle (bd-layout -> bd-store -> bd-layout)
! hint: run `bd dep tree ID` to see the dependencies
[exit 5]
$ bd dep add layout store -t parent-child
! error: bd-layout cannot depend on bd-store: that would close a cycle (bd-layout -> bd-store -> bd-layout)
! hint: run `bd dep tree ID` to see the dependencies
[exit 5]
$ bd dep add store nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd dep add nosuch store
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd dep add store layout -t 'Not A Type'
! error: invalid dependency type "Not A Type": lower-case letters, digits and dashes, at most 50
[exit 2]
$ bd dep remove layout release
! error: bd-layout does not depend on bd-release: dependency not found
[exit 3]
$ bd dep remove layout nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd dep list nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd dep list store --direction sideways
! error: invalid value 'sideways' for '--direction <WAY>'
!   [possible values: down, up]
! 
! For more information, try '--help'.
[exit 2]
$ bd dep tree nosuch
! error: no issue found matching "nosuch": not found
! hint: run `bd list --all` to see every id
[exit 3]
$ bd dep add store
! error: the following required arguments were not provided:
!   <TARGET>
! 
! Usage: bd dep add <ID> <TARGET>
! 
! For more information, try '--help'.
[exit 2]

"#]].raw()
    );
    assert_eq!(env.ledger(), before);
}

#[test]
fn nothing_begins_to_wait_for_a_deleted_issue() {
    let env = three();
    env.given("delete layout --yes");
    // An edge left by another program or a merge is not new, and does not block anything.
    let kept = "{\"issue_id\":\"bd-store\",\"depends_on_id\":\"bd-layout\",\"type\":\"blocks\"}";
    let title = "\"title\":\"Write the storage\",";
    let text = env.ledger_text().replace(title, &format!("{title}\"dependencies\":[{kept}],"));
    assert!(text.contains(kept), "{text}");
    env.put_ledger(&text);
    env.bd(["doctor"]).ok();
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-store", "bd-release"]);
    env.given("dep add store layout");
    assert_eq!(env.ledger_text(), text);
    for line in [
        "dep add release layout",
        "dep release --blocks layout",
        "dep add release layout -t parent-child",
        "dep add release layout -t waits-for",
        "add New --parent layout",
        "add New --deps layout",
        "update release --parent layout",
        "checkpoint add bd-layout -m half",
    ] {
        env.bd(crate::support::harness::words(line)).fails(5, &["bd-layout is deleted", "bd reopen bd-layout"]);
        assert_eq!(env.ledger_text(), text, "{line}");
    }
    let run = env.bd(["add", "Found", "--id", "bd-found", "--deps", "discovered-from:layout"]).ok();
    let told = "warning: bd-found now refers (discovered-from) to bd-layout, which is deleted";
    assert!(run.stderr.contains(told), "{}", run.snapshot());
    let run = env.bd(["dep", "add", "store", "layout", "-t", "related"]).ok();
    assert!(run.stderr.contains("bd-store now refers (related) to bd-layout"), "{}", run.snapshot());
    let run = env.bd(["list"]).ok();
    assert_eq!(run.stderr, "", "it is said once");
    env.given("reopen layout\ndep add release layout\nadd New --parent layout");
}

#[test]
fn related_issues_may_form_a_circle() {
    let env = three();
    env.given(
        "dep add store layout -t related
         dep add layout store -t related",
    );
    assert_eq!(env.bd(["ready", "--json"]).ids().len(), 3);
}

#[test]
fn dep_list_and_tree() {
    let env = three();
    env.given(
        "dep add release store
         dep add release layout -t related
         dep add store layout
         dep add release external:other:login",
    );
    assert_data_eq!(
        env.script(
            "dep list release
             dep list layout --direction up
             dep list release -t related
             dep list layout
             dep tree release
             dep tree layout --reverse
             dep tree release --max-depth 1"
        ),
        str![[r#"
$ bd dep list release
bd-store              blocks   open          Write the storage
bd-layout             related  open          Choose a layout
external:other:login  blocks   in no ledger
$ bd dep list layout --direction up
bd-release  related  open  Release
bd-store    blocks   open  Write the storage
$ bd dep list release -t related
bd-layout  related  open  Choose a layout
$ bd dep list layout
! no dependencies
$ bd dep tree release
bd-release  P2 open  Release
|- waits for bd-store  P2 open  Write the storage
|  `- waits for bd-layout  P1 open  Choose a layout
|- related to bd-layout (see above)
`- waits for external:other:login  in no ledger
$ bd dep tree layout --reverse
bd-layout  P1 open  Choose a layout
|- related to bd-release  P2 open  Release
`- blocks bd-store  P2 open  Write the storage
   `- blocks bd-release (see above)
$ bd dep tree release --max-depth 1
bd-release  P2 open  Release
|- waits for bd-store  P2 open  Write the storage ...
|- related to bd-layout  P1 open  Choose a layout
`- waits for external:other:login  in no ledger

"#]]
        .raw()
    );
}

#[test]
fn an_unknown_type_is_kept_and_said() {
    let env = three();
    assert_data_eq!(
        env.script("dep add store layout -t inspired-by\nready"),
        str![[r#"
$ bd dep add store layout -t inspired-by
Added dependency: bd-store now depends on bd-layout (inspired-by)
! warning: type inspired-by is kept, but has no effect on what is ready
$ bd ready
bd-layout   P1  open  task  Choose a layout
bd-store    P2  open  task  Write the storage
bd-release  P2  open  task  Release

"#]]
        .raw()
    );
}

/// Everything waits for everything that comes later: without an end to repeats, a tree of it has 2^18 lines.
#[test]
fn a_tree_draws_each_issue_once_with_what_is_below_it() {
    let count = 20;
    let line = |n: usize| {
        let edge =
            |to: usize| format!("{{\"issue_id\":\"bd-{n:02}\",\"depends_on_id\":\"bd-{to:02}\",\"type\":\"blocks\"}}");
        let edges: Vec<String> = (n + 1..count).map(edge).collect();
        format!(
            "{{\"id\":\"bd-{n:02}\",\"title\":\"T\",\"status\":\"open\",\"priority\":2,\"dependencies\":[{}]}}\n",
            edges.join(",")
        )
    };
    let env = Env::with_ledger((0..count).map(line).collect::<String>());
    let drawn = env.bd(["dep", "tree", "bd-00"]).ok().stdout;
    let lines: Vec<&str> = drawn.lines().collect();
    // One line for each edge, and the root.
    assert_eq!(lines.len(), count * (count - 1) / 2 + 1);
    let repeats = lines.iter().filter(|line| line.ends_with("(see above)")).count();
    // All edges but the first to each issue.
    assert_eq!(repeats, lines.len() - count);
    // A subtree cut off by the depth limit is drawn where there is room for it.
    let env = Env::new();
    env.given(
        "add A --id bd-a
         add D --id bd-d
         add C --id bd-c --deps bd-d
         add B --id bd-b --deps bd-c
         dep add bd-a bd-b
         dep add bd-a bd-c",
    );
    let drawn = env.bd(["dep", "tree", "bd-a", "--max-depth", "2"]).ok().stdout;
    assert!(drawn.contains("   `- waits for bd-d"), "{drawn}");
    assert!(drawn.lines().any(|line| line.contains("bd-c") && line.ends_with(" ...")), "{drawn}");
}
