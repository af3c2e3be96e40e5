//! Which checkouts belong together: those of one repository, and the workspaces that were made from them.
//!
//! Owns `home` in the directory that checkouts share: it makes a clone a workspace. Its first line is the state home of the
//! repository that the workspace came from, its second the checkout that it was made from.

use std::path::{Path, PathBuf};

use super::place;
use crate::ledger::MAX_LEDGER;
use crate::model::json::Dialect;
use crate::sys::fs::FsError;
use crate::sys::{Entropy, below};
use crate::vcs;

const POINTER: &str = "home";
/// The records of workspaces in a state home.
const RECORDS: &str = "workspaces.jsonl";

/// What makes a clone a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    /// The state home of the repository that it came from.
    pub home: PathBuf,
    /// The checkout that it was made from.
    pub parent: Option<PathBuf>,
}

impl Pointer {
    /// The one in a directory that checkouts share.
    pub fn read(common: &Path) -> Option<Self> {
        Self::read_in(&place_of(common))
    }

    /// The one of a repo whose checkouts share this directory. Without version control it is a file like others, which anybody may have put there: it counts only
    /// if the state home knows a workspace at this place.
    pub fn of(beads: &Path, common: Option<&Path>) -> Option<Self> {
        if let Some(common) = common {
            return Self::read(common);
        }
        let found = Self::read_in(&beads.join("run"))?;
        let records = below::read(&found.home, RECORDS, MAX_LEDGER).ok()?.bytes;
        let root = place::real(beads.parent()?);
        let path = Dialect::default().string(&root.display().to_string());
        memchr::memmem::find(&records, format!("\"path\":{path}").as_bytes()).map(|_| found)
    }

    fn read_in(directory: &Path) -> Option<Self> {
        let text = below::text(directory, POINTER).ok()??;
        let mut lines = text.lines().map(str::trim);
        let absolute = |line: &str| Some(PathBuf::from(line)).filter(|path| path.is_absolute());
        Some(Pointer { home: absolute(lines.next()?)?, parent: lines.next().and_then(absolute) })
    }

    /// Leads a workspace to another place, whole or not at all.
    pub(super) fn rewrite(&self, directory: &Path) -> Result<(), FsError> {
        below::put(directory, POINTER, self.text().as_bytes())
    }

    fn text(&self) -> String {
        let parent = self.parent.as_ref().map(|path| format!("{}\n", path.display())).unwrap_or_default();
        format!("{}\n{parent}", self.home.display())
    }

    /// Makes a clone a workspace. One that is a workspace already stays what it is.
    pub(super) fn write(&self, directory: &Path, entropy: &Entropy) -> Result<(), FsError> {
        super::home::prepare(directory)?;
        super::records::fill(directory, POINTER, self.text().as_bytes(), entropy).map(drop)
    }
}

/// What `bd` keeps in the directory that checkouts share.
pub(super) fn place_of(common: &Path) -> PathBuf {
    common.join("beads")
}

/// The directory that names the family of a path: what the checkouts of its repository share, or, in a workspace, what those of
/// the repository share that it was made from.
pub fn family(path: &Path) -> Option<PathBuf> {
    let common = vcs::common_dir(path)?;
    let parent = Pointer::read(&common).and_then(|pointer| pointer.parent);
    Some(parent.and_then(|parent| vcs::common_dir(&parent)).unwrap_or(common))
}

/// Both paths lie in checkouts or workspaces of one repository.
pub fn is_family(one: &Path, other: &Path) -> bool {
    family(one).is_some_and(|common| family(other) == Some(common))
}

/// The checkout that a workspace was made from.
pub fn parent(path: &Path) -> Option<PathBuf> {
    Pointer::read(&vcs::common_dir(path)?)?.parent
}

/// The same directory in the checkout that the one around it was made from: the parent of a workspace, the main checkout of
/// another. `None` if it is the first of its family.
pub fn counterpart(directory: &Path) -> Option<PathBuf> {
    let vcs = vcs::open(directory);
    let root = place::real(vcs.root());
    let inside = place::real(directory).strip_prefix(&root).ok()?.to_owned();
    let main = || {
        let all = vcs.checkouts();
        all.into_iter().find(|one| one.is_main && one.exists && one.root != root).map(|one| one.root)
    };
    let first = parent(directory).or_else(main)?;
    Some(if inside.as_os_str().is_empty() { first } else { first.join(inside) })
}

/// Somebody has kept claims, mail or the like in the directory that checkouts share.
pub fn has_state(common: &Path) -> bool {
    place_of(common).join("version").exists()
}
