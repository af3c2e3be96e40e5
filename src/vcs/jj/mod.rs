//! jj: its files are read, and the program `jj` commits, merges and exchanges.

mod archive;
mod beside;
mod bookmark;
mod changes;
mod checkouts;
mod clones;
mod commit;
mod config;
mod conflicts;
mod exchange;
mod fields;
mod integrate;
mod outgoing;
mod program;
mod programs;
mod snapshot;
mod stack;
mod tool;
mod view;
mod whereabouts;
mod workspaces;

pub(super) use changes::changes;
pub(super) use checkouts::{repo, workspaces};
pub(super) use conflicts::is_below as conflicts_below;
pub(super) use tool::{set_tool, settings, tool};
pub(super) use workspaces::remove;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use self::program::Repo;
use super::checkouts::family;
use super::clones::NOT_RENEWED;
use super::commit::{CommitError, Committed, Order};
use super::snapshot::{Snapshot, check_key};
use super::sync::{Carried, Integrated, Integration, Outgoing, Parcel, Pushed, Route, Standing, SyncError};
use super::{Archive, Checkout, Facts, Kind, NewCheckout, NewClone, Tips, Vcs, Work, any_exists, files, git};
use super::{Origin, Reach, Rescue, Returned, Sought, Whereabouts};
use crate::sys::Env;
use crate::sys::activity::Step;

/// The repository behind a workspace: in the first workspace a directory, in others a file that names it.
fn repo_dir(dot_jj: &Path) -> Option<PathBuf> {
    let repo = dot_jj.join("repo");
    if repo.is_dir() {
        return Some(repo);
    }
    files::named(&repo, dot_jj)
}

/// The git repository that keeps the commits: a `.git`, or a directory inside of `.jj`.
pub(super) fn git_target(dot_jj: &Path) -> Option<PathBuf> {
    let store = repo_dir(dot_jj)?.join("store");
    files::named(&store.join("git_target"), &store)
}

/// The directory that all workspaces share. With a git repository behind it that is git's, so that both programs agree; `None`
/// if that is not there any more.
pub(super) fn common_dir(dot_jj: &Path) -> Option<PathBuf> {
    match git_target(dot_jj) {
        Some(target) => git::common_dir(&target),
        None => std::fs::canonicalize(repo_dir(dot_jj)?).ok()?.parent().map(Path::to_owned),
    }
}

