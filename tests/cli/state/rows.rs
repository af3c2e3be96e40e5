//! Records of the state home that another version has written.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::checkouts::Family;

const LATER: &str = "{\"later\":[1e400, \"\\u0041\"],";

/// The files of records in a state home, and the manifests.
fn files(home: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(home).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path));
        } else if name.contains(".json") && name != "writes.jsonl" {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn every_kind_keeps_what_a_later_version_wrote() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let bob = [("BD_AGENT", "bob")];
    let bd = |line: &str| family.bd_with(&web, line, &bob).ok();
    family.bd(&web, "agent register bob").ok();
    bd("claim bd-base");
    let sent = family.bd(&web, "mail send bob -m hi --issue bd-base --json").ok().json();
    bd("reserve src/** --issue bd-base");
    bd("checkpoint add bd-base -m here");
    family.bd(&web, "worktree create side").ok();
    bd("workspace create --issue bd-base --no-setup");
    bd("repo list --json");
    family.bd(&web, "hooks install").ok();
    let home = web.join(".git/beads");
    let marked: Vec<(PathBuf, String)> = files(&home)
        .into_iter()
        .map(|path| {
            let lines = read(&path).lines().map(|line| line.replacen('{', LATER, 1) + "\n").collect::<String>();
            fs::write(&path, &lines).unwrap();
            (path, lines)
        })
        .collect();
    let names: Vec<String> = marked.iter().map(|(path, _)| path.display().to_string()).collect();
    for kind in
        ["agents.", "leases.", "mail/", "reservations.", "checkpoints.", "workspaces.", "registry.", "hooks.json"]
    {
        assert!(names.iter().any(|name| name.contains(kind)), "no {kind} among {names:?}");
    }
    // Each of them changes.
    bd("agent heartbeat --note busy");
    bd(&format!("mail read {}", sent["id"].as_str().unwrap()));
    bd("reserve src/**");
    bd("workspace update bd-base --status idle");
    bd("release bd-base --failed tired");
    family.bd(&web, "rename-prefix other").ok();
    family.git(&web, "worktree move ../web-side ../moved").ok();
    family.bd(&family.path("moved"), "worktree info").ok();
    family.bd(&web, "hooks install").ok();
    let mut unchanged = Vec::new();
    for (path, before) in &marked {
        let now = read(path);
        for line in before.lines().zip(now.lines()).filter(|(then, now)| then != now).map(|(_, now)| now) {
            assert!(line.starts_with(LATER), "{}: {line}", path.display());
        }
        assert!(now.lines().count() >= before.lines().count());
        unchanged.extend((now == *before).then(|| path.file_name().unwrap().to_string_lossy().into_owned()));
    }
    // These say nothing new: the repository is where it was, and the hooks are what they were.
    unchanged.retain(|name| !["repositories.jsonl", "hooks.json", "merge-driver.json"].contains(&name.as_str()));
    assert_eq!(unchanged, Vec::<String>::new());
}

#[test]
fn the_number_of_dropped_checkpoints_is_no_damage() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "checkpoint add bd-base -m one").ok();
    family.bd(&web, "checkpoint add bd-base -m two").ok();
    family.bd(&web, "close bd-base").ok();
    family.bd(&web, "checkpoint prune --closed-older-than 0s --apply").ok();
    let listed = family.bd(&web, "checkpoint list").ok();
    assert!(!listed.stderr.contains("cannot be read"), "{}", listed.stderr);
    let told = family.bd(&web, "doctor --fix");
    assert!(!told.stdout.contains("set aside") && !told.stderr.contains("set aside"), "{}{}", told.stdout, told.stderr);
    family.bd(&web, "reopen bd-base").ok();
    let next = family.bd(&web, "checkpoint add bd-base -m three --json").ok().json();
    assert_eq!(next["number"], 3, "{next}");
}
