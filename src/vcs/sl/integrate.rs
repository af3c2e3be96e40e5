//! Integrates both sides as sl does it: without commits of our own the working copy moves to theirs; otherwise ours are
//! rebased. A rebase works in the user's working copy, so it needs one without uncommitted changes.

use std::path::PathBuf;

use super::exchange::{Upstream, ahead};
use crate::vcs::hg::{Client, obstacles, pattern, unresolved, write_below};
use crate::vcs::{Integrated, Integration, SyncError, Versions};

/// How often a rebase may stop at a ledger, once for each of our commits, before it is aborted.
const MAX_STOPS: usize = 10_000;

pub(super) fn integrate(client: &Client<'_>, mut integration: Integration<'_>) -> Result<Integrated, SyncError> {
    client.check_finished()?;
    let Some(upstream) = Upstream::of(client)? else { return Ok(Integrated::UpToDate) };
    if upstream.behind(client)? == 0 {
        return Ok(Integrated::UpToDate);
    }
    let target = format!("--rev={}", upstream.node);
    let refused = |files| SyncError::InTheWay { root: client.root.clone(), upstream: upstream.full_name(), files };
    let files = obstacles(client, &client.status(&["--rev=.", &target])?)?;
    if !files.is_empty() {
        return Err(refused(files));
    }
    if ahead(client)? == 0 {
        let careful = ["--config=commands.update.check=noconflict".to_owned()];
        client.must(&careful, &["goto", "--quiet", &target], &[])?;
        return Ok(Integrated::Forwarded);
    }
    let dirty: Vec<PathBuf> = client.status(&[])?.into_iter().map(|(_, path)| path).collect();
    if !dirty.is_empty() {
        return Err(refused(dirty));
    }
    let settings = tools(integration.ledgers);
    let mut command =
        vec!["rebase".to_owned(), "--quiet".to_owned(), "--base=.".to_owned(), format!("--dest={}", upstream.node)];
    for _ in 0..MAX_STOPS {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let output = client.run(&settings, &words, &[])?;
        if output.status.success() {
            return Ok(Integrated::Rebased);
        }
        let stopped = unresolved(client).unwrap_or_default();
        let others: Vec<PathBuf> = stopped.iter().filter(|file| !integration.ledgers.contains(file)).cloned().collect();
        let error = if stopped.is_empty() {
            Some(client.failed(&words, &output))
        } else if !others.is_empty() {
            Some(SyncError::Conflicts { root: client.root.clone(), upstream: upstream.full_name(), files: others })
        } else {
            settle(client, &stopped, &mut integration).err()
        };
        if let Some(error) = error {
            client.run(&[], &["rebase", "--quiet", "--abort"], &[])?;
            return Err(error);
        }
        command = vec!["rebase".to_owned(), "--quiet".to_owned(), "--continue".to_owned()];
    }
    client.run(&[], &["rebase", "--quiet", "--abort"], &[])?;
    Err(client.unfinished("a rebase"))
}

/// No program of the user's merges; a ledger is left to us even if its lines could be merged.
fn tools(ledgers: &[PathBuf]) -> Vec<String> {
    let ours = ledgers.iter().map(|ledger| format!("--config=merge-patterns.path:{}=:fail", ledger.display()));
    std::iter::once("--config=ui.merge=:merge".to_owned()).chain(ours).collect()
}

/// Merges ledgers at which a rebase stopped: the first parent is on their side, the second is our original commit.
fn settle(client: &Client<'_>, stopped: &[PathBuf], integration: &mut Integration<'_>) -> Result<(), SyncError> {
    let one = |set: &str| Ok::<_, SyncError>(client.nodes(set)?.into_iter().next());
    let (theirs, ours) = (one("p1()")?, one("p2()")?);
    let base = ours.as_deref().map_or(Ok(None), |ours| one(&format!("p1({ours})")))?;
    for ledger in stopped {
        let version = |node: &Option<String>| node.as_deref().map_or(Ok(None), |node| client.cat(node, ledger));
        let versions = Versions { base: version(&base)?, ours: version(&ours)?, theirs: version(&theirs)? };
        write_below(&client.root, ledger, &(integration.merge)(ledger, &versions))?;
        client.must(&[], &["resolve", "--quiet", "--mark"], &[pattern(ledger)])?;
    }
    Ok(())
}
