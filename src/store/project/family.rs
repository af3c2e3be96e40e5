//! Which checkouts belong together: those of one repository, and the workspaces that were made from them.
//!
//! Owns `home` in the directory that checkouts share: it makes a clone a workspace. Its first line is the state home of the
//! repository that the workspace came from, its second the checkout that it was made from. An archive can bring such a file; it
//! is followed only to a state home that knows the checkout.

use std::path::{Path, PathBuf};

use super::place;
use super::pointer::Pointer;
use crate::store::state::checkout_id::place_of;
use crate::vcs;

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
