//! A job in a workspace of its own: `bd run --workspace`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::checkouts::Family;
use crate::support::harness::{BD, Run};
use crate::support::wait::until_some;

/// Runs a script on an issue in a workspace; `bd` is in its way.
fn job(family: &Family, flags: &[&str], script: &str) -> Run {
    let mut command = family.env().bd_command(BD);
    command.args(["run", "--workspace", "--json"]).args(flags).args(["--", "sh", "-ec"]);
    command.arg(format!("bd() {{ '{BD}' \"$@\"; }}\n{script}"));
    family.env().run(command, format!("bd run --workspace {}", flags.join(" ")), None)
}

/// The program that was run, and its workspace.
fn used(run: &Run) -> (Value, Value) {
    let done = run.json()[0].clone();
    (done.clone(), done["workspace"].clone())
}

fn path(workspace: &Value) -> PathBuf {
    PathBuf::from(workspace["path"].as_str().unwrap())
}

/// The content of the working copy, and git's view of it, byte for byte.
fn tree(family: &Family, directory: &Path) -> String {
    let snapshot = family.env().command("sh").current_dir(directory).arg("-c").arg(
        "git for-each-ref; git status --porcelain; cat .git/HEAD; find . -path ./.git -prune -o -type f -print | sort | xargs sha256sum",
    ).output().unwrap();
    String::from_utf8(snapshot.stdout).unwrap()
}

