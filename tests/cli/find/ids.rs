//! Ids as people type them: a whole id means that issue alone, each issue counts once, and all are known before one is changed.

use crate::support::project::Project;

fn line(id: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"title\":\"T of {id}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00Z\",\"updated_at\":\"2026-01-01T00:00:00Z\"}}\n"
    )
}

/// A project whose history has these issues, and whose ledger has only the second lot.
fn departed(gone: &[&str], here: &[&str]) -> Option<Project> {
    let project = Project::single()?;
    let put = |ids: &[&str]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        project.env.put_ledger(ids.into_iter().map(line).collect::<String>());
        project.git("commit -qam ledger --allow-empty").ok();
    };
    put(&[gone, here].concat());
    put(here);
    Some(project)
}

#[test]
fn a_whole_id_means_no_other_issue() {
    let gone = ["p-b2", "p-12", "wf-ba2.6"];
    let Some(project) = departed(&gone, &["p-b2.1", "p-123", "wf-ba2.6.3"]) else { return };
    let env = &project.env;
    let before = env.ledger();
    for id in gone {
        for words in [
            "update ID --title X",
            "close ID",
            "delete ID --yes",
            "claim ID",
            "note ID text",
            "dep add ID p-123",
            "label add ID x",
        ] {
            env.bd(words.replace("ID", id).split(' ')).fails(3, &[id]);
        }
        let shown = env.bd(["show", id]).ok().stdout;
        assert!(shown.contains(&format!("T of {id}")) && !shown.contains("T of p-123"), "{shown}");
    }
    assert_eq!(env.ledger(), before);
    // Shorter ids still mean existing issues, while a departed issue's hash means only that issue.
    assert_eq!(env.bd(["show", "p-1", "--json"]).ok().ids(), ["p-123"]);
    env.bd(["show", "ba2.6", "--json"]).ok();
    env.bd(["close", "ba2.6"]).fails(3, &[]);
    let restored = env.bd(["restore", "p-b2", "p-12", "wf-ba2.6"]).ok();
    assert_eq!(env.bd(["list", "--json"]).ok().ids().len(), 6, "{}", restored.snapshot());
}

#[test]
fn the_exact_one_of_many() {
    let Some(project) = departed(&[], &["p-a", "p-a1", "p-a2", "p-a3"]) else { return };
    project.env.bd(["close", "p-a"]).ok();
    project.env.bd(["close", "p-a", "p-a1", "a"]).ok();
    let open = project.env.bd(["list", "--status", "open", "--json"]).ok().ids();
    assert_eq!(open, ["p-a2", "p-a3"]);
}

#[test]
fn all_are_known_before_one_is_changed() {
    let Some(project) = departed(&[], &["p-a", "p-b"]) else { return };
    let env = &project.env;
    let before = env.ledger();
    for words in [
        "label add p-a p-b zz ui",
        "label remove p-a zz ui",
        "defer p-a tomorrow",
        "undefer p-a zz",
        "close p-a zz p-b",
        "reopen p-a zz",
        "update p-a zz --title X",
        "update p-a zz --claim",
        "claim p-a zz",
        "work p-a zz",
        "release p-a zz",
        "delete p-a zz --yes",
        "delete p-a zz",
        "restore p-a zz",
        "accept p-a zz",
        "reject p-a zz --reason no",
    ] {
        let unknown = if words.contains("tomorrow") { "tomorrow" } else { "zz" };
        env.bd(words.split(' ')).fails(3, &[unknown, "nothing was changed"]);
        let error = env.bd(words.split(' ').chain(["--json"])).error();
        assert_eq!(error["ids"], serde_json::json!([unknown]), "{words}: {error}");
    }
    env.bd(["close", "p-a", "yy", "zz"]).fails(3, &["yy", "zz", "nothing was changed"]);
    assert_eq!(env.ledger(), before);
}

#[test]
fn each_issue_counts_once() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let id = env.bd(["add", "Plan", "--json"]).ok().json()["id"].as_str().unwrap().to_owned();
    let hash = id.rsplit_once('-').unwrap().1.to_owned();
    let proposed = env.bd(["propose", &id, &id, &hash, &hash[..6], "--json"]).ok();
    assert_eq!(proposed.json().as_array().unwrap().len(), 1, "{}", proposed.snapshot());
    assert_eq!(env.ledger_text().matches(&format!("\"id\":\"{id}\"")).count(), 1, "{}", env.ledger_text());
    let before = env.ledger();
    let mut more = vec!["propose", &id, "unknown"];
    more.resize(30, &hash);
    env.bd(more).fails(3, &["unknown", "nothing was changed"]);
    assert_eq!(env.ledger(), before);
    for words in ["reject ID ID --reason no", "propose ID ID", "accept ID ID"] {
        let role = if words.starts_with("propose") { "contributor" } else { "maintainer" };
        env.bd_with(words.replace("ID", &id).split(' '), None, &[("BD_ROLE", role)]).ok();
        assert_eq!(env.ledger_text().matches(&format!("\"id\":\"{id}\"")).count(), 1, "{words}: {}", env.ledger_text());
    }
}
