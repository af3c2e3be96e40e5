//! Programs that call `bd`: their calls, in their order of arguments, and what they need in the answers.

use serde_json::Value;

use crate::support::harness::{Env, Run};

/// What every client needs of every issue; strict ones fail the whole call otherwise.
#[track_caller]
fn is_issue(issue: &Value) {
    for key in ["id", "title", "status", "issue_type", "created_at", "updated_at"] {
        assert!(issue[key].is_string(), "{key} in {issue}");
    }
    assert!((0..=4).contains(&issue["priority"].as_i64().unwrap()), "{issue}");
    for key in ["created_at", "updated_at"] {
        let time = issue[key].as_str().unwrap();
        assert!(time.len() == 24 && time.as_bytes()[10] == b'T' && time.ends_with('Z'), "{time}");
    }
    for key in ["dependencies", "dependents"] {
        issue[key].as_array().into_iter().flatten().for_each(|other| {
            is_issue(other);
            assert!(other["dependency_type"].is_string(), "{other}");
        });
    }
}

#[track_caller]
fn issues(run: Run) -> Vec<Value> {
    let value = run.ok().json();
    let all = value.as_array().unwrap_or_else(|| panic!("not an array: {value}")).clone();
    all.iter().for_each(is_issue);
    all
}

#[track_caller]
fn issue(run: Run) -> Value {
    let value = run.ok().json();
    is_issue(&value);
    value
}

