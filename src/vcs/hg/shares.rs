//! Creates and removes shares with the programs `hg` and `sl`, and finds work that would be lost with a working copy.
//!
//! A share keeps its commits in the store of another working copy, but has its own bookmarks and shelved changes: hg
//! can share bookmarks too, but then every later command needs an extension that the user may not have. Bookmarks are
//! moved over when the share is removed.

use std::path::Path;

use super::call::{Client, exactly, marked};
use super::checkouts::{admin_dir, bookmarks, branch, checkouts, parent};
use crate::vcs::Checkout;
use crate::vcs::checkouts::{NewCheckout, Work, check_quiet, delete, make_parents, no_checkout, removable, vacant};
use crate::vcs::files::{listed, real};
use crate::vcs::layout::hg::{common_dir, is_merging, unfinished};
use crate::vcs::{Kind, SyncError};

const SHARE: &str = "--config=extensions.share=";

pub(super) fn work(client: &Client<'_>) -> Result<Work, SyncError> {
    let own = client.own_dir();
    let mut work = Work { unfinished: unfinished(&own).map(str::to_owned), ..Work::default() };
    if is_merging(&client.root) || client.nodes("parents()")?.len() > 1 {
        work.unfinished = Some("a merge".to_owned());
    }
    for (letter, path) in client.status(&["--unknown"])? {
        let list = if letter == b'?' { &mut work.untracked } else { &mut work.changed };
        list.push(path);
    }
    let is_lost = common_dir(&own).is_some_and(|common| common.starts_with(real(&client.root)));
    work.unsaved_commits = client.count(&match is_lost {
        true => "not public()".to_owned(),
        false => {
            let active = branch(client.kind, &own).map_or_else(String::new, |name| format!("- {}", marked(&name)));
            let main = common_dir(&own).and_then(|store| parent(&store));
            let main = main.map_or_else(|| "none()".to_owned(), |node| format!("present({node})"));
            let tags = if client.kind == Kind::Sl { "none()" } else { "tag()" };
            format!("(not public() and ::.) - ::((bookmark() {active}) + {tags} + {main})")
        }
    })?;
    let shelved = own.join("shelved");
    work.stashes = if shelved.is_dir() { listed(shelved, "patch").len() } else { 0 };
    Ok(work)
}

/// Checks out an existing bookmark or named branch; otherwise creates a bookmark.
pub(super) fn add(client: &Client<'_>, new: &NewCheckout) -> Result<Checkout, SyncError> {
    let path = vacant(&new.path, client.env)?;
    let (start, found) = start_of(client, new, &path)?;
    make_parents(&path)?;
    let settings = [SHARE.to_owned()];
    let places = [client.root.clone().into(), path.clone().into()];
    client.must(&settings, &["share", "--noupdate", "--quiet"], &places)?;
    let share = client.at(path.clone());
    let is_bookmark = !found.is_some_and(|set| set.starts_with("max"));
    let prepare = || {
        if let Some(node) = start {
            share.must(&[], &["update", "--quiet", &format!("--rev={node}")], &[])?;
        }
        if let Some(name) = new.branch.as_ref().filter(|_| is_bookmark) {
            // The force has no effect: it stays where it was, and becomes the active one.
            share.must(&[], &["bookmark", "--force"], &[name.into()])?;
        }
        Ok(())
    };
    if let Err(error) = prepare() {
        delete(&path)?;
        return Err(error);
    }
    let made = checkouts(client.kind, &share.own_dir()).into_iter().find(|checkout| checkout.root == path);
    made.ok_or_else(|| no_checkout(&path, "no working copy is there"))
}

/// The start commit, and the existing branch if there is one.
pub(super) fn start_of(
    client: &Client<'_>,
    new: &NewCheckout,
    path: &Path,
) -> Result<(Option<String>, Option<String>), SyncError> {
    let mut found = None;
    if let Some(name) = &new.branch {
        // sl has neither named branches nor tags.
        let named = (client.kind == Kind::Hg).then(|| format!("max(branch({}))", exactly(name)));
        for set in std::iter::once(marked(name)).chain(named) {
            found = found.or(client.nodes(&format!("present({set})"))?.into_iter().next().map(|node| (node, set)));
        }
    }
    let start = match (&found, &new.base) {
        (Some(_), Some(base)) => {
            let name = new.branch.as_deref().unwrap_or_default();
            let why = format!("the branch {name} exists already; leave out {base}, or name another branch");
            return Err(no_checkout(path, why));
        }
        (Some((node, _)), None) => Some(node.clone()),
        (None, base) => match client.nodes(base.as_deref().unwrap_or("."))?.as_slice() {
            [node] => Some(node.clone()),
            [] if base.is_none() => None,
            several => {
                let base = base.as_deref().unwrap_or("the working copy");
                return Err(no_checkout(
                    path,
                    format!("{base} is {} commits and not one; name another", several.len()),
                ));
            }
        },
    };
    Ok((start, found.map(|(_, set)| set)))
}

/// There is no list of shares: a share that leads to our store is ours.
pub(super) fn remove(client: &Client<'_>, root: &Path, force: bool) -> Result<(), SyncError> {
    let share = client.at(real(root));
    let common = common_dir(&client.own_dir());
    let is_ours = admin_dir(&share.own_dir()).is_some() && common_dir(&share.own_dir()) == common;
    let known = if is_ours { checkouts(client.kind, &share.own_dir()) } else { Vec::new() };
    let found = removable(root, &client.root, &known)?;
    if !force {
        work(&share)?.check_files(&found.root)?;
        check_quiet(&found.root)?;
    }
    bring_bookmarks(client, &share)?;
    delete(&found.root)
}

/// Copies bookmarks, so that commits keep their names without the share; a name in use for another commit is not
/// changed.
fn bring_bookmarks(client: &Client<'_>, share: &Client<'_>) -> Result<(), SyncError> {
    for (node, name) in bookmarks(&share.own_dir()) {
        if client.count(&format!("present({node})"))? == 1 && client.count(&present(&name))? == 0 {
            client.must(&[], &["bookmark", "--inactive", &format!("--rev={node}")], &[name.into()])?;
        }
    }
    Ok(())
}

fn present(name: &str) -> String {
    format!("present({})", marked(name))
}
