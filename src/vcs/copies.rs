//! Snapshots as copies of files, for repositories without a suitable object store.
//!
//! A snapshot is a directory: `files` holds the files that differ from the commit below, and `manifest` names that
//! commit and the files that are removed from it. The directory gets its name when it is complete. It is not synced to
//! disk.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::SyncError;
use super::files::path_of;
use super::snapshot::{Fresh, LeftOut, Snapshot, Why, look, marker, unusable};

const FORMAT: &[u8] = b"bd snapshot 1";
/// The limit for reading a list of files.
const MAX: u64 = 256 << 20;

/// The directory with the snapshots of a repository.
pub(super) struct Copies {
    pub dir: PathBuf,
}

/// The parts of a checkout to keep.
pub(super) struct Order<'a> {
    pub key: &'a str,
    pub root: &'a Path,
    pub base: Option<String>,
    /// Changed and new files.
    pub present: Vec<PathBuf>,
    pub removed: Vec<PathBuf>,
    pub limit: u64,
}

/// A stored snapshot.
pub(super) struct Kept {
    files: PathBuf,
    pub base: Option<String>,
    removed: Vec<PathBuf>,
}

impl Copies {
    pub(super) fn keep(&self, order: Order<'_>) -> Result<Snapshot, SyncError> {
        let failed = |source| unusable(&self.dir, source);
        fs::create_dir_all(&self.dir).map_err(failed)?;
        let new = tempfile::Builder::new().prefix(".new-").tempdir_in(&self.dir).map_err(failed)?;
        let mut removed = order.removed.clone();
        let mut left_out = Vec::new();
        Fresh::fill(&new.path().join("files"), |to| {
            for path in &order.present {
                if let Some(why) = copy(order.root, path, order.limit, to)? {
                    left_out.push(LeftOut { path: marker(path).unwrap_or_else(|| path.clone()), why });
                    // Better no version than an older one.
                    removed.extend(matches!(why, Why::TooLarge(_) | Why::Unreadable).then(|| path.clone()));
                }
            }
            Ok(())
        })?;
        left_out.dedup();
        let base = order.base.as_deref().unwrap_or_default();
        // The third line held a text in earlier versions.
        let head = [FORMAT, base.as_bytes(), b""].into_iter();
        let lines = head.chain(removed.iter().map(|path| path.as_os_str().as_bytes()));
        let manifest: Vec<u8> = lines.flat_map(|line| [line, b"\0"].concat()).collect();
        fs::write(new.path().join("manifest"), manifest).map_err(failed)?;
        let place = self.dir.join(order.key);
        // A snapshot of that name is never empty, so the rename cannot replace one.
        fs::rename(new.path(), &place).map_err(|source| unusable(&place, source))?;
        // It has another name now: there is nothing to clean up.
        let _ = new.keep();
        let mut files: Vec<PathBuf> = order.present.into_iter().chain(order.removed).collect();
        files.sort();
        Ok(Snapshot { name: place.display().to_string(), files, base: order.base, left_out })
    }

    pub(super) fn find(&self, key: &str, root: &Path) -> Result<Kept, SyncError> {
        let place = self.dir.join(key);
        let manifest = place.join("manifest");
        if !manifest.exists() {
            return Err(SyncError::NoSnapshot { key: key.to_owned(), root: root.to_owned() });
        }
        let contents = crate::sys::below::read_own(&manifest, MAX)
            .map_err(|error| unusable(&manifest, io::Error::other(error)))?;
        let mut lines = contents.bytes.split(|byte| *byte == 0);
        let (format, base, _text) = (lines.next(), lines.next(), lines.next());
        if format != Some(FORMAT) {
            return Err(unusable(&manifest, io::Error::new(io::ErrorKind::InvalidData, "no list of a snapshot")));
        }
        let base = base.filter(|base| !base.is_empty()).map(|base| String::from_utf8_lossy(base).into_owned());
        let removed = lines.filter(|line| !line.is_empty()).map(path_of).collect();
        Ok(Kept { files: place.join("files"), base, removed })
    }

