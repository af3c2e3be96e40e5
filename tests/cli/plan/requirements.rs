//! Requirements of the documents that this program grew from, one test for each, by its number.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::checkouts::Family;
use crate::support::harness::{BD, Env};
use crate::support::project::Project;

/// A file with a plan of two tasks, of which the second waits for the first.
fn plan(env: &Env) -> String {
    let path = env.root().join("plan.toml");
    std::fs::write(&path, "[[tasks]]\nname = \"a\"\n[[tasks]]\nname = \"b\"\ndepends_on = [\"a\"]\n").unwrap();
    path.to_str().unwrap().to_owned()
}

/// The id of a workflow that was made in a directory.
fn workflow(family: &Family, directory: &Path, title: &str) -> String {
    let made = family.bd(directory, &format!("workflow create {title} --plan {} --json", plan(family.env()))).ok();
    made.json()["id"].as_str().unwrap().to_owned()
}

fn texts<'a>(rows: &'a Value, key: &str) -> Vec<&'a str> {
    rows.as_array().unwrap().iter().map(|row| row[key].as_str().unwrap_or("-")).collect()
}

#[test]
fn s1_1_every_checkout_sees_the_workflows_of_all() {
    let Some(family) = Family::new() else { return };
    let (main, one, two) = (family.web(), family.worktree("one"), family.worktree("two"));
    let id = workflow(&family, &one, "Ship");
    family.bd(&one, &format!("workflow start {id}")).ok();
    let task = family.bd(&one, &format!("--agent bot workflow next {id} --claim --json")).ok().json();
    let task = task["claimed"]["id"].as_str().unwrap().to_owned();
    for place in [&main, &two] {
        let list = family.bd(place, "workflow list --json").ok().json();
        assert_eq!(texts(&list, "id"), [id.as_str()]);
        assert_eq!((&list[0]["state"], &list[0]["worktree"]), (&json!("in_progress"), &json!("one")));
        assert_eq!(list[0]["worktree_id"], family.id(&one));
        let shown = family.bd(place, &format!("workflow show {id} --json")).ok().json();
        let held = shown["tasks"].as_array().unwrap().iter().find(|one| one["id"] == task.as_str()).unwrap();
        assert_eq!((&held["state"], &held["holder"]), (&json!("in_progress"), &json!("bot")), "{shown}");
        let text = family.bd(place, &format!("workflow show {id}")).ok().stdout;
        assert!(text.contains("[in one, not merged here]") && text.contains("by bot"), "{text}");
        assert_eq!(family.bd(place, &format!("workflow progress {id} --json")).ok().json()["total"], 2);
    }
    // Known on both sides, and later in one: both versions are reported.
    family.commit(&one);
    family.git(&main, "merge -q one").ok();
    family.bd(&one, &format!("workflow pause {id}")).ok();
    let list = family.bd(&main, "workflow list --json").ok().json();
    assert_eq!(texts(&list, "state"), ["in_progress", "paused"], "{list}");
    assert_eq!(texts(&list, "worktree"), ["-", "one"]);
    let shown = family.bd(&main, &format!("workflow show {id} --json")).ok().json();
    assert_eq!((&shown["state"], &shown["elsewhere"][0]["state"]), (&json!("in_progress"), &json!("paused")));
    // In the checkout that has it, it is an ordinary one.
    let own = family.bd(&one, "workflow list --json").ok().json();
    assert_eq!((texts(&own, "state"), texts(&own, "worktree")), (vec!["paused"], vec!["-"]));
    family.bd(&two, "workflow show nosuch").fails(3, &["nosuch"]);
}

#[test]
fn s1_1_a_task_that_another_checkout_added_is_seen() {
    let Some(family) = Family::new() else { return };
    let main = family.web();
    let id = workflow(&family, &main, "Ship");
    family.commit(&main);
    let other = family.worktree("other");
    family.bd(&other, &format!("workflow add-task {id} extra")).ok();
    let shown = family.bd(&main, &format!("workflow show {id} --json")).ok().json();
    assert_eq!(shown["total"], 2);
    assert_eq!(shown["elsewhere"][0]["total"], 3, "{shown}");
}

