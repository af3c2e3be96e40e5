//! The file that points from a workspace to its shared state home.

use std::path::{Path, PathBuf};

use super::paths;
use crate::model::json::Dialect;
use crate::store::file_names::{REGISTRY, WORKSPACES_NAME};
use crate::store::state::checkout_id::{place_of, without_repository, worktree_id_at};
use crate::store::state::directory::{fill, prepare};
use crate::sys::fs::FsError;
use crate::sys::{Entropy, below, path};
use crate::vcs;

pub(in crate::store) const POINTER: &str = "home";

pub(in crate::store) const MAX_RECORDS: u64 = 16 << 20;

/// What a checkout says about being a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PointerState {
    /// The state home that it names knows it.
    Known(Pointer),
    /// The state home that it names is missing.
    Lost(Pointer),
    /// The state home that it names does not know it.
    Unknown { file: PathBuf, pointer: Pointer },
}

/// What makes a clone a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// The state home of the original repository.
    pub home: PathBuf,
    /// The parent checkout.
    pub parent: Option<PathBuf>,
}

impl Pointer {
    /// The pointer in the directory that checkouts share, if the state home knows the checkout.
    pub fn read(common: &Path) -> Option<Self> {
        Self::written(common).filter(|pointer| pointer.is_known(&root_of(common)))
    }

    /// The pointer as written, known or not.
    pub fn written(common: &Path) -> Option<Self> {
        Self::read_in(&place_of(common))
    }

    /// What a repo says about being a workspace; `common` is shared by its checkouts. Anyone may have put the file
    /// there, so it counts only if the state home it names knows the checkout.
    pub fn of(beads: &Path, common: Option<&Path>) -> Option<PointerState> {
        let (directory, root) = match common {
            Some(common) => (place_of(common), root_of(common)),
            None => (beads.join("run"), beads.parent()?.to_owned()),
        };
        let found = Self::read_in(&directory)?;
        Some(match found.is_known(&root) {
            true => PointerState::Known(found),
            // That home cannot be asked, and nothing of it is used.
            false if common.is_some() && !found.home.exists() => PointerState::Lost(found),
            false => PointerState::Unknown { file: directory.join(POINTER), pointer: found },
        })
    }

    fn read_in(directory: &Path) -> Option<Self> {
        let is_there = path::is_there(&directory.join(POINTER));
        let text = is_there.then(|| below::text(directory, POINTER))?.ok()??;
        let mut lines = text.lines().map(str::trim);
        let absolute = |line: &str| Some(PathBuf::from(line)).filter(|path| path.is_absolute());
        Some(Pointer { home: absolute(lines.next()?)?, parent: lines.next().and_then(absolute) })
    }

    /// The state home has a record of the checkout with this root, by its path or its id, and knows the workspace's
    /// parent: by that record, or as its own checkout. The ids are known only to those who can read the records.
    pub fn is_known(&self, root: &Path) -> bool {
        let records = text_in(&self.home, WORKSPACES_NAME);
        let has = |line: &str, key: &str, value: &str| {
            line.contains(&format!("\"{key}\":{}", Dialect::default().string(value)))
        };
        let (here, id) = (paths::real(root).display().to_string(), worktree_id_at(root));
        let is_listed =
            |line: &&str| has(line, "path", &here) || id.as_ref().is_some_and(|id| has(line, "worktree_id", id));
        let listed: Vec<&str> = records.lines().filter(is_listed).collect();
        let is_parent = |parent: &Path| {
            let noted = parent.display().to_string();
            listed.iter().any(|line| has(line, "parent", &noted)) || self.is_home_of(parent)
        };
        !listed.is_empty() && self.parent.as_deref().is_none_or(is_parent)
    }

    /// The state home belongs to a checkout: it is stored with it, or has recorded its id. A missing checkout does not
    /// count.
    fn is_home_of(&self, checkout: &Path) -> bool {
        let usual = vcs::common_dir(checkout).map(|common| place_of(&common));
        let own = without_repository(&checkout.join(crate::store::BEADS_DIR));
        let is_it = |place: PathBuf| paths::real(&place) == paths::real(&self.home);
        !checkout.exists()
            || usual.is_some_and(is_it)
            || is_it(own)
            || worktree_id_at(checkout).is_some_and(|id| text_in(&self.home, REGISTRY).contains(&format!("\"{id}\"")))
    }

    /// Points a workspace to another place, atomically.
    pub(in crate::store) fn rewrite(&self, directory: &Path) -> Result<(), FsError> {
        below::put(directory, POINTER, self.text().as_bytes())
    }

    fn text(&self) -> String {
        let parent = self.parent.as_ref().map(|path| format!("{}\n", path.display())).unwrap_or_default();
        format!("{}\n{parent}", self.home.display())
    }

    /// Makes a clone a workspace. An existing workspace is unchanged.
    pub(in crate::store) fn write(&self, directory: &Path, entropy: &Entropy) -> Result<(), FsError> {
        prepare(directory)?;
        fill(directory, POINTER, self.text().as_bytes(), entropy).map(drop)
    }
}

/// The text of a file of records; empty if it cannot be read.
pub(in crate::store) fn text_in(home: &Path, name: &str) -> String {
    let bytes = below::read(home, name, MAX_RECORDS).map(|contents| contents.bytes).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The checkout that contains the directory which checkouts share.
pub(in crate::store) fn root_of(common: &Path) -> PathBuf {
    let is_own = |path: &&Path| {
        path.file_name().is_some_and(|name| [".git", ".jj", ".hg", ".sl"].iter().any(|own| name == *own))
    };
    let own = common.ancestors().find(is_own).unwrap_or(common);
    own.parent().unwrap_or(own).to_owned()
}
