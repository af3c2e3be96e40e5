//! Handing out issues without naming one: one rule for every such path.

use crate::cli::plan::workflows::{bd, id, planned, states, take};
use crate::cli::share::proposals::Story;
use crate::cli::workspace::workspaces::make;
use crate::support::checkouts::{self, Family};
use crate::support::harness::{Env, put_file};
use crate::support::programs::have;
use crate::support::repos::{bd_in, ledger_path, put_issues, repo, sh};

/// A merged pull request can bring an issue that is only proposed and would come first.
const PROPOSED: &str = r#"{"id":"bd-evil","title":"Run me","status":"open","priority":0,"issue_type":"bug","created_at":"2001-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","labels":["baseline-failure","discovered:blocker"],"visibility":"proposed","proposal":{"id":"prop_000000000000","author":"mallory","target":"bd","state":"open","by":"mallory","at":"2026-01-01T00:00:00Z"}}
"#;
const ACCEPTED: &str = r#"{"id":"bd-plain","title":"Plain","status":"open","priority":4,"issue_type":"task","created_at":"2026-01-02T00:00:00Z","updated_at":"2026-01-02T00:00:00Z"}
"#;

#[test]
fn what_is_only_proposed_is_listed_last_and_not_handed_out() {
    let env = Env::with_ledger(format!("{PROPOSED}{ACCEPTED}"));
    for sort in ["priority", "hybrid", "oldest"] {
        assert_eq!(env.bd(["ready", "--sort", sort, "--json"]).ok().ids(), ["bd-plain", "bd-evil"], "{sort}");
    }
    assert!(env.bd(["ready"]).ok().stdout.contains("[proposed]"));
    assert_eq!(env.bd(["ready", "--claim", "--json"]).ok().ids(), ["bd-plain"]);
    let none = env.bd(["ready", "--claim"]).ok();
    assert!(none.stdout.is_empty() && none.stderr.contains("bd-evil is only proposed"), "{}", none.snapshot());
    bd(&env, "--agent bot run -- touch ran").fails(3, &["bd-evil is only proposed"]);
    bd(&env, "--agent bot run --workspace -- touch ran").fails(3, &["bd-evil is only proposed"]);
    bd(&env, "--agent bot run --config claims.remote=true -- touch ran").fails(3, &["bd-evil is only proposed"]);
    assert!(!env.path("ran").exists());
    assert_eq!(bd(&env, "workspace list --all --json").ok().json().as_array().map(Vec::len), Some(0));
    // A person who names it takes it, and a maintainer's word makes it like any other.
    bd(&env, "claim bd-evil").ok();
    bd(&env, "release bd-evil").ok();
    bd(&env, "accept bd-evil").ok();
    assert_eq!(bd(&env, "ready --claim --json").ok().ids(), ["bd-evil"]);
}

#[test]
fn a_proposed_task_of_a_workflow_is_passed_over() {
    let env = planned("name = \"W\"\nmax_parallel = 5\n[[tasks]]\nname = \"a\"\n[[tasks]]\nname = \"b\"\n");
    bd(&env, "workflow start bd-w").ok();
    let first = id(&env, "a");
    let mark = |line: &str| match line.contains(&format!("{{\"id\":\"{first}\"")) {
        true => format!("{},\"visibility\":\"proposed\"}}\n", line.strip_suffix('}').unwrap()),
        false => format!("{line}\n"),
    };
    let marked: String = env.ledger_text().lines().map(mark).collect();
    env.put_ledger(marked);
    assert_eq!(take(&env, "bot", ""), Some("b".to_owned()));
    assert_eq!(take(&env, "cat", ""), None);
}

/// A project that joins `../lib`, with an issue that waits for one of it.
fn with_lib() -> Env {
    let env = Env::new();
    repo(&env, "lib", "lib");
    put_issues(&env, "lib", &["lib-1"]);
    env.given(
        "repo add ../lib
         add Waits --id bd-waits --deps lib-1 -p 0
         add Below --id bd-below --parent bd-waits -p 0
         add Foreign --id bd-foreign --deps external:other:login",
    );
    env
}

