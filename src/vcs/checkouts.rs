//! The checkouts of one repository: git worktrees, workspaces of jj, shares of hg.
//!
//! Which there are is read from files alone. jj and git can stand behind one another, so both are asked: all checkouts that
//! share one directory ([`Vcs::common_dir`](super::Vcs::common_dir)) are one family, whichever program made them. hg and sl
//! keep no list; there only this checkout and the main one are known.

use std::path::{Component, Path, PathBuf};

use super::{git, jj};

/// A checkout of the repository. Paths are absolute and without links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    pub root: PathBuf,
    /// What [`Vcs::admin_dir`](super::Vcs::admin_dir) gives there.
    pub admin: PathBuf,
    /// The one that the others were made from. A bare repository has none.
    pub is_main: bool,
    pub branch: Option<String>,
    /// The directory is there and leads back to `admin`.
    pub exists: bool,
}

/// All checkouts of a family in which git, jj or both are used, the main one first, then in the order of their paths.
pub(super) fn family(root: &Path) -> Vec<Checkout> {
    let root = real(root);
    let git_common = git::common_dir(&root.join(".git"));
    let behind = jj::git_target(&root.join(".jj")).and_then(|target| git::common_dir(&target));
    let mut found = match behind.as_ref().or(git_common.as_ref()) {
        Some(common) => git::worktrees(common, &root),
        None => Vec::new(),
    };
    let mut homes: Vec<PathBuf> = found.iter().map(|checkout| checkout.root.clone()).collect();
    homes.push(root);
    let mut repos: Vec<PathBuf> = homes.iter().filter_map(|home| jj::repo(home)).collect();
    repos.sort();
    repos.dedup();
    for repo in repos {
        for workspace in jj::workspaces(&repo, &homes) {
            match found.iter_mut().find(|checkout| checkout.root == workspace.root) {
                Some(known) if known.exists || !workspace.exists => {}
                Some(known) => *known = workspace,
                None => {
                    let is_main = workspace.is_main && !found.iter().any(|checkout| checkout.is_main);
                    found.push(Checkout { is_main, ..workspace });
                }
            }
        }
    }
    found.sort_by(|a, b| (!a.is_main, &a.root, &a.admin).cmp(&(!b.is_main, &b.root, &b.admin)));
    found
}

/// A path without links, as far as it is there.
pub(super) fn real(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::ParentDir)) => {
            let parent = real(parent);
            parent.parent().map_or_else(|| parent.clone(), Path::to_owned)
        }
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}
