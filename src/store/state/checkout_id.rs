//! The ids of a checkout and its repository.

use std::path::{Path, PathBuf};

use crate::model::state_id;
use crate::sys::below;
use crate::vcs;

pub(in crate::store) const ID_NAME: &str = "beads-id";
/// The file with the id of a repository, which its workspaces share.
pub(in crate::store) const REPO_ID_NAME: &str = "repo-id";

pub(in crate::store) fn read_text(directory: &Path, name: &str) -> Option<String> {
    Some(below::text(directory, name).ok()??.trim().to_owned())
}

pub(in crate::store) fn read_id(admin: &Path) -> Option<String> {
    read_text(admin, ID_NAME).filter(|id| state_id::is(state_id::WORKTREE, id))
}

/// The id of the checkout at a path, if it has one.
pub fn worktree_id_at(root: &Path) -> Option<String> {
    read_id(&vcs::open(root).admin_dir()?)
}

/// The checkout in which something was recorded, so that the record is found after the checkout was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Noted {
    /// Identifies the checkout in one state home: `HOME` if it contains the state home, else its id.
    pub mark: String,
    /// Its current path.
    pub root: PathBuf,
}

/// The checkout that contains the state home; both move together.
const HOME: &str = "home";

impl Noted {
    /// The checkout of a ledger, for records in a state home. `None` if only its path identifies it.
    pub(crate) fn of(ledger: &Path, state: &Path) -> Option<Self> {
        let vcs = vcs::open(ledger);
        let beads = ledger.parent()?;
        let (root, admin) = match vcs.admin_dir() {
            Some(admin) => (vcs.root().to_owned(), admin),
            None => (beads.parent()?.to_owned(), without_repository(beads)),
        };
        let mark = if state.starts_with(&root) { HOME.to_owned() } else { read_id(&admin)? };
        Some(Noted { mark, root })
    }

    /// The former root of this checkout, if a file of it, now at `now`, was at `then`. `None` if it was not moved from
    /// there: a checkout that still exists is a different one.
    pub(crate) fn former_root(&self, then: &Path, now: &Path) -> Option<PathBuf> {
        let inside = now.strip_prefix(&self.root).ok()?;
        let was_moved = then != now && then.ends_with(inside) && !then.exists();
        was_moved.then(|| then.iter().take(then.iter().count() - inside.iter().count()).collect())
    }
}

/// `bd`'s directory in the directory that checkouts share.
pub(in crate::store) fn place_of(common: &Path) -> PathBuf {
    common.join("beads")
}

/// The substitute for a repository's own directory: `.beads/run` without version control. If the repository is missing,
/// a path below a file, which cannot exist.
pub(in crate::store) fn without_repository(beads: &Path) -> PathBuf {
    vcs::Around::of(beads).stranded.map_or_else(|| beads.join("run"), |lead| place_of(&lead))
}
