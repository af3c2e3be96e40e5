//! Replaces files so that a crash leaves the old or the new one, whole. Identifying a file is the task of `stamp`,
//! opening one of `below`.
//!
//! Replacing works relative to an open directory, so a directory that is swapped underneath cannot redirect it. A
//! temporary file has no name until it is complete (Linux); where that is not possible it has one that starts with
//! [`TEMP_PREFIX`]. No other part of `bd` opens a ledger for writing.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use super::Entropy;
pub(super) use super::stamp::retry;
pub use super::stamp::{
    FileStamp, FsError, Granularity, cause, granularity, names_of, owner, realtime, stamp_time, stat, stat_link, user,
    wait_for_tick,
};
pub(super) use super::temp::Durability;
pub use super::temp::{Placed, TEMP_PREFIX};
use super::temp::{is_foreign, keep_access, set_back, tell_apart, write_pieces};
use crate::model::time::Instant;

/// A temporary file older than this, in nanoseconds, belongs to no running process.
const ORPHAN_AGE: i64 = 60_000_000_000;

/// The prefix of a ledger version that another program wrote and that could not be put back. Such a file is never
/// removed.
pub const DISPLACED_PREFIX: &str = ".bd-displaced-";

/// The content of a file during one read.
#[derive(Debug)]
pub struct Contents {
    pub bytes: Vec<u8>,
    pub stamp: FileStamp,
    /// The time just before the file was opened.
    pub read_at: Instant,
    /// Whether the stamps before and after the read agree.
    pub stable: bool,
    pub links: u64,
    pub mode: u32,
    pub owner: u32,
}

/// An open directory.
#[derive(Debug)]
pub struct Dir {
    file: File,
    path: PathBuf,
}

