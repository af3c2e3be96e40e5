//! Reusing an idle workspace: only one that could be removed without force, with the same result as a new one.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cli::workspace::workspaces::{make, text};
use crate::support::checkouts::Family;
use crate::support::harness::BD;

/// An idle workspace, with its id.
fn idle(family: &Family) -> (String, PathBuf) {
    let (made, path) = make(family, "--new");
    let id = text(&made, "id");
    family.bd(&family.web(), &format!("workspace update {id} --status idle")).ok();
    (id, path)
}

/// Makes another workspace: whether the idle one was taken for it, and what was said.
fn taken(family: &Family, id: &str) -> (bool, Vec<String>) {
    let (made, _) = make(family, "");
    let notes = made["notes"].as_array().map(|notes| notes.iter().filter_map(|note| note.as_str()).collect::<Vec<_>>());
    let is_taken = text(&made, "id") == id;
    assert_eq!(made["was_there"].as_bool().unwrap_or_default(), is_taken, "{made}");
    (is_taken, notes.unwrap_or_default().into_iter().map(str::to_owned).collect())
}

/// Not taken, with one note that says this.
fn refused(family: &Family, id: &str, why: &str) {
    let (is_taken, notes) = taken(family, id);
    assert!(!is_taken, "{why}");
    assert!(notes.len() == 1 && notes[0].contains(id) && notes[0].contains(why), "{why}: {notes:?}");
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A ledger is judged by what it says: what a job wrote comes home, and the workspace is free.
#[test]
fn a_job_that_wrote_only_issues_leaves_a_workspace_to_take_again() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "add Second --id bd-second").ok();
    family.commit(&web);
    let run = |issue: &str, script: &str| {
        let mut command = family.env().bd_command(BD);
        command.current_dir(&web).env("BD_AGENT", "bob");
        command.args(["run", "--issue", issue, "--workspace", "--", "sh", "-c", script]);
        family.env().run(command, format!("bd run {issue}"), None)
    };
    run("bd-base", &format!("'{BD}' add Found --id bd-found; echo mine > \"$BD_CONTEXT_DIR/note\""))
        .fails(1, &["did not close"]);
    let first = family.bd(&web, "workspace list --json").ok().json();
    assert!(!family.bd(&web, "list --json").ok().ids().contains(&"bd-found".to_owned()));
    run("bd-second", "test -d \"$BD_CONTEXT_DIR\" && test ! -e \"$BD_CONTEXT_DIR/note\"").fails(1, &["did not close"]);
    let all = family.bd(&web, "workspace list --json").ok().json();
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
    assert_eq!((text(&all[0], "id"), all[0]["reused"].as_i64()), (text(&first[0], "id"), Some(1)));
    assert!(family.bd(&web, "list --json").ok().ids().contains(&"bd-found".to_owned()), "it was brought home");
}

/// What the parent has received meanwhile is stored elsewhere.
#[test]
fn a_job_whose_work_the_parent_has_leaves_a_workspace_to_take_again() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let (id, path) = idle(&family);
    write(&path.join("work"), "x");
    family.commit(&path);
    refused(&family, &id, "commit");
    family.git(&web, &format!("pull -q --ff-only '{}' HEAD", path.display())).ok();
    assert_eq!(taken(&family, &id), (true, Vec::new()));
    assert!(path.join("work").exists());
}