#[test]
fn s2_8_without_a_workspace_the_program_works_here_and_nothing_is_cleaned_up() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("config set workspace.cleanup_on_complete true --personal\nadd One --id bd-1 -l plain");
    // A workflow that works in workspaces says nothing about other issues.
    let file = plan(env);
    let id = env.bd(["workflow", "create", "Ship", "--plan", &file, "--auto-workspace", "--json"]).ok().json();
    env.bd(["workflow", "start", id["id"].as_str().unwrap()]).ok();
    let job = format!("pwd > where.txt; {BD} close $BD_ISSUE -r done");
    env.bd(["--agent", "bot", "run", "-l", "plain", "--", "sh", "-c", &job]).ok();
    let here = env.root().join("web");
    assert_eq!(std::fs::read_to_string(env.path("where.txt")).unwrap().trim(), here.to_str().unwrap());
    assert_eq!(env.bd(["show", "bd-1", "--json"]).ok().json()[0]["status"], "closed");
    assert_eq!(env.bd(["workspace", "list", "--all", "--json"]).ok().json(), json!([]));
}

#[test]
fn a_plain_issue_is_run_here_and_a_task_apart_whichever_is_picked() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let file = plan(env);
    let id = env.bd(["workflow", "create", "Ship", "--plan", &file, "--auto-workspace", "--json"]).ok().json();
    env.bd(["workflow", "start", id["id"].as_str().unwrap()]).ok();
    env.given("close bd-base\nadd Plain --id bd-1 -p 0");
    project.git("add -A").ok();
    project.git("commit -qm more").ok();
    let where_it_ran = |agent: &str| {
        let run = env.bd(["--agent", agent, "run", "--keep", "--json", "--", "sh", "-c", "pwd >&2; true"]);
        (run.json()[0]["id"].as_str().unwrap_or_default().to_owned(), run.stderr.clone())
    };
    let (first, place) = where_it_ran("bot");
    assert_eq!(first, "bd-1");
    assert!(place.contains(env.root().join("web").to_str().unwrap()), "{place}");
    let row = env.bd(["show", "bd-1", "--json"]).ok().json();
    assert_eq!((&row[0]["status"], &row[0]["assignee"]), (&json!("in_progress"), &json!("bot")), "the ledger says it");
    let (second, place) = where_it_ran("cat");
    assert!(second != "bd-1" && place.contains("/ws_"), "{second} {place}");
}

#[test]
fn s2_12_each_job_has_a_branch_that_only_its_workspace_has_and_can_push_it() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("init -q --bare ../up.git").ok();
    project.git("remote add origin ../up.git").ok();
    project.git("push -q -u origin main").ok();
    let path = |id: &str| env.bd(["workspace", "path", id]).ok().stdout.trim().to_owned();
    env.bd(["workspace", "create", "--issue", "bd-base"]).ok();
    let place = path("bd-base");
    let there = |line: &str| project.git(&format!("-C {place} {line}")).ok().stdout;
    assert_eq!(there("branch --show-current").trim(), "bd/bd-base");
    std::fs::write(Path::new(&place).join("x"), "x").unwrap();
    there("add x");
    there("commit -qm x");
    there("push -q origin HEAD");
    assert_eq!(project.git("branch --format %(refname:short)").ok().stdout.trim(), "main", "none here");
    assert!(project.git("-C ../up.git branch").ok().stdout.contains("bd/bd-base"));
    env.bd(["workspace", "update", "bd-base", "--pr-url", "https://host/pull/1"]).ok();
    assert_eq!(env.bd(["workspace", "show", "bd-base", "--json"]).ok().json()["pr_url"], "https://host/pull/1");
    // A password cannot be typed there: ssh, if that is wanted.
    project.git("remote set-url origin https://host.example/a/b.git").ok();
    let url = |id: &str| project.git(&format!("-C {} ls-remote --get-url origin", path(id))).ok().stdout;
    env.given("add Two --id bd-2\nadd Three --id bd-3");
    env.bd(["workspace", "create", "--issue", "bd-2", "--new"]).ok();
    assert_eq!(url("bd-2").trim(), "https://host.example/a/b.git");
    env.bd(["--config", "workspace.ssh=true", "workspace", "create", "--issue", "bd-3", "--new"]).ok();
    assert_eq!(url("bd-3").trim(), "git@host.example:a/b.git");
    let written = project.git(&format!("-C {} config remote.origin.url", path("bd-3"))).ok().stdout;
    assert_eq!(written.trim(), "https://host.example/a/b.git", "the remote itself is that of the parent");
}

