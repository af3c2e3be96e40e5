//! The files that commits of hg and sl change, in their old and new versions.

use std::path::{Path, PathBuf};

use super::call::{Client, is_node};
use super::commits::is_far;
use crate::vcs::error::not_a_range;
use crate::vcs::files::{self, path_of};
use crate::vcs::{Changed, HistoryError, Span, SyncError};

/// A commit with its parents and its files.
const FIELDS: &str = r"{node}\0{p1node}\0{p2node}\0{files % '{file}\0'}\0";

pub(super) fn changes(client: &Client<'_>, span: Span<'_>, each: &mut dyn FnMut(Changed)) -> Result<(), SyncError> {
    let set = match span {
        Span::Staged => return uncommitted(client, each),
        Span::Commits(ids) if ids.iter().all(|id| is_node(id)) => ids.join("+"),
        Span::Range(text) if !is_far(text) && !text.contains('\0') => text.to_owned(),
        Span::Range(text) => return Err(not_a_range(text, "a revset that stays in this repository")),
        Span::Commits(_) | Span::Push { .. } => {
            return Err(HistoryError::NotGit { root: client.root.clone(), kind: client.kind }.into());
        }
    };
    if set.trim().is_empty() {
        return Ok(());
    }
    let command = ["log", &format!("--rev={set}"), &format!("--template={FIELDS}")];
    let output = client.run(&[], &command, &[])?;
    if !output.status.success() {
        return Err(not_a_range(&set, "a revset that means commits here"));
    }
    let mut fields = output.stdout.split(|byte| *byte == 0);
    while let (Some(id), Some(one), Some(other)) = (fields.next(), fields.next(), fields.next()) {
        let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
        let files: Vec<PathBuf> = fields.by_ref().take_while(|file| !file.is_empty()).map(path_of).collect();
        let parents: Vec<String> = [one, other].map(text).into_iter().filter(|node| is_node(node)).collect();
        commit(client, &text(id), &parents, files, each)?;
    }
    Ok(())
}

/// Passes on the files of one commit, except removed ones.
fn commit(
    client: &Client<'_>,
    id: &str,
    parents: &[String],
    files: Vec<PathBuf>,
    each: &mut dyn FnMut(Changed),
) -> Result<(), SyncError> {
    for path in files {
        let Some(new) = client.cat(id, &path)? else { continue };
        let old = versions(client, parents, &path)?;
        each(Changed { commit: Some(id.to_owned()), path, old, new: Some(new) });
    }
    Ok(())
}

/// The versions of a file in these commits, without those that lack it.
fn versions(client: &Client<'_>, commits: &[String], file: &Path) -> Result<Vec<Vec<u8>>, SyncError> {
    let found = commits.iter().map(|commit| client.cat(commit, file)).collect::<Result<Vec<_>, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Passes on the files that a commit would take now: every changed tracked file.
fn uncommitted(client: &Client<'_>, each: &mut dyn FnMut(Changed)) -> Result<(), SyncError> {
    let parents = client.nodes("parents()")?;
    for (letter, path) in client.status(&[])? {
        if letter == b'R' || letter == b'!' {
            continue;
        }
        let old = versions(client, &parents, &path)?;
        let new = files::bytes(&client.root.join(&path));
        each(Changed { commit: None, path, old, new });
    }
    Ok(())
}
