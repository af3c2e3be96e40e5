//! Clearing up workspaces: what goes, in which order, what stays and why, and what a crash leaves.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::workspace::remove::{Bench, change, sleeper};
use crate::cli::workspace::workspaces::text;
use crate::support::harness::Run;

/// A day on which everything else was long ago.
const LATER: (&str, &str) = ("BD_TEST_NOW", "2026-03-01T09:00:00Z");

fn gc(bench: &Bench, line: &str) -> Value {
    bench.family.bd_with(&bench.family.web(), format!("workspace gc --json {line}").trim_end(), &[LATER]).ok().json()
}

/// `ID CLASS GOES` of each workspace, in order.
fn rows(answer: &Value) -> Vec<(String, String, bool)> {
    let rows = answer["workspaces"].as_array().unwrap().iter();
    rows.map(|row| (text(row, "id"), text(row, "class"), row["goes"] == true)).collect()
}

fn row<'a>(answer: &'a Value, id: &str) -> &'a Value {
    answer["workspaces"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["id"] == id)
        .unwrap_or_else(|| panic!("{id}: {answer}"))
}

fn records(bench: &Bench) -> PathBuf {
    bench.family.web().join(".git/beads/workspaces.jsonl")
}

/// Changes the record of one workspace by hand.
fn edit(bench: &Bench, id: &str, change: impl Fn(&mut Value)) {
    let text = fs::read_to_string(records(bench)).unwrap();
    let lines = text.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if record["id"] == id {
            change(&mut record);
        }
        format!("{record}\n")
    });
    fs::write(records(bench), lines.collect::<String>()).unwrap();
}

/// A process that is surely gone.
fn dead(record: &mut Value) {
    record["pid"] = 1.into();
    record["pid_boot"] = format!("{} {}", boot(), fs::read_link("/proc/self/ns/pid").unwrap().display()).into();
    record["pid_start"] = "0".into();
}

fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap().trim().to_owned()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_report_changes_nothing_and_the_order_is_that_of_the_reasons() {
    let Some(bench) = Bench::new() else { return };
    let web = bench.family.web();
    let make = || bench.make("--base main").0;
    let (idle, merged, abandoned, used, failed) = (make(), make(), make(), make(), make());
    edit(&bench, &idle, |record| record["state"] = "idle".into());
    let path = PathBuf::from(text(&bench.record(&merged), "path"));
    bench.work(&path, "new");
    bench.git(&web, &format!("fetch -q '{}' HEAD", path.display()));
    bench.git(&web, "merge -q --squash FETCH_HEAD");
    bench.git(&web, "commit -qm squashed");
    bench.bd(&format!("workspace update {abandoned} --status abandoned")).ok();
    edit(&bench, &used, |record| record["used_at"] = "2026-02-28T00:00:00.000Z".into());
    edit(&bench, &failed, |record| record["state"] = "failed".into());
    let before = fs::read_to_string(records(&bench)).unwrap();
    let told = gc(&bench, "");
    assert_eq!(told["applied"], false);
    let expected = [
        (&abandoned, "abandoned", true),
        (&merged, "merged", true),
        (&failed, "failed", true),
        (&idle, "idle", true),
        (&used, "idle", false),
    ]
    .map(|(id, class, goes)| (id.clone(), class.to_owned(), goes));
    assert_eq!(rows(&told), expected);
    assert_eq!(fs::read_to_string(records(&bench)).unwrap(), before, "a report changes nothing");
    let done = gc(&bench, "--apply");
    assert_eq!(rows(&done), expected);
    for id in [&abandoned, &merged, &failed, &idle] {
        assert_eq!(row(&done, id)["done"], true, "{done}");
        assert_eq!(bench.state(id), "removed");
    }
    assert_eq!(bench.state(&used), "active");
    assert!(bench.record(&merged)["merge_commit"].is_string());
    let base = path.parent().unwrap();
    assert_eq!(names(base), [used.clone(), format!("{used}.job")], "nothing else is left");
}

