//! Trees of commits with a file replaced or removed, made without an index.
//!
//! Trees are read with gix and built in memory, so that two can be compared without writing anything. Trees that must
//! be stored are written by git, which knows the permissions for files of a shared repository.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::objs::tree::{Entry, EntryKind, EntryMode};
use gix::objs::{Kind, Tree, WriteTo as _, compute_hash};

use super::commit::git;
use super::hooks::checked;
use crate::sys::Env;
use crate::vcs::{HistoryError, SyncError};

const SHA1: gix::hash::Kind = gix::hash::Kind::Sha1;

/// A tree's entry under a name.
pub(super) type Item = (EntryMode, ObjectId);

/// Why there is no such tree.
#[derive(Debug)]
pub(super) enum EditError {
    /// A path that must be a directory is not one.
    Blocked(PathBuf),
    Unreadable(HistoryError),
}

impl From<HistoryError> for EditError {
    fn from(error: HistoryError) -> Self {
        EditError::Unreadable(error)
    }
}

pub(super) struct Trees {
    objects: gix::Repository,
    /// Trees that are not stored yet.
    new: HashMap<ObjectId, Vec<u8>>,
}

impl Trees {
    pub(super) fn open(root: &Path) -> Result<Self, HistoryError> {
        let objects =
            crate::vcs::layout::opened::at(root).map_err(|error| HistoryError::object(root.display(), error))?;
        Ok(Trees { objects, new: HashMap::new() })
    }

    /// The tree of the last commit; `None` before the first.
    pub(super) fn head(&self) -> Result<Option<ObjectId>, HistoryError> {
        let head = self.objects.head().map_err(|error| HistoryError::object("HEAD", error))?;
        head.id().map(|commit| self.of(commit.detach())).transpose()
    }

    pub(super) fn of(&self, commit: ObjectId) -> Result<ObjectId, HistoryError> {
        let found = self.objects.find_commit(commit).map_err(|error| HistoryError::object(commit, error))?;
        found.tree_id().map(gix::Id::detach).map_err(|error| HistoryError::object(commit, error))
    }

    pub(super) fn parents(&self, commit: ObjectId) -> Result<Vec<ObjectId>, HistoryError> {
        let found = self.objects.find_commit(commit).map_err(|error| HistoryError::object(commit, error))?;
        Ok(found.parent_ids().map(gix::Id::detach).collect())
    }

    pub(super) fn message(&self, commit: ObjectId) -> Result<Vec<u8>, HistoryError> {
        let found = self.objects.find_commit(commit).map_err(|error| HistoryError::object(commit, error))?;
        found.message_raw().map(|text| text.to_vec()).map_err(|error| HistoryError::object(commit, error))
    }

    pub(super) fn blob(&self, id: ObjectId) -> Result<Vec<u8>, HistoryError> {
        let mut blob = self.objects.find_blob(id).map_err(|error| HistoryError::object(id, error))?;
        Ok(blob.take_data())
    }

    pub(super) fn item(&self, tree: ObjectId, path: &Path) -> Result<Option<Item>, HistoryError> {
        let names: Vec<&[u8]> = path.iter().map(std::ffi::OsStr::as_encoded_bytes).collect();
        let Some((last, directories)) = names.split_last() else { return Ok(None) };
        let mut tree = tree;
        for name in directories {
            match self.entries(tree)?.into_iter().find(|entry| entry.filename == *name) {
                Some(entry) if entry.mode.is_tree() => tree = entry.oid,
                _ => return Ok(None),
            }
        }
        let found = self.entries(tree)?.into_iter().find(|entry| entry.filename == *last);
        Ok(found.map(|entry| (entry.mode, entry.oid)))
    }

    /// The tree with this entry at a path, or with the path removed.
    pub(super) fn with(&mut self, tree: ObjectId, path: &Path, item: Option<Item>) -> Result<ObjectId, EditError> {
        Ok(self.edit(Some(tree), path, 0, item)?.unwrap_or_else(|| ObjectId::empty_tree(SHA1)))
    }