    /// Moves all snapshots to another repository, each atomically.
    pub(super) fn move_to(&self, other: &Copies) -> Result<(), SyncError> {
        let Ok(entries) = fs::read_dir(&self.dir) else { return Ok(()) };
        for entry in entries {
            let entry = entry.map_err(|source| unusable(&self.dir, source))?;
            let (from, to) = (entry.path(), other.dir.join(entry.file_name()));
            if !from.join("manifest").exists() || to.exists() {
                continue;
            }
            let failed = |source| unusable(&to, source);
            fs::create_dir_all(&other.dir).map_err(failed)?;
            // On another disk it is copied, under a temporary name until it is complete.
            if fs::rename(&from, &to).is_ok() {
                continue;
            }
            let new = tempfile::Builder::new().prefix(".new-").tempdir_in(&other.dir).map_err(failed)?;
            let kept = Kept { files: from.join("files"), base: None, removed: Vec::new() };
            Fresh::fill(&new.path().join("files"), |to| kept.write(to))?;
            fs::copy(from.join("manifest"), new.path().join("manifest")).map_err(failed)?;
            fs::rename(new.path(), &to).map_err(failed)?;
            let _ = new.keep();
        }
        Ok(())
    }

    pub(super) fn forget(&self, key: &str) -> Result<(), SyncError> {
        let place = self.dir.join(key);
        match fs::remove_dir_all(&place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unusable(&place, error)),
            _ => Ok(()),
        }
    }
}

impl Kept {
    /// Applies the snapshot to the files of the commit below, or to no files.
    pub(super) fn write(&self, to: &Fresh) -> Result<(), SyncError> {
        self.removed.iter().try_for_each(|path| to.remove(path))?;
        let (mut files, mut links) = (Vec::new(), Vec::new());
        for path in below(&self.files, &|_| true)? {
            let found = look(&self.files, &path).is_some_and(|found| found.is_symlink());
            if found { links.push(path) } else { files.push(path) }
        }
        // Links come last, so that no file can be written through one.
        for path in files.iter().chain(&links) {
            to.remove(path)?;
            if let Some(why) = copy(&self.files, path, u64::MAX, to)? {
                return Err(unusable(&self.files.join(path), io::Error::other(why.to_string())));
            }
        }
        Ok(())
    }
}

/// Copies a file or a link; returns the reason if it is left out. A file that has vanished needs no reason.
fn copy(root: &Path, path: &Path, limit: u64, to: &Fresh) -> Result<Option<Why>, SyncError> {
    let Some(found) = look(root, path) else { return Ok(None) };
    let from = root.join(path);
    if marker(path).is_some() {
        return Ok(Some(Why::Repository));
    }
    if found.is_symlink() {
        let Ok(target) = fs::read_link(&from) else { return Ok(None) };
        return to.link(path, &target).map(|()| None);
    }
    if !found.is_file() {
        return Ok(Some(Why::Special));
    }
    if found.len() > limit {
        return Ok(Some(Why::TooLarge(found.len())));
    }
    let mut file = match File::open(&from) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) => return Ok(Some(Why::Unreadable)),
    };
    to.file(path, found.permissions().mode() & 0o100 != 0, &mut file).map(|()| None)
}

/// All entries below a directory except directories, sorted. Only wanted directories are entered, and no links.
pub(super) fn below(root: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>, SyncError> {
    let (mut found, mut open) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(directory) = open.pop() {
        let at = root.join(&directory);
        let entries = match fs::read_dir(&at) {
            // Removed in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !directory.as_os_str().is_empty() => continue,
            entries => entries.map_err(|source| unusable(&at, source))?,
        };
        for entry in entries {
            let entry = entry.map_err(|source| unusable(&at, source))?;
            let path = directory.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && marker(&path).is_none() => open.extend(wanted(&path).then_some(path)),
                _ => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}
