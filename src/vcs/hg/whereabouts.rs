//! Finds out where else the commits of a working copy of hg or sl are.
//!
//! A commit is elsewhere only if the other repository has the same commit: work that arrived there in another form is
//! not recognised. A clone's commits are not saved anywhere, so a clone that has some cannot be removed by force.

use std::path::Path;

use super::call::{Client, exactly, is_node, marked, union};
use super::{shares, snapshot};
use crate::vcs::layout::hg::common_dir;
use crate::vcs::{How, Kind, Merged, Origin, Rescue, SyncError, Unsaved, Whereabouts};

const COMMITS: &str =
    "commits of a clone are not kept; push them, or pull them into the repository that it was made from";

pub(super) fn whereabouts(client: &Client<'_>, origin: &Origin<'_>) -> Result<Whereabouts, SyncError> {
    let work = shares::work(client)?;
    let other = client.at(origin.root.to_owned());
    let here = client.nodes(".")?;
    let mut found = Whereabouts { stashes: work.stashes, ..Whereabouts::default() };
    let began = |base: &str| client.count(&format!(". and ::present({base})"));
    found.is_untouched = match origin.base_commit.filter(|base| is_node(base)) {
        Some(base) => began(base)? > 0,
        None => false,
    };
    let commits = match is_clone(client, &other) {
        true => {
            let own = client.nodes("not public()")?;
            let known = present(&other, &own)?;
            own.len() - known
        }
        false => work.unsaved_commits,
    };
    if !found.is_untouched && present(&other, &here)? == here.len() && !here.is_empty() {
        // The other side has it: in the branch that the work started at, or beside it. sl has no named branches.
        let named = |name: &str| match client.kind {
            Kind::Sl => marked(name),
            _ => format!("(bookmark({0}) + max(branch({0})))", exactly(name)),
        };
        let base = origin.base.map_or_else(|| ".".to_owned(), named);
        if other.count(&format!("({}) and ::{base}", union(&here)))? == here.len() {
            let commit = here.first().cloned();
            found.merged = Some(Merged { how: How::Ancestor, into: origin.base.unwrap_or(".").to_owned(), commit });
        }
    }
    let is_lost = commits > 0 && (is_clone(client, &other) || found.merged.is_none());
    found.unsaved = is_lost.then(|| Unsaved { holder: ".".to_owned(), commits, is_here: true }).into_iter().collect();
    Ok(found)
}

/// Whether its commits are stored separately from the other's.
fn is_clone(client: &Client<'_>, other: &Client<'_>) -> bool {
    common_dir(&client.own_dir()) != common_dir(&other.own_dir())
}

/// How many of these commits a repository has.
fn present(client: &Client<'_>, nodes: &[String]) -> Result<usize, SyncError> {
    let mut count = 0;
    for some in nodes.chunks(500) {
        count += client.count(&union(some))?;
    }
    Ok(count)
}

pub(super) fn rescue(client: &Client<'_>, key: &str, to: &Path) -> Result<Rescue, SyncError> {
    let other = client.at(to.to_owned());
    if is_clone(client, &other) {
        let found = whereabouts(client, &Origin { root: to, base: None, base_commit: None })?;
        if !found.unsaved.is_empty() || found.stashes > 0 {
            return Err(SyncError::Unsupported { kind: client.kind, what: COMMITS });
        }
    }
    let snapshot = snapshot::take(client, key, u64::MAX)?;
    hand_over(client, to)?;
    Ok(Rescue { snapshot, names: 0 })
}

pub(super) fn hand_over(client: &Client<'_>, to: &Path) -> Result<(), SyncError> {
    let other = client.at(to.to_owned());
    if !is_clone(client, &other) {
        return Ok(());
    }
    snapshot::copies(client).move_to(&snapshot::copies(&other))
}
