//! One id is one issue: where it lives, and what is said when two issues, or two versions, share it.

use crate::support::harness::{Env, Run};
use crate::support::project::Project;

fn line(id: &str, title: &str, at: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"title\":\"{title}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"{at}\",\"updated_at\":\"{at}\"}}\n"
    )
}

/// A project that joins the repo `lib` beside it.
fn joined() -> Env {
    let env = Env::new();
    std::fs::create_dir(env.path("../lib")).unwrap();
    env.given("-C ../lib init --quiet --prefix lib\nrepo add ../lib");
    env
}

fn put_lib(env: &Env, text: &str) {
    crate::support::harness::put_file(&env.path("../lib/.beads/beads.jsonl"), text.as_bytes());
}

fn about(run: &Run, id: &str) -> Vec<String> {
    run.stdout.lines().filter(|line| line.contains(id)).map(str::to_owned).collect()
}

#[test]
fn everyone_sees_where_an_issue_lives_and_where_a_new_one_goes() {
    let env = joined();
    env.given("add Far --id bd-far --repo ../lib\nadd Near --id bd-near");
    // Where it lives.
    assert_eq!(env.bd(["show", "far", "--json"]).ok().json()[0]["source_repo"], "../lib");
    let listed = env.bd(["list", "--json"]).ok().json();
    let repos: Vec<String> =
        listed.as_array().unwrap().iter().map(|row| format!("{} {}", row["id"], row["source_repo"])).collect();
    assert!(repos.contains(&"\"bd-far\" \"../lib\"".to_owned()) && repos.contains(&"\"bd-near\" \".\"".to_owned()));
    assert!(env.bd(["show", "far"]).ok().stdout.contains("../lib"));
    env.bd(["show", "far", "--repo", "."]).fails(3, &["bd-far is not in .; it lives in ../lib", "leave --repo out"]);
    let error = env.bd(["show", "far", "--repo", ".", "--json"]).error();
    assert_eq!((&error["code"], &error["repos"]), (&"not_found".into(), &serde_json::json!(["../lib"])));
    env.given("show far --repo ../lib\nshow near --repo .");
    // Where a new one goes.
    let place = env.bd(["where", "--json"]).ok().json();
    assert_eq!(place["new_issues"], ".");
    assert!(env.bd(["add", "More", "--repo", "../lib"]).ok().stdout.starts_with("Created issue in ../lib: "));
    assert!(env.bd(["add", "More", "--dry-run"]).ok().stdout.contains("repo .: routing.mode is single"));
    // Transport is export and import; the id stays.
    env.write("far.jsonl", env.bd(["export", "--repo", "../lib"]).ok().stdout);
    let other = Env::new();
    other.write("far.jsonl", std::fs::read(env.path("far.jsonl")).unwrap());
    other.given("import far.jsonl");
    assert_eq!(other.bd(["show", "bd-far", "--json"]).ok().json()[0]["source_repo"], ".");
}