impl Dir {
    /// Opens a directory of the user's own, or one that a person named: links are followed. Below a repository, use
    /// [`Dir::root`].
    pub fn open(path: &Path) -> Result<Self, FsError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = retry(|| rustix::fs::open(path, flags, Mode::empty())).map_err(|e| FsError::new("open", path, e))?;
        Ok(Self::from_parts(fd, path))
    }

    pub(super) fn from_parts(fd: OwnedFd, path: &Path) -> Self {
        Dir { file: File::from(fd), path: path.to_owned() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Whether the path still leads to this directory.
    pub fn is_current(&self) -> bool {
        let here = rustix::fs::fstat(&self.file);
        let there = rustix::fs::stat(&self.path);
        matches!((here, there), (Ok(a), Ok(b)) if (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino))
    }

    /// Removes the temporary files of killed writers. Only for the holder of this directory's lock.
    pub fn remove_orphans(&self) -> Result<(), FsError> {
        self.remove_orphans_but(|_| false)
    }

    /// The same for a directory where others write under another lock or none: recent files may be theirs.
    pub fn remove_old_orphans(&self) -> Result<(), FsError> {
        let now = realtime();
        self.remove_orphans_but(|stamp| now.nanos().saturating_sub(stamp.mtime.nanos()) < ORPHAN_AGE)
    }

    fn remove_orphans_but(&self, is_used: impl Fn(&FileStamp) -> bool) -> Result<(), FsError> {
        // Not std's `read_dir`: it gives up on EINTR and panics if the directory cannot be closed.
        let entries =
            retry(|| rustix::fs::Dir::read_from(&self.file)).map_err(|e| FsError::new("list", &self.path, e))?;
        for entry in entries.flatten() {
            let Some(name) = entry.file_name().to_str().ok().filter(|name| name.starts_with(TEMP_PREFIX)) else {
                continue;
            };
            let Ok(stamp) = self.stat(name).map(|stat| FileStamp::of(&stat)) else { continue };
            if is_used(&stamp) {
                continue;
            }
            // A writer that was killed right after its swap may have left another program's ledger under this name.
            if is_foreign(name, &stamp) {
                let kept = name.replacen(TEMP_PREFIX, DISPLACED_PREFIX, 1);
                let _ = retry(|| rustix::fs::renameat(&self.file, name, &self.file, &kept));
            } else {
                let _ = rustix::fs::unlinkat(&self.file, name, AtFlags::empty());
            }
        }
        Ok(())
    }

    /// Replaces the file that was read, or makes the one that was not there, and returns once both the bytes and the name
    /// are on disk; `false`, and nothing is replaced, if it is another one by now.
    pub fn put_after(
        &self,
        name: &str,
        bytes: &[u8],
        read: Option<&FileStamp>,
        entropy: &Entropy,
    ) -> Result<bool, FsError> {
        let Some(read) = read else { return self.create(name, bytes, entropy) };
        match self.replace_by(name, &[bytes], read, entropy)? {
            Some(_) => self.sync().map(|()| true),
            None => Ok(false),
        }
    }

    /// Replaces the file that was read with bytes in pieces, and returns the new file; `None` if it is another one by now.
    /// The name is on disk once [`Dir::sync`] returns.
    pub fn replace_by(
        &self,
        name: &str,
        pieces: &[&[u8]],
        read: &FileStamp,
        entropy: &Entropy,
    ) -> Result<Option<Placed>, FsError> {
        let path = self.path.join(name);
        // A missing file is being replaced: the caller reads again, and waits for it.
        let old = match self.stat(name) {
            Ok(old) if FileType::from_raw_mode(old.st_mode) != FileType::RegularFile => {
                let what = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
                return Err(FsError::new("replace", path, what));
            }
            Ok(old) if FileStamp::of(&old) == *read => old,
            Err(error) if !error.is_missing() => return Err(error),
            _ => return Ok(None),
        };
        let temp = Temp::write(self, name, pieces, Access::Like(&old), Durability::Full, entropy)?;
        let placed = temp.placed;
        match self.stat(name) {
            Ok(now) if FileStamp::of(&now) == *read && self.is_current() => {}
            Err(error) if !error.is_missing() => return Err(error),
            _ => return Ok(None),
        }
        match self.swap(&temp.name, name) {
            Ok(()) => return self.settle(temp, name, read),
            // The temporary file was cleaned up, or the ledger is being replaced: start over with the present one.
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => {
                match retry(|| rustix::fs::renameat(&self.file, &temp.name, &self.file, name)) {
                    Ok(()) => temp.keep(),
                    Err(Errno::NOENT) => return Ok(None),
                    Err(e) => return Err(FsError::new("replace", &path, e)),
                }
            }
            Err(e) => return Err(FsError::new("replace", &path, e)),
        }
        Ok(Some(placed))
    }

    /// Keeps a file in this directory alive after its name is removed, until this is dropped.
    pub fn hold(&self, name: &str) -> Option<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        retry(|| rustix::fs::openat(&self.file, name, flags, Mode::empty())).ok()
    }

    /// After a swap, checks the displaced file, which now has the temporary name. If it is not the one that was read,
    /// or cannot be checked, it is put back.
    fn settle(&self, temp: Temp<'_>, name: &str, read: &FileStamp) -> Result<Option<Placed>, FsError> {
        let placed = temp.placed;
        let problem = match self.stat(&temp.name) {
            Ok(displaced) if FileStamp::of(&displaced).same_content(read) => {
                drop(temp);
                return Ok(Some(placed));
            }
            // Cleaned up: there is nothing to check or put back.
            Err(error) if error.is_missing() => {
                temp.keep();
                return Ok(Some(placed));
            }
            Ok(_) => None,
            Err(error) => Some(error),
        };
        let failed = |e: Errno| FsError::new("put back", self.path.join(name), e);
        if let Err(e) = self.swap(&temp.name, name) {
            let _ = temp.keep_beside();
            return Err(failed(e));
        }
        // If this swaps out another file than ours, yet another version had come in between: the latest stays, the
        // other is kept.
        if self.stat(&temp.name).is_ok_and(|out| FileStamp::of(&out).ino != placed.written.ino) {
            let swapped = self.swap(&temp.name, name);
            temp.keep_beside().and(swapped).map_err(failed)?;
        }
        problem.map_or(Ok(None), Err)
    }

    fn swap(&self, one: &str, other: &str) -> rustix::io::Result<()> {
        retry(|| rustix::fs::renameat_with(&self.file, one, &self.file, other, RenameFlags::EXCHANGE))
    }

    /// Creates a file that must not exist yet; `false` if it does.
    pub fn create(&self, name: &str, bytes: &[u8], entropy: &Entropy) -> Result<bool, FsError> {
        let temp = Temp::write(self, name, &[bytes], Access::Usual, Durability::Full, entropy)?;
        // Renamed, so that the file never has two names; linked where the file system has no such rename.
        let rename = || rustix::fs::renameat_with(&self.file, &temp.name, &self.file, name, RenameFlags::NOREPLACE);
        let placed = match retry(rename) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::linkat(&self.file, &temp.name, &self.file, name, AtFlags::empty())
            }
            renamed => renamed.inspect(|()| std::mem::forget(temp)),
        };
        match placed {
            Ok(()) => {}
            Err(Errno::EXIST) => return Ok(false),
            Err(e) => return Err(FsError::new("create", self.path.join(name), e)),
        }
        self.sync()?;
        Ok(true)
    }

    /// Puts a complete file under a name, replacing anything there.
    pub(super) fn put_over(
        &self,
        name: &str,
        bytes: &[u8],
        mode: Mode,
        durability: Durability,
        entropy: &Entropy,
    ) -> Result<(), FsError> {
        let temp = Temp::write(self, name, &[bytes], Access::Mode(mode), durability, entropy)?;
        match self.take_name(&temp.name, name, durability) {
            Ok(()) => temp.keep(),
            Err(e) => return Err(FsError::new("write", self.path.join(name), e)),
        }
        if durability == Durability::Full { self.sync() } else { Ok(()) }
    }

    /// Renames a complete file to a name that may be taken. A file system writes a file that replaces another to disk
    /// at once; where durability does not matter, the two exchange names and the old file is removed.
    pub(super) fn take_name(&self, from: &str, to: &str, durability: Durability) -> rustix::io::Result<()> {
        if durability == Durability::None && self.swap(from, to).is_ok() {
            if rustix::fs::unlinkat(&self.file, from, AtFlags::empty()).is_ok() {
                return Ok(());
            }
            self.swap(from, to)?;
        }
        retry(|| rustix::fs::renameat(&self.file, from, &self.file, to))
    }

    pub(super) fn stat(&self, name: &str) -> Result<Stat, FsError> {
        let stat = retry(|| rustix::fs::statat(&self.file, name, AtFlags::SYMLINK_NOFOLLOW));
        stat.map_err(|e| FsError::new("stat", self.path.join(name), e))
    }

    /// Returns once the directory's names are on disk.
    pub fn sync(&self) -> Result<(), FsError> {
        let synced = retry(|| rustix::fs::fsync(&self.file));
        synced.map_err(|e| FsError::new("sync (written, but not known to be on disk)", &self.path, e))
    }
}

