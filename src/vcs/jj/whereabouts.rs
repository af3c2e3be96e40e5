//! Finds out where else the commits of a jj workspace are: git is behind it, and has the same commits.

use std::path::Path;

use super::program::Repo;
use super::workspaces::{IDLE, work};
use crate::sys::Env;
use crate::vcs::files::real;
use crate::vcs::layout::jj::common_dir;
use crate::vcs::{Kind, Origin, SyncError, Unsaved, Whereabouts, git};

pub(super) fn whereabouts(root: &Path, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError> {
    // This records the working copy, like every command of jj.
    let work = work(root, env)?;
    let common = common_dir(&root.join(".jj"));
    let is_lost = common.as_ref().is_some_and(|common| common.starts_with(real(root)));
    let tips = tips(root, is_lost, env)?;
    let mut found = git::between(root, common, &tips, origin, env)?;
    if !is_lost {
        let commits = work.unsaved_commits;
        let is_lost = commits > 0 && found.merged.is_none();
        found.unsaved =
            is_lost.then(|| Unsaved { holder: "@".to_owned(), commits, is_here: true }).into_iter().collect();
    }
    Ok(found)
}

/// Saves the commits of a clone in another repository.
pub(super) fn keep(root: &Path, key: &str, to: &Path, env: &Env) -> Result<usize, SyncError> {
    let common = common_dir(&root.join(".jj"));
    let Some(common) = common.filter(|common| common.join("objects").is_dir()) else {
        return Err(SyncError::Unsupported { kind: Kind::Jj, what: "its commits are not kept in git" });
    };
    let tips = tips(root, common.starts_with(real(root)), env)?;
    git::keep_commits(root, Some(common), &tips, key, to, env)
}

/// The checked-out commit, and the last commits that no remote is known to have.
fn tips(root: &Path, is_lost: bool, env: &Env) -> Result<Vec<String>, SyncError> {
    let repo = Repo::new(root, env);
    let mut tips = repo.ids(None, &format!("heads((@ | @-) ~ {IDLE} ~ root())"))?;
    if is_lost {
        let others = repo.ids(None, &format!("heads(all() ~ ::remote_bookmarks() ~ root() ~ {IDLE})"))?;
        tips.extend(others);
    }
    let mut seen = std::collections::HashSet::new();
    tips.retain(|id| seen.insert(id.clone()));
    Ok(tips)
}
