//! Files of hooks and of version control's settings: put whole, or not at all.
//!
//! A hook may be a link that its owner made, and git runs it through the link: it is read through it, too, and never written
//! through it. All other files are reached by the door of `sys::below`, from the directory that holds them.

use std::path::Path;

use crate::store::Result;
use crate::store::error::HookError;
use crate::sys;
use crate::sys::fs::{Dir, FsError, Replaced};
use crate::sys::{Entropy, below};

const MAX_HOOK: u64 = 16 << 20;
const EXECUTABLE: u32 = 0o755;

/// What a hook says, wherever it stands.
pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    below::read_own(path, MAX_HOOK).ok().map(|contents| contents.bytes)
}

/// A file of settings or attributes; `None` if it is not there. What is not a regular file is refused.
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

/// Gives a file a second name, under which it stays when its first name is taken; git never misses it.
pub(super) fn stand_aside(path: &Path, aside: &Path) -> Result<()> {
    if aside.symlink_metadata().is_ok() {
        return Err(HookError::InTheWay { path: aside.to_owned() }.into());
    }
    Ok(sys::path::link_or_rename(path, aside)?)
}

/// Writes a hook beside its name and moves it there.
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

/// Replaces git's settings under the lock that git itself uses.
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
    let replaced = dir.replace(&name, text.as_bytes(), &known, &Entropy::System);
    let _ = below::remove(directory, &lock);
    match replaced? {
        Replaced::Done => Ok(()),
        Replaced::Foreign => {
            let busy = std::io::Error::new(std::io::ErrorKind::ResourceBusy, "another program changed it");
            Err(FsError::new("write", path, busy).into())
        }
    }
}

pub(super) fn sum(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}
