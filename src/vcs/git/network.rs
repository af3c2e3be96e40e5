//! Fetching and pushing with the program `git`.
//!
//! Here, and only here, the user's way to a remote counts: the agent, the proxy, the program that asks for a password. The
//! caller has made sure that the repository itself names no such program. Nothing waits for an answer at a terminal.

use std::path::Path;
use std::time::Duration;

use super::commit::{git_for_network, is_locked};
use super::upstream::{self, Link, Remote, short};
use crate::sys::Env;
use crate::sys::process::{Output, Program, RunError};
use crate::vcs::network::passing_git;
use crate::vcs::{Pushed, SyncError};

const LIMIT: Duration = Duration::from_secs(120);

/// Settings that would make a fetch or a push do more than it is asked to.
const SETTINGS: [&str; 4] = ["maintenance.auto=false", "gc.auto=0", "push.gpgSign=false", "submodule.recurse=false"];

pub(super) fn git<'a>(root: &Path, env: &'a Env) -> Program<'a> {
    let program = passing_git(git_for_network(root, env));
    // ssh asks a program for passwords, never the terminal, which it could not read from here.
    let program = program.var("SSH_ASKPASS_REQUIRE", "force").var("GIT_ALLOW_PROTOCOL", "https:ssh:file:git:http");
    SETTINGS.iter().fold(program, |program, setting| program.arg("-c").arg(setting)).limit(LIMIT)
}

pub fn fetch(root: &Path, env: &Env) -> Result<(), SyncError> {
    let Some(remote) = upstream::find(root, env)?.remote else { return Ok(()) };
    let flags = ["fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--end-of-options"];
    let program = git(root, env).args(flags).arg(&remote.name);
    for wait in [50, 150, 400] {
        let output = run(&remote.name, &program)?;
        if output.status.success() {
            return Ok(());
        }
        // Another fetch of the same repository writes the same refs.
        if !is_locked(&output) && !String::from_utf8_lossy(&output.stderr).contains("cannot lock ref") {
            return Err(unreachable(&remote.name, &output));
        }
        std::thread::sleep(Duration::from_millis(wait));
    }
    Err(SyncError::Busy { root: root.to_owned() })
}

pub fn push(root: &Path, env: &Env) -> Result<Pushed, SyncError> {
    let link = upstream::find(root, env)?;
    let Link { branch, ours, remote, pushed_to } = link;
    let Some(branch) = branch else { return Ok(Pushed::Held("no branch is checked out".to_owned())) };
    let Some(remote) = remote else {
        return Ok(Pushed::Held(format!("the branch `{}` follows no branch of a remote", short(&branch))));
    };
    if let Some(other) = pushed_to {
        let text = format!("`{}` follows `{}` and is pushed to `{other}`", short(&branch), remote.shown());
        return Ok(Pushed::Held(text));
    }
    let Some(ours) = ours else { return Ok(Pushed::NothingToPush) };
    let mut flags = vec!["push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"];
    match remote.theirs {
        Some(theirs) => match upstream::distance(root, Some(ours), theirs, env)? {
            (0, _) => return Ok(Pushed::NothingToPush),
            (_, 0) => {}
            _ => return Ok(Pushed::Outrun),
        },
        None => {
            if let Some(reason) = not_first(root, &remote, env)? {
                return Ok(Pushed::Held(reason));
            }
            flags.push("--set-upstream");
        }
    }
    flags.push("--end-of-options");
    let refs = format!("{branch}:{}", remote.branch);
    let output = run(&remote.name, &git(root, env).args(flags).arg(&remote.name).arg(refs))?;
    verdict(&remote.name, &output)
}

/// A branch that the remote is not known to have is sent only if the remote has none at all: otherwise its name is for the
/// user to choose. Says why it is not sent.
fn not_first(root: &Path, remote: &Remote, env: &Env) -> Result<Option<String>, SyncError> {
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

/// A remote that never answers is one that cannot be reached.
pub(super) fn run(remote: &str, program: &Program<'_>) -> Result<Output, SyncError> {
    program.run().map_err(|error| match error {
        RunError::TimedOut { limit, .. } => SyncError::Unreachable {
            remote: remote.to_owned(),
            said: format!("no answer within {} seconds", limit.as_secs()),
        },
        other => other.into(),
    })
}

pub(super) fn unreachable(remote: &str, output: &Output) -> SyncError {
    SyncError::Unreachable { remote: remote.to_owned(), said: said(&output.stderr) }
}

/// What git or the server said, without its advice and without the rest of a long story.
fn said(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with("hint:") && !line.starts_with("To ") && *line != "remote:");
    lines.take(4).collect::<Vec<_>>().join("; ")
}

/// Reasons that mean: somebody else pushed in the meantime, or does so right now.
pub(super) const RACES: [&str; 7] = [
    "fetch first",
    "non-fast-forward",
    "stale info",
    "cannot lock ref",
    "failed to update ref",
    "reference already exists",
    "incorrect old value provided",
];

fn verdict(remote: &str, output: &Output) -> Result<Pushed, SyncError> {
    if output.status.success() {
        return Ok(Pushed::Done);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let Some(line) = text.lines().find_map(|line| line.strip_prefix("!\t")) else {
        return Err(unreachable(remote, output));
    };
    let summary = line.rsplit('\t').next().unwrap_or(line);
    if RACES.iter().any(|race| summary.contains(race)) {
        return Ok(Pushed::Outrun);
    }
    Err(refused(remote, summary, output))
}

/// The server said no, and perhaps why.
pub(super) fn refused(remote: &str, summary: &str, output: &Output) -> SyncError {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let words: String = stderr.lines().filter(|line| line.starts_with("remote:")).map(|l| format!("{l}\n")).collect();
    let words = said(words.as_bytes());
    let said = if words.is_empty() { summary.to_owned() } else { format!("{summary}; {words}") };
    SyncError::Refused { remote: remote.to_owned(), said }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_that_never_answers() {
        let env = Env::process();
        let program = Program::new("sleep", &env).arg("10").limit(Duration::from_millis(50));
        let error = run("origin", &program).unwrap_err();
        assert_eq!(error.to_string(), "cannot reach origin: no answer within 0 seconds");
    }

    #[test]
    fn advice_and_empty_lines_are_left_out() {
        let stderr = b"To ../server\nremote: \nremote: main is protected\nhint: try again\n\nerror: failed\n";
        assert_eq!(said(stderr), "remote: main is protected; error: failed");
    }
}
