//! Manual pages in a directory of the user's.

use std::path::PathBuf;

use super::{OpError, Result};
use crate::store::StoreError;
use crate::sys::{Env, below};

/// Writes pages (name and text) to the directory where `man` looks for the user's own, or to another. Gives the directory.
pub fn install_pages(env: &Env, directory: Option<PathBuf>, pages: &[(String, String)]) -> Result<PathBuf> {
    let data = || env.var("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let usual =
        || data().or_else(|| env.home().map(|home| home.join(".local/share"))).map(|data| data.join("man/man1"));
    let directory = directory
        .or_else(usual)
        .ok_or_else(|| OpError::Usage("HOME is not set; name a directory with --dir".into()))?;
    below::make_own(&directory).map_err(StoreError::from)?;
    for (name, text) in pages {
        below::put(&directory, name, text.as_bytes()).map_err(StoreError::from)?;
    }
    Ok(directory)
}