/// Who may read and write a new file.
#[derive(Clone, Copy)]
enum Access<'s> {
    /// According to the user's umask.
    Usual,
    /// The same as of another file.
    Like(&'s Stat),
    Mode(Mode),
}

/// A complete, synced file under a temporary name; the name is removed on drop.
struct Temp<'a> {
    dir: &'a Dir,
    name: String,
    placed: Placed,
}

impl<'a> Temp<'a> {
    /// Errors name the target file, not the temporary one, which means nothing to users.
    fn write(
        dir: &'a Dir,
        to: &str,
        pieces: &[&[u8]],
        access: Access<'_>,
        durability: Durability,
        entropy: &Entropy,
    ) -> Result<Self, FsError> {
        let random: [u8; 8] = entropy.bytes();
        let name = format!("{TEMP_PREFIX}{}-{:016x}", std::process::id(), u64::from_le_bytes(random));
        let error = |action, e: io::Error| FsError::new(action, dir.path.join(to), e);
        let stat = |fd: BorrowedFd<'_>| {
            let stat = retry(|| rustix::fs::fstat(fd)).map_err(|e| error("stat", e.into()))?;
            Ok(FileStamp::of(&stat))
        };
        let named_at = stamp_time();
        let (fd, named) = open_temp(dir, &name).map_err(|e| error("write", e))?;
        let written = stat(fd.as_fd())?;
        let temp = named.then(|| Temp { dir, name: name.clone(), placed: Placed { written, named_at } });
        let like = if let Access::Like(like) = access { Some(like) } else { None };
        match access {
            Access::Like(like) => {
                keep_access(&fd, like).map_err(|e| error("keep the mode and group of", e))?;
            }
            Access::Mode(mode) => {
                retry(|| rustix::fs::fchmod(&fd, mode)).map_err(|e| error("set the mode of", e.into()))?
            }
            Access::Usual => {}
        }
        let mut file = File::from(fd);
        write_pieces(&mut file, pieces).map_err(|e| error("write", e))?;
        if temp.is_none() && like.is_some() {
            set_back(&file);
        }
        if durability == Durability::Full {
            file.sync_all().map_err(|e| error("sync", e))?;
        }
        let written = stat(file.as_fd())?;
        let size = pieces.iter().map(|piece| piece.len() as u64).sum::<u64>();
        if written.size != size {
            return Err(error("write", io::Error::other(format!("{} of {size} bytes arrived", written.size))));
        }
        match temp {
            Some(mut temp) => {
                temp.placed.written = written;
                Ok(temp)
            }
            None => {
                let name = tell_apart(&name, written.ino, like);
                let placed = Placed { written, named_at: stamp_time() };
                link_temp(&file, dir, &name).map_err(|e| error("write", e))?;
                Ok(Temp { dir, name, placed })
            }
        }
    }

    /// Another program's file got this name: rename it so that it is not cleaned up.
    fn keep_beside(self) -> rustix::io::Result<()> {
        let kept = self.name.replacen(TEMP_PREFIX, DISPLACED_PREFIX, 1);
        let renamed = retry(|| rustix::fs::renameat(&self.dir.file, &self.name, &self.dir.file, &kept));
        self.keep();
        renamed
    }

    /// The name is in use for another file now.
    fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Temp<'_> {
    fn drop(&mut self) {
        let _ = rustix::fs::unlinkat(&self.dir.file, &self.name, AtFlags::empty());
    }
}

