//! More programs that call `bd`, with `--flag=value` and `--`; what all of them rely on; words that scripts look for.

use serde_json::{Value, json};

use crate::support::harness::Env;

#[test]
fn strict_ui_uses_equals_and_double_dash() {
    let env = Env::new();
    assert!(env.bd(["--version"]).ok().stdout.starts_with("bd version 3."));
    let made = env
        .bd([
            "create",
            "--json",
            "--title=-dashed",
            "--description=-d",
            "--type=bug",
            "--priority=1",
            "--assignee=zoe",
            "--labels=a,b",
        ])
        .ok()
        .json();
    let id = made["id"].as_str().unwrap();
    assert_eq!(
        (&made["title"], &made["description"], &made["labels"]),
        (&"-dashed".into(), &"-d".into(), &json!(["a", "b"]))
    );
    let part = env.bd(["create", "--json", "--title=Part", &format!("--parent={id}")]).ok().json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(env.bd(["list", "--json", "--all", "--limit", "0"]).ok().ids().len(), 2);
    assert_eq!(env.bd(["ready", "--json", "--limit", "0"]).ok().ids().len(), 2);
    let shown = env.bd(["show", "--json", "--include-comments", "--include-dependents", "--", &part]).ok().json();
    assert_eq!((&shown[0]["parent"], shown.as_array().unwrap().len()), (&id.into(), 1));
    let updated = env
        .bd(["update", "--json", "--title=New", "--description=", "--allow-empty-description", "--", id])
        .ok()
        .json();
    assert_eq!((&updated[0]["title"], &updated[0]["description"]), (&"New".into(), &Value::Null));
    env.bd(["dep", "add", "--type=related", "--json", "--", id, &part]).ok();
    assert_eq!(env.bd(["dep", "remove", "--json", "--", id, &part]).ok().json()["status"], "removed");
    assert_eq!(env.bd(["label", "add", "--json", "--", id, "-x"]).ok().json()[0]["label"], "-x");
    assert_eq!(env.bd(["label", "remove", "--json", "--", id, "-x"]).ok().json()[0]["status"], "removed");
    let comment = env.bd(["comments", "add", "--author=zoe", "--json", "--", id, "-starts with a dash"]).ok().json();
    assert!(
        comment["id"].is_string() && comment["text"] == "-starts with a dash" && comment["author"] == "zoe",
        "{comment}"
    );
    assert_eq!(env.bd(["comments", "--json", "--", id]).ok().json()[0], comment);
    let summary = env.bd(["status", "--json"]).ok().json()["summary"].clone();
    for key in ["blocked", "closed", "deferred", "in_progress", "open", "ready", "total"] {
        assert!(summary[format!("{key}_issues")].is_i64(), "{key} in {summary}");
    }
    assert!(env.bd(["delete", "--force", "--json", "--", &part]).ok().json()["deleted"].is_string());
}

