//! What version control remembers of a file: its commits, its versions, and the names it had.
//!
//! An adapter says which commits there are, what a file is in each, and under which name it was there before. What follows
//! from that is the same for all: [`steps`] finds the commits that changed the file.

mod order;
mod overlap;
mod steps;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

pub(super) use order::newest_first;
pub(super) use overlap::Likeness;
pub(super) use steps::{Past, steps};

use super::SyncError;
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

/// A version of a file. Equal ones have equal bytes; what the text means is the adapter's business.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version(pub(in crate::vcs) String);

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
    pub commit: Commit,
    /// The name of the file in this commit, from the root.
    pub path: PathBuf,
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
    /// Commits in which the file had another name.
    pub renamed: HashMap<String, PathBuf>,
}

/// Reads the past of one repository. Runs no program that the repository names, and changes nothing.
pub trait Archive {
    /// The commits that the working copy stands on: one, several for a merge of jj, none before the first commit.
    fn tips(&mut self) -> Result<Vec<String>, SyncError>;

    /// The one commit that a revision names, in the language of the version control; `None` if there is none.
    fn resolve(&mut self, revision: &str) -> Result<Option<Commit>, SyncError>;

    /// These commits and all below them, newest first, and no commit before one that stands on it.
    fn ancestors(&mut self, from: &[String]) -> Result<Vec<Commit>, SyncError>;

    /// A file in a commit; the path is relative to the root of the working copy.
    fn version(&mut self, file: &Path, commit: &str) -> Result<Option<Version>, SyncError>;

    /// What changed a file in these commits and below, following it to the names that it had before.
    fn steps(&mut self, file: &Path, from: &[String]) -> Result<Steps, SyncError>;

    /// The bytes of a version.
    fn text(&mut self, version: &Version) -> Result<Vec<u8>, SyncError>;

    /// For each version the lines that hold a text, without their ends, in order. The text has no line feed in it.
    fn lines_with(&mut self, versions: &[Version], text: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, SyncError>;
}

/// The last commit of a branch that is not later than a moment: from the tip along first parents.
pub fn as_of(archive: &mut dyn Archive, tip: &str, moment: Instant) -> Result<Option<Commit>, SyncError> {
    let below = archive.ancestors(&[tip.to_owned()])?;
    let known: HashMap<&str, &Commit> = below.iter().map(|commit| (commit.id.as_str(), commit)).collect();
    let mut at = known.get(tip).copied();
    while let Some(commit) = at {
        if commit.committed <= moment {
            return Ok(Some(commit.clone()));
        }
        at = commit.parents.first().and_then(|parent| known.get(parent.as_str())).copied();
    }
    Ok(None)
}

/// A last common commit of two.
pub fn merge_base(archive: &mut dyn Archive, one: &str, other: &str) -> Result<Option<Commit>, SyncError> {
    let theirs: HashSet<String> = archive.ancestors(&[other.to_owned()])?.into_iter().map(|commit| commit.id).collect();
    Ok(archive.ancestors(&[one.to_owned()])?.into_iter().find(|commit| theirs.contains(&commit.id)))
}

/// The lines of a text that hold another one: what [`Archive::lines_with`] must answer.
pub(super) fn lines_holding(text: &[u8], sought: &[u8]) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&text[from..], sought) {
        let at = from + found;
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end);
        lines.push(text[start..end].to_vec());
        if end == text.len() {
            break;
        }
        from = end + 1;
    }
    lines
}