#[track_caller]
fn is_kept_back(env: &Env, repo: &str) {
    let words = format!("blocker unknown: {repo} is not joined");
    let listed = bd(env, "ready").ok();
    assert!(!listed.stdout.contains("bd-waits") && listed.stderr.contains(&words), "{}", listed.snapshot());
    assert_eq!(bd(env, "ready --json").ok().ids(), ["bd-foreign"]);
    assert_eq!(bd(env, "ready --claim --json").ok().ids(), ["bd-foreign"]);
    assert_eq!(bd(env, "ready --claim --json").ok().stdout, "[]\n");
    bd(env, "release bd-foreign").ok();
    let why = bd(env, "why bd-waits").ok();
    assert!(why.stdout.contains("bd-waits is not ready") && why.stdout.contains(&words), "{}", why.snapshot());
    let blocked = bd(env, "blocked").ok();
    assert!(blocked.stdout.contains(&format!("waits for lib-1 ({words})")), "{}", blocked.snapshot());
    let doctor = env.bd(["doctor"]);
    assert!(doctor.stdout.contains(&words), "{}", doctor.snapshot());
    let advice = doctor.stdout.lines().skip_while(|line| !line.contains("on lib-1")).nth(1).unwrap_or_default();
    assert!(!advice.contains("dep remove"), "{}", doctor.snapshot());
}

#[test]
fn an_unknown_blocker_blocks_while_a_configured_repo_cannot_be_read() {
    let env = with_lib();
    let lib = env.root().join("lib");
    assert_eq!(bd(&env, "ready --json").ok().ids(), ["lib-1", "bd-foreign"]);
    // Renamed, or on a disk that is not there.
    std::fs::rename(&lib, env.root().join("gone")).unwrap();
    is_kept_back(&env, "../lib");
    // There, and no repo.
    std::fs::create_dir(&lib).unwrap();
    is_kept_back(&env, "../lib");
    std::fs::remove_dir(&lib).unwrap();
    std::fs::rename(env.root().join("gone"), &lib).unwrap();
    // There, and its ledger cannot be read.
    let file = ledger_path(&env, "lib");
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    is_kept_back(&env, "../lib");
    std::fs::remove_dir(&file).unwrap();
    // Back again, and then pruned there: an id that is in no ledger counts as done.
    put_issues(&env, "lib", &["lib-1"]);
    assert_eq!(bd(&env, "ready --json").ok().ids(), ["lib-1", "bd-foreign"]);
    put_issues(&env, "lib", &["lib-2"]);
    assert!(bd(&env, "ready --json").ok().ids().contains(&"bd-waits".to_owned()));
    // The user's statement that it has left the project counts too.
    std::fs::rename(&lib, env.root().join("gone")).unwrap();
    bd(&env, "repo remove ../lib").ok();
    assert!(bd(&env, "ready --json").ok().ids().contains(&"bd-waits".to_owned()));
}

#[test]
fn an_unknown_blocker_blocks_while_a_committed_path_is_not_trusted() {
    let env = with_lib();
    let stranger = Env::new();
    repo(&stranger, "lib", "lib");
    put_issues(&stranger, "lib", &["lib-1"]);
    stranger.put_ledger(env.ledger());
    let config = std::fs::read_to_string(stranger.path(".beads/config.toml")).unwrap();
    stranger.write(".beads/config.toml", format!("{config}\n[repos]\nadditional = [\"../lib\"]\n"));
    is_kept_back(&stranger, "../lib");
    bd(&stranger, "config trust").ok();
    assert_eq!(bd(&stranger, "ready --json").ok().ids(), ["lib-1", "bd-foreign"]);
}

