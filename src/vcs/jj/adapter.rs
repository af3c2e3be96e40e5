//! A working copy of jj.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::program::Repo;
use super::{archive, bookmark, changes, clones, commit, config, exchange, gate, integrate, outgoing};
use super::{snapshot, whereabouts, workspaces};
use crate::sys::Env;
use crate::sys::activity::Step;
use crate::vcs::Checkout;
use crate::vcs::Verdict;
use crate::vcs::checkouts::{NewCheckout, Work};
use crate::vcs::commit::{Committed, Order};
use crate::vcs::error::only_one;
use crate::vcs::family::family;
use crate::vcs::history::{Changed, Span};
use crate::vcs::layout::jj;
use crate::vcs::layout::jj::{git_behind, git_target};
use crate::vcs::layout::jj_view;
use crate::vcs::layout::jj_workspaces;
use crate::vcs::snapshot::Snapshot;
use crate::vcs::sync::{Carried, Integrated, Integration, Outgoing, Parcel, Pushed, Route, Standing};
use crate::vcs::{Abilities, Cloning, Exchange, Keep, Linking, Past, Vcs, Whereabouts, common_dir, git};
use crate::vcs::{
    Archive, CommitError, DatedLine, Facts, Kind, NewClone, Origin, Reach, Rescue, Returned, SyncError, Tips,
};

/// A working copy of jj.
pub(crate) struct Jj {
    pub root: PathBuf,
    /// The bookmark for exchanging commits, if the user named it.
    pub bookmark: Option<String>,
}

impl Vcs for Jj {
    fn kind(&self) -> Kind {
        Kind::Jj
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { exchange: Some(self), linking: Some(self), cloning: Some(self), renewal: None, landing: None }
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn admin_dir(&self) -> Option<PathBuf> {
        std::fs::canonicalize(self.root.join(".jj")).ok()
    }

    fn checkouts(&self) -> Vec<Checkout> {
        family(&self.root)
    }

    fn prune_checkouts(&self, dry_run: bool, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        let mut gone = workspaces::prune(&self.root, dry_run, env)?;
        if self.root.join(".git").exists() {
            gone.extend(git::prune(&self.root, dry_run, env)?);
        }
        Ok(gone)
    }

    /// The bookmark at the working copy's commit, or nearest below it.
    fn branch(&self) -> Option<String> {
        jj_view::View::read(&jj::repo(&self.root)?).bookmark(&jj_workspaces::name(&self.root)?)
    }

    fn facts(&self, env: &Env) -> Facts {
        config::facts(&self.root.join(".jj"), env)
    }

    fn judge(&self, env: &Env) -> Verdict {
        gate::judge(&self.root, env)
    }

    fn commit(&self, order: &Order) -> Result<Committed, CommitError> {
        commit::commit(order)
    }
}

impl Past for Jj {
    fn head(&self, env: &Env) -> Result<Option<String>, SyncError> {
        Ok(Repo::new(&self.root, env).ids(None, "@-")?.into_iter().next())
    }

    fn resolve(&self, name: &str, env: &Env) -> Result<Option<String>, SyncError> {
        only_one(Repo::new(&self.root, env).ids(None, name))
    }

    fn branches(&self, env: &Env) -> Result<BTreeSet<String>, SyncError> {
        clones::branches(&Repo::new(&self.root, env))
    }

    fn tips(&self, most: usize, env: &Env) -> Result<Tips, SyncError> {
        clones::tips(&Repo::new(&self.root, env), most)
    }

    /// If the working copy's commit has several parents, the first that has the file counts.
    fn committed(&self, file: &Path, env: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        let repo = Repo::new(&self.root, env);
        for parent in repo.ids(None, "@-")? {
            if let Some(bytes) = repo.file(None, &parent, file)? {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    fn committed_lines(&self, file: &Path, lines: &[DatedLine<'_>], reach: Reach, _: &Env) -> Option<Vec<bool>> {
        let heads = if reach == Reach::Any { jj_view::View::heads(&jj::repo(&self.root)?) } else { Vec::new() };
        git::committed_lines(&git_target(&self.root.join(".jj"))?, file, lines, reach, &heads)
    }

    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        snapshot::checkout(&self.root, env)?.ignored()
    }

    fn changes(&self, span: Span<'_>, env: &Env, each: &mut dyn FnMut(Changed)) -> Result<(), SyncError> {
        changes::changes(&self.root, span, env, each)
    }

    fn archive<'a>(&'a self, env: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError> {
        Ok(Box::new(archive::open(Repo::new(&self.root, env), &git_behind(&self.root)?)?))
    }

    fn work(&self, env: &Env) -> Result<Work, SyncError> {
        workspaces::work(&self.root, env)
    }

    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError> {
        whereabouts::whereabouts(&self.root, origin, env)
    }
}

impl Exchange for Jj {
    fn fetch(&self, env: &Env) -> Result<(), SyncError> {
        exchange::fetch(&Repo::new(&self.root, env))
    }

    fn fetch_from(&self, remote: &str, env: &Env) -> Result<(), SyncError> {
        exchange::fetch_from(&Repo::new(&self.root, env), remote)
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
}

impl Linking for Jj {
    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError> {
        workspaces::add(&self.root, new, env)
    }

    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
        match (root.join(".jj").exists(), common_dir(&self.root)) {
            (false, Some(common)) if root.join(".git").exists() => git::remove(&common, &self.root, root, force, env),
            _ => workspaces::remove(&self.root, root, force, env),
        }
    }
}

impl Cloning for Jj {
    fn clone_checkout(&self, new: &NewClone, step: Option<&Step>, env: &Env) -> Result<Checkout, SyncError> {
        clones::clone(&self.root, new, step, env)
    }

    fn settle_copy(&self, from: &Path, branch: &str, env: &Env) -> Result<(), SyncError> {
        clones::settle(&self.root, from, branch, env)
    }
}

impl Keep for Jj {
    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot, SyncError> {
        let known = snapshot::known(&Repo::new(&self.root, env))?;
        snapshot::checkout(&self.root, env)?.take(key, limit, &known)
    }

    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>, SyncError> {
        snapshot::checkout(&self.root, env)?.restore(key, to)
    }

    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        snapshot::checkout(&self.root, env)?.forget(key)
    }

    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError> {
        let snapshot = self.snapshot(key, u64::MAX, env)?;
        Ok(Rescue { names: whereabouts::keep(&self.root, key, to, env)?, snapshot })
    }

    fn hand_over(&self, to: &Path, env: &Env) -> Result<(), SyncError> {
        git::hand_over(&self.root, jj::common_dir(&self.root.join(".jj")), to, env)
    }

    fn restore_rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Returned, SyncError> {
        git::restore_kept(&self.root, &snapshot::checkout(&self.root, env)?, key, to, env)
    }

    fn drop_rescue(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        self.drop_snapshot(key, env)?;
        git::forget_kept(&self.root, key, env)
    }
}
