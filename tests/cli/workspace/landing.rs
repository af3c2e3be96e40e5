//! `bd workspace merge` and `bd land`: finished work comes home, and what cannot goes back into the pool.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::checkouts::Family;
use crate::support::harness::{BD, Run};
use crate::support::wait::until_some;

/// A repository in which jobs are run and their work lands.
struct Site {
    family: Family,
}

impl Site {
    fn new() -> Option<Self> {
        let family = Family::new()?;
        fs::write(family.web().join("a.txt"), "a\n").unwrap();
        fs::write(family.web().join("b.txt"), "b\n").unwrap();
        family.bd(&family.web(), "close bd-base").ok();
        family.commit(&family.web());
        Some(Site { family })
    }

    fn bd(&self, line: &str) -> Run {
        self.family.bd(&self.family.web(), line)
    }

    fn add(&self, title: &str) -> String {
        let added = self.bd(&format!("add {title} --json")).ok().json();
        added["id"].as_str().unwrap().to_owned()
    }

    /// Runs a script on an issue in a workspace, commits and closes it. Returns the id of the workspace, and its path.
    fn job(&self, id: &str, script: &str) -> (String, PathBuf) {
        let mut command = self.family.env().bd_command(BD);
        command.current_dir(self.family.web()).args(["run", id, "--workspace", "--fresh", "--json", "--", "sh", "-ec"]);
        command.arg(format!("{script}\ngit add -A; git commit -qm 'work on {id}'; '{BD}' close {id}"));
        let run = self.family.env().run(command, format!("bd run {id}"), None).ok().json();
        let one = &run[0]["workspace"];
        (one["id"].as_str().unwrap().to_owned(), PathBuf::from(one["path"].as_str().unwrap()))
    }

    /// An issue whose work writes a file.
    fn finished(&self, title: &str, file: &str) -> (String, PathBuf) {
        let id = self.add(title);
        let (_, path) = self.job(&id, &format!("echo {title} > {file}"));
        (id, path)
    }

    /// `outcome id`, for each workspace.
    fn land(&self, flags: &str) -> (Run, Vec<String>) {
        let run = self.bd(&format!("land --json {flags}"));
        let rows = if run.stdout.is_empty() { Vec::new() } else { outcomes(&run.json()["landed"]) };
        (run, rows)
    }

    fn issue(&self, id: &str) -> Value {
        self.bd(&format!("show {id} --json")).ok().json()[0].clone()
    }

    fn ready(&self) -> Vec<String> {
        self.bd("ready --json").ok().ids()
    }

    fn state(&self, workspace: &str) -> String {
        let shown = self.bd(&format!("workspace show {workspace} --json")).ok().json();
        shown["state"].as_str().unwrap().to_owned()
    }

    fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.family.web().join(name)).ok()
    }

    fn git(&self, line: &str) -> String {
        self.family.git(&self.family.web(), line).ok().stdout
    }

    fn comments(&self, id: &str) -> Vec<String> {
        let issue = self.issue(id);
        let comments = issue["comments"].as_array().cloned().unwrap_or_default();
        comments.iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    }

    /// Only the checkouts that were there before.
    fn nothing_is_left(&self) {
        assert_eq!(self.git("worktree list").lines().count(), 1, "{}", self.git("worktree list"));
        let base = self.family.env().root().join("home/data/beads/workspaces");
        for entry in fs::read_dir(base).into_iter().flatten().flatten() {
            let names = fs::read_dir(entry.path()).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap());
            let odd: Vec<String> = names.filter(|name| name.starts_with(".landing")).collect();
            assert_eq!(odd, [""; 0]);
        }
    }
}

fn outcomes(rows: &Value) -> Vec<String> {
    let word = |row: &Value, key: &str| row[key].as_str().unwrap_or("-").to_owned();
    rows.as_array().unwrap().iter().map(|row| format!("{} {}", word(row, "outcome"), word(row, "issue_id"))).collect()
}

