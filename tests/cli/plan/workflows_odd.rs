//! Workflows that other tools have touched, and workflows over several repos.

use serde_json::Value;

use crate::cli::plan::workflows::{bd, id, ready, set_state, shown, started, task};
use crate::support::harness::Env;
use crate::support::repos::{bd_in, ledger, ledger_path, repo};

#[test]
fn another_tool_ends_and_reopens_a_workflow() {
    let env = started();
    let text = env.ledger_text();
    let line = text.lines().find(|line| line.starts_with("{\"id\":\"bd-w\"")).unwrap();
    // The status alone: a tool that knows no workflows.
    env.put_ledger(text.replace(line, &line.replace("\"status\":\"in_progress\"", "\"status\":\"closed\"")));
    let now = shown(&env);
    assert_eq!((&now["state"], &now["stored_state"]), (&"completed".into(), &"in_progress".into()));
    let told = bd(&env, "workflow show bd-w").ok();
    assert!(told.stderr.contains("its line says in_progress, but its issue was made closed"), "{}", told.snapshot());
    let found = bd(&env, "doctor");
    assert!(found.stdout.contains("the workflow bd-w is in_progress, but its issue is closed"), "{}", found.snapshot());
    bd(&env, &format!("claim {}", id(&env, "design"))).fails(5, &["is completed"]);
    bd(&env, "workflow pause bd-w").fails(5, &["legal now: nothing"]);
    // Reopened by an ordinary command it can be started again.
    bd(&env, "reopen bd-w").ok();
    assert_eq!((&shown(&env)["state"], &shown(&env)["status"]), (&"ready".into(), &"open".into()));
    bd(&env, "workflow start bd-w").ok();
    bd(&env, &format!("claim {}", id(&env, "design"))).ok();
}

#[test]
fn ordinary_commands_keep_state_and_status_together() {
    let env = started();
    bd(&env, "close bd-w").fails(5, &["its tasks design, build, docs, release are not done", "--force"]);
    bd(&env, "update bd-w --status closed").fails(5, &["are not done"]);
    bd(&env, "close bd-w --force").ok();
    let now = shown(&env);
    assert_eq!((&now["state"], now.get("stored_state")), (&"completed".into(), None));
    bd(&env, "reopen bd-w").ok();
    assert_eq!((&shown(&env)["state"], &shown(&env)["status"]), (&"ready".into(), &"open".into()));
    bd(&env, "delete bd-w --yes").ok();
    assert_eq!(bd(&env, "ready --json").ok().stdout, "[]\n", "its tasks are not handed out");
}

#[test]
fn an_unknown_state_hands_nothing_out() {
    let env = started();
    set_state(&env, "dancing");
    assert_eq!(shown(&env)["state"], "planning");
    bd(&env, &format!("claim {}", id(&env, "design"))).fails(5, &["is planning"]);
}

#[test]
fn the_status_of_a_workflow_follows_its_state() {
    let env = ready();
    let refused = |line: &str, text: &str| drop(bd(&env, line).fails(5, &[text]));
    let before = env.ledger();
    refused("update bd-w --status deferred", "bd-w is a workflow that is ready, and cannot be made deferred");
    refused("update bd-w --status in_progress", "legal now: in_progress (bd workflow start)");
    refused("status bd-w blocked", "its status follows its state");
    refused("defer bd-w", "cannot be made deferred");
    refused("claim bd-w", "nobody claims it, only its tasks");
    refused("--agent bot update bd-w --claim", "nobody claims it");
    assert_eq!(env.ledger(), before);
    bd(&env, "update bd-w --title Other").ok();
    // Deleted and restored it starts again.
    bd(&env, "workflow start bd-w").ok();
    bd(&env, "delete bd-w --yes").ok();
    bd(&env, "reopen bd-w").ok();
    assert_eq!((&shown(&env)["state"], &shown(&env)["status"]), (&"ready".into(), &"open".into()));
    // What other tools leave behind is reported, and repaired by a move to the same state.
    bd(&env, "workflow start bd-w").ok();
    let text = env.ledger_text();
    let line = text.lines().find(|line| line.starts_with("{\"id\":\"bd-w\"")).unwrap();
    env.put_ledger(text.replace(line, &line.replace("\"status\":\"in_progress\"", "\"status\":\"open\"")));
    let found = bd(&env, "doctor");
    assert!(found.stdout.contains("the workflow bd-w is in_progress, but its issue is open"), "{}", found.snapshot());
    let told = bd(&env, "workflow show bd-w").ok();
    assert!(told.stderr.contains("its issue is open, which does not match in_progress"), "{}", told.snapshot());
    bd(&env, "workflow set bd-w --state in_progress").ok();
    assert_eq!(shown(&env)["status"], "in_progress");
    assert!(!bd(&env, "doctor").stdout.contains("the workflow bd-w"));
}