/// Opens a file without a name, or a named one where the file system cannot do that.
#[cfg(target_os = "linux")]
fn open_temp(dir: &Dir, name: &str) -> io::Result<(OwnedFd, bool)> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let linkable = Path::new("/proc/self/fd").exists();
    match retry(|| rustix::fs::openat(&dir.file, ".", flags, temp_mode())) {
        Ok(fd) if linkable => Ok((fd, false)),
        Ok(_) | Err(Errno::NOTSUP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => open_named(dir, name),
        Err(e) => Err(e.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_temp(dir: &Dir, name: &str) -> io::Result<(OwnedFd, bool)> {
    open_named(dir, name)
}

fn open_named(dir: &Dir, name: &str) -> io::Result<(OwnedFd, bool)> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let fd = retry(|| rustix::fs::openat(&dir.file, name, flags, temp_mode()))?;
    Ok((fd, true))
}

fn temp_mode() -> Mode {
    Mode::from_raw_mode(0o666)
}

fn link_temp(file: &File, dir: &Dir, name: &str) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;
    let source = format!("/proc/self/fd/{}", file.as_raw_fd());
    retry(|| rustix::fs::linkat(CWD, &source, &dir.file, name, AtFlags::SYMLINK_FOLLOW))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_no_temporary_file() {
        let directory = tempfile::tempdir().unwrap();
        let dir = Dir::open(directory.path()).unwrap();
        directory.close().unwrap();
        let mode = Mode::from_raw_mode(0o600);
        let errors = [
            dir.create("ledger", b"x", &Entropy::System).unwrap_err(),
            dir.put_over("ledger", b"x", mode, Durability::None, &Entropy::System).unwrap_err(),
        ];
        for error in errors {
            assert!(error.path.ends_with("ledger") && error.action == "write", "{error}");
        }
        let error = tempfile::tempdir_in("/nonexistent/place").unwrap_err();
        assert!(cause(&error).starts_with("No such file") && !cause(&error).contains("/nonexistent"), "{error}");
    }

    #[test]
    fn what_is_not_a_file_keeps_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let dir = Dir::open(directory.path()).unwrap();
        let mode = Mode::from_raw_mode(0o600);
        let put = |name: &str, bytes: &[u8]| dir.put_over(name, bytes, mode, Durability::None, &Entropy::System);
        std::fs::create_dir(directory.path().join("taken")).unwrap();
        assert!(put("taken", b"x").is_err());
        put("free", b"one").and_then(|()| put("free", b"two")).unwrap();
        let mut names: Vec<_> =
            std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["free", "taken"], "nothing is left over");
        assert!(directory.path().join("taken").is_dir());
        assert_eq!(std::fs::read(directory.path().join("free")).unwrap(), b"two");
    }

    #[test]
    fn an_orphan_is_removed_and_a_foreign_file_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let dir = Dir::open(directory.path()).unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("ledger"), "old").unwrap();
        let old = dir.stat("ledger").unwrap();
        let name = |inode: u64| tell_apart(".bd-tmp-1-00000000000000aa", inode, Some(&old));
        // The replaced file, the new one, and an unrelated one.
        std::fs::hard_link(path("ledger"), path(&name(1))).unwrap();
        std::fs::write(path("new"), "new").unwrap();
        let written = name(dir.stat("new").unwrap().st_ino);
        std::fs::rename(path("new"), path(&written)).unwrap();
        std::fs::write(path(&name(2)), "foreign").unwrap();
        std::fs::write(path(".bd-tmp-1-00000000000000bb"), "unfinished").unwrap();
        dir.remove_orphans().unwrap();
        let mut left: Vec<String> = std::fs::read_dir(directory.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left.len(), 2, "{left:?}");
        assert!(left[0].starts_with(DISPLACED_PREFIX), "{left:?}");
        assert_eq!(std::fs::read_to_string(path(&left[0])).unwrap(), "foreign");
    }
}