#[test]
fn what_bd_run_prints_at_its_end_brings_the_work_home() {
    let Some(site) = Site::new() else { return };
    let id = site.add("Work");
    let mut command = site.family.env().bd_command(BD);
    command.current_dir(site.family.web()).args(["run", &id, "--workspace", "--", "sh", "-ec"]);
    command.arg(format!("echo new > new.txt; git add -A; git commit -qm work; '{BD}' close {id}"));
    let run = site.family.env().run(command, "bd run".to_owned(), None).ok();
    let hint = run.stderr.lines().find_map(|line| line.split_once("run `bd ")).expect(&run.stderr).1;
    let line = hint.split_once('`').unwrap().0;
    assert_eq!(line, format!("workspace merge {id}"));
    // The ledger here has changed meanwhile, and is not committed.
    site.add("Other");
    let merged = site.bd(line).ok();
    assert!(merged.stdout.starts_with(&format!("Landed: {id}")), "{merged:?}");
    assert_eq!((site.file("new.txt").as_deref(), site.git("status --short").as_str()), (Some("new\n"), ""));
    assert_eq!(site.issue(&id)["status"], "closed");
    // The way back works when typed.
    let back = merged.stderr.split_once("run `git ").unwrap().1.split_once('`').unwrap().0.to_owned();
    site.git(&back);
    assert_eq!((site.file("new.txt"), site.issue(&id)["status"].as_str()), (None, Some("open")));
    // And forth again.
    site.bd("workspace merge").ok();
    assert_eq!(site.file("new.txt").as_deref(), Some("new\n"));
    assert_eq!(site.bd("workspace merge").code, 3, "nothing is finished and not merged");
}

#[test]
fn all_finished_work_lands_in_the_order_of_its_dependencies_after_its_check() {
    let Some(site) = Site::new() else { return };
    // The one that was closed first waits for the other one.
    let (first, second) = (site.add("First"), site.add("Second"));
    let (one, _) = site.job(&first, "echo first > a.txt");
    let (other, _) = site.job(&second, "echo second > b.txt");
    site.bd(&format!("dep add {first} {second}")).ok();
    let open = site.add("Open");
    let log = site.family.path("checks");
    let check = format!("pwd >> {0}; echo $BD_ISSUE >> {0}; cat a.txt >> {0}", log.display());
    site.bd(&format!("config set land.check '{check}'")).ok();

    let (dry, rows) = site.land("--dry-run");
    assert_eq!((dry.code, rows.len()), (0, 2), "{dry:?}");
    assert!(rows.iter().all(|row| row.starts_with("would_land")) && !log.exists());
    assert_eq!(site.file("a.txt").as_deref(), Some("a\n"));

    let (run, rows) = site.land("");
    assert_eq!((run.code, rows), (0, vec![format!("landed {second}"), format!("landed {first}")]), "{run:?}");
    let checks = fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = checks.lines().collect();
    assert_eq!([lines[1], lines[2], lines[4], lines[5]], [second.as_str(), "a", first.as_str(), "first"]);
    assert!(
        !lines[0].starts_with(site.family.web().to_str().unwrap()),
        "not in the checkout of the user: {}",
        lines[0]
    );
    assert_eq!((site.file("a.txt").as_deref(), site.file("b.txt").as_deref()), (Some("first\n"), Some("second\n")));
    assert_eq!([site.state(&one), site.state(&other)], ["merged", "merged"]);
    assert_eq!(
        (site.issue(&first)["status"].as_str(), site.issue(&open)["status"].as_str()),
        (Some("closed"), Some("open"))
    );
    assert_eq!(site.git("status --short"), "");
    site.nothing_is_left();
    let (again, rows) = site.land("");
    assert_eq!((again.code, rows), (0, vec![]));
    // What was taken back lands again.
    let back = run.json()["before"].as_str().unwrap().to_owned();
    site.git(&format!("reset -q --keep {back}"));
    assert_eq!(site.file("a.txt").as_deref(), Some("a\n"));
    let (again, rows) = site.land("");
    assert_eq!((again.code, rows.len()), (0, 2), "{again:?}");
    assert_eq!(site.file("a.txt").as_deref(), Some("first\n"));
}