#[test]
fn a_workflow_that_cannot_be_read_hands_nothing_out() {
    let env = started();
    let (design, text) = (id(&env, "design"), env.ledger_text());
    let line = text.lines().find(|line| line.starts_with("{\"id\":\"bd-w\"")).unwrap();
    let at = line.find("\"workflow\":{").unwrap();
    let end = at + line[at..].find('}').unwrap() + 1;
    for odd in ["\"workflow\":{}", "\"workflow\":7", "\"other\":1"] {
        env.put_ledger(text.replace(line, &line.replace(&line[at..end], odd)));
        assert_eq!(bd(&env, "ready --json").ok().stdout, "[]\n", "{odd}");
        bd(&env, &format!("claim {design}")).fails(5, &["its workflow bd-w cannot be read as one"]);
        bd(&env, &format!("update {design} --status in_progress")).fails(5, &["cannot be read as one"]);
        let why = bd(&env, &format!("why {design}")).ok();
        assert!(why.stdout.contains("cannot be read as one"), "{odd}: {}", why.snapshot());
        let found = bd(&env, "doctor");
        assert!(found.stdout.contains("bd-w is a workflow that cannot be read"), "{odd}: {}", found.snapshot());
    }
}

/// The project's copy of a proposed workflow does not say what it is.
#[test]
fn a_proposed_workflow_is_one_still() {
    let story = crate::cli::share::proposals::Story::new();
    story
        .env
        .write("plan.toml", "name = \"W\"\n[[tasks]]\nname = \"a\"\n[[tasks]]\nname = \"b\"\ndepends_on = [\"a\"]\n");
    story.bd("workflow|create|--id|pl-w|--plan|plan.toml").ok();
    story.bd("propose|pl-w").ok();
    let now = story.bd("workflow|show|pl-w|--json").ok().json();
    assert_eq!((&now["state"], &now["total"]), (&"ready".into(), &2.into()), "{now}");
    let (a, b) = (now["tasks"][0]["id"].as_str().unwrap(), now["tasks"][1]["id"].as_str().unwrap());
    assert!(!story.bd("ready|--json").ok().ids().iter().any(|id| id == a || id == b));
    story.bd(&format!("--agent|kim|claim|{a}")).fails(5, &["its workflow pl-w is ready"]);
    story.bd("workflow|start|pl-w").ok();
    story.bd(&format!("--agent|kim|claim|{b}")).fails(5, &["it waits for"]);
    story.bd(&format!("--agent|kim|claim|{a}")).ok();
    assert!(!story.env.ledger_text().contains("\"workflow\":{"), "what it is stays private");
}

#[test]
fn a_task_without_its_workflow_is_an_ordinary_issue_or_none() {
    let env = ready();
    let design = id(&env, "design");
    let text = env.ledger_text();
    let without: String =
        text.lines().filter(|line| !line.starts_with("{\"id\":\"bd-w\"")).map(|line| format!("{line}\n")).collect();
    env.put_ledger(without);
    assert_eq!(bd(&env, "ready --json").ok().stdout, "[]\n");
    bd(&env, &format!("claim {design}")).fails(5, &["its workflow bd-w is in no repo of this project", "bd repo add"]);
    bd(&env, &format!("update {design} --parent=")).ok();
    bd(&env, &format!("claim {design}")).ok();
}

