//! A directory without version control: queries have empty answers, and snapshots are copies.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::snapshot::{Fresh, check_key};
use super::{
    Abilities, Archive, Changed, Checkout, CommitError, Committed, Facts, HistoryError, Keep, Kind, Order, Origin, Past,
};
use super::{DatedLine, Reach, Rescue, Snapshot, Span, SyncError, Tips, Vcs, Verdict, Whereabouts, Work, copies};
use crate::sys::Env;

/// The directory for state of this project alone; snapshots are stored there, without containing it.
const RUN: &str = ".beads/run";

pub(super) struct Unversioned {
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

    fn abilities(&self) -> Abilities<'_> {
        Abilities::default()
    }

    fn root(&self) -> &Path {
        &self.root
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

    fn facts(&self, _: &Env) -> Facts {
        Facts::default()
    }

    fn judge(&self, _: &Env) -> Verdict {
        Verdict::default()
    }

    fn commit(&self, _: &Order) -> Result<Committed, CommitError> {
        Ok(Committed::NoVcs)
    }
}

impl Past for Unversioned {
    fn head(&self, _: &Env) -> Result<Option<String>, SyncError> {
        Ok(None)
    }

    fn resolve(&self, _: &str, _: &Env) -> Result<Option<String>, SyncError> {
        Ok(None)
    }

    fn branches(&self, _: &Env) -> Result<BTreeSet<String>, SyncError> {
        Ok(BTreeSet::new())
    }

    fn tips(&self, _: usize, _: &Env) -> Result<Tips, SyncError> {
        Ok(Tips::default())
    }

    fn committed(&self, _: &Path, _: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        Ok(None)
    }

    fn committed_lines(&self, _: &Path, _: &[DatedLine<'_>], _: Reach, _: &Env) -> Option<Vec<bool>> {
        None
    }

    fn ignored(&self, _: &Env) -> Result<Vec<PathBuf>, SyncError> {
        Ok(Vec::new())
    }

    fn changes(&self, _: Span<'_>, _: &Env, _: &mut dyn FnMut(Changed)) -> Result<(), SyncError> {
        Err(HistoryError::NotGit { root: self.root.clone(), kind: Kind::None }.into())
    }

    fn archive<'a>(&'a self, _: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError> {
        self.nothing()
    }

    fn work(&self, _: &Env) -> Result<Work, SyncError> {
        self.nothing()
    }

    fn whereabouts(&self, _: &Origin<'_>, _: &Env) -> Result<Whereabouts, SyncError> {
        self.nothing()
    }
}

impl Keep for Unversioned {
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

    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError> {
        let snapshot = self.snapshot(key, u64::MAX, env)?;
        self.hand_over(to, env)?;
        Ok(Rescue { snapshot, names: 0 })
    }

    fn hand_over(&self, to: &Path, _: &Env) -> Result<(), SyncError> {
        self.copies().move_to(&Unversioned { root: to.to_owned() }.copies())
    }
}