#[test]
fn work_that_conflicts_goes_back_into_the_pool_with_its_reason() {
    let Some(site) = Site::new() else { return };
    let (one, other, third) = (site.add("One"), site.add("Other"), site.add("Third"));
    site.job(&one, "echo one > a.txt");
    let (workspace, path) = site.job(&other, "echo other > a.txt");
    site.job(&third, "echo third > b.txt");
    let (run, rows) = site.land("--no-check");
    assert_eq!((run.code, rows), (1, vec![format!("landed {one}"), format!("conflict {other}")]), "{run:?}");
    let json = run.json();
    assert_eq!((json["left"].as_i64(), &json["landed"][1]["files"]), (Some(1), &serde_json::json!(["a.txt"])));
    assert_eq!(json["landed"][1]["attempts"], 1);
    assert_eq!(site.file("a.txt").as_deref(), Some("one\n"));
    assert_eq!(site.git("status --short"), "", "what is said about it is committed");
    // It is handed out again, with the reason and the place of the work.
    assert_eq!(site.ready(), [other.clone()].as_slice(), "{}", site.bd("ready").stdout);
    let said = site.comments(&other);
    assert!(said.len() == 1 && said[0].contains("a.txt") && said[0].contains(&workspace), "{said:?}");
    assert_eq!(fs::read_to_string(path.join("a.txt")).unwrap(), "other\n", "the workspace is as it was");
    let (run, rows) = site.land("--no-check --keep-going");
    assert_eq!((run.code, rows), (0, vec![format!("landed {third}")]), "{run:?}");
    // Done again on top of what is there, it lands, and the older workspace no longer counts.
    let (again, _) = site.job(&other, "echo other >> a.txt");
    let (run, rows) = site.land("--no-check");
    assert_eq!((run.code, rows), (0, vec![format!("landed {other}")]), "{run:?}");
    assert_eq!((site.state(&again).as_str(), site.file("a.txt").as_deref()), ("merged", Some("one\nother\n")));
    assert_eq!(site.issue(&other)["status"], "closed");
    assert_eq!(site.land("--no-check").1, [""; 0]);
}

#[test]
fn work_that_is_repaired_in_its_workspace_lands_from_there() {
    let Some(site) = Site::new() else { return };
    let (one, other) = (site.add("One"), site.add("Other"));
    site.job(&one, "echo one > a.txt");
    let (_, path) = site.job(&other, "echo other > a.txt");
    assert_eq!(site.land("--no-check").0.code, 1);
    let web = site.family.web();
    site.family.git(&path, &format!("fetch -q {}", web.display())).ok();
    // The hooks are not installed here, so git leaves markers in the ledger.
    site.family.git(&path, "commit -qam reopened").ok();
    site.family.git(&path, "merge -q --no-edit FETCH_HEAD");
    fs::write(path.join("a.txt"), "other\n").unwrap();
    site.family.bd(&path, "resolve");
    site.family.git(&path, "commit -qam merged").ok();
    site.family.bd(&path, &format!("close {other}")).ok();
    let (run, rows) = site.land("--no-check");
    assert_eq!((run.code, rows), (0, vec![format!("landed {other}")]), "{run:?}");
    assert_eq!(site.file("a.txt").as_deref(), Some("other\n"));
    assert_eq!(site.issue(&other)["status"], "closed");
}

#[test]
fn a_failing_check_puts_work_back_unless_it_fails_without_it_too() {
    let Some(site) = Site::new() else { return };
    let (good, _) = site.finished("Good", "good.txt");
    let (bad, path) = site.finished("Bad", "bad.txt");
    let head = site.git("rev-parse HEAD");
    let (run, rows) = site.land("--check 'exit 3'");
    assert_eq!((run.code, rows.len()), (1, 0), "{run:?}");
    assert!(run.stderr.contains("fails here without any of that work"), "{}", run.stderr);
    assert!(site.comments(&good).is_empty() && site.comments(&bad).is_empty());
    let (run, rows) = site.land("--check 'echo looked; test ! -e bad.txt' --keep-going");
    assert_eq!((run.code, rows), (1, vec![format!("landed {good}"), format!("check_failed {bad}")]), "{run:?}");
    assert_eq!(run.json()["landed"][1]["output"], "looked");
    assert_ne!(site.git("rev-parse HEAD"), head);
    assert_eq!((site.file("good.txt").is_some(), site.file("bad.txt")), (true, None));
    assert_eq!(site.ready(), [bad.clone()].as_slice());
    assert!(path.join("bad.txt").exists());
    site.nothing_is_left();
}