const HALVES: &str = "name = \"Halves\"\nmax_parallel = 2\n
[[tasks]]\nname = \"server\"\nrepo = \"../server\"\n
[[tasks]]\nname = \"page\"\nrepo = \".\"\ndepends_on = [\"server\"]\n
[[tasks]]\nname = \"app\"\nrepo = \"../app\"\ndepends_on = [\"server\"]\n";

/// Three repos, joined in the first; with or without one state home for all.
pub fn three(global: bool) -> Env {
    let env = Env::new();
    if global {
        let config = env.root().join("home/config/beads");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("config.toml"), "[state]\nmode = \"global\"\n").unwrap();
    }
    for (below, prefix) in [("server", "srv"), ("app", "app")] {
        repo(&env, below, prefix);
        bd(&env, &format!("repo add ../{below}")).ok();
    }
    env.write("plan.toml", HALVES);
    env
}

#[test]
fn several_repos_need_one_state_home() {
    let env = three(false);
    let refused = bd(&env, "workflow create --id bd-w --plan plan.toml --json");
    refused.fails(5, &["needs one state home", "bd state move --to global", "../server"]);
    for below in ["web", "server", "app"] {
        assert_eq!(ledger(&env, below), "", "nothing was written");
    }
    // Each is asked as it is used by itself.
    bd(&env, "state move --to global").ok();
    bd(&env, "workflow create --id bd-w --plan plan.toml").fails(5, &["../server", "../app"]);
    for below in ["server", "app"] {
        bd_in(&env, below, ["state", "move", "--to", "global"]).ok();
    }
    bd(&env, "workflow create --id bd-w --plan plan.toml").ok();
    let env = three(false);
    env.set("BD_STATE_DIR", env.root().join("state"));
    bd(&env, "workflow create --id bd-w --plan plan.toml").ok();
}

#[test]
fn each_task_is_filed_in_its_repo() {
    let env = three(true);
    bd(&env, "workflow create --id bd-w --plan plan.toml").ok();
    let repo_of = |name: &str| task(&env, name)["source_repo"].as_str().unwrap().to_owned();
    assert_eq!(["server", "page", "app"].map(repo_of), ["../server", ".", "../app"]);
    assert!(id(&env, "server").starts_with("srv-") && id(&env, "app").starts_with("app-"));
    let repos: Vec<Value> = shown(&env)["repos"].as_array().unwrap().clone();
    assert!(repos.len() == 3 && repos.iter().all(|repo| repo.as_str().unwrap().starts_with("rp_")), "{repos:?}");
    assert!(repos.contains(&task(&env, "app")["repo"]));
    bd(&env, "workflow start bd-w").ok();
    bd(&env, &format!("claim {}", id(&env, "page"))).fails(5, &["it waits for", &id(&env, "server")]);
    let server = id(&env, "server");
    bd(&env, "--agent bot workflow next bd-w --claim").ok();
    // The claim is seen from the other repo, where the workflow itself is not.
    assert_eq!(bd_in(&env, "server", ["leases", "--json"]).ok().ids(), [server.as_str()]);
    let app = id(&env, "app");
    bd_in(&env, "app", ["claim", &app]).fails(5, &["its workflow bd-w is in no repo"]);
    // Without all of its repos, the number of running tasks is unknown.
    bd_in(&env, "app", ["repo", "add", "../web"]).ok();
    bd_in(&env, "app", ["claim", &app]).fails(5, &["goes over repos that this project does not have", "rp_"]);
    bd_in(&env, "app", ["workflow", "complete", "bd-w", "--skip-open"]).fails(5, &["these repos are not joined here"]);
    bd_in(&env, "app", ["workflow", "wait", "bd-w", "--timeout", "1s"]).fails(5, &["these repos are not joined here"]);
    bd_in(&env, "server", ["--agent", "bot", "close", &server, "-r", "serves"]).ok();
    assert_eq!(task(&env, "server")["outcome"], "serves");
    let next = bd(&env, "workflow next bd-w --json").ok().json();
    assert_eq!(next["tasks"].as_array().unwrap().len(), 2);
    // By the id of the repo too.
    let by_id = format!("name = \"Other\"\n[[tasks]]\nname = \"x\"\nrepo = {}\n", task(&env, "app")["repo"]);
    env.write("other.toml", by_id);
    let made = bd(&env, "workflow create --plan other.toml --json").ok().json();
    assert_eq!(made["tasks"][0]["source_repo"], "../app");
}

