//! Finds the former name of a file. git does not record renames, so the removed files, and files beside it that may
//! have been copied, are compared with the new one: equal bytes decide, else the ledger with the most common lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::objects::{Item, Objects};
use crate::vcs::SyncError;
use crate::vcs::archive::Likeness;
use crate::vcs::files::path_of;

/// The name in an old tree of a file whose path only a new tree has: of a removed file, or of one `beside` it.
pub(super) fn former(
    objects: &Objects,
    old: ObjectId,
    new: ObjectId,
    file: &Path,
    id: ObjectId,
    beside: Vec<(PathBuf, ObjectId)>,
) -> Result<Option<PathBuf>, SyncError> {
    let is_ledger = |path: &[u8]| path.ends_with(b".jsonl");
    // Empty files are all equal.
    let is_empty = id == ObjectId::empty_blob(objects.repository.object_hash());
    let gone = gone(objects, old, new, &|path, item| is_ledger(path) || item == id && !is_empty)?;
    let mut candidates: Vec<(PathBuf, ObjectId)> = gone.iter().map(|(path, item)| (path_of(path), *item)).collect();
    candidates.extend(beside.into_iter().filter(|(_, item)| *item != id || !is_empty));
    let equal: Vec<&PathBuf> = candidates.iter().filter(|(_, item)| *item == id).map(|(path, _)| path).collect();
    let same = equal.iter().find(|path| path.file_name() == file.file_name());
    if let Some(path) = same.or(equal.first()) {
        return Ok(Some((*path).clone()));
    }
    if candidates.is_empty() || is_empty {
        return Ok(None);
    }
    let text = objects.blob(id)?;
    let mut likeness = Likeness::of(&text);
    for (path, item) in candidates {
        likeness.see(path, &objects.blob(item)?);
    }
    Ok(likeness.name())
}

/// The wanted files of an old tree that a new one lacks, by path. Parts that both trees share are skipped.
fn gone(
    objects: &Objects,
    old: ObjectId,
    new: ObjectId,
    is_wanted: &dyn Fn(&[u8], ObjectId) -> bool,
) -> Result<BTreeMap<Vec<u8>, ObjectId>, SyncError> {
    let mut gone = BTreeMap::new();
    let mut waiting = vec![(Vec::new(), old, Some(new))];
    while let Some((above, old, new)) = waiting.pop() {
        // Whether it is a tree, and which.
        let mut there: BTreeMap<Vec<u8>, Option<ObjectId>> = BTreeMap::new();
        if let Some(new) = new {
            objects.entries(new, |name, item| -> Option<()> {
                there.insert(name.to_vec(), if let Item::Tree(id) = item { Some(id) } else { None });
                None
            })?;
        }
        objects.entries(old, |name, item| -> Option<()> {
            let path = [&above, name].concat();
            match (item, there.get(name)) {
                (Item::Tree(id), Some(Some(new))) if id == *new => {}
                (Item::Tree(id), new) => {
                    waiting.push(([&path, b"/".as_slice()].concat(), id, new.copied().flatten()));
                }
                // A directory may have replaced the file.
                (Item::File(id), None | Some(Some(_))) if is_wanted(&path, id) => drop(gone.insert(path, id)),
                _ => {}
            }
            None
        })?;
    }
    Ok(gone)
}
