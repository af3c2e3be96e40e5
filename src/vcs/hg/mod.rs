//! hg: its files are read, and the program `hg` does the rest.

mod commit;
mod hgrc;

use std::path::{Path, PathBuf};

use super::commit::{CommitError, Committed, Order};
use super::sync::{Integrated, Integration, Pushed, Standing, SyncError};
use super::{Facts, Kind, Vcs, any_exists, files};
use crate::sys::Env;

pub(super) use commit::commit;
pub(super) use hgrc::facts;

/// The store behind a working copy made by `hg share`; for any other it is its own.
pub(super) fn common_dir(dot_hg: &Path) -> Option<PathBuf> {
    let shared = files::named(&dot_hg.join("sharedpath"), dot_hg).and_then(|path| std::fs::canonicalize(path).ok());
    shared.or_else(|| std::fs::canonicalize(dot_hg).ok())
}

/// A merge is under way, and some files wait for an answer.
pub(super) fn is_merging(root: &Path) -> bool {
    any_exists(&["merge/state2", "merge/state"].map(|name| root.join(".hg").join(name)))
}

/// A working copy of hg.
pub struct Hg {
    pub root: PathBuf,
}

impl Vcs for Hg {
    fn kind(&self) -> Kind {
        Kind::Hg
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn common_dir(&self) -> Option<PathBuf> {
        common_dir(&self.root.join(".hg"))
    }

    fn facts(&self, env: &Env) -> Facts {
        facts(Kind::Hg, &self.root, env)
    }

    fn is_busy(&self) -> bool {
        any_exists(&[self.root.join(".hg/wlock")])
    }

    fn commit(&self, order: &Order) -> Result<Committed, CommitError> {
        commit(Kind::Hg, order)
    }

    fn programs(&self, _: &Env) -> Result<Vec<String>, SyncError> {
        Err(SyncError::Unsupported { kind: self.kind(), what: "programs" })
    }

    fn committed(&self, _: &Path, _: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        Err(SyncError::Unsupported { kind: self.kind(), what: "committed" })
    }

    fn fetch(&self, _: &Env) -> Result<(), SyncError> {
        Err(SyncError::Unsupported { kind: self.kind(), what: "fetch" })
    }

    fn standing(&self, _: &Env) -> Result<Standing, SyncError> {
        Err(SyncError::Unsupported { kind: self.kind(), what: "standing" })
    }

    fn integrate(&self, _: Integration<'_>) -> Result<Integrated, SyncError> {
        Err(SyncError::Unsupported { kind: self.kind(), what: "integrate" })
    }

    fn push(&self, _: &Env) -> Result<Pushed, SyncError> {
        Err(SyncError::Unsupported { kind: self.kind(), what: "push" })
    }
}
