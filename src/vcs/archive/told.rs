//! What an archive tells: commits, versions of a file, and the steps between them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use super::graph::Graph;
use crate::model::time::Instant;

/// A commit, as far as one tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The full hash.
    pub id: String,
    /// Their hashes, in order. What a shallow clone lacks is not among them.
    pub parents: Vec<String>,
    pub author: String,
    pub email: String,
    pub authored: Instant,
    /// When it came into this history; never later than what stands on it, if the clocks were right.
    pub committed: Instant,
    /// The first line of the message.
    pub summary: String,
    /// A shallow clone ends here: there were parents.
    pub is_cut: bool,
}

/// A commit's place among the others: all that finding the changes of a file needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The full hash.
    pub id: String,
    /// Their hashes, in order. What a shallow clone lacks is not among them.
    pub parents: Vec<String>,
    /// When it came into this history; never later than what stands on it, if the clocks were right.
    pub committed: Instant,
    /// A shallow clone ends here: there were parents.
    pub is_cut: bool,
}

impl From<&Commit> for Node {
    fn from(commit: &Commit) -> Self {
        let Commit { id, parents, committed, is_cut, .. } = commit;
        Node { id: id.clone(), parents: parents.clone(), committed: *committed, is_cut: *is_cut }
    }
}

/// A version of a file: one part for each name that it has in a commit. Equal ones have equal bytes; what the text of a part
/// means is the adapter's business.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version(pub(in crate::vcs) Rc<[String]>);

impl Version {
    pub(in crate::vcs) fn of(part: String) -> Self {
        Version(Rc::new([part]))
    }

    /// Stands for a text that is compared with versions, and is in no archive.
    pub fn of_no_archive() -> Self {
        Version::of(String::new())
    }

    /// Several files as one; `None` if there are none. Copies with equal bytes are one copy.
    pub fn joined(files: impl IntoIterator<Item = Version>) -> Option<Self> {
        let mut files: Vec<Version> = files.into_iter().collect();
        if files.len() < 2 {
            return files.pop();
        }
        let mut known = HashSet::new();
        let parts = files.iter().flat_map(|file| file.0.iter()).filter(|part| known.insert(*part));
        Some(Version(parts.cloned().collect()))
    }
}

/// A file as the parent of a step has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// `None` where there is no such file.
    pub version: Option<Version>,
    /// The step that made this version, going by first parents where nothing changed; `None` if there never was a file.
    pub step: Option<usize>,
}

/// A commit in which a file is not what it is in one of the parents, or that joins two pasts of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub commit: Node,
    /// The names that the file may have in this commit, from the root.
    pub names: Rc<[PathBuf]>,
    /// `None` where the commit removed it.
    pub after: Option<Version>,
    /// One per parent, in order; none in a first commit.
    pub before: Vec<Before>,
}

/// All that changed a file, below some commits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steps {
    /// Newest first, and no commit before one that stands on it.
    pub all: Vec<Step>,
    /// The step that made the version of each commit that was asked for; `None` if there never was a file.
    pub tips: Vec<Option<usize>>,
    /// Commits in which the file had other names.
    pub renamed: HashMap<String, Rc<[PathBuf]>>,
    pub(super) graph: Graph,
}

impl Steps {
    /// What one parent of a step has in common with the others: the versions of the commits where their ways parted. `None`
    /// if that cannot be told, because the older history is not there.
    pub fn common(&self, step: usize, parent: usize) -> Option<Vec<Option<&Version>>> {
        self.versions(self.graph.common(self.graph.parents_of_step(step), parent)?)
    }

    /// The same for one of the commits that were asked for.
    pub fn common_of_tips(&self, tip: usize) -> Option<Vec<Option<&Version>>> {
        self.versions(self.graph.common(self.graph.tips(), tip)?)
    }

    fn versions(&self, commits: Vec<usize>) -> Option<Vec<Option<&Version>>> {
        let version = |commit: usize| self.graph.made(commit).and_then(|step| self.all[step].after.as_ref());
        let mut found: Vec<Option<&Version>> = Vec::new();
        for version in commits.into_iter().map(version) {
            if !found.contains(&version) {
                found.push(version);
            }
        }
        Some(found)
    }
}
