//! Looks up paths in trees. Thousands of commits share the ledger's directory, so each tree is read once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gix::ObjectId;

use super::objects::{Item, Objects};
use crate::vcs::SyncError;

/// For each path: the entry in each tree of its directory.
#[derive(Default)]
pub(super) struct Items {
    known: HashMap<PathBuf, HashMap<ObjectId, Option<Item>>>,
}

impl Items {
    /// The file at a path in a tree.
    pub(super) fn file(
        &mut self,
        objects: &Objects,
        tree: ObjectId,
        path: &Path,
    ) -> Result<Option<ObjectId>, SyncError> {
        match self.item(objects, tree, path)? {
            Some(Item::File(id)) => Ok(Some(id)),
            _ => Ok(None),
        }
    }

    fn item(&mut self, objects: &Objects, root: ObjectId, path: &Path) -> Result<Option<Item>, SyncError> {
        let Some(name) = path.file_name() else { return Ok(None) };
        let tree = match path.parent().filter(|above| !above.as_os_str().is_empty()) {
            None => root,
            Some(above) => match self.item(objects, root, above)? {
                Some(Item::Tree(id)) => id,
                _ => return Ok(None),
            },
        };
        if let Some(found) = self.known.get(path).and_then(|known| known.get(&tree)) {
            return Ok(*found);
        }
        let name = name.as_encoded_bytes();
        let found = objects.entries(tree, |entry, item| (entry == name).then_some(item))?;
        self.known.entry(path.to_owned()).or_default().insert(tree, found);
        Ok(found)
    }
}
