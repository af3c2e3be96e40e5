//! Fetching and pushing.

use super::bookmark::{self, Bookmark, Course};
use super::program::{Operation, Repo, error, quoted};
use crate::sys::process::Output;
use crate::vcs::{Pushed, SyncError};

/// Commits that are not ours to publish: they change more than ledgers, or nothing.
const FOREIGN: &str = "(files(~root-glob:\"**/.beads/**\") | (empty() ~ merges()))";

/// What the programs say when there is nobody at the other end, or nobody who lets us in.
const UNREACHABLE: [&str; 8] = [
    "Could not find repository",
    "External git program failed",
    "unable to access",
    "Could not read from remote",
    "Could not resolve host",
    "unable to connect",
    "Authentication failed",
    "terminal prompts disabled",
];

/// Gets the remote's commits. Neither files nor commits of ours change: what the remote gave up is kept here.
pub fn fetch(repo: &Repo) -> Result<(), SyncError> {
    let Some(remote) = bookmark::remote(repo) else { return Ok(()) };
    let pattern = format!("--remote=exact:{}", quoted(&remote));
    let command = ["git", "fetch", "--config=git.abandon-unreachable-commits=false", &pattern];
    let output = repo.exchange(None, &command)?;
    if output.status.success() { Ok(()) } else { Err(failure(&command, &output, &remote)) }
}

/// Sends those of our commits, from the bottom up, that hold ledgers alone or that the user has moved the bookmark over.
pub fn push(repo: &Repo) -> Result<Pushed, SyncError> {
    let Course { remote, bookmark: found, local, fresh } = bookmark::course(repo, None)?;
    let Some(remote) = remote else {
        return Ok(held("there is no remote called origin, nor a single one of another name"));
    };
    let Some(found) = found else {
        return if fresh {
            first(repo, &remote, local)
        } else {
            Ok(held(&format!("no bookmark of {remote} is meant")))
        };
    };
    let (upstream, there) = (found.upstream(), &found.there);
    if bookmark::is_rewritten(repo, None, &found)? {
        return Ok(held(&format!("{} was rewritten here; push it with jj", found.name)));
    }
    if repo.count(None, &format!("@..{there}"))? > 0 {
        return Ok(Pushed::Outrun);
    }
    let ours = format!("({there}..@-)");
    let given = format!("::({})", set(&found.here));
    let free = repo.ids(None, &format!("heads({ours} ~ (({ours} & {FOREIGN}) ~ {given})::) & {there}::"))?;
    let target = match free.as_slice() {
        [target] => target,
        [] if repo.count(None, &format!("{ours} & files(root-glob:\"**/.beads/**\")"))? == 0 => {
            return Ok(Pushed::NothingToPush);
        }
        _ => {
            let why = "changes other than the ledger stand between";
            let way = "move the bookmark and push it with jj";
            return Ok(held(&format!("{why} {upstream} and the ledger's commit; {way}")));
        }
    };
    if repo.count(None, &format!("({}) ~ ::{target}", set(&found.here)))? > 0 {
        return Ok(held(&format!("{} stands above the ledger's commit; push it with jj", found.name)));
    }
    let start = repo.newest()?;
    let start = if found.tracked { start } else { track(repo, &start, &found)? };
    send(repo, &start, &found.name, &remote, target)
}

/// To a remote that holds nothing yet.
fn first(repo: &Repo, remote: &str, local: Option<String>) -> Result<Pushed, SyncError> {
    let [target] = repo.ids(None, "@- ~ root()")?.try_into().unwrap_or_default();
    let target: String = target;
    if target.is_empty() {
        return Ok(Pushed::NothingToPush);
    }
    let name = local.as_deref().unwrap_or("main");
    send(repo, &repo.newest()?, name, remote, &target)
}

/// Moves the bookmark and pushes it. If it cannot be pushed, it was never moved.
fn send(repo: &Repo, start: &Operation, name: &str, remote: &str, target: &str) -> Result<Pushed, SyncError> {
    let moved = repo.change(start, &["bookmark", "set", &format!("--revision={target}"), "--", name])?;
    let pattern = format!("--bookmark=exact:{}", quoted(name));
    let command = ["git", "push", &format!("--remote={remote}"), &pattern];
    let output = repo.exchange(Some(&moved), &command)?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(if said.contains("Nothing changed") { Pushed::NothingToPush } else { Pushed::Done });
    }
    if said.contains("unexpectedly moved") || said.contains("stale info") {
        return Ok(Pushed::Outrun);
    }
    match said.lines().find(|line| line.starts_with("Error: Won't push")) {
        Some(line) => Ok(held(line.trim_start_matches("Error: "))),
        None => Err(failure(&command, &output, remote)),
    }
}

/// A bookmark that does not follow the remote's yet must do so to be pushed.
fn track(repo: &Repo, start: &Operation, found: &Bookmark) -> Result<Operation, SyncError> {
    let remote = format!("--remote=exact:{}", quoted(&found.remote));
    repo.change(start, &["bookmark", "track", &remote, "--", &found.pattern()])
}

fn set(ids: &[String]) -> String {
    if ids.is_empty() { "none()".to_owned() } else { ids.join("|") }
}

fn held(why: &str) -> Pushed {
    Pushed::Held(why.to_owned())
}

fn failure(command: &[&str], output: &Output, remote: &str) -> SyncError {
    let text = String::from_utf8_lossy(&output.stderr);
    let dull = ["Changes to push", "bookmark: ", "Hint: "];
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !dull.iter().any(|d| line.starts_with(d)));
    let said = lines.take(4).collect::<Vec<_>>().join("; ");
    let remote = remote.to_owned();
    if text.contains("remote rejected") {
        SyncError::Refused { remote, said }
    } else if UNREACHABLE.iter().any(|sign| text.contains(sign)) {
        SyncError::Unreachable { remote, said }
    } else {
        error(command, output)
    }
}