/// The line may have been in the history of the repo that is asked for; it still lives elsewhere.
#[test]
fn an_issue_that_moved_away_is_not_offered_for_restoring() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let id = env.bd(["add", "Plan", "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    env.given(&format!("propose {id}"));
    project.git("commit -qam proposed").ok();
    env.given(&format!("withdraw {id}"));
    project.git("commit -qam withdrawn").ok();
    let run = env.bd(["show", &id, "--repo", "."]).fails(3, &["it lives in ~/.beads-planning"]);
    assert!(!run.snapshot().contains("restore"), "{}", run.snapshot());
}

#[test]
fn ids_are_unique_and_stay_and_two_issues_under_one_id_are_noticed() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let add = |title: &str| env.bd(["add", title, "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    let (one, two) = (add("Same"), add("Same"));
    assert!(one != two && one.len() == "bd-".len() + 8, "{one} {two}");
    // An id that two clones chose by themselves.
    project.git("commit -qam base").ok();
    project.git("branch other").ok();
    let filed = |title: &str, place: &str| {
        project.git(&format!("checkout -q {place}")).ok();
        env.given(&format!("add '{title}' --id bd-12"));
        project.git("commit -qam filed").ok();
    };
    filed("Count the lines", "other");
    filed("Paint the door", "main");
    assert_eq!(project.git("merge -q other").code, 1, "git cannot merge two lines at one place");
    let told = env.bd(["resolve"]).ok().stdout;
    assert!(told.contains("bd-12: two different issues had this id and were joined"), "{told}");
    let shown = env.bd(["show", "bd-12"]).ok().stdout;
    assert!(shown.contains("Count the lines") && shown.contains("Paint the door"), "nothing is lost: {shown}");
    let found = env.bd(["doctor"]);
    assert!(found.stdout.contains("a merge joined two different issues with the id bd-12"), "{}", found.snapshot());
    env.given("close bd-12");
    assert_eq!(about(&env.bd(["doctor"]), "bd-12"), [""; 0], "settled");
}

#[test]
fn doctor_names_an_id_with_different_texts_in_two_repos() {
    let env = joined();
    let at = "2026-01-01T00:00:00Z";
    env.put_ledger([line("bd-a", "One thing", at), line("bd-b", "Same", at)].concat());
    put_lib(&env, &[line("bd-a", "Another thing", at), line("bd-b", "Same", at), line("lib-c", "Own", at)].concat());
    let found = env.bd(["doctor"]);
    let expected = "bd-a differs between . and ../lib: title";
    assert!(about(&found, "bd-a").iter().any(|line| line.contains(expected)), "{}", found.snapshot());
    assert_eq!(about(&found, "bd-b").len(), 0, "{}", found.snapshot());
    put_lib(&env, &line("bd-a", "One thing", at));
    assert_eq!(about(&env.bd(["doctor"]), "bd-a"), [""; 0]);
}

#[test]
fn the_two_copies_of_a_proposal_are_not_two_issues() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let id = env.bd(["add", "Plan", "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    env.given(&format!("propose {id}"));
    // A maintainer rewords it.
    env.put_ledger(env.ledger_text().replace("\"Plan\"", "\"A better title\""));
    let differs = |run: &Run| run.stdout.contains("differs between");
    let open = env.bd(["doctor"]);
    assert!(!differs(&open), "{}", open.snapshot());
    env.bd_with(["reject", &id, "--reason", "no"], None, &[("BD_ROLE", "maintainer")]).ok();
    let turned_down = env.bd(["doctor"]);
    assert!(!differs(&turned_down), "{}", turned_down.snapshot());
}

#[test]
fn dependencies_are_ids_alone_and_reach_over_repos() {
    let env = joined();
    env.given("add Library --id lib-a --repo ../lib\nadd Caller --id bd-b --deps lib-a");
    let line = env.ledger_text().lines().find(|line| line.contains("bd-b")).unwrap().to_owned();
    assert!(line.contains(r#""depends_on_id":"lib-a""#) && !line.contains("../lib"), "{line}");
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["lib-a"]);
    env.bd(["close", "bd-b"]).fails(5, &["cannot close bd-b: blocked by open issues [lib-a]"]);
    // The other repo cannot be read: the blocker may be open.
    std::fs::rename(env.path("../lib"), env.path("../away")).unwrap();
    assert!(env.bd(["ready", "--json"]).ok().ids().is_empty());
    assert!(env.bd(["why", "bd-b"]).ok().stdout.contains("blocker unknown: ../lib is not joined"));
    assert!(env.bd(["doctor"]).stdout.contains("blocker unknown: ../lib is not joined"));
    // It has left the project: an unknown id does not block, and is reported.
    env.given("repo remove ../lib");
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-b"]);
    assert!(env.bd(["doctor"]).stdout.contains("bd-b depends (blocks) on lib-a, which is in no ledger"));
    // Unless the settings say otherwise.
    assert!(env.bd(["ready", "--json", "--config", "ready.unknown_blocks=true"]).ok().ids().is_empty());
    std::fs::rename(env.path("../away"), env.path("../lib")).unwrap();
    env.given("repo add ../lib\nclose lib-a");
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-b"]);
}
