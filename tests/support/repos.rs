//! Several repos around the one that commands run in, and the real programs of version control.

use std::path::PathBuf;

use crate::support::harness::{BD, Env, Run, put_file};
use crate::support::programs::quick_hg;

/// Runs a script in the root of the place; it must succeed.
#[track_caller]
pub fn sh(env: &Env, script: &str) -> String {
    let mut command = env.command("sh");
    command.args(["-e", "-c", script]).current_dir(env.root());
    for (name, value) in [("NAME", "Script"), ("EMAIL", "script@example.org")] {
        command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    command.env("HGUSER", "Script").env("JJ_USER", "Script").env("JJ_EMAIL", "script@example.org");
    command
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "init.defaultBranch")
        .env("GIT_CONFIG_VALUE_0", "main");
    command.env("LC_ALL", "C.UTF-8").env("HGPLAIN", "1");
    quick_hg(&mut command);
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script}\n{out}\n{err}");
    out.into_owned()
}

/// `bd` in a directory below the root.
pub fn bd_in<S: AsRef<str>>(env: &Env, below: &str, args: impl IntoIterator<Item = S>) -> Run {
    let args: Vec<String> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
    let mut command = env.bd_command(BD);
    command.args(&args).current_dir(env.root().join(below));
    env.run(command, format!("bd {}", args.join(" ")), None)
}

/// A repo of its own, without version control, below the root.
pub fn repo(env: &Env, below: &str, prefix: &str) {
    std::fs::create_dir_all(env.root().join(below)).unwrap();
    bd_in(env, below, ["init", "--here", "--quiet", "--prefix", prefix]).ok();
}

pub fn ledger_path(env: &Env, below: &str) -> PathBuf {
    env.root().join(below).join(".beads/beads.jsonl")
}

/// The ledger of the repo below the root.
pub fn ledger(env: &Env, below: &str) -> String {
    std::fs::read_to_string(ledger_path(env, below)).unwrap()
}

/// Gives a repo a ledger with open issues of these ids; the title is the id in capitals.
pub fn put_issues(env: &Env, below: &str, ids: &[&str]) {
    put_file(&ledger_path(env, below), issues(ids).as_bytes());
}

pub fn issues(ids: &[&str]) -> String {
    let line = |id: &&str| {
        let title = id.to_uppercase();
        format!(
            "{{\"id\":\"{id}\",\"title\":\"{title}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-01-02T09:00:00Z\",\"updated_at\":\"2026-01-02T09:00:00Z\"}}\n"
        )
    };
    ids.iter().map(line).collect()
}

/// A project with one issue and a joined repo `~/plan` with another; no version control, roles not in use.
pub fn joined() -> Env {
    let env = Env::new();
    repo(&env, "home/plan", "plan");
    put_issues(&env, "web", &["bd-own"]);
    put_issues(&env, "home/plan", &["plan-far"]);
    env.given("config --add-repo ~/plan");
    env
}

/// The same, seen by a contributor: new issues go to `~/plan`.
pub fn contributing() -> Env {
    let env = joined();
    env.given("config --routing contributor");
    env
}