/// For each line of a file whether a commit holds it.
pub(super) fn committed_lines(root: &Path, file: &Path, lines: &[Sought<'_>], reach: Reach) -> Option<Vec<bool>> {
    let heads = if reach == Reach::Any { view::View::heads(&checkouts::repo(root)?) } else { Vec::new() };
    git::committed_lines(&git_target(&root.join(".jj"))?, file, lines, reach, &heads)
}

/// A working copy of jj.
pub struct Jj {
    pub root: PathBuf,
    /// The one that commits are exchanged with, where the user named it.
    pub bookmark: Option<String>,
}

impl Vcs for Jj {
    fn kind(&self) -> Kind {
        Kind::Jj
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn common_dir(&self) -> Option<PathBuf> {
        common_dir(&self.root.join(".jj")).or_else(|| git::common_dir(&self.root.join(".git")))
    }

    fn admin_dir(&self) -> Option<PathBuf> {
        std::fs::canonicalize(self.root.join(".jj")).ok()
    }

    fn checkouts(&self) -> Vec<Checkout> {
        family(&self.root)
    }

    /// The bookmark at the working copy's commit or nearest below it.
    fn branch(&self) -> Option<String> {
        view::View::read(&checkouts::repo(&self.root)?).bookmark(&checkouts::name(&self.root)?)
    }

    fn head(&self, env: &Env) -> Result<Option<String>, SyncError> {
        Ok(Repo::new(&self.root, env).ids(None, "@-")?.into_iter().next())
    }

    fn resolve(&self, name: &str, env: &Env) -> Result<Option<String>, SyncError> {
        clones::one(&Repo::new(&self.root, env), name)
    }

    fn branches(&self, env: &Env) -> Result<BTreeSet<String>, SyncError> {
        clones::branches(&Repo::new(&self.root, env))
    }

    fn tips(&self, most: usize, env: &Env) -> Result<Tips, SyncError> {
        clones::tips(&Repo::new(&self.root, env), most)
    }

    fn work(&self, env: &Env) -> Result<Work, SyncError> {
        workspaces::work(&self.root, env)
    }

    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        snapshot::checkout(&self.root, env)?.ignored()
    }

    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError> {
        workspaces::add(&self.root, new, env)
    }

    fn clone_checkout(&self, new: &NewClone, step: Option<&Step>, env: &Env) -> Result<Checkout, SyncError> {
        clones::clone(&self.root, new, step, env)
    }

    fn renew_clone(&self, _: &Path, _: &NewClone, _: &[PathBuf], _: &Env) -> Result<(), SyncError> {
        Err(SyncError::Unsupported { kind: Kind::Jj, what: NOT_RENEWED })
    }

    fn forward_clone(&self, _: &Path, _: Option<&str>, _: &Env) -> Result<bool, SyncError> {
        Err(SyncError::Unsupported { kind: Kind::Jj, what: NOT_RENEWED })
    }

    fn settle_copy(&self, from: &Path, branch: &str, env: &Env) -> Result<(), SyncError> {
        clones::settle(&self.root, from, branch, env)
    }

    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
        match (root.join(".jj").exists(), self.common_dir()) {
            (false, Some(common)) if root.join(".git").exists() => git::remove(&common, &self.root, root, force, env),
            _ => workspaces::remove(&self.root, root, force, env),
        }
    }

    fn prune_checkouts(&self, dry_run: bool, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        let mut gone = workspaces::prune(&self.root, dry_run, env)?;
        if self.root.join(".git").exists() {
            gone.extend(git::prune(&self.root, dry_run, env)?);
        }
        Ok(gone)
    }

    fn facts(&self, env: &Env) -> Facts {
        config::facts(&self.root.join(".jj"), env)
    }

    fn is_busy(&self) -> bool {
        let index = git::own_dir(&self.root.join(".git")).map(|dir| dir.join("index.lock"));
        let locks = [Some(self.root.join(".jj/working_copy/working_copy.lock")), index];
        any_exists(&locks.into_iter().flatten().collect::<Vec<_>>())
    }

    fn commit(&self, order: &Order) -> Result<Committed, CommitError> {
        commit::commit(order)
    }

    /// git counts too: jj runs it to talk to a network.
    fn programs(&self, env: &Env) -> Result<Vec<String>, SyncError> {
        let dot_jj = self.root.join(".jj");
        let mut lines = programs::programs(&dot_jj);
        lines.extend(git_target(&dot_jj).map(|git| git::programs_of(&self.root, &git, env)).unwrap_or_default());
        lines.sort();
        Ok(lines)
    }

    /// Where the working copy's commit has several parents, the first that has the file counts.
    fn committed(&self, file: &Path, env: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        let repo = Repo::new(&self.root, env);
        for parent in repo.ids(None, "@-")? {
            if let Some(bytes) = repo.file(None, &parent, file)? {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    fn fetch(&self, env: &Env) -> Result<(), SyncError> {
        exchange::fetch(&Repo::new(&self.root, env))
    }

    fn standing(&self, env: &Env) -> Result<Standing, SyncError> {
        bookmark::standing(&Repo::new(&self.root, env), self.bookmark.as_deref())
    }

    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated, SyncError> {
        integrate::integrate(&self.root, self.bookmark.as_deref(), integration)
    }

    fn incoming(&self, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
        outgoing::incoming(&Repo::new(&self.root, route.env), self.bookmark.as_deref(), route)
    }

    fn outgoing(&self, route: &Route<'_>) -> Result<Outgoing, SyncError> {
        outgoing::outgoing(&Repo::new(&self.root, route.env), self.bookmark.as_deref(), route)
    }

    /// jj runs no hooks.
    fn push(&self, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed, SyncError> {
        exchange::push(&Repo::new(&self.root, route.env), self.bookmark.as_deref(), parcel)
    }

    fn archive<'a>(&'a self, env: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError> {
        let git = git_target(&self.root.join(".jj"));
        let Some(git) = git else {
            return Err(SyncError::Unsupported { kind: Kind::Jj, what: "its commits are not kept in git" });
        };
        Ok(Box::new(archive::JjArchive::open(Repo::new(&self.root, env), &git)?))
    }

    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot, SyncError> {
        check_key(key, Kind::Jj)?;
        let known = snapshot::known(&Repo::new(&self.root, env))?;
        snapshot::checkout(&self.root, env)?.take(key, limit, &known)
    }

    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>, SyncError> {
        check_key(key, Kind::Jj)?;
        snapshot::checkout(&self.root, env)?.restore(key, to)
    }

    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        check_key(key, Kind::Jj)?;
        snapshot::checkout(&self.root, env)?.forget(key)
    }

    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError> {
        whereabouts::whereabouts(&self.root, origin, env)
    }

    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError> {
        let snapshot = self.snapshot(key, u64::MAX, env)?;
        Ok(Rescue { names: whereabouts::keep(&self.root, key, to, env)?, snapshot })
    }

    fn hand_over(&self, to: &Path, env: &Env) -> Result<(), SyncError> {
        git::hand_over(&self.root, common_dir(&self.root.join(".jj")), to, env)
    }

    fn restore_rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Returned, SyncError> {
        check_key(key, Kind::Jj)?;
        git::restore_kept(&self.root, &snapshot::checkout(&self.root, env)?, key, to, env)
    }

    fn drop_rescue(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        self.drop_snapshot(key, env)?;
        git::forget_kept(&self.root, key, env)
    }
}
