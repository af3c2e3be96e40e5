//! Snapshots: all files of a checkout as they are now, stored where every checkout of the repository finds them.
//!
//! Ignored files are left out, and so are files that are too large and the directories of nested repositories; each of
//! them is reported. Bytes, links and the executable bit are kept; owners, times and empty directories are not. Staged
//! content that differs from its file is stored separately.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use super::{Kind, MARKERS, SyncError};

/// The default limit for the size of a file.
pub const LARGEST: u64 = 100 << 20;

const ODD_KEY: &str = "the name of a snapshot is made of small letters, digits and `_`";

/// A stored snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Version control's name for the snapshot: with git a commit, otherwise a directory.
    pub name: String,
    /// The files that differ from the commit below: changed, added, removed. Sorted, relative to the root.
    pub files: Vec<PathBuf>,
    /// The commit below; `None` before the first, and without version control.
    pub base: Option<String>,
    pub left_out: Vec<LeftOut>,
}

/// A file or directory that a snapshot does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub path: PathBuf,
    pub why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// With its size in bytes.
    TooLarge(u64),
    /// A repository, or version control's directory in one.
    Repository,
    Unreadable,
    /// A pipe, a socket, a device; a link where git does not allow one.
    Special,
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Why::TooLarge(bytes) => write!(f, "{bytes} bytes are too many"),
            Why::Repository => f.write_str("it belongs to another repository"),
            Why::Unreadable => f.write_str("it cannot be read"),
            Why::Special => f.write_str("it is nothing that can be kept"),
        }
    }
}

/// Everything saved of a checkout before its forced removal, in the repository that it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rescue {
    /// Its files.
    pub snapshot: Snapshot,
    /// The number of branches, tags and stashes; each has a name in the other repository.
    pub names: usize,
}

/// A restored checkout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Returned {
    /// The directory of staged content that differs from its file, relative to the restored one.
    pub staged: Option<PathBuf>,
    /// Whether the directory is a repository with the saved branches.
    pub with_commits: bool,
}

/// Checks a key, which becomes part of the name of a ref or a directory.
pub(super) fn check_key(key: &str, kind: Kind) -> Result<(), SyncError> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let fine = !key.is_empty() && key.len() <= 64 && key.bytes().all(is_plain);
    if fine { Ok(()) } else { Err(SyncError::Unsupported { kind, what: ODD_KEY }) }
}

/// The metadata of a path below a root, without following a link on the path or at its end.
pub(super) fn look(root: &Path, path: &Path) -> Option<fs::Metadata> {
    let mut at = root.to_owned();
    for dir in path.parent()?.iter() {
        at.push(dir);
        fs::symlink_metadata(&at).ok().filter(fs::Metadata::is_dir)?;
    }
    fs::symlink_metadata(root.join(path)).ok()
}

/// The directory of a nested version control that a path is, or is below. Case is ignored.
pub(super) fn marker(path: &Path) -> Option<PathBuf> {
    let is_marker = |name: &std::ffi::OsStr| MARKERS.iter().any(|(marker, _)| name.eq_ignore_ascii_case(marker));
    let depth = path.iter().position(is_marker)?;
    Some(path.iter().take(depth + 1).collect())
}

pub(super) fn unusable(path: &Path, source: io::Error) -> SyncError {
    SyncError::Path { path: path.to_owned(), source }
}

/// A new directory during restore. All paths are kept inside it, whatever their names.
pub(super) struct Fresh {
    root: PathBuf,
}

