//! Fetches and pushes with the program `git`.
//!
//! Only here the user's means of access to a remote apply: the agent, the proxy, the program that asks for a password.
//! The caller has checked that the repository itself names no such program. Nothing waits for an answer on a terminal.
//! Hooks run only when commits with code are sent, since judging code is their purpose.

use std::path::Path;
use std::time::Duration;

use super::commit::{git_for_network, is_locked};
use super::hooks::set_local;
use super::upstream::{self, Link, Remote, short};
use crate::sys::Env;
use crate::sys::process::{Output, Program, RunError};
use crate::vcs::network::passing_git;
use crate::vcs::{Parcel, Pushed, Route, SyncError};

const LIMIT: Duration = Duration::from_secs(120);
/// A hook may run the tests of a project.
const HOOKS: Duration = Duration::from_secs(3600);

/// Settings that would make a fetch or a push do more than requested.
const SETTINGS: [&str; 4] = ["maintenance.auto=false", "gc.auto=0", "push.gpgSign=false", "submodule.recurse=false"];

pub(super) fn git<'a>(root: &Path, env: &'a Env) -> Program<'a> {
    git_at(root, None, env)
}

pub(super) fn git_at<'a>(root: &Path, git_dir: Option<&Path>, env: &'a Env) -> Program<'a> {
    prepared(git_for_network(root, git_dir, env, false))
}

/// The same, with the hooks of the repository, which the user has agreed to.
fn git_running_hooks<'a>(root: &Path, env: &'a Env) -> Program<'a> {
    prepared(git_for_network(root, None, env, true)).limit(HOOKS)
}

