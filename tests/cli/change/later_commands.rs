//! Commands of the original that have a meaning here: duplicate, supersede, dep relate, orphans, graph, lint, human, rename-prefix.

use serde_json::json;

use crate::support::harness::Env;
use crate::support::project::Project;

#[test]
fn an_issue_is_closed_in_favour_of_another() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2\nadd Three --id bd-3\nadd Four --id bd-4");
    assert_eq!(
        env.bd(["duplicate", "bd-2", "--of", "bd-1", "--json"]).ok().json(),
        json!({"duplicate": "bd-2", "canonical": "bd-1", "status": "closed"})
    );
    env.given("supersede bd-3 --with bd-1\nundo --yes");
    let shown = env.bd(["show", "bd-3", "--json"]).ok().json();
    assert_eq!(
        (&shown[0]["status"], &shown[0]["dependencies"]),
        (&json!("open"), &serde_json::Value::Null),
        "one write"
    );
    let run = env.bd(["supersede", "3", "--with", "bd-1"]).ok();
    assert_eq!(run.stdout, "Marked bd-3 as superseded by bd-1 (closed)\n");
    let shown = env.bd(["show", "bd-2", "bd-3", "--json"]).ok().json();
    for (n, kind, reason) in [(0, "duplicates", "duplicate of bd-1"), (1, "supersedes", "superseded by bd-1")] {
        assert_eq!(shown[n]["status"], "closed");
        assert_eq!(shown[n]["close_reason"], reason);
        assert_eq!(shown[n]["dependencies"][0]["dependency_type"], kind);
    }
    // Said again, it changes nothing.
    let before = env.ledger();
    env.given("duplicate bd-2 --of bd-1");
    assert_eq!(env.ledger(), before);
    // One that waits for open issues needs no --force: it is not to be done any more.
    env.given("add Waits --id bd-w --deps bd-1\nduplicate bd-w --of bd-1");
    env.bd(["duplicate", "bd-4", "--of", "bd-4"]).fails(5, &["cannot depend on itself"]);
    env.bd(["duplicate", "bd-4", "--of", "nosuch"]).fails(3, &["no issue found"]);
    env.bd(["duplicate", "nosuch", "--of", "bd-1"]).fails(3, &["no issue found"]);
    env.bd(["duplicate", "bd-4"]).fails(2, &["--of"]);
    env.given("delete bd-3 --yes");
    env.bd(["supersede", "bd-4", "--with", "bd-3"]).fails(5, &["bd-3 is deleted"]);
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-4", "bd-1"]);
}

#[test]
fn two_issues_refer_to_each_other() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2\nadd Three --id bd-3");
    let related = env.bd(["dep", "relate", "bd-1", "bd-2", "--json"]).ok().json();
    assert_eq!(related, json!({"id1": "bd-1", "id2": "bd-2", "related": true}));
    for (one, other) in [("bd-1", "bd-2"), ("bd-2", "bd-1")] {
        let list = env.bd(["dep", "list", one, "--json"]).ok().json();
        assert_eq!((&list[0]["id"], &list[0]["dependency_type"]), (&json!(other), &json!("relates-to")));
    }
    assert_eq!(env.bd(["ready", "--json"]).ok().ids().len(), 3, "it blocks nothing");
    assert_eq!(env.bd(["dep", "relate", "bd-2", "bd-1"]).ok().stdout, "Nothing to change: bd-2 and bd-1\n");
    env.given("dep add bd-1 bd-3 -t related\ndep unrelate bd-3 bd-1");
    assert_eq!(env.bd(["dep", "unrelate", "bd-1", "bd-2"]).ok().stdout, "Unlinked: bd-1 and bd-2\n");
    assert!(!env.ledger_text().contains("dependencies"), "{}", env.ledger_text());
    env.bd(["dep", "unrelate", "bd-1", "bd-2"]).fails(3, &["dependency not found"]);
    env.bd(["dep", "relate", "bd-1", "bd-1"]).fails(5, &["cannot depend on itself"]);
    env.bd(["dep", "relate", "bd-1", "nosuch"]).fails(3, &["no issue found"]);
}

