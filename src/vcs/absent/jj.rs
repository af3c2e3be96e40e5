//! jj in a build without the feature `git`, which it needs: recognised, but not supported. See `git.rs` beside this.

use std::path::{Path, PathBuf};

use crate::sys::Env;
use crate::vcs::{HistoryError, Kind};

fn unreadable<T>(root: &Path) -> Result<T, HistoryError> {
    Err(HistoryError::NotGit { root: root.to_owned(), kind: Kind::Jj })
}

pub(super) fn conflicts_below(_: &Path, _: &Path, _: &Env) -> bool {
    false
}

pub(super) fn tool(root: &Path, _: &Env) -> Result<Option<String>, HistoryError> {
    unreadable(root)
}

pub(super) fn set_tool(root: &Path, _: Option<&str>, _: &Env) -> Result<(), HistoryError> {
    unreadable(root)
}

pub(super) fn settings(root: &Path, _: &Env) -> Result<PathBuf, HistoryError> {
    unreadable(root)
}
