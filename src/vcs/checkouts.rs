//! The checkouts of one repository: git worktrees, workspaces of jj, shares of hg.
//!
//! Which there are is read from files alone. All checkouts that share one directory ([`common_dir`](super::common_dir)) are one
//! family, whichever program made them. hg and sl keep no list; there only this checkout and the main one are known.

use std::path::{Path, PathBuf};

use super::files::real;
use super::{Checkout, MARKERS, SyncError, is_busy};
use crate::sys::Env;

/// The work that would be lost with the directory of a checkout. Paths are relative to its root.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Work {
    /// Tracked files that are not as they were committed.
    pub changed: Vec<PathBuf>,
    /// Files that are neither tracked nor ignored. A directory stands for a repository inside.
    pub untracked: Vec<PathBuf>,
    /// Commits below the working copy that no remote is known to have, and no other branch, tag or bookmark holds. Where the
    /// repository itself is inside of the directory, all commits that no remote is known to have.
    pub unsaved_commits: usize,
    /// Other commits that only this checkout knows of, and that are on no branch: the last ones of each line of history.
    pub loose: Vec<Loose>,
    /// Number of stashes, where they are deleted with the directory.
    pub stashes: usize,
    /// A merge, a rebase or the like.
    pub unfinished: Option<String>,
}

/// A commit that goes away with a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loose {
    pub id: String,
    /// The ref or the log that has it.
    pub known_to: String,
}

impl Work {
    /// A text about the commits that only this checkout has.
    pub fn loose_commits(&self) -> Option<String> {
        let first = self.loose.first()?;
        let id = first.id.get(..12).unwrap_or(&first.id);
        let more = match self.loose.len() {
            1 => String::new(),
            count => format!(", and {} more", count - 1),
        };
        Some(format!("the commit {id} is known only to {} of this checkout{more}", first.known_to))
    }

    pub fn is_empty(&self) -> bool {
        *self == Work::default()
    }

    /// Refuses to delete the files of the checkout with this root if any would be lost; commits are another matter.
    pub(super) fn check_files(&self, root: &Path) -> Result<(), SyncError> {
        self.in_files().map_or(Ok(()), |what| Err(kept(root, format!("it has {what}"))))
    }

    /// The reason not to delete the files.
    pub(super) fn in_files(&self) -> Option<String> {
        let named = |files: &[PathBuf], what: &str| match files {
            [] => None,
            [one] => Some(format!("1 {what} file: {}", one.display())),
            [first, ..] => Some(format!("{} {what} files, such as {}", files.len(), first.display())),
        };
        let unfinished = self.unfinished.as_ref().map(|what| format!("{what} that is not finished"));
        let stashes = (self.stashes > 0).then(|| match self.stashes {
            1 => "1 shelved change".to_owned(),
            count => format!("{count} shelved changes"),
        });
        unfinished
            .or_else(|| named(&self.changed, "changed"))
            .or_else(|| named(&self.untracked, "untracked"))
            .or(stashes)
    }
}

/// A checkout to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCheckout {
    /// A path at which nothing is, or an empty directory. Relative is from the working directory.
    pub path: PathBuf,
    /// The branch or bookmark to check out; one that is not there yet is made. `None`: none is checked out.
    pub branch: Option<String>,
    /// Where a new branch begins; without it, at the commit that is checked out here.
    pub base: Option<String>,
}

/// The path of a new checkout, if nothing is there.
pub(super) fn vacant(path: &Path, env: &Env) -> Result<PathBuf, SyncError> {
    let path = real(&env.cwd().join(path));
    match std::fs::read_dir(&path) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err(no_checkout(&path, "the directory is not empty; choose another path")),
            None => Ok(path),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(path),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            Err(no_checkout(&path, "a file is in the way; choose another path"))
        }
        Err(source) => Err(SyncError::Path { path, source }),
    }
}

/// The directories above a new checkout.
pub(super) fn make_parents(path: &Path) -> Result<(), SyncError> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent).map_err(|source| SyncError::Path { path: parent.to_owned(), source })
}

pub(super) fn no_checkout(path: &Path, why: impl Into<String>) -> SyncError {
    SyncError::NoCheckout { path: path.to_owned(), why: why.into() }
}

pub(super) fn kept(root: &Path, why: impl Into<String>) -> SyncError {
    SyncError::Kept { root: root.to_owned(), why: why.into() }
}

/// The checkout that is to be removed: it is one of these, not the one that contains `here`, and not the main one.
pub(super) fn removable(root: &Path, here: &Path, known: &[Checkout]) -> Result<Checkout, SyncError> {
    let root = real(root);
    let Some(found) = known.iter().find(|checkout| checkout.root == root) else {
        return Err(kept(&root, "it is not a checkout of this repository"));
    };
    if found.is_main {
        return Err(kept(&root, "it is the main checkout, which holds the repository"));
    }
    if real(here).starts_with(&root) {
        return Err(kept(&root, "it is the checkout in use; go to another one first"));
    }
    Ok(found.clone())
}

/// Refuses to delete a directory in which a program is at work or which contains another working copy, whether or not version
/// control ignores it.
pub(super) fn check_quiet(root: &Path) -> Result<(), SyncError> {
    if is_busy(root) {
        return Err(SyncError::Busy { root: root.to_owned() });
    }
    match nested(root, root)? {
        Some(inner) => {
            Err(kept(root, format!("another repository is inside, at {}; remove that one first", inner.display())))
        }
        None => Ok(()),
    }
}

/// Another working copy inside of a directory, whether or not version control ignores it.
pub fn repository_inside(root: &Path) -> Result<Option<PathBuf>, SyncError> {
    nested(root, root)
}

/// Whether a directory is a repository without a working copy.
pub fn is_bare(directory: &Path) -> bool {
    directory.join("HEAD").is_file() && ["objects", "refs"].iter().all(|name| directory.join(name).is_dir())
}

fn nested(directory: &Path, root: &Path) -> Result<Option<PathBuf>, SyncError> {
    let unreadable = |source| SyncError::Path { path: directory.to_owned(), source };
    let mut below = Vec::new();
    if directory != root && is_bare(directory) {
        return Ok(Some(directory.to_owned()));
    }
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let is_marker = MARKERS.iter().any(|(marker, _)| entry.file_name() == *marker);
        match entry.file_type() {
            _ if is_marker && directory != root => return Ok(Some(directory.to_owned())),
            Ok(kind) if kind.is_dir() && !is_marker => below.push(entry.path()),
            _ => {}
        }
    }
    for directory in below {
        if let Some(found) = nested(&directory, root)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Deletes the directory of a checkout. Links in it are not followed.
pub(super) fn delete(root: &Path) -> Result<(), SyncError> {
    match std::fs::remove_dir_all(root) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(SyncError::Path { path: root.to_owned(), source: error })
        }
        _ => Ok(()),
    }
}