#[test]
fn a_check_that_hangs_or_kills_or_writes() {
    let Some(site) = Site::new() else { return };
    let (id, _) = site.finished("Work", "work.txt");
    site.bd("config set land.timeout 1s").ok();
    let (run, rows) = site.land("--check 'test ! -e work.txt || sleep 600'");
    assert_eq!((run.code, rows), (1, vec![format!("check_failed {id}")]), "{run:?}");
    assert!(run.json()["landed"][0]["why"].as_str().unwrap().contains("did not end within 1s"), "{run:?}");
    site.job(&id, "echo again > again.txt");
    // bd itself is killed: nothing has landed, and the next landing clears up.
    let mut killed = site.family.env().bd_command(BD);
    killed.current_dir(site.family.web()).args(["land", "--check", "kill -9 $PPID; sleep 5"]);
    assert_eq!(killed.status().unwrap().code(), None);
    assert_eq!((site.file("again.txt"), site.comments(&id).len()), (None, 1));
    // Asked to end, as bd is by an interrupt, it says nothing about the work.
    let (run, rows) = site.land("--check 'kill -TERM $$'");
    assert_eq!((run.code, rows.len(), site.comments(&id).len()), (1, 0, 1), "{run:?}");
    // It ends what it was to look at, or leaves the branch.
    for check in ["rm -rf \"$PWD\"", "git -C $HOME/../web switch -q -c other"] {
        let check = check.replace("$HOME/../web", &site.family.web().display().to_string());
        let run = site.bd(&format!("land --json --check '{check}'"));
        assert!(run.code == 1 && run.json()["landed"].as_array().unwrap().is_empty(), "{run:?}");
        site.family.git(&site.family.web(), "switch -q main");
        assert_eq!((site.file("again.txt"), site.comments(&id).len()), (None, 1));
    }
    // What it files comes home; what else it leaves behind does not.
    let check = format!("{BD} add Filed --id web-filed; echo junk > junk.txt; echo junk > a.txt");
    let (run, rows) = site.land(&format!("--check '{check}'"));
    assert_eq!((run.code, rows), (0, vec![format!("landed {id}")]), "{run:?}");
    assert_eq!(site.issue("web-filed")["status"], "open");
    assert_eq!((site.file("junk.txt"), site.file("a.txt").as_deref()), (None, Some("a\n")));
    site.nothing_is_left();
}

#[test]
fn only_the_users_own_check_is_believed() {
    let Some(site) = Site::new() else { return };
    fs::create_dir_all(site.family.web().join(".beads")).unwrap();
    let config = site.family.web().join(".beads/config.toml");
    let known = fs::read_to_string(&config).unwrap_or_default();
    let marker = site.family.path("ran");
    fs::write(&config, format!("{known}\n[land]\ncheck = \"touch {}\"\n", marker.display())).unwrap();
    site.family.commit(&site.family.web());
    let (id, _) = site.finished("Work", "work.txt");
    for flags in ["", "--check ''"] {
        let (run, _) = site.land(flags);
        assert!(run.code == 2 && run.stderr.contains("no check is set"), "{run:?}");
    }
    let (run, rows) = site.land("--no-check");
    assert_eq!((run.code, rows), (0, vec![format!("landed {id}")]), "{run:?}");
    assert!(!marker.exists());
    assert!(run.json()["notes"][0].as_str().unwrap().contains("land.check"), "{run:?}");
}

#[test]
fn what_is_not_ready_stays_and_says_why() {
    let Some(site) = Site::new() else { return };
    let why = |id: &str| {
        let (run, _) = site.land("--no-check");
        let rows = run.json()["landed"].clone();
        let row =
            rows.as_array().unwrap().iter().find(|row| row["issue_id"] == id).unwrap_or_else(|| panic!("{run:?}"));
        assert_eq!((row["outcome"].as_str(), run.code), (Some("not_ready"), 0), "{run:?}");
        row["why"].as_str().unwrap().to_owned()
    };
    let (changed, path) = site.finished("Changed", "work.txt");
    fs::write(path.join("a.txt"), "more\n").unwrap();
    assert!(why(&changed).contains("a.txt"));
    site.family.git(&path, "checkout -q a.txt").ok();
    fs::write(path.join("forgotten.txt"), "more\n").unwrap();
    assert!(why(&changed).contains("forgotten.txt"));
    fs::remove_file(path.join("forgotten.txt")).unwrap();
    site.family.git(&path, "checkout -q -b elsewhere").ok();
    assert!(why(&changed).contains("elsewhere is checked out"));
    site.family.git(&path, &format!("checkout -q bd/{changed}")).ok();

    // Reopened or deleted here after it was closed there.
    let (reopened, _) = site.finished("Reopened", "reopened.txt");
    site.bd(&format!("close {reopened}")).ok();
    site.bd(&format!("reopen {reopened}")).ok();
    assert!(why(&reopened).contains("was reopened"));
    let (deleted, _) = site.finished("Deleted", "deleted.txt");
    site.bd(&format!("delete {deleted} --yes")).ok();
    assert!(why(&deleted).contains("was deleted"));
    assert_eq!((site.file("reopened.txt"), site.file("deleted.txt")), (None, None));

    // The first one has landed by now, and one that is half deleted has nothing to land.
    assert_eq!(site.issue(&changed)["status"], "closed");
    let (gone, path) = site.finished("Gone", "gone.txt");
    fs::remove_dir_all(&path).unwrap();
    assert!(!site.land("--no-check").1.iter().any(|row| row.ends_with(&gone)));
    let run = site.bd(&format!("workspace merge {gone}"));
    assert!(run.code == 1 && run.stdout.contains("directory is missing"), "{run:?}");

    // Made from a branch that is not checked out here.
    site.git("checkout -q -b other");
    fs::write(site.family.web().join("other.txt"), "x").unwrap();
    site.family.commit(&site.family.web());
    let (based, _) = site.finished("Based", "based.txt");
    site.family.commit(&site.family.web());
    site.git("checkout -q main");
    assert!(why(&based).contains("not in what is checked out here"));
}

