//! SIGKILL at every step of a landing: the next one goes on, nothing is lost or lands twice, and what fails its check is
//! never in the branch.

use std::collections::HashMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Output;

use serde_json::Value;

use crate::concurrency::sandbox::{Sandbox, describe};
use crate::support::effort::pick;
use crate::support::user::BD;
use crate::trace::strace;

const SIGKILL: i32 = 9;
/// The calls that change something on the disk, and the starts of programs.
const CALLS: &str = "trace=rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,linkat,execve";
const CHECK: &str = "test ! -e bad.txt";

/// One issue lands, one conflicts with it, one fails the check, and one waits for the first.
struct Site {
    sandbox: Sandbox,
}

impl Site {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.git(&["config", "user.name", "ann"]);
        sandbox.git(&["config", "user.email", "ann@example.org"]);
        for id in ["good", "clash", "bad", "late"] {
            sandbox.ok(&["add", id, "--id", &format!("bd-{id}")]);
        }
        sandbox.ok(&["dep", "add", "bd-late", "bd-good", "--type", "blocks"]);
        fs::write(sandbox.repo().join("a.txt"), "a\n").unwrap();
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-qm", "issues"]);
        sandbox.ok(&["config", "set", "--personal", "land.check", CHECK]);
        let site = Site { sandbox };
        site.job("good", "echo good > a.txt");
        site.job("clash", "echo clash > a.txt");
        site.job("bad", "echo bad > bad.txt");
        site.job("late", "echo late > late.txt");
        site
    }

    fn job(&self, id: &str, work: &str) {
        let script = format!("{work}; git add -A; git commit -qm {id}; '{BD}' close --force bd-{id}");
        self.sandbox.ok(&["run", &format!("bd-{id}"), "--workspace", "--fresh", "--", "sh", "-ec", &script]);
    }

    fn land(&self, inject: Option<&str>) -> (Output, Vec<String>) {
        let log = tempfile::NamedTempFile::new_in(self.sandbox.home()).unwrap();
        let mut command = self.sandbox.program("strace");
        command.args(["-e", CALLS, "-o"]).arg(log.path());
        if let Some(inject) = inject {
            command.args(["-e", inject]);
        }
        let output = command.arg(BD).args(["land", "--keep-going", "--json"]).output().unwrap();
        let text = fs::read_to_string(log.path()).unwrap();
        let names = text.lines().filter_map(|line| line.split_once('(')).map(|(name, _)| name.to_owned());
        (output, names.filter(|name| name.bytes().all(|b| b.is_ascii_alphanumeric())).collect())
    }

    fn issue(&self, id: &str) -> Value {
        let shown: Value = serde_json::from_str(&self.sandbox.ok(&["show", &format!("bd-{id}"), "--json"])).unwrap();
        shown[0].clone()
    }

    /// What must hold in the end, whatever was killed before.
    fn check(&self, at: &str) {
        let root = self.sandbox.repo();
        for id in ["good", "late"] {
            assert_eq!(self.issue(id)["status"], "closed", "{at}: {id}");
        }
        assert_eq!(fs::read_to_string(root.join("a.txt")).unwrap(), "good\n", "{at}");
        assert!(root.join("late.txt").exists(), "{at}");
        for id in ["clash", "bad"] {
            let issue = self.issue(id);
            assert_eq!(issue["status"], "open", "{at}: {issue}");
            let said = issue["comments"].as_array().unwrap_or_else(|| panic!("{at}: {issue}"));
            assert_eq!(said.len(), 1, "{at}: {issue}");
            assert!(said[0]["text"].as_str().unwrap().starts_with("Not landed: "), "{at}: {issue}");
        }
        let ready: Value = serde_json::from_str(&self.sandbox.ok(&["ready", "--json"])).unwrap();
        let ready: Vec<&str> = ready.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
        assert!(ready.contains(&"bd-clash") && ready.contains(&"bd-bad"), "{at}: {ready:?}");
        assert_eq!(self.sandbox.git_in(&root, &["worktree", "list"]).lines().count(), 1, "{at}");
        assert_eq!(self.sandbox.git_in(&root, &["status", "--short"]), "", "{at}");
        // No commit of the branch itself has what fails the check, and each work is merged once.
        let log = self.sandbox.git_in(&root, &["log", "--first-parent", "--name-only", "--format=", "-m"]);
        assert!(!log.contains("bad.txt"), "{at}: {log}");
        let merges = self.sandbox.git_in(&root, &["log", "--format=%s"]);
        for id in ["good", "late"] {
            assert_eq!(merges.lines().filter(|line| *line == id).count(), 1, "{at}: {merges}");
        }
    }
}

/// Each call as a place to kill at; in the short form only some of them.
fn places(calls: &[String]) -> Vec<String> {
    let mut seen = HashMap::new();
    let all: Vec<String> = calls
        .iter()
        .map(|name| {
            let nth = seen.entry(name.clone()).and_modify(|n| *n += 1).or_insert(1);
            format!("inject={name}:signal=KILL:when={nth}")
        })
        .filter(|place| place != "inject=execve:signal=KILL:when=1")
        .collect();
    let step = pick(all.len().div_ceil(3), all.len().div_ceil(8), 1);
    all.into_iter().step_by(step).collect()
}

#[test]
fn a_kill_while_work_lands() {
    if strace::is_missing() {
        return;
    }
    let site = Site::new();
    let (output, calls) = site.land(None);
    assert_eq!(output.status.code(), Some(1), "{}", describe(&output));
    site.check("without a kill");
    let (mut kills, mut whole) = (0, 0);
    for inject in places(&calls) {
        let site = Site::new();
        let (output, _) = site.land(Some(&inject));
        match output.status.signal() {
            Some(SIGKILL) => kills += 1,
            _ => whole += 1,
        }
        let again = site.sandbox.run(&["land", "--keep-going", "--json"]);
        assert!(matches!(again.status.code(), Some(0 | 1)), "{inject}: {}", describe(&again));
        site.check(&inject);
    }
    println!(
        "landings: {} calls; {kills} kills at a step, {whole} ended before it; nothing lost, nothing twice",
        calls.len()
    );
    assert!(kills > 1);
}
