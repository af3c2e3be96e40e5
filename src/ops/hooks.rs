//! Putting the leak check into git's hooks, and taking it out again.

use super::Result;
use crate::store::{HooksChange, HooksStatus, Store};

pub fn hooks_status(store: &mut Store) -> Result<HooksStatus> {
    Ok(store.hooks_status()?)
}

pub fn install_hooks(store: &mut Store) -> Result<HooksChange> {
    Ok(store.install_hooks()?)
}

pub fn uninstall_hooks(store: &mut Store) -> Result<HooksChange> {
    Ok(store.uninstall_hooks()?)
}

/// Whether a hook that was called is meant for this project.
pub fn wants_hooks(store: &mut Store) -> Result<bool> {
    Ok(store.wants_hooks()?)
}
