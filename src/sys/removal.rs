//! Deletes a directory with its content.
//!
//! Works relative to open directories, so no link is ever followed, not even one that appears during the deletion.
//! Read-only directories are made writable. A file system that is mounted inside is not entered; then the directories
//! above it stay too.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, chmodat, fchmod, fstat, openat, statat, unlinkat};
use rustix::io::Errno;

use super::fs::FsError;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// The permissions that the owner needs to empty a directory.
const OWNER: u32 = 0o700;

/// Deletes a directory. A missing one counts as deleted.
pub fn remove(path: &Path) -> Result<(), FsError> {
    let failed = |e: Errno| FsError::new("remove", path, e);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| failed(Errno::INVAL))?;
    let above = match rustix::fs::open(parent, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        other => other.map_err(failed)?,
    };
    let directory = match enter(above.as_fd(), name) {
        Err(Errno::NOENT) => return Ok(()),
        other => other.map_err(failed)?,
    };
    let device = fstat(&directory).map_err(failed)?.st_dev;
    empty(directory, device, path)?;
    match unlinkat(&above, name, AtFlags::REMOVEDIR) {
        Err(Errno::NOENT) | Ok(()) => Ok(()),
        Err(e) => Err(failed(e)),
    }
}

/// Opens a directory, making it readable if necessary.
fn enter(above: BorrowedFd<'_>, name: impl rustix::path::Arg + Copy) -> Result<OwnedFd, Errno> {
    match openat(above, name, DIRECTORY, Mode::empty()) {
        Err(Errno::ACCESS) => {
            // chmod would follow a link; this cannot be one, or opening it would have failed otherwise.
            chmodat(above, name, Mode::from_raw_mode(OWNER), AtFlags::empty())?;
            openat(above, name, DIRECTORY, Mode::empty())
        }
        other => other,
    }
}

fn empty(directory: OwnedFd, device: u64, path: &Path) -> Result<(), FsError> {
    let failed = |path: &Path, e: Errno| FsError::new("remove", path, e);
    let found = fstat(&directory).map_err(|e| failed(path, e))?;
    if found.st_dev != device {
        let mounted = std::io::Error::other("another file system is mounted there");
        return Err(FsError::new("remove", path, mounted));
    }
    if found.st_mode & OWNER != OWNER {
        // If that did not help, the next step fails.
        let _ = fchmod(&directory, Mode::from_raw_mode(found.st_mode & 0o7777 | OWNER));
    }
    let mut names: Vec<CString> = Vec::new();
    for entry in Dir::read_from(&directory).map_err(|e| failed(path, e))? {
        let entry = entry.map_err(|e| failed(path, e))?;
        let name = entry.file_name();
        if name.to_bytes() != b"." && name.to_bytes() != b".." {
            names.push(name.to_owned());
        }
    }
    for name in names {
        let at = path.join(name.to_string_lossy().as_ref());
        let kind = match statat(&directory, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => continue,
            found => FileType::from_raw_mode(found.map_err(|e| failed(&at, e))?.st_mode),
        };
        let flags = if kind == FileType::Directory {
            let inner = enter(directory.as_fd(), &*name).map_err(|e| failed(&at, e))?;
            empty(inner, device, &at)?;
            AtFlags::REMOVEDIR
        } else {
            AtFlags::empty()
        };
        match unlinkat(&directory, &name, flags) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(e) => return Err(failed(&at, e)),
        }
    }
    Ok(())
}

/// A mount point below a directory; `None` also where the system does not tell.
pub fn mount_below(path: &Path) -> Option<PathBuf> {
    let list = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let places = list.lines().filter_map(|line| line.split(' ').nth(4)).map(|place| PathBuf::from(unescaped(place)));
    let mut below = places.filter(|place| place.starts_with(path));
    below.next()
}

/// Blanks and some other characters are written as three octal digits.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(3).unwrap_or(("", part));
        match u8::from_str_radix(digits, 8) {
            Ok(byte) => plain.push(char::from(byte)),
            Err(_) => plain.push_str(digits),
        }
        plain.push_str(rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn everything_inside_goes_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        fs::create_dir_all(inside.join("a/b")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("mine"), "mine").unwrap();
        fs::write(inside.join("a/b/file"), "x").unwrap();
        symlink(&outside, inside.join("link")).unwrap();
        symlink("/nowhere", inside.join("a/dangling")).unwrap();
        for (name, mode) in [("a/b", 0o555), ("a", 0o000)] {
            fs::set_permissions(inside.join(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        remove(&inside).unwrap();
        assert!(!inside.exists());
        assert_eq!(fs::read_to_string(outside.join("mine")).unwrap(), "mine");
        remove(&inside).unwrap();
        symlink(&outside, &inside).unwrap();
        assert!(remove(&inside).is_err(), "a link is no directory");
        assert!(outside.join("mine").exists());
    }

    #[test]
    fn mounts_are_read_as_they_are_written() {
        assert_eq!(unescaped(r"/a\040b\134c"), r"/a b\c");
        assert_eq!(mount_below(Path::new("/proc")).is_some(), cfg!(target_os = "linux"));
        assert_eq!(mount_below(tempfile::tempdir().unwrap().path()), None);
    }
}