#[test]
fn a_private_issue_is_not_linked_from_a_public_one() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("init --contributor ~/plans --quiet\nadd Plan --id bd-plan");
    env.bd(["dep", "relate", "bd-plan", "bd-base", "--config", "routing.role=maintainer"]).fails(5, &[]);
    assert!(!env.ledger_text().contains("bd-plan"));
    let plan = std::fs::read_to_string(env.root().join("home/plans/.beads/beads.jsonl")).unwrap();
    assert!(!plan.contains("relates-to"), "{plan}");
}

#[test]
fn commits_name_issues_that_are_open() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Two --id bd-two\nadd Three --id bd-three\nadd Part --id bd-two.1\ncommit");
    for message in ["Fix it (bd-two)", "No brackets bd-three", "Part [bd-two.1, bd-gone]", "Again (bd-two)"] {
        project.git(&format!("commit -q --allow-empty -m '{message}'")).ok();
    }
    let found = env.bd(["orphans", "--json"]).ok().json();
    let found: Vec<(&str, &str)> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["issue_id"].as_str().unwrap(), one["latest_commit_message"].as_str().unwrap()))
        .collect();
    assert_eq!(found, [("bd-two.1", "Part [bd-two.1, bd-gone]"), ("bd-two", "Again (bd-two)")]);
    assert!(env.bd(["orphans", "--details"]).ok().stdout.contains("Again (bd-two)"));
    env.given("close bd-two bd-two.1");
    assert_eq!(env.bd(["orphans", "--json"]).ok().json(), json!([]));
    Env::new().bd(["orphans"]).fails(9, &["version control"]);
}

#[test]
fn issues_in_layers() {
    let env = Env::new();
    env.given(
        "add Whole --id bd-e -t epic
         add First --id bd-1 --parent bd-e
         add Second --id bd-2 --parent bd-e --deps bd-1
         add Third --id bd-3 --deps bd-2
         add Alone --id bd-x",
    );
    let graph = env.bd(["graph", "bd-2", "--json"]).ok().json();
    let expected = json!([["bd-1", "bd-e"], ["bd-2"], ["bd-3"]]);
    assert_eq!((&graph["layout"]["Layers"], &graph["layout"]["RootID"]), (&expected, &json!("bd-2")));
    assert_eq!(graph["layout"]["Nodes"]["bd-3"]["DependsOn"], json!(["bd-2"]));
    assert_eq!((graph["issues"].as_array().unwrap().len(), &graph["root"]["id"]), (4, &json!("bd-2")));
    let all = env.bd(["graph", "--all", "--json"]).ok().json();
    assert_eq!((all.as_array().unwrap().len(), &all[0]["layout"]["RootID"]), (2, &json!("bd-e")));
    let text = env.bd(["graph", "bd-3"]).ok().stdout;
    assert!(text.contains("Third  (step 3, waits for bd-2)\n") && text.contains("\n`- bd-2  P2 open"), "{text}");
    env.bd(["graph"]).fails(2, &["issue ID is required"]);
    env.bd(["graph", "nosuch"]).fails(3, &["no issue found"]);
    env.bd(["graph", "bd-1", "--all"]).fails(2, &[]);
    assert_eq!(Env::new().bd(["graph", "--all", "--json"]).ok().json(), json!([]));
}

#[test]
fn a_circle_has_a_layer_of_its_own_and_many_issues_are_quick() {
    let edge = |from: usize, to: usize| {
        format!(
            "{{\"id\":\"bd-{from:04}\",\"title\":\"T\",\"status\":\"open\",\"dependencies\":[{{\"issue_id\":\"bd-{from:04}\",\"depends_on_id\":\"bd-{to:04}\",\"type\":\"blocks\"}}]}}\n"
        )
    };
    let env = Env::with_ledger((0..3000).map(|n| edge(n, (n + 1) % 3000)).collect::<String>());
    let graph = env.bd(["graph", "bd-0001", "--json"]).ok().json();
    assert_eq!(graph["circular"].as_array().unwrap().len(), 3000);
    let env = Env::with_ledger((0..3000).map(|n| edge(n, n + 1)).collect::<String>());
    assert_eq!(env.bd(["graph", "--all", "--json"]).ok().json()[0]["layout"]["MaxLayer"], 2999);
}

