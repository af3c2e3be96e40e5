//! Whole directories: their size, the free space beside them, and copies.
//!
//! A link is never followed. A copied file shares its data with the original if the file system supports that.

use std::collections::HashSet;
use std::fs::{self, FileTimes, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Component, Path, PathBuf};

use super::fs::FsError;

/// The size of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Bytes on disk. A file with several names counts once.
    pub bytes: u64,
    /// The part in files that have names elsewhere too: removing the directory does not free it.
    pub shared: u64,
    pub files: u64,
}

/// Measures a directory. Files that vanish meanwhile do not count.
pub fn usage(root: &Path) -> Result<Usage, FsError> {
    let mut usage = Usage::default();
    // Files with several names, and how many of the names are here.
    let mut linked: std::collections::HashMap<(u64, u64), (u64, u64, u64)> = std::collections::HashMap::new();
    walk(root, &mut |_, _| true, &mut |_, meta| {
        let bytes = meta.blocks().saturating_mul(512);
        if meta.is_dir() || meta.nlink() < 2 {
            usage.bytes += bytes;
        } else {
            let entry = linked.entry((meta.dev(), meta.ino())).or_insert((bytes, 0, meta.nlink()));
            entry.1 += 1;
            if entry.1 == 1 {
                usage.bytes += bytes;
            }
        }
        usage.files += u64::from(!meta.is_dir());
        Ok(())
    })?;
    usage.shared = linked.values().filter(|(_, here, all)| here < all).map(|(bytes, ..)| bytes).sum();
    Ok(usage)
}

/// The total length of the wanted files below a directory; `wanted` gets paths relative to it.
pub fn length(root: &Path, wanted: &mut dyn FnMut(&Path) -> bool) -> Result<u64, FsError> {
    let mut bytes = 0;
    walk(root, &mut |path, _| wanted(path), &mut |_, meta| {
        bytes += if meta.is_file() { meta.len() } else { 0 };
        Ok(())
    })?;
    Ok(bytes)
}

/// How many bytes the user may still write at a path that exists or will exist.
pub fn free_space(path: &Path) -> Result<u64, FsError> {
    let there = path.ancestors().find(|dir| dir.exists()).unwrap_or(Path::new("/"));
    fs4::available_space(there).map_err(|e| FsError::new("look for room in", there, e))
}

/// Whether both paths, or their existing parts, are on one file system.
pub fn is_one_file_system(one: &Path, other: &Path) -> bool {
    let device = |path: &Path| path.ancestors().find_map(|dir| fs::metadata(dir).ok()).map(|meta| meta.dev());
    device(one).is_some_and(|known| device(other) == Some(known))
}

/// Visits everything wanted below a directory, without the directory itself. An unwanted directory is not entered.
pub fn walk(
    root: &Path,
    wanted: &mut dyn FnMut(&Path, &Metadata) -> bool,
    each: &mut dyn FnMut(&Path, &Metadata) -> Result<(), FsError>,
) -> Result<(), FsError> {
    let mut open = vec![PathBuf::new()];
    while let Some(directory) = open.pop() {
        let at = root.join(&directory);
        let entries = match fs::read_dir(&at) {
            Err(e) if e.kind() == io::ErrorKind::NotFound && !directory.as_os_str().is_empty() => continue,
            entries => entries.map_err(|e| FsError::new("list", &at, e))?,
        };
        for entry in entries {
            let entry = entry.map_err(|e| FsError::new("list", &at, e))?;
            let path = directory.join(entry.file_name());
            let Ok(meta) = entry.metadata() else { continue };
            if !wanted(&path, &meta) {
                continue;
            }
            each(&path, &meta)?;
            if meta.is_dir() {
                open.push(path);
            }
        }
    }
    Ok(())
}

/// The files that a copy left out: sockets, pipes and devices.
pub type LeftOut = Vec<PathBuf>;

/// Copies everything wanted below a directory into another, existing one. Keeps modes, times and links.
pub fn copy(from: &Path, to: &Path, wanted: &mut dyn FnMut(&Path) -> bool) -> Result<LeftOut, FsError> {
    let mut left_out = Vec::new();
    let mut directories: Vec<(PathBuf, Metadata)> = Vec::new();
    // Files with several names keep them.
    let mut linked: std::collections::HashMap<(u64, u64), PathBuf> = std::collections::HashMap::new();
    walk(from, &mut |path, _| wanted(path), &mut |path, meta| {
        let target = to.join(path);
        if meta.is_dir() {
            fs::create_dir(&target).map_err(|e| FsError::new("make", &target, e))?;
            directories.push((target, meta.clone()));
            return Ok(());
        }
        if meta.is_file() && meta.nlink() > 1 {
            let key = (meta.dev(), meta.ino());
            if let Some(first) = linked.get(&key) {
                return fs::hard_link(first, &target).map_err(|e| FsError::new("link", &target, e));
            }
            linked.insert(key, target.clone());
        }
        if !copy_one(&from.join(path), &target, meta)? {
            left_out.push(path.to_owned());
        }
        Ok(())
    })?;
    // Directories last: filling one changes its time, and its mode may forbid it.
    for (directory, meta) in directories.iter().rev() {
        let failed = |e| FsError::new("finish", directory.clone(), e);
        fs::set_permissions(directory, fs::Permissions::from_mode(meta.mode() & 0o7777)).map_err(failed)?;
        let opened = fs::File::open(directory).and_then(|file| file.set_times(times(meta)?));
        opened.map_err(failed)?;
    }
    Ok(left_out)
}

