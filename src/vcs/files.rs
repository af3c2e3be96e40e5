//! Reads files of version control up to a limit, and never a pipe or a device.

use std::ffi::OsStr;
use std::fs::FileType;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use crate::sys::below;

/// Reflogs and lists of refs are the largest files read here.
const LIMIT: u64 = 64 << 20;

/// The bytes of a file, following links.
pub(super) fn bytes(path: &Path) -> Option<Vec<u8>> {
    below::read_own(path, LIMIT).ok().map(|contents| contents.bytes)
}

pub(super) fn text(path: &Path) -> Option<String> {
    bytes(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The path that a file holds, resolved against a directory.
pub(super) fn named(file: &Path, from: &Path) -> Option<PathBuf> {
    bytes(file).map(|bytes| from.join(path_of(bytes.trim_ascii_end())))
}

/// A path from the output of a program.
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    OsStr::from_bytes(bytes).into()
}

/// Decodes percent escapes such as `%20`.
pub(super) fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        match (first, tail.get(..2).and_then(hex)) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

/// A path without links, as far as it is there.
pub(super) fn real(path: &Path) -> PathBuf {
    let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    if let Ok(real) = std::fs::canonicalize(here) {
        return real;
    }
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::ParentDir)) => {
            let parent = real(parent);
            parent.parent().map_or_else(|| parent.clone(), Path::to_owned)
        }
        (Some(parent), Some(name)) => real(parent).join(name),
        _ => path.to_owned(),
    }
}

/// A file, or the files of a directory with this extension.
pub(super) fn listed(path: PathBuf, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(&path) else { return vec![path] };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

/// The files of a directory with this prefix.
pub(super) fn beginning(directory: &Path, start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let begins = |name: &OsStr| name.as_bytes().starts_with(start.as_bytes());
    entries.filter(|entry| begins(&entry.file_name())).map(|entry| entry.path()).collect()
}

/// The first entry of a directory, down to `depth` levels, that is neither a file nor a directory: a program that opens
/// it would block. At most `left` entries are checked.
pub(super) fn odd_in(directory: &Path, depth: usize, left: &mut usize) -> Option<PathBuf> {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        *left = left.checked_sub(1)?;
        let through = |kind: FileType| match kind.is_symlink() {
            true => std::fs::metadata(entry.path()).map(|found| found.file_type()),
            false => Ok(kind),
        };
        // A vanished entry or a dangling link does not block: opening it fails.
        let Ok(kind) = entry.file_type().and_then(through) else { continue };
        if !kind.is_file() && !kind.is_dir() {
            return Some(entry.path());
        }
        if kind.is_dir() && depth > 0 {
            let odd = odd_in(&entry.path(), depth - 1, left);
            if odd.is_some() {
                return odd;
            }
        }
    }
    None
}

/// Whether one of these locks exists. A lock of hg is a link that may dangle.
pub(super) fn any_exists(locks: &[PathBuf]) -> bool {
    locks.iter().any(|lock| std::fs::symlink_metadata(lock).is_ok())
}