#[test]
fn vscode_names_the_directory() {
    let (env, elsewhere) = (Env::new(), Env::new());
    elsewhere.given("add 'Elsewhere' --id bd-else");
    elsewhere.set("BEADS_DIR", env.path(".beads"));
    let bd = |line: &str| elsewhere.bd(line.split(' ').map(|word| word.replace('_', " ")));
    assert_eq!(bd("list --all --limit 0 --json").ok().stdout, "[]\n");
    let made = bd("create --title Thing --type feature --priority 1 --label a --label b --json --description D --design H --acceptance A --assignee zoe").ok().json();
    let id = made["id"].as_str().unwrap();
    assert_eq!(made["labels"], json!(["a", "b"]));
    assert!(env.ledger_text().contains(id), "BEADS_DIR wins over the working directory");
    let updated = bd(&format!("update {id} --json --title T --description D2 --design H2 --acceptance A2 --notes N --status in_progress --priority 0 --assignee bob --external-ref gh-1 --estimate 15 --type bug --add-label c --remove-label a")).ok().json();
    assert_eq!((&updated[0]["estimated_minutes"], &updated[0]["labels"]), (&15.into(), &json!(["b", "c"])));
    assert_eq!(bd(&format!("update {id} --json --set-labels x,y")).ok().json()[0]["labels"], json!(["x", "y"]));
    let other =
        bd("create --title Other --type task --priority 2 --json").ok().json()["id"].as_str().unwrap().to_owned();
    bd(&format!("dep add {id} {other} --type blocks --json")).ok();
    assert_eq!(bd(&format!("show {other} --json --include-dependents")).ok().json()[0]["dependents"][0]["id"], id);
    bd(&format!("dep remove {id} {other} --json --type blocks")).ok();
    assert_eq!(bd(&format!("comments add {id} two_words --json --author zoe")).ok().json()["text"], "two words");
    assert_eq!(bd(&format!("comments {id} --json")).ok().json().as_array().unwrap().len(), 1);
    assert_eq!(bd(&format!("close {id} --json --reason all_done")).ok().json()[0]["close_reason"], "all done");
    assert_eq!(bd("info --json").ok().json()["issue_count"], 2);
    assert_eq!(elsewhere.bd_with(["list", "--json"], None, &[("BEADS_DIR", "")]).ids(), ["bd-else"]);
    let database = env.path(".beads/vc.db");
    let by_file = elsewhere.bd_with(
        ["list", "--all", "--json"],
        None,
        &[("BEADS_DIR", ""), ("BEADS_DB", database.to_str().unwrap())],
    );
    assert_eq!(by_file.ok().ids().len(), 2, "BEADS_DB may name a file that is not there");
}

#[test]
fn smaller_clients() {
    let env = Env::bare();
    env.bd(["init", "--json"]).ok();
    assert!(env.bd(["init", "--json"]).stdout.contains("already"));
    let bd = |line: &str| env.bd(line.split(' ').map(|word| word.replace('_', " ")));
    let made = bd("create Village -t task -p 2 --json --description D --labels a,b").ok().json();
    let id = made["id"].as_str().unwrap();
    let found = bd(&format!("create Found -t bug -p 1 --json --deps discovered-from:{id}")).ok().json();
    let found = found["id"].as_str().unwrap();
    bd(&format!("dep add {found} {id} --type discovered-from")).ok();
    assert_eq!(bd("list --status open --json").ok().ids().len(), 2);
    bd(&format!("update {id} --add-label R --json")).ok();
    let labels = json!(["R", "a", "b", "x", "y"]);
    assert_eq!(
        bd(&format!("update {id} --label x,y --json")).ok().json()[0]["labels"],
        labels,
        "adds, takes nothing away"
    );
    assert!(bd("doctor --fix --json").ok().json().is_object());
    bd(&format!("update {id} --status=in_progress --priority=1")).ok();
    let quick = bd("q Quick --type bug --priority 0").ok().stdout.trim().to_owned();
    bd(&format!("create --title Child --type task --priority 2 --parent {id} --label L --label M")).ok();
    assert_eq!(bd(&format!("dep list {found} --json")).ok().json()[0]["status"], "in_progress");
    assert_eq!(bd(&format!("show {id} --json")).ok().json()[0]["issue_type"], "task");
    bd("stale --days 3").ok();
    bd(&format!("close {quick} {found}")).ok();
    assert_eq!(bd("list --status=all --json --limit 0").ok().ids().len(), 4);
    assert_eq!(bd(&format!("show --json {id} {found}")).ok().ids(), [id, found]);
    assert_eq!(bd("--no-daemon list --json").ok().ids().len(), 2);
    bd(&format!("delete {quick} {found} --force")).ok();
    bd("--no-daemon show nosuch").fails(3, &["not found"]);
}

