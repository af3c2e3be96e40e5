//! Integrates both sides.
//!
//! A merge is made in a temporary share ([`Scratch`]), so a conflict never reaches the user's working copy. That is
//! then only updated to a descendant, and only if nothing is in the way. If the update fails after all, the new merge
//! is stripped from the repository.

use std::path::{Path, PathBuf};

use super::call::{Client, pattern, union};
use super::here::Here;
use super::scratch::{Scratch, write_below};
use super::way::obstacles;
use crate::sys::Env;
use crate::vcs::layout::hg::{is_merging, unfinished};
use crate::vcs::{Integrated, Integration, Kind, SyncError, Versions};

/// The name of the other side in messages.
const UPSTREAM: &str = "default";
/// The null revision.
const NULL: &str = "null";

pub(super) fn integrate(
    client: &Client<'_>,
    named: Option<&str>,
    integration: Integration<'_>,
) -> Result<Integrated, SyncError> {
    client.check_finished()?;
    let here = Here::of(client, named)?;
    let is_ledger = |file: &Path| integration.areas.iter().any(|area| area.holds(file));
    let partners = here.chosen(client, &here.partners(client)?, &is_ledger)?;
    let above = here.above(client, &partners)?;
    match partners.as_slice() {
        [] => Ok(Integrated::UpToDate),
        [only] if above.contains(only) => {
            check(client, &client.status(&[&from(&here), &format!("--rev={only}")])?)?;
            forward(client, &here, only)?;
            Ok(Integrated::Forwarded)
        }
        _ => {
            let mut made = Vec::new();
            let merged = merge(client, &here, &partners, integration, &mut made);
            let done = merged.and_then(|last| forward(client, &here, &last));
            match done {
                Ok(()) if made.is_empty() => Ok(Integrated::Forwarded),
                Ok(()) => Ok(Integrated::Merged),
                Err(error) => {
                    take_back(client, &made);
                    Err(error)
                }
            }
        }
    }
}

fn from(here: &Here) -> String {
    format!("--rev={}", here.node.as_deref().unwrap_or(NULL))
}

fn check(client: &Client<'_>, changed: &[(u8, PathBuf)]) -> Result<(), SyncError> {
    let files = obstacles(client, changed)?;
    let in_the_way = |files| SyncError::InTheWay { root: client.root.clone(), upstream: UPSTREAM.to_owned(), files };
    if files.is_empty() { Ok(()) } else { Err(in_the_way(files)) }
}

/// Updates the user's working copy to a descendant of its commit. If a file was changed since the check, hg refuses.
fn forward(client: &Client<'_>, here: &Here, target: &str) -> Result<(), SyncError> {
    let careful = ["--config=commands.update.check=noconflict".to_owned()];
    client.must(&careful, &["update", "--quiet", &format!("--rev={target}")], &[])?;
    match &here.bookmark {
        // An update to a hash leaves the bookmark behind.
        Some(name) if here.is_active => client.must(&[], &["bookmark", "--quiet"], &[name.into()]).map(drop),
        _ => Ok(()),
    }
}

/// Merges one commit after the other in a share, and returns the last.
fn merge(
    client: &Client<'_>,
    here: &Here,
    partners: &[String],
    mut integration: Integration<'_>,
    made: &mut Vec<String>,
) -> Result<String, SyncError> {
    let scratch = Scratch::new(client)?;
    let share = &scratch.share;
    let mut at: Option<String> = here.node.clone();
    for partner in partners {
        let Some(node) = at.as_deref() else {
            at = Some(partner.clone());
            continue;
        };
        if share.count(&format!("{partner} and ::{node}"))? > 0 {
            continue;
        }
        if share.count(&format!("{node} and ::{partner}"))? > 0 {
            at = Some(partner.clone());
            continue;
        }
        share.must(&[], &["update", "--quiet", "--clean", &format!("--rev={node}")], &[])?;
        let merged = one(client, &scratch, here, [node, partner.as_str()], &mut integration)?;
        made.push(merged.clone());
        at = Some(merged);
    }
    let last = at.unwrap_or_else(|| NULL.to_owned());
    check(client, &share.status(&[&from(here), &format!("--rev={last}")])?)?;
    Ok(last)
}

