//! What version control knows: who the user is, where a working copy begins, what was committed last.
//!
//! Only reading, and only through files: no program is started. git is read with gix; for jj and hg the markers of their
//! working copies are enough so far.

mod git;

use std::path::{Path, PathBuf};

pub use git::{committed_size, user_name};

/// The directory that holds `.git`, `.jj`, `.hg` or `.sl`, at or above a path.
pub fn root(path: &Path) -> Option<PathBuf> {
    let holds = |dir: &&Path| [".git", ".jj", ".hg", ".sl"].iter().any(|name| dir.join(name).exists());
    path.ancestors().find(holds).map(Path::to_owned)
}

/// The directory that all checkouts of one repository share, for telling whether two paths belong to one family.
pub fn common_dir(path: &Path) -> Option<PathBuf> {
    let root = root(path)?;
    let dot_git = root.join(".git");
    if dot_git.exists() {
        return git::common_dir(&dot_git);
    }
    let other = [".jj", ".hg", ".sl"].iter().map(|name| root.join(name)).find(|dir| dir.exists())?;
    std::fs::canonicalize(other).ok()
}

/// A version control program is rewriting the working copy right now.
pub fn is_busy(path: &Path) -> bool {
    let Some(root) = root(path) else { return false };
    let mut locks = vec![root.join(".hg/wlock"), root.join(".jj/working_copy/working_copy.lock")];
    locks.extend(git::own_dir(&root.join(".git")).map(|dir| dir.join("index.lock")));
    // A lock of hg is a link that may lead nowhere.
    locks.iter().any(|lock| std::fs::symlink_metadata(lock).is_ok())
}