/// Copies a file or a link to a free path; `false` for anything else.
pub fn copy_one(from: &Path, to: &Path, meta: &Metadata) -> Result<bool, FsError> {
    if meta.is_symlink() {
        let target = fs::read_link(from).map_err(|e| FsError::new("read", from, e))?;
        std::os::unix::fs::symlink(target, to).map_err(|e| FsError::new("make", to, e))?;
        return Ok(true);
    }
    if !meta.is_file() {
        return Ok(false);
    }
    let failed = |e| FsError::new("copy", from, e);
    let mut source = fs::File::open(from).map_err(failed)?;
    let mut target =
        fs::OpenOptions::new().write(true).create_new(true).open(to).map_err(|e| FsError::new("make", to, e))?;
    io::copy(&mut source, &mut target).map_err(failed)?;
    target.set_permissions(fs::Permissions::from_mode(meta.mode() & 0o7777)).map_err(failed)?;
    times(meta).and_then(|times| target.set_times(times)).map_err(failed)?;
    Ok(true)
}

fn times(meta: &Metadata) -> io::Result<FileTimes> {
    Ok(FileTimes::new().set_modified(meta.modified()?).set_accessed(meta.accessed()?))
}

/// Creates the directories above a path below a root; `false` if a link or a file is in the way.
pub fn make_way(root: &Path, path: &Path) -> Result<bool, FsError> {
    let mut at = root.to_owned();
    for part in path.parent().unwrap_or(Path::new("")).components() {
        let Component::Normal(name) = part else { return Ok(false) };
        at.push(name);
        match fs::symlink_metadata(&at) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Ok(false),
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                fs::create_dir(&at).map_err(|e| FsError::new("make", &at, e))?;
            }
            Err(e) => return Err(FsError::new("look at", &at, e)),
        }
    }
    Ok(true)
}

/// The paths of a list without those that are below another one.
pub fn tops(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let all: HashSet<PathBuf> = paths.into_iter().collect();
    let is_top = |path: &&PathBuf| !path.ancestors().skip(1).any(|above| all.contains(above));
    let mut found: Vec<PathBuf> = all.iter().filter(is_top).cloned().collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_like_the_original() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("a/b")).unwrap();
        fs::create_dir(&to).unwrap();
        fs::write(from.join("a/b/file"), "text").unwrap();
        fs::set_permissions(from.join("a/b/file"), fs::Permissions::from_mode(0o751)).unwrap();
        let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        fs::File::options().write(true).open(from.join("a/b/file")).unwrap().set_modified(old).unwrap();
        fs::hard_link(from.join("a/b/file"), from.join("a/same")).unwrap();
        std::os::unix::fs::symlink("/nowhere/at all", from.join("a/link")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, from.join("pipe"), rustix::fs::Mode::RUSR).unwrap();
        fs::set_permissions(from.join("a/b"), fs::Permissions::from_mode(0o555)).unwrap();
        let left_out = copy(&from, &to, &mut |path| path != Path::new("no")).unwrap();
        assert_eq!(left_out, [PathBuf::from("pipe")]);
        let copied = fs::metadata(to.join("a/b/file")).unwrap();
        assert_eq!((copied.mode() & 0o7777, copied.modified().unwrap()), (0o751, old));
        assert_eq!(copied.ino(), fs::metadata(to.join("a/same")).unwrap().ino(), "two names stay one file");
        assert_ne!(copied.ino(), fs::metadata(from.join("a/same")).unwrap().ino(), "and not that of the original");
        assert_eq!(fs::read_link(to.join("a/link")).unwrap(), Path::new("/nowhere/at all"));
        assert_eq!(fs::metadata(to.join("a/b")).unwrap().mode() & 0o7777, 0o555);
        assert_eq!(fs::read(to.join("a/b/file")).unwrap(), b"text");
    }

    #[test]
    fn what_has_several_names_counts_once() {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("one"), dir.path().join("other"));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        fs::write(one.join("large"), vec![7; 100_000]).unwrap();
        let alone = usage(&one).unwrap();
        assert!(alone.bytes >= 100_000 && alone.shared == 0, "{alone:?}");
        fs::hard_link(one.join("large"), one.join("again")).unwrap();
        assert_eq!(usage(&one).unwrap(), Usage { files: 2, ..alone }, "both names are here");
        fs::hard_link(one.join("large"), other.join("there")).unwrap();
        let shared = usage(&one).unwrap();
        assert!(shared.bytes == alone.bytes && shared.shared >= 100_000, "{shared:?}");
    }

    #[test]
    fn no_link_is_on_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("link")).unwrap();
        fs::write(root.join("file"), "").unwrap();
        assert!(make_way(&root, Path::new("a/b/c")).unwrap() && root.join("a/b").is_dir());
        for odd in ["link/x", "link/deep/x", "file/x", "../x", "a/../../x"] {
            assert!(!make_way(&root, Path::new(odd)).unwrap(), "{odd}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