#[test]
fn changed_files_two_landings_and_the_wrong_place_are_refused() {
    let Some(site) = Site::new() else { return };
    let (id, path) = site.finished("Work", "work.txt");
    fs::write(site.family.web().join("a.txt"), "mine\n").unwrap();
    for line in ["land --no-check", &format!("workspace merge {id}")] {
        let run = site.bd(line);
        assert!(run.code == 1 && run.stderr.contains("a.txt"), "{run:?}");
    }
    site.git("checkout -q a.txt");
    site.git("checkout -q --detach");
    let run = site.bd("land --no-check");
    assert!(run.code == 1 && run.stderr.contains("no branch is checked out"), "{run:?}");
    site.git("checkout -q main");
    let run = site.family.bd(&path, "land --no-check");
    assert!(run.code == 5 && run.stderr.contains(site.family.web().to_str().unwrap()), "{run:?}");
    // The check of the first one goes on until the second one was refused.
    let go = site.family.path("go");
    let mut first = site.family.env().bd_command(BD);
    first.current_dir(site.family.web()).args(["land", "--check"]);
    let mark = site.family.path("began");
    first.arg(format!("touch {}; while test ! -e {}; do sleep 0.05; done", mark.display(), go.display()));
    let mut first = first.spawn().unwrap();
    until_some("the check", || mark.exists().then_some(()));
    for line in ["land --no-check", "workspace merge"] {
        let run = site.bd(line);
        assert_eq!(run.code, 6, "{run:?}");
    }
    // Others commit code and write the ledger while it is checked.
    fs::write(site.family.web().join("b.txt"), "theirs\n").unwrap();
    site.git("commit -qam theirs");
    let filed = site.add("Meanwhile");
    fs::write(&go, "").unwrap();
    assert!(first.wait().unwrap().success());
    assert_eq!(site.issue(&id)["status"], "closed");
    assert_eq!(site.issue(&filed)["status"], "open");
    assert_eq!((site.file("work.txt").is_some(), site.file("b.txt").as_deref()), (true, Some("theirs\n")));
    site.nothing_is_left();
}

#[test]
fn a_circle_of_dependencies_lands_nothing() {
    let Some(site) = Site::new() else { return };
    let (one, first) = site.finished("One", "one.txt");
    let (other, second) = site.finished("Other", "other.txt");
    site.family.bd(&first, &format!("dep add {one} {other}"));
    site.family.bd(&second, &format!("dep add {other} {one}"));
    let edge = |path: &PathBuf, from: &str, to: &str| {
        let ledger = path.join(".beads/beads.jsonl");
        let text = fs::read_to_string(&ledger).unwrap();
        let edge = format!(
            "\"dependencies\":[{{\"issue_id\":\"{from}\",\"depends_on_id\":\"{to}\",\"type\":\"blocks\",\
             \"created_at\":\"2026-01-01T00:00:00Z\",\"created_by\":\"t\"}}]"
        );
        let line = text.lines().find(|line| line.contains(&format!("\"id\":\"{from}\""))).unwrap().to_owned();
        let new = format!("{},{edge}}}", line.strip_suffix('}').unwrap());
        let new = if line.contains("\"dependencies\"") { line.clone() } else { new };
        fs::write(&ledger, text.replace(&line, &new)).unwrap();
    };
    edge(&first, &one, &other);
    edge(&second, &other, &one);
    let (run, rows) = site.land("--no-check");
    assert_eq!((run.code, rows.len()), (0, 2), "{run:?}");
    assert!(rows.iter().all(|row| row.starts_with("not_ready")), "{rows:?}");
    assert!(run.json()["landed"][0]["why"].as_str().unwrap().contains("wait for each other"), "{run:?}");
    assert_eq!((site.file("one.txt"), site.file("other.txt")), (None, None));
}