fn prepared(program: Program<'_>) -> Program<'_> {
    let program = passing_git(program);
    // ssh asks a program for passwords, never the terminal, which it could not read from here.
    let program = program.var("SSH_ASKPASS_REQUIRE", "force").var("GIT_ALLOW_PROTOCOL", "https:ssh:file:git:http");
    SETTINGS.iter().fold(program, |program, setting| program.arg("-c").arg(setting)).limit(LIMIT)
}

pub(super) fn fetch(root: &Path, env: &Env) -> Result<(), SyncError> {
    match upstream::find(root, env)?.remote {
        Some(remote) => fetch_all(root, &remote.name, env),
        None => Ok(()),
    }
}

/// Fetches a remote that the branch does not follow. Its default branch may have another name than before.
pub(super) fn fetch_from(root: &Path, remote: &str, env: &Env) -> Result<(), SyncError> {
    fetch_all(root, remote, env)?;
    // A remote whose default branch is not fetched here has none.
    run(remote, &git(root, env).args(["remote", "set-head", "--auto"]).arg(remote))?;
    Ok(())
}

fn fetch_all(root: &Path, remote: &str, env: &Env) -> Result<(), SyncError> {
    let flags = ["fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--end-of-options"];
    let program = git(root, env).args(flags).arg(remote);
    for wait in [50, 150, 400] {
        let output = run(remote, &program)?;
        if output.status.success() {
            return Ok(());
        }
        // Another fetch in the same repository writes the same refs.
        if !is_locked(&output) && !String::from_utf8_lossy(&output.stderr).contains("cannot lock ref") {
            return Err(unreachable(remote, &output));
        }
        std::thread::sleep(Duration::from_millis(wait));
    }
    Err(SyncError::Busy { root: root.to_owned() })
}

pub(super) const NOT_AN_ADDRESS: &str = "not an address of git";

/// An address that git would take for an option, or for the name of a helper program.
pub(super) fn is_odd(address: &str) -> bool {
    address.is_empty() || address.starts_with('-') || address.contains("::") || address.chars().any(char::is_control)
}

/// Clones a repository. Helpers of git that an address could name are not allowed, and no hooks or submodules come with it.
pub fn clone(address: &str, path: &Path, env: &Env) -> Result<(), SyncError> {
    if is_odd(address) {
        return Err(SyncError::Unreachable { remote: address.to_owned(), printed: NOT_AN_ADDRESS.to_owned() });
    }
    let above = path.parent().unwrap_or(path);
    let flags = ["clone", "--quiet", "--template=", "--no-recurse-submodules", "--end-of-options"];
    let program = git(above, env).args(flags).arg(address).arg(path).limit(HOOKS);
    let output = run(address, &program)?;
    if output.status.success() { Ok(()) } else { Err(unreachable(address, &output)) }
}

/// Pushes commits to the upstream of the checked-out branch, setting it first if necessary.
pub(super) fn push(root: &Path, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed, SyncError> {
    let env = route.env;
    let Link { branch, ours, remote, .. } = upstream::find(root, env)?;
    let (Some(branch), Some(remote)) = (branch, remote) else { return Ok(Pushed::NothingToPush) };
    if route.with_code && ours.map(|ours| ours.to_string()).as_ref() != Some(&parcel.tip) {
        // The branch is pushed by name, and a commit was added since its commits were checked.
        return Ok(Pushed::Outrun);
    }
    let flags = ["push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"];
    // A hook expects the name of a branch.
    let (program, source) = if route.with_code {
        (git_running_hooks(root, env).args(flags), branch.as_str())
    } else {
        (git(root, env).args(flags).arg("--no-verify"), parcel.tip.as_str())
    };
    let refs = format!("{source}:{}", remote.branch);
    let output = run(&remote.name, &program.arg("--end-of-options").arg(&remote.name).arg(refs))?;
    let done = verdict(&remote.name, &output, route.with_code)?;
    if done == Pushed::Done && !remote.followed {
        follow(root, &branch, &remote, env)?;
    }
    Ok(done)
}

/// Makes a branch track the one that it was just pushed to.
fn follow(root: &Path, branch: &str, remote: &Remote, env: &Env) -> Result<(), SyncError> {
    for (key, value) in [("remote", &remote.name), ("merge", &remote.branch)] {
        set_local(root, &format!("branch.{}.{key}", short(branch)), Some(value), env)?;
    }
    Ok(())
}

/// A branch that is not known to exist on the remote is pushed only if the remote has no branches at all: otherwise the
/// user chooses its name. Returns the reason for not pushing.
pub(super) fn not_first(root: &Path, remote: &Remote, env: &Env) -> Result<Option<String>, SyncError> {
    let flags = ["ls-remote", "--quiet", "--heads", "--end-of-options"];
    let output = run(&remote.name, &git(root, env).args(flags).arg(&remote.name))?;
    if !output.status.success() {
        return Err(unreachable(&remote.name, &output));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let heads: Vec<&str> = text.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    let (name, branch) = (&remote.name, short(&remote.branch));
    if heads.is_empty() {
        return Ok(None);
    }
    Ok(Some(if heads.contains(&remote.branch.as_str()) && !remote.followed {
        format!(
            "`{name}` has a branch `{branch}`, but this one does not follow it; git branch --set-upstream-to says so"
        )
    } else if heads.contains(&remote.branch.as_str()) {
        format!("`{name}` has a branch `{branch}` that is not fetched here")
    } else {
        format!("`{name}` has no branch `{branch}` yet; push it once with git")
    }))
}

/// A remote that does not answer counts as unreachable.
pub(super) fn run(remote: &str, program: &Program<'_>) -> Result<Output, SyncError> {
    program.run().map_err(|error| match error {
        RunError::TimedOut { limit, .. } => SyncError::Unreachable {
            remote: remote.to_owned(),
            printed: format!("no answer within {} seconds", limit.as_secs()),
        },
        other => other.into(),
    })
}

pub(super) fn unreachable(remote: &str, output: &Output) -> SyncError {
    SyncError::Unreachable { remote: remote.to_owned(), printed: printed(&output.stderr) }
}

/// The message of git or the server, without advice, shortened.
fn printed(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with("hint:") && !line.starts_with("To ") && *line != "remote:");
    lines.take(4).collect::<Vec<_>>().join("; ")
}

/// Messages of a server that cannot store anything at the moment.
const FAULTS: [&str; 4] = ["unpacker error", "missing necessary objects", "migrate objects", "failed to write"];

/// Messages that mean a concurrent push.
pub(super) const RACES: [&str; 7] = [
    "fetch first",
    "non-fast-forward",
    "stale info",
    "cannot lock ref",
    "failed to update ref",
    "reference already exists",
    "incorrect old value provided",
];

fn verdict(remote: &str, output: &Output, with_hooks: bool) -> Result<Pushed, SyncError> {
    if output.status.success() {
        return Ok(Pushed::Done);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(line) = text.lines().find_map(|line| line.strip_prefix("!\t")) else {
        // The remote was reached, but a hook here refused.
        if with_hooks && String::from_utf8_lossy(&output.stderr).contains("failed to push some refs") {
            return Err(SyncError::HookRefused { printed: printed(&output.stderr) });
        }
        return Err(unreachable(remote, output));
    };
    let summary = line.rsplit('\t').next().unwrap_or(line);
    if RACES.iter().any(|race| summary.contains(race)) {
        return Ok(Pushed::Outrun);
    }
    Err(refused(remote, summary, output))
}

/// The server refused, perhaps with a reason.
pub(super) fn refused(remote: &str, summary: &str, output: &Output) -> SyncError {
    if FAULTS.iter().any(|fault| summary.contains(fault)) {
        return unreachable(remote, output);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let words: String = stderr.lines().filter(|line| line.starts_with("remote:")).map(|l| format!("{l}\n")).collect();
    let words = printed(words.as_bytes());
    let printed = if words.is_empty() { summary.to_owned() } else { format!("{summary}; {words}") };
    SyncError::Refused { remote: remote.to_owned(), printed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::process::Clearance;

    #[test]
    fn a_remote_that_never_answers() {
        let env = Env::process();
        let program = Program::new("sleep", &env, Clearance::given()).arg("10").limit(Duration::from_millis(50));
        let error = run("origin", &program).unwrap_err();
        assert_eq!(error.to_string(), "cannot reach origin: no answer within 0 seconds");
    }

    #[test]
    fn advice_and_empty_lines_are_left_out() {
        let stderr = b"To ../server\nremote: \nremote: main is protected\nhint: try again\n\nerror: failed\n";
        assert_eq!(printed(stderr), "remote: main is protected; error: failed");
    }
}
