//! Finds obstacles to updating a working copy from one commit to another.
//!
//! hg would merge a user's change with the new version, and stops half-way where a directory of the user has the name
//! of a new file. So an update only starts if no changed file is touched and every new one has a free path.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::call::Client;
use crate::vcs::SyncError;

/// The user's files that a change of these files would touch, sorted.
pub(crate) fn obstacles(client: &Client<'_>, changed: &[(u8, PathBuf)]) -> Result<Vec<PathBuf>, SyncError> {
    let dirty: BTreeSet<PathBuf> = client.status(&[])?.into_iter().map(|(_, path)| path).collect();
    let of = |letter: u8| changed.iter().filter(move |(found, _)| *found == letter).map(|(_, path)| path.as_path());
    let leaving: BTreeSet<&Path> = of(b'R').filter(|path| !dirty.contains(*path)).collect();
    let mut found: BTreeSet<PathBuf> =
        changed.iter().filter(|(_, path)| dirty.contains(path)).map(|(_, path)| path.clone()).collect();
    for new in of(b'A') {
        let above = new.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty());
        found.extend(above.filter(|dir| is_file(&client.root.join(dir)) && !leaving.contains(dir)).map(Path::to_owned));
        occupied(&client.root, new, &leaving, &mut found);
    }
    Ok(found.into_iter().collect())
}

/// Adds everything at a path, and below it, that is not about to be removed.
fn occupied(root: &Path, place: &Path, leaving: &BTreeSet<&Path>, found: &mut BTreeSet<PathBuf>) {
    let path = root.join(place);
    if is_file(&path) {
        if !leaving.contains(place) {
            found.insert(place.to_owned());
        }
    } else if let Ok(entries) = std::fs::read_dir(&path) {
        let mut entries = entries.flatten().peekable();
        // An empty directory is in the way as well: hg does not remove it.
        if entries.peek().is_none() {
            found.insert(place.to_owned());
        }
        entries.for_each(|entry| occupied(root, &place.join(entry.file_name()), leaving, found));
    }
}

/// Anything but a directory.
fn is_file(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_dir())
}