impl Fresh {
    /// Fills a directory that does not exist or is empty. This is done under a temporary name, so a partial result is
    /// never visible, and a failure leaves nothing.
    pub(super) fn fill(to: &Path, write: impl FnOnce(&Fresh) -> Result<(), SyncError>) -> Result<(), SyncError> {
        let failed = |source| unusable(to, source);
        let to = if to.exists() { fs::canonicalize(to).map_err(failed)? } else { to.to_owned() };
        if to.exists() && fs::read_dir(&to).map_err(failed)?.next().is_some() {
            return Err(failed(io::ErrorKind::DirectoryNotEmpty.into()));
        }
        let parent = to.parent().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
        fs::create_dir_all(parent).map_err(|source| unusable(parent, source))?;
        let everybody = fs::Permissions::from_mode(0o777);
        let new = tempfile::Builder::new().prefix(".bd-new-").permissions(everybody).tempdir_in(parent);
        let new = new.map_err(|source| unusable(parent, source))?;
        write(&Fresh { root: new.path().to_owned() })?;
        // Replaces an empty directory, and nothing else.
        fs::rename(new.path(), &to).map_err(failed)?;
        // It has another name now: there is nothing to clean up.
        let _ = new.keep();
        Ok(())
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn file(&self, path: &Path, can_run: bool, bytes: &mut dyn Read) -> Result<(), SyncError> {
        let place = self.place(path)?;
        let failed = |source| unusable(&place, source);
        let mode = if can_run { 0o777 } else { 0o666 };
        let mut file = File::options().write(true).create_new(true).mode(mode).open(&place).map_err(failed)?;
        io::copy(bytes, &mut file).map(drop).map_err(failed)
    }

    pub(super) fn link(&self, path: &Path, target: &Path) -> Result<(), SyncError> {
        let place = self.place(path)?;
        symlink(target, &place).map_err(|source| unusable(&place, source))
    }

    pub(super) fn directory(&self, path: &Path) -> Result<(), SyncError> {
        self.place(&path.join("x")).map(drop)
    }

    /// Removes a file that was written before.
    pub(super) fn remove(&self, path: &Path) -> Result<(), SyncError> {
        let place = self.place(path)?;
        match fs::remove_file(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unusable(&place, error)),
            _ => {}
        }
        // Like version control: a directory disappears with its last file.
        for dir in path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty()) {
            if fs::remove_dir(self.root.join(dir)).is_err() {
                break;
            }
        }
        Ok(())
    }

    /// The target for a path, below directories that are not links.
    fn place(&self, path: &Path) -> Result<PathBuf, SyncError> {
        let full = self.root.join(path);
        let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !inside || path.as_os_str().is_empty() || marker(path).is_some() {
            return Err(unusable(&full, io::Error::new(io::ErrorKind::InvalidInput, "no such name may be written")));
        }
        let mut at = self.root.clone();
        for dir in path.parent().into_iter().flat_map(Path::iter) {
            at.push(dir);
            match fs::symlink_metadata(&at) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(unusable(&at, io::ErrorKind::NotADirectory.into())),
                Err(_) => fs::create_dir(&at).map_err(|source| unusable(&at, source))?,
            }
        }
        Ok(full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(write: impl FnOnce(&Fresh) -> Result<(), SyncError>) -> (bool, usize) {
        let dir = tempfile::tempdir().unwrap();
        let done = Fresh::fill(&dir.path().join("to"), write).is_ok();
        (done, fs::read_dir(dir.path()).unwrap().count())
    }

    #[test]
    fn nothing_is_written_outside() {
        let names = ["../x", "/tmp/bd-x", "a/../../x", ".git/hooks/pre-commit", "a/.GIT/config", ".", "", ".hg/hgrc"];
        for name in names {
            assert_eq!(outcome(|to| to.file(Path::new(name), true, &mut &b"x"[..])), (false, 0), "{name}");
            assert_eq!(outcome(|to| to.link(Path::new(name), Path::new("x"))), (false, 0), "{name}");
        }
        assert_eq!(outcome(|to| to.file(Path::new("a/b"), true, &mut &b"x"[..])), (true, 1));
    }

    #[test]
    fn no_link_is_followed() {
        let outside = tempfile::tempdir().unwrap();
        let through = outcome(|to| {
            to.link(Path::new("a"), outside.path())?;
            to.file(Path::new("a/b"), false, &mut &b"x"[..])
        });
        assert_eq!(through, (false, 0));
        let over = outcome(|to| {
            to.link(Path::new("a"), &outside.path().join("new"))?;
            to.file(Path::new("a"), false, &mut &b"x"[..])
        });
        assert_eq!(over, (false, 0));
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_with_something_in_it_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("mine"), "mine").unwrap();
        let error = Fresh::fill(dir.path(), |_| panic!("it is not empty")).unwrap_err();
        assert!(matches!(error, SyncError::Path { .. }));
        assert_eq!(fs::read_to_string(dir.path().join("mine")).unwrap(), "mine");
    }

    #[test]
    fn keys() {
        assert!(check_key("cp_a1b2c3d4e5f6", Kind::Git).is_ok());
        for odd in ["", "a/b", "..", "A", "a b", "-x", "a.lock"] {
            assert!(check_key(odd, Kind::Git).is_err(), "{odd}");
        }
    }
}
