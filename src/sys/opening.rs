//! Opens paths below a directory without following a link, and reads files up to a limit: the system calls behind
//! `below`.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::fs::{Contents, Dir, FileStamp, FsError, retry};

/// Directories that belong to version control.
const CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".sl"];

const LINK: &str = "it is a link, and no link is followed here";

/// Whether a path leads into a directory of version control.
pub fn is_control(path: &Path) -> bool {
    let is = |name: &OsStr| name.to_str().is_some_and(|name| CONTROL.iter().any(|one| one.eq_ignore_ascii_case(name)));
    path.components().any(|part| matches!(part, Component::Normal(name) if is(name)))
}

/// With one system call; `None` if the kernel does not have it.
#[cfg(target_os = "linux")]
pub(super) fn at_once(root: &Dir, inside: &Path, flags: OFlags, mode: Mode) -> Option<rustix::io::Result<OwnedFd>> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match retry(|| rustix::fs::openat2(root.file(), inside, flags, mode, resolve)) {
        // An old kernel, a filter that does not know the call, or a concurrent rename.
        Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => None,
        other => Some(other),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn at_once(_: &Dir, _: &Path, _: OFlags, _: Mode) -> Option<rustix::io::Result<OwnedFd>> {
    None
}

/// The same, one directory at a time.
pub(super) fn step_by_step(root: &Dir, names: &[&OsStr], flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    let on_the_way = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let (last, above) = names.split_last().ok_or(Errno::INVAL)?;
    let mut at: Option<OwnedFd> = None;
    for name in above {
        let next = match &at {
            Some(at) => retry(|| rustix::fs::openat(at, *name, on_the_way, Mode::empty())),
            None => retry(|| rustix::fs::openat(root.file(), *name, on_the_way, Mode::empty())),
        };
        at = Some(next?);
    }
    match &at {
        Some(at) => retry(|| rustix::fs::openat(at, *last, flags, mode)),
        None => retry(|| rustix::fs::openat(root.file(), *last, flags, mode)),
    }
}

/// The names in a path, if it leads below and into no directory of version control.
pub(super) fn parts<'p>(inside: &'p Path, root: &Path) -> Result<Vec<&'p OsStr>, FsError> {
    let mut names = Vec::new();
    for part in inside.components() {
        match part {
            Component::Normal(name) => names.push(name),
            Component::CurDir => {}
            _ => return Err(astray(&root.join(inside))),
        }
    }
    if names.is_empty() || is_control(inside) {
        return Err(astray(&root.join(inside)));
    }
    Ok(names)
}

pub(super) fn astray(path: &Path) -> FsError {
    let odd =
        io::Error::new(io::ErrorKind::InvalidInput, "the path leads out of its directory or into version control's");
    FsError::new("open", path, odd)
}

pub(super) fn is_link(at: impl std::os::fd::AsFd, path: &Path) -> bool {
    let stat = retry(|| rustix::fs::statat(&at, path, AtFlags::SYMLINK_NOFOLLOW));
    stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

pub(super) fn reason(e: Errno, is_linked: impl FnOnce() -> bool) -> io::Error {
    match e {
        // If it were a link, it would exist.
        Errno::NOENT => e.into(),
        _ if is_linked() => io::Error::new(io::ErrorKind::InvalidInput, LINK),
        // The error for opening a socket.
        Errno::NXIO => io::Error::new(io::ErrorKind::InvalidInput, NOT_REGULAR),
        _ => e.into(),
    }
}

const NOT_REGULAR: &str = "not a regular file";

pub(super) fn regular(fd: &OwnedFd, path: &Path) -> Result<Stat, FsError> {
    let stat = retry(|| rustix::fs::fstat(fd)).map_err(|e| FsError::new("stat", path, e))?;
    kind(&stat, path)?;
    Ok(stat)
}

pub(super) fn kind(stat: &Stat, path: &Path) -> Result<(), FsError> {
    let what = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => return Ok(()),
        FileType::Symlink => LINK,
        _ => NOT_REGULAR,
    };
    Err(FsError::new("read", path, io::Error::new(io::ErrorKind::InvalidInput, what)))
}

/// The whole content of an open file, up to a limit.
#[expect(clippy::unnecessary_cast, reason = "these fields have other types on other systems")]
pub(super) fn contents(
    fd: OwnedFd,
    before: &Stat,
    path: &Path,
    limit: u64,
    read_at: crate::model::time::Instant,
) -> Result<Contents, FsError> {
    let error = |action, e: io::Error| FsError::new(action, path, e);
    let too_large = |bytes: u64| {
        let message = format!("{bytes} bytes, the limit is {limit}");
        error("read", io::Error::new(io::ErrorKind::FileTooLarge, message))
    };
    if before.st_size as u64 > limit {
        return Err(too_large(before.st_size as u64));
    }
    let file = File::from(fd);
    let mut bytes = Vec::with_capacity(before.st_size as usize + 1);
    (&file).take(limit + 1).read_to_end(&mut bytes).map_err(|e| error("read", e))?;
    // It grew in the meantime, or does not report its size.
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    let after = retry(|| rustix::fs::fstat(&file)).map_err(|e| error("stat", e.into()))?;
    let stamp = FileStamp::of(&after);
    let stable = FileStamp::of(before) == stamp && bytes.len() as u64 == stamp.size;
    let (links, mode, owner) = (before.st_nlink as u64, before.st_mode as u32 & 0o7777, before.st_uid);
    Ok(Contents { bytes, stamp, read_at, stable, links, mode, owner })
}
