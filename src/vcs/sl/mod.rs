//! sl, a relative of hg. The program was not at hand: the adapter is tested against transcripts that were written from the
//! documentation of sl (`fixtures/sl`), and it has never run with a real sl.

mod exchange;
mod integrate;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::clones::NOT_RENEWED;
use super::commit::{CommitError, Committed, Order};
use super::hg::Client;
use super::snapshot::Snapshot;
use super::sync::{Carried, Integrated, Integration, Outgoing, Parcel, Pushed, Route, Standing, SyncError};
use super::{Archive, Checkout, Facts, Kind, NewCheckout, NewClone, Vcs, Work, any_exists, hg};
use super::{Origin, Rescue, Whereabouts};
use crate::sys::Env;
use crate::sys::activity::Step;

const NO_CLONES: &str = "it can neither clone nor copy a repository here; use --kind worktree";

/// A working copy of sl.
pub struct Sl {
    pub root: PathBuf,
}

impl Sl {
    fn client<'a>(&self, author: &str, env: &'a Env) -> Client<'a> {
        Client::new(Kind::Sl, &self.root, author, env)
    }
}

impl Vcs for Sl {
    fn kind(&self) -> Kind {
        Kind::Sl
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn common_dir(&self) -> Option<PathBuf> {
        hg::common_dir(&self.root.join(".sl"))
    }

    fn admin_dir(&self) -> Option<PathBuf> {
        hg::admin_dir(&self.root.join(".sl"))
    }

    fn checkouts(&self) -> Vec<Checkout> {
        hg::checkouts(Kind::Sl, &self.root.join(".sl"))
    }

    fn branch(&self) -> Option<String> {
        hg::branch(Kind::Sl, &self.root.join(".sl"))
    }

    fn head(&self, env: &Env) -> Result<Option<String>, SyncError> {
        Ok(self.client("", env).nodes(".")?.into_iter().next())
    }

    fn resolve(&self, name: &str, env: &Env) -> Result<Option<String>, SyncError> {
        hg::clones::one(&self.client("", env), name)
    }

    fn branches(&self, env: &Env) -> Result<BTreeSet<String>, SyncError> {
        hg::clones::branches(&self.client("", env))
    }

    fn work(&self, env: &Env) -> Result<Work, SyncError> {
        hg::shares::work(&self.client("", env))
    }

    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        hg::clones::ignored(&self.client("", env))
    }

    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError> {
        hg::shares::add(&self.client("", env), new)
    }

    fn clone_checkout(&self, _: &NewClone, _: Option<&Step>, _: &Env) -> Result<Checkout, SyncError> {
        Err(SyncError::Unsupported { kind: Kind::Sl, what: NO_CLONES })
    }

    fn renew_clone(&self, _: &Path, _: &NewClone, _: &[PathBuf], _: &Env) -> Result<(), SyncError> {
        Err(SyncError::Unsupported { kind: Kind::Sl, what: NOT_RENEWED })
    }

    fn forward_clone(&self, _: &Path, _: Option<&str>, _: &Env) -> Result<bool, SyncError> {
        Err(SyncError::Unsupported { kind: Kind::Sl, what: NOT_RENEWED })
    }

    fn settle_copy(&self, _: &Path, _: &str, _: &Env) -> Result<(), SyncError> {
        Err(SyncError::Unsupported { kind: Kind::Sl, what: NO_CLONES })
    }

    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
        hg::shares::remove(&self.client("", env), root, force)
    }

    /// There is no list of shares to be put right.
    fn prune_checkouts(&self, _: bool, _: &Env) -> Result<Vec<PathBuf>, SyncError> {
        Ok(Vec::new())
    }

    fn facts(&self, env: &Env) -> Facts {
        hg::facts(Kind::Sl, &self.root, env)
    }

    fn is_busy(&self) -> bool {
        any_exists(&[self.root.join(".sl/wlock")])
    }

    fn commit(&self, order: &Order) -> Result<Committed, CommitError> {
        hg::commit(Kind::Sl, order)
    }

    fn programs(&self, env: &Env) -> Result<Vec<String>, SyncError> {
        Ok(hg::programs(Kind::Sl, &self.root, env))
    }

    fn committed(&self, file: &Path, env: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        self.client("", env).cat(".", file)
    }

    fn fetch(&self, env: &Env) -> Result<(), SyncError> {
        hg::fetch(&self.client("", env))
    }

    fn standing(&self, env: &Env) -> Result<Standing, SyncError> {
        exchange::standing(&self.client("", env))
    }

    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated, SyncError> {
        integrate::integrate(&self.client(integration.author, integration.env), integration)
    }

    fn incoming(&self, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
        exchange::incoming(&self.client("", route.env), route)
    }

    fn outgoing(&self, route: &Route<'_>) -> Result<Outgoing, SyncError> {
        exchange::outgoing(&self.client("", route.env), route)
    }

    fn push(&self, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed, SyncError> {
        exchange::push(&self.client("", route.env), parcel, route.with_code)
    }

    fn archive<'a>(&'a self, env: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError> {
        Ok(Box::new(hg::HgArchive::new(self.client("", env))))
    }

    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot, SyncError> {
        hg::snapshot::take(&self.client("", env), key, limit)
    }

    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>, SyncError> {
        hg::snapshot::restore(&self.client("", env), key, to).map(|()| None)
    }

    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        hg::snapshot::forget(&self.client("", env), key)
    }

    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError> {
        hg::whereabouts::whereabouts(&self.client("", env), origin)
    }

    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError> {
        hg::whereabouts::rescue(&self.client("", env), key, to)
    }

    fn hand_over(&self, to: &Path, env: &Env) -> Result<(), SyncError> {
        hg::whereabouts::hand_over(&self.client("", env), to)
    }
}
