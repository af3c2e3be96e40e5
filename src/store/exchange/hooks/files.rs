//! Files of hooks and of version control's settings: written completely, or not at all.
//!
//! A hook may be a link that its owner made, and git runs it through the link: we read through it too, but never write
//! through it. All other files are opened with `sys::below`, relative to their directory.

use std::path::Path;

use crate::store::Result;
use crate::store::error::HookError;
use crate::sys::fs::{Dir, FsError};
use crate::sys::{self, Entropy, below};

const MAX_HOOK: u64 = 16 << 20;
const EXECUTABLE: u32 = 0o755;

/// The text of a hook, through links.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    below::read_own(path, MAX_HOOK).ok().map(|contents| contents.bytes)
}

/// A file of settings or attributes; `None` if it does not exist. Refuses anything but a regular file.
pub(super) fn read_text(path: &Path) -> Result<Option<Vec<u8>>> {
    let (directory, name) = below::parted(path);
    match below::read(directory, name, MAX_HOOK) {
        Ok(contents) => Ok(Some(contents.bytes)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn remove(path: &Path) -> Result<()> {
    let (directory, name) = below::parted(path);
    Ok(below::remove(directory, name)?)
}

/// Gives a hook a second name, which remains when we take its first; at no moment is it missing for git.
pub(super) fn stand_aside(path: &Path, aside: &Path) -> Result<()> {
    if aside.symlink_metadata().is_ok() {
        return Err(HookError::InTheWay { path: aside.to_owned() }.into());
    }
    Ok(sys::path::link_or_rename(path, aside)?)
}

/// Writes a hook to a temporary file and renames it.
pub(super) fn put(path: &Path, text: &str) -> Result<()> {
    let (directory, name) = below::parted(path);
    let dir = Dir::root(directory)?;
    Ok(dir.put_as(&name.to_string_lossy(), text.as_bytes(), EXECUTABLE)?)
}

/// Replaces a file of settings or attributes; an existing one keeps its mode.
pub(super) fn put_text(path: &Path, text: &[u8]) -> Result<()> {
    let (directory, name) = below::parted(path);
    Ok(below::put(directory, name, text)?)
}

/// Replaces git's settings under git's own lock.
pub(super) fn put_config(path: &Path, text: &str) -> Result<()> {
    let (directory, name) = below::parted(path);
    let dir = Dir::root(directory)?;
    let name = name.to_string_lossy();
    let lock = format!("{name}.lock");
    let Some(known) = dir.regular_at(&name)? else { return Ok(dir.put(&name, text.as_bytes())?) };
    if !dir.create(&lock, b"", &Entropy::System)? {
        let held =
            std::io::Error::new(std::io::ErrorKind::ResourceBusy, format!("{lock} is there: git is changing it"));
        return Err(FsError::new("lock", path, held).into());
    }
    let replaced = dir.put_after(&name, text.as_bytes(), Some(&known), &Entropy::System);
    let _ = below::remove(directory, &lock);
    if replaced? {
        return Ok(());
    }
    let busy = std::io::Error::new(std::io::ErrorKind::ResourceBusy, "another program changed it");
    Err(FsError::new("write", path, busy).into())
}

pub(super) fn sum(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
