//! A checkout whose files go into snapshots, and the git commands for it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::commit::git_at;
use super::hooks::checked;
use crate::sys::Env;
use crate::sys::process::Program;
use crate::vcs::SyncError;
use crate::vcs::layout::git::common_dir;
use crate::vcs::snapshot::unusable;

/// For a working tree of any size.
const LIMIT: Duration = Duration::from_secs(600);
/// The size limit for lists of files.
const MAX: usize = 256 << 20;
/// Names that are special on other systems are ordinary files here.
const SETTINGS: [&str; 3] = ["core.protectHFS=false", "core.protectNTFS=false", "core.attributesFile=/dev/null"];

/// A checkout, and the git repository behind it.
pub(crate) struct WorkTree<'a> {
    pub root: &'a Path,
    /// If git's directory is not in the working copy.
    pub dot_git: Option<PathBuf>,
    pub env: &'a Env,
}

/// The state of a checkout before its files are read.
#[derive(Default)]
pub(crate) struct Known {
    /// Tracked files; they are saved even if they are ignored.
    pub tracked: BTreeSet<PathBuf>,
    /// Submodules: directories with the commits of other repositories.
    pub submodules: BTreeMap<PathBuf, String>,
    /// Files that are missing on purpose.
    pub absent: HashSet<PathBuf>,
    pub parents: Vec<String>,
}

/// The entries of the tree to make: the mode and id of each file.
pub(super) type Items = BTreeMap<PathBuf, (&'static str, String)>;

impl WorkTree<'_> {
    pub(super) fn git(&self) -> Program<'_> {
        let program = git_at(self.root, self.dot_git.as_deref(), self.env);
        let program = program.var("GIT_NO_LAZY_FETCH", "1").limit(LIMIT).keeping(MAX);
        let program = match &self.dot_git {
            Some(_) => program.var("GIT_WORK_TREE", self.root),
            None => program,
        };
        SETTINGS.iter().fold(program, |program, setting| program.arg("-c").arg(setting))
    }

    pub(super) fn ask(&self, name: &'static str, program: Program<'_>) -> Result<Vec<u8>, SyncError> {
        let output = checked(name, program.run()?)?;
        if output.stdout.len() < MAX {
            return Ok(output.stdout);
        }
        Err(unusable(self.root, std::io::Error::other("it holds more files than can be looked at")))
    }

    pub(super) fn common(&self) -> Result<PathBuf, SyncError> {
        let dot_git = self.dot_git.clone().unwrap_or_else(|| self.root.join(".git"));
        common_dir(&dot_git).ok_or_else(|| unusable(&dot_git, std::io::ErrorKind::NotFound.into()))
    }
}
