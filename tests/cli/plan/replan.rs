//! Changing a plan during the work: tasks that have begun stay, and no task waits for a removed one.

use serde_json::Value;
use snapbox::{IntoData as _, assert_data_eq, str};

use crate::cli::plan::workflows::{bd, id, shown, started, task};
use crate::support::harness::Env;

/// Names and what each waits for.
fn order(env: &Env) -> Vec<String> {
    let line = |task: &Value| {
        let mut names: Vec<&str> = task["blocked_by"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
        names.sort_unstable();
        format!("{} < {}", task["name"].as_str().unwrap(), names.join(" "))
    };
    shown(env)["tasks"].as_array().unwrap().iter().map(line).collect()
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().or(name["name"].as_str()).unwrap()).collect()
}

/// `design` is done, `build` is claimed, `docs` and `release` are open.
fn under_way() -> Env {
    let env = started();
    bd(&env, &format!("close {} -r drawn", id(&env, "design"))).ok();
    bd(&env, &format!("--agent bot claim {}", id(&env, "build"))).ok();
    env
}

#[test]
fn a_new_plan_in_the_middle() {
    let env = under_way();
    let (design, build) = (task(&env, "design"), task(&env, "build"));
    env.write(
        "new.toml",
        "[[tasks]]\nname = \"build\"\ntitle = \"not this\"\n[[tasks]]\nname = \"release\"\ntitle = \"Out with it\"\ndepends_on = [\"lint\", \"build\"]\n[[tasks]]\nname = \"lint\"\ndepends_on = [\"design\"]\n",
    );
    let before = env.ledger();
    let story = env.script("workflow replan bd-w new.toml --dry-run");
    assert_eq!(env.ledger(), before, "{story}");
    assert_data_eq!(
        story + &env.script("workflow replan bd-w new.toml\nworkflow replan bd-w new.toml"),
        str![[r#"
$ bd workflow replan bd-w new.toml --dry-run
Would keep: design (done), build (claimed)
Would update: release
Would add: lint
Would take out: docs
in_progress  Ship  (1 of 4 done, 1 pending, 1 blocked, 1 in progress)  bd-w
$ bd workflow replan bd-w new.toml
Kept: design (done), build (claimed)
Updated: release
Added: lint
Took out: docs
in_progress  Ship  (1 of 4 done, 1 pending, 1 blocked, 1 in progress)  bd-w
$ bd workflow replan bd-w new.toml
Kept: design (done), build (claimed)
As before: release, lint
in_progress  Ship  (1 of 4 done, 1 pending, 1 blocked, 1 in progress)  bd-w

"#]]
        .raw()
    );
    assert_eq!(task(&env, "design"), design);
    assert_eq!(task(&env, "build"), build);
    assert_eq!(task(&env, "release")["title"], "Out with it");
    assert_eq!(order(&env), ["design < ", "build < ", "release < build lint", "lint < "]);
    let checkpoints = bd(&env, "checkpoint list bd-w --json").ok().json();
    let first = &checkpoints[0];
    assert_eq!((first["type"].as_str(), first["issue"].as_str()), (Some("replan"), Some("bd-w")));
    assert_eq!(names(&first["detail"]["removed"]), ["docs"]);
    assert_eq!(names(&first["detail"]["old"]), ["design", "build", "docs", "release"]);
    assert_eq!(names(&first["detail"]["new"]), ["design", "build", "release", "lint"]);
    // The holder goes on, and what waits for it follows.
    bd(&env, &format!("--agent bot close {} -r built", id(&env, "build"))).ok();
    bd(&env, &format!("close {}", id(&env, "lint"))).ok();
    assert_eq!(order(&env)[2], "release < ");
}

#[test]
fn what_is_taken_out_is_not_lost() {
    let env = under_way();
    let docs = id(&env, "docs");
    bd(&env, &format!("comment {docs} words")).ok();
    let done = bd(&env, "workflow remove-task bd-w docs --reason enough --json").ok().json();
    assert_eq!((names(&done["removed"]), names(&done["rewired"])), (vec!["docs"], vec!["release"]));
    let line =
        env.ledger_text().lines().find(|line| line.contains(&docs) && line.contains("tombstone")).unwrap().to_owned();
    assert!(line.contains("words") && line.contains("\"delete_reason\":\"enough\""), "{line}");
    // Its name is free again.
    bd(&env, "workflow add-task bd-w docs --depends-on build --before release").ok();
    assert_ne!(id(&env, "docs"), docs);
    assert_eq!(order(&env)[2..], ["release < build docs", "docs < build"]);
}

#[test]
fn dependents_wait_for_what_it_waited_for() {
    let env = started();
    let docs = id(&env, "docs");
    bd(&env, "add Outside --id bd-out").ok();
    bd(&env, &format!("dep add bd-out {docs}")).ok();
    let run = bd(&env, &format!("workflow remove-task bd-w build {docs}")).ok();
    assert!(run.stderr.contains("bd-out is not a task of this workflow and waited for one"), "{}", run.stderr);
    assert_eq!(order(&env), ["design < ", "release < design"]);
    assert!(!env.ledger_text().lines().any(|line| line.contains("\"release\"") && line.contains(&docs)));
}

#[test]
fn what_is_begun_is_not_taken_out() {
    let env = under_way();
    let before = env.ledger();
    bd(&env, "workflow remove-task bd-w design").fails(5, &["the task design of bd-w is done and stays"]);
    bd(&env, "workflow remove-task bd-w docs build").fails(5, &["the task build of bd-w is claimed and stays"]);
    bd(&env, "workflow remove-task bd-w dosc").fails(3, &["has no task \"dosc\"; did you mean \"docs\"?"]);
    bd(&env, "workflow remove-task bd-out docs").fails(3, &["bd-out"]);
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_plan_that_does_not_fit_changes_nothing() {
    let env = under_way();
    bd(&env, &format!("dep add {} {}", id(&env, "build"), id(&env, "docs"))).ok();
    let before = env.ledger();
    env.write("a.toml", "[[tasks]]\nname = \"docs\"\ndepends_on = [\"build\"]\n");
    bd(&env, "workflow replan bd-w a.toml").fails(2, &["a circle of dependencies: build → docs → build"]);
    env.write("b.toml", "[[tasks]]\nname = \"x\"\ndepends_on = [\"docs\", \"biuld\"]\ncontext_from = [\"design\"]\n");
    bd(&env, "workflow replan bd-w b.toml").fails(
        2,
        &["depends_on names \"docs\", which is not a task of this plan", "did you mean \"build\"?", "2 problems"],
    );
    bd(&env, "workflow add-task bd-w docs").fails(2, &["a task of this name exists already"]);
    bd(&env, "workflow add-task bd-w x --depends-on release --before docs --before design --before y")
        .fails(2, &["before names \"design\", which is done", "before names \"y\", which is not a task"]);
    bd(&env, "workflow add-task bd-w x --depends-on release --before docs").fails(2, &["a circle of dependencies"]);
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_circle_through_other_issues_is_found() {
    let env = started();
    bd(&env, "add Outside --id bd-out").ok();
    bd(&env, &format!("dep add {} bd-out", id(&env, "build"))).ok();
    bd(&env, &format!("dep add bd-out {}", id(&env, "docs"))).ok();
    env.write("a.toml", "[[tasks]]\nname = \"build\"\n[[tasks]]\nname = \"docs\"\ndepends_on = [\"build\"]\n");
    bd(&env, "workflow replan bd-w a.toml").fails(2, &["a circle of dependencies: build → docs → build"]);
    // The edge to the other issue must not be removed here.
    env.write("b.toml", "[[tasks]]\nname = \"build\"\n[[tasks]]\nname = \"docs\"\n");
    bd(&env, "workflow replan bd-w b.toml").ok();
    assert_eq!(order(&env), ["build < bd-out", "docs < "]);
}

#[test]
fn in_which_states_a_plan_changes() {
    let change = "workflow add-task bd-w";
    for (n, moves) in ["", "start", "start pause", "start fail"].into_iter().enumerate() {
        let env = crate::cli::plan::workflows::ready();
        moves.split_whitespace().for_each(|word| drop(bd(&env, &format!("workflow {word} bd-w")).ok()));
        bd(&env, &format!("{change} more")).ok();
        let more = &task(&env, "more")["state"];
        assert_eq!(more, "pending", "{n}");
        bd(&env, "workflow abandon bd-w -r enough").ok();
        bd(&env, &format!("{change} late")).fails(5, &["is abandoned, and its plan is not changed any more"]);
        bd(&env, "workflow remove-task bd-w more").fails(5, &["abandoned"]);
        bd(&env, "workflow replan bd-w plan.toml").fails(5, &["abandoned"]);
    }
    let env = Env::new();
    bd(&env, "workflow create Empty --id bd-w").ok();
    bd(&env, &format!("{change} first")).ok();
    assert_eq!(shown(&env)["state"], "planning");
    bd(&env, "workflow start bd-w").ok();
}

#[test]
fn a_claim_that_is_over_still_keeps_its_task() {
    let env = started();
    let design = id(&env, "design");
    bd(&env, &format!("--agent bot claim {design} --ttl 1ms")).ok();
    // The next command runs a second later.
    env.write("new.toml", "[[tasks]]\nname = \"other\"\n");
    let done = bd(&env, "workflow replan bd-w new.toml --json").ok().json();
    assert_eq!(done["kept"][0]["name"], "design");
    assert_eq!(done["kept"][0]["why"], "running");
    assert_eq!(id(&env, "design"), design);
}

#[test]
fn unknown_keys_of_lines_survive() {
    let env = started();
    let text = env.ledger_text();
    let docs = id(&env, "docs");
    let line = text.lines().find(|line| line.contains(&format!("\"id\":\"{docs}\""))).unwrap();
    let odd = line.replacen("\"task\":{", "\"x_odd\":1e400,\"task\":{\"y_odd\":[1.0],", 1);
    env.put_ledger(text.replace(line, &odd));
    env.write("new.toml", "[[tasks]]\nname = \"docs\"\ntitle = \"Words\"\nplan = \"slowly\"\n");
    bd(&env, "workflow replan bd-w new.toml").ok();
    let after = env.ledger_text();
    let line = after.lines().find(|line| line.contains(&format!("\"id\":\"{docs}\""))).unwrap();
    for kept in ["\"x_odd\":1e400", "\"y_odd\":[1.0]", "\"plan\":\"slowly\"", "\"title\":\"Words\""] {
        assert!(line.contains(kept), "{kept} {line}");
    }
}

#[test]
fn what_one_ledger_refuses_is_made_in_none() {
    let env = crate::cli::plan::workflows_odd::three(true);
    bd(&env, "workflow create --id bd-w --plan plan.toml").ok();
    let app = crate::support::repos::ledger_path(&env, "app");
    let good = std::fs::read(&app).unwrap();
    let markers = "<<<<<<< ours\n{\"id\":\"app-1\",\"title\":\"A\"}\n=======\n{\"id\":\"app-1\",\"title\":\"B\"}\n>>>>>>> theirs\n";
    crate::support::harness::put_file(&app, &[good.as_slice(), markers.as_bytes()].concat());
    let (web, server) = (env.ledger(), crate::support::repos::ledger(&env, "server"));
    let repos = [("w", "."), ("s", "../server"), ("a", "../app")];
    let plan: String =
        repos.iter().map(|(name, repo)| format!("[[tasks]]\nname = \"new-{name}\"\nrepo = \"{repo}\"\n")).collect();
    env.write("new.toml", plan);
    bd(&env, "workflow replan bd-w new.toml").fails(8, &["app"]);
    assert_eq!((env.ledger(), crate::support::repos::ledger(&env, "server")), (web, server));
    crate::support::harness::put_file(&app, &good);
    let done = bd(&env, "workflow replan bd-w new.toml --json").ok().json();
    assert_eq!(names(&done["added"]), ["new-w", "new-s", "new-a"]);
    assert_eq!(done["removed"].as_array().unwrap().len(), 3);
    // A task does not move by a plan, and each of several repos names its own.
    env.write("move.toml", "[[tasks]]\nname = \"new-w\"\nrepo = \"../server\"\n");
    bd(&env, "workflow replan bd-w move.toml").fails(5, &["do not move: new-w"]);
    bd(&env, "workflow add-task bd-w more").fails(2, &["these tasks name none: more"]);
    bd(&env, "workflow add-task bd-w more --repo ../server").ok();
    assert!(crate::support::repos::ledger(&env, "server").contains("\"name\":\"more\""));
}

/// Who informs whom, according to the ledger.
fn informs(env: &Env) -> Vec<String> {
    let all = shown(env);
    let tasks = all["tasks"].as_array().unwrap();
    let name =
        |id: &str| tasks.iter().find(|task| task["id"] == id).map(|task| task["name"].as_str().unwrap().to_owned());
    let mut found = Vec::new();
    for line in env.ledger_text().lines() {
        let issue: Value = serde_json::from_str(line).unwrap();
        for edge in issue["dependencies"].as_array().into_iter().flatten().filter(|edge| edge["type"] == "informs") {
            let (to, from) = (name(issue["id"].as_str().unwrap()), name(edge["depends_on_id"].as_str().unwrap()));
            found.extend(to.zip(from).map(|(to, from)| format!("{from} → {to}")));
        }
    }
    found.sort();
    found
}

#[test]
fn who_tells_whom_follows_the_plan_and_what_stays() {
    let env = started();
    assert_eq!(informs(&env), ["docs → build"]);
    bd(&env, "workflow add-task bd-w study --informs docs --informs build").ok();
    assert_eq!(informs(&env), ["docs → build", "study → build", "study → docs"]);
    // `study` is begun and goes on telling; `docs` does not tell any more.
    bd(&env, &format!("claim {}", id(&env, "study"))).ok();
    env.write("new.toml", "max_parallel = 5\nplan_summary = \"short\"\nname = \"Other\"\n[[tasks]]\nname = \"build\"\n[[tasks]]\nname = \"x\"\ninforms = [\"study\"]\n");
    let done = bd(&env, "workflow replan bd-w new.toml --json").ok().json();
    assert_eq!(names(&done["set"]), ["max_parallel", "plan_summary"]);
    assert_eq!(informs(&env), ["study → build", "x → study"]);
    let all = shown(&env);
    assert_eq!((all["max_parallel"].as_i64(), all["plan_summary"].as_str()), (Some(5), Some("short")));
    assert_eq!(all["title"], "Ship", "a plan does not rename its workflow");
}

#[test]
fn a_task_added_by_its_number_comes_between_the_others() {
    let env = crate::cli::plan::workflows::planned(
        "name = \"W\"\nmax_parallel = 9\n
         [[tasks]]\nname = \"a\"\nsequence = 1\n
         [[tasks]]\nname = \"c\"\nsequence = 3\n
         [[tasks]]\nname = \"d\"\nsequence = 3\n
         [[tasks]]\nname = \"e\"\nsequence = 4\n",
    );
    bd(&env, "workflow start bd-w").ok();
    let done = bd(&env, "workflow add-task bd-w i --sequence 2 --json").ok().json();
    assert_eq!(names(&done["rewired"]), ["c", "d"]);
    assert_eq!(order(&env), ["a < ", "i < a", "c < a i", "d < a i", "e < c d"]);
    bd(&env, "workflow add-task bd-w j --sequence 0").ok();
    assert_eq!(order(&env), ["j < ", "a < j", "i < a", "c < a i", "d < a i", "e < c d"]);
    // A running task is not stopped; its successor still waits for the new one.
    bd(&env, &format!("close {}", id(&env, "j"))).ok();
    bd(&env, &format!("--agent bot claim {}", id(&env, "a"))).ok();
    bd(&env, "workflow add-task bd-w k --sequence 0").ok();
    assert_eq!(order(&env), ["j < ", "k < ", "a < ", "i < a k", "c < a i", "d < a i", "e < c d"]);
}

#[test]
fn two_tasks_of_one_name_are_told_apart_by_their_ids() {
    let env = started();
    bd(&env, "workflow add-task bd-w lint").ok();
    let one = id(&env, "lint");
    // As after a merge of two branches that both added it.
    let line = env.ledger_text().lines().find(|line| line.contains(&one)).unwrap().to_owned();
    env.put_ledger(env.ledger_text() + &line.replace(&one, "bd-zz") + "\n");
    let both = ["several tasks", "lint", one.as_str(), "bd-zz"];
    let shown = bd(&env, "workflow show bd-w").ok();
    let doctor = bd(&env, "doctor");
    for part in both {
        assert!(shown.stdout.contains(part) || shown.stderr.contains(part), "{part}: {}", shown.stdout);
        assert!(doctor.stdout.contains(part) || doctor.stderr.contains(part), "{part}: {}", doctor.stdout);
    }
    let before = env.ledger();
    env.write("new.toml", "[[tasks]]\nname = \"lint\"\n");
    for line in [
        "workflow remove-task bd-w lint",
        "workflow add-task bd-w lint",
        "workflow add-task bd-w more --depends-on lint",
        "workflow replan bd-w new.toml",
    ] {
        bd(&env, line).fails(3, &both);
        assert_eq!(env.ledger(), before, "{line}");
    }
    bd(&env, "workflow add-task bd-w more --depends-on design").ok();
    bd(&env, "workflow remove-task bd-w bd-zz").ok();
    assert_eq!(id(&env, "lint"), one);
    assert!(env.ledger_text().lines().any(|line| line.contains("\"bd-zz\"") && line.contains("tombstone")));
    bd(&env, "workflow remove-task bd-w lint").ok();
    assert!(!bd(&env, "doctor").stdout.contains("several tasks"));
}

#[test]
fn what_a_plan_says_of_the_workflow_is_set_or_told() {
    let env = started();
    env.write("new.json", r#"{"name":"Other","description":"D","max_parallel":7,"tasks":[{"name":"design"}]}"#);
    let run = bd(&env, "workflow replan bd-w new.json").ok();
    assert!(run.stdout.contains("Set: max_parallel"), "{}", run.stdout);
    assert!(run.stderr.contains("a new plan does not change name, description of the workflow"), "{}", run.stderr);
    let now = shown(&env);
    assert_eq!((&now["title"], &now["max_parallel"]), (&"Ship".into(), &7.into()));
    env.write("new.json", r#"{"name":"Ship","tasks":[{"name":"design"}]}"#);
    assert!(!bd(&env, "workflow replan bd-w new.json").ok().stderr.contains("does not change"));
}