#[test]
fn every_task_of_several_repos_names_its_own() {
    let env = three(true);
    env.write(
        "plan.toml",
        "name = \"W\"\n[[tasks]]\nname = \"a\"\nrepo = \"../app\"\n[[tasks]]\nname = \"b\"\n[[tasks]]\nname = \"c\"\n",
    );
    bd(&env, "workflow create --plan plan.toml --repo . --repo ../app").fails(2, &["these tasks name none: b, c"]);
    env.write(
        "plan.toml",
        "name = \"W\"\n[[tasks]]\nname = \"a\"\nrepo = \"nosuch\"\n[[tasks]]\nname = \"b\"\nrepo = \"neither\"\n",
    );
    bd(&env, "workflow create --plan plan.toml").fails(3, &["a (nosuch), b (neither)"]);
    env.write("plan.toml", HALVES);
    bd(&env, "workflow create --plan plan.toml --repo . --repo ../app").fails(2, &["does not have: server"]);
    bd(&env, "workflow create --plan plan.toml --repo nosuch").fails(3, &["nosuch"]);
    // One repo does not count as several: its tasks need not name it.
    env.write("plan.toml", "name = \"W\"\n[[tasks]]\nname = \"a\"\n");
    let one = bd(&env, "workflow create --plan plan.toml --repo ../app --json").ok().json();
    assert_eq!((&one["source_repo"], &one["tasks"][0]["source_repo"]), (&"../app".into(), &"../app".into()));
    for below in ["web", "server"] {
        assert_eq!(ledger(&env, below), "", "{below}: nothing was written");
    }
}

#[test]
fn a_workflow_is_there_with_all_of_its_tasks_or_not_at_all() {
    let env = three(true);
    let markers = "<<<<<<< ours\n{\"id\":\"app-1\",\"title\":\"A\"}\n=======\n{\"id\":\"app-1\",\"title\":\"B\"}\n>>>>>>> theirs\n";
    crate::support::harness::put_file(&ledger_path(&env, "app"), markers.as_bytes());
    bd(&env, "workflow create --id bd-w --plan plan.toml").fails(8, &["app"]);
    for below in ["web", "server"] {
        assert_eq!(ledger(&env, below), "", "{below}: to the byte as it was");
    }
    assert_eq!(ledger(&env, "app"), markers);
    assert!(!bd(&env, "list").ok().stderr.contains("another program"), "nothing is missed");
    crate::support::harness::put_file(&ledger_path(&env, "app"), b"");
    bd(&env, "workflow create --id bd-w --plan plan.toml").ok();
    assert_eq!(shown(&env)["total"], 3);
}

/// An edge between a private task and another would tell of it in a ledger that is shared.
#[test]
fn a_workflow_does_not_mix_private_repos_with_others() {
    let env = three(true);
    bd(&env, "config set routing.mode explicit").ok();
    bd(&env, "config set routing.default ../server").ok();
    let before =
        ["web", "server", "app"].map(|name| std::fs::read(env.root().join(name).join(".beads/beads.jsonl")).unwrap());
    let run = bd(&env, "workflow create --id bd-w --plan plan.toml --json");
    assert_eq!((run.code, run.error()["code"].as_str()), (5, Some("would_leak")), "{run:?}");
    let after =
        ["web", "server", "app"].map(|name| std::fs::read(env.root().join(name).join(".beads/beads.jsonl")).unwrap());
    assert_eq!(before, after);
}