#[test]
fn global_flags_stand_on_either_side() {
    let env = Env::new();
    env.given("add 'One' --id bd-1");
    let flags =
        ["--json", "--sandbox", "--no-daemon", "--no-auto-flush", "--no-auto-import", "--no-db", "--allow-stale"];
    let expected = env.bd(["list", "--json"]).ok().json();
    assert_eq!(env.bd(flags.into_iter().chain(["list"])).ok().json(), expected);
    assert_eq!(env.bd(["list"].into_iter().chain(flags)).ok().json(), expected);
    assert_eq!(env.bd(["--json", "list", "--sandbox", "--tree=false", "--limit=0"]).ok().json(), expected);
    let tree = env.bd(["list", "--tree=true"]).ok();
    assert_eq!(tree.stdout, "bd-1  P2  open  task  One\n");
    for args in [&["--actor", "zoe", "add", "A", "--json"][..], &["add", "A", "--actor=zoe", "--json"]] {
        assert_eq!(env.bd(args).ok().json()["created_by"], "zoe");
    }
    let web = env.path("");
    for args in [["-C", web.to_str().unwrap(), "count"], ["count", "-C", web.to_str().unwrap()]] {
        assert_eq!(env.bd(args).ok().stdout, "3\n");
    }
    assert_eq!(env.bd(["show", "--json", "--", "bd-1"]).ok().ids(), ["bd-1"]);
    assert_eq!(env.bd_with(["list", "--json"], None, &[("BD_JSON_ENVELOPE", "1")]).ok().json()["schema_version"], 1);
}

#[test]
fn words_that_scripts_look_for() {
    let env = Env::bare();
    let says = |args: &[&str], phrase: &str| {
        let run = env.bd(args);
        let text = if run.code == 0 { &run.stdout } else { &run.stderr };
        assert!(text.contains(phrase), "{phrase:?}\n{}", run.snapshot());
    };
    says(&["init", "--prefix", "bd"], "bd initialized successfully!");
    says(&["create", "One", "--id", "bd-1"], "Created issue: bd-1");
    says(&["create", "Two", "--id", "bd-2"], "Created issue: bd-2");
    says(&["update", "bd-1", "-p", "1"], "Updated issue: bd-1");
    says(&["dep", "add", "bd-1", "bd-2"], "Added dependency");
    says(&["dep", "add", "bd-2", "bd-1"], "cycle");
    says(&["dep", "remove", "bd-1", "bd-2"], "Removed dependency");
    says(&["comment", "bd-1", "hi"], "Comment added");
    says(&["label", "add", "bd-1", "x"], "Added label");
    says(&["close", "bd-1"], "Closed bd-1");
    says(&["delete", "bd-2"], "DELETE PREVIEW");
    says(&["stats"], "Total Issues:");
    says(&["stats"], "Open:");
    says(&["stats"], "Closed:");
    says(&["--help"], "Usage:");
    says(&["show", "nosuch"], "no issue found");
    says(&["show", "nosuch"], "not found");
    says(&["close"], "no issue ID provided");
    says(&["close"], "issue ID is required");
    says(&["delete"], "no issue IDs provided");
    for args in [&["create"][..], &["create", ""], &["update", "bd-1", "--title", " "]] {
        says(args, "title required");
        says(args, "title is required");
    }
    says(&["create", "x", "-e", "-5"], "estimate must be a non-negative");
    says(&["update", "bd-1", "--estimate", "-5"], "estimate must be a non-negative");
    says(&["delete", "bd-2", "--force"], "Deleted bd-2");
    says(&["close", "bd-2"], "no issue found");
    says(&["update", "bd-2", "--status", "open"], "no issue found");
    says(&["create", "x", "-t", "nosuch"], "invalid issue type");
    says(&["create", "x", "-p", "9"], "invalid priority");
    says(&["dep", "add", "bd-1", "bd-1"], "cannot depend on itself");
    says(&["search", ""], "search query is required");
    says(&["create", "x", "--due", "never"], "invalid --due format");
}
