//! Several repos around the one that commands run in, and the real programs of version control.

use std::path::PathBuf;

use crate::support::harness::{BD, Env, Run, put_file};
use crate::support::ledger::line;

/// Runs a script in the root of the place; it must succeed.
#[track_caller]
pub fn sh(env: &Env, script: &str) -> String {
    let user = env.user().named("Script").with("GIT_CONFIG_COUNT", "1");
    let user = user.with("GIT_CONFIG_KEY_0", "init.defaultBranch").with("GIT_CONFIG_VALUE_0", "main");
    user.sh(&env.root(), script)
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
    ids.iter().map(|id| line(id, &id.to_uppercase())).collect()
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
