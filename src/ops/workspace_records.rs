//! The records of workspaces: listing, finding and changing them.

use std::path::PathBuf;

use super::WorkspaceError;
use crate::ledger::Document;
use crate::model::row::Row;
use crate::model::workspace::{State, Workspace};
use crate::ops::{OpError, Result, here};
use crate::store::{RecordFile, StateDir, StateMode, Store, WORKSPACES, real_path};

/// A workspace, and the state home with its record.
#[derive(Debug, Clone)]
pub(in crate::ops) struct Known {
    pub workspace: Workspace,
    pub state: StateDir,
}

/// The workspaces of all repos of the project, oldest first, removed ones included.
pub fn workspaces(store: &Store) -> Result<Vec<Workspace>> {
    Ok(known(store)?.into_iter().map(|known| known.workspace).collect())
}

/// The workspace that a person named: by id or its beginning, path, issue or branch.
pub fn find_workspace(store: &Store, typed: &str) -> Result<Workspace> {
    find(store, typed).map(|known| known.workspace)
}

/// The current workspace. A checkout that contains its repository and is not a clone is never one, which is cheap to
/// check.
pub fn here(store: &Store) -> Option<Workspace> {
    let state = store.state();
    let site = store.site();
    let (root, common) = site.directories();
    let is_linked = || common.zip(root).is_some_and(|(common, root)| !common.starts_with(root));
    if state.home().mode != StateMode::Workspace && !is_linked() {
        return None;
    }
    let root = root.unwrap_or(store.repo().root()).display().to_string();
    let is_here = |one: &Workspace| one.path == root && one.removed_at.is_none();
    of(store, &state).ok()?.into_iter().rev().find(is_here)
}

pub(in crate::ops) fn known(store: &Store) -> Result<Vec<Known>> {
    let mut found: Vec<Known> = Vec::new();
    for (state, repos) in store.homes_of_repos() {
        let document = store.records(&file(&state))?;
        let is_shared = state.is_shared();
        let ours = |one: &Workspace| !is_shared || one.repo.as_ref().is_some_and(|repo| repos.contains(repo));
        let lines = parse(&document).into_iter().filter(ours);
        found.extend(lines.map(|workspace| Known { workspace, state: state.clone() }));
    }
    found.sort_by(|a, b| (&a.workspace.created_at, &a.workspace.id).cmp(&(&b.workspace.created_at, &b.workspace.id)));
    Ok(found)
}

/// All workspaces in one state home.
pub(in crate::ops) fn of(store: &Store, state: &StateDir) -> Result<Vec<Workspace>> {
    Ok(parse(&store.records(&file(state))?))
}

pub(in crate::ops) fn find(store: &Store, typed: &str) -> Result<Known> {
    let all = known(store)?;
    let path = real_path(&store.host().env.path(typed)).display().to_string();
    let by = |test: &dyn Fn(&Workspace) -> bool| -> Vec<&Known> {
        let found: Vec<&Known> = all.iter().filter(|one| test(&one.workspace)).collect();
        // A failed or removed one matches only if no other does.
        let rank = |one: &&Known| (one.workspace.removed_at.is_some(), one.workspace.state == State::Failed);
        let Some(best) = found.iter().map(rank).min() else { return found };
        found.into_iter().filter(|one| rank(one) == best).collect()
    };
    let tests: [&dyn Fn(&Workspace) -> bool; 5] = [
        &|one| one.id == typed,
        &|one| one.path == path,
        &|one| one.issue.as_deref() == Some(typed),
        &|one| one.branch.as_deref() == Some(typed),
        &|one| !typed.is_empty() && (one.id.starts_with(typed) || one.id[3.min(one.id.len())..].starts_with(typed)),
    ];
    for test in tests {
        let found = here::only(by(test), |one| &one.workspace.id);
        let found = found.map_err(|candidates| OpError::Ambiguous { typed: typed.to_owned(), candidates })?;
        if let Some(one) = found {
            return Ok(one.clone());
        }
    }
    Err(WorkspaceError::NotFound { typed: typed.to_owned() }.into())
}

/// Unreadable records, such as those of a newer `bd`: the file, the line, and the id if it has one.
pub fn unreadable(store: &Store) -> Result<Vec<(PathBuf, usize, Option<String>)>> {
    let mut found = Vec::new();
    for (state, _) in store.homes_of_repos() {
        let file = file(&state);
        let document = store.records(&file)?;
        for line in 0..document.len() {
            if document.text(line).trim_ascii().is_empty() {
                continue;
            }
            let record = document.record(line);
            if record.as_ref().and_then(Workspace::parse).is_none() {
                let id = record.as_ref().and_then(|record| record.text_of("id")).map(|id| id.into_owned());
                found.push((file.path().to_owned(), line + 1, id));
            }
        }
    }
    Ok(found)
}

/// Changes the record of one workspace, based on its current content; `None` leaves it unchanged. Takes the lock of the
/// state home.
pub(in crate::ops) fn change(
    store: &Store,
    state: &StateDir,
    id: &str,
    mut change: impl FnMut(Option<Workspace>) -> Result<Option<Workspace>>,
) -> Result<Option<Workspace>> {
    edit(store, state, |all| Ok(change(all.iter().find(|one| one.id == id).cloned())?.into_iter().collect()))
        .map(|changed| changed.into_iter().next())
}

/// Changes the record of a known workspace, and returns it.
pub(in crate::ops) fn set(store: &Store, known: &Known, new: impl Fn(Workspace) -> Workspace) -> Result<Workspace> {
    let changed = change(store, &known.state, &known.workspace.id, |there| Ok(there.map(&new)))?;
    Ok(changed.unwrap_or_else(|| known.workspace.clone()))
}

/// The same for a decision that depends on all of them.
pub(in crate::ops) fn edit(
    store: &Store,
    state: &StateDir,
    mut plan: impl FnMut(&[Workspace]) -> Result<Vec<Workspace>>,
) -> Result<Vec<Workspace>> {
    let _still = store.hold_unchanged_in(state)?;
    let mut changed = Vec::new();
    file(state).edit_held::<OpError>(&store.host().entropy, |document| {
        changed = plan(&parse(document))?;
        Ok(changed.iter().map(|one| WORKSPACES.put(document, &one.id, one)).collect())
    })?;
    Ok(changed)
}

pub(in crate::ops) fn file(state: &StateDir) -> RecordFile {
    WORKSPACES.file(state)
}

pub(in crate::ops) fn parse(document: &Document) -> Vec<Workspace> {
    WORKSPACES.rows(document).collect()
}
