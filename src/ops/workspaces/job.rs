//! The process of a job in a workspace.

use crate::model::lease::Owner;
use crate::model::workspace::{State, Workspace};
use crate::ops::Result;
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::Known;
use crate::store::Store;

/// Records which process works in a workspace.
pub(crate) fn set_workspace_owner(store: &Store, id: &str, owner: Option<Owner>) -> Result<()> {
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