#[test]
fn what_would_be_lost_stays_and_says_why() {
    let Some(bench) = Bench::new() else { return };
    let (dirty, path) = bench.make("");
    change(&path, "mine");
    let (busy, place) = bench.make("");
    let (here, inside) = bench.make("");
    let mut program = sleeper(&place);
    let run = bench.family.bd_with(&inside, "workspace gc --apply --json", &[LATER]).ok();
    program.kill().unwrap();
    program.wait().unwrap();
    let done = run.json();
    for (id, class, kind) in
        [(&dirty, "idle", "changed"), (&busy, "in_use", "process"), (&here, "in_use", "current_directory")]
    {
        let row = row(&done, id);
        assert_eq!((&row["class"], &row["goes"], &row["done"]), (&class.into(), &false.into(), &false.into()), "{row}");
        assert_eq!(row["kinds"], serde_json::json!([kind]));
    }
    assert!(path.exists() && place.exists() && inside.exists());
    let text = bench.family.bd_with(&bench.family.web(), "workspace gc", &[LATER]).ok();
    assert!(text.stdout.contains("file is changed and not committed"), "{}", text.stdout);
}

#[test]
fn limits_take_the_oldest_idle_ones() {
    let Some(bench) = Bench::new() else { return };
    let all: Vec<String> = (0..4).map(|_| bench.make("").0).collect();
    for (n, id) in all.iter().enumerate() {
        edit(&bench, id, |record| {
            record["state"] = "idle".into();
            record["used_at"] = format!("2026-02-28T0{n}:00:00.000Z").into();
        });
    }
    assert!(rows(&gc(&bench, "")).iter().all(|(_, _, goes)| !goes));
    let going = |line: &str| -> Vec<String> {
        rows(&gc(&bench, line)).into_iter().filter(|(_, _, goes)| *goes).map(|(id, ..)| id).collect()
    };
    assert_eq!(going("--max-count 2"), all[..2]);
    assert_eq!(going("--max-count 4"), [""; 0]);
    assert_eq!(going("--max-size 1"), all);
    assert_eq!(going("--max-size 10G"), [""; 0]);
    assert_eq!(going("--older-than 32h").len(), 2);
    // One that cannot go does not count as gone.
    change(Path::new(&text(&bench.record(&all[0]), "path")), "mine");
    assert_eq!(going("--max-count 2"), all[1..3]);
    gc(&bench, "--max-count 1 --apply");
    assert_eq!(all.iter().map(|id| bench.state(id)).collect::<Vec<_>>(), ["idle", "removed", "removed", "removed"]);
}

#[test]
fn artifacts_alone_are_given_back() {
    let Some(bench) = Bench::new() else { return };
    let web = bench.family.web();
    fs::write(web.join(".env"), "SECRET=1").unwrap();
    fs::write(web.join("local.log"), "copied").unwrap();
    let (id, path) = bench.make("--copy .env --copy local.log");
    assert!(path.join(".env").exists() && path.join("local.log").exists());
    fs::create_dir_all(path.join("target/debug")).unwrap();
    fs::write(path.join("target/debug/big"), vec![1; 100_000]).unwrap();
    fs::write(path.join("build.log"), "made").unwrap();
    fs::write(path.join("note"), "mine").unwrap();
    edit(&bench, &id, |record| record["state"] = "idle".into());
    let told = gc(&bench, "--artifacts-only");
    assert!(row(&told, &id)["bytes"].as_i64().unwrap() >= 100_000, "{told}");
    assert!(path.join("target/debug/big").exists());
    gc(&bench, "--artifacts-only --apply");
    assert!(!path.join("target").exists());
    for stays in [".env", "local.log", "build.log", "note", "file"] {
        assert!(path.join(stays).exists(), "{stays}");
    }
    assert_eq!(bench.state(&id), "idle");
}

