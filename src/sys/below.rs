//! Access to files below a repository: the only code with which `bd` opens, writes, lists and removes them.
//!
//! Everything is relative to a root, an open directory that is not itself a link: `.beads`, a state home, the top of a
//! working copy, version control's own directory. The path of a root is resolved once, when it is found; below it no
//! link is followed, `..` leads nowhere, a version-control directory is not entered, only regular files are opened (so
//! a FIFO or a device never blocks), and nothing is read beyond a limit from the caller. Files named by a person, and
//! the user's own settings, are read by [`read_own`], which follows links.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::Entropy;
use super::fs::{Contents, Dir, Durability, FileStamp, FsError, TEMP_PREFIX, retry, stamp_time};
pub use super::opening::is_control;
use super::opening::{astray, at_once, contents, is_link, kind, parts, reason, regular, step_by_step};

/// The limit for files that hold one short text.
pub const SMALL: u64 = 64 << 10;

/// How often the replacement of a small file is retried because another program was faster.
const TRIES: usize = 20;

/// Splits a path into its directory, as a root, and the file's name.
pub fn parted(path: &Path) -> (&Path, &Path) {
    let name = path.file_name().map_or(Path::new(""), Path::new);
    (path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")), name)
}

/// Reads a regular file.
pub fn read(root: &Path, inside: impl AsRef<Path>, limit: u64) -> Result<Contents, FsError> {
    Dir::root(root)?.read(inside.as_ref(), limit)
}

/// A short text; `None` if the file does not exist.
pub fn text(root: &Path, inside: impl AsRef<Path>) -> Result<Option<String>, FsError> {
    match read(root, inside, SMALL) {
        Ok(contents) => Ok(Some(String::from_utf8_lossy(&contents.bytes).into_owned())),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces or creates a small file atomically.
pub fn put(root: &Path, inside: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FsError> {
    let (dir, name) = Dir::root(root)?.holding(inside.as_ref())?;
    dir.put(&name, bytes)
}

/// Creates a file that must not exist yet; `false` if its name is taken.
pub fn put_new(root: &Path, inside: impl AsRef<Path>, bytes: &[u8]) -> Result<bool, FsError> {
    let (dir, name) = Dir::root(root)?.holding(inside.as_ref())?;
    dir.create(&name, bytes, &Entropy::System)
}

/// Creates directories below an existing root.
pub fn make(root: &Path, inside: impl AsRef<Path>) -> Result<Dir, FsError> {
    Dir::root(root)?.make(inside.as_ref())
}

/// The nearest existing directory of a path: itself, or one above it.
pub fn nearest(path: &Path) -> &Path {
    path.ancestors().find(|dir| dir.is_dir()).unwrap_or(Path::new("."))
}

/// Creates the missing directories of a path.
pub fn make_missing(path: &Path) -> Result<(), FsError> {
    let root = nearest(path);
    let inside = path.strip_prefix(root).unwrap_or(path);
    if inside.as_os_str().is_empty() { Ok(()) } else { make(root, inside).map(drop) }
}

/// The names in a directory, sorted, without those that are not UTF-8.
pub fn names(root: &Path, inside: impl AsRef<Path>) -> Result<Vec<String>, FsError> {
    let root = Dir::root(root)?;
    if inside.as_ref().as_os_str().is_empty() { root.names() } else { root.dir(inside.as_ref())?.names() }
}

/// Removes a file, or a link itself.
pub fn remove(root: &Path, inside: impl AsRef<Path>) -> Result<(), FsError> {
    let (dir, name) = Dir::root(root)?.holding(inside.as_ref())?;
    dir.remove(&name)
}

/// Removes a directory if it is empty.
pub fn remove_empty(root: &Path, inside: impl AsRef<Path>) -> Result<(), FsError> {
    let (dir, name) = Dir::root(root)?.holding(inside.as_ref())?;
    let removed = retry(|| rustix::fs::unlinkat(dir.file(), &name, AtFlags::REMOVEDIR));
    removed.map_err(|e| FsError::new("remove", dir.path().join(name), e))
}

/// Renames a file within its directory.
pub fn rename(root: &Path, from: &str, to: &str) -> Result<(), FsError> {
    let root = Dir::root(root)?;
    let renamed = retry(|| rustix::fs::renameat(root.file(), from, root.file(), to));
    renamed.map_err(|e| FsError::new("rename", root.path().join(from), e))
}

/// Reads one of the user's own files, or one that a person or version control named: links are followed. Never blocks,
/// and never reads without a limit.
pub fn read_own(path: &Path, limit: u64) -> Result<Contents, FsError> {
    let read_at = stamp_time();
    let fd = open_own(path)?;
    let stat = regular(&fd, path)?;
    contents(fd, &stat, path, limit, read_at)
}

pub(super) fn open_own(path: &Path) -> Result<OwnedFd, FsError> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    retry(|| rustix::fs::open(path, flags, Mode::empty())).map_err(|e| FsError::new("open", path, e))
}

/// Reads what a person named, of any kind: a file, or the end of a pipe.
pub fn read_any(path: &Path, limit: u64) -> Result<Vec<u8>, FsError> {
    let failed = |e| FsError::new("read", path, e);
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(limit + 1).read_to_end(&mut bytes).map_err(failed)?;
    // The writer of a pipe may be slow.
    if bytes.len() as u64 > limit {
        let message = format!("more than {limit} bytes");
        return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, message)));
    }
    Ok(bytes)
}

