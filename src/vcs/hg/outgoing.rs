//! The commits that a push of hg or sl would send, and the files that each touches.
//!
//! A merge only names files that differ from all its parents. So if there is a merge, the combined change of all
//! commits to the other side's files is compared as well, because a merge can also revert a change.

use std::path::Path;

use super::call::Client;
use super::commits::carried;
use super::here::Here;
use super::remote::Remote;
use crate::vcs::{Carried, Outgoing, Parcel, Route, SyncError};

pub(super) fn outgoing(client: &Client<'_>, named: Option<&str>, route: &Route<'_>) -> Result<Outgoing, SyncError> {
    client.check_finished()?;
    if Remote::of(client)?.is_none() {
        return Ok(Outgoing::Held("no path `default` is configured".to_owned()));
    }
    let here = Here::of(client, named)?;
    let Some(node) = &here.node else { return Ok(Outgoing::Nothing) };
    if !here.is_bookmark_known() {
        let name = here.bookmark.as_deref().unwrap_or_default();
        return Ok(Outgoing::Held(format!(
            "`default` is not known to have the bookmark `{name}`; push it once with hg"
        )));
    }
    let is_ledger = |file: &Path| route.is_ledger(file);
    let mut commits = carried(client, &here.ours(), &is_ledger)?;
    if commits.is_empty() && here.is_bookmark_sent() {
        let secret = client.count("secret() and ::.")?;
        return Ok(match secret {
            0 => Outgoing::Nothing,
            1 => Outgoing::Held("1 commit is secret".to_owned()),
            _ => Outgoing::Held(format!("{secret} commits are secret")),
        });
    }
    let partners = here.chosen(client, &here.partners(client)?, &is_ledger)?;
    if here.above(client, &partners)?.len() < partners.len() {
        return Ok(Outgoing::Outrun);
    }
    here.refuse_new_head(client, &Remote::of(client)?.map(|remote| remote.address).unwrap_or_default())?;
    judge_merges(client, &mut commits, &here.common(), &is_ledger)?;
    Ok(Outgoing::Ready(Parcel { tip: node.clone(), to: here.shown(), commits }))
}

pub(super) fn incoming(client: &Client<'_>, named: Option<&str>, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
    let here = Here::of(client, named)?;
    let is_ledger = |file: &Path| route.is_ledger(file);
    let partners = here.chosen(client, &here.partners(client)?, &is_ledger)?;
    match partners.is_empty() {
        true => Ok(Vec::new()),
        false => carried(client, &format!("only({}, .)", super::call::union(&partners)), &is_ledger),
    }
}

/// Counts merges as code if their files outside of ledgers are those of no commit that the other side has.
fn judge_merges(
    client: &Client<'_>,
    commits: &mut [Carried],
    common: &str,
    is_ledger: &dyn Fn(&Path) -> bool,
) -> Result<(), SyncError> {
    if commits.len() < 2 || commits.iter().any(|commit| commit.has_code) {
        return Ok(());
    }
    let ids: Vec<String> = commits.iter().map(|commit| commit.id.clone()).collect();
    let merges = client.nodes(&format!("({}) and merge()", super::call::union(&ids)))?;
    if merges.is_empty() {
        return Ok(());
    }
    for known in client.nodes(common)? {
        let changed = client.status(&[&format!("--rev={known}"), "--rev=."])?;
        if changed.iter().all(|(_, path)| is_ledger(path)) {
            return Ok(());
        }
    }
    commits.iter_mut().filter(|commit| merges.contains(&commit.id)).for_each(|commit| commit.has_code = true);
    Ok(())
}
