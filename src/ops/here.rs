//! Who acts, and from where, as the records of the state home say it.

use std::path::PathBuf;

use super::{OpError, Result};
use crate::model::reservation::Party;
use crate::store::{StateDir, Store, StoreError, Worktree, real_path};
use crate::vcs;

/// Who acts. An agent that is not registered has nothing yet, so its name stands for its id.
pub fn acting(store: &mut Store) -> Party {
    match store.agent() {
        Some(agent) => {
            let id = agent.id.clone().unwrap_or_else(|| agent.name.clone());
            Party { name: agent.name.clone(), agent: Some(id) }
        }
        None => Party { name: store.actor().to_owned(), agent: None },
    }
}

/// The root of the checkout.
pub fn root(store: &Store) -> PathBuf {
    let repo = store.repo().root();
    real_path(&vcs::root(repo).unwrap_or_else(|| repo.to_owned()))
}

/// Which repository this is, where several share the state home. Checkouts of one repository are one.
pub fn repo(store: &Store, state: &StateDir) -> Result<Option<String>> {
    if !state.is_shared() {
        return Ok(None);
    }
    Ok(Some(store.clone_id()?))
}

/// The id of the checkout in use, made if it has none. A directory without version control is the only one there is, and gets none
/// for the sake of a record that says where it was made.
pub(in crate::ops) fn own_id(store: &Store) -> Option<String> {
    match vcs::open(store.repo().beads()).admin_dir() {
        Some(_) => store.worktree().ok()?.id,
        None => store.known_worktree_id(),
    }
}

/// Opens the project as another checkout has it.
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
