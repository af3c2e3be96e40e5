//! The past of a git repository, read with gix and, where there is much to read, from its packs.

mod bases;
mod delta;
mod items;
mod names;
mod objects;
mod packs;
mod rope;
mod search;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::objs::CommitRef;

use self::items::Items;
use self::objects::{Objects, unreadable};
use self::rope::Sought;
use crate::model::time::{Instant, SECOND};
use crate::vcs::SyncError;
use crate::vcs::archive::{
    Archive, Commit, Past, Steps, Trail, Version, joined, lines_holding, lines_of_parts, newest_first, steps,
};

pub struct GitArchive {
    objects: Objects,
    /// Where to begin if nobody says: what another program on top of git knows, else `HEAD`.
    tips: Option<Vec<String>>,
    /// The commits that a shallow clone ends with.
    cut: HashSet<ObjectId>,
    /// The trees of commits that were read.
    trees: HashMap<ObjectId, ObjectId>,
    items: Items,
}

fn object_id(text: &str) -> Result<ObjectId, SyncError> {
    ObjectId::from_hex(text.as_bytes()).map_err(|error| unreadable(text, error))
}

/// How much of a commit is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Its place among the others.
    Place,
    All,
}

impl GitArchive {
    /// Opens the repository at a working copy, or a directory like `.git`.
    pub fn open(place: &Path, tips: Option<Vec<String>>) -> Result<Self, SyncError> {
        let objects = Objects::open(place)?;
        let cut = objects.repository.shallow_commits().map_err(|error| unreadable("shallow", error))?;
        let cut = cut.map(|cut| cut.iter().copied().collect()).unwrap_or_default();
        Ok(GitArchive { objects, tips, cut, trees: HashMap::new(), items: Items::default() })
    }

    /// A commit and its tree.
    fn commit(&self, id: ObjectId, depth: Depth) -> Result<(Commit, ObjectId), SyncError> {
        let told = self.objects.commit(id, |commit| Some((self.told(id, commit, depth)?, commit.tree())))?;
        told.ok_or_else(|| unreadable(id, "the author or the committer cannot be read"))
    }

    fn told(&self, id: ObjectId, commit: &CommitRef<'_>, depth: Depth) -> Option<Commit> {
        let time = |seconds: i64| Instant::from_nanos(seconds.saturating_mul(SECOND));
        let is_cut = self.cut.contains(&id);
        let mut told = Commit {
            id: id.to_string(),
            parents: commit.parents().filter(|_| !is_cut).map(|parent| parent.to_string()).collect(),
            author: String::new(),
            email: String::new(),
            authored: time(0),
            committed: time(commit.committer().ok()?.seconds()),
            summary: String::new(),
            is_cut,
        };
        if depth == Depth::All {
            let author = commit.author().ok()?;
            told.author = author.name.to_str_lossy().into_owned();
            told.email = author.email.to_str_lossy().into_owned();
            told.authored = time(author.seconds());
            told.summary = commit.message_summary().to_str_lossy().into_owned();
        }
        Some(told)
    }

    fn below(&mut self, from: &[String], depth: Depth) -> Result<Vec<Commit>, SyncError> {
        let mut waiting = from.iter().rev().map(|id| object_id(id)).collect::<Result<Vec<_>, _>>()?;
        let mut seen = HashSet::new();
        let mut commits = Vec::new();
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            let (commit, tree) = self.commit(id, depth)?;
            for parent in commit.parents.iter().rev() {
                waiting.push(object_id(parent)?);
            }
            self.trees.insert(id, tree);
            commits.push(commit);
        }
        Ok(newest_first(commits))
    }

    fn tree(&mut self, commit: &str) -> Result<ObjectId, SyncError> {
        let id = object_id(commit)?;
        if let Some(tree) = self.trees.get(&id) {
            return Ok(*tree);
        }
        let tree = self.objects.commit(id, |commit| commit.tree())?;
        self.trees.insert(id, tree);
        Ok(tree)
    }

    fn file(&mut self, commit: &str, path: &Path) -> Result<Option<ObjectId>, SyncError> {
        let tree = self.tree(commit)?;
        self.items.file(&self.objects, tree, path)
    }

    /// The commit that a revision names, if it names exactly one.
    fn named(&self, revision: &str) -> Option<ObjectId> {
        use gix::revision::spec::parse::{ObjectKindHint, Options};
        let options = Options { object_kind_hint: Some(ObjectKindHint::Committish), ..Options::default() };
        let spec = gix::revision::Spec::from_bstr(revision, &self.objects.repository, options).ok()?;
        let commit = spec.single()?.object().ok()?.peel_to_commit().ok()?;
        Some(commit.id)
    }
}