/// What prevents removal prevents reuse.
#[test]
fn whatever_would_be_lost_or_works_there_is_left_alone() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    write(&web.join(".gitignore"), "out/\n");
    write(&web.join("deep/file"), "x");
    family.commit(&web);
    let (id, path) = idle(&family);
    let mut sleeper = Command::new("sleep").arg("600").current_dir(&path).spawn().unwrap();
    refused(&family, &id, "works there");
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    write(&path.join("out/x"), "x");
    family.git(&path, "init -q out/inner").ok();
    refused(&family, &id, "another repository is inside");
    fs::remove_dir_all(path.join("out")).unwrap();
    family.git(&path, "worktree add -q --detach ../linked").ok();
    refused(&family, &id, "belongs to it");
    family.git(&path, "worktree remove ../linked").ok();
    family.git(&path, "notes add -m word").ok();
    let (is_taken, notes) = taken(&family, &id);
    assert!(!is_taken && notes.len() == 1, "{notes:?}");
    family.git(&path, "update-ref -d refs/notes/commits").ok();
    family.git(&path, "sparse-checkout set .beads").ok();
    refused(&family, &id, "sparse");
    family.git(&path, "sparse-checkout disable").ok();
    assert_eq!(taken(&family, &id), (true, Vec::new()), "nothing stands against it");
}

/// Settings that a job has put into its clone have no agreement.
#[test]
fn programs_that_a_job_has_named_are_not_run() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let (id, path) = idle(&family);
    let mark = family.path("ran");
    write(&path.join(".git/info/attributes"), "* filter=foo\n");
    for way in ["smudge", "clean"] {
        let mut command = family.env().command("git");
        command.current_dir(&path).args(["config", &format!("filter.foo.{way}")]);
        command.arg(format!("touch '{}'; cat", mark.display()));
        family.env().run(command, "git config".to_owned(), None).ok();
    }
    write(&web.join("news"), "x");
    family.commit(&web);
    refused(&family, &id, "filter.foo");
    family.bd(&web, &format!("workspace update {id} --fetch")).fails(10, &["filter.foo"]);
    assert!(!mark.exists() && !path.join("news").exists());
}

/// Settings, hooks and what is ignored are those that a new clone has.
#[test]
fn the_next_job_gets_nothing_of_the_last_one_s_settings() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let (_, fresh) = make(&family, "--new");
    let (id, path) = idle(&family);
    family.git(&path, "config user.email eve@example.org").ok();
    family.git(&path, "config branch.x.remote origin").ok();
    family.git(&path, "remote add far /nowhere").ok();
    write(&path.join(".git/hooks/post-commit"), "#!/bin/sh\ntouch ran\n");
    fs::set_permissions(path.join(".git/hooks/post-commit"), fs::Permissions::from_mode(0o755)).unwrap();
    write(&path.join(".git/info/exclude"), "hidden\n");
    write(&web.join("news"), "x");
    family.commit(&web);
    assert_eq!(taken(&family, &id), (true, Vec::new()));
    let settings = |path: &Path| {
        let said = family.git(path, "config --list --local").ok().stdout;
        let mut lines: Vec<String> = said.lines().map(str::to_owned).collect();
        lines.sort();
        lines.dedup();
        lines
    };
    assert_eq!(settings(&path), settings(&fresh));
    assert!(!path.join(".git/hooks").exists());
    assert_eq!(fs::read(path.join(".git/info/exclude")).ok(), fs::read(fresh.join(".git/info/exclude")).ok());
    assert!(path.join("news").exists());
    family.bd(&path, "worktree info --json").ok();
    // A file that the job has hidden is in the way.
    family.bd(&web, &format!("workspace update {id} --status idle")).ok();
    write(&path.join(".git/info/exclude"), "hidden\n");
    write(&path.join("hidden"), "x");
    refused(&family, &id, "hidden");
}

