//! The actor and the current place, as in records of the state home.

use std::path::PathBuf;

use super::{OpError, Result};
use crate::model::reservation::Party;
use crate::store::{StateDir, Store, StoreError, Worktree, real_path};
use crate::vcs;

/// The actor. An unregistered agent has no records yet, so its name serves as its id.
pub(super) fn acting(store: &Store) -> Party {
    match store.agent() {
        Some(agent) => {
            let id = agent.id.clone().unwrap_or_else(|| agent.name.clone());
            Party { name: agent.name.clone(), agent: Some(id) }
        }
        None => Party { name: store.actor().to_owned(), agent: None },
    }
}

/// The one entry that was found, if any; several are the error, by name.
pub(super) fn only<T>(mut found: Vec<T>, name: impl Fn(&T) -> &str) -> std::result::Result<Option<T>, Vec<String>> {
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(found.iter().map(|one| name(one).to_owned()).collect()),
    }
}

/// The root of the checkout.
pub(super) fn root(store: &Store) -> PathBuf {
    let repo = store.repo().root();
    real_path(&vcs::root(repo).unwrap_or_else(|| repo.to_owned()))
}

/// Identifies this repository where several share the state home; the same for all its checkouts.
pub(super) fn repo(store: &Store, state: &StateDir) -> Result<Option<String>> {
    if !state.is_shared() {
        return Ok(None);
    }
    Ok(Some(store.clone_id()?))
}

/// The id of the current checkout, minted if necessary. A directory without version control is the only checkout, and
/// gets no id just for a record of its origin.
pub(in crate::ops) fn own_id(store: &Store) -> Option<String> {
    match vcs::open(store.repo().beads()).admin_dir() {
        Some(_) => store.worktree().ok()?.id,
        None => store.known_worktree_id(),
    }
}

/// Opens the project in another checkout.
pub fn open_in(store: &Store, worktree: &Worktree) -> Result<Store> {
    let Some(beads) = store.beads_in(worktree) else {
        let (name, root) = (worktree.name.clone(), worktree.root.clone());
        return Err(OpError::NoLedgerThere { name, root });
    };
    store.opened_at(&beads).map_err(|error| match error {
        StoreError::NoLedger { .. } => {
            OpError::NoLedgerThere { name: worktree.name.clone(), root: worktree.root.clone() }
        }
        other => other.into(),
    })
}
