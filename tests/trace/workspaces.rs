//! SIGKILL at every step of making and removing a workspace: what is left has a name, gc ends it, and nothing is lost.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, describe};
use crate::support::effort::pick;
use crate::support::user::BD;
use crate::trace::strace;

const SIGKILL: i32 = 9;
/// The calls that change something on the disk.
const CALLS: &str = "trace=rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,linkat,fsync";

/// Runs `bd` alone under strace, without the programs that it starts.
fn traced(sandbox: &Sandbox, inject: Option<&str>, args: &[&str]) -> (Output, Vec<String>) {
    let log = tempfile::NamedTempFile::new_in(sandbox.home()).unwrap();
    let mut command = sandbox.program("strace");
    command.args(["-e", CALLS, "-o"]).arg(log.path());
    if let Some(inject) = inject {
        command.args(["-e", inject]);
    }
    let output = command.arg(BD).args(args).output().unwrap();
    let text = fs::read_to_string(log.path()).unwrap();
    let names = text.lines().filter_map(|line| line.split_once('(')).map(|(name, _)| name.to_owned());
    (output, names.filter(|name| name.bytes().all(|b| b.is_ascii_alphanumeric())).collect())
}

/// Each call as a place to kill at; in the short form only some of them.
fn places(calls: &[String]) -> Vec<String> {
    let mut seen = std::collections::HashMap::new();
    let all: Vec<String> = calls
        .iter()
        .map(|name| {
            let nth = seen.entry(name.clone()).and_modify(|n| *n += 1).or_insert(1);
            format!("inject={name}:signal=KILL:when={nth}")
        })
        .collect();
    let step = pick(all.len().div_ceil(4), all.len().div_ceil(8), 1);
    all.into_iter().step_by(step).collect()
}

struct Site {
    sandbox: Sandbox,
}

impl Site {
    fn new() -> Self {
        let sandbox = Sandbox::with_issues(2);
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-qm", "issues"]);
        sandbox.ok(&["config", "set", "--personal", "workspace.reuse", "false"]);
        Site { sandbox }
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.sandbox.ok(args)).unwrap()
    }

    fn make(&self, kind: &str) -> (String, PathBuf) {
        let made = self.json(&["workspace", "create", "--kind", kind, "--json"]);
        (made["id"].as_str().unwrap().to_owned(), PathBuf::from(made["path"].as_str().unwrap()))
    }

    fn end(&self) {
        // The next one ends what the first one could not.
        for _ in 0..2 {
            self.sandbox.ok(&["workspace", "gc", "--older-than", "1000d", "--apply"]);
        }
    }

    fn left(&self, place: &Path) -> Vec<String> {
        let entries = fs::read_dir(place).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("ws_")).collect()
    }
}

#[test]
fn a_kill_while_one_is_removed_leaves_all_of_it_or_nothing() {
    if strace::is_missing() {
        return;
    }
    let (mut kills, mut back, mut gone) = (0, 0, 0);
    for (kind, force) in [("clone", false), ("clone", true), ("worktree", false), ("worktree", true)] {
        let site = Site::new();
        let prepared = || {
            let (id, path) = site.make(kind);
            if force {
                fs::write(path.join("mine"), "mine").unwrap();
            }
            (id, path)
        };
        let args = |id: &str| {
            let flag = force.then(|| "--force".to_owned());
            ["workspace", "remove", id].map(str::to_owned).into_iter().chain(flag).collect::<Vec<String>>()
        };
        let (id, path) = prepared();
        let own = args(&id);
        let (output, calls) = traced(&site.sandbox, None, &own.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(output.status.success(), "{}", describe(&output));
        let place = path.parent().unwrap().to_owned();
        for inject in places(&calls) {
            let (id, path) = prepared();
            let own = args(&id);
            let own: Vec<&str> = own.iter().map(String::as_str).collect();
            let (output, _) = traced(&site.sandbox, Some(&inject), &own);
            let at = format!("{kind} {force} {inject}: {}", describe(&output));
            assert_eq!(output.status.signal(), Some(SIGKILL), "{at}");
            kills += 1;
            site.end();
            let record = site.json(&["workspace", "show", &id, "--json"]);
            match record["state"].as_str().unwrap() {
                "removed" => {
                    gone += 1;
                    assert_eq!(site.left(&place), [""; 0], "{at}");
                    if force {
                        let key = record["rescue"].as_str().unwrap_or_else(|| panic!("{at}: {record}"));
                        let to = site.sandbox.home().join(format!("again-{kills}"));
                        site.sandbox.ok(&["workspace", "restore", key, "--to", to.to_str().unwrap()]);
                        assert_eq!(fs::read_to_string(to.join("mine")).unwrap(), "mine", "{at}");
                    }
                }
                "idle" | "active" => {
                    back += 1;
                    assert!(path.join(".beads/beads.jsonl").exists(), "{at}");
                    assert!(!force || fs::read_to_string(path.join("mine")).unwrap() == "mine", "{at}");
                    site.sandbox.ok(&own);
                    assert_eq!(site.left(&place), [""; 0], "{at}");
                }
                other => panic!("{at}: it is {other}: {record}"),
            }
        }
    }
    println!("removing workspaces: {kills} kills, {back} left all of it, {gone} were ended by gc, 0 anything else");
    assert!(back > 0 && gone > 0);
}

#[test]
fn a_kill_while_one_is_made_leaves_nothing() {
    if strace::is_missing() {
        return;
    }
    let (mut kills, mut ready) = (0, 0);
    for kind in ["clone", "worktree"] {
        let site = Site::new();
        let args = ["workspace", "create", "--kind", kind, "--json"];
        // The first one in a repository does more.
        let (first, _) = site.make(kind);
        site.sandbox.ok(&["workspace", "remove", &first]);
        let (output, calls) = traced(&site.sandbox, None, &args);
        assert!(output.status.success(), "{}", describe(&output));
        let made: Value = serde_json::from_slice(&output.stdout).unwrap();
        let place = Path::new(made["path"].as_str().unwrap()).parent().unwrap().to_owned();
        site.sandbox.ok(&["workspace", "remove", made["id"].as_str().unwrap()]);
        for inject in places(&calls) {
            let (output, _) = traced(&site.sandbox, Some(&inject), &args);
            if output.status.signal() != Some(SIGKILL) {
                // It came out with fewer calls this time.
                assert!(output.status.success(), "{kind} {inject}: {}", describe(&output));
                let made: Value = serde_json::from_slice(&output.stdout).unwrap();
                site.sandbox.ok(&["workspace", "remove", made["id"].as_str().unwrap()]);
                continue;
            }
            kills += 1;
            site.end();
            for record in site.json(&["workspace", "list", "--json"]).as_array().unwrap() {
                // Everything was done but for telling so.
                assert_eq!(record["state"], "active", "{kind} {inject}: {record}");
                ready += 1;
                site.sandbox.ok(&["workspace", "remove", record["id"].as_str().unwrap()]);
            }
            assert_eq!(site.left(&place), [""; 0], "{kind} {inject}");
        }
        let output = site.sandbox.program("git").args(["worktree", "list"]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1, "{}", describe(&output));
    }
    println!("making workspaces: {kills} kills, {ready} were ready, of the others nothing is left");
    assert!(kills > 5);
}
