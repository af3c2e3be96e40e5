//! Repairs workspaces whose repository was moved.

use std::path::Path;

use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::Result;
use crate::ops::workspace_records as records;
use crate::ops::workspace_records::known;
use crate::store::{Pointer, Store, worktree_id_at};
use crate::vcs;

/// Points workspaces to the current place of the repository they were made from; returns those that had lost it.
pub fn repair_workspaces(store: &Store) -> Result<Vec<Workspace>> {
    store.worktree()?;
    let mut repaired = Vec::new();
    for known in known(store)? {
        let workspace = &known.workspace;
        let path = Path::new(&workspace.path);
        let is_ours = workspace.kind != Kind::Worktree && workspace.state != State::Removed && !workspace.is_adopted;
        let Some(pointer) = vcs::common_dir(path).and_then(|common| Pointer::written(&common)).filter(|_| is_ours)
        else {
            continue;
        };
        // A pointer that still leads somewhere belongs to someone else; and it must be the recorded one.
        let parent = Path::new(&workspace.parent);
        // A state home for many repositories does not move with this one.
        let is_gone = !pointer.home.is_dir() || (known.state.is_shared() && !parent.is_dir());
        let is_lost = is_gone && pointer.parent.as_deref() == Some(parent);
        let bears_id = workspace.worktree_id.is_some() && worktree_id_at(path) == workspace.worktree_id;
        let Some(member) = workspace.repo.as_deref().and_then(|repo| store.find_repository(repo)) else { continue };
        if !is_lost || !bears_id {
            continue;
        }
        let (parent, _) = store.workspace_parent(member);
        store.lead_workspace_to(member, path)?;
        follow(store, path, &workspace.parent, &parent);
        let parent = parent.display().to_string();
        repaired.push(records::set(store, &known, |there| Workspace { parent: parent.clone(), ..there })?);
    }
    Ok(repaired)
}

/// Updates the remotes that are the parent. If that fails, `git remote` shows what is wrong.
fn follow(store: &Store, path: &Path, old: &str, new: &Path) {
    let env = &store.host().env;
    for key in ["remote.parent.url", "remote.origin.url"] {
        let known = vcs::setting(path, key, env).ok().flatten();
        if known.is_some_and(|url| Path::new(&url).starts_with(old)) {
            let _ = vcs::set_setting(path, key, Some(&new.display().to_string()), env);
        }
    }
}