    /// The same for the tree behind the first names of the path; `None` for a tree that would be empty.
    fn edit(
        &mut self,
        tree: Option<ObjectId>,
        path: &Path,
        depth: usize,
        item: Option<Item>,
    ) -> Result<Option<ObjectId>, EditError> {
        let mut names = path.iter().skip(depth);
        let Some(name) = names.next().map(std::ffi::OsStr::as_encoded_bytes) else { return Ok(tree) };
        let mut entries = tree.map_or(Ok(Vec::new()), |tree| self.entries(tree))?;
        let old = entries.iter().position(|entry| entry.filename == *name).map(|at| entries.remove(at));
        let new = match old {
            _ if names.next().is_none() => item,
            // Removing an absent path changes nothing.
            Some(old) if !old.mode.is_tree() && item.is_none() => Some((old.mode, old.oid)),
            Some(old) if !old.mode.is_tree() => {
                return Err(EditError::Blocked(path.iter().take(depth + 1).collect()));
            }
            old => self.edit(old.map(|old| old.oid), path, depth + 1, item)?.map(|id| (EntryKind::Tree.into(), id)),
        };
        entries.extend(new.map(|(mode, oid)| Entry { mode, filename: name.to_vec().into(), oid }));
        entries.sort();
        if entries.is_empty() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        Tree { entries }.write_to(&mut bytes).map_err(|error| HistoryError::object("a new tree", error))?;
        let id = compute_hash(SHA1, Kind::Tree, &bytes).map_err(|error| HistoryError::object("a new tree", error))?;
        self.new.insert(id, bytes);
        Ok(Some(id))
    }

    pub(super) fn entries(&self, tree: ObjectId) -> Result<Vec<Entry>, HistoryError> {
        let stored;
        let bytes = match self.new.get(&tree) {
            Some(bytes) => bytes,
            None if tree == ObjectId::empty_tree(SHA1) => return Ok(Vec::new()),
            None => {
                stored = self.objects.find_tree(tree).map_err(|error| HistoryError::object(tree, error))?;
                &stored.data
            }
        };
        let parsed = gix::objs::TreeRef::from_bytes(bytes, SHA1).map_err(|error| HistoryError::object(tree, error))?;
        Ok(Tree::from(parsed).entries)
    }

    /// Stores a tree and all its new subtrees.
    pub(super) fn write(&mut self, tree: ObjectId, root: &Path, env: &Env) -> Result<(), SyncError> {
        let Some(bytes) = self.new.get(&tree).cloned() else { return Ok(()) };
        for entry in self.entries(tree)?.into_iter().filter(|entry| entry.mode.is_tree()) {
            self.write(entry.oid, root, env)?;
        }
        let program = git(root, env).args(["hash-object", "-t", "tree", "-w", "--stdin"]).input(bytes);
        checked("git hash-object", program.run()?)?;
        self.new.remove(&tree);
        Ok(())
    }
}

/// Whether an entry is a file, and not a link, a directory or a submodule.
pub(super) fn is_file(mode: EntryMode) -> bool {
    matches!(mode.kind(), EntryKind::Blob | EntryKind::BlobExecutable)
}

pub(super) fn odd(tree: gix::ObjectId) -> HistoryError {
    HistoryError::object(tree, "a name in it holds a slash")
}

/// The size of a file in the last commit; `None` without a commit or if the file is not in it.
pub fn committed_size(file: &Path) -> Option<u64> {
    let file = std::fs::canonicalize(file.parent()?).ok()?.join(file.file_name()?);
    let repository = crate::vcs::layout::opened::around(file.parent()?)?;
    let root = std::fs::canonicalize(repository.workdir()?).ok()?;
    let inside = file.strip_prefix(&root).ok()?;
    let tree = repository.head_tree().ok()?;
    let entry = tree.lookup_entry_by_path(inside).ok()??;
    Some(repository.find_header(entry.object_id()).ok()?.size())
}

/// The bytes of a file in the last common commit of two checkouts of one repository; `None` if there is none, or git
/// cannot tell.
pub fn common_version(here: &Path, there: &Path, file: &Path) -> Option<Vec<u8>> {
    let repository = crate::vcs::layout::opened::at(here).ok()?;
    let ours = repository.head_id().ok()?.detach();
    let theirs = crate::vcs::layout::opened::at(there).ok()?.head_id().ok()?.detach();
    let base = repository.merge_base(ours, theirs).ok()??;
    let tree = base.object().ok()?.peel_to_tree().ok()?;
    let entry = tree.lookup_entry_by_path(file).ok()??;
    Some(entry.object().ok()?.data.clone())
}
