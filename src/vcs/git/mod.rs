//! git: read with gix, written by the program `git`.

mod archive;
mod attributes;
mod blobs;
mod changes;
mod checkouts;
mod claims;
mod clones;
mod commit;
mod common;
mod config;
mod first;
mod hooks;
mod index;
mod integrate;
mod join;
mod lines;
mod loose;
mod merged;
mod network;
mod objects;
mod opened;
mod outgoing;
mod over_ssh;
mod programs;
mod remotes;
mod renew;
mod rescue;
mod settings;
mod snapshot;
mod trees;
mod upstream;
mod whereabouts;
mod work;
mod worktrees;

pub(super) use archive::GitArchive;
pub(super) use attributes::merge_attribute;
pub use attributes::pattern;
pub(super) use changes::{commits, range, staged, staged_beside, staged_paths};
pub(super) use checkouts::worktrees;
pub(super) use claims::Server;
pub(super) use clones::{Source, name_remote};
pub use commit::init;
pub(super) use commit::unfinished;
pub use common::common_version;
pub(super) use config::{facts, text as config_text};
pub(super) use first::{first_commits, has_commit};
pub(super) use hooks::{hooks_path, is_ignored, is_unmerged, local_setting, set_local, unmerged};
pub(super) use lines::committed_lines;
pub use loose::keep as keep_loose;
pub(super) use opened::{at as opened, odd_at};
pub use over_ssh::reach_over_ssh;
pub(super) use programs::programs_of;
pub(super) use remotes::repository_at;
pub(super) use rescue::{delete_branch, forget as forget_kept, hand_over, keep_commits, restore as restore_kept};
pub(super) use snapshot::{Known, WorkTree};
pub(super) use whereabouts::between;
pub use worktrees::{is_misplaced, repair};
pub(super) use worktrees::{prune, remove};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::checkouts::{NewCheckout, Work, family};
use super::commit::{CommitError, Committed, Order};
use super::snapshot::{Snapshot, check_key};
use super::sync::{Carried, Integrated, Integration, Outgoing, Parcel, Pushed, Route, Standing, SyncError};
use super::{Archive, Checkout, Facts, Kind, NewClone, Tips, Vcs, any_exists, files, jj};
use super::{Origin, Rescue, Returned, Whereabouts};
use crate::sys::Env;
use crate::sys::activity::Step;

/// `user.name` as git would use it at this place.
pub fn user_name(directory: &Path, env: &Env) -> Option<String> {
    let dot_git = directory.ancestors().map(|dir| dir.join(".git")).find(|dot_git| dot_git.exists());
    // Below a file there is nothing: only the user's own settings count then.
    let nowhere = || ("/dev/null".into(), "/dev/null".into());
    let (own, common) = dot_git.and_then(|git| own_dir(&git).zip(common_dir(&git))).unwrap_or_else(nowhere);
    config::text(&own, &common, "user.name", env).filter(|name| !name.trim().is_empty())
}

/// The size of a file in the last commit; `None` if there is no commit or it is not in it.
pub fn committed_size(file: &Path) -> Option<u64> {
    let file = std::fs::canonicalize(file.parent()?).ok()?.join(file.file_name()?);
    let repository = opened::around(file.parent()?)?;
    let root = std::fs::canonicalize(repository.workdir()?).ok()?;
    let inside = file.strip_prefix(&root).ok()?;
    let tree = repository.head_tree().ok()?;
    let entry = tree.lookup_entry_by_path(inside).ok()??;
    Some(repository.find_header(entry.object_id()).ok()?.size())
}

/// Resolves `.git` (a directory, or a file that names one) to the directory of this working copy.
pub(super) fn own_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = files::bytes(dot_git)?;
    Some(dot_git.parent()?.join(files::path_of(text.strip_prefix(b"gitdir:")?.trim_ascii())))
}

/// Resolves `.git` to the directory shared by all worktrees.
pub(super) fn common_dir(dot_git: &Path) -> Option<PathBuf> {
    let own = own_dir(dot_git)?;
    let shared = files::named(&own.join("commondir"), &own);
    std::fs::canonicalize(shared.unwrap_or(own)).ok()
}

/// A working copy of git.
pub struct Git {
    pub root: PathBuf,
}

impl Git {
    fn checkout<'a>(&'a self, env: &'a Env) -> WorkTree<'a> {
        WorkTree { root: &self.root, dot_git: None, env }
    }
}

impl Vcs for Git {
    fn kind(&self) -> Kind {
        Kind::Git
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn common_dir(&self) -> Option<PathBuf> {
        common_dir(&self.root.join(".git"))
    }

    fn admin_dir(&self) -> Option<PathBuf> {
        checkouts::admin_dir(&self.root)
    }

    fn checkouts(&self) -> Vec<Checkout> {
        family(&self.root)
    }

    fn branch(&self) -> Option<String> {
        checkouts::branch(&self.admin_dir()?)
    }

    fn head(&self, env: &Env) -> Result<Option<String>, SyncError> {
        Ok(upstream::commit(&self.root, "HEAD", env)?.map(|id| id.to_string()))
    }

    fn resolve(&self, name: &str, env: &Env) -> Result<Option<String>, SyncError> {
        Ok(upstream::commit(&self.root, name, env)?.map(|id| id.to_string()))
    }

    fn branches(&self, env: &Env) -> Result<BTreeSet<String>, SyncError> {
        clones::branches(&self.root, env)
    }

    fn tips(&self, most: usize, env: &Env) -> Result<Tips, SyncError> {
        clones::tips(&self.root, most, env)
    }

    fn work(&self, env: &Env) -> Result<Work, SyncError> {
        work::work(&self.root, env)
    }

    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        self.checkout(env).ignored()
    }

    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError> {
        worktrees::add(&self.root, new, env)
    }

