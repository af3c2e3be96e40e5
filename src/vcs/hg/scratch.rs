//! A temporary working copy for merges, separate from the user's: a share of the repository, below `beads/merging` in
//! its directory.
//!
//! Only one exists at a time for all checkouts of a repository, guarded by a lock that ends with its process. The next
//! process removes the remains of a killed one.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::call::Client;
use crate::sys::Entropy;
use crate::sys::lock::{DirLock, LockError, lock};
use crate::vcs::SyncError;
use crate::vcs::layout::hg::common_dir;
use crate::vcs::snapshot::unusable;

/// How long to wait for another merge in the same repository.
const WAIT: Duration = Duration::from_secs(60);
/// How long to wait for an hg that outlived its `bd`.
const LEFT_RUNNING: Duration = Duration::from_secs(5);

#[must_use = "the share is removed when this is dropped"]
pub(super) struct Scratch<'a> {
    pub share: Client<'a>,
    dir: PathBuf,
    _lock: DirLock,
}

impl<'a> Scratch<'a> {
    pub(super) fn new(client: &Client<'a>) -> Result<Self, SyncError> {
        let common = common_dir(&client.own_dir()).unwrap_or_else(|| client.own_dir());
        let dir = common.join("beads/merging");
        let held = hold(&dir).map_err(|error| match error {
            Some(LockError::Timeout { .. }) => SyncError::Busy { root: client.root.clone() },
            Some(error) => unusable(&dir, std::io::Error::other(error)),
            None => unusable(&dir, std::io::ErrorKind::NotFound.into()),
        })?;
        remove_left(&dir);
        let name = u64::from_le_bytes(Entropy::System.bytes());
        let root = dir.join(format!("{name:016x}"));
        let scratch = Scratch { share: client.at(root.clone()), dir, _lock: held };
        let on = ["--config=extensions.share=".to_owned()];
        client.must(&on, &["share", "--noupdate", "--quiet"], &[client.root.clone().into(), root.into()])?;
        Ok(scratch)
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.share.root);
        let _ = std::fs::remove_dir(&self.dir);
    }
}

/// Writes a file of a working copy. A link on the path, which may come from the repository, is not followed.
pub(crate) fn write_below(root: &Path, file: &Path, bytes: &[u8]) -> Result<(), SyncError> {
    let path = root.join(file);
    let failed = |source| unusable(&path, source);
    let below: Vec<&Path> = file.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty()).collect();
    for dir in below.into_iter().rev() {
        let dir = root.join(dir);
        match std::fs::symlink_metadata(&dir) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(unusable(&dir, std::io::ErrorKind::NotADirectory.into())),
            Err(_) => std::fs::create_dir(&dir).map_err(failed)?,
        }
    }
    if std::fs::symlink_metadata(&path).is_ok() {
        std::fs::remove_file(&path).map_err(failed)?;
    }
    let mut new = std::fs::File::create_new(&path).map_err(failed)?;
    std::io::Write::write_all(&mut new, bytes).map_err(failed)
}

/// Locks the directory, which another process may be about to remove.
fn hold(dir: &Path) -> Result<DirLock, Option<LockError>> {
    for _ in 0..50 {
        let _ = std::fs::create_dir_all(dir);
        match lock(dir, WAIT) {
            Err(LockError::Open(error)) if error.is_missing() => {}
            other => return other.map_err(Some),
        }
    }
    Err(None)
}

fn remove_left(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let until = Instant::now() + LEFT_RUNNING;
        while is_in_use(&entry.path()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = std::fs::remove_dir_all(entry.path());
    }
}

/// Whether an hg works there. Its lock is a link to `host:process`.
fn is_in_use(share: &Path) -> bool {
    let Ok(lock) = std::fs::read_link(share.join(".hg/wlock")) else { return false };
    let process = lock.as_os_str().as_bytes().rsplit(|byte| *byte == b':').next().unwrap_or_default();
    let process = String::from_utf8_lossy(process);
    !Path::new("/proc/self").exists() || Path::new("/proc").join(&*process).exists()
}
