//! Installing and removing the leak check in git's hooks and the merge driver in version control.

use super::Result;
use crate::store::{HooksChange, HooksRequest, HooksStatus, Store};

pub fn hooks_status(store: &Store) -> Result<HooksStatus> {
    Ok(store.hooks_status()?)
}

pub fn install_hooks(store: &Store, request: HooksRequest) -> Result<HooksChange> {
    Ok(store.install_hooks(request)?)
}

pub fn uninstall_hooks(store: &Store) -> Result<HooksChange> {
    Ok(store.uninstall_hooks()?)
}

/// Whether a hook that was called is meant for this project.
pub fn wants_hooks(store: &Store) -> Result<bool> {
    Ok(store.wants_hooks()?)
}
