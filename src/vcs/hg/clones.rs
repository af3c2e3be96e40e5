//! Clones with the program `hg`. Files of the store are hard-linked on one file system.
//!
//! The clone has its parent's settings, with all addresses, and the parent as a further address.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::call::{Client, marked};
use super::checkouts::{admin_dir, branch};
use super::hgrc::{Settings, own_paths};
use super::shares::start_of;
use crate::vcs::Checkout;
use crate::vcs::checkouts::{delete, make_parents, no_checkout, vacant};
use crate::vcs::clones::{NewClone, name_of_parent};
use crate::vcs::files::real;
use crate::vcs::files::{self, path_of};
use crate::vcs::{Kind, SyncError, Tip, Tips};

pub(super) fn clone(client: &Client<'_>, new: &NewClone) -> Result<Checkout, SyncError> {
    let path = vacant(&new.path, client.env)?;
    if new.branch.is_empty() || new.branch.starts_with('-') {
        return Err(no_checkout(&path, format!("{:?} cannot be the name of a bookmark; choose another", new.branch)));
    }
    let wish = crate::vcs::NewCheckout { path: path.clone(), branch: Some(new.branch.clone()), base: new.base.clone() };
    let (start, found) = start_of(client, &wish, &path)?;
    let Some(start) = start else {
        return Err(no_checkout(&path, "nothing is committed yet; commit something first"));
    };
    let settings = settings(client);
    make_parents(&path)?;
    let finish = || {
        let places = [client.root.clone().into(), path.clone().into()];
        client.must(&[], &["clone", "--noupdate", "--quiet"], &places)?;
        let file = path.join(".hg/hgrc");
        std::fs::write(&file, &settings).map_err(|source| SyncError::Path { path: file, source })?;
        let clone = client.at(path.clone());
        clone.must(&[], &["update", "--quiet", &format!("--rev={start}")], &[])?;
        let is_branch = found.is_some_and(|set| set != marked(&new.branch));
        if !is_branch {
            clone.must(&[], &["bookmark", "--force"], &[new.branch.clone().into()])?;
        }
        Ok(())
    };
    if let Err(error) = finish() {
        delete(&path)?;
        return Err(error);
    }
    let own = path.join(".hg");
    let Some(admin) = admin_dir(&own) else { return Err(no_checkout(&path, "no working copy is there")) };
    Ok(Checkout { branch: branch(client.kind, &own), root: path, admin, is_main: true, exists: true })
}

/// The text of the settings.
fn settings(client: &Client<'_>) -> String {
    let texts = own_paths(client.kind, &client.root).into_iter();
    let mut seen = Vec::new();
    let mut all = Vec::new();
    for file in texts.filter_map(|file| std::fs::canonicalize(file).ok()) {
        if seen.contains(&file) {
            continue;
        }
        let text = files::text(&file).unwrap_or_default();
        let entries = Settings::of(&text);
        all.extend(entries.entries().map(|(s, n, v)| (s.to_owned(), n.to_owned(), v.to_owned())));
        seen.push(file);
    }
    let names: Vec<String> =
        all.iter().filter(|(s, n, _)| s == "paths" && !n.contains(':')).map(|(_, n, _)| n.clone()).collect();
    let parent = name_of_parent("default", names.iter().map(String::as_str));
    all.push(("paths".to_owned(), parent, client.root.display().to_string()));
    let lines = all.iter().map(|(section, name, value)| {
        let is_address = section == "paths" && !name.contains(':');
        let value = if is_address { address(value, &client.root) } else { value.replace('\n', "\n ") };
        format!("[{section}]\n{name} = {value}\n")
    });
    lines.collect()
}

/// An address that is valid from elsewhere.
fn address(text: &str, root: &Path) -> String {
    let is_relative = !text.starts_with(['/', '~', '$']) && !text.contains(':');
    if is_relative { real(&root.join(text)).display().to_string() } else { text.to_owned() }
}

/// Bookmarks and named branches; sl has none of the latter.
pub(super) fn branches(client: &Client<'_>) -> Result<BTreeSet<String>, SyncError> {
    let mut names = BTreeSet::new();
    let bookmarks = ["bookmarks", "--template={bookmark}\\n"];
    let branches = ["branches", "--closed", "--template={branch}\\n"];
    let named = (client.kind == Kind::Hg).then_some(&branches[..]);
    for command in [&bookmarks[..]].into_iter().chain(named) {
        let output = client.must(&[], command, &[])?;
        names.extend(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned));
    }
    Ok(names)
}

/// The positions of all bookmarks and of the heads without one.
pub(super) fn tips(client: &Client<'_>, most: usize) -> Result<Tips, SyncError> {
    const ALL: &str = "(head() and not closed()) or bookmark()";
    let template = "--template={node}\\0{branch}\\0{join(bookmarks, '\\0')}\\n";
    let limit = format!("--limit={}", most + 1);
    let output = client.must(&[], &["log", &format!("--rev=sort({ALL}, -date)"), &limit, template], &[])?;
    let merged = client.nodes(&format!("({ALL}) and ::."))?;
    let mut all = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let mut parts = line.split('\0').filter(|part| !part.is_empty());
        let (Some(commit), Some(branch)) = (parts.next(), parts.next()) else { continue };
        let mut names: Vec<String> = parts.map(str::to_owned).collect();
        if names.is_empty() {
            names.push(format!("{branch} ({})", commit.get(..12).unwrap_or(commit)));
        }
        let is_merged = merged.iter().any(|known| known == commit);
        all.extend(names.into_iter().map(|name| Tip { name, commit: commit.to_owned(), is_merged }));
    }
    Ok(Tips::first(all, most))
}

pub(super) fn ignored(client: &Client<'_>) -> Result<Vec<PathBuf>, SyncError> {
    let output = client.must(&[], &["status", "--ignored", "--no-status", "--print0"], &[])?;
    Ok(output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path_of).collect())
}

/// Creates a new bookmark, and adds the address of the parent; the parent's commits do not count as made here.
pub(super) fn settle(client: &Client<'_>, from: &Path, branch: &str) -> Result<(), SyncError> {
    client.check_finished()?;
    let file = client.own_dir().join("hgrc");
    let text = files::text(&file).unwrap_or_default();
    let own = Settings::of(&text);
    let names = own.entries().filter(|(section, name, _)| *section == "paths" && !name.contains(':'));
    let parent = name_of_parent("default", names.map(|(_, name, _)| name));
    let text = format!("{text}\n[paths]\n{parent} = {}\n", from.display());
    std::fs::write(&file, text).map_err(|source| SyncError::Path { path: file, source })?;
    client.must(&[], &["pull", "--quiet"], &[from.into()])?;
    client.must(&[], &["bookmark"], &[branch.into()]).map(drop)
}
