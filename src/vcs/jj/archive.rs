//! The past of a jj repository. jj keeps its commits in git, where they are read; only jj can resolve a revision.

use std::path::Path;

use super::program::Repo;
use crate::vcs::SyncError;
use crate::vcs::git::GitArchive;

/// Opens the git repository behind a working copy, whose base is the parents of its own commit.
pub(super) fn open<'a>(repo: Repo<'a>, git: &Path) -> Result<GitArchive<'a>, SyncError> {
    let mut tips = repo.ids(None, "@-")?;
    // Below everything jj has a commit that is nowhere else.
    tips.retain(|id| id.bytes().any(|byte| byte != b'0'));
    let git = GitArchive::open(git, Some(tips), repo.env)?;
    Ok(git.translated(Box::new(move |revision| named(&repo, revision))))
}

/// The commit of a change id, a bookmark, any revset. That of the working copy counts as it was recorded last.
fn named(repo: &Repo<'_>, revision: &str) -> Result<Option<String>, SyncError> {
    // Neither a revset nor a program's argument can contain a NUL.
    if revision.contains('\0') {
        return Ok(None);
    }
    match set(repo, revision)?.as_slice() {
        [only] => Ok(Some(only.clone())),
        // jj forgets commits before git does.
        [] => Ok(revision.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| revision.to_owned())),
        _ => Err(SyncError::Several { revision: revision.to_owned() }),
    }
}

/// The commits of a revset, at most two; none if jj does not understand it.
fn set(repo: &Repo<'_>, revset: &str) -> Result<Vec<String>, SyncError> {
    let revisions = format!("--revisions={revset}");
    let arguments = ["log", "--no-graph", "--limit=2", &revisions, "--template=commit_id ++ \"\\n\""];
    match repo.ask(None, &arguments) {
        Ok(output) => Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect()),
        Err(SyncError::Failed { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
