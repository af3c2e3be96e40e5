//! The places of workspaces: one directory for each repository, which has one for each workspace and one beside it for
//! its job.

use std::path::{Path, PathBuf};

use super::WorkspaceError;
use crate::ops::Result;
use crate::store::{Store, StoreError, real_path, user_cache, user_data};
use crate::sys::below;
use crate::vcs;

/// For directories without a record.
pub(super) const ORPHANED: &str = "orphaned";

/// The directory for those of all repositories.
pub(super) fn base(store: &Store) -> Result<PathBuf> {
    const KEY: &str = "workspace.path";
    let env = &store.host().env;
    let base = match store.settings().text(KEY) {
        Some((text, _)) => {
            let path = store.repos().path_of(text, env);
            if store.unagreed().iter().any(|wish| wish.key == KEY) {
                return Err(WorkspaceError::UntrustedPath { path }.into());
            }
            path
        }
        None => match user_data(env) {
            Some(data) => data.join("workspaces"),
            None => {
                let why = "neither workspace.path nor XDG_DATA_HOME nor HOME is set".to_owned();
                return Err(WorkspaceError::NoPlace { why }.into());
            }
        },
    };
    let base = real_path(&base);
    // Hooks and objects are not work.
    if below::is_control(&base) {
        let why = format!("{} is in a directory of version control; set workspace.path", base.display());
        return Err(WorkspaceError::NoPlace { why }.into());
    }
    if user_cache(env).is_some_and(|cache| base.starts_with(real_path(&cache))) {
        let why = format!("{} is for what may be thrown away at any time; set workspace.path", base.display());
        return Err(WorkspaceError::NoPlace { why }.into());
    }
    Ok(base)
}

/// Creates a directory for workspaces. One inside a working copy is excluded from version control.
pub(super) fn prepare(directory: &Path) -> Result<()> {
    below::make_own(directory).map_err(StoreError::from)?;
    if vcs::root(directory).is_none() {
        return Ok(());
    }
    below::put_new(directory, ".gitignore", b"*\n").map_err(StoreError::from)?;
    Ok(())
}
