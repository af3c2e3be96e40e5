//! Who acts, and from where, as the records of the state home say it.

use std::path::PathBuf;

use super::{Result, ensure_registered};
use crate::model::reservation::Party;
use crate::store::{StateDir, Store, real_path};
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

/// Who acts, for a command that leaves something behind: an agent is registered by that.
pub fn taking_part(store: &mut Store) -> Result<Party> {
    ensure_registered(store)?;
    Ok(acting(store))
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
