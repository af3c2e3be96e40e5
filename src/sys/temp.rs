//! A file before it gets its name: how it is written, and how it is recognized afterwards.

use std::fs::File;
use std::io::{self, IoSlice, Write as _};
use std::os::fd::AsFd;

use rustix::fs::{Mode, Stat, Timespec, Timestamps, UTIME_OMIT};

use super::stamp::{FileStamp, Granularity, retry, stamp_time};
use crate::model::time::{Instant, SECOND};

/// The prefix of temporary files that a crash may leave; the next write removes them.
pub const TEMP_PREFIX: &str = ".bd-tmp-";

/// A file that was just put in place.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// Its stamp after writing, before another process could reach it.
    pub(super) written: FileStamp,
    /// The time when it got its name.
    pub(super) named_at: Instant,
}

impl Placed {
    /// Whether this stamp is that of the placed file, with no visible change of its bytes.
    pub fn is_same(&self, now: &FileStamp) -> bool {
        self.written.same_content(now)
    }

    /// Whether every change of its bytes since it got its name shows in a later time.
    pub fn tells_later(&self, granularity: Granularity) -> bool {
        let written = FileStamp { ctime: self.written.mtime, ..self.written };
        granularity.tells_later(&written, self.named_at)
    }
}

/// Whether a write is on disk when it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    Full,
    /// It may be lost in a power failure; nothing depends on it.
    None,
}

/// Writes all pieces in one call: a large write that starts in the middle of a file takes three times as long.
pub(super) fn write_pieces(file: &mut File, pieces: &[&[u8]]) -> io::Result<()> {
    let mut slices: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
    let mut left = slices.as_mut_slice();
    // Empty pieces are skipped.
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match file.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Sets the modification time of a file to just before the current tick, so that a change within the tick in which it
/// gets its name has another time. Does nothing where the file system counts in seconds or refuses.
pub(super) fn set_back(file: &File) {
    let Ok(stat) = retry(|| rustix::fs::fstat(file)) else { return };
    // The file system's times may be finer than that clock.
    let written = FileStamp::of(&stat).mtime.min(stamp_time()).nanos();
    let (seconds, nanos) = (written.div_euclid(SECOND), written.rem_euclid(SECOND));
    if nanos > 0 {
        let earlier = Timespec { tv_sec: seconds, tv_nsec: (nanos - 1) as _ };
        let kept = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
        let _ = rustix::fs::futimens(file, &Timestamps { last_access: kept, last_modification: earlier });
    }
}

/// Adds to a temporary name which files may have it: the new one, or the one that it replaces.
pub(super) fn tell_apart(name: &str, inode: u64, replaces: Option<&Stat>) -> String {
    let old = replaces.map_or((0, 0), |stat| (FileStamp::of(stat).ino, FileStamp::of(stat).mtime.nanos()));
    format!("{name}-{inode:x}-{:x}-{:x}", old.0, old.1)
}

/// Whether the file under a temporary name is neither the new one nor the one that it was to replace.
pub(super) fn is_foreign(name: &str, stamp: &FileStamp) -> bool {
    let mut parts = name.rsplitn(4, '-');
    let number = |part: Option<&str>| part.and_then(|text| u64::from_str_radix(text, 16).ok());
    let (Some(mtime), Some(old), Some(new)) = (number(parts.next()), number(parts.next()), number(parts.next())) else {
        return false;
    };
    let is_ours = name.matches('-').count() == TEMP_PREFIX.matches('-').count() + 4;
    is_ours && stamp.ino != new && (stamp.ino, stamp.mtime.nanos() as u64) != (old, mtime)
}

/// Keeps mode and group; the owner too if the system allows it. Otherwise a shared ledger would become unreadable for
/// others.
pub(super) fn keep_access(fd: impl AsFd, like: &Stat) -> io::Result<()> {
    let fresh = retry(|| rustix::fs::fstat(&fd))?;
    let (uid, gid) = (rustix::fs::Uid::from_raw(like.st_uid), rustix::fs::Gid::from_raw(like.st_gid));
    let owned = fresh.st_uid != like.st_uid && rustix::fs::fchown(&fd, Some(uid), Some(gid)).is_ok();
    if !owned && fresh.st_gid != like.st_gid {
        rustix::fs::fchown(&fd, None, Some(gid))?;
    }
    retry(|| rustix::fs::fchmod(&fd, Mode::from_raw_mode(like.st_mode & 0o7777)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;

    use super::super::stamp::{granularity, stat};
    use super::*;

    #[test]
    fn pieces_arrive_whole_and_in_order() {
        let many: Vec<Vec<u8>> = (0..5000).map(|n: usize| n.to_string().repeat(n % 7).into_bytes()).collect();
        for pieces in [vec![], vec![b"".as_slice()], vec![b"a", b"", b"bc"], many.iter().map(Vec::as_slice).collect()] {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("file");
            write_pieces(&mut File::create(&path).unwrap(), &pieces).unwrap();
            assert!(std::fs::read(&path).unwrap() == pieces.concat(), "{} pieces", pieces.len());
        }
    }

    /// The basis for trusting a write without reading it back.
    #[test]
    fn who_changes_a_file_in_the_tick_of_its_name_leaves_another_time() {
        let directory = tempfile::tempdir().unwrap();
        let granularity = granularity(directory.path());
        for n in 0..200 {
            let path = directory.path().join(format!("{n}"));
            let file = File::create_new(&path).unwrap();
            file.write_all_at(b"one", 0).unwrap();
            set_back(&file);
            let placed = Placed { written: stat(&path).unwrap(), named_at: stamp_time() };
            if !placed.tells_later(granularity) {
                assert_ne!(granularity, Granularity::Fine, "{placed:?}");
                continue;
            }
            assert!(placed.is_same(&stat(&path).unwrap()));
            file.write_all_at(b"two", 0).unwrap();
            assert!(!placed.is_same(&stat(&path).unwrap()), "{placed:?}");
        }
    }
}