#[test]
fn what_an_issue_should_say() {
    let env = Env::new();
    env.given("add Bug --id bd-1 -t bug\nadd Task --id bd-2 --acceptance 'it works'\nadd Chore --id bd-3 -t chore");
    env.bd(["add", "Epic", "--id", "bd-4", "-t", "epic", "-d", "## success criteria\nall"]).ok();
    let run = env.bd(["lint", "--json"]);
    assert_eq!(run.code, 1, "{}", run.snapshot());
    let missing = json!(["Steps to Reproduce", "Acceptance Criteria"]);
    let result = json!({"id": "bd-1", "title": "Bug", "type": "bug", "missing": missing, "warnings": 2});
    assert_eq!(run.json(), json!({"total": 2, "issues": 1, "results": [result]}));
    env.given("lint bd-2 bd-3\nlint --type epic\nclose bd-1\nlint");
    assert_eq!(env.bd(["lint", "--status", "all"]).code, 1);
    env.bd(["lint", "nosuch"]).fails(3, &["no issue found"]);
}

#[test]
fn a_person_answers() {
    let env = Env::new();
    env.given("add Ask --id bd-1 -l human\nadd Drop --id bd-2 -l human\nadd Other --id bd-3");
    assert_eq!(env.bd(["human", "list", "--json"]).ok().ids(), ["bd-2", "bd-1"]);
    env.bd(["human", "respond", "bd-1", "-r", " "]).fails(2, &["needs a text"]);
    env.bd(["human", "respond", "bd-1"]).fails(2, &["--response"]);
    env.given("human respond bd-1 -r 'the second one'\nhuman dismiss bd-2 --reason old");
    let shown = env.bd(["show", "bd-1", "bd-2", "--json"]).ok().json();
    assert_eq!((&shown[0]["comments"][0]["text"], &shown[0]["status"]), (&json!("the second one"), &json!("closed")));
    assert_eq!(shown[1]["close_reason"], "dismissed: old");
    assert_eq!(env.bd(["human", "list", "--json"]).ok().json(), json!([]));
    assert_eq!(env.bd(["human", "list", "--status", "all", "--json"]).ok().ids().len(), 2);
    assert!(env.bd(["human"]).ok().stdout.contains("Usage:"));
}

#[test]
fn all_issues_get_another_prefix() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Two --id bd-two --deps bd-base -d 'after bd-base, not bd-bas'\nadd Part --id bd-two.1 --parent bd-two\nadd Odd --id old-1\ncomment bd-two hello\nclaim bd-two");
    let before = env.ledger();
    let shown = env.bd(["rename-prefix", "web-", "--dry-run"]).ok();
    assert!(shown.stdout.starts_with("Would rename 3 issues from bd- to web-"), "{}", shown.snapshot());
    assert_eq!(env.ledger(), before);
    assert_eq!(
        env.bd(["rename-prefix", "web", "--json"]).ok().json(),
        json!({"old_prefix": "bd", "new_prefix": "web", "issues_count": 3, "issues_unchanged": 1, "dry_run": false})
    );
    let text = env.ledger_text();
    assert!(!text.contains("\"bd-") && text.contains("after web-base, not bd-bas") && text.contains("old-1"), "{text}");
    let shown = env.bd(["show", "web-two", "--json"]).ok().json();
    assert_eq!(shown[0]["dependencies"][0]["id"], "web-base");
    assert_eq!(shown[0]["dependents"][0]["id"], "web-two.1");
    assert_eq!(shown[0]["comments"][0]["issue_id"], "web-two");
    assert_eq!(env.bd(["leases", "--json"]).ok().json()[0]["id"], "web-two", "the claim follows");
    let new = env.bd(["add", "New", "--json"]).ok().json();
    assert!(new["id"].as_str().unwrap().starts_with("web-"), "{new}");
    env.given("rename-prefix web --repair");
    assert_eq!(env.bd(["show", "web-1", "--json"]).ok().json()[0]["title"], "Odd");
    env.bd(["doctor"]).ok();
    assert_eq!(env.bd(["rename-prefix", "web", "--json"]).ok().json()["issues_count"], 0);
    for bad in ["", "-", "A b", "x/y"] {
        env.bd(["rename-prefix", bad]).fails(2, &[]);
    }
    env.given("add Taken --id kw-two");
    let before = env.ledger();
    env.bd(["rename-prefix", "kw"]).fails(5, &["kw-two"]);
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_contributor_renames_nothing_of_the_project() {
    let Some(project) = Project::new() else { return };
    project.env.bd(["rename-prefix", "web"]).fails(5, &[]);
    assert!(project.env.ledger_text().contains("bd-base"));
}
