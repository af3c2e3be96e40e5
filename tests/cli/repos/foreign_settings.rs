//! Settings that other tools keep in `bd`'s files, and words that a project adds.

use serde_json::json;

use crate::support::harness::Env;
use crate::support::project::Project;

#[test]
fn settings_of_other_tools_are_kept() {
    let env = Env::new();
    env.given("config set jira.url https://x.example\nconfig set custom.a.b 'two words'\nconfig set linear.api_key ''");
    assert_eq!(env.bd(["config", "get", "jira.url"]).ok().stdout, "https://x.example\n");
    assert_eq!(
        env.bd(["config", "get", "custom.a.b", "--json"]).ok().json(),
        json!({"key": "custom.a.b", "value": "two words"})
    );
    let listed = env.bd(["config", "list", "--json"]).ok().json();
    let found = |key: &str| listed.as_array().unwrap().iter().find(|one| one["key"] == key).cloned();
    assert_eq!(found("jira.url").unwrap()["origin"], "personal");
    assert_eq!(found("linear.api_key").unwrap()["value"], "");
    assert!(env.bd(["config", "list"]).ok().stdout.contains("jira.url"));
    // Neither a warning nor a finding.
    let add = env.bd(["add", "One", "--id", "bd-1"]).ok();
    assert_eq!(add.stderr, "");
    assert!(!env.bd(["doctor"]).ok().stdout.contains("jira"));
    env.given("config set jira.url other\nconfig unset custom.a.b");
    assert_eq!(env.bd(["config", "get", "jira.url"]).ok().stdout, "other\n");
    env.bd(["config", "get", "custom.a.b"]).fails(3, &["custom.a.b is not set"]);
    env.bd(["config", "get", "nobody.set"]).fails(3, &["nobody.set is not set"]);
}

#[test]
fn a_password_is_not_committed() {
    let Some(project) = Project::single() else { return };
    project.env.given("config set jira.api_token secret");
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
    project.env.given("config set jira.url https://x --shared\nconfig set jira.url https://y");
    let shared = std::fs::read_to_string(project.env.path(".beads/config.toml")).unwrap();
    assert!(shared.contains("[jira]\nurl = \"https://y\"") && !shared.contains("secret"), "{shared}");
    project.env.bd(["config", "set", "jira.url", "z", "--personal"]).ok();
    assert_eq!(project.env.bd(["config", "get", "jira.url"]).ok().stdout, "z\n");
}

#[test]
fn a_slip_of_the_pen_is_still_an_error() {
    let env = Env::new();
    for name in ["routng.mode", "repos.aditional", "default", "issue-prefix", "type.custom", "repo.x", "routing.colour"]
    {
        env.bd(["config", "set", name, "x"]).fails(2, &[]);
    }
    env.bd(["config", "set", "routng.mode", "auto"]).fails(2, &["routing.mode"]);
    env.bd(["config", "set", "aliass.x", "list"]).fails(2, &["did you mean alias.x?"]);
    env.bd(["config", "set", "aliases.x", "list"]).fails(2, &["did you mean alias.x?"]);
    env.bd(["config", "set", "quer.x", "1"]).fails(2, &["did you mean query.x?"]);
    for args in
        [&["jira.url"][..], &["jira.url", "a", "b"], &["jira.", "x"], &[".url", "x"], &["a..b", "x"], &["", "x"]]
    {
        env.bd(["config", "set"].iter().chain(args)).fails(2, &[]);
    }
    let before = std::fs::read_to_string(env.path(".beads/config.toml")).unwrap();
    assert_eq!(before.lines().count(), 2, "{before}");
    env.write(".beads/config.toml", "jira = 3\n");
    env.bd(["config", "set", "jira.url", "x", "--shared"]).fails(1, &["jira is not a table"]);
}

#[test]
fn words_of_the_project() {
    let env = Env::new();
    env.bd(["add", "One", "--id", "bd-1", "-t", "incident"]).fails(2, &["invalid issue type"]);
    env.given("config set types.custom incident,drill\nconfig set status.custom 'review:active,parked'");
    assert!(std::fs::read_to_string(env.path(".beads/config.toml")).unwrap().contains("custom = \"incident,drill\""));
    env.given("add One --id bd-1 -t incident\nupdate bd-1 --status review\nlist --status parked\nlist --type drill");
    assert_eq!(env.bd(["list", "--status", "review", "--json"]).ok().ids(), ["bd-1"]);
    assert_eq!(env.bd(["config", "get", "types.custom"]).ok().stdout, "incident,drill\n");
    let types = env.bd(["types", "--json"]).ok().json();
    assert_eq!(
        (&types["custom_types"], &types["core_types"][0]["name"]),
        (&json!(["incident", "drill"]), &json!("task"))
    );
    for bad in ["Not A Word", "9", "a,B", "x\ny"] {
        env.bd(["config", "set", "types.custom", bad]).fails(2, &["types.custom"]);
    }
    env.bd(["update", "bd-1", "--status", "reviewed"]).fails(2, &["invalid status"]);
    env.given("config set types.custom ''");
    env.bd(["add", "Two", "-t", "drill"]).fails(2, &["invalid issue type"]);
}
