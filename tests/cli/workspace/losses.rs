//! Removing workspaces in which something is nowhere else, though it looks as if it were.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::workspace::remove::{Bench, change};
use crate::cli::workspace::workspaces::text;

/// A plain directory with a ledger.
fn plain(bench: &Bench) -> PathBuf {
    let plain = bench.family.path("plain");
    fs::create_dir(&plain).unwrap();
    bench.family.bd(&plain, "init --prefix pl").ok();
    bench.family.bd(&plain, "add Base --id pl-base").ok();
    plain
}

fn make(bench: &Bench, place: &Path) -> (String, PathBuf) {
    let made = bench.family.bd(place, "workspace create --new --json").ok().json();
    (text(&made, "id"), PathBuf::from(text(&made, "path")))
}

/// The id of the only workspace that could not be made.
fn failed(bench: &Bench, place: &Path) -> String {
    let all = bench.family.bd(place, "workspace list --json").ok().json();
    let failed = all.as_array().unwrap().iter().filter(|one| one["state"] == "failed");
    let failed: Vec<String> = failed.map(|one| text(one, "id")).collect();
    assert_eq!(failed.len(), 1, "{all}");
    failed[0].clone()
}

#[test]
fn one_that_could_not_be_made_has_no_right_to_what_was_there() {
    let Some(bench) = Bench::new() else { return };
    let plain = plain(&bench);
    let (id, path) = make(&bench, &plain);
    fs::write(path.join("work"), "precious").unwrap();
    let bd = |line: &str| bench.family.bd(&plain, line);
    let again = format!("workspace create --new --path '{}'", path.display());
    bd(&again).fails(1, &[&format!("it is the workspace {id}")]);
    bd("workspace gc --apply").ok();
    assert_eq!(fs::read_to_string(path.join("work")).unwrap(), "precious");
    bd(&again).fails(1, &[]);
    let spoiled = failed(&bench, &plain);
    bd(&format!("workspace remove {spoiled} --force")).ok();
    assert_eq!(fs::read_to_string(path.join("work")).unwrap(), "precious");
    assert_eq!(text(&bd(&format!("workspace show {id} --json")).ok().json(), "state"), "active");
}

#[test]
fn the_record_of_one_that_could_not_be_made_goes_and_what_was_there_stays() {
    let Some(bench) = Bench::new() else { return };
    let full = bench.family.path("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("work"), "precious").unwrap();
    for (place, way) in
        [("/", "gc --apply"), (full.to_str().unwrap(), "gc --apply"), (full.to_str().unwrap(), "remove")]
    {
        for kind in ["clone", "worktree"] {
            bench.bd(&format!("workspace create --new --kind {kind} --path '{place}'")).fails(1, &[]);
            let id = failed(&bench, &bench.family.web());
            let line = if way == "remove" { format!("workspace remove {id}") } else { format!("workspace {way}") };
            bench.bd(&line).ok();
            assert_eq!(bench.state(&id), "removed", "{place} {way}");
            assert_eq!(fs::read_to_string(full.join("work")).unwrap(), "precious");
        }
    }
}

#[test]
fn a_ref_of_a_remote_counts_only_if_the_remote_has_it() {
    let Some(bench) = Bench::new() else { return };
    let gone = bench.family.path("gone.git");
    let web = bench.family.web();
    bench.git(&web, &format!("init -q --bare '{}'", gone.display()));
    let ways: [&[&str]; 6] = [
        &["remote add me .", "fetch -q me"],
        &["remote add zz /nowhere", "update-ref refs/remotes/zz/main HEAD"],
        &["update-ref refs/remotes/none/main HEAD"],
        &["update-ref refs/remotes/parent/main HEAD"],
        &["update-ref refs/remotes/origin/main HEAD"],
        &["remote add gone ../../../gone.git", "push -q gone HEAD"],
    ];
    for way in ways {
        let (id, path) = bench.make("--new");
        change(&path, "work");
        bench.git(&path, "commit -qam work");
        for line in way {
            let line = line.replace("../../../gone.git", &format!("'{}'", gone.display()));
            bench.git(&path, &line);
        }
        if way[0].contains("gone") {
            fs::rename(&gone, bench.family.path("elsewhere.git")).unwrap();
        }
        bench.stays(&id, &path, &["unpushed"], &["is nowhere else"]);
        if way[0].contains("gone") {
            // There it is again.
            fs::rename(bench.family.path("elsewhere.git"), &gone).unwrap();
            bench.goes(&id, &path, "");
        }
    }
    // One that needs a network is believed.
    let (id, path) = bench.make("--new");
    change(&path, "work");
    bench.git(&path, "commit -qam work");
    bench.git(&path, "remote add far https://far.example.org/web.git");
    bench.git(&path, "update-ref refs/remotes/far/main HEAD");
    bench.goes(&id, &path, "");
}

#[test]
fn commits_that_undo_each_other_or_change_nothing_stay() {
    let Some(bench) = Bench::new() else { return };
    for kind in ["clone", "worktree"] {
        let (id, path) = bench.make(&format!("--new --kind {kind}"));
        change(&path, "work");
        bench.git(&path, "commit -qam work");
        bench.git(&path, "revert --no-edit HEAD");
        bench.stays(&id, &path, &["unpushed"], &["2 commits"]);
        let (id, path) = bench.make(&format!("--new --kind {kind}"));
        bench.git(&path, "checkout -q --detach");
        bench.git(&path, "commit -q --allow-empty -m decision");
        bench.stays(&id, &path, &["unpushed"], &["one commit"]);
    }
}

#[test]
fn a_bare_repository_inside_stays() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    fs::create_dir(path.join("target")).unwrap();
    bench.git(&path, "init -q --bare target/inner.git");
    bench.stays(&id, &path, &["repository"], &["target/inner.git"]);
}

