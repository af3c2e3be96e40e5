//! Restoring the files saved from a workspace that was removed by force.

use std::path::{Path, PathBuf};

use super::WorkspaceError;
use crate::model::state_id::{self, CHECKPOINT};
use crate::ops::Result;
use crate::ops::workspace_records::known;
use crate::store::{Store, StoreError};
use crate::{sys, vcs};

/// What was restored, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredWorkspace {
    pub key: String,
    pub path: PathBuf,
    /// Staged versions that differ from the files.
    pub staged: Option<PathBuf>,
    /// It is a repository again, with its branches and stashed changes.
    pub with_commits: bool,
}

/// Writes what was saved under a key, or of a workspace, into a missing or empty directory. A repository shares the
/// state of its original again.
pub fn restore(store: &Store, typed: &str, to: &Path) -> Result<RestoredWorkspace> {
    let all = known(store)?;
    let is_meant = |one: &&crate::ops::workspace_records::Known| {
        one.workspace.id == typed || one.workspace.rescue.as_deref() == Some(typed)
    };
    let found = all.iter().find(is_meant);
    let key = match found {
        Some(one) => one.workspace.rescue.clone(),
        None => Some(typed.to_owned()).filter(|key| state_id::is(CHECKPOINT, key)),
    };
    let Some(key) = key else { return Err(WorkspaceError::NotKept { typed: typed.to_owned() }.into()) };
    let parent = match found {
        Some(one) => PathBuf::from(&one.workspace.parent),
        None => store.repo().beads().to_owned(),
    };
    let to = store.host().env.cwd().join(to);
    if sys::path::is_empty(&to).is_ok_and(|is_empty| !is_empty) {
        return Err(WorkspaceError::NotEmpty { path: to }.into());
    }
    let returned = vcs::open(&parent).restore_rescue(&key, &to, &store.host().env).map_err(StoreError::from)?;
    let to = crate::store::real_path(&to);
    if let Some(one) = found.filter(|_| returned.with_commits) {
        let members = 0..store.repos().members.len();
        let of_repo = |member: &usize| store.home_of_repo(*member).is_ok_and(|(_, id)| Some(id) == one.workspace.repo);
        if let Some(member) = members.into_iter().find(of_repo) {
            store.make_workspace_of(member, &to)?;
            store.adopt_worktree(member, &to)?;
        }
    }
    let staged = returned.staged.map(|name| to.join(name));
    Ok(RestoredWorkspace { key, path: to, staged, with_commits: returned.with_commits })
}