#[test]
fn directories_without_a_record_are_put_aside() {
    let Some(bench) = Bench::new() else { return };
    let (id, path) = bench.make("");
    let base = path.parent().unwrap();
    let lost = base.join("ws_aaaaaaaaaaaa");
    bench.git(&bench.family.web(), &format!("clone -q . '{}'", lost.display()));
    fs::write(lost.join("mine"), "mine").unwrap();
    let known = base.join("ws_bbbbbbbbbbbb");
    fs::create_dir(&known).unwrap();
    let mut text = fs::read_to_string(records(&bench)).unwrap();
    text += "{\"id\":\"ws_bbbbbbbbbbbb\",\"half a line\n";
    fs::write(records(&bench), text).unwrap();
    fs::create_dir(base.join(".hidden")).unwrap();
    let listed = bench.bd("workspace list --orphans --json").ok().json();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(listed[0]["path"], lost.display().to_string());
    let told = gc(&bench, "");
    assert_eq!(told["orphans"][0]["path"], lost.display().to_string());
    assert!(lost.exists(), "a report moves nothing");
    let done = gc(&bench, "--older-than 1000d --apply");
    let moved = PathBuf::from(done["orphans"][0]["moved_to"].as_str().unwrap_or_else(|| panic!("{done}")));
    assert!(moved.starts_with(base.parent().unwrap().join("orphaned")), "{done}");
    assert_eq!(fs::read_to_string(moved.join("mine")).unwrap(), "mine");
    assert!(!lost.exists() && known.exists() && path.exists() && base.join(".hidden").exists());
    let listed = bench.bd("workspace list --orphans --json").ok().json();
    assert_eq!((&listed[0]["state"], &listed[0]["path"]), (&"orphaned".into(), &moved.display().to_string().into()));
    let orphan = listed[0]["id"].as_str().unwrap().to_owned();
    gc(&bench, "--apply --max-count 0");
    assert!(moved.exists(), "what was put aside is never deleted");
    bench.bd(&format!("workspace remove {orphan}")).fails(8, &["mine is untracked"]);
    assert_eq!(bench.state(&id), "removed");
}

#[test]
fn a_workspace_of_another_state_home_is_left_alone() {
    let Some(bench) = Bench::new() else { return };
    let (_, path) = bench.make("");
    let other = bench.family.path("other-home");
    let vars = [("BD_STATE_DIR", other.to_str().unwrap()), LATER];
    let done = bench.family.bd_with(&bench.family.web(), "workspace gc --apply --json", &vars).ok().json();
    assert!(path.exists(), "{done}");
}

#[test]
fn what_a_crash_left_is_named_and_ended() {
    let Some(bench) = Bench::new() else { return };
    // It was being made.
    let (creating, path) = bench.make("");
    edit(&bench, &creating, |record| {
        record["state"] = "creating".into();
        let record = record.as_object_mut().unwrap();
        record.remove("ready_at");
        record.remove("worktree_id");
    });
    edit(&bench, &creating, dead);
    fs::remove_dir_all(path.join(".git/refs")).unwrap();
    // It was being removed: before anything happened, hidden, hidden with work in it, half deleted.
    let moved = |prefix: &str| {
        let (id, path) = bench.make("");
        edit(&bench, &id, |record| record["state"] = "removing".into());
        edit(&bench, &id, dead);
        if !prefix.is_empty() {
            fs::rename(&path, path.with_file_name(format!("{prefix}{id}"))).unwrap();
        }
        (id, path)
    };
    let (before, whole) = moved("");
    let (hidden, _) = moved(".removing-");
    let (dirty, back) = moved(".removing-");
    fs::write(back.with_file_name(format!(".removing-{dirty}")).join("mine"), "mine").unwrap();
    let (half, gone) = moved(".deleting-");
    fs::remove_dir_all(gone.with_file_name(format!(".deleting-{half}")).join(".git")).unwrap();
    let (alive, _) = bench.make("");
    edit(&bench, &alive, |record| {
        record["state"] = "removing".into();
        dead(record);
        record["pid"] = std::process::id().into();
        record["pid_start"] = start_of(std::process::id()).into();
    });
    bench.bd(&format!("workspace remove {alive}")).fails(6, &["is removing by process"]);
    let stale = bench.bd("workspace list --stale --json").ok().json();
    let stale: Vec<&str> = stale.as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(stale, [&creating, &before, &hidden, &dirty, &half]);
    let health = bench.bd("doctor").ok();
    for (id, word) in [(&creating, "being made"), (&before, "being removed"), (&half, "being removed")] {
        let line = health
            .stdout
            .lines()
            .find(|line| line.contains(id.as_str()))
            .unwrap_or_else(|| panic!("{}", health.stdout));
        assert!(line.contains(word), "{line}");
    }
    let told = gc(&bench, "--older-than 1000d");
    for id in [&creating, &before, &hidden, &dirty, &half] {
        assert_eq!(row(&told, id)["class"], "crashed", "{told}");
    }
    let done = gc(&bench, "--older-than 1000d --apply");
    let states = [&creating, &before, &hidden, &dirty, &half, &alive].map(|id| bench.state(id));
    assert_eq!(states, ["removed", "idle", "removed", "idle", "removed", "removing"], "{done}");
    assert!(whole.join("file").exists() && fs::read_to_string(back.join("mine")).unwrap() == "mine");
    assert!(bench.record(&creating)["error"].as_str().unwrap().contains("ended before it was ready"));
    let mut left = vec![before.clone(), dirty.clone(), alive.clone()];
    left.extend(left.clone().iter().map(|id| format!("{id}.job")));
    left.sort();
    assert_eq!(names(whole.parent().unwrap()), left);
}

