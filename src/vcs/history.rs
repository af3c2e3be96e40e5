//! The content of commits: every file that is staged, or that a range of commits changes, in its old and new versions.

use std::path::{Path, PathBuf};

use crate::sys::Env;

/// The commits to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span<'a> {
    /// The commit that would be made of the staged files.
    Staged,
    /// `A..B` as git understands it, or the revset of jj or hg.
    Range(&'a str),
    /// These, each compared with its parents.
    Commits(&'a [String]),
    /// The commits that a push would send to a remote: the lines that git passes to its hook.
    Push { remote: &'a str, refs: &'a str },
}

/// A file that a commit adds or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// `None` for staged files.
    pub commit: Option<String>,
    /// Relative to the root of the working copy.
    pub path: PathBuf,
    /// The parents' versions under this name; empty for a new file.
    pub old: Vec<Vec<u8>>,
    /// `None` if it is too large to read.
    pub new: Option<Vec<u8>>,
}

/// The git repository of a working copy, its own or the one in which jj keeps its commits.
pub(super) struct Repository<'a> {
    pub root: &'a Path,
    pub git_dir: PathBuf,
    pub env: &'a Env,
}