/// Two repos under git with one state home, and a workflow over both.
fn two_repos() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::bare();
    sh(&env, "git init -q web; git init -q server");
    env.bd(["init", "-q", "--prefix", "bd"]).ok();
    let config = env.root().join("home/config/beads");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[state]\nmode = \"global\"\n").unwrap();
    repo(&env, "server", "srv");
    bd(&env, "repo add ../server").ok();
    env.write(
        "plan.toml",
        "name = \"W\"\nmax_parallel = 5\n[[tasks]]\nname = \"first\"\nrepo = \"../server\"\n[[tasks]]\nname = \"second\"\nrepo = \"../server\"\n[[tasks]]\nname = \"page\"\nrepo = \".\"\n",
    );
    bd(&env, "workflow create --id bd-w --plan plan.toml").ok();
    bd(&env, "workflow start bd-w").ok();
    sh(&env, "for dir in web server; do (cd $dir; git add -A; git commit -qm base); done");
    Some(env)
}

#[test]
fn what_is_done_in_another_checkout_of_an_additional_repo_is_not_handed_out_again() {
    let Some(env) = two_repos() else { return };
    let (first, second) = (id(&env, "first"), id(&env, "second"));
    // In a workspace that was made for the task, from the first repo.
    bd(&env, &format!("--agent bot claim {first}")).ok();
    let made = bd(&env, &format!("--agent bot workspace create --issue {first} --json")).ok().json();
    let place = std::path::PathBuf::from(made["path"].as_str().unwrap());
    assert!(place.join(".beads").is_dir() && made["parent"].as_str().unwrap().ends_with("/server"), "{made}");
    checkouts::bd(&env, &place, &format!("--agent bot close {first}"), &[]).ok();
    assert_eq!(states(&env)[0], "first unmerged");
    assert!(!bd(&env, "ready --json").ok().ids().contains(&first));
    // In a worktree that git alone has made.
    sh(&env, "git -C server worktree add -q ../server-2");
    checkouts::bd(&env, &env.root().join("server-2"), &format!("close {second}"), &[]).ok();
    assert_eq!(take(&env, "cat", ""), Some("page".to_owned()));
    assert_eq!(take(&env, "dog", ""), None);
    assert_eq!(bd(&env, "--agent dog ready --claim --json").ok().stdout, "[]\n");
    let why = bd(&env, &format!("why {second}")).ok();
    assert!(why.stdout.contains("server-2 of ../server"), "{}", why.snapshot());
    bd(&env, &format!("--agent dog claim {second}")).fails(5, &["server-2 of ../server"]);
}

#[test]
fn checkouts_of_an_additional_repo_count_without_one_state_home_too() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::new();
    repo(&env, "lib", "lib");
    put_issues(&env, "lib", &["lib-1", "lib-2", "lib-3"]);
    bd(&env, "repo add ../lib").ok();
    sh(&env, "cd lib; git init -q; git add -A; git commit -qm base; git worktree add -q ../lib-2");
    bd_in(&env, "lib-2", ["close", "lib-1"]).ok();
    bd_in(&env, "lib-2", ["update", "lib-2", "--status", "in_progress", "--assignee", "bob"]).ok();
    assert_eq!(bd(&env, "ready --json").ok().ids(), ["lib-3"]);
    assert_eq!(bd(&env, "ready --claim --json").ok().ids(), ["lib-3"]);
    assert_eq!(bd(&env, "ready --claim --json").ok().stdout, "[]\n");
    // Merged, and then gone: nothing is left to look at.
    sh(
        &env,
        "cd lib-2; git commit -qam work; cd ../lib; git checkout -q -- .; git merge -q lib-2; git worktree remove ../lib-2",
    );
    put_file(&ledger_path(&env, "lib"), ledger_text(&env, "lib").replace("\"in_progress\"", "\"open\"").as_bytes());
    assert!(bd(&env, "ready --json").ok().ids().contains(&"lib-2".to_owned()));
}

fn ledger_text(env: &Env, below: &str) -> String {
    std::fs::read_to_string(ledger_path(env, below)).unwrap()
}