fn start_of(pid: u32) -> String {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    text.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned()
}

#[test]
fn merged_ones_are_listed_and_noted() {
    let Some(bench) = Bench::new() else { return };
    let web = bench.family.web();
    let (id, path) = bench.make("--base main");
    let (other, _) = bench.make("--base main");
    bench.work(&path, "new");
    bench.git(&web, &format!("pull -q '{}' HEAD", path.display()));
    let listed = bench.bd("workspace list --merged --json").ok();
    assert_eq!(ids(&listed), [id.as_str()]);
    assert_eq!((bench.state(&id), bench.state(&other)), ("merged".to_owned(), "active".to_owned()));
    assert_eq!(text(&bench.record(&id), "merge_commit"), bench.git(&path, "rev-parse HEAD").trim());
}

fn ids(run: &Run) -> Vec<String> {
    run.json().as_array().unwrap().iter().map(|one| text(one, "id")).collect()
}

#[test]
fn a_directory_that_is_gone_and_one_that_was_adopted() {
    let Some(bench) = Bench::new() else { return };
    let (gone, path) = bench.make("");
    fs::remove_dir_all(&path).unwrap();
    let own = bench.family.worktree("own");
    let adopted = text(&bench.bd(&format!("workspace adopt '{}' --json", own.display())).ok().json(), "id");
    let done = gc(&bench, "--apply");
    assert_eq!(row(&done, &gone)["class"], "gone");
    assert_eq!(row(&done, &adopted)["class"], "adopted");
    assert_eq!(bench.state(&gone), "removed");
    bench.bd(&format!("workspace remove {adopted}")).ok();
    assert!(own.join("file").exists(), "only forgotten");
    assert_eq!(bench.state(&adopted), "removed");
}

#[test]
fn the_branch_of_a_worktree_goes_after_a_crash_too() {
    let Some(bench) = Bench::new() else { return };
    let web = bench.family.web();
    let (id, path) = bench.make("--kind worktree");
    let (other, place) = bench.make("--new --kind worktree");
    bench.work(&place, "work");
    for (id, path) in [(&id, &path), (&other, &place)] {
        edit(&bench, id, |record| {
            record["state"] = "removing".into();
            dead(record);
        });
        fs::create_dir(path.with_file_name(format!(".deleting-{id}"))).unwrap();
    }
    gc(&bench, "--apply");
    assert_eq!((bench.state(&id), path.exists()), ("removed".to_owned(), false));
    let branches = bench.git(&web, "branch --list bd/* --format=%(refname:short)");
    assert_eq!(branches.trim(), format!("bd/{other}"), "what was committed stays");
}
