//! One writer at a time: an advisory lock on the directory that holds a ledger.
//!
//! The directory itself is the lock file: every program that can reach the ledger can open it, version control sees no
//! extra file, and it cannot be deleted while the ledger is in it. A lock on the ledger file would not work, because
//! the file is replaced. The lock ends with its process, so there is never a stale one to break.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use super::fs::{Dir, FsError};

#[derive(Debug, Clone, thiserror::Error)]
pub enum LockError {
    #[error(transparent)]
    Open(#[from] FsError),
    #[error("{} is locked by {}; waited {:.1} s", path.display(), holder.as_deref().unwrap_or("another process"), waited.as_secs_f64())]
    Timeout { path: PathBuf, holder: Option<String>, waited: Duration },
    #[error("cannot lock {}: {source}", path.display())]
    Failed { path: PathBuf, source: Arc<io::Error> },
}

/// Holds the lock until it is dropped.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct DirLock {
    /// `None` once it is released.
    dir: Option<Dir>,
}

impl DirLock {
    pub fn dir(&self) -> &Dir {
        self.dir.as_ref().expect("it has its directory until it is released")
    }

    /// Releases the lock, and keeps the directory open.
    pub fn release(mut self) -> Dir {
        unlock(self.dir());
        self.dir.take().expect("it has its directory until it is released")
    }
}

fn unlock(dir: &Dir) {
    let _ = fs4::FileExt::unlock(dir.file());
}

/// A program that another thread is just starting holds the directory open for a moment, and the lock with it: closing
/// it here would not be enough.
impl Drop for DirLock {
    fn drop(&mut self) {
        if let Some(dir) = &self.dir {
            unlock(dir);
        }
    }
}

/// Locks a directory that is not itself a link, waiting at most `wait`.
pub fn lock(path: &Path, wait: Duration) -> Result<DirLock, LockError> {
    let start = Instant::now();
    loop {
        let dir = Dir::root(path)?;
        let left = wait.saturating_sub(start.elapsed());
        let Some(lock) = acquire(dir, left)? else {
            let holder = holder(path);
            return Err(LockError::Timeout { path: path.to_owned(), holder, waited: wait });
        };
        // The previous holder may have changed anything. A directory that was removed and created again has another
        // lock: start over with the one at the path.
        if lock.dir().is_current() {
            return Ok(lock);
        }
    }
}

/// Whether another process holds a lock on this file now. Does not create the file.
pub fn is_held(file: &Path) -> bool {
    let Ok(file) = super::below::open_own(file).map(std::fs::File::from) else { return false };
    matches!(fs4::FileExt::try_lock_shared(&file), Err(fs4::TryLockError::WouldBlock))
}

/// Waits in the kernel, in a separate thread: polling would starve under load. A lock that is granted too late is
/// dropped with the channel.
fn acquire(dir: Dir, wait: Duration) -> Result<Option<DirLock>, LockError> {
    let path = dir.path().to_owned();
    let failed = |e| LockError::Failed { path, source: Arc::new(e) };
    match fs4::FileExt::try_lock(dir.file()) {
        Ok(()) => return Ok(Some(DirLock { dir: Some(dir) })),
        Err(fs4::TryLockError::WouldBlock) if wait.is_zero() => return Ok(None),
        Err(fs4::TryLockError::WouldBlock) => {}
        Err(fs4::TryLockError::Error(e)) if e.kind() == io::ErrorKind::Interrupted => {}
        Err(fs4::TryLockError::Error(e)) => return Err(failed(e)),
    }
    let (send, receive) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let granted = loop {
            match fs4::FileExt::lock(dir.file()) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other.map(|()| DirLock { dir: Some(dir) }),
            }
        };
        let _ = send.send(granted);
    });
    match receive.recv_timeout(wait) {
        Ok(granted) => granted.map(Some).map_err(failed),
        Err(_) => Ok(None),
    }
}

/// The process that holds the lock, if the system reports it (Linux).
fn holder(path: &Path) -> Option<String> {
    let stamp = super::fs::stat(path).ok()?;
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let inode = format!(":{}", stamp.ino);
    let pid = locks.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let flock = fields.get(1) == Some(&"FLOCK") && fields.get(5)?.ends_with(&inode);
        flock.then(|| fields.get(4).copied()).flatten()
    })?;
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    Some(format!("process {pid} ({})", name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_times_out_and_names_its_holder() {
        let dir = tempfile::tempdir().unwrap();
        let held = lock(dir.path(), Duration::ZERO).unwrap();
        let error = lock(dir.path(), Duration::from_millis(50)).unwrap_err();
        assert!(matches!(&error, LockError::Timeout { .. }), "{error}");
        if Path::new("/proc/locks").exists() {
            assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
        }
        drop(held);
        drop(lock(dir.path(), Duration::from_secs(5)).unwrap());
    }

    #[test]
    fn a_descriptor_that_a_child_inherits_does_not_keep_the_lock() {
        let dir = tempfile::tempdir().unwrap();
        let held = lock(dir.path(), Duration::ZERO).unwrap();
        let inherited = held.dir().file().try_clone().unwrap();
        drop(held);
        drop(lock(dir.path(), Duration::ZERO).unwrap());
        drop(inherited);
    }

    #[test]
    fn a_waiter_gets_the_lock_when_it_is_free() {
        let dir = tempfile::tempdir().unwrap();
        let held = lock(dir.path(), Duration::ZERO).unwrap();
        let path = dir.path().to_owned();
        let waiter = std::thread::spawn(move || lock(&path, Duration::from_secs(20)).map(|_| ()));
        std::thread::sleep(Duration::from_millis(50));
        drop(held);
        waiter.join().unwrap().unwrap();
    }
}
