//! Adopting an existing checkout.

use std::path::Path;

use super::WorkspaceError;
use crate::model::state_id::{self, WORKSPACE};
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::Result;
use crate::ops::agents::identity;
use crate::ops::workspace_records as records;
use crate::store::{Store, StoreError, is_family, real_path};
use crate::{sys, vcs};

/// Records a checkout of the project's repository as a workspace. An already recorded one is unchanged.
pub fn adopt(store: &mut Store, path: &Path, issue: Option<String>) -> Result<Workspace> {
    let path = real_path(&store.host().env.cwd().join(path));
    let refused = |why: &str| WorkspaceError::NotAdopted { path: path.clone(), why: why.to_owned() };
    let Some(root) = vcs::root(&path).map(|root| real_path(&root)) else {
        return Err(refused("there is no working copy").into());
    };
    let maker = identity::ensure_actor(store)?;
    store.worktree()?;
    let (parent, inside) = store.workspace_parent(0);
    let here = vcs::open(&root);
    let is_own = is_family(&root, &parent);
    if root == parent
        || here.checkouts().iter().any(|one| one.is_main && one.root == root && is_own && is_first(&root, &parent))
    {
        return Err(refused("it is the checkout that the others are made from").into());
    }
    if !is_own {
        if !is_clone_of(store, &root, &parent) {
            return Err(refused("it is neither a checkout nor a clone of this repository").into());
        }
        if vcs::common_dir(&root).is_some_and(|common| crate::store::has_state(&common)) {
            return Err(refused("it has its own claims and mail; move them first with `bd state move`").into());
        }
    }
    let (state, repo) = store.home_of_repo(0)?;
    let known = records::of(store, &state)?;
    let text = root.display().to_string();
    if let Some(one) = known.into_iter().find(|one| one.path == text && one.state != State::Removed) {
        return Ok(one);
    }
    let is_linked = vcs::common_dir(&root).is_some_and(|common| !common.starts_with(&root));
    if !is_own {
        store.make_workspace_of(0, &root)?;
    }
    let worktree = store.adopt_worktree(0, &root)?;
    let now = store.host().clock.now().to_string();
    let one = Workspace {
        id: state_id::mint(WORKSPACE, store.host().entropy.bytes()),
        kind: if is_linked { Kind::Worktree } else { Kind::Clone },
        state: State::Active,
        repo: Some(repo),
        path: text,
        parent: parent.display().to_string(),
        work_dir: (!inside.as_os_str().is_empty()).then(|| root.join(&inside).display().to_string()),
        worktree_id: worktree.id,
        branch: worktree.branch,
        base_commit: here.head(&store.host().env).map_err(StoreError::from)?,
        issue,
        agent: maker.agent,
        actor: maker.name,
        host: sys::host_name(),
        is_adopted: true,
        created_at: now.clone(),
        ready_at: Some(now.clone()),
        used_at: Some(now.clone()),
        updated_at: Some(now),
        ..Workspace::default()
    };
    records::change(store, &state, &one.id, |_| Ok(Some(one.clone())))?;
    Ok(one)
}

/// This checkout contains the repository itself, which is the parent's.
fn is_first(root: &Path, parent: &Path) -> bool {
    vcs::common_dir(root).is_some_and(|common| vcs::common_dir(parent) == Some(common))
}

/// One of its remotes is the parent, or is also a remote of the parent.
fn is_clone_of(store: &Store, root: &Path, parent: &Path) -> bool {
    let env = &store.host().env;
    let urls = |path: &Path| vcs::facts(path, env).remotes.into_iter().map(|remote| remote.url).collect::<Vec<_>>();
    let theirs = urls(parent);
    let is_parent = |url: &String| Path::new(url).is_absolute() && real_path(Path::new(url)) == parent;
    urls(root).iter().any(|url| is_parent(url) || theirs.contains(url))
}
