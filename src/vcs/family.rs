//! The checkouts of a family: a jj workspace can have git worktrees and the reverse, so both are listed.

use std::path::{Path, PathBuf};

#[cfg(feature = "git")]
use super::Checkout;
use super::directories::behind_worktrees;
#[cfg(feature = "git")]
use super::files::real;
use super::layout::{git, jj};
#[cfg(feature = "git")]
use super::layout::{git_worktrees::worktrees, jj_workspaces::workspaces};
use super::{files, place};

/// All checkouts of a family in which git, jj or both are used, the main one first, then in the order of their paths.
#[cfg(feature = "git")]
pub(super) fn family(root: &Path) -> Vec<Checkout> {
    let root = real(root);
    let git_common = behind_worktrees(&root);
    let behind = jj::git_target(&root.join(".jj")).and_then(|target| git::common_dir(&target));
    let mut found = match behind.as_ref().or(git_common.as_ref()) {
        Some(common) => worktrees(common, &root),
        None => Vec::new(),
    };
    let mut homes: Vec<PathBuf> = found.iter().map(|checkout| checkout.root.clone()).collect();
    homes.push(root);
    let mut repos: Vec<PathBuf> = homes.iter().filter_map(|home| jj::repo(home)).collect();
    repos.sort();
    repos.dedup();
    for repo in repos {
        for workspace in workspaces(&repo, &homes) {
            match found.iter_mut().find(|checkout| checkout.root == workspace.root) {
                Some(known) if known.exists => known.branch = known.branch.take().or(workspace.branch),
                Some(known) if workspace.exists => *known = workspace,
                Some(_) => {}
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

/// Whether a working copy can have others beside it, given the directory that they share: quick, and true if unknown.
pub fn may_have_others(root: &Path, common: &Path) -> bool {
    !common.starts_with(root) || common.join("worktrees").exists() || root.join(".jj").exists()
}

/// Whether the other working copies of a family find this one: the main one, and a worktree that was not moved by hand.
pub fn is_found(root: &Path, common: &Path) -> bool {
    let dot_git = root.join(".git");
    let named = git::own_dir(&dot_git).and_then(|own| files::named(&own.join("gitdir"), &own));
    let is_same = |named: PathBuf| std::fs::canonicalize(named).is_ok_and(|named| named == dot_git);
    common.starts_with(root) || named.is_some_and(is_same)
}

/// Whether version control leaves out what a `.gitignore` names, given the directory that checkouts share.
pub fn reads_gitignore(common: &Path) -> bool {
    common.file_name().is_none_or(|name| name != ".hg" && name != ".sl")
}

/// Files and directories that change when a checkout of this family is added or removed, if version control keeps a
/// list. They may not exist.
pub fn marks(path: &Path) -> Vec<PathBuf> {
    let Some((_, root)) = place(path) else { return Vec::new() };
    let dot_jj = root.join(".jj");
    let (behind, heads) = match dot_jj.exists() {
        true => {
            let behind = jj::git_target(&dot_jj).and_then(|target| git::common_dir(&target));
            (behind, jj::repo(&root).map(|repo| repo.join("op_heads/heads")))
        }
        false => (None, None),
    };
    let git = behind.or_else(|| behind_worktrees(&root)).map(|common| common.join("worktrees"));
    git.into_iter().chain(heads).collect()
}
