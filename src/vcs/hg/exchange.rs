//! Pulls without touching the working copy, and pushes without force.

use super::call::Client;
use super::here::Here;
use super::remote::Remote;
use crate::sys::process::{Output, RunError};
use crate::vcs::{Parcel, Pushed, Standing, SyncError};

/// hg's messages about a concurrent push.
pub(crate) const OUTRUN: [&str; 2] = ["push creates new remote head", "please try again"];
/// Its messages about an unreachable server.
const UNREACHABLE: [&str; 12] = [
    "abort: error: ",
    "not found",
    "no suitable response from remote",
    "connection refused",
    "connection reset",
    "could not resolve",
    "name or service not known",
    "network is unreachable",
    "no route to host",
    "timed out",
    "does not appear to be an hg repository",
    "permission denied (publickey",
];
/// Local failures, independent of the other side.
const OURS: [&str; 3] = ["abandoned transaction", "repository requires features", "repository is unrelated"];

/// Pulls the commits of the other side, if there is one.
pub(crate) fn fetch(client: &Client<'_>) -> Result<(), SyncError> {
    let Some(remote) = Remote::of(client)? else { return Ok(()) };
    let output = call(client, &remote, &["pull", "--quiet"], false)?;
    match output.status.code() {
        Some(0) => Ok(()),
        _ if reports(&output, &OURS) => Err(client.failed(&["pull"], &output)),
        _ => Err(SyncError::Unreachable { remote: remote.address, printed: printed(client, &output) }),
    }
}

pub(super) fn standing(client: &Client<'_>, named: Option<&str>) -> Result<Standing, SyncError> {
    let upstream = Remote::of(client).ok().flatten().map(|_| "default".to_owned());
    Here::of(client, named)?.standing(client, upstream)
}

/// Pushes a commit with its ancestors, and nothing else.
pub(super) fn push(
    client: &Client<'_>,
    named: Option<&str>,
    parcel: &Parcel,
    with_hooks: bool,
) -> Result<Pushed, SyncError> {
    let Some(remote) = Remote::of(client)? else { return Ok(Pushed::NothingToPush) };
    let here = Here::of(client, named)?;
    if let Some(name) = here.bookmark.as_ref().filter(|_| !here.is_active) {
        // hg only moves it forward.
        let place = format!("--rev={}", parcel.tip);
        client.must(&[], &["bookmark", "--quiet", "--inactive", &place], &[name.into()])?;
    }
    let (revision, bookmark) =
        (format!("--rev={}", parcel.tip), here.bookmark.map(|name| format!("--bookmark={name}")));
    let command: Vec<&str> = ["push", &revision].into_iter().chain(bookmark.as_deref()).collect();
    let output = call(client, &remote, &command, with_hooks)?;
    match output.status.code() {
        Some(0) => Ok(Pushed::Done),
        _ if reports(&output, &OUTRUN) => Ok(Pushed::Outrun),
        _ if reports(&output, &["push creates new remote branch"]) => {
            Ok(Pushed::Held(format!("the branch {} is new to {}", here.branch, remote.address)))
        }
        Some(1) if reports(&output, &["no changes found"]) => Ok(Pushed::NothingToPush),
        _ => Err(refused(client, remote, &output)),
    }
}

/// Finds out which side a failed push is due to.
pub(crate) fn refused(client: &Client<'_>, remote: Remote, output: &Output) -> SyncError {
    let (remote, printed) = (remote.address, printed(client, output));
    match () {
        () if reports(output, &OURS) => client.failed(&["push"], output),
        () if reports(output, &UNREACHABLE) => SyncError::Unreachable { remote, printed },
        () => SyncError::Refused { remote, printed },
    }
}

/// A side that does not answer in time counts as unreachable. With the settings of the repository, which the user has
/// agreed to, its hooks run.
pub(crate) fn call(
    client: &Client<'_>,
    remote: &Remote,
    command: &[&str],
    with_hooks: bool,
) -> Result<Output, SyncError> {
    let output = match with_hooks {
        true => client.call_with_own_settings(&remote.settings, command),
        false => client.call(&remote.settings, command),
    };
    match output {
        Err(SyncError::Run(error @ RunError::TimedOut { .. })) => {
            Err(SyncError::Unreachable { remote: remote.address.clone(), printed: error.to_string() })
        }
        other => other,
    }
}

pub(crate) fn reports(output: &Output, texts: &[&str]) -> bool {
    let printed = [output.stdout.as_slice(), &output.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).to_lowercase();
    texts.iter().any(|text| printed.contains(text))
}

fn printed(client: &Client<'_>, output: &Output) -> String {
    match client.failed(&[], output) {
        SyncError::Failed { printed, .. } => printed,
        other => other.to_string(),
    }
}
