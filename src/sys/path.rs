//! What stands under a name, and directories as a whole.
//!
//! Nothing here opens a file: that is [`super::below`] below a repository, and [`super::fs`] for a ledger.

use std::fs;
pub use std::fs::Metadata;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::fs::FsError;

/// What has this name: a link is a link.
pub fn look(path: &Path) -> io::Result<Metadata> {
    fs::symlink_metadata(path)
}

/// Whether something has this name, be it a link that leads nowhere.
pub fn is_there(path: &Path) -> bool {
    look(path).is_ok()
}

/// Nothing has this name, as far as can be told: not even a link.
pub fn is_missing(path: &Path) -> bool {
    look(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
}

/// The path without links.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// What this name leads to.
pub fn follow(path: &Path) -> io::Result<Metadata> {
    fs::metadata(path)
}

/// Where a link leads.
pub fn link(path: &Path) -> io::Result<PathBuf> {
    fs::read_link(path)
}

/// What is in a directory.
pub fn entries(directory: &Path) -> io::Result<fs::ReadDir> {
    fs::read_dir(directory)
}

/// Whether nothing is in it.
pub fn is_empty(directory: &Path) -> io::Result<bool> {
    Ok(entries(directory)?.next().is_none())
}

pub fn make(directory: &Path) -> Result<(), FsError> {
    fs::create_dir(directory).map_err(|e| FsError::new("make", directory, e))
}

/// The same with the directories above.
pub fn make_all(directory: &Path) -> Result<(), FsError> {
    fs::create_dir_all(directory).map_err(|e| FsError::new("make", directory, e))
}

/// A directory below the temporary one that nobody else can look into, gone when it is dropped.
pub fn private_scratch(prefix: &str) -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(fs::Permissions::from_mode(0o700)).tempdir()
}

/// Gives what has a name another one.
pub fn rename(from: &Path, to: &Path) -> Result<(), FsError> {
    fs::rename(from, to).map_err(|e| FsError::new("rename", from, e))
}

/// A second name for a file, or another one where it cannot have two.
pub fn link_or_rename(from: &Path, to: &Path) -> Result<(), FsError> {
    fs::hard_link(from, to).or_else(|_| fs::rename(from, to)).map_err(|e| FsError::new("move aside", from, e))
}

/// Takes away an empty directory.
pub fn remove(directory: &Path) -> Result<(), FsError> {
    fs::remove_dir(directory).map_err(|e| FsError::new("remove", directory, e))
}

/// Takes away a directory with all that is in it.
pub fn remove_all(directory: &Path) -> Result<(), FsError> {
    fs::remove_dir_all(directory).map_err(|e| FsError::new("remove", directory, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_looks_into_a_scratch_directory() {
        let scratch = private_scratch("bd-test-").unwrap();
        assert_eq!(scratch.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}
