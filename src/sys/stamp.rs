//! File metadata that identifies a version of a file without reading it, and the error type for files.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::Stat;
use rustix::io::Errno;

use crate::model::time::{Instant, SECOND};

/// The user who owns a file or directory; for a link, the link itself.
pub fn owner(path: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::symlink_metadata(path).ok().map(|found| found.uid())
}

/// The user of this process.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// An I/O failure, with the action and the path.
#[derive(Debug, Clone, thiserror::Error)]
#[error("cannot {action} {}: {source}", path.display())]
pub struct FsError {
    pub action: &'static str,
    pub path: PathBuf,
    /// Shared, so that one failure can be reported to several callers.
    pub source: Arc<io::Error>,
}

impl FsError {
    pub fn new(action: &'static str, path: impl Into<PathBuf>, source: impl Into<io::Error>) -> Self {
        FsError { action, path: path.into(), source: Arc::new(source.into()) }
    }

    pub fn is_missing(&self) -> bool {
        // Nothing exists below a regular file either.
        matches!(self.source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    }

    /// Whether this user, or every user, is not allowed to write there.
    pub fn is_forbidden(&self) -> bool {
        matches!(self.source.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
    }
}

/// The system's reason for a failure, without a library's mention of files that only `bd` knows.
pub fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" at path \"").map_or(text.clone(), |(cause, _)| cause.to_owned())
}

/// The identity of a file's content, as far as the file system shows it: compared for equality, never for age, because
/// clocks and copies set any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    pub dev: u64,
    pub ino: u64,
    pub size: u64,
    pub mtime: Instant,
    pub ctime: Instant,
}

impl FileStamp {
    #[expect(clippy::unnecessary_cast, reason = "these fields have other types on other systems")]
    pub(super) fn of(stat: &Stat) -> Self {
        let time =
            |seconds: i64, nanos: i64| Instant::from_nanos(seconds.saturating_mul(1_000_000_000).saturating_add(nanos));
        FileStamp {
            dev: stat.st_dev as u64,
            ino: stat.st_ino as u64,
            size: stat.st_size as u64,
            mtime: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        }
    }

    /// Like equality, except for what a rename changes.
    pub(super) fn same_content(&self, other: &FileStamp) -> bool {
        (self.dev, self.ino, self.size, self.mtime) == (other.dev, other.ino, other.size, other.mtime)
    }
}

/// The machine's clock, which tests cannot fix.
pub fn realtime() -> Instant {
    super::clock::realtime()
}

/// The clock that stamps files. It does not advance between two ticks.
#[cfg(target_os = "linux")]
pub fn stamp_time() -> Instant {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    Instant::from_nanos(now.tv_sec.saturating_mul(SECOND).saturating_add(now.tv_nsec))
}

/// The clock that stamps files, as far as it is known.
#[cfg(not(target_os = "linux"))]
pub fn stamp_time() -> Instant {
    realtime()
}

/// Returns in a later tick of that clock, or when it does not tick.
pub fn wait_for_tick(after: Instant) {
    const STEP: Duration = Duration::from_micros(500);
    const MOST: usize = 40;
    for _ in 0..MOST {
        if stamp_time() > after {
            return;
        }
        std::thread::sleep(STEP);
    }
}

/// Stats a path, following links.
pub fn stat(path: &Path) -> Result<FileStamp, FsError> {
    let stat = retry(|| rustix::fs::stat(path)).map_err(|e| FsError::new("stat", path, e))?;
    Ok(FileStamp::of(&stat))
}

/// Stats a path without following a link.
pub fn stat_link(path: &Path) -> Result<FileStamp, FsError> {
    let stat = retry(|| rustix::fs::lstat(path)).map_err(|e| FsError::new("stat", path, e))?;
    Ok(FileStamp::of(&stat))
}

/// The number of names of a regular file; `None` if it does not exist.
pub fn names_of(path: &Path) -> Option<u64> {
    let stat = retry(|| rustix::fs::stat(path)).ok()?;
    let is_file = rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::RegularFile;
    is_file.then_some(stat.st_nlink as u64)
}

