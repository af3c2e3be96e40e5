//! Workspaces made and removed by many processes at once: none is lost, none stays.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::Instant;

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, alone, at_once, describe};
use crate::support::effort::pick;
use crate::support::user::BD;

/// The remains of workspaces.
fn names(place: &Path) -> Vec<String> {
    let entries = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.filter(|name| name.contains("ws_")).collect()
}

#[test]
fn many_are_made_and_removed_at_once_and_nothing_is_left() {
    let _alone = alone();
    let (total, processes) = pick((12, 4), (16, 4), (150, 6));
    let sandbox = Sandbox::with_issues(3);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "issues"]);
    let base = sandbox.home().join("workspaces");
    sandbox.ok(&["config", "set", "--personal", "workspace.path", base.to_str().unwrap()]);
    // Each is a new one: taking an old one again is tested elsewhere.
    sandbox.ok(&["config", "set", "--personal", "workspace.reuse", "false"]);
    let refs = || {
        let output = sandbox.program("git").arg("for-each-ref").current_dir(sandbox.repo()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let before = refs();
    let begun = Instant::now();
    let made: Vec<Vec<String>> = at_once(processes, |n| {
        let mut own = Vec::new();
        for round in (n..total).step_by(processes) {
            let kind = if round % 5 == 4 { "worktree" } else { "clone" };
            let output = sandbox.run(&["workspace", "create", "--kind", kind, "--json"]);
            assert!(output.status.success(), "{}", describe(&output));
            let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
            let (id, path) = (answer["id"].as_str().unwrap().to_owned(), answer["path"].as_str().unwrap());
            assert!(fs::exists(format!("{path}/.beads")).unwrap(), "{answer}");
            let output = sandbox.run(&["workspace", "remove", &id]);
            assert!(output.status.success(), "{}", describe(&output));
            own.push(id);
        }
        own
    });
    let took = begun.elapsed();
    let made: BTreeSet<String> = made.into_iter().flatten().collect();
    assert_eq!(made.len(), total, "no id was given twice");
    let text = fs::read_to_string(sandbox.repo().join(".git/beads/workspaces.jsonl")).unwrap();
    let records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), total, "no record was lost, and none is there twice");
    for record in &records {
        assert!(made.contains(record["id"].as_str().unwrap()), "{record}");
        assert_eq!(record["state"], "removed", "{record}");
        assert!(record["removed_at"].is_string() && record["ready_at"].is_string(), "{record}");
    }
    let mut left = Vec::new();
    for repo in fs::read_dir(&base).unwrap() {
        left.extend(names(&repo.unwrap().path()));
    }
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(refs(), before, "no branch is left");
    let output = sandbox.program("git").args(["worktree", "list"]).current_dir(sandbox.repo()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
    println!("workspaces: {total} made and removed by {processes} processes in {took:.1?}, none left, none lost");
}

#[test]
fn one_workspace_is_removed_by_one_of_many() {
    let _alone = alone();
    let sandbox = Sandbox::with_issues(1);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "issues"]);
    for _ in 0..pick(1, 3, 20) {
        let answer: Value = serde_json::from_str(&sandbox.ok(&["workspace", "create", "--json"])).unwrap();
        let (id, path) = (answer["id"].as_str().unwrap(), answer["path"].as_str().unwrap());
        let outputs = at_once(6, |n| match n {
            0 => sandbox.run(&["workspace", "gc", "--older-than", "0s", "--apply"]),
            _ => sandbox.run(&["workspace", "remove", id]),
        });
        // Done, already gone, or another process is working on it: on a slow machine, the git of an inspecting process
        // may be seen at work.
        let looks = |output: &Output| String::from_utf8_lossy(&output.stderr).contains("(git) works there");
        for output in &outputs {
            let is_fine = matches!(output.status.code(), Some(0 | 3 | 6)) || looks(output);
            assert!(is_fine, "{}", describe(output));
        }
        if outputs.iter().any(looks) {
            let output = sandbox.run(&["workspace", "remove", id]);
            assert!(matches!(output.status.code(), Some(0 | 3)), "{}", describe(&output));
        }
        let record: Value = serde_json::from_str(&sandbox.ok(&["workspace", "show", id, "--json"])).unwrap();
        assert_eq!(record["state"], "removed", "{record}");
        assert!(!fs::exists(path).unwrap());
        let place = Path::new(path).parent().unwrap();
        assert_eq!(names(place), [""; 0]);
    }
}

#[test]
fn what_jobs_say_of_one_issue_at_once_all_comes_home() {
    let _alone = alone();
    let jobs = 8;
    let sandbox = Sandbox::with_issues(jobs + 1);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "issues"]);
    let base = sandbox.home().join("workspaces");
    sandbox.ok(&["config", "set", "--personal", "workspace.path", base.to_str().unwrap()]);
    sandbox.ok(&["config", "set", "--personal", "workspace.reuse", "false"]);
    let ready = sandbox.home().join("ready");
    fs::create_dir(&ready).unwrap();
    let common = format!("s-{jobs:05}");
    // All write, and all workspaces are removed, at the same time: none ends before all have begun.
    let script = format!(
        "cd -- \"$0\"; touch $BD_ISSUE; while [ $(ls | wc -l) -lt {jobs} ]; do sleep 0.02; done; cd \"$BD_WORKSPACE_DIR\"; \
         \"$1\" comment {common} \"from $BD_ISSUE\" && \"$1\" close $BD_ISSUE"
    );
    at_once(jobs, |n| {
        let issue = format!("s-{n:05}");
        let cleanup = "workspace.cleanup_on_complete=true";
        let output = sandbox.run(&[
            "run",
            "--config",
            cleanup,
            "--issue",
            &issue,
            "--workspace",
            "--",
            "sh",
            "-c",
            script.as_str(),
            ready.to_str().unwrap(),
            BD,
        ]);
        assert!(output.status.success(), "{}", describe(&output));
    });
    let issues = sandbox.issues();
    let said = issues.get(&common).to_string();
    for n in 0..jobs {
        assert!(said.contains(&format!("from s-{n:05}")), "the words of job {n} are lost: {said}");
        assert_eq!(issues.get(&format!("s-{n:05}"))["status"], "closed");
    }
    let left: Vec<String> = fs::read_dir(&base).unwrap().flat_map(|repo| names(&repo.unwrap().path())).collect();
    assert!(left.is_empty(), "{left:?}");
}