#[test]
fn s2_14_what_a_crash_leaves_is_found_named_and_taken_away_wherever_it_is() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    for kind in ["clone", "worktree", "copy"] {
        let place = env.root().join(format!("job-{kind}"));
        let mut command = env.bd_command(BD);
        command.args(["workspace", "create", "--issue", "bd-base", "--kind", kind, "--path"]).arg(&place);
        command.args(["--setup", "kill -9 $PPID"]);
        assert!(!command.output().unwrap().status.success());
        assert!(place.is_dir(), "it had been made");
        let found = env.bd(["workspace", "gc", "--json"]).ok().json().to_string();
        assert!(found.contains("crashed") && found.contains(place.to_str().unwrap()), "{found}");
        env.bd(["workspace", "gc", "--apply"]).ok();
        assert!(!place.exists(), "{kind}");
        assert_eq!(env.bd(["workspace", "list", "--json"]).ok().json(), json!([]), "{kind}");
    }
    assert_eq!(project.git("branch --format %(refname:short)").ok().stdout.trim(), "main");
    // Others' files stay, whatever a record says.
    let precious = env.root().join("precious");
    std::fs::create_dir(&precious).unwrap();
    std::fs::write(precious.join("x"), "x").unwrap();
    env.bd(["workspace", "create", "--path", precious.to_str().unwrap()]).fails(1, &["already"]);
    env.bd(["workspace", "gc", "--apply"]).ok();
    assert!(precious.join("x").exists());
}

#[test]
fn s4_2_an_agent_keeps_what_it_said_and_shows_what_it_holds() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let show = || env.bd(["agent", "show", "bot", "--json"]).ok().json();
    let register = |more: &[&str]| {
        env.bd(["agent", "register", "bot", "--again"].iter().chain(more)).ok().stdout.trim().to_owned()
    };
    let id = register(&[
        "--role",
        "coordinator",
        "--runtime",
        "claude",
        "--cap",
        "rust,docs",
        "--meta",
        "a=1",
        "--meta",
        "b=2",
    ]);
    assert_eq!(register(&["--meta", "b=3"]), id);
    let known = show();
    assert_eq!(
        (&known["role"], &known["runtime"], &known["capabilities"], &known["metadata"]),
        (&json!("coordinator"), &json!("claude"), &json!(["docs", "rust"]), &json!({"a": "1", "b": "3"}))
    );
    assert_eq!((&known["current_task"], &known["claims"]), (&Value::Null, &json!([])));
    register(&["--cap", "sql", "--role", "worker"]);
    assert_eq!((&show()["capabilities"], &show()["role"]), (&json!(["sql"]), &json!("worker")));
    register(&["--cap", "", "--runtime", ""]);
    assert_eq!((&show()["capabilities"], &show()["runtime"]), (&json!([]), &Value::Null));
    // What it works on, and where.
    env.given("add Two --id bd-2");
    env.bd(["--agent", "bot", "claim", "bd-base"]).ok();
    env.bd(["--agent", "bot", "claim", "bd-2"]).ok();
    env.bd(["--agent", "bot", "workspace", "create", "--issue", "bd-base"]).ok();
    let known = show();
    assert_eq!(known["current_task"], "bd-2", "{known}");
    assert_eq!(texts(&known["claims"], "id"), ["bd-2", "bd-base"]);
    let path = env.bd(["workspace", "path", "bd-base"]).ok().stdout;
    assert_eq!(known["workspace_path"].as_str().unwrap(), path.trim());
    let text = env.bd(["agent", "show", "bot"]).ok().stdout;
    let shown = path.trim().replace(env.root().join("home").to_str().unwrap(), "~");
    assert!(text.contains("Works on") && text.contains("bd-base") && text.contains(&shown), "{text}");
    assert!(env.bd(["agent", "list"]).ok().stdout.contains("works on bd-2"));
}

