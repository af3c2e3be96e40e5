//! What trees have at a path. Thousands of commits share the directory of the ledger, so each tree is looked into once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::objects::{Item, Objects};
use crate::vcs::SyncError;

#[derive(Default)]
pub struct Items {
    paths: Vec<Known>,
}

/// What is known of one path.
struct Known {
    path: PathBuf,
    /// For each name of the path: what trees have at the rest of it.
    below: Vec<HashMap<ObjectId, Option<ObjectId>>>,
}

impl Items {
    /// The file at a path in a tree.
    pub fn file(&mut self, objects: &Objects, tree: ObjectId, path: &Path) -> Result<Option<ObjectId>, SyncError> {
        let at = self.paths.iter().position(|known| known.path == path).unwrap_or_else(|| {
            let below = path.iter().map(|_| HashMap::new()).collect();
            self.paths.push(Known { path: path.to_owned(), below });
            self.paths.len() - 1
        });
        let Known { path, below } = &mut self.paths[at];
        let names: Vec<&[u8]> = path.iter().map(std::ffi::OsStr::as_encoded_bytes).collect();
        find(objects, tree, &names, below)
    }
}

fn find(
    objects: &Objects,
    tree: ObjectId,
    names: &[&[u8]],
    known: &mut [HashMap<ObjectId, Option<ObjectId>>],
) -> Result<Option<ObjectId>, SyncError> {
    let Some(((name, names), (here, known))) = names.split_first().zip(known.split_first_mut()) else {
        return Ok(None);
    };
    if let Some(found) = here.get(&tree) {
        return Ok(*found);
    }
    let item = objects.entries(tree, |entry, item| (entry == *name).then_some(item))?;
    let found = match item {
        Some(Item::File(id)) if names.is_empty() => Some(id),
        Some(Item::Tree(id)) if !names.is_empty() => find(objects, id, names, known)?,
        _ => None,
    };
    here.insert(tree, found);
    Ok(found)
}
