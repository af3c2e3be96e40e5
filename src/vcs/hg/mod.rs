//! hg and its relative sl: their files are read, and the programs `hg` and `sl` commit. sl was not at hand: what stands
//! here for it follows hg and is untested.

mod commit;
mod hgrc;

use std::path::{Path, PathBuf};

use super::files;

pub(super) use commit::commit;
pub(super) use hgrc::facts;

/// The store behind a working copy made by `hg share`; for any other it is its own.
pub(super) fn common_dir(dot_hg: &Path) -> Option<PathBuf> {
    let shared = files::named(&dot_hg.join("sharedpath"), dot_hg).and_then(|path| std::fs::canonicalize(path).ok());
    shared.or_else(|| std::fs::canonicalize(dot_hg).ok())
}