fn file(family: &Family, text: &str) -> String {
    let filed = family.bd(&family.web(), "add Work --json").ok().json();
    std::fs::write(family.web().join("code.txt"), text).unwrap();
    family.commit(&family.web());
    filed["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_job_runs_inside_of_its_workspace_and_the_main_checkout_stays_as_it_is() {
    let Some(family) = Family::new() else { return };
    let id = file(&family, "as it was\n");
    let before = tree(&family, &family.web());
    let run = job(
        &family,
        &[&id],
        "pwd > cwd; echo changed > code.txt; bd close $BD_ISSUE -r done; git add -A; git commit -qm job",
    );
    assert_eq!(run.code, 0, "{run:?}");
    let (done, workspace) = used(&run);
    assert_eq!((done["outcome"].as_str(), done["id"].as_str()), (Some("closed"), Some(id.as_str())));
    let at = path(&workspace);
    assert_eq!(std::fs::read_to_string(at.join("cwd")).unwrap().trim(), at.to_str().unwrap());
    assert!(!at.starts_with(family.web()));
    assert_eq!(tree(&family, &family.web()), before);
    // Work finished there is known here, and not offered again.
    let ready = family.bd(&family.web(), "ready --json").ok().json();
    assert!(!ready.as_array().unwrap().iter().any(|row| row["id"] == id.as_str()), "{ready}");
    assert_eq!(family.bd(&family.web(), "leases --json").ok().json().as_array().map(Vec::len), Some(0));
    let checkpoint =
        family.bd(&family.web(), &format!("checkpoint show {} --json", done["checkpoint"].as_str().unwrap()));
    let checkpoint = checkpoint.ok().json();
    assert_eq!(checkpoint["type"], "complete", "{checkpoint}");
    assert_eq!(checkpoint["detail"]["workspace"], workspace["id"]);
}

#[test]
fn two_jobs_that_change_the_same_file_do_not_see_each_other() {
    let Some(family) = Family::new() else { return };
    let one = file(&family, "common\n");
    let other = file(&family, "common\n");
    // Each waits until the other has written, so that both exist at once.
    let meet = family.path("meet");
    std::fs::create_dir(&meet).unwrap();
    let script = |mine: &str, theirs: &str| {
        let meet = meet.display();
        format!(
            "grep -qx common code.txt; echo {mine} > code.txt; touch '{meet}/{mine}'; \
             for n in $(seq 1200); do test -e '{meet}/{theirs}' && break; sleep 0.1; done; test -e '{meet}/{theirs}'; \
             grep -qx {mine} code.txt; git commit -qam {mine}"
        )
    };
    let runs = std::thread::scope(|scope| {
        let start = |id: String, script: String, n: &'static str| {
            let mut command = family.env().bd_command(BD);
            command
                .args(["run", &id, "--workspace", "--keep", "--json", "--", "sh", "-ec", &script])
                .env("BD_AGENT", n);
            scope.spawn(move || command.output().unwrap())
        };
        let jobs =
            [start(one.clone(), script("left", "right"), "ag1"), start(other.clone(), script("right", "left"), "ag2")];
        jobs.map(|job| job.join().unwrap())
    });
    for run in &runs {
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
    assert_eq!(std::fs::read_to_string(family.web().join("code.txt")).unwrap(), "common\n");
}

#[test]
fn an_issue_that_nobody_has_committed_yet_is_there_too() {
    let Some(family) = Family::new() else { return };
    let epic = family.bd(&family.web(), "add Epic --type epic --json").ok().json()["id"].as_str().unwrap().to_owned();
    let add = format!("add Fresh --parent {epic} --json");
    let id = family.bd(&family.web(), &add).ok().json()["id"].as_str().unwrap().to_owned();
    let other = family.bd(&family.web(), "add Unrelated --json").ok().json()["id"].as_str().unwrap().to_owned();
    let before = tree(&family, &family.web());
    let run = job(&family, &[&id], "bd close $BD_ISSUE");
    let (done, workspace) = used(&run);
    assert_eq!(done["outcome"], "closed", "{run:?}");
    let ledger = std::fs::read_to_string(path(&workspace).join(".beads/beads.jsonl")).unwrap();
    assert!(ledger.contains(&id) && ledger.contains(&epic) && !ledger.contains(&other), "{ledger}");
    assert_eq!(tree(&family, &family.web()), before);
}

#[test]
fn a_job_that_ends_without_closing_is_given_back_with_the_reason() {
    let Some(family) = Family::new() else { return };
    let id = file(&family, "x\n");
    let run = job(&family, &[&id], "echo half > code.txt; exit 3");
    assert_eq!(run.code, 3);
    let (done, workspace) = used(&run);
    assert_eq!((done["outcome"].as_str(), done["attempts"].as_i64()), (Some("failed"), Some(1)), "{done}");
    let checkpoint =
        family.bd(&family.web(), &format!("checkpoint show {} --json", done["checkpoint"].as_str().unwrap()));
    let checkpoint = checkpoint.ok().json();
    assert_eq!((checkpoint["type"].as_str(), checkpoint["detail"]["exit_code"].as_i64()), (Some("error"), Some(3)));
    assert!(checkpoint["files"].to_string().contains("code.txt"), "{checkpoint}");
    // Nothing is lost, and the next one may have the issue.
    assert_eq!(std::fs::read_to_string(path(&workspace).join("code.txt")).unwrap(), "half\n");
    assert_eq!(family.bd(&family.web(), "leases --json").ok().json().as_array().map(Vec::len), Some(0));
    let ready = family.bd(&family.web(), "ready --json").ok().json();
    assert!(ready.to_string().contains(&id), "{ready}");
}

/// A job that must not start: nothing of it may run, and the issue is free again.
fn refused(family: &Family, id: &str, flags: &[&str], exit: i32, why: &str) {
    let before = tree(family, &family.web());
    let ran = family.path("ran");
    let run = job(family, flags, &format!("touch '{}'", ran.display()));
    assert_eq!(run.code, exit, "{run:?}");
    assert!(run.stderr.contains(why), "{run:?}");
    assert!(!ran.exists(), "the job has run");
    assert_eq!(tree(family, &family.web()), before);
    assert_eq!(family.bd(&family.web(), "leases --json").ok().json().as_array().map(Vec::len), Some(0));
    let last = family.bd(&family.web(), &format!("checkpoint list {id} --all-worktrees --json")).ok().json();
    let last = last["checkpoints"].as_array().or(last.as_array()).unwrap().last().cloned().unwrap();
    assert_eq!(last["type"], "error", "{last}");
    assert!(last["summary"].as_str().unwrap().contains(why), "{last}");
    let all = family.bd(&family.web(), "workspace list --all --json").ok().json();
    let one = all.as_array().unwrap().iter().find(|one| one["issue_id"] == id).cloned().unwrap();
    assert_eq!(one["state"], "failed", "{one}");
    assert!(one["error"].as_str().unwrap().contains(why), "{one}");
    assert!(!path(&one).exists(), "{one}");
    let ready = family.bd(&family.web(), "ready --json").ok().json();
    assert!(ready.to_string().contains(id), "{ready}");
}

#[test]
fn without_its_workspace_a_job_does_not_start() {
    let Some(family) = Family::new() else { return };
    for (flags, exit, why) in [
        (vec!["--base", "nosuch"], 1, "nosuch"),
        (vec!["--setup", "echo broken; exit 9"], 1, "broken"),
        (vec!["--config", "workspace.min_free=9000T"], 1, "free"),
    ] {
        let id = file(&family, "x\n");
        let flags: Vec<&str> = std::iter::once(id.as_str()).chain(flags).collect();
        refused(&family, &id, &flags, exit, why);
    }
}

#[test]
fn a_program_that_is_not_there_leaves_the_issue_free() {
    let Some(family) = Family::new() else { return };
    let id = file(&family, "x\n");
    let run = family.bd(&family.web(), &format!("run {id} --workspace --json -- /no/such/program"));
    assert_eq!(run.code, 1, "{run:?}");
    assert_eq!(family.bd(&family.web(), "leases --json").ok().json().as_array().map(Vec::len), Some(0));
    let all = family.bd(&family.web(), "workspace list --json").ok().json();
    assert_eq!(all[0]["state"], "idle", "{all}");
}

#[test]
fn a_killed_job_hands_its_issue_on() {
    let Some(family) = Family::new() else { return };
    let id = file(&family, "x\n");
    let mut command = family.env().bd_command(BD);
    command.args([
        "run",
        &id,
        "--workspace",
        "--",
        "sh",
        "-c",
        "echo $$ > ../begun; mv ../begun ../started; exec sleep 31415",
    ]);
    command.env("BD_AGENT", "first").env_remove("BD_TEST_NOW").env_remove("BD_TEST_SEED");
    let mut child = command.spawn().unwrap();
    let all = || family.bd(&family.web(), "workspace list --json").ok().json();
    let at = until_some("the job starts", || {
        let found = all()[0]["path"].as_str().map(PathBuf::from);
        found.filter(|at| at.with_file_name("started").exists())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    // The program itself still runs, and the claim lives with it: end it as the system would.
    let pid = std::fs::read_to_string(at.with_file_name("started")).unwrap();
    let mut end = family.env().command("sh");
    assert!(end.args(["-c", &format!("kill -9 {}", pid.trim())]).status().unwrap().success());
    let taken = family.bd_with(&family.web(), &format!("claim {id} --json"), &[("BD_AGENT", "second")]);
    assert_eq!(taken.code, 0, "{taken:?}");
    assert!(at.exists());
}

/// With `workspace.cleanup_on_complete` a job leaves no directory, however it ends.
#[test]
fn with_cleanup_nothing_is_left_after_success_failure_and_cancel() {
    let Some(family) = Family::new() else { return };
    let base = family.path("home/data/beads/workspaces");
    let left = || {
        let repos = std::fs::read_dir(&base).unwrap().map(|entry| entry.unwrap().path());
        let inside = repos.flat_map(|repo| std::fs::read_dir(repo).unwrap().map(|entry| entry.unwrap().path()));
        inside.filter(|path| path.is_dir() && path.extension().is_none()).collect::<Vec<PathBuf>>()
    };
    let cleanup = ["--config", "workspace.cleanup_on_complete=true"];
    for (script, outcome, status) in [
        ("bd comment $BD_ISSUE seen; bd close $BD_ISSUE -r 'all done'", "closed", "closed"),
        ("exit 4", "failed", "open"),
        ("kill -TERM $PPID; exec sleep 20", "failed", "open"),
    ] {
        let id = file(&family, "x\n");
        let run = job(&family, &[&[id.as_str()], cleanup.as_slice()].concat(), script);
        let (done, workspace) = used(&run);
        assert_eq!((done["outcome"].as_str(), workspace["removed"].as_bool()), (Some(outcome), Some(true)), "{run:?}");
        assert_eq!(left(), Vec::<PathBuf>::new(), "{script}");
        assert!(!path(&workspace).with_extension("job").exists(), "{script}");
        // A comment made in the workspace is known here.
        let shown = family.bd(&family.web(), &format!("show {id} --json")).ok().json();
        assert_eq!(shown[0]["status"], status, "{shown}");
        assert_eq!(shown.to_string().contains("seen"), status == "closed", "{shown}");
        let record = family.bd(&family.web(), &format!("workspace show {} --json", workspace["id"].as_str().unwrap()));
        assert_eq!(record.ok().json()["state"], "removed");
    }
    // Work that is nowhere else stays, and the job's result is what it was.
    let id = file(&family, "x\n");
    let run = job(&family, &[&[id.as_str()], cleanup.as_slice()].concat(), "echo new > fresh; bd close $BD_ISSUE");
    let (done, workspace) = used(&run);
    assert_eq!((run.code, done["outcome"].as_str(), workspace["removed"].as_bool()), (0, Some("closed"), Some(false)));
    assert!(workspace["notes"].to_string().contains("fresh"), "{workspace}");
    assert_eq!(left(), [path(&workspace)]);
}

#[test]
fn a_job_that_takes_its_ledger_or_its_workspace_away_has_a_result_all_the_same() {
    let Some(family) = Family::new() else { return };
    family.git(&family.web(), "switch -q --orphan pages").ok();
    std::fs::write(family.web().join("page"), "").unwrap();
    family.commit(&family.web());
    family.git(&family.web(), "switch -q main").ok();
    for (script, code) in [
        ("rm -rf \"$BD_WORKSPACE_DIR\"; exit 5", 5),
        // Before bd has noted which process works on the issue.
        ("kill -STOP $PPID; rm -rf \"$BD_WORKSPACE_DIR\"; kill -CONT $PPID; exit 5", 5),
        ("git checkout -qf --detach $(git rev-parse --remotes='*/pages'); test ! -e .beads; exit 6", 6),
        ("rm -rf .git; bd close $BD_ISSUE", 0),
    ] {
        let id = file(&family, &format!("{script}\n"));
        let run = job(&family, &[&id, "--fresh"], script);
        assert_eq!(run.code, code, "{run:?}");
        let outcome = run.json()[0]["outcome"].clone();
        assert_eq!(outcome, if code == 0 { "closed" } else { "failed" }, "{run:?}");
        assert_eq!(family.held(&family.web()), Vec::<String>::new());
    }
}

/// Attempts are counted where issues are handed out: the label is in the ledger of a workspace that may be gone.
#[test]
fn an_issue_that_fails_in_workspaces_is_not_handed_out_for_ever() {
    let Some(family) = Family::new() else { return };
    for _ in 0..3 {
        assert_eq!(job(&family, &[], "false").code, 1);
    }
    let fourth = job(&family, &[], "touch ran");
    assert_eq!(fourth.code, 3, "{fourth:?}");
    let none = family.bd(&family.web(), "--agent bot ready --claim").ok();
    assert!(none.stderr.contains("bd-base has failed 3 times"), "{}", none.stderr);
    // Whoever names it begins anew.
    let named = job(&family, &["bd-base"], "bd close $BD_ISSUE -r done");
    assert_eq!(named.code, 0, "{named:?}");
}

/// Somebody has looked at it: the label is taken away, and it is handed out again.
#[test]
fn without_the_label_an_issue_is_handed_out_again() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    for _ in 0..3 {
        family.bd(&web, "--agent bot run -- false").fails(1, &[]);
    }
    family.bd(&web, "--agent bot run -- false").fails(3, &["needs-attention"]);
    family.bd(&web, "label remove bd-base needs-attention").ok();
    family.bd(&web, "--agent bot run -- false").fails(1, &[]);
}

/// The base of the workspace knows more than the ledger here: the next issue is done instead.
#[test]
fn an_issue_that_was_closed_meanwhile_is_passed_over() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "add Second --id bd-second").ok();
    family.commit(&web);
    family.git(&web, "checkout -q -b ahead").ok();
    family.bd(&web, "close bd-base -r done").ok();
    family.commit(&web);
    family.git(&web, "checkout -q main").ok();
    let run = job(&family, &["--base", "ahead"], "bd close $BD_ISSUE -r done");
    assert_eq!((run.code, run.json()[0]["id"].as_str()), (0, Some("bd-second")), "{run:?}");
    let named = job(&family, &["--base", "ahead", "bd-base"], "true");
    assert!(named.code == 5 && !named.stderr.contains("reopen"), "{named:?}");
    assert_eq!(family.bd(&web, "leases --json").ok().json().as_array().map(Vec::len), Some(0));
}