#[test]
fn a_job_in_a_workspace_gets_only_what_its_user_may_write() {
    let story = Story::new();
    let before = story.env.ledger_text();
    let none = story.bd("run|--workspace|--|touch|ran");
    none.fails(3, &["nothing is ready", "bd-up is not yours to write"]);
    story.bd("run|bd-up|--workspace|--|touch|ran").fails(5, &["bd-up", "you are a contributor here"]);
    assert_eq!(story.bd("workspace|list|--all|--json").ok().json().as_array().map(Vec::len), Some(0));
    assert_eq!((story.env.ledger_text(), story.bd("leases").ok().stdout), (before, String::new()));
    // Nothing is counted against it, and what is theirs is handed out.
    assert_eq!(story.bd("why|bd-up|--json").ok().json()["ready"], true);
    story.plan("pl-1", "Mine", &[]);
    let done = story.bd("run|--workspace|--json|--|true");
    assert_eq!(done.json()[0]["id"], "pl-1", "{}", done.snapshot());
}

#[test]
fn the_reason_of_a_release_is_there_for_the_next_one() {
    let env = Env::new();
    env.given(
        "add One --id bd-1
         add Two --id bd-2
         claim bd-1
         claim bd-2
         release bd-1 --reason 'the tests need a database'
         release bd-2",
    );
    let shown = bd(&env, "show bd-1").ok();
    assert!(shown.stdout.contains("Released: the tests need a database"), "{}", shown.snapshot());
    assert!(!bd(&env, "show bd-2").ok().stdout.contains("Released"));
    let issue = &bd(&env, "show bd-1 --json").ok().json()[0];
    assert_eq!((&issue["status"], &issue["comments"][0]["author"]), (&"open".into(), &"ann".into()), "{issue}");
    // Of a proposed issue it is for those who share the planning repo, like any comment.
    let story = Story::new();
    story.plan("pl-1", "Mine", &[]);
    story.bd("propose|pl-1|-q").ok();
    story.bd("claim|pl-1").ok();
    story.bd("release|pl-1|--reason|nobody told me").ok();
    assert!(!story.env.ledger_text().contains("nobody told me"));
    assert!(std::fs::read_to_string(story.planning()).unwrap().contains("nobody told me"));
}

#[test]
fn a_workspace_that_could_not_be_made_is_not_meant_by_its_issue() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "workspace create --issue bd-base --base nosuch").fails(1, &["nosuch"]);
    family.bd(&web, "workspace create --issue bd-base --base neither").fails(1, &["neither"]);
    let (made, path) = make(&family, "--issue bd-base");
    let shown = family.bd(&web, "workspace path bd-base").ok();
    assert_eq!(shown.stdout, format!("{}\n", path.display()));
    // One that is gone comes after it, too; by their ids all are found.
    family.bd(&web, "workspace remove bd-base").ok();
    let all = family.bd(&web, "workspace list --all --json").ok().json();
    for one in all.as_array().unwrap() {
        family.bd(&web, &format!("workspace show {}", one["id"].as_str().unwrap())).ok();
    }
    let (again, _) = make(&family, "--issue bd-base");
    assert_ne!(again["id"], made["id"]);
    assert_eq!(family.bd(&web, "workspace show bd-base --json").ok().json()["id"], again["id"]);
}

/// Without an agent's name two checkouts act as one person, who can still not do the same work twice.
#[test]
fn two_checkouts_of_one_person_are_handed_two_issues() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "add Second --id bd-second").ok();
    family.commit(&web);
    let other = family.worktree("other");
    let first = family.bd(&web, "ready --claim --json").ok().ids();
    let second = family.bd(&other, "ready --claim --json").ok().ids();
    assert_eq!([first.as_slice(), second.as_slice()].concat().len(), 2, "{first:?} {second:?}");
    assert_ne!(first, second);
    for place in [&web, &other] {
        assert_eq!(family.bd(place, "ready --claim --json").ok().stdout, "[]\n");
        family.bd(place, "run -- touch ran").fails(3, &["in another checkout"]);
        assert!(!place.join("ran").exists());
    }
    // By name it is taken up there.
    family.bd(&other, &format!("claim {}", first[0])).ok();
    family.bd(&other, &format!("release {}", first[0])).ok();
}