    fn clone_checkout(&self, new: &NewClone, step: Option<&Step>, env: &Env) -> Result<Checkout, SyncError> {
        Source { root: &self.root, git_dir: None, env }.clone(new, step)
    }

    fn renew_clone(&self, from: &Path, new: &NewClone, spent: &[PathBuf], env: &Env) -> Result<(), SyncError> {
        renew::renew(&self.root, from, new, spent, env)
    }

    fn forward_clone(&self, from: &Path, base: Option<&str>, env: &Env) -> Result<bool, SyncError> {
        renew::forward(&self.root, from, base, env)
    }

    fn settle_copy(&self, from: &Path, branch: &str, env: &Env) -> Result<(), SyncError> {
        clones::settle(&self.root, from, branch, env)
    }

    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
        match root.join(".jj").exists() {
            true => jj::remove(&self.root, root, force, env),
            false => worktrees::remove(&self.root, &self.root, root, force, env),
        }
    }

    fn prune_checkouts(&self, dry_run: bool, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        worktrees::prune(&self.root, dry_run, env)
    }

    fn facts(&self, env: &Env) -> Facts {
        let dot_git = self.root.join(".git");
        let directories = own_dir(&dot_git).zip(common_dir(&dot_git));
        let none = || Facts { kind: Kind::Git, ..Facts::default() };
        directories.map_or_else(none, |(own, common)| facts(&own, &common, env))
    }

    fn is_busy(&self) -> bool {
        let own = own_dir(&self.root.join(".git"));
        any_exists(&own.map(|dir| dir.join("index.lock")).into_iter().collect::<Vec<_>>())
    }

    fn commit(&self, order: &Order) -> Result<Committed, CommitError> {
        commit::commit(order)
    }

    fn programs(&self, env: &Env) -> Result<Vec<String>, SyncError> {
        Ok(programs::programs(&self.root, env))
    }

    fn committed(&self, file: &Path, _: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        let trees = trees::Trees::open(&self.root)?;
        let item = trees.head()?.map(|tree| trees.item(tree, file)).transpose()?.flatten();
        let file = item.filter(|(mode, _)| trees::is_file(*mode));
        Ok(file.map(|(_, id)| trees.blob(id)).transpose()?)
    }

    fn filter(&self, file: &Path, env: &Env) -> Option<String> {
        let dot_git = self.root.join(".git");
        let (own, common) = own_dir(&dot_git).zip(common_dir(&dot_git))?;
        attributes::filter(&self.root, &own, &common, file, env)
    }

    fn fetch(&self, env: &Env) -> Result<(), SyncError> {
        network::fetch(&self.root, env)
    }

    fn standing(&self, env: &Env) -> Result<Standing, SyncError> {
        upstream::standing(&self.root, env)
    }

    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated, SyncError> {
        integrate::integrate(&self.root, integration)
    }

    fn incoming(&self, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
        outgoing::incoming(&self.root, route)
    }

    fn outgoing(&self, route: &Route<'_>) -> Result<Outgoing, SyncError> {
        outgoing::outgoing(&self.root, route)
    }

    fn push(&self, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed, SyncError> {
        network::push(&self.root, parcel, route)
    }

    fn hooks(&self, env: &Env) -> Result<Vec<String>, SyncError> {
        hooks::of_push(&self.root, env)
    }

    fn archive<'a>(&'a self, _: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError> {
        Ok(Box::new(GitArchive::open(&self.root, None)?))
    }

    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot, SyncError> {
        check_key(key, Kind::Git)?;
        let checkout = self.checkout(env);
        checkout.take(key, limit, &checkout.known()?)
    }

    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>, SyncError> {
        check_key(key, Kind::Git)?;
        self.checkout(env).restore(key, to)
    }

    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        check_key(key, Kind::Git)?;
        self.checkout(env).forget(key)
    }

    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError> {
        whereabouts::whereabouts(&self.root, origin, env)
    }

    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError> {
        let snapshot = self.snapshot(key, u64::MAX, env)?;
        Ok(Rescue { names: keep_commits(&self.root, None, &[], key, to, env)?, snapshot })
    }

    fn hand_over(&self, to: &Path, env: &Env) -> Result<(), SyncError> {
        hand_over(&self.root, None, to, env)
    }

    fn restore_rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Returned, SyncError> {
        check_key(key, Kind::Git)?;
        restore_kept(&self.root, &self.checkout(env), key, to, env)
    }

    fn drop_rescue(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        self.drop_snapshot(key, env)?;
        forget_kept(&self.root, key, env)
    }

    fn delete_branch(&self, name: &str, tip: &str, env: &Env) -> Result<(), SyncError> {
        delete_branch(&self.root, name, tip, env)
    }
}
