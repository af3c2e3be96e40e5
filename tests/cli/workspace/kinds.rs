//! Workspaces of repositories under other version control, or under none: looked at and removed like those of git.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::workspace::workspaces::text;
use crate::support::checkouts::bd;
use crate::support::harness::Env;
use crate::support::programs::have;

struct Site {
    env: Env,
}

impl Site {
    /// A repo with a ledger, made by a script; `None`, with a word about it, if a program is missing.
    fn new(programs: &[&str], script: &str) -> Option<Self> {
        let env = Env::new();
        // hg takes half a minute for them.
        if !have(programs) {
            return None;
        }
        env.given("add Base --id bd-base");
        let site = Site { env };
        fs::write(site.web().join("file"), "one\n").unwrap();
        site.sh(&site.web(), script);
        Some(site)
    }

    fn web(&self) -> PathBuf {
        self.env.root().join("web")
    }

    fn sh(&self, place: &Path, script: &str) {
        self.env.user().named("Ann").sh(place, script);
    }

    fn make(&self, line: &str) -> (String, PathBuf) {
        let made = bd(&self.env, &self.web(), format!("workspace create --json {line}").trim_end(), &[]).ok().json();
        (text(&made, "id"), PathBuf::from(text(&made, "path")))
    }

    fn refused(&self, id: &str, kinds: &[&str]) {
        let run = bd(&self.env, &self.web(), &format!("workspace remove {id} --json"), &[]).fails(8, &[]);
        assert_eq!(run.error()["kinds"], serde_json::json!(kinds), "{}", run.stderr);
    }

    fn goes(&self, id: &str, path: &Path, line: &str) -> serde_json::Value {
        let line = format!("workspace remove {id} --json {line}");
        let answer = bd(&self.env, &self.web(), line.trim_end(), &[]).ok().json();
        assert!(!path.exists(), "{answer}");
        answer
    }

    /// By force its files are kept, and come back.
    fn by_force(&self, id: &str, path: &Path) {
        fs::write(path.join("mine"), "mine").unwrap();
        let answer = self.goes(id, path, "--force");
        let to = self.env.root().join(format!("again-{id}"));
        let line = format!("workspace restore {} --to '{}'", text(&answer["kept"], "id"), to.display());
        bd(&self.env, &self.web(), &line, &[]).ok();
        assert_eq!(fs::read_to_string(to.join("mine")).unwrap(), "mine");
        assert_eq!(fs::read_to_string(to.join("file")).unwrap(), fs::read_to_string(self.web().join("file")).unwrap());
    }
}

#[test]
fn clones_and_shares_of_hg() {
    let Some(site) = Site::new(&["hg"], "hg init; hg add -q; hg commit -m one") else { return };
    for kind in ["clone", "worktree"] {
        let (id, path) = site.make(&format!("--kind {kind}"));
        fs::write(path.join("mine"), "mine").unwrap();
        site.refused(&id, &["untracked"]);
        site.sh(&path, "hg add mine; hg commit -m mine");
        site.refused(&id, &["unpushed"]);
        if kind == "clone" {
            let force = format!("workspace remove {id} --force");
            bd(&site.env, &site.web(), &force, &[]).fails(8, &["commits of a clone are not kept"]);
            site.sh(&site.web(), &format!("hg pull -q '{}'", path.display()));
            site.goes(&id, &path, "");
        }
        let (id, path) = site.make(&format!("--kind {kind}"));
        site.by_force(&id, &path);
    }
}

#[test]
fn clones_and_workspaces_of_jj() {
    let init = "jj git init --colocate; jj commit -m one; jj bookmark create main -r @-";
    let Some(site) = Site::new(&["git", "jj"], init) else { return };
    for kind in ["clone", "worktree"] {
        let (id, path) = site.make(&format!("--kind {kind} --base main"));
        site.goes(&id, &path, "");
        let (id, path) = site.make(&format!("--kind {kind} --base main"));
        fs::write(path.join("new"), "new").unwrap();
        let run = bd(&site.env, &site.web(), &format!("workspace remove {id} --json"), &[]).fails(8, &[]);
        assert!(run.error()["kinds"].as_array().unwrap().contains(&"changed".into()), "{}", run.stderr);
        site.by_force(&id, &path);
    }
}

#[test]
fn an_untouched_workspace_of_jj_without_bookmarks_goes() {
    let init = "jj git init --colocate; jj commit -m one; jj commit -m two";
    let Some(site) = Site::new(&["git", "jj"], init) else { return };
    let (id, path) = site.make("--kind worktree");
    site.goes(&id, &path, "");
    // A change with a description is someone's work, even without files.
    let (id, path) = site.make("--kind worktree");
    site.sh(&path, "jj describe -m decision");
    site.refused(&id, &["unpushed"]);
}

#[test]
fn nothing_comes_home_from_one_that_stays() {
    let Some(site) = Site::new(&["hg"], "hg init; hg add; hg commit -m one") else { return };
    let (id, path) = site.make("");
    site.sh(&path, "echo two >> file; hg commit -m two");
    bd(&site.env, &path, "label add bd-base there", &[]).ok();
    let home = fs::read(site.web().join(".beads/beads.jsonl")).unwrap();
    bd(&site.env, &site.web(), &format!("workspace remove {id} --force"), &[]).fails(8, &[]);
    assert_eq!(fs::read(site.web().join(".beads/beads.jsonl")).unwrap(), home);
    assert!(path.exists());
}

#[test]
fn what_a_job_says_in_a_copy_without_version_control_comes_home() {
    let Some(site) = Site::new(&[], "true") else { return };
    let run = ["run", "--issue", "bd-base", "--workspace", "--", "sh", "-c", "bd close $BD_ISSUE"];
    let mut command = site.env.bd_command(crate::support::harness::BD);
    let bin = Path::new(crate::support::harness::BD).parent().unwrap().display().to_string();
    command.current_dir(site.web()).args(run).env("PATH", format!("{bin}:/usr/bin:/bin"));
    site.env.run(command, "bd run".to_owned(), None).ok();
    let status = || bd(&site.env, &site.web(), "show bd-base --json", &[]).ok().json()[0]["status"].clone();
    assert_eq!(status(), "closed");
    // By force, too; and what was said at home since stays.
    let (id, path) = site.make("--new");
    bd(&site.env, &path, "label add bd-base there", &[]).ok();
    bd(&site.env, &site.web(), "label add bd-base here", &[]).ok();
    let answer = site.goes(&id, &path, "--force");
    assert_eq!(answer["brought"], serde_json::json!(["bd-base"]));
    let labels = bd(&site.env, &site.web(), "show bd-base --json", &[]).ok().json()[0]["labels"].clone();
    assert_eq!(labels, serde_json::json!(["here", "there"]));
    assert_eq!(status(), "closed");
}

#[test]
fn copies_without_version_control() {
    let Some(site) = Site::new(&[], "true") else { return };
    let (id, path) = site.make("");
    site.refused(&id, &["unknown"]);
    site.by_force(&id, &path);
}