#[test]
fn s4_5_who_leaves_lets_go_of_all_that_is_not_done_and_the_reason_is_kept() {
    let env = Env::new();
    for n in 1..=6 {
        env.bd(["add", &format!("Issue {n}"), "--id", &format!("bd-{n}")]).ok();
    }
    let bot = |line: &str| env.bd(["--agent", "bot"].into_iter().chain(line.split(' ')));
    env.bd(["agent", "register", "bot"]).ok();
    for id in ["bd-1", "bd-2", "bd-3", "bd-4"] {
        bot(&format!("claim {id}")).ok();
    }
    bot("update bd-2 --status blocked").ok();
    bot("defer bd-3").ok();
    bot("close bd-4 -r done").ok();
    env.bd(["assign", "bd-5", "bot"]).ok();
    env.bd(["update", "bd-6", "--assignee", "ann"]).ok();
    // Only the holder can release; a finished issue cannot be claimed.
    env.bd(["--agent", "cat", "release", "bd-1"]).fails(4, &["bot"]);
    env.bd(["--agent", "cat", "claim", "bd-4"]).fails(5, &["closed"]);
    let left = env.bd(["agent", "unregister", "bot", "--reason", "out of budget", "--json"]).ok().json();
    assert_eq!(left["released"], json!(["bd-1", "bd-2", "bd-3", "bd-5"]));
    let rows = env.bd(["list", "--status", "all", "--json"]).ok().json();
    let row = |id: &str| rows.as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
    for (id, status) in [("bd-1", "open"), ("bd-2", "blocked"), ("bd-3", "deferred"), ("bd-5", "open")] {
        assert_eq!((&row(id)["status"], &row(id)["assignee"]), (&json!(status), &Value::Null), "{id}");
        assert!(env.bd(["show", id]).ok().stdout.contains("Released: out of budget"), "{id}");
    }
    assert_eq!((&row("bd-4")["assignee"], &row("bd-6")["assignee"]), (&json!("bot"), &json!("ann")));
    assert_eq!(env.bd(["--agent", "cat", "ready", "--claim", "--json"]).ok().ids(), ["bd-1"]);
}

