//! A job in a workspace: which process it is.

use super::records::{self, Known};
use crate::coordination::Result;
use crate::model::lease::Owner;
use crate::model::workspace::{State, Workspace};
use crate::store::Store;

/// Notes which process works in a workspace.
pub fn set_workspace_owner(store: &Store, id: &str, owner: Option<Owner>) -> Result<()> {
    let Known { state, .. } = records::find(store, id)?;
    let now = store.host().clock.now().to_string();
    records::change(store, &state, id, |known| {
        Ok(known.filter(|one| one.state.is_usable()).map(|one| Workspace {
            state: State::Active,
            owner: owner.clone(),
            used_at: Some(now.clone()),
            updated_at: Some(now.clone()),
            ..one
        }))
    })?;
    Ok(())
}

/// What became of a workspace when its job was over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnd {
    Kept(Workspace),
    Removed(Workspace),
    Stays { workspace: Workspace, reasons: Vec<String> },
}

pub fn end_of_job(store: &mut Store, id: &str) -> Result<JobEnd> {
    let Known { state, workspace } = records::find(store, id)?;
    let now = store.host().clock.now().to_string();
    let kept = records::change(store, &state, id, |known| {
        Ok(known.filter(|one| one.state.is_usable()).map(|one| Workspace {
            state: State::Idle,
            owner: None,
            used_at: Some(now.clone()),
            updated_at: Some(now.clone()),
            ..one
        }))
    })?;
    Ok(JobEnd::Kept(kept.unwrap_or(workspace)))
}
