//! Where git keeps itself.

use std::path::{Path, PathBuf};

use crate::sys::path;
use crate::vcs::files;

/// Resolves `.git` (a directory, or a file that names one) to the directory of this working copy.
pub(crate) fn own_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = files::bytes(dot_git)?;
    Some(dot_git.parent()?.join(files::path_of(text.strip_prefix(b"gitdir:")?.trim_ascii())))
}

/// Resolves `.git` to the directory shared by all worktrees.
pub(crate) fn common_dir(dot_git: &Path) -> Option<PathBuf> {
    let own = own_dir(dot_git)?;
    let shared = files::named(&own.join("commondir"), &own);
    path::real(&shared.unwrap_or(own)).ok()
}
