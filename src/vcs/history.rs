//! What commits bring: every file that is staged, or that a range of commits changes, in its old and its new version.

use std::path::{Path, PathBuf};

use crate::sys::Env;

/// Which commits to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span<'a> {
    /// The one that would be made of what is staged.
    Staged,
    /// `A..B` as git understands it, or the revset of jj or hg.
    Range(&'a str),
    /// These, each against its parents.
    Commits(&'a [String]),
    /// What a push would bring to a remote: the lines that git gives to its hook.
    Push { remote: &'a str, refs: &'a str },
}

/// A file that a commit adds or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// `None` for what is only staged.
    pub commit: Option<String>,
    /// As seen from the root of the working copy.
    pub path: PathBuf,
    /// What the parents of the commit have under this name; nothing for a new file.
    pub old: Vec<Vec<u8>>,
    /// `None` if it is too large to look at.
    pub new: Option<Vec<u8>>,
}

/// The git repository of a working copy, its own or the one that jj keeps its commits in.
pub(super) struct Repository<'a> {
    pub root: &'a Path,
    pub git_dir: PathBuf,
    pub env: &'a Env,
}
