//! The merge that version control runs: three files in, one file out.
//!
//! It depends only on the three files: no lock, settings, clock or repository. The result is written to a temporary
//! file beside the output and renamed when it is complete; on an error the output is unchanged.

use std::io;
use std::path::{Path, PathBuf};

use super::{OpError, Result};
use crate::ledger::{self, MAX_LEDGER};
use crate::sys::fs::{self, Dir, FsError};
use crate::sys::{self, Entropy, below};

/// The files of a merge, as version control names them.
#[derive(Debug, Clone, Copy)]
pub struct MergeFiles<'a> {
    /// The common ancestor; a missing or empty file means that it is unknown.
    pub base: &'a Path,
    pub ours: &'a Path,
    pub theirs: &'a Path,
    /// Where the result goes; it may be one of the sides.
    pub output: &'a Path,
}

/// Merges two versions of a ledger and replaces the output with the result.
pub fn merge_files(files: MergeFiles<'_>, entropy: &Entropy) -> Result<()> {
    let base = match read(files.base) {
        Ok(bytes) => bytes,
        Err(_) if files.base == Path::new("/dev/null") => Vec::new(),
        Err(error) if error.is_missing() => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let merged = ledger::merge(&base, &read(files.ours)?, &read(files.theirs)?).bytes;
    if merged.len() as u64 > MAX_LEDGER {
        let message = format!("the merge has {} bytes, the limit is {MAX_LEDGER}", merged.len());
        return Err(FsError::new("write", files.output, io::Error::new(io::ErrorKind::FileTooLarge, message)).into());
    }
    put(files.output, &merged, entropy)
}

fn read(path: &Path) -> std::result::Result<Vec<u8>, FsError> {
    Ok(below::read_own(path, MAX_LEDGER)?.bytes)
}

fn real(path: &Path) -> std::result::Result<PathBuf, FsError> {
    sys::path::real(path).map_err(|e| FsError::new("open", path, e))
}

fn put(output: &Path, bytes: &[u8], entropy: &Entropy) -> Result<()> {
    let failed = |kind, what: &'static str| OpError::Fs(FsError::new("write", output, io::Error::new(kind, what)));
    let path = match real(output) {
        Ok(path) => path,
        Err(error) if error.is_missing() => output.to_owned(),
        Err(error) => return Err(error.into()),
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| failed(io::ErrorKind::InvalidInput, "its name is not UTF-8"))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let directory = Dir::open(parent)?;
    let known = match fs::stat(&path) {
        Err(error) if error.is_missing() => None,
        known => Some(known?),
    };
    if directory.put_after(name, bytes, known.as_ref(), entropy)? {
        return Ok(());
    }
    Err(failed(io::ErrorKind::ResourceBusy, "another program changed it during the merge"))
}