impl Archive for GitArchive {
    fn tips(&mut self) -> Result<Vec<String>, SyncError> {
        if let Some(tips) = &self.tips {
            return Ok(tips.clone());
        }
        let head = self.objects.repository.head().map_err(|error| unreadable("HEAD", error))?;
        Ok(head.id().map(|id| id.to_string()).into_iter().collect())
    }

    fn resolve(&mut self, revision: &str) -> Result<Option<Commit>, SyncError> {
        let Some(id) = self.named(revision) else { return Ok(None) };
        self.commit(id, Depth::All).map(|(commit, _)| Some(commit))
    }

    fn ancestors(&mut self, from: &[String]) -> Result<Vec<Commit>, SyncError> {
        self.below(from, Depth::All)
    }

    fn version(&mut self, file: &Path, commit: &str) -> Result<Option<Version>, SyncError> {
        Ok(self.file(commit, file)?.map(|id| Version::of(id.to_string())))
    }

    fn steps(&mut self, file: &Trail, from: &[String]) -> Result<Steps, SyncError> {
        let commits = self.below(from, Depth::Place)?;
        let mut steps = steps(commits, from, file, self)?;
        for step in &mut steps.all {
            (step.commit, _) = self.commit(object_id(&step.commit.id)?, Depth::All)?;
        }
        Ok(steps)
    }

    fn text(&mut self, version: &Version) -> Result<Vec<u8>, SyncError> {
        let texts = version.0.iter().map(|part| self.objects.blob(object_id(part)?));
        Ok(joined(texts.collect::<Result<_, _>>()?))
    }

    fn lines_with(&mut self, versions: &[Version], text: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, SyncError> {
        let parts = versions.iter().flat_map(|version| &version.0);
        let ids = parts.map(|part| object_id(part)).collect::<Result<Vec<_>, _>>()?;
        let quick = Sought::new(text).filter(|_| !self.objects.has_replacements());
        let found = match quick {
            Some(sought) => self.objects.shelves().lines(&ids, &sought),
            None => vec![None; ids.len()],
        };
        let lines = ids.into_iter().zip(found).map(|(id, found)| match found {
            Some(lines) => Ok(lines),
            None => Ok(lines_holding(&self.objects.blob(id)?, text)),
        });
        Ok(lines_of_parts(versions, lines.collect::<Result<_, SyncError>>()?))
    }
}

impl Past for GitArchive {
    fn version(&mut self, commit: &str, path: &Path) -> Result<Option<Version>, SyncError> {
        Archive::version(self, path, commit)
    }

    fn former_name(
        &mut self,
        child: &str,
        parent: &str,
        path: &Path,
        beside: &[PathBuf],
    ) -> Result<Option<PathBuf>, SyncError> {
        let Some(id) = self.file(child, path)? else { return Ok(None) };
        let mut there = Vec::new();
        for other in beside {
            there.extend(self.file(parent, other)?.map(|id| (other.clone(), id)));
        }
        let (new, old) = (self.tree(child)?, self.tree(parent)?);
        names::former(&self.objects, old, new, path, id, there)
    }
}
