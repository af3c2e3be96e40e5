//! The objects of a repository, read with gix. Nothing is fetched: an object that a partial clone lacks is an error
//! that says so.

use std::path::Path;

use gix::ObjectId;
use gix::objs::{CommitRef, Kind, TreeRefIter};
use gix::odb::pack::cache::lru::MemoryCappedHashmap;

use crate::vcs::git::trees::is_file;
use crate::vcs::layout::opened;
use crate::vcs::{HistoryError, SyncError};

/// The size of the cache for objects that others are deltas of.
const BASES: usize = 8 << 20;

pub(super) struct Objects {
    pub repository: gix::Repository,
}

/// A tree's entry under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    File(ObjectId),
    Tree(ObjectId),
    Other,
}

pub(super) fn unreadable(id: impl ToString, error: impl std::fmt::Display) -> SyncError {
    HistoryError::object(id, error).into()
}

impl Objects {
    /// Opens the repository of a working copy, or a directory like `.git`.
    pub(super) fn open(place: &Path) -> Result<Self, SyncError> {
        let mut repository = opened::at(place).map_err(|error| unreadable(place.display(), error))?;
        repository.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(BASES)));
        Ok(Objects { repository })
    }

    fn read(&self, id: ObjectId, kind: Kind) -> Result<gix::Object<'_>, SyncError> {
        match self.repository.try_find_object(id) {
            Ok(Some(object)) if object.kind == kind => Ok(object),
            Ok(Some(object)) => Err(unreadable(id, format!("it is a {}, and not a {kind}", object.kind))),
            Ok(None) => Err(unreadable(id, self.why_missing())),
            Err(error) => Err(unreadable(id, error)),
        }
    }

    fn why_missing(&self) -> &'static str {
        let store = self.repository.objects.store_ref();
        // Broken alternates are reported when an object is not found.
        let others = store.alternate_db_paths().unwrap_or_default();
        let directories = others.into_iter().chain([store.path().to_owned()]);
        let files = directories.flat_map(|directory| std::fs::read_dir(directory.join("pack"))).flatten().flatten();
        if files.map(|file| file.path()).any(|path| path.extension().is_some_and(|end| end == "promisor")) {
            "this partial clone does not have it; `git fetch --refetch --no-filter` gets all that is missing"
        } else {
            "it is missing; `git fsck` says what else is, and another clone may have it"
        }
    }

    /// Reads a commit.
    pub(super) fn commit<T>(&self, id: ObjectId, look: impl FnOnce(&CommitRef<'_>) -> T) -> Result<T, SyncError> {
        let object = self.read(id, Kind::Commit)?;
        let hash = self.repository.object_hash();
        let commit = CommitRef::from_bytes(&object.data, hash).map_err(|error| unreadable(id, error))?;
        Ok(look(&commit))
    }

    pub(super) fn blob(&self, id: ObjectId) -> Result<Vec<u8>, SyncError> {
        Ok(self.read(id, Kind::Blob)?.detach().data)
    }

    /// Passes the entries of a tree to `look`, in order, until it returns a result.
    pub(super) fn entries<T>(
        &self,
        tree: ObjectId,
        mut each: impl FnMut(&[u8], Item) -> Option<T>,
    ) -> Result<Option<T>, SyncError> {
        let object = self.read(tree, Kind::Tree)?;
        for entry in TreeRefIter::from_bytes(&object.data, self.repository.object_hash()) {
            let entry = entry.map_err(|error| unreadable(tree, error))?;
            let item = match entry.mode {
                mode if is_file(mode) => Item::File(entry.oid.to_owned()),
                mode if mode.is_tree() => Item::Tree(entry.oid.to_owned()),
                _ => Item::Other,
            };
            if let Some(answer) = each(entry.filename, item) {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// The directory with its own objects.
    pub(super) fn place(&self) -> &Path {
        self.repository.objects.store_ref().path()
    }

    /// Whether an object is replaced (`git replace`).
    pub(super) fn has_replacements(&self) -> bool {
        self.repository.objects.store_ref().replacements().next().is_some()
    }
}
