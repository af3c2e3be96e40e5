//! A contributor may write everything in the planning repo, and nothing in the project.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{BD, Env};
use crate::support::repos::{contributing, issues, joined, ledger, put_issues, repo};

#[test]
fn a_contributor_leaves_a_shared_repo_out_for_himself() {
    let env = joined();
    let committed = std::fs::read(env.path(".beads/config.toml")).unwrap();
    env.set("BD_ROLE", "contributor");
    env.bd(["repo", "remove", "~/plan"]).ok();
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-own"]);
    env.bd(["repo", "add", "~/plan"]).ok();
    assert_eq!(env.bd(["list", "--json"]).ok().ids().len(), 2);
    assert_eq!(std::fs::read(env.path(".beads/config.toml")).unwrap(), committed);
}

#[test]
fn removing_the_target_of_a_route_unsets_it() {
    let env = contributing();
    assert_data_eq!(
        env.script(
            "repo remove ~/plan
             add 'Nowhere'"
        ),
        str![[r#"
$ bd repo remove '~/plan'
changed: .beads/run/config.toml (personal)
! routing.auto.contributor named it and is unset
$ bd add Nowhere
! error: you are a contributor here and have no planning repo yet
! hint: run `bd init --contributor`, or name a repo with --repo or `bd config set routing.auto.contributor PATH`; if you maintain this project, run `bd init --maintainer`
[exit 2]

"#]]
        .raw()
    );
}

#[test]
fn a_contributor_plans_below_the_project_s_issues() {
    let env = contributing();
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "add 'Child' --parent bd-own --dry-run
             add 'Child' --parent bd-own --id plan-child
             add 'Found' --deps discovered-from:bd-own --id plan-found
             add 'Deeper' --parent plan-child --dry-run
             children bd-own
             add 'Refused' --repo ."
        ),
        str![[r#"
$ bd add Child --parent bd-own --dry-run
Would file P2 task "Child" in ~/plan/.beads/beads.jsonl
  repo ~/plan: routing.mode is auto and you are a contributor (routing.role in the personal settings says so): routing.auto.contributor; its parent bd-own lives in ., which is not yours to write
$ bd add Child --parent bd-own --id plan-child
Created issue in ~/plan: plan-child
$ bd add Found --deps discovered-from:bd-own --id plan-found
Created issue in ~/plan: plan-found
$ bd add Deeper --parent plan-child --dry-run
Would file P2 task "Deeper" in ~/plan/.beads/beads.jsonl
  repo ~/plan: its parent plan-child lives there
$ bd children bd-own
plan-child  P2  open  task  Child [local] (~/plan, for bd)
$ bd add Refused --repo .
! error: a new issue cannot be written to .: you are a contributor here: routing.role in the personal settings says so
! hint: plan it in your own repo with `bd add`, without --repo; if you maintain this project, run `bd config set routing.role maintainer`
[exit 5]

"#]].raw()
    );
    assert_eq!(env.ledger(), before);
}

/// Every command that writes an issue of the project. Notes and claims have a place beside it: see `beside`.
const WRITES: &[&str] = &[
    "update bd-own -p 0",
    "update bd-own --title 'Mine now'",
    "status bd-own in_progress",
    "close bd-own",
    "reopen bd-gone",
    "label add bd-own x",
    "label remove bd-own l",
    "dep add bd-own bd-later",
    "dep remove bd-own bd-gone",
    "delete bd-own --yes",
    "edit bd-own",
    "defer bd-own --until 2w",
    "undefer bd-later",
    "import more.jsonl",
    "import more.jsonl --repo .",
    "add 'New' --repo .",
    "q 'New' --repo .",
    "migrate --move-to . --filter id=plan-far",
    "migrate --move-to ~/plan --filter id=bd-own",
    "epic close-eligible",
];

#[test]
fn a_contributor_changes_no_byte_of_the_project() {
    let env = Env::new();
    repo(&env, "home/plan", "plan");
    put_issues(&env, "home/plan", &["plan-far"]);
    env.given(
        "add 'Own' --id bd-own -l l
         add 'Gone' --id bd-gone
         dep add bd-own bd-gone
         close bd-gone
         add 'Later' --id bd-later
         defer bd-later --until 2w
         add 'Whole' --id bd-whole -t epic
         add 'Part' --id bd-part --parent bd-whole
         close bd-part
         config --add-repo ~/plan --routing contributor",
    );
    env.write("more.jsonl", issues(&["bd-more", "bd-own"]).replace("2026-01-02", "2026-01-09"));
    env.write("../editor.sh", "sed -i 's/^Own$/Edited/' \"$1\"\n");
    env.set("EDITOR", format!("sh '{}'", env.path("../editor.sh").display()));
    let before = env.ledger();
    for line in WRITES {
        let said = env.script(line);
        assert!(said.ends_with("[exit 5]\n"), "{said}");
        assert!(said.contains("you are a contributor here"), "{said}");
        assert_eq!(env.ledger(), before, "{said}");
        assert_eq!(ledger(&env, "home/plan"), issues(&["plan-far"]), "{said}");
    }
    // The same commands do write for a maintainer: each of them is one that could have.
    let mut unchanged = Vec::new();
    for line in WRITES {
        env.put_ledger(&before);
        put_issues(&env, "home/plan", &["plan-far"]);
        env.set("BD_ROLE", "maintainer");
        env.script(line);
        if env.ledger() == before {
            unchanged.push(*line);
        }
    }
    assert_eq!(unchanged, [""; 0]);
}

/// An editor stays open for a long time, and so may a pipe.
#[test]
fn who_becomes_a_contributor_while_an_issue_is_written_files_it_in_private() {
    let env = Env::new();
    repo(&env, "home/plan", "plan");
    let join = format!("'{BD}' config --add-repo ~/plan --routing contributor -q");
    env.write("../editor.sh", format!("{join}\nsed -i '2s/.*/A secret plan/' \"$1\"\n"));
    env.set("EDITOR", format!("sh '{}'", env.path("../editor.sh").display()));
    let before = env.ledger();
    env.bd(["add", "--editor"]).ok();
    assert_eq!(env.ledger(), before);
    assert!(ledger(&env, "home/plan").contains("A secret plan"));
}

#[test]
fn a_contributor_s_own_issues_are_his_to_write() {
    let env = contributing();
    let before = env.ledger();
    env.given(
        "update plan-far -p 0
         note plan-far 'A note'
         comment plan-far 'A comment'
         label add plan-far x
         dep add plan-far bd-own
         close plan-far --force
         reopen plan-far
         add 'New' --id plan-new
         delete plan-new --yes",
    );
    assert_eq!(env.ledger(), before);
}

#[test]
fn several_ids_of_several_repos() {
    let env = contributing();
    let before = env.ledger();
    let run = env.bd(["close", "plan-far", "bd-own"]).fails(5, &["bd-own cannot be written to ."]);
    assert!(run.stdout.contains("Closed plan-far"), "{}", run.snapshot());
    assert_eq!(env.ledger(), before);
    env.set("BD_ROLE", "maintainer");
    env.given("reopen plan-far");
    env.bd(["close", "plan-far", "bd-own"]).ok();
    assert!(env.ledger_text().contains("\"closed\"") && ledger(&env, "home/plan").contains("\"closed\""));
}
