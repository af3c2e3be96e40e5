//! The past of a git repository, read with gix.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice as _;

use super::trees::is_file;
use crate::model::time::{Instant, SECOND};
use crate::vcs::archive::{Archive, Commit, Past, Steps, Version, lines_holding, steps};
use crate::vcs::{HistoryError, SyncError};

/// Where to begin if nobody says: `HEAD`, or what another program on top of git knows.
pub struct GitArchive {
    objects: gix::Repository,
    tips: Option<Vec<String>>,
}

fn unreadable(id: impl ToString, error: impl std::fmt::Display) -> SyncError {
    HistoryError::Object { id: id.to_string(), message: error.to_string() }.into()
}

fn object_id(text: &str) -> Result<ObjectId, SyncError> {
    ObjectId::from_hex(text.as_bytes()).map_err(|error| unreadable(text, error))
}

impl GitArchive {
    /// Opens the repository at a working copy, or a directory like `.git`.
    pub fn open(place: &Path, tips: Option<Vec<String>>) -> Result<Self, SyncError> {
        let opened = gix::open_opts(place, gix::open::Options::isolated().open_path_as_is(false));
        let mut objects = opened.map_err(|error| unreadable(place.display(), error))?;
        objects.object_cache_size_if_unset(16 << 20);
        Ok(GitArchive { objects, tips })
    }

    fn commit(&self, id: ObjectId, shallow: &HashSet<ObjectId>) -> Result<Commit, SyncError> {
        let found = self.objects.find_commit(id).map_err(|error| unreadable(id, error))?;
        let commit = found.decode().map_err(|error| unreadable(id, error))?;
        let author = commit.author().map_err(|error| unreadable(id, error))?;
        let committer = commit.committer().map_err(|error| unreadable(id, error))?;
        let time = |seconds: i64| Instant::from_nanos(seconds.saturating_mul(SECOND));
        let is_cut = shallow.contains(&id);
        let parents = if is_cut { Vec::new() } else { commit.parents().map(|parent| parent.to_string()).collect() };
        Ok(Commit {
            id: id.to_string(),
            parents,
            author: author.name.to_str_lossy().into_owned(),
            email: author.email.to_str_lossy().into_owned(),
            authored: time(author.seconds()),
            committed: time(committer.seconds()),
            summary: commit.message_summary().to_str_lossy().into_owned(),
            is_cut,
        })
    }

    fn shallow(&self) -> Result<HashSet<ObjectId>, SyncError> {
        let cut = self.objects.shallow_commits().map_err(|error| unreadable("shallow", error))?;
        Ok(cut.map(|cut| cut.iter().copied().collect()).unwrap_or_default())
    }

    fn item(&self, commit: ObjectId, file: &Path) -> Result<Option<ObjectId>, SyncError> {
        let found = self.objects.find_commit(commit).map_err(|error| unreadable(commit, error))?;
        let tree = found.tree().map_err(|error| unreadable(commit, error))?;
        let entry = tree.lookup_entry_by_path(file).map_err(|error| unreadable(commit, error))?;
        Ok(entry.filter(|entry| is_file(entry.mode())).map(|entry| entry.object_id()))
    }
}

impl Archive for GitArchive {
    fn tips(&mut self) -> Result<Vec<String>, SyncError> {
        if let Some(tips) = &self.tips {
            return Ok(tips.clone());
        }
        let head = self.objects.head().map_err(|error| unreadable("HEAD", error))?;
        Ok(head.id().map(|id| id.to_string()).into_iter().collect())
    }

    fn resolve(&mut self, revision: &str) -> Result<Option<Commit>, SyncError> {
        let Ok(found) = self.objects.rev_parse_single(revision) else { return Ok(None) };
        let Ok(commit) = found.object().map_err(drop).and_then(|object| object.peel_to_commit().map_err(drop)) else {
            return Ok(None);
        };
        Ok(Some(self.commit(commit.id, &self.shallow()?)?))
    }

    fn ancestors(&mut self, from: &[String]) -> Result<Vec<Commit>, SyncError> {
        let shallow = self.shallow()?;
        let mut known: HashMap<String, Commit> = HashMap::new();
        let mut waiting = from.to_vec();
        while let Some(id) = waiting.pop() {
            if known.contains_key(&id) {
                continue;
            }
            let commit = self.commit(object_id(&id)?, &shallow)?;
            waiting.extend(commit.parents.iter().cloned());
            known.insert(id, commit);
        }
        let mut children: HashMap<String, usize> = HashMap::new();
        for parent in known.values().flat_map(|commit| &commit.parents) {
            *children.entry(parent.clone()).or_default() += 1;
        }
        let mut free: BinaryHeap<(Instant, String)> = known
            .values()
            .filter(|commit| !children.contains_key(&commit.id))
            .map(|commit| (commit.committed, commit.id.clone()))
            .collect();
        let mut sorted = Vec::with_capacity(known.len());
        while let Some((_, id)) = free.pop() {
            let Some(commit) = known.remove(&id) else { continue };
            for parent in &commit.parents {
                let Some(left) = children.get_mut(parent) else { continue };
                *left -= 1;
                if *left == 0
                    && let Some(parent) = known.get(parent)
                {
                    free.push((parent.committed, parent.id.clone()));
                }
            }
            sorted.push(commit);
        }
        Ok(sorted)
    }

    fn version(&mut self, file: &Path, commit: &str) -> Result<Option<Version>, SyncError> {
        Ok(self.item(object_id(commit)?, file)?.map(|id| Version(id.to_string())))
    }

    fn steps(&mut self, file: &Path, from: &[String]) -> Result<Steps, SyncError> {
        let commits = self.ancestors(from)?;
        steps(commits, from, file, self)
    }

    fn text(&mut self, version: &Version) -> Result<Vec<u8>, SyncError> {
        let id = object_id(&version.0)?;
        let mut blob = self.objects.find_blob(id).map_err(|error| unreadable(id, error))?;
        Ok(blob.take_data())
    }

    fn lines_with(&mut self, versions: &[Version], text: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, SyncError> {
        versions.iter().map(|version| Ok(lines_holding(&self.text(version)?, text))).collect()
    }
}

impl Past for GitArchive {
    fn version(&mut self, commit: &str, path: &Path) -> Result<Option<Version>, SyncError> {
        Archive::version(self, path, commit)
    }

    fn former_name(&mut self, _: &str, _: &str, _: &Path) -> Result<Option<PathBuf>, SyncError> {
        Ok(None)
    }
}
