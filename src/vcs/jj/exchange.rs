//! Fetches and pushes.

use super::bookmark::{self, Bookmark, Course};
use super::program::{Operation, Repo, error, quoted};
use crate::sys::process::Output;
use crate::vcs::{Parcel, Pushed, SyncError, Unpushable};

/// The bookmark to create on an empty remote if there is no local one.
pub(super) const USUAL: &str = "main";

/// The description of a ledger commit without one.
const BLANK: &str = "--message=update the ledger";

/// Messages for an unreachable server, or one that denies access.
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

/// Fetches the remote's commits. Neither our files nor our commits change: commits that the remote abandoned are kept
/// here.
pub(super) fn fetch(repo: &Repo) -> Result<(), SyncError> {
    bookmark::remote(repo).map_or(Ok(()), |remote| fetch_from(repo, &remote))
}

pub(super) fn fetch_from(repo: &Repo, remote: &str) -> Result<(), SyncError> {
    let pattern = format!("--remote=exact:{}", quoted(remote));
    let command = ["git", "fetch", "--config=git.abandon-unreachable-commits=false", &pattern];
    let output = repo.exchange(None, &command)?;
    if output.status.success() { Ok(()) } else { Err(failure(&command, &output, remote)) }
}

/// Moves the bookmark to commits, here and on the remote.
pub(super) fn push(repo: &Repo, named: Option<&str>, parcel: &Parcel) -> Result<Pushed, SyncError> {
    let Course { remote, bookmark: found, local, .. } = bookmark::course(repo, None, named)?;
    let Some(remote) = remote else { return Ok(Pushed::NothingToPush) };
    let newest = repo.newest()?;
    let (start, tip) = describe(repo, &newest, parcel)?;
    let is_rewritten = tip != parcel.tip;
    let pushed = match found {
        Some(found) => {
            let start = if found.tracked { start } else { track(repo, &start, &found)? };
            send(repo, &start, &found.name, &remote, &tip)
        }
        None => send(repo, &start, local.as_deref().unwrap_or(USUAL), &remote, &tip),
    };
    if is_rewritten && pushed.is_ok() {
        repo.catch_up()?;
    }
    pushed
}

/// Describes commits that only change the ledger and have no description, since jj does not push those: `jj new`
/// creates such commits. Returns the last commit to push afterwards.
fn describe(repo: &Repo, start: &Operation, parcel: &Parcel) -> Result<(Operation, String), SyncError> {
    let blank: Vec<&str> = parcel
        .commits
        .iter()
        .filter(|one| one.subject.is_empty() && !one.has_code)
        .map(|one| one.id.as_str())
        .collect();
    let unchanged = || (start.clone(), parcel.tip.clone());
    if blank.is_empty() {
        return Ok(unchanged());
    }
    let blank = repo.ids(Some(start), &format!("({}) & description(exact:\"\")", blank.join("|")))?;
    if blank.is_empty() {
        return Ok(unchanged());
    }
    let change = repo.log(Some(start), &parcel.tip, "change_id")?;
    let command: Vec<&str> = ["describe", BLANK].into_iter().chain(blank.iter().map(String::as_str)).collect();
    let described = repo.change(start, &command)?;
    let tip = repo.ids(Some(&described), &change)?.pop().unwrap_or_else(|| parcel.tip.clone());
    Ok((described, tip))
}

/// Moves the bookmark and pushes it. If the push fails, the bookmark stays.
fn send(repo: &Repo, start: &Operation, name: &str, remote: &str, target: &str) -> Result<Pushed, SyncError> {
    let moved = repo.change(start, &["bookmark", "set", &format!("--revision={target}"), "--", name])?;
    let pattern = format!("--bookmark=exact:{}", quoted(name));
    let command = ["git", "push", &format!("--remote={remote}"), &pattern];
    let output = repo.exchange(Some(&moved), &command)?;
    let printed = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(if printed.contains("Nothing changed") { Pushed::NothingToPush } else { Pushed::Done });
    }
    if printed.contains("unexpectedly moved") || printed.contains("stale info") {
        return Ok(Pushed::Outrun);
    }
    match printed.lines().find_map(|line| line.strip_prefix("Error: Won't push ")) {
        Some(what) => Err(SyncError::Unfit { what: what.to_owned(), why: unpushable(what) }),
        None => Err(failure(&command, &output, remote)),
    }
}

/// The reason, as jj says it.
fn unpushable(what: &str) -> Unpushable {
    match what {
        _ if what.contains("conflict") => Unpushable::Conflict,
        _ if what.contains("description") => Unpushable::NoDescription,
        _ => Unpushable::Other,
    }
}

/// A bookmark must track the remote's to be pushed.
fn track(repo: &Repo, start: &Operation, found: &Bookmark) -> Result<Operation, SyncError> {
    let remote = format!("--remote=exact:{}", quoted(&found.remote));
    repo.change(start, &["bookmark", "track", &remote, "--", &found.pattern()])
}

fn failure(command: &[&str], output: &Output, remote: &str) -> SyncError {
    let text = String::from_utf8_lossy(&output.stderr);
    let dull = ["Changes to push", "bookmark: ", "Hint: "];
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !dull.iter().any(|d| line.starts_with(d)));
    let printed = lines.take(4).collect::<Vec<_>>().join("; ");
    let remote = remote.to_owned();
    if text.contains("remote rejected") {
        SyncError::Refused { remote, printed }
    } else if UNREACHABLE.iter().any(|sign| text.contains(sign)) {
        SyncError::Unreachable { remote, printed }
    } else {
        error(command, output)
    }
}