/// Writes to what a person named, of any kind.
pub fn write_any(path: &Path, bytes: &[u8]) -> Result<(), FsError> {
    std::fs::write(path, bytes).map_err(|e| FsError::new("write", path, e))
}

/// Creates a directory of the user's, with its parents; links are followed.
pub fn make_own(path: &Path) -> Result<(), FsError> {
    std::fs::create_dir_all(path).map_err(|e| FsError::new("make", path, e))
}

impl Dir {
    /// Opens a directory as a root. It must not be a link: its path is resolved when it is found.
    pub fn root(path: &Path) -> Result<Self, FsError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match retry(|| rustix::fs::open(path, flags, Mode::empty())) {
            Ok(fd) => Ok(Dir::from_parts(fd, path)),
            Err(e) => Err(FsError::new("open", path, reason(e, || is_link(rustix::fs::CWD, path)))),
        }
    }

    /// Whether the directory belongs to this user.
    pub fn is_own(&self) -> bool {
        rustix::fs::fstat(self.file()).is_ok_and(|stat| stat.st_uid == rustix::process::geteuid().as_raw())
    }

    /// Reads a regular file below.
    pub fn read(&self, inside: &Path, limit: u64) -> Result<Contents, FsError> {
        let read_at = stamp_time();
        let (fd, stat) = self.open_regular(inside, OFlags::RDONLY, Mode::empty())?;
        contents(fd, &stat, &self.path().join(inside), limit, read_at)
    }

    /// Opens a regular file below, and returns its state at that moment.
    pub(super) fn open_regular(&self, inside: &Path, access: OFlags, mode: Mode) -> Result<(OwnedFd, Stat), FsError> {
        let fd = self.open_below(inside, access | OFlags::NONBLOCK, mode)?;
        let stat = regular(&fd, &self.path().join(inside))?;
        if access.contains(OFlags::APPEND) && stat.st_nlink > 1 {
            let shared = io::Error::new(io::ErrorKind::InvalidInput, "it has several names (hard links)");
            return Err(FsError::new("append to", self.path().join(inside), shared));
        }
        Ok((fd, stat))
    }

    /// Opens a directory below.
    pub fn dir(&self, inside: &Path) -> Result<Dir, FsError> {
        let fd = self.open_below(inside, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        Ok(Dir::from_parts(fd, &self.path().join(inside)))
    }

    /// The same; creates missing directories.
    pub fn make(&self, inside: &Path) -> Result<Dir, FsError> {
        let mut dir: Option<Dir> = None;
        for name in parts(inside, self.path())? {
            let above = dir.as_ref().unwrap_or(self);
            match retry(|| rustix::fs::mkdirat(above.file(), name, Mode::from_raw_mode(0o777))) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(e) => return Err(FsError::new("make", above.path().join(name), e)),
            }
            dir = Some(above.dir(Path::new(name))?);
        }
        dir.ok_or_else(|| astray(&self.path().join(inside)))
    }

    /// The directory that holds a path below, and the path's last name.
    pub fn holding(self, inside: &Path) -> Result<(Dir, String), FsError> {
        let path = self.path().join(inside);
        let mut all = parts(inside, self.path())?;
        let name = all.pop().and_then(OsStr::to_str).ok_or_else(|| astray(&path))?.to_owned();
        if all.is_empty() {
            return Ok((self, name));
        }
        let above: PathBuf = all.into_iter().collect();
        Ok((self.dir(&above)?, name))
    }

    /// Replaces or creates a small file in this directory.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<(), FsError> {
        for _ in 0..TRIES {
            if self.put_after(name, bytes, self.regular_at(name)?.as_ref(), &Entropy::System)? {
                return Ok(());
            }
        }
        let busy = io::Error::new(io::ErrorKind::ResourceBusy, "another program keeps changing it");
        Err(FsError::new("write", self.path().join(name), busy))
    }

    /// The same with a mode. Replaces anything of that name, a link included.
    pub fn put_as(&self, name: &str, bytes: &[u8], mode: u32) -> Result<(), FsError> {
        self.put_over(name, bytes, Mode::from_raw_mode(mode), Durability::Full, &Entropy::System)
    }

    /// The same without syncing: the file may be lost in a power failure.
    pub fn put_unsynced(&self, name: &str, bytes: &[u8], mode: u32) -> Result<(), FsError> {
        self.put_over(name, bytes, Mode::from_raw_mode(mode), Durability::None, &Entropy::System)
    }

    /// Copies a file in this directory to a temporary name, which is returned; the caller renames or removes it.
    pub fn copy_unsynced(&self, name: &str, mode: u32) -> Result<String, FsError> {
        let failed = |e: io::Error| FsError::new("copy", self.path().join(name), e);
        let random: [u8; 8] = Entropy::System.bytes();
        let copy = format!("{TEMP_PREFIX}{}-{:016x}", std::process::id(), u64::from_le_bytes(random));
        let (from, _) = self.open_regular(Path::new(name), OFlags::RDONLY, Mode::empty())?;
        let access = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let (to, _) = self.open_regular(Path::new(&copy), access, Mode::from_raw_mode(mode))?;
        match io::copy(&mut File::from(from), &mut File::from(to)) {
            Ok(_) => Ok(copy),
            Err(e) => {
                let _ = self.remove(&copy);
                Err(failed(e))
            }
        }
    }

    /// Renames such a copy, replacing anything of that name.
    pub fn rename_unsynced(&self, from: &str, to: &str) -> Result<(), FsError> {
        self.take_name(from, to, Durability::None).map_err(|e| FsError::new("rename", self.path().join(from), e))
    }

    /// Removes a file in this directory, or a link itself.
    pub fn remove(&self, name: &str) -> Result<(), FsError> {
        let removed = retry(|| rustix::fs::unlinkat(self.file(), name, AtFlags::empty()));
        removed.map_err(|e| FsError::new("remove", self.path().join(name), e))
    }

    /// Whether a regular file in this directory begins with these bytes.
    pub fn starts_with(&self, name: &str, bytes: &[u8]) -> bool {
        let Ok((fd, _)) = self.open_regular(Path::new(name), OFlags::RDONLY, Mode::empty()) else { return false };
        let mut head = vec![0; bytes.len()];
        File::from(fd).read_exact(&mut head).is_ok() && head == bytes
    }

    /// Sets the time of a regular file in this directory to now, as a signal to programs that watch it.
    pub fn touch(&self, name: &str) -> Result<(), FsError> {
        let (fd, _) = self.open_regular(Path::new(name), OFlags::WRONLY, Mode::empty())?;
        let touched = File::from(fd).set_modified(std::time::SystemTime::now());
        touched.map_err(|e| FsError::new("touch", self.path().join(name), e))
    }

    /// The stamp of a regular file in this directory; an error if the name is anything else.
    pub fn regular_at(&self, name: &str) -> Result<Option<FileStamp>, FsError> {
        match self.stat(name) {
            Ok(stat) => {
                kind(&stat, &self.path().join(name))?;
                Ok(Some(FileStamp::of(&stat)))
            }
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The same if the file belongs to this user and no other user can write to it.
    pub fn own_regular_at(&self, name: &str) -> Result<Option<FileStamp>, FsError> {
        match self.stat(name) {
            Ok(stat) => {
                kind(&stat, &self.path().join(name))?;
                Ok(is_own(stat.st_uid, stat.st_mode).then(|| FileStamp::of(&stat)))
            }
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Appends to a file in this directory, creating it if necessary, and returns once the bytes are on disk.
    pub fn append(&self, name: &str, bytes: &[u8]) -> Result<(), FsError> {
        let failed = |action, e| FsError::new(action, self.path().join(name), e);
        let access = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE;
        let (fd, _) = self.open_regular(Path::new(name), access, Mode::from_raw_mode(0o666))?;
        let mut file = File::from(fd);
        file.write_all(bytes).map_err(|e| failed("append to", e))?;
        file.sync_all().map_err(|e| failed("sync", e))
    }

    /// The names in this directory, sorted.
    pub fn names(&self) -> Result<Vec<String>, FsError> {
        let failed = |e| FsError::new("list", self.path(), e);
        let mut names = Vec::new();
        for entry in retry(|| rustix::fs::Dir::read_from(self.file())).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            names
                .extend(entry.file_name().to_str().ok().filter(|name| !matches!(*name, "." | "..")).map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    /// Opens a path below without following links.
    fn open_below(&self, inside: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd, FsError> {
        let names = parts(inside, self.path())?;
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = match names.as_slice() {
            // A single name is in the directory itself.
            [name] => retry(|| rustix::fs::openat(self.file(), *name, flags, mode)),
            names => at_once(self, inside, flags, mode).unwrap_or_else(|| step_by_step(self, names, flags, mode)),
        };
        opened.map_err(|e| {
            let path = self.path().join(inside);
            let mut steps = (1..=names.len()).map(|n| names[..n].iter().collect::<PathBuf>());
            FsError::new("open", path, reason(e, || steps.any(|step| is_link(self.file(), &step))))
        })
    }
}

impl Contents {
    /// Whether the file belongs to this user and no other user can write to it.
    pub fn is_own(&self) -> bool {
        is_own(self.owner, self.mode)
    }
}

fn is_own(owner: u32, mode: u32) -> bool {
    const OTHERS_WRITE: u32 = 0o022;
    owner == rustix::process::geteuid().as_raw() && mode & OTHERS_WRITE == 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn made() -> tempfile::TempDir {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::create_dir_all(root.join(".git")).unwrap();
        std::fs::write(root.join(".git/config"), "control").unwrap();
        std::fs::write(root.join("a/b/file"), "text").unwrap();
        std::fs::write(top.path().join("outside"), "secret").unwrap();
        symlink("../outside", root.join("link")).unwrap();
        symlink("a", root.join("linked")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("a/pipe"), Mode::from_raw_mode(0o600)).unwrap();
        top
    }

    const REFUSED: [&str; 13] = [
        "link",
        "linked/b/file",
        "linked/b/new",
        "dangling",
        "../outside",
        "a/../../outside",
        "/etc/passwd",
        ".git/config",
        ".GIT/config",
        "a/pipe",
        "a/b",
        "",
        ".",
    ];

    #[test]
    fn only_plain_files_below_the_root_are_read() {
        let top = made();
        let root = top.path().join("root");
        assert_eq!(read(&root, "a/b/file", 4).unwrap().bytes, b"text");
        assert!(read(&root, "a/b/file", 3).is_err(), "more than the limit");
        assert!(read(&root, "a/b/none", 9).unwrap_err().is_missing());
        for inside in REFUSED {
            let refused = read(&root, inside, 99);
            assert!(refused.as_ref().is_err_and(|e| !e.is_missing()), "{inside}: {refused:?}");
        }
        symlink("root", top.path().join("other")).unwrap();
        assert!(read(&top.path().join("other"), "a/b/file", 9).is_err(), "a root is not a link");
        assert_eq!(read_own(&root.join("link"), 9).unwrap().bytes, b"secret");
        assert!(read_own(Path::new("/dev/zero"), 9).is_err() && read_own(&root.join("a/pipe"), 9).is_err());
    }

    #[test]
    fn only_plain_files_below_the_root_are_written() {
        let top = made();
        let root = top.path().join("root");
        put(&root, "a/b/file", b"new").unwrap();
        put(&root, "a/made", b"made").unwrap();
        make(&root, "x/y").unwrap().append("log", b"1").unwrap();
        for inside in REFUSED {
            assert!(put(&root, inside, b"bad").is_err(), "{inside}");
            assert!(!put_new(&root, inside, b"bad").unwrap_or(false), "{inside}");
            assert!(make(&root, inside).is_err() || inside == "a/b", "{inside}");
        }
        let dir = Dir::root(&root).unwrap();
        for name in ["link", "dangling", "a", "linked"] {
            assert!(dir.append(name, b"bad").is_err(), "{name}");
        }
        std::fs::hard_link(top.path().join("outside"), root.join("hard")).unwrap();
        assert!(dir.append("hard", b"bad").is_err());
        assert_eq!(std::fs::read(top.path().join("outside")).unwrap(), b"secret");
        assert_eq!(std::fs::read(root.join(".git/config")).unwrap(), b"control");
        assert_eq!(names(&root, "a").unwrap(), ["b", "made", "pipe"]);
        assert!(names(&root, "linked").is_err());
    }

    #[test]
    fn an_old_kernel_gives_the_same_answers() {
        let top = made();
        let root = Dir::root(&top.path().join("root")).unwrap();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        for inside in ["a/b/file", "a/b/none", "linked/b/file", "linked/b/none", "a/none/x", "link/x", "a/b/file/x"] {
            let names: Vec<&OsStr> = Path::new(inside).iter().collect();
            let slow = step_by_step(&root, &names, flags, Mode::empty()).map(drop);
            let fast = at_once(&root, Path::new(inside), flags, Mode::empty());
            if let Some(fast) = fast {
                assert_eq!(slow.is_ok(), fast.is_ok(), "{inside}");
            }
            assert_eq!(slow.is_ok(), inside == "a/b/file", "{inside}");
        }
    }
}
