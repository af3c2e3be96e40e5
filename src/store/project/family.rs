//! Which checkouts belong together: those of one repository, and the workspaces made from them.
//!
//! Owns `home` in the directory shared by checkouts, which makes a clone a workspace. Its first line is the state home
//! of the original repository, its second the parent checkout. An unpacked archive can contain such a file; it is
//! followed only to a state home that knows the checkout.

use std::path::{Path, PathBuf};

use super::paths;
use super::pointer::Pointer;
use crate::store::state::checkout_id::place_of;
use crate::vcs;

/// The directory that identifies the family of a path: the one shared by the checkouts of its repository, or, in a
/// workspace, of the original repository.
pub(crate) fn family(path: &Path) -> Option<PathBuf> {
    let common = vcs::common_dir(path)?;
    let parent = Pointer::read(&common).and_then(|pointer| pointer.parent);
    Some(parent.and_then(|parent| vcs::common_dir(&parent)).unwrap_or(common))
}

/// Both paths are in checkouts or workspaces of one repository.
pub fn is_family(one: &Path, other: &Path) -> bool {
    family(one).is_some_and(|common| family(other) == Some(common))
}

/// The checkout that a workspace was made from.
pub(crate) fn parent(path: &Path) -> Option<PathBuf> {
    Pointer::read(&vcs::common_dir(path)?)?.parent
}

/// The same directory in the checkout from which the surrounding one was made: the parent of a workspace, the main
/// checkout of another. `None` for the first of its family.
pub fn counterpart(directory: &Path) -> Option<PathBuf> {
    let vcs = vcs::open(directory);
    let root = paths::real(vcs.root());
    let inside = paths::real(directory).strip_prefix(&root).ok()?.to_owned();
    let main = || {
        let all = vcs.checkouts();
        all.into_iter().find(|one| one.is_main && one.exists && one.root != root).map(|one| one.root)
    };
    let first = parent(directory).or_else(main)?;
    Some(if inside.as_os_str().is_empty() { first } else { first.join(inside) })
}

/// The directory shared by checkouts contains state such as claims or mail.
pub fn has_state(common: &Path) -> bool {
    place_of(common).join("version").exists()
}