fn ids(all: &[Value]) -> String {
    all.iter().map(|issue| issue["id"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

/// Runs one line of words as a client would.
fn call(env: &Env, line: &str) -> Run {
    env.bd(line.split(' ').map(|word| word.replace('_', " ").replace("''", "")))
}

#[test]
fn beads_mcp() {
    let env = Env::bare();
    let version = call(&env, "version").ok().stdout;
    let numbers: Vec<u32> = version.trim().rsplit(' ').next().unwrap().split('.').map(|n| n.parse().unwrap()).collect();
    assert!(version.starts_with("bd version ") && numbers >= vec![1, 0, 5], "{version}");
    call(&env, "init --prefix bd --actor mcp").ok();
    env.set("BEADS_DIR", env.path(".beads"));
    let json = |line: &str| call(&env, &format!("{line} --actor mcp --no-auto-flush --no-auto-import --json"));
    let blocker = issue(json("create Blocker -p 0 -t bug --id bd-b"));
    assert_eq!((blocker["id"].as_str(), blocker["created_by"].as_str()), (Some("bd-b"), Some("mcp")));
    issue(json("create The_whole -p 1 -t epic --id bd-e"));
    let made = issue(json(
        "create Thing -p 2 -t task -d Words --design How --acceptance When --external-ref gh-1 --assignee zoe --id bd-t -l x -l y --deps blocks:bd-b,discovered-from:bd-e",
    ));
    assert_eq!((&made["labels"], &made["external_ref"]), (&serde_json::json!(["x", "y"]), &"gh-1".into()));
    assert_eq!(ids(&issues(json("ready --limit 10 --sort hybrid"))), "bd-b bd-e");
    assert_eq!(ids(&issues(json("ready --limit 10 --type bug --priority 0 --unassigned --sort priority"))), "bd-b");
    assert_eq!(ids(&issues(json("ready --limit 5 --assignee zoe --label x --label-any y --parent bd-e"))), "");
    assert_eq!(
        ids(&issues(json(
            "list --status open --priority 2 --type task --assignee zoe --label x --label y --label-any y --title hin --limit 20"
        ))),
        "bd-t"
    );
    assert_eq!(ids(&issues(json("list --no-assignee --limit 1"))), "bd-b");
    let shown = issues(json("show bd-t"));
    assert_eq!((shown.len(), shown[0]["dependencies"].as_array().unwrap().len()), (1, 2));
    assert_eq!(issues(json("show bd-b"))[0]["dependents"][0]["id"], "bd-t");
    let blocked = issues(json("blocked"));
    assert_eq!((&blocked[0]["blocked_by_count"], &blocked[0]["blocked_by"]), (&1.into(), &serde_json::json!(["bd-b"])));
    assert!(issues(json("blocked --parent bd-e")).is_empty());
    let updated = issues(json(
        "update bd-t --status in_progress --priority 1 --assignee ann --title T2 --description D2 --design H2 --acceptance A2 --notes N2 --external-ref gh-2",
    ));
    assert_eq!((updated.len(), &updated[0]["title"], &updated[0]["notes"]), (1, &"T2".into(), &"N2".into()));
    assert_eq!(issues(json("update bd-e --claim"))[0]["assignee"], "mcp");
    let closed = issues(json("close bd-b --reason done_at_last"));
    assert_eq!((&closed[0]["close_reason"], closed[0]["closed_at"].is_string()), (&"done at last".into(), true));
    assert!(issues(json("reopen bd-b bd-t --reason again"))[0]["closed_at"].is_null());
    call(&env, "dep add bd-e bd-b --type blocks").ok();
    call(&env, "dep add bd-b bd-e --type blocks").fails(5, &["cycle"]);
    call(&env, "comment bd-b a_comment").ok();
    call(&env, "note bd-b a_note").ok();
    let comment = json("comments bd-b").ok().json();
    assert!(
        comment[1]["id"].is_string() && comment[1]["text"] == "a comment" && comment[1]["issue_id"] == "bd-b",
        "{comment}"
    );
    let stats = json("stats").ok().json();
    assert!(stats["summary"]["average_lead_time_hours"].is_f64() && stats["total_issues"] == 3, "{stats}");
    assert!(json("info --schema").ok().json().is_object());
    assert!(json("doctor --check=validate --fix --yes").ok().json().is_object());
    assert!(json("doctor --check=pollution").ok().json().is_object());
    call(&env, "quickstart").ok();
    json("show bd-zzz").fails(3, &["not found"]);
}

#[test]
fn beads_ui() {
    let env = Env::new();
    assert!(env.path(".beads/metadata.json").exists(), "it watches the directory only then");
    let ui = |line: &str| call(&env, &format!("--sandbox {line}"));
    assert_eq!(ui("list --json --tree=false").ok().stdout, "[]\n");
    ui("create Epic -t epic -p 1 -d Words").ok();
    ui("create Task -t task").ok();
    let all = issues(ui("list --json --tree=false"));
    assert_eq!(all.len(), 2);
    let (epic, task) = (all[0]["id"].as_str().unwrap(), all[1]["id"].as_str().unwrap());
    for change in [
        "--status in_progress",
        "--priority 0",
        "--assignee zoe",
        "--title New",
        "--acceptance-criteria When",
        "--notes N",
        "--design H",
    ] {
        ui(&format!("update {task} {change}")).ok();
    }
    assert_eq!(ids(&issues(ui("list --json --tree=false --status in_progress"))), task);
    ui(&format!("update {epic} --description ''")).ok();
    ui(&format!("update {task} --assignee ''")).ok();
    ui(&format!("update {task} --status closed")).ok();
    assert_eq!(issues(ui("list --json --tree=false --status closed --limit 1000"))[0]["acceptance_criteria"], "When");
    ui(&format!("update {task} --status open")).ok();
    let shown = issues(ui(&format!("show {task} --json")));
    assert!(shown[0]["closed_at"].is_null() && shown[0]["assignee"].is_null(), "{}", shown[0]);
    assert!(issues(ui(&format!("show {epic} --json")))[0]["description"].is_null());
    ui(&format!("dep add {epic} {task}")).ok();
    assert_eq!(issues(ui("blocked --json"))[0]["blocked_by"][0], task);
    ui(&format!("dep remove {epic} {task}")).ok();
    assert_eq!(issues(ui("ready --limit 1000 --json")).len(), 2);
    ui(&format!("label add {task} ui")).ok();
    ui(&format!("label remove {task} ui")).ok();
    ui(&format!("comment {task} Hello --author Zoe_Z")).ok();
    assert_eq!(ui(&format!("comments {task} --json")).ok().json()[0]["author"], "Zoe Z");
    assert_eq!(issues(ui("list --json --tree=false"))[0]["comment_count"], 1);
    let epics = ui("epic status --json").ok().json();
    is_issue(&epics[0]["epic"]);
    assert_eq!((&epics[0]["total_children"], &epics[0]["eligible_for_close"]), (&0.into(), &false.into()));
    ui(&format!("delete {task} --force")).ok();
    assert_eq!(issues(ui("list --json --tree=false")).len(), 1);
}

#[test]
fn beads_sdk() {
    let env = Env::new();
    let parent = issue(call(&env, "create --json The_whole --type epic"));
    let parent = parent["id"].as_str().unwrap();
    let child = issue(call(
        &env,
        &format!(
            "create --json Part --description D --priority 1 --type bug --assignee zoe --parent {parent} --labels a,b"
        ),
    ));
    let child = child["id"].as_str().unwrap();
    let listed = issues(call(
        &env,
        &format!("list --json --limit 10 --status open --priority 1 --type bug --assignee zoe --parent {parent}"),
    ));
    assert_eq!((&listed[0]["parent"], &listed[0]["labels"]), (&parent.into(), &serde_json::json!(["a", "b"])));
    assert!(listed[0]["dependency_count"].is_i64() && listed[0]["dependent_count"].is_i64());
    assert_eq!(ids(&issues(call(&env, "list --json --ready"))), child);
    assert_eq!(issues(call(&env, &format!("show --json {child} {parent}"))).len(), 2);
    let both = issues(call(
        &env,
        &format!(
            "update --json {child} {parent} --title T --description D --priority 3 --status open --type task --assignee bob --add-label c --add-label d --remove-label a"
        ),
    ));
    assert_eq!((both.len(), &both[0]["labels"]), (2, &serde_json::json!(["b", "c", "d"])));
    assert!(issues(call(&env, &format!("update --json {child} --parent ''")))[0]["parent"].is_null());
    assert_eq!(issues(call(&env, &format!("close --json {child} {parent}"))).len(), 2);
    assert_eq!(issues(call(&env, &format!("reopen --json {child} {parent} --reason why"))).len(), 2);
    call(&env, &format!("comments add {child} Hello --author zoe")).ok();
    assert_eq!(call(&env, &format!("comments {child} --json")).ok().json()[1]["text"], "Hello");
    assert_eq!(call(&env, &format!("label list {child} --json")).ok().json(), serde_json::json!(["b", "c", "d"]));
    let added = call(&env, &format!("label add {child} e --json")).ok().json();
    assert_eq!(added, serde_json::json!([{"status": "added", "issue_id": child, "label": "e"}]));
    assert_eq!(call(&env, &format!("label remove {child} e --json")).ok().json()[0]["status"], "removed");
    assert_eq!(call(&env, "label list-all --json").ok().json()[0], serde_json::json!({"label": "b", "count": 1}));
    let edge = call(&env, &format!("dep add {child} {parent} --json")).ok().json();
    assert_eq!(
        edge,
        serde_json::json!({"status": "added", "issue_id": child, "depends_on_id": parent, "type": "blocks"})
    );
    assert_eq!(ids(&issues(call(&env, &format!("dep list --json {child} --direction down --type blocks")))), parent);
    assert_eq!(ids(&issues(call(&env, &format!("dep list --json {parent} --direction up")))), child);
    assert_eq!(call(&env, &format!("dep remove {child} {parent} --json")).ok().json()["status"], "removed");
    assert!(issues(call(&env, &format!("children --json {parent}"))).is_empty());
    let query = "search --json T --status open --type task --assignee bob --label c --label-any b,c --limit 5 --sort updated --reverse --priority-min 1 --priority-max 3 --created-after 2026-01-01 --created-before 2027-01-01 --updated-after 2026-01-01 --updated-before 2027-01-01";
    assert_eq!(issues(call(&env, query)).len(), 2);
    assert_eq!(
        issues(call(
            &env,
            "ready --json --assignee bob --label c --label-any d --limit 9 --priority 3 --type task --sort oldest"
        ))
        .len(),
        2
    );
    assert_eq!(
        call(&env, "count --json --status open --type task --assignee bob --priority 3 --label c").ok().json()["count"],
        2
    );
    for by in ["status", "priority", "type", "assignee", "label"] {
        let groups = call(&env, &format!("count --json --by-{by}")).ok().json();
        assert!(
            groups["total"].is_i64()
                && groups["groups"][0]["group"].is_string()
                && groups["groups"][0]["count"].is_i64()
        );
    }
    let info = call(&env, "info --json").ok().json();
    assert!(
        info["database_path"].is_string()
            && info["issue_count"] == 2
            && info["mode"].is_string()
            && info["config"].is_object()
    );
    assert_eq!(call(&env, "epic status --json --eligible-only").ok().stdout, "[]\n");
    assert_eq!(call(&env, "epic close-eligible --json --dry-run").ok().stdout, "[]\n");
    assert!(issues(call(&env, "blocked --json")).is_empty());
    call(&env, &format!("delete --force {child} {parent}")).ok();
    assert_eq!(call(&env, "list --json").ok().stdout, "[]\n");
}
