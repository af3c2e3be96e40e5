//! The ids that a checkout and its repository bear.

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

/// The checkout that something was noted in, so that the note is found again when the checkout was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// Stands for the checkout in the notes of one state home: that the state home is in it, or else its id.
    pub mark: String,
    /// Where it is now.
    pub root: PathBuf,
}

/// The checkout that holds the state home; both move together.
const HOME: &str = "home";

impl Noted {
    /// The checkout that a ledger is in, for the notes of a state home. `None` if it can only be told by its path.
    pub fn of(ledger: &Path, state: &Path) -> Option<Self> {
        let vcs = vcs::open(ledger);
        let beads = ledger.parent()?;
        let (root, admin) = match vcs.admin_dir() {
            Some(admin) => (vcs.root().to_owned(), admin),
            None => (beads.parent()?.to_owned(), without_repository(beads)),
        };
        let mark = if state.starts_with(&root) { HOME.to_owned() } else { read_id(&admin)? };
        Some(Noted { mark, root })
    }

    /// The root of this checkout when a file of it, which is `now` here, was at `then`. `None` if it was not moved from there: a
    /// checkout that is there still is another one.
    pub fn former_root(&self, then: &Path, now: &Path) -> Option<PathBuf> {
        let inside = now.strip_prefix(&self.root).ok()?;
        let was_moved = then != now && then.ends_with(inside) && !then.exists();
        was_moved.then(|| then.iter().take(then.iter().count() - inside.iter().count()).collect())
    }
}

/// What `bd` keeps in the directory that checkouts share.
pub(in crate::store) fn place_of(common: &Path) -> PathBuf {
    common.join("beads")
}

/// What takes the place of a repository's own directory: `.beads/run` without version control. Where the repository is not there
/// any more it is a path below a file, at which nothing can be or be made.
pub(in crate::store) fn without_repository(beads: &Path) -> PathBuf {
    vcs::Around::of(beads).stranded.map_or_else(|| beads.join("run"), |lead| place_of(&lead))
}