/// An ignored file exists nowhere else: git would silently overwrite it with one of the parent's.
#[test]
fn an_ignored_file_is_not_overwritten_by_one_that_is_tracked_now() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    write(&web.join(".gitignore"), "*.log\nout\n");
    family.commit(&web);
    let (id, path) = idle(&family);
    write(&path.join("my.log"), "precious");
    write(&path.join("out"), "precious too");
    write(&web.join("my.log"), "of the parent");
    family.git(&web, "add -f my.log").ok();
    family.git(&web, "commit -qm tracked").ok();
    let fetch = || family.bd(&web, &format!("workspace update {id} --fetch"));
    fetch().fails(8, &["the ignored file my.log would be overwritten"]);
    refused(&family, &id, "my.log");
    let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    assert_eq!(read("my.log"), "precious");
    // A directory where a file is.
    family.git(&web, "rm -q --cached my.log").ok();
    write(&web.join("out/deep"), "of the parent");
    family.git(&web, "add -f out/deep").ok();
    family.git(&web, "commit -qm deep").ok();
    fetch().fails(8, &["the ignored file out would be overwritten"]);
    refused(&family, &id, "the ignored file out");
    assert_eq!((read("my.log"), read("out")), ("precious".into(), "precious too".into()));
    fs::remove_file(path.join("out")).unwrap();
    fetch().ok();
    assert_eq!((read("my.log"), read("out/deep")), ("precious".into(), "of the parent".into()));
    assert_eq!(taken(&family, &id), (true, Vec::new()));
    assert_eq!(read("my.log"), "precious", "what is ignored stays");
}

/// A branch is pushed: its name must not contain the id of an issue in another ledger, which may be private.
#[test]
fn the_branch_for_an_issue_of_another_repo_does_not_name_it() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    fs::create_dir(family.path("plan")).unwrap();
    family.git(&family.path("plan"), "init -q").ok();
    family.bd(&family.path("plan"), "init -q --prefix plan").ok();
    family.bd(&web, "repo add ../plan").ok();
    family.commit(&web);
    family.bd(&web, "add Private --id plan-secret --repo ../plan").ok();
    let (made, path) = make(&family, "--issue plan-secret");
    assert_eq!(text(&made, "issue_id"), "plan-secret");
    assert_eq!(text(&made, "branch"), format!("bd/{}", text(&made, "id")));
    assert!(!family.git(&path, "for-each-ref").ok().stdout.contains("secret"));
    family.bd(&web, &format!("workspace update {} --status idle", text(&made, "id"))).ok();
    let (again, _) = make(&family, "--issue plan-secret");
    assert_eq!(text(&again, "branch"), format!("bd/{}", text(&again, "id")));
    let (own, _) = make(&family, "--issue bd-base");
    assert_eq!(text(&own, "branch"), "bd/bd-base");
}

/// On one file system the objects exist only once.
#[test]
fn objects_are_linked_on_one_file_system() {
    let Some(family) = Family::new() else { return };
    let (_, path) = make(&family, "");
    let objects = |root: &Path| {
        let mut found = Vec::new();
        for dir in fs::read_dir(root.join(".git/objects")).unwrap().map(|entry| entry.unwrap().path()) {
            let files = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
            found.extend(files.map(|file| (file.file_name(), file.metadata().unwrap().ino())));
        }
        found.sort();
        found
    };
    let (there, here) = (objects(&family.web()), objects(&path));
    assert!(!there.is_empty() && there.iter().all(|object| here.contains(object)), "{there:?}\n{here:?}");
}

/// On another file system they are copied.
#[test]
fn a_clone_may_be_on_another_file_system() {
    let Some(family) = Family::new() else { return };
    let device = |path: &Path| fs::metadata(path).unwrap().dev();
    let places = [tempfile::tempdir_in("/dev/shm").ok(), Some(crate::support::place::on_disk("elsewhere"))];
    let is_apart = |place: &tempfile::TempDir| device(place.path()) != device(&family.web());
    let Some(there) = places.into_iter().flatten().find(is_apart) else {
        crate::support::programs::skip("no second file system");
        return;
    };
    let run = family
        .bd(&family.web(), &format!("workspace create --json --config workspace.path='{}'", there.path().display()));
    let path = PathBuf::from(text(&run.ok().json(), "path"));
    assert!(path.starts_with(there.path()) && path.join(".beads").is_dir());
    assert_eq!(family.git(&path, "status --porcelain").ok().stdout, "");
    family.git(&path, "fsck --full").ok();
}
