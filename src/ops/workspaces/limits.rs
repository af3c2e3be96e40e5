//! Whether another workspace fits: on the disk, and within the limits in the settings.

use std::path::Path;

use super::WorkspaceError;
use crate::model::size;
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::Result;
use crate::store::{Store, StoreError};
use crate::sys::tree;
use crate::vcs;

/// Refuses a workspace that would leave too little space. Returns its approximate size in bytes.
pub(super) fn check(store: &Store, one: &Workspace, all: &[Workspace]) -> Result<u64> {
    let settings = store.settings();
    let limit = |key: &str| settings.text(key).and_then(|(text, _)| size::parse(text));
    let needed = estimate(store, one)?;
    let path = Path::new(&one.path);
    let free = tree::free_space(path).map_err(StoreError::from)?;
    let keep = size::parse(settings.word("workspace.min_free")).unwrap_or_default();
    let (reclaimable, idle) = reclaimable(one, all);
    if free.saturating_sub(needed) < keep {
        let at = path.parent().unwrap_or(path).to_owned();
        return Err(WorkspaceError::NoRoom { needed, free, keep, at, reclaimable, idle }.into());
    }
    let used: u64 = others(one, all).filter_map(|other| other.size).map(i64::unsigned_abs).sum();
    if let Some(most) = limit("workspace.max_size").filter(|most| used.saturating_add(needed) > *most) {
        return Err(WorkspaceError::TooLarge { needed, used, most, reclaimable, idle }.into());
    }
    Ok(needed)
}

/// Refuses to exceed the maximum number; under the lock of the state home.
pub(super) fn check_count(store: &Store, one: &Workspace, all: &[Workspace]) -> Result<()> {
    let most = store.settings().text("workspace.max_count").and_then(|(text, _)| text.parse::<usize>().ok());
    let count = others(one, all).count();
    match most.filter(|most| count >= *most) {
        Some(most) => {
            let (reclaimable, idle) = reclaimable(one, all);
            Err(WorkspaceError::TooMany { count, most, reclaimable, idle }.into())
        }
        None => Ok(()),
    }
}

/// Those that use disk space.
fn others<'a>(one: &'a Workspace, all: &'a [Workspace]) -> impl Iterator<Item = &'a Workspace> {
    all.iter().filter(|other| {
        let is_there = other.state != State::Failed || Path::new(&other.path).exists();
        other.id != one.id && other.state != State::Removed && is_there
    })
}

/// The size in bytes and the number of those without a worker.
fn reclaimable(one: &Workspace, all: &[Workspace]) -> (u64, usize) {
    let is_free = |state: State| !matches!(state, State::Creating | State::Active | State::Removing);
    let free: Vec<&Workspace> = others(one, all).filter(|other| is_free(other.state)).collect();
    (free.iter().filter_map(|other| other.size).map(i64::unsigned_abs).sum(), free.len())
}

/// The size of a workspace: the files of the checkout, and the repository where it cannot be linked.
fn estimate(store: &Store, one: &Workspace) -> Result<u64> {
    let parent = Path::new(&one.parent);
    if one.kind == Kind::Copy {
        return Ok(tree::length(parent, &mut |_| true).map_err(StoreError::from)?);
    }
    let ignored = vcs::open(parent).ignored(&store.host().env).map_err(StoreError::from)?;
    let is_marker = |path: &Path| [".git", ".jj", ".hg", ".sl"].iter().any(|marker| path == Path::new(marker));
    let mut wanted = |path: &Path| !is_marker(path) && !ignored.iter().any(|one| one == path);
    let files = tree::length(parent, &mut wanted).map_err(StoreError::from)?;
    let store_size = match vcs::common_dir(parent) {
        Some(common) if one.kind == Kind::Clone && !tree::is_one_file_system(&common, Path::new(&one.path)) => {
            tree::length(&common, &mut |_| true).map_err(StoreError::from)?
        }
        _ => 0,
    };
    Ok(files.saturating_add(store_size))
}