#[test]
fn what_waits_for_work_that_did_not_land_does_not_land_either() {
    let Some(site) = Site::new() else { return };
    let (base, _) = site.finished("Base", "base.txt");
    let (above, path) = site.finished("Above", "above.txt");
    let ledger = path.join(".beads/beads.jsonl");
    let text = fs::read_to_string(&ledger).unwrap();
    let line = text.lines().find(|line| line.contains(&format!("\"id\":\"{above}\""))).unwrap();
    let edge = format!(
        "{},\"dependencies\":[{{\"issue_id\":\"{above}\",\"depends_on_id\":\"{base}\",\"type\":\"blocks\"}}]}}",
        line.strip_suffix('}').unwrap()
    );
    fs::write(&ledger, text.replace(line, &edge)).unwrap();
    let (run, rows) = site.land("--keep-going --check 'test ! -e base.txt'");
    assert_eq!((run.code, rows), (1, vec![format!("check_failed {base}"), format!("not_ready {above}")]), "{run:?}");
    assert_eq!(site.file("above.txt"), None);
    // Nor by the next landing, which has nothing else to do.
    let (run, rows) = site.land("--no-check");
    assert_eq!((run.code, rows), (0, vec![format!("not_ready {above}")]), "{run:?}");
}

#[test]
fn a_worktree_and_a_workspace_without_an_issue_come_home_too() {
    let Some(site) = Site::new() else { return };
    let id = site.add("Work");
    site.family.commit(&site.family.web());
    let made = site.bd(&format!("workspace create --issue {id} --kind worktree --json")).ok().json();
    let path = PathBuf::from(made["path"].as_str().unwrap());
    fs::write(path.join("work.txt"), "work\n").unwrap();
    site.family.commit(&path);
    let run = site.bd(&format!("workspace merge {id}"));
    assert!(run.code == 1 && run.stdout.contains("is not closed"), "{run:?}");
    site.family.bd(&path, &format!("close {id}")).ok();
    let (run, rows) = site.land("--no-check");
    assert_eq!((run.code, rows), (0, vec![format!("landed {id}")]), "{run:?}");
    let made = site.bd("workspace create --branch plain --json").ok().json();
    let path = PathBuf::from(made["path"].as_str().unwrap());
    fs::write(path.join("plain.txt"), "plain\n").unwrap();
    site.family.commit(&path);
    assert_eq!(site.land("--no-check").1, [""; 0], "nothing says that it is finished");
    site.bd("workspace merge plain").ok();
    assert_eq!((site.file("work.txt").is_some(), site.file("plain.txt").is_some()), (true, true));
}

#[test]
fn work_that_was_merged_in_another_way_is_not_merged_again() {
    let Some(site) = Site::new() else { return };
    let id = site.add("Work");
    site.family.commit(&site.family.web());
    let (_, path) = site.job(&id, "echo work > work.txt");
    site.git(&format!("pull -q --squash --no-rebase {} bd/{id}", path.display()));
    site.git("commit -qam squashed");
    // The same lines have changed again since, so a merge would conflict.
    fs::write(site.family.web().join("work.txt"), "later\n").unwrap();
    site.git("commit -qam later");
    let (run, rows) = site.land("--no-check");
    assert_eq!((run.code, rows), (0, vec![format!("landed {id}")]), "{run:?}");
    assert_eq!((site.git("status --short").as_str(), site.file("work.txt").as_deref()), ("", Some("later\n")));
    assert_eq!(site.issue(&id)["status"], "closed");
    let said = site.comments(&id);
    assert!(!said.iter().any(|text| text.starts_with("Not landed")), "{said:?}");
    assert_eq!(site.land("--no-check").1, [""; 0]);
}
