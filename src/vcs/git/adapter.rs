//! A working copy of git.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::archive::GitArchive;
use super::clones::Source;
use super::work_tree::WorkTree;
use super::{attributes, changes, clones, commit, config, hooks, integrate, landing, lines, network, outgoing};
use super::{gate, renew, rescue, trees, upstream, whereabouts, work, worktrees};
use crate::sys::Env;
use crate::sys::activity::Step;
use crate::vcs::Checkout;
use crate::vcs::checkouts::{NewCheckout, Work};
use crate::vcs::commit::{Committed, Order};
use crate::vcs::family::family;
use crate::vcs::history::{Changed, Repository, Span};
use crate::vcs::layout::git_worktrees;
use crate::vcs::snapshot::Snapshot;
use crate::vcs::sync::{Carried, Integrated, Integration, Outgoing, Parcel, Pushed, Route, Standing};
use crate::vcs::{Abilities, Cloning, Exchange, Keep, Landing, Linking, Past, Renewal, Vcs, Verdict, Whereabouts};
use crate::vcs::{
    Archive, CommitError, DatedLine, Facts, Kind, NewClone, Origin, Reach, Rescue, Returned, SyncError, Tips,
};

/// A working copy of git.
pub(crate) struct Git {
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

    fn abilities(&self) -> Abilities<'_> {
        Abilities {
            exchange: Some(self),
            linking: Some(self),
            cloning: Some(self),
            renewal: Some(self),
            landing: Some(self),
        }
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn admin_dir(&self) -> Option<PathBuf> {
        git_worktrees::admin_dir(&self.root)
    }

    fn checkouts(&self) -> Vec<Checkout> {
        family(&self.root)
    }

    fn prune_checkouts(&self, dry_run: bool, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        worktrees::prune(&self.root, dry_run, env)
    }

    fn branch(&self) -> Option<String> {
        git_worktrees::branch(&self.admin_dir()?)
    }

    fn facts(&self, env: &Env) -> Facts {
        config::facts(&self.root.join(".git"), env)
    }

    fn judge(&self, env: &Env) -> Verdict {
        gate::judge(&self.root, &self.root.join(".git"), env)
    }

    fn commit(&self, order: &Order) -> Result<Committed, CommitError> {
        commit::commit(order)
    }

    fn delete_branch(&self, name: &str, tip: &str, env: &Env) -> Result<(), SyncError> {
        rescue::delete_branch(&self.root, name, tip, env)
    }
}

impl Past for Git {
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

    fn committed(&self, file: &Path, _: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        let trees = trees::Trees::open(&self.root)?;
        let item = trees.head()?.map(|tree| trees.item(tree, file)).transpose()?.flatten();
        let file = item.filter(|(mode, _)| trees::is_file(*mode));
        Ok(file.map(|(_, id)| trees.blob(id)).transpose()?)
    }

    fn committed_lines(&self, file: &Path, lines: &[DatedLine<'_>], reach: Reach, _: &Env) -> Option<Vec<bool>> {
        lines::committed_lines(&self.root.join(".git"), file, lines, reach, &[])
    }

    fn filter(&self, file: &Path, env: &Env) -> Option<String> {
        attributes::filter(&self.root, file, env)
    }

    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        self.checkout(env).ignored()
    }

    fn changes(&self, span: Span<'_>, env: &Env, each: &mut dyn FnMut(Changed)) -> Result<(), SyncError> {
        changes::changes(&Repository { root: &self.root, git_dir: self.root.join(".git"), env }, span, each)
    }

    fn archive<'a>(&'a self, env: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError> {
        Ok(Box::new(GitArchive::open(&self.root, None, env)?))
    }

    fn work(&self, env: &Env) -> Result<Work, SyncError> {
        work::work(&self.root, env)
    }

    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError> {
        whereabouts::whereabouts(&self.root, origin, env)
    }
}

impl Exchange for Git {
    fn fetch(&self, env: &Env) -> Result<(), SyncError> {
        network::fetch(&self.root, env)
    }

    fn fetch_from(&self, remote: &str, env: &Env) -> Result<(), SyncError> {
        network::fetch_from(&self.root, remote, env)
    }

    fn standing(&self, env: &Env) -> Result<Standing, SyncError> {
        upstream::standing(&self.root, env)
    }

    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated, SyncError> {
        integrate::integrate(&self.root, None, integration)
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
}

impl Linking for Git {
    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError> {
        worktrees::add(&self.root, new, env)
    }

    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
        worktrees::remove(&self.root, &self.root, root, force, env)
    }
}

impl Cloning for Git {
    fn clone_checkout(&self, new: &NewClone, step: Option<&Step>, env: &Env) -> Result<Checkout, SyncError> {
        Source { root: &self.root, git_dir: None, env }.clone(new, step)
    }

    fn settle_copy(&self, from: &Path, branch: &str, env: &Env) -> Result<(), SyncError> {
        clones::settle(&self.root, from, branch, env)
    }
}

impl Renewal for Git {
    fn renew_clone(&self, from: &Path, new: &NewClone, spent: &[PathBuf], env: &Env) -> Result<(), SyncError> {
        renew::renew(&self.root, from, new, spent, env)
    }

    fn forward_clone(&self, from: &Path, base: Option<&str>, env: &Env) -> Result<bool, SyncError> {
        renew::forward(&self.root, from, base, env)
    }
}

impl Landing for Git {
    fn take_branch(&self, from: &Path, branch: &str, env: &Env) -> Result<String, SyncError> {
        landing::take_branch(&self.root, from, branch, env)
    }

    fn between(&self, known: &str, tip: &str, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
        outgoing::between(&self.root, known, tip, route)
    }

    fn land(&self, commit: &str, name: &str, integration: Integration<'_>) -> Result<Integrated, SyncError> {
        integrate::integrate(&self.root, Some((commit, name)), integration)
    }

    fn set_to(&self, commit: &str, env: &Env) -> Result<(), SyncError> {
        landing::set_to(&self.root, commit, env)
    }

    fn drop_trial(&self, root: &Path, env: &Env) -> Result<(), SyncError> {
        landing::drop_trial(&self.root, root, env)
    }
}

impl Keep for Git {
    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot, SyncError> {
        let checkout = self.checkout(env);
        checkout.take(key, limit, &checkout.known()?)
    }

    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>, SyncError> {
        self.checkout(env).restore(key, to)
    }

    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        self.checkout(env).forget(key)
    }

    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError> {
        let snapshot = self.snapshot(key, u64::MAX, env)?;
        Ok(Rescue { names: rescue::keep_commits(&self.root, None, &[], key, to, env)?, snapshot })
    }

    fn hand_over(&self, to: &Path, env: &Env) -> Result<(), SyncError> {
        rescue::hand_over(&self.root, None, to, env)
    }

    fn restore_rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Returned, SyncError> {
        rescue::restore(&self.root, &self.checkout(env), key, to, env)
    }

    fn drop_rescue(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        self.drop_snapshot(key, env)?;
        rescue::forget(&self.root, key, env)
    }
}