#[test]
fn s4_6_mail_reaches_groups_by_role_status_and_runtime_without_the_sender() {
    let env = Env::new();
    env.given(
        "agent register bob --runtime claude
         agent register eve --runtime codex
         agent register rex --runtime claude --role reviewer
         add One --id bd-1",
    );
    env.bd(["--agent", "eve", "agent", "heartbeat", "--status", "busy"]).ok();
    let reached = |to: &str| {
        let sent = env.bd(["--agent", "bob", "mail", "send", to, "-m", "x", "--json"]).ok().json();
        (texts(&sent["recipients"], "name").join(" "), sent["type"].as_str().unwrap().to_owned())
    };
    for (to, names) in [
        ("runtime:claude", "rex"),
        ("runtime:codex", "eve"),
        ("status:busy", "eve"),
        ("status:online", "rex"),
        ("role:worker", "eve"),
        ("@all", "eve rex"),
    ] {
        assert_eq!(reached(to), (names.to_owned(), "broadcast".to_owned()), "{to}");
    }
    assert_eq!(reached("eve").1, "status_update");
    for to in ["runtime:", "runtime:none", "status:offline", "status:gone", "status:asleep", "status:"] {
        env.bd(["--agent", "bob", "mail", "send", "rex", to, "-m", "never"]).fails(3, &["status:S, runtime:T"]);
    }
    let all = env.bd(["--agent", "rex", "mail", "inbox", "--json"]).ok().json();
    assert!(!all.to_string().contains("never"), "if one means nobody, nobody gets it");
    // The states of a message: unread, read, archived; an expired one is not shown; one from bd itself has no sender.
    let id = all[0]["id"].as_str().unwrap();
    assert_eq!(all[0]["status"], "unread");
    assert_eq!(env.bd(["--agent", "rex", "mail", "read", id, "--json"]).ok().json()["status"], "read");
    assert_eq!(env.bd(["--agent", "rex", "mail", "archive", id, "--json"]).ok().json()[0]["status"], "archived");
    env.bd(["--agent", "bob", "mail", "send", "rex", "-m", "soon", "--expires", "1s"]).ok();
    env.bd(["list"]).ok();
    let left = env.bd(["--agent", "rex", "mail", "inbox", "--json"]).ok().json();
    assert!(!left.to_string().contains("soon"), "{left}");
    env.bd(["--agent", "bob", "claim", "bd-1"]).ok();
    env.bd(["claim", "bd-1", "--takeover", "--reason", "stuck"]).ok();
    let told = env.bd(["--agent", "bob", "mail", "inbox", "--json"]).ok().json();
    assert_eq!((&told[0]["from"], &told[0]["issue"]), (&Value::Null, &json!("bd-1")), "{told}");
    // A workflow by its own id.
    let file = plan(&env);
    let flow = env.bd(["workflow", "create", "Ship", "--plan", &file, "--json"]).ok().json();
    let sent = env.bd(["mail", "send", "rex", "-m", "x", "--issue", flow["workflow_id"].as_str().unwrap(), "--json"]);
    assert_eq!(sent.ok().json()["issue"], flow["id"]);
}

/// Two repos beside each other, the second one joined by the first.
fn joined() -> Option<Project> {
    let project = Project::single()?;
    let env = &project.env;
    let lib = env.root().join("lib");
    std::fs::create_dir(&lib).unwrap();
    let there = |program: &str, line: &str| {
        let mut command = if program == "git" { env.command("git") } else { env.bd_command(BD) };
        command.current_dir(&lib).args(line.split(' '));
        env.run(command, line.to_owned(), None).ok();
    };
    there("git", "init -q -b main");
    there("git", "config user.name t");
    there("git", "config user.email t@example.org");
    there("bd", "init --quiet --prefix lib");
    there("git", "add -A");
    there("git", "commit -qm base");
    env.bd(["repo", "add", "../lib"]).ok();
    Some(project)
}

#[test]
fn s4_9_a_workflow_over_repos_needs_one_home_and_keeps_its_repos() {
    let Some(project) = joined() else { return };
    let env = &project.env;
    let path = env.root().join("both.toml");
    std::fs::write(&path, "[[tasks]]\nname = \"x\"\nrepo = \".\"\n[[tasks]]\nname = \"y\"\nrepo = \"../lib\"\n")
        .unwrap();
    let create = |title: &str| {
        env.bd([
            "workflow",
            "create",
            title,
            "--plan",
            path.to_str().unwrap(),
            "--repo",
            ".",
            "--repo",
            "../lib",
            "--json",
        ])
    };
    create("Both").fails(5, &["state home", "../lib"]);
    env.set("BD_STATE_DIR", env.root().join("shared"));
    let one = create("Both").ok().json();
    let two = create("More").ok().json();
    assert_eq!(one["repos"], two["repos"], "one repo, many workflows");
    let repos: Vec<&Value> = one["tasks"].as_array().unwrap().iter().map(|task| &task["repo"]).collect();
    assert!(repos[0] != repos[1] && repos.iter().all(|repo| repo.as_str().unwrap().starts_with("rp_")), "{one}");
    for flow in [&one, &two] {
        env.bd(["repo", "remove", "../lib"]).fails(5, &["workflow"]);
        env.bd(["workflow", "abandon", flow["id"].as_str().unwrap(), "--reason", "test"]).ok();
    }
    env.bd(["repo", "remove", "../lib"]).ok();
    // A task that names no repo does not inherit one.
    env.bd(["repo", "add", "../lib"]).ok();
    std::fs::write(&path, "[[tasks]]\nname = \"x\"\n").unwrap();
    create("None").fails(2, &["x"]);
}

