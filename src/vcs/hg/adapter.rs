//! A working copy of hg or sl. They only differ in how they exchange commits.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::archive::HgArchive;
use super::call::Client;
use super::{changes, checkouts, clones, commit, exchange, gate, held, hgrc, integrate, outgoing};
use super::{shares, snapshot, whereabouts};
use crate::sys::Env;
use crate::sys::activity::Step;
use crate::vcs::Checkout;
use crate::vcs::Verdict;
use crate::vcs::checkouts::{NewCheckout, Work};
use crate::vcs::commit::{Committed, Order};
use crate::vcs::error::only_one;
use crate::vcs::history::{Changed, Span};
use crate::vcs::layout::hg::own_dir;
use crate::vcs::sync::{Carried, Integrated, Integration, Outgoing, Parcel, Pushed, Route, Standing};
use crate::vcs::{Abilities, Cloning, Exchange, Keep, Linking, Past, Vcs, Whereabouts};
use crate::vcs::{
    Archive, CommitError, DatedLine, Facts, Kind, NewClone, Origin, Reach, Rescue, Snapshot, SyncError, Tips,
};

/// A working copy of hg or sl.
pub(crate) struct Hg {
    pub kind: Kind,
    pub root: PathBuf,
    pub exchange: Box<dyn Exchange>,
}

impl Hg {
    fn client<'a>(&self, env: &'a Env) -> Client<'a> {
        Client::new(self.kind, &self.root, "", env)
    }
}

/// Exchanges commits for hg.
pub(crate) struct Exchanging {
    pub root: PathBuf,
    /// The bookmark for exchanging commits, if the user named it.
    pub bookmark: Option<String>,
}

impl Exchanging {
    fn client<'a>(&self, env: &'a Env) -> Client<'a> {
        Client::new(Kind::Hg, &self.root, "", env)
    }
}

impl Vcs for Hg {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn abilities(&self) -> Abilities<'_> {
        let cloning = (self.kind == Kind::Hg).then_some(self as &dyn Cloning);
        Abilities { exchange: Some(&*self.exchange), linking: Some(self), cloning, renewal: None, landing: None }
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn admin_dir(&self) -> Option<PathBuf> {
        checkouts::admin_dir(&own_dir(self.kind, &self.root))
    }

    fn checkouts(&self) -> Vec<Checkout> {
        checkouts::checkouts(self.kind, &own_dir(self.kind, &self.root))
    }

    fn branch(&self) -> Option<String> {
        checkouts::branch(self.kind, &own_dir(self.kind, &self.root))
    }

    fn facts(&self, env: &Env) -> Facts {
        hgrc::facts(self.kind, &self.root, env)
    }

    fn judge(&self, env: &Env) -> Verdict {
        gate::judge(self.kind, &self.root, env)
    }

    fn commit(&self, order: &Order) -> Result<Committed, CommitError> {
        commit::commit(self.kind, order)
    }
}

impl Past for Hg {
    fn head(&self, env: &Env) -> Result<Option<String>, SyncError> {
        Ok(self.client(env).nodes(".")?.into_iter().next())
    }

    fn resolve(&self, name: &str, env: &Env) -> Result<Option<String>, SyncError> {
        only_one(self.client(env).nodes(name))
    }

    fn branches(&self, env: &Env) -> Result<BTreeSet<String>, SyncError> {
        clones::branches(&self.client(env))
    }

    /// Not for sl: it is untested there.
    fn tips(&self, most: usize, env: &Env) -> Result<Tips, SyncError> {
        if self.kind == Kind::Sl { Ok(Tips::default()) } else { clones::tips(&self.client(env), most) }
    }

    fn committed(&self, file: &Path, env: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        self.client(env).cat(".", file)
    }

    fn committed_lines(&self, file: &Path, lines: &[DatedLine<'_>], reach: Reach, env: &Env) -> Option<Vec<bool>> {
        held::committed_lines(&self.client(env), file, lines, reach)
    }

    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        clones::ignored(&self.client(env))
    }

    fn changes(&self, span: Span<'_>, env: &Env, each: &mut dyn FnMut(Changed)) -> Result<(), SyncError> {
        changes::changes(&self.client(env), span, each)
    }

    fn archive<'a>(&'a self, env: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError> {
        Ok(Box::new(HgArchive::new(self.client(env))))
    }

    fn work(&self, env: &Env) -> Result<Work, SyncError> {
        shares::work(&self.client(env))
    }

    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError> {
        whereabouts::whereabouts(&self.client(env), origin)
    }
}

impl Exchange for Exchanging {
    fn fetch(&self, env: &Env) -> Result<(), SyncError> {
        exchange::fetch(&self.client(env))
    }

    fn standing(&self, env: &Env) -> Result<Standing, SyncError> {
        exchange::standing(&self.client(env), self.bookmark.as_deref())
    }

    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated, SyncError> {
        let client = Client::new(Kind::Hg, &self.root, integration.author, integration.env);
        integrate::integrate(&client, self.bookmark.as_deref(), integration)
    }

    fn incoming(&self, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
        outgoing::incoming(&self.client(route.env), self.bookmark.as_deref(), route)
    }

    fn outgoing(&self, route: &Route<'_>) -> Result<Outgoing, SyncError> {
        outgoing::outgoing(&self.client(route.env), self.bookmark.as_deref(), route)
    }

    /// The repository's settings name its hooks, and the user agrees to those in any case.
    fn push(&self, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed, SyncError> {
        exchange::push(&self.client(route.env), self.bookmark.as_deref(), parcel, route.with_code)
    }
}

impl Linking for Hg {
    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError> {
        shares::add(&self.client(env), new)
    }

    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
        shares::remove(&self.client(env), root, force)
    }
}

impl Cloning for Hg {
    fn clone_checkout(&self, new: &NewClone, _: Option<&Step>, env: &Env) -> Result<Checkout, SyncError> {
        clones::clone(&self.client(env), new)
    }

    fn settle_copy(&self, from: &Path, branch: &str, env: &Env) -> Result<(), SyncError> {
        clones::settle(&self.client(env), from, branch)
    }
}

impl Keep for Hg {
    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot, SyncError> {
        snapshot::take(&self.client(env), key, limit)
    }

    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>, SyncError> {
        snapshot::restore(&self.client(env), key, to).map(|()| None)
    }

    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        snapshot::forget(&self.client(env), key)
    }

    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError> {
        whereabouts::rescue(&self.client(env), key, to)
    }

    fn hand_over(&self, to: &Path, env: &Env) -> Result<(), SyncError> {
        whereabouts::hand_over(&self.client(env), to)
    }
}
