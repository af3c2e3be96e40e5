//! The past of a git repository, read with gix.

mod items;
mod kept;
mod memory;
mod names;
mod objects;
mod record;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gix::ObjectId;
use gix::bstr::ByteSlice as _;
use gix::hash::Kind;
use gix::hashtable;
use gix::objs::CommitRef;

use self::items::Items;
use self::memory::Memory;
use self::objects::{Objects, unreadable};
use crate::model::time::{Instant, SECOND};
use crate::sys::Env;
use crate::vcs::SyncError;
use crate::vcs::archive::{
    Archive, Changes, Commit, Naming, Node, Pair, Past, Steps, Texts, Trail, Version, joined, newest_first, only, steps,
};

/// Says in words of git what a revision means.
type Translator<'a> = Box<dyn Fn(&str) -> Result<Option<String>, SyncError> + 'a>;

pub(crate) struct GitArchive<'a> {
    objects: Objects,
    /// Of another program on top of git.
    translator: Option<Translator<'a>>,
    /// The default start: commits that another program on top of git knows, else `HEAD`.
    tips: Option<Vec<String>>,
    /// The last commits of a shallow clone.
    cut: HashSet<ObjectId>,
    /// The trees of the commits read so far.
    trees: HashMap<ObjectId, ObjectId>,
    items: Items,
    memory: Memory,
}

fn object_id(text: &str) -> Result<ObjectId, SyncError> {
    ObjectId::from_hex(text.as_bytes()).map_err(|error| unreadable(text, error))
}

fn hex(id: &ObjectId) -> String {
    id.hex_to_buf(&mut Kind::hex_buf()).to_owned()
}

fn time(seconds: i64) -> Instant {
    Instant::from_nanos(seconds.saturating_mul(SECOND))
}

impl<'a> GitArchive<'a> {
    /// Opens the repository of a working copy, or a directory like `.git`.
    pub(crate) fn open(place: &Path, tips: Option<Vec<String>>, env: &Env) -> Result<Self, SyncError> {
        let objects = Objects::open(place)?;
        let cut = objects.repository.shallow_commits().map_err(|error| unreadable("shallow", error))?;
        let cut: HashSet<ObjectId> = cut.map(|cut| cut.iter().copied().collect()).unwrap_or_default();
        let is_as_hashed = cut.is_empty() && !objects.has_replacements();
        let memory = if is_as_hashed { Memory::open(env, objects.place()) } else { Memory::default() };
        let (trees, items) = (HashMap::new(), Items::default());
        Ok(GitArchive { objects, translator: None, tips, cut, trees, items, memory })
    }

    /// Revisions are in the language of another program.
    pub(crate) fn translated(self, translator: Translator<'a>) -> Self {
        GitArchive { translator: Some(translator), ..self }
    }

    fn all_of(&self, id: ObjectId) -> Result<Commit, SyncError> {
        let decoded = self.objects.commit(id, |commit| self.decoded(id, commit))?;
        decoded.ok_or_else(|| unreadable(id, "the author or the committer cannot be read"))
    }

    fn decoded(&self, id: ObjectId, commit: &CommitRef<'_>) -> Option<Commit> {
        let (author, is_cut) = (commit.author().ok()?, self.cut.contains(&id));
        Some(Commit {
            id: id.to_string(),
            parents: commit.parents().filter(|_| !is_cut).map(|parent| parent.to_string()).collect(),
            author: author.name.to_str_lossy().into_owned(),
            email: author.email.to_str_lossy().into_owned(),
            authored: time(author.seconds()),
            committed: time(commit.committer().ok()?.seconds()),
            summary: commit.message_summary().to_str_lossy().into_owned(),
            is_cut,
        })
    }

    /// A commit's place, and its parents.
    fn node(&mut self, id: ObjectId) -> Result<(Node, Vec<ObjectId>), SyncError> {
        let is_cut = self.cut.contains(&id);
        let (committed, parents) = match self.memory.commit(id) {
            Some(known) => (known.committed, known.parents.clone()),
            None => {
                let decoded = self.objects.commit(id, |commit| {
                    let parents: Vec<ObjectId> = commit.parents().filter(|_| !is_cut).collect();
                    Some((time(commit.committer().ok()?.seconds()), parents, commit.tree()))
                })?;
                let decoded = decoded.ok_or_else(|| unreadable(id, "the committer cannot be read"));
                let (committed, parents, tree) = decoded?;
                self.trees.insert(id, tree);
                self.memory.learn_commit(id, committed, parents.clone());
                (committed, parents)
            }
        };
        let names = parents.iter().map(hex).collect();
        Ok((Node { id: hex(&id), parents: names, committed, is_cut }, parents))
    }

