//! sl, a relative of hg. The program was not at hand: the adapter is tested against a recorded transcript only.

use std::path::{Path, PathBuf};

use super::commit::{CommitError, Committed, Order};
use super::sync::{Integrated, Integration, Pushed, Standing, SyncError};
use super::{Facts, Kind, Vcs, any_exists, hg};
use crate::sys::Env;

/// A working copy of sl.
pub struct Sl {
    pub root: PathBuf,
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

    fn facts(&self, env: &Env) -> Facts {
        hg::facts(Kind::Sl, &self.root, env)
    }

    fn is_busy(&self) -> bool {
        any_exists(&[self.root.join(".sl/wlock")])
    }

    fn commit(&self, order: &Order) -> Result<Committed, CommitError> {
        hg::commit(Kind::Sl, order)
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
