//! Files of hooks and of git's settings: put whole, or not at all.

use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use super::HookError;
use crate::store::Result;
use crate::sys::fs::FsError;

const MAX_HOOK: u64 = 16 << 20;

pub(super) fn read(path: &Path) -> Option<Vec<u8>> {
    // Through a link: what a hook says counts, wherever it stands.
    let path = std::fs::canonicalize(path).ok()?;
    crate::sys::fs::read(&path, MAX_HOOK).ok().map(|contents| contents.bytes)
}

pub(super) fn remove(path: &Path) -> Result<()> {
    Ok(std::fs::remove_file(path).map_err(|e| FsError::new("remove", path, e))?)
}

/// Gives a file a second name, under which it stays when its first name is taken; git never misses it.
pub(super) fn stand_aside(path: &Path, aside: &Path) -> Result<()> {
    if aside.symlink_metadata().is_ok() {
        return Err(HookError::InTheWay { path: aside.to_owned() }.into());
    }
    let linked = std::fs::hard_link(path, aside).or_else(|_| std::fs::rename(path, aside));
    Ok(linked.map_err(|e| FsError::new("move aside", path, e))?)
}

/// Writes a hook beside its name and moves it there.
pub(super) fn put(path: &Path, text: &str) -> Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let error = |e: std::io::Error| FsError::new("write", path, e);
    let mut file = tempfile::Builder::new().prefix(".bd-tmp-").tempfile_in(directory).map_err(error)?;
    file.write_all(text.as_bytes()).map_err(error)?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o755)).map_err(error)?;
    file.persist(path).map_err(|e| error(e.error))?;
    Ok(())
}

/// Writes a text beside its name and moves it there; an existing file keeps its mode, and a link stays one.
pub(super) fn put_text(path: &Path, text: &[u8]) -> Result<()> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = path.parent().unwrap_or(Path::new("."));
    let error = |e: std::io::Error| FsError::new("write", &path, e);
    let mode = std::fs::metadata(&path).map_or(0o666, |meta| meta.permissions().mode() & 0o7777);
    let permissions = std::fs::Permissions::from_mode(mode);
    let mut builder = tempfile::Builder::new();
    // What is not there yet gets the mode that the user's mask leaves.
    let mut file = builder.prefix(".bd-tmp-").permissions(permissions.clone()).tempfile_in(directory).map_err(error)?;
    file.write_all(text).map_err(error)?;
    if path.exists() {
        file.as_file().set_permissions(permissions).map_err(error)?;
    }
    file.as_file().sync_all().map_err(error)?;
    file.persist(&path).map_err(|e| error(e.error))?;
    Ok(())
}

/// Replaces git's settings under the lock that git itself uses.
pub(super) fn put_config(path: &Path, text: &str) -> Result<()> {
    let lock = path.with_extension("lock");
    let mode = std::fs::metadata(path).map_or(0o644, |meta| meta.permissions().mode() & 0o7777);
    let mut options = std::fs::OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(mode).open(&lock);
    let mut file = opened.map_err(|e| FsError::new("lock", path, e))?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.set_permissions(std::fs::Permissions::from_mode(mode)))
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&lock, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&lock);
    }
    Ok(written.map_err(|e| FsError::new("write", path, e))?)
}
