//! One writer at a time: an advisory lock on the directory that holds a ledger.
//!
//! The directory itself is the lock file: every program that can reach the ledger can open it, version control sees no
//! extra file, and it cannot be deleted while the ledger is in it. A lock on the ledger file would not work, because
//! the file is replaced. The lock ends with its process, so there is never a stale one to break.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use rustix::time::ClockId;

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
        let Some(lock) = acquire(DirLock { dir: Some(dir) }, |lock| lock.dir().file(), path, left)? else {
            return Err(timeout(path, wait));
        };
        // The previous holder may have changed anything. A directory that was removed and created again has another
        // lock: start over with the one at the path.
        if lock.dir().is_current() {
            return Ok(lock);
        }
    }
}

/// The same for a directory of our own, in order of arrival.
///
/// The kernel gives a lock to whoever asks when it is free, and on a busy machine a newcomer asks before a waiter has
/// woken up. So a process that has to wait puts a ticket into the directory: a file that it keeps locked and whose name
/// is the time. It waits for the ticket before its own; a newcomer does not ask for the lock while there are tickets. A ticket whose
/// process is gone is not locked. Only fairness depends on tickets.
pub fn lock_in_turn(path: &Path, wait: Duration) -> Result<DirLock, LockError> {
    let start = Instant::now();
    let left = || wait.saturating_sub(start.elapsed());
    let dir = Dir::root(path)?;
    if dir.names()?.is_empty() {
        match lock(path, Duration::ZERO) {
            Err(LockError::Timeout { .. }) if !wait.is_zero() => {}
            done => return done,
        }
    }
    // Where nothing can be written, there are no turns.
    let Some(ticket) = Ticket::take(&dir) else { return lock(path, left()) };
    while let Some(before) = ticket.before()? {
        let file = match rustix::fs::openat(dir.file(), &before, OFlags::NOFOLLOW | Ticket::FLAGS, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(Errno::NOENT) => continue,
            Err(_) => break,
        };
        if acquire(file, |file| file, &path.join(&before), left())?.is_none() {
            return Err(timeout(path, wait));
        }
        // If it is still there, its process is gone.
        if !matches!(rustix::fs::unlinkat(dir.file(), &before, AtFlags::empty()), Ok(()) | Err(Errno::NOENT)) {
            break;
        }
    }
    lock(path, left())
}

/// A place in the queue for a lock.
struct Ticket<'a> {
    dir: &'a Dir,
    name: String,
    file: File,
}

impl<'a> Ticket<'a> {
    const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

    /// `None` if none can be made.
    fn take(dir: &'a Dir) -> Option<Self> {
        let now = rustix::time::clock_gettime(ClockId::Monotonic);
        let name = format!("{:012}.{:09}-{}", now.tv_sec, now.tv_nsec, std::process::id());
        let flags = OFlags::CREATE | OFlags::EXCL | Self::FLAGS;
        let file = rustix::fs::openat(dir.file(), &name, flags, Mode::from_raw_mode(0o666)).ok()?;
        let ticket = Ticket { dir, name, file: file.into() };
        fs4::FileExt::try_lock(&ticket.file).is_ok().then_some(ticket)
    }

    /// The last of the tickets that were taken earlier.
    fn before(&self) -> Result<Option<String>, FsError> {
        Ok(self.dir.names()?.into_iter().take_while(|name| *name < self.name).last())
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let _ = rustix::fs::unlinkat(self.dir.file(), &self.name, AtFlags::empty());
    }
}

fn timeout(path: &Path, waited: Duration) -> LockError {
    LockError::Timeout { path: path.to_owned(), holder: holder(path), waited }
}

/// Whether another process holds a lock on this file now. Does not create the file.
pub fn is_held(file: &Path) -> bool {
    let Ok(file) = super::below::open_own(file).map(std::fs::File::from) else { return false };
    matches!(fs4::FileExt::try_lock_shared(&file), Err(fs4::TryLockError::WouldBlock))
}

/// Locks a file, which `locked` contains; `None` if that takes too long. Waits in the kernel, in a separate thread:
/// polling would starve under load. A lock that is granted too late is dropped with the channel.
fn acquire<T: Send + 'static>(
    locked: T,
    file: fn(&T) -> &File,
    path: &Path,
    wait: Duration,
) -> Result<Option<T>, LockError> {
    let failed = |e| LockError::Failed { path: path.to_owned(), source: Arc::new(e) };
    match fs4::FileExt::try_lock(file(&locked)) {
        Ok(()) => return Ok(Some(locked)),
        Err(fs4::TryLockError::WouldBlock) if wait.is_zero() => return Ok(None),
        Err(fs4::TryLockError::WouldBlock) => {}
        Err(fs4::TryLockError::Error(e)) if e.kind() == io::ErrorKind::Interrupted => {}
        Err(fs4::TryLockError::Error(e)) => return Err(failed(e)),
    }
    let (send, receive) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let granted = loop {
            match fs4::FileExt::lock(file(&locked)) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => break other.map(|()| locked),
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
    fn waiters_take_turns() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let queue = || std::fs::read_dir(path).unwrap().count();
        let held = lock_in_turn(path, Duration::ZERO).unwrap();
        assert_eq!(queue(), 0, "who need not wait leaves no ticket");
        let (send, served) = mpsc::channel();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let before = queue();
                let send = send.clone();
                scope.spawn(move || {
                    let held = lock_in_turn(path, Duration::from_secs(60)).unwrap();
                    send.send(number).unwrap();
                    drop(held);
                });
                while queue() == before {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            assert!(matches!(lock_in_turn(path, Duration::ZERO), Err(LockError::Timeout { .. })));
            drop(held);
        });
        assert_eq!(served.try_iter().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
        assert_eq!(queue(), 0);
    }

    #[test]
    fn a_ticket_without_a_process_delays_no_one() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("000000000000.000000000-1"), "").unwrap();
        drop(lock_in_turn(dir.path(), Duration::ZERO).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        // Something else stays.
        std::fs::create_dir(dir.path().join("0")).unwrap();
        drop(lock_in_turn(dir.path(), Duration::ZERO).unwrap());
        assert!(dir.path().join("0").exists());
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
