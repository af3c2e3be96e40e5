//! The results of an archive: commits, versions of a file, and the steps between them.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;

use super::graph::Graph;
use crate::model::time::Instant;

/// A commit, as shown to people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The full hash.
    pub id: String,
    /// The hashes of its parents, in order, without those missing in a shallow clone.
    pub parents: Vec<String>,
    pub author: String,
    pub email: String,
    pub authored: Instant,
    /// When it was added to this history; if the clocks were right, never later than its children.
    pub committed: Instant,
    /// The first line of the message.
    pub summary: String,
    /// A shallow clone ends here: it had parents.
    pub is_cut: bool,
}

/// A commit's place in the graph, without what is only shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The full hash.
    pub id: String,
    /// The hashes of its parents, in order, without those missing in a shallow clone.
    pub parents: Vec<String>,
    /// When it was added to this history; if the clocks were right, never later than its children.
    pub committed: Instant,
    /// A shallow clone ends here: it had parents.
    pub is_cut: bool,
}

impl From<&Commit> for Node {
    fn from(commit: &Commit) -> Self {
        let Commit { id, parents, committed, is_cut, .. } = commit;
        Node { id: id.clone(), parents: parents.clone(), committed: *committed, is_cut: *is_cut }
    }
}

/// A version of a file: one part for each name that it has in a commit. Equal versions have equal bytes; the adapter
/// defines the text of a part.
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

    /// Several files as one; `None` if there are none. Identical copies count once.
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

/// The file in a parent of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Before {
    /// `None` if the file did not exist.
    pub version: Option<Version>,
    /// The step that made this version, following first parents where nothing changed; `None` if the file never
    /// existed.
    pub step: Option<usize>,
}

/// A commit in which a file differs from a parent, or that merges two lines of its past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub commit: Node,
    /// The possible names of the file in this commit, from the root.
    pub names: Rc<[PathBuf]>,
    /// `None` if the commit removed it.
    pub after: Option<Version>,
    /// One per parent, in order; none in a first commit.
    pub before: Vec<Before>,
}

/// Everything that changed a file, up to some commits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Steps {
    /// Newest first, children before their parents.
    pub all: Vec<Step>,
    /// For each requested commit, the step that made its version; `None` if the file never existed.
    pub tips: Vec<Option<usize>>,
    /// Commits in which the file had other names.
    pub renamed: HashMap<String, Rc<[PathBuf]>>,
    pub(super) graph: Graph,
}

impl Steps {
    /// The versions that one parent of a step shares with the others: those of the commits where their histories
    /// parted. `None` if this is unknown because older history is missing.
    pub fn common(&self, step: usize, parent: usize) -> Option<Vec<Option<&Version>>> {
        self.versions(self.graph.common(self.graph.parents_of_step(step), parent)?)
    }

    /// The same for one of the requested commits.
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
