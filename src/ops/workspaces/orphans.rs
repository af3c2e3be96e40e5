//! Directories among the workspaces without a record. They are set aside and never deleted.

use std::path::{Path, PathBuf};

use super::places::{self, ORPHANED};
use super::proof::{DELETING, REMOVING};
use crate::ledger::Document;
use crate::model::state_id::{self, WORKSPACE};
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::Result;
use crate::ops::workspace_records as records;
use crate::store::{Pointer, StateDir, Store, StoreError, real_path, worktree_id_at};
use crate::sys::fs::FsError;
use crate::sys::processes;
use crate::{sys, vcs};

/// A directory without a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    pub path: PathBuf,
    /// Where it was moved.
    pub moved_to: Option<PathBuf>,
    /// Why it was not moved.
    pub stays: Option<String>,
}

/// A directory of workspaces, and the state home with their records.
struct Shelf {
    directory: PathBuf,
    repo: String,
    state: StateDir,
    /// Every id anywhere in the records, even in an unreadable line, except those of removed workspaces.
    ids: Vec<String>,
}

fn shelves(store: &Store) -> Result<Vec<Shelf>> {
    let base = places::base(store)?;
    let mut found = Vec::new();
    for (state, repos) in store.homes_of_repos() {
        let ids = ids_in(&store.records(&records::file(&state))?);
        for repo in repos {
            found.push(Shelf { directory: base.join(&repo), repo, state: state.clone(), ids: ids.clone() });
        }
    }
    Ok(found)
}

/// The ids anywhere in the records of workspaces, except those of removed ones.
fn ids_in(document: &Document) -> Vec<String> {
    let known = records::parse(document);
    let is_gone = |id: &str| known.iter().any(|one| one.id == id && one.state == State::Removed);
    written_ids(&String::from_utf8_lossy(document.bytes())).into_iter().filter(|id| !is_gone(id)).collect()
}

/// Everything in a text that looks like a workspace id.
fn written_ids(text: &str) -> Vec<String> {
    let starts = text.match_indices(WORKSPACE).map(|(at, _)| at);
    let mut found: Vec<String> = starts
        .filter_map(|at| text.get(at..at + WORKSPACE.len() + 12))
        .filter(|id| state_id::is(WORKSPACE, id))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The id in a directory name.
fn id_in(name: &str) -> &str {
    let name = name.strip_prefix(REMOVING).or_else(|| name.strip_prefix(DELETING)).unwrap_or(name);
    name.strip_suffix(".job").unwrap_or(name)
}

fn unknown(shelf: &Shelf) -> Vec<PathBuf> {
    let Ok(entries) = sys::path::entries(&shelf.directory) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_named = state_id::is(WORKSPACE, id_in(&name));
            // Other hidden directories are not ours.
            (is_named || !name.starts_with('.')) && !shelf.ids.iter().any(|id| id == id_in(&name))
        })
        .map(|entry| entry.path())
        .collect();
    found.sort();
    found
}

/// Why a directory is not moved.
fn stays(path: &Path, shelf: &Shelf) -> Option<String> {
    let pointer = vcs::root(path).filter(|root| root == path).and_then(|root| vcs::common_dir(&root));
    let home = pointer.and_then(|common| Pointer::written(&common)).map(|pointer| pointer.home);
    if let Some(other) = home.filter(|home| real_path(home) != real_path(shelf.state.path())) {
        return Some(format!("it belongs to the state home {}", other.display()));
    }
    let running = processes::inside(&real_path(path)).unwrap_or_default();
    running.first().map(|process| format!("process {} ({}) works there", process.pid, process.name))
}

/// The directories without a record; with `apply` they are set aside and recorded as orphans.
pub(super) fn put_aside(store: &Store, apply: bool) -> Result<Vec<Orphan>> {
    let mut found = Vec::new();
    for shelf in shelves(store)? {
        for path in unknown(&shelf) {
            let stays = stays(&path, &shelf);
            let mut orphan = Orphan { path: path.clone(), moved_to: None, stays };
            if apply && orphan.stays.is_none() {
                match move_aside(store, &path, &shelf) {
                    Ok(to) => orphan.moved_to = Some(to),
                    Err(error) => orphan.stays = Some(error.to_string()),
                }
            }
            found.push(orphan);
        }
    }
    Ok(found)
}

fn move_aside(store: &Store, path: &Path, shelf: &Shelf) -> Result<PathBuf> {
    // Again under the lock: a record may have been added meanwhile.
    let _still = store.hold_unchanged_in(&shelf.state)?;
    let now = ids_in(&store.records(&records::file(&shelf.state))?);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if now.iter().any(|id| id == id_in(&name) && !shelf.ids.contains(id)) {
        let why = std::io::Error::other("it has a record by now");
        return Err(StoreError::from(FsError::new("move", path, why)).into());
    }
    let directory = places::base(store)?.join(ORPHANED).join(&shelf.repo);
    sys::below::make_own(&directory).map_err(StoreError::from)?;
    let plain = name.trim_start_matches('.').to_owned();
    let numbered = (2..).map(|n| format!("{plain}#{n}"));
    let mut names = std::iter::once(plain.clone()).chain(numbered).map(|name| directory.join(name));
    let to = names.find(|to| !sys::path::is_there(to)).unwrap_or_else(|| directory.join(&plain));
    sys::path::rename(path, &to).map_err(StoreError::from)?;
    let is_checkout = vcs::root(&to).as_deref() == Some(to.as_path());
    let common = vcs::common_dir(&to).filter(|_| is_checkout);
    let is_linked = common.as_ref().is_some_and(|common| !common.starts_with(&to));
    if is_linked && vcs::is_place_recorded(&to) {
        // Version control still looks for it at the old path.
        vcs::repair_checkout(&to, &store.host().env).map_err(StoreError::from)?;
    }
    let now = store.host().clock.now().to_string();
    let parent = common.as_deref().and_then(Pointer::written).and_then(|pointer| pointer.parent);
    let record = Workspace {
        id: state_id::mint(WORKSPACE, store.host().entropy.bytes()),
        kind: if is_linked { Kind::Worktree } else { Kind::Copy },
        state: State::Orphaned,
        repo: Some(shelf.repo.clone()),
        path: to.display().to_string(),
        parent: parent.unwrap_or_else(|| store.workspace_parent(0).0).display().to_string(),
        worktree_id: worktree_id_at(&to).filter(|_| is_checkout),
        error: Some(format!("it was found at {} without a record", path.display())),
        created_at: now.clone(),
        updated_at: Some(now),
        ..Workspace::default()
    };
    records::edit(store, &shelf.state, |_| Ok(vec![record.clone()]))?;
    Ok(to)
}

/// Directories without a record, and those already set aside.
pub fn orphans(store: &Store) -> Result<(Vec<Orphan>, Vec<Workspace>)> {
    let known = records::known(store)?.into_iter().map(|known| known.workspace);
    let aside = known.filter(|one| one.state == State::Orphaned).collect();
    Ok((put_aside(store, false)?, aside))
}

#[cfg(test)]
mod tests {
    use super::super::orphans::*;

    #[test]
    fn ids_are_found_wherever_they_are_written() {
        let text = "{\"id\":\"ws_0123456789ab\"\nhalf a li ws_abcdefghijkl.. ws_SHORT ws_abc";
        assert_eq!(written_ids(text), ["ws_0123456789ab", "ws_abcdefghijkl"]);
        assert_eq!(id_in(".removing-ws_0123456789ab"), "ws_0123456789ab");
        assert_eq!(id_in("ws_0123456789ab.job"), "ws_0123456789ab");
    }
}