    fn below(&mut self, from: &[String]) -> Result<Vec<Node>, SyncError> {
        let mut waiting = from.iter().rev().map(|id| object_id(id)).collect::<Result<Vec<_>, _>>()?;
        let mut seen = hashtable::HashSet::default();
        let mut commits = Vec::new();
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            let (commit, parents) = self.node(id)?;
            waiting.extend(parents.into_iter().rev());
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
        let id = object_id(commit)?;
        if let Some(known) = self.memory.file(id, path) {
            return Ok(known);
        }
        let tree = self.tree(commit)?;
        let file = self.items.file(&self.objects, tree, path)?;
        self.memory.learn_file(id, path, file);
        Ok(file)
    }

    /// The commit that a revision means, if it means exactly one.
    fn named(&self, revision: &str) -> Option<ObjectId> {
        use gix::revision::spec::parse::{ObjectKindHint, Options};
        let options = Options { object_kind_hint: Some(ObjectKindHint::Committish), ..Options::default() };
        let spec = gix::revision::Spec::from_bstr(revision, &self.objects.repository, options).ok()?;
        let commit = spec.single()?.object().ok()?.peel_to_commit().ok()?;
        Some(commit.id)
    }
}

impl Archive for GitArchive<'_> {
    fn tips(&mut self) -> Result<Vec<String>, SyncError> {
        if let Some(tips) = &self.tips {
            return Ok(tips.clone());
        }
        let head = self.objects.repository.head().map_err(|error| unreadable("HEAD", error))?;
        Ok(head.id().map(|id| id.to_string()).into_iter().collect())
    }

    fn resolve(&mut self, revision: &str) -> Result<Option<Commit>, SyncError> {
        let translated = match &self.translator {
            Some(translator) => translator(revision)?,
            None => Some(revision.to_owned()),
        };
        translated.and_then(|revision| self.named(&revision)).map(|id| self.all_of(id)).transpose()
    }

    fn commit(&mut self, id: &str) -> Result<Commit, SyncError> {
        self.all_of(object_id(id)?)
    }

    fn ancestors(&mut self, from: &[String]) -> Result<Vec<Node>, SyncError> {
        self.below(from)
    }

    fn version(&mut self, file: &Path, commit: &str) -> Result<Option<Version>, SyncError> {
        Ok(self.file(commit, file)?.map(|id| Version::of(hex(&id))))
    }

    fn steps(&mut self, file: &Trail, from: &[String]) -> Result<Steps, SyncError> {
        let commits = self.below(from)?;
        steps(commits, from, file, self)
    }

    fn text(&mut self, version: &Version) -> Result<Vec<u8>, SyncError> {
        let texts = version.0.iter().map(|part| self.objects.blob(object_id(part)?));
        Ok(joined(texts.collect::<Result<_, _>>()?))
    }

    fn changes(
        &mut self,
        pairs: &[Pair],
        naming: Naming,
        of: Option<&BTreeSet<String>>,
    ) -> Result<Vec<Changes>, SyncError> {
        let mut found = self.memory.changes(pairs, of);
        let mut texts = Texts::default();
        for (pair, known) in pairs.iter().zip(&mut found).filter(|(_, known)| known.is_none()) {
            let changes = texts.changes(pair, naming, |part| self.text(part))?;
            self.memory.learn_changes(pair, &changes);
            *known = Some(of.map_or(Rc::clone(&changes), |names| only(&changes, names)));
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn remembers(&self) -> bool {
        self.memory.is_kept()
    }
}

impl Past for GitArchive<'_> {
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
        let (new_tree, old_tree) = (self.tree(child)?, self.tree(parent)?);
        names::former(&self.objects, old_tree, new_tree, path, id, there)
    }
}
