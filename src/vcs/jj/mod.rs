//! jj: its files are read, and the program `jj` commits.

mod commit;
mod config;
mod tool;

pub(super) use tool::{set_tool, settings, tool};

use std::path::{Path, PathBuf};

use super::commit::{CommitError, Committed, Order};
use super::sync::{Integrated, Integration, Pushed, Standing, SyncError};
use super::{Facts, Kind, Vcs, any_exists, files, git};
use crate::sys::Env;

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

/// The directory that all workspaces share. With a git repository behind it that is git's, so that both programs agree.
pub(super) fn common_dir(dot_jj: &Path) -> Option<PathBuf> {
    let git = git_target(dot_jj).and_then(|target| git::common_dir(&target));
    git.or_else(|| std::fs::canonicalize(repo_dir(dot_jj)?).ok()?.parent().map(Path::to_owned))
}

/// A working copy of jj.
pub struct Jj {
    pub root: PathBuf,
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
