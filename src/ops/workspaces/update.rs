//! Recording what happened to a workspace, and updating it.

use std::path::Path;

use super::WorkspaceError;
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::Result;
use crate::ops::workspace_records as records;
use crate::store::{Store, StoreError};
use crate::vcs;

/// What to change.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceUpdate {
    pub state: Option<State>,
    /// The commit that merged its work into the branch it was made from.
    pub merge_commit: Option<String>,
    pub pr_url: Option<String>,
    /// Update its branch to its parent's.
    pub fetch: bool,
}

/// Changes the record of a workspace. Returns it, and whether new commits were fetched.
pub fn update(store: &Store, typed: &str, wish: &WorkspaceUpdate) -> Result<(Workspace, bool)> {
    let known = records::find(store, typed)?;
    let one = known.workspace;
    let env = &store.host().env;
    let merge_commit = match &wish.merge_commit {
        Some(name) => Some(find_commit(store, &one, name)?),
        None => None,
    };
    if let Some(url) = wish.pr_url.as_ref().filter(|url| !is_address(url)) {
        return Err(WorkspaceError::BadAddress { text: url.clone() }.into());
    }
    let mut is_new = false;
    if wish.fetch {
        if one.kind != Kind::Clone || !one.state.is_usable() {
            let what = "an update from its parent: only a clone that is active or idle is brought forward";
            return Err(WorkspaceError::NotOfKind { kind: one.kind.word(), what }.into());
        }
        store.refuse_programs_of(one.path.as_ref())?;
        let vcs = vcs::open(one.path.as_ref());
        let forward = |renewal: &dyn vcs::Renewal| renewal.forward_clone(one.parent.as_ref(), one.base.as_deref(), env);
        is_new = vcs.renewal().and_then(forward).map_err(StoreError::from)?;
    }
    let now = store.host().clock.now().to_string();
    let changed = records::change(store, &known.state, &one.id, |found| {
        let Some(found) = found else { return Err(WorkspaceError::NotFound { typed: typed.to_owned() }.into()) };
        let mut new = found.clone();
        new.merge_commit = merge_commit.clone().or(new.merge_commit);
        new.pr_url = wish.pr_url.clone().or(new.pr_url);
        if let Some(state) = wish.state {
            if state != found.state && !found.state.moves().contains(&state) {
                return Err(WorkspaceError::IllegalMove { id: found.id, from: found.state, to: state }.into());
            }
            if state == State::Merged && new.merge_commit.is_none() {
                return Err(WorkspaceError::NoMergeCommit { id: found.id }.into());
            }
            new.state = state;
            new.error = None;
        }
        new.updated_at = Some(now.clone());
        Ok(Some(new))
    })?;
    Ok((changed.unwrap_or(one), is_new))
}

/// The named commit, in the workspace or in its parent.
fn find_commit(store: &Store, one: &Workspace, name: &str) -> Result<String> {
    let env = &store.host().env;
    for place in [&one.parent, &one.path] {
        if Path::new(place).is_dir()
            && let Some(id) = vcs::open(place.as_ref()).resolve(name, env).map_err(StoreError::from)?
        {
            return Ok(id);
        }
    }
    Err(WorkspaceError::NoSuchCommit { name: name.to_owned() }.into())
}

fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty()) && !text.contains(|c: char| c.is_control() || c.is_whitespace())
}