#[test]
fn s4_9_a_repo_with_workspaces_stays_also_where_each_repo_has_its_own_home() {
    let Some(project) = joined() else { return };
    let env = &project.env;
    let made = env.bd(["workspace", "create", "--repo", "../lib", "--json"]).ok().json();
    let id = made["id"].as_str().unwrap();
    assert!(made["repo"].as_str().unwrap().starts_with("rp_"), "{made}");
    env.bd(["repo", "remove", "../lib"]).fails(5, &[id]);
    env.bd(["workspace", "remove", id]).ok();
    env.bd(["repo", "remove", "../lib"]).ok();
}

#[test]
fn s4_20_failures_are_bounded_and_kept_and_an_answer_brings_a_deferred_issue_back() {
    let env = Env::new();
    env.given("add One --id bd-1\nadd Two --id bd-2");
    for attempt in 1..=3 {
        let run = env.bd(["--agent", "bot", "run", "bd-1", "--", "true"]);
        run.fails(1, &[&format!("attempt {attempt}")]);
    }
    let ready = || env.bd(["ready", "--json"]).ok().ids();
    assert!(env.bd(["show", "bd-1"]).ok().stdout.contains("needs-attention"));
    assert_eq!(env.bd(["--agent", "bot", "ready", "--claim", "--json"]).ok().ids(), ["bd-2"], "bd-1 is not handed out");
    let ask = |text: &str| {
        let line =
            ["--agent", "bot", "mail", "send", "human", "--type", "query", "--issue", "bd-2", "-m", text, "--json"];
        env.bd(line).ok().json()["id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (ask("which one?"), ask("and when?"));
    env.bd(["--agent", "bot", "defer", "bd-2"]).ok();
    assert!(!ready().contains(&"bd-2".to_owned()));
    env.bd(["mail", "reply", &first, "-m", "the red one"]).ok();
    assert!(!ready().contains(&"bd-2".to_owned()), "another question is open");
    let told = env.bd(["mail", "reply", &second, "-m", "now", "--json"]).ok().json();
    assert_eq!(told["resumed"], json!({"id": "bd-2", "done": true}));
    assert!(ready().contains(&"bd-2".to_owned()));
    assert_eq!(
        env.bd(["--agent", "bot", "mail", "inbox", "--unread", "--json"]).ok().json().as_array().unwrap().len(),
        2
    );
    // A message that is not a question, or an explicit date, changes nothing.
    env.bd(["defer", "bd-2"]).ok();
    let word =
        env.bd(["--agent", "bot", "mail", "send", "human", "--issue", "bd-2", "-m", "hello", "--json"]).ok().json();
    env.bd(["mail", "reply", word["id"].as_str().unwrap(), "-m", "hi"]).ok();
    assert!(!ready().contains(&"bd-2".to_owned()));
    env.bd(["defer", "bd-2", "--until", "2027-01-01"]).ok();
    env.bd(["mail", "reply", &ask("still?"), "-m", "yes"]).ok();
    assert!(!ready().contains(&"bd-2".to_owned()));
}

#[test]
fn an_issue_that_was_deferred_in_another_checkout_comes_back_there() {
    let Some(family) = Family::new() else { return };
    let (main, other) = (family.web(), family.worktree("other"));
    family.bd(&other, "--agent bot claim bd-base").ok();
    let asked =
        family.bd(&other, "--agent bot mail send human --type query --issue bd-base -m which --json").ok().json();
    family.bd(&other, "--agent bot defer bd-base").ok();
    let before = family.env().ledger();
    let told = family.bd(&main, &format!("mail reply {} -m red", asked["id"].as_str().unwrap())).ok();
    assert!(told.stderr.contains("in other"), "{}", told.snapshot());
    assert_eq!(family.env().ledger(), before, "this checkout has nothing to do with it");
    let row = family.bd(&other, "show bd-base --json").ok().json();
    assert_eq!(row[0]["status"], "open");
}