/// Merges two commits and commits the result, if nothing is in its way.
fn one(
    client: &Client<'_>,
    scratch: &Scratch<'_>,
    here: &Here,
    [ours, theirs]: [&str; 2],
    integration: &mut Integration<'_>,
) -> Result<String, SyncError> {
    let share = &scratch.share;
    let base = share.nodes(&format!("ancestor({ours}, {theirs})"))?.into_iter().next();
    // With several common ancestors hg and the ledger must use the same one.
    let settled: Vec<String> = base.iter().map(|base| format!("--config=merge.preferancestor={base}")).collect();
    let command = ["merge", "--quiet", "--tool=:merge", &format!("--rev={theirs}")];
    let output = share.run(&settled, &command, &[])?;
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(share.failed(&command, &output));
    }
    let unresolved = unresolved(share)?;
    let others: Vec<PathBuf> = unresolved.iter().filter(|file| !integration.ledgers.contains(file)).cloned().collect();
    if !others.is_empty() {
        let (root, upstream) = (client.root.clone(), UPSTREAM.to_owned());
        return Err(SyncError::Conflicts { root, upstream, files: others });
    }
    for ledger in integration.ledgers {
        let base = base.as_deref().map_or(Ok(None), |base| share.cat(base, ledger))?;
        let versions = Versions { base, ours: share.cat(ours, ledger)?, theirs: share.cat(theirs, ledger)? };
        let Versions { base, ours, theirs } = &versions;
        if !unresolved.contains(ledger) && (ours == theirs || base == ours || base == theirs) {
            continue;
        }
        write_below(&share.root, ledger, &(integration.merge)(ledger, &versions))?;
        let file = [pattern(ledger)];
        if unresolved.contains(ledger) {
            share.must(&[], &["resolve", "--quiet", "--mark"], &file)?;
        }
        // A ledger that one side removed may be untracked; for a tracked one this does nothing.
        share.run(&[], &["add", "--quiet"], &file)?;
    }
    // In an uncommitted merge hg reports a file that the other side adds as changed.
    let added = share.status(&[&from(here), &format!("--rev={theirs}")])?;
    let letter = |entry: (u8, PathBuf)| if added.contains(&(b'A', entry.1.clone())) { (b'A', entry.1) } else { entry };
    check(client, &share.status(&[&from(here)])?.into_iter().map(letter).collect::<Vec<_>>())?;
    share.must(&[], &["commit", "--quiet", &format!("--message={}", integration.message)], &[])?;
    share.nodes(".")?.into_iter().next().ok_or_else(|| share.unfinished("a merge"))
}

/// The files that the program could not merge.
pub(crate) fn unresolved(share: &Client<'_>) -> Result<Vec<PathBuf>, SyncError> {
    let output = share.must(&[], &["resolve", "--list", "--template={mergestatus} {path}\\0"], &[])?;
    let entries = output.stdout.split(|byte| *byte == 0).filter(|entry| entry.len() > 2 && entry[0] != b'R');
    Ok(entries.map(|entry| crate::vcs::files::path_of(&entry[2..])).collect())
}

/// Strips merges that were just made and have no descendants. Best effort: a remaining one is a head that is never
/// pushed.
fn take_back(client: &Client<'_>, made: &[String]) {
    let Some(first) = made.first() else { return };
    // Never the checked-out commit: that would change the working copy.
    if client.count(&format!("({first}::) - .")).is_ok_and(|count| count == made.len())
        && client.count(&format!("({}) and draft()", union(made))).is_ok_and(|count| count == made.len())
    {
        let on = ["--config=extensions.strip=".to_owned()];
        let _ = client.run(&on, &["strip", "--quiet", "--no-backup", &format!("--rev={first}")], &[]);
    }
}

/// The versions of a file that a merge of two commits left in conflict. In a rebase, the sides have not grown from
/// their last common version, so only the markers are used.
pub(crate) fn unmerged(root: &Path, file: &Path, env: &Env) -> Option<Versions> {
    if !is_merging(root) || unfinished(&root.join(".hg")).is_some() {
        return None;
    }
    let client = Client::new(Kind::Hg, root, "", env);
    let version = |set: &str| {
        let output = client.run(&[], &["cat", &format!("--rev={set}")], &[pattern(file)]).ok()?;
        output.status.success().then_some(output.stdout)
    };
    let (ours, theirs) = (version("p1()")?, version("p2()")?);
    Some(Versions { base: version("ancestor(p1(), p2())"), ours: Some(ours), theirs: Some(theirs) })
}
