//! File names and whole directories.
//!
//! Nothing here opens a file: that is the task of [`super::below`] below a repository, and of [`super::fs`] for a
//! ledger.

use std::fs;
pub use std::fs::Metadata;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::fs::FsError;

/// The metadata of a name, without following a link.
pub fn look(path: &Path) -> io::Result<Metadata> {
    fs::symlink_metadata(path)
}

/// Whether a name exists, even as a dangling link.
pub fn is_there(path: &Path) -> bool {
    look(path).is_ok()
}

/// Whether a name does not exist, as far as this is known: not even as a link.
pub fn is_missing(path: &Path) -> bool {
    look(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound)
}

/// Whether the system says that this user cannot write there. A sandbox may forbid more than it says.
pub fn is_read_only(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_err()
}

/// The path with links resolved.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// The metadata of a name, following links.
pub fn follow(path: &Path) -> io::Result<Metadata> {
    fs::metadata(path)
}

/// The target of a link.
pub fn link(path: &Path) -> io::Result<PathBuf> {
    fs::read_link(path)
}

/// The entries of a directory.
pub fn entries(directory: &Path) -> io::Result<fs::ReadDir> {
    fs::read_dir(directory)
}

/// Whether a directory is empty.
pub fn is_empty(directory: &Path) -> io::Result<bool> {
    Ok(entries(directory)?.next().is_none())
}

pub fn make(directory: &Path) -> Result<(), FsError> {
    fs::create_dir(directory).map_err(|e| FsError::new("make", directory, e))
}

/// A temporary directory that other users cannot read; it is removed on drop.
pub fn private_scratch(prefix: &str) -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(fs::Permissions::from_mode(0o700)).tempdir()
}

/// Renames a file or directory.
pub fn rename(from: &Path, to: &Path) -> Result<(), FsError> {
    fs::rename(from, to).map_err(|e| FsError::new("rename", from, e))
}

/// Gives a file a second name, or renames it where hard links are not supported.
pub fn link_or_rename(from: &Path, to: &Path) -> Result<(), FsError> {
    fs::hard_link(from, to).or_else(|_| fs::rename(from, to)).map_err(|e| FsError::new("move aside", from, e))
}

/// Removes an empty directory.
pub fn remove(directory: &Path) -> Result<(), FsError> {
    fs::remove_dir(directory).map_err(|e| FsError::new("remove", directory, e))
}

/// Removes a directory with its content.
pub fn remove_all(directory: &Path) -> Result<(), FsError> {
    fs::remove_dir_all(directory).map_err(|e| FsError::new("remove", directory, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scratch_directory_is_private() {
        let scratch = private_scratch("bd-test-").unwrap();
        assert_eq!(scratch.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}