/// Whether the timestamps of a file system distinguish two writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Granularity {
    /// A local file system whose stamps come from the clock of [`stamp_time`].
    Fine,
    /// Unknown: stamps may be coarse.
    Coarse,
    /// A network or user-space file system: stamps prove nothing.
    Unreliable,
}

impl Granularity {
    /// Whether every change of a file with this stamp from `at` on, a time of [`stamp_time`], gives it another stamp.
    pub fn tells_later(self, stamp: &FileStamp, at: Instant) -> bool {
        // On any file system: if both times are whole seconds, it may count in seconds.
        let is_whole = |time: Instant| time.nanos().rem_euclid(SECOND) == 0;
        let window = match self {
            Granularity::Fine if is_whole(stamp.mtime) && is_whole(stamp.ctime) => 2 * SECOND,
            Granularity::Fine => 0,
            Granularity::Coarse => 2 * SECOND,
            Granularity::Unreliable => return false,
        };
        let settled = at.plus_nanos(-window);
        stamp.mtime < settled && stamp.ctime < settled
    }
}

/// Classifies the file system that holds a path.
#[cfg(target_os = "linux")]
pub fn granularity(path: &Path) -> Granularity {
    // The magic numbers of statfs(2): ext, xfs, btrfs, tmpfs, overlayfs; then nfs, smb, cifs, smb2, fuse, 9p, ceph, afs.
    const FINE: [u64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630];
    const REMOTE: [u64; 8] =
        [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x5346_414F];
    match rustix::fs::statfs(path).map(|s| s.f_type as u64) {
        Ok(kind) if FINE.contains(&kind) => Granularity::Fine,
        Ok(kind) if REMOTE.contains(&kind) => Granularity::Unreliable,
        Ok(_) => Granularity::Coarse,
        Err(_) => Granularity::Unreliable,
    }
}

/// Classifies the file system that holds a path.
#[cfg(not(target_os = "linux"))]
pub fn granularity(_path: &Path) -> Granularity {
    Granularity::Coarse
}

/// Retries a call that a signal interrupts.
pub(super) fn retry<T>(mut call: impl FnMut() -> rustix::io::Result<T>) -> rustix::io::Result<T> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::MILLI;

    #[test]
    fn a_stamp_tells_of_later_changes_once_its_tick_is_over() {
        let at = |millis: i64| Instant::from_nanos(1_700_000_000 * SECOND + millis * MILLI);
        let tells = |mtime: i64, ctime: i64, now: i64| {
            let stamp = FileStamp { dev: 1, ino: 2, size: 3, mtime: at(mtime), ctime: at(ctime) };
            Granularity::Fine.tells_later(&stamp, at(now))
        };
        assert!(tells(4, 4, 8) && !tells(4, 4, 4) && !tells(4, 8, 8) && !tells(8, 4, 8));
        assert!(tells(1000, 1000, 3001) && !tells(1000, 1000, 2900), "the file system may count in seconds");
        let stamp = FileStamp { dev: 1, ino: 2, size: 3, mtime: at(4), ctime: at(4) };
        assert!(
            !Granularity::Coarse.tells_later(&stamp, at(1900)) && Granularity::Coarse.tells_later(&stamp, at(2005))
        );
        assert!(!Granularity::Unreliable.tells_later(&stamp, at(1_000_000)));
    }

    /// The basis of the proof: a file written in a tick has no earlier stamp.
    #[test]
    fn files_are_stamped_by_that_clock() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        if granularity(directory.path()) != Granularity::Fine {
            assert!(
                std::env::var_os("CI").is_none(),
                "the temporary directory is on a file system with a clock of its own"
            );
            eprintln!("skipped: the temporary directory is on a file system with a clock of its own");
            return;
        }
        for n in 0..200 {
            let before = stamp_time();
            std::fs::write(&path, format!("{n}")).unwrap();
            let stamp = stat(&path).unwrap();
            assert!(before <= stamp.mtime && before <= stamp.ctime, "{before:?} {stamp:?}");
        }
    }
}
