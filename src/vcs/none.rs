//! A directory that is under no version control: there is nothing to ask, and nothing to do but to keep copies.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::clones::NOT_RENEWED;
use super::commit::{CommitError, Committed, Order};
use super::snapshot::{Fresh, Snapshot, check_key};
use super::sync::{Carried, Integrated, Integration, Outgoing, Parcel, Pushed, Route, Standing, SyncError};
use super::{Archive, Checkout, Facts, Kind, NewCheckout, NewClone, Vcs, Work, copies};
use super::{Origin, Rescue, Whereabouts};
use crate::sys::Env;
use crate::sys::activity::Step;

const NO_CHECKOUTS: &str = "only a repository of git, jj or hg can have several checkouts";

/// Where state is kept that is nobody else's; snapshots lie there, and do not hold it.
const RUN: &str = ".beads/run";

pub struct Unversioned {
    pub root: PathBuf,
}

impl Unversioned {
    fn nothing<T>(&self) -> Result<T, SyncError> {
        Err(SyncError::NoVcs { root: self.root.clone() })
    }

    fn copies(&self) -> copies::Copies {
        copies::Copies { dir: self.root.join(RUN).join("snapshots") }
    }
}

impl Vcs for Unversioned {
    fn kind(&self) -> Kind {
        Kind::None
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn common_dir(&self) -> Option<PathBuf> {
        None
    }

    fn admin_dir(&self) -> Option<PathBuf> {
        None
    }

    fn checkouts(&self) -> Vec<Checkout> {
        Vec::new()
    }

    fn branch(&self) -> Option<String> {
        None
    }

    fn head(&self, _: &Env) -> Result<Option<String>, SyncError> {
        Ok(None)
    }

    fn resolve(&self, _: &str, _: &Env) -> Result<Option<String>, SyncError> {
        Ok(None)
    }

    fn branches(&self, _: &Env) -> Result<BTreeSet<String>, SyncError> {
        Ok(BTreeSet::new())
    }

    fn work(&self, _: &Env) -> Result<Work, SyncError> {
        self.nothing()
    }

    fn ignored(&self, _: &Env) -> Result<Vec<PathBuf>, SyncError> {
        Ok(Vec::new())
    }

    fn add_checkout(&self, _: &NewCheckout, _: &Env) -> Result<Checkout, SyncError> {
        Err(SyncError::Unsupported { kind: Kind::None, what: NO_CHECKOUTS })
    }

    fn clone_checkout(&self, _: &NewClone, _: Option<&Step>, _: &Env) -> Result<Checkout, SyncError> {
        Err(SyncError::Unsupported { kind: Kind::None, what: NO_CHECKOUTS })
    }

    fn renew_clone(&self, _: &Path, _: &NewClone, _: &[PathBuf], _: &Env) -> Result<(), SyncError> {
        Err(SyncError::Unsupported { kind: Kind::None, what: NOT_RENEWED })
    }

    fn forward_clone(&self, _: &Path, _: Option<&str>, _: &Env) -> Result<bool, SyncError> {
        Err(SyncError::Unsupported { kind: Kind::None, what: NOT_RENEWED })
    }

    fn settle_copy(&self, _: &Path, _: &str, _: &Env) -> Result<(), SyncError> {
        Ok(())
    }

    fn remove_checkout(&self, _: &Path, _: bool, _: &Env) -> Result<(), SyncError> {
        Err(SyncError::Unsupported { kind: Kind::None, what: NO_CHECKOUTS })
    }

    fn prune_checkouts(&self, _: bool, _: &Env) -> Result<Vec<PathBuf>, SyncError> {
        Ok(Vec::new())
    }

    fn facts(&self, _: &Env) -> Facts {
        Facts::default()
    }

    fn is_busy(&self) -> bool {
        false
    }

    fn programs(&self, _: &Env) -> Result<Vec<String>, SyncError> {
        Ok(Vec::new())
    }

    fn committed(&self, _: &Path, _: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        Ok(None)
    }

    fn commit(&self, _: &Order) -> Result<Committed, CommitError> {
        Ok(Committed::NoVcs)
    }

    fn fetch(&self, _: &Env) -> Result<(), SyncError> {
        self.nothing()
    }

    fn standing(&self, _: &Env) -> Result<Standing, SyncError> {
        self.nothing()
    }

    fn integrate(&self, _: Integration<'_>) -> Result<Integrated, SyncError> {
        self.nothing()
    }

    fn incoming(&self, _: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
        self.nothing()
    }

    fn outgoing(&self, _: &Route<'_>) -> Result<Outgoing, SyncError> {
        self.nothing()
    }

    fn push(&self, _: &Parcel, _: &Route<'_>) -> Result<Pushed, SyncError> {
        self.nothing()
    }

    fn archive<'a>(&'a self, _: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError> {
        self.nothing()
    }

    fn snapshot(&self, key: &str, limit: u64, _: &Env) -> Result<Snapshot, SyncError> {
        check_key(key, Kind::None)?;
        let own = Path::new(RUN);
        let present = copies::below(&self.root, &|directory| directory != own)?;
        let order = copies::Order { key, root: &self.root, base: None, present, removed: Vec::new(), limit };
        self.copies().keep(order)
    }

    fn restore_snapshot(&self, key: &str, to: &Path, _: &Env) -> Result<Option<PathBuf>, SyncError> {
        check_key(key, Kind::None)?;
        let kept = self.copies().find(key, &self.root)?;
        Fresh::fill(to, |to| kept.write(to)).map(|()| None)
    }

    fn drop_snapshot(&self, key: &str, _: &Env) -> Result<(), SyncError> {
        check_key(key, Kind::None)?;
        self.copies().forget(key)
    }

    fn whereabouts(&self, _: &Origin<'_>, _: &Env) -> Result<Whereabouts, SyncError> {
        self.nothing()
    }

    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError> {
        let snapshot = self.snapshot(key, u64::MAX, env)?;
        self.hand_over(to, env)?;
        Ok(Rescue { snapshot, names: 0 })
    }

    fn hand_over(&self, to: &Path, _: &Env) -> Result<(), SyncError> {
        self.copies().move_to(&Unversioned { root: to.to_owned() }.copies())
    }
}