#[test]
fn a_worktree_goes_though_its_ledger_was_written() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("--kind worktree");
    bench.family.bd(&path, "label add bd-base there").ok();
    let answer = bench.goes(&id, &path, "");
    assert_eq!(answer["brought"], serde_json::json!(["bd-base"]));
    let labels = bench.bd("show bd-base --json").ok().json()[0]["labels"].clone();
    assert_eq!(labels, serde_json::json!(["there"]));
    assert_eq!(bench.git(&bench.family.web(), "branch --list bd/*"), "");
    // Other changes keep it, and the ledger at home is unchanged.
    let (id, path) = bench.make("--kind worktree");
    bench.family.bd(&path, "label add bd-base more").ok();
    change(&path, "work");
    let home = fs::read(bench.family.web().join(".beads/beads.jsonl")).unwrap();
    bench.stays(&id, &path, &["changed"], &[]);
    assert_eq!(fs::read(bench.family.web().join(".beads/beads.jsonl")).unwrap(), home);
}

#[test]
fn records_that_cannot_be_read_are_named() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    let file = bench.family.web().join(".git/beads/workspaces.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"clone\"", "\"cloud\"")).unwrap();
    for line in ["workspace list", "workspace list --orphans", "workspace gc --apply", "doctor"] {
        let run = bench.bd(line);
        let said = format!("{}{}", run.stdout, run.stderr);
        assert!(said.contains(&format!("record of {id} in line 1")), "{line}: {said}");
        assert!(path.join("file").exists(), "{line}");
    }
    assert!(fs::read_to_string(&file).unwrap().contains("cloud"));
}

#[test]
fn what_was_kept_in_a_shallow_repository_comes_back() {
    let Some(bench) = Bench::new() else { return };
    let shallow = bench.family.path("shallow");
    bench.work(&bench.family.web(), "second");
    let from = format!("clone -q --depth 1 'file://{}' '{}'", bench.family.web().display(), shallow.display());
    bench.git(&bench.family.web(), &from);
    bench.git(&shallow, "config user.name Ann");
    bench.git(&shallow, "config user.email ann@example.org");
    let (id, path) = make(&bench, &shallow);
    change(&path, "work");
    bench.git(&path, "commit -qam work");
    let head = bench.git(&path, "rev-parse HEAD");
    let answer = bench.family.bd(&shallow, &format!("workspace remove {id} --force --json")).ok().json();
    let to = bench.family.path("again");
    let line = format!("workspace restore {} --to '{}'", text(&answer["kept"], "id"), to.display());
    bench.family.bd(&shallow, &line).ok();
    assert_eq!(bench.git(&to, "rev-parse HEAD"), head);
    assert_eq!(bench.git(&to, "status --porcelain"), "");
}
