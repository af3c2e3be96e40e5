//! The version control side of setting up a planning repo.

use std::path::{Path, PathBuf};

use super::family;
use super::role::plain_url;
use super::{Repo, Result, StoreError, place};
use crate::sys::Env;
use crate::sys::fs::FsError;
use crate::vcs;

/// Two working copies have a remote in common: they are clones of one project, and what is committed in one can be pushed to
/// where the other comes from.
pub(super) fn share_remote(one: &Path, other: &Path, env: &Env) -> bool {
    let remotes = |path: &Path| vcs::facts(path, env).remotes;
    let theirs = remotes(other);
    let known = |url: &str| theirs.iter().any(|remote| plain_url(&remote.url) == plain_url(url));
    !theirs.is_empty() && remotes(one).iter().any(|remote| known(&remote.url))
}

/// Refuses a place for a planning repo inside the project's working copy, or in another checkout of the same repository: its
/// files would be committed there. Another clone of the project is no better.
pub fn check_planning(project: &Path, planning: &Path, env: &Env) -> Result<()> {
    let root = vcs::root(project).unwrap_or_else(|| project.to_owned());
    let checkout = family::is_family(project, planning);
    if checkout || share_remote(project, planning, env) || place::real(planning).starts_with(place::real(&root)) {
        return Err(StoreError::WouldLeak { repo: planning.display().to_string() });
    }
    match std::fs::metadata(planning) {
        Ok(meta) if !meta.is_dir() => Err(StoreError::NotARepo { path: planning.to_owned() }),
        _ => Ok(()),
    }
}

/// The `.beads` directory that the working copy around a directory has, at or above it.
pub fn ledger_of_working_copy(directory: &Path, env: &Env) -> Option<PathBuf> {
    let found = Repo::discover(directory, env, false).ok()?;
    let root = |path: &Path| vcs::root(path).map(|root| place::real(&root));
    (root(directory).is_some() && root(directory) == root(found.root())).then(|| found.beads().to_owned())
}

/// Puts a new directory under version control, unless it lies in a working copy of its own already. Says what was done, or
/// why not.
pub fn start_version_control(directory: &Path, env: &Env) -> Option<String> {
    let is_own = vcs::root(directory).is_some_and(|root| place::real(&root) == place::real(directory));
    let is_new = std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none());
    if is_own || !is_new {
        return None;
    }
    Some(match vcs::init_git(directory, env) {
        Ok(()) => format!("git init in {}", directory.display()),
        Err(error) => format!("{} has no version control: {error}", directory.display()),
    })
}

/// The first commit of a planning repo. Says what was done, or why not.
pub fn commit_files(files: &[PathBuf], message: &str, author: &str, env: &Env) -> Option<String> {
    match vcs::commit(files, message, author, env) {
        Ok(vcs::Committed::Done) => Some(format!("committed: {message}")),
        Ok(_) => None,
        Err(error) => Some(format!("not committed: {error}")),
    }
}

/// Keeps a `.beads` that only this user wants out of the project's commits, without a trace in the project: by git's own
/// private exclude file. Where there is none, nothing is done and the user is told.
pub fn keep_out_of_commits(beads: &Path) -> Result<String> {
    let root = vcs::root(beads).map(|root| place::real(&root));
    let (Some(exclude), Some(root)) = (vcs::exclude_file(beads), root) else {
        return Ok(format!("{} is new here: keep it out of your commits", beads.display()));
    };
    let real = place::real(beads);
    let line = format!("/{}/", real.strip_prefix(&root).unwrap_or(Path::new(super::BEADS_DIR)).display());
    let known = std::fs::read_to_string(&exclude).unwrap_or_default();
    if !known.lines().any(|known| known == line) {
        let gap = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
        let directory = exclude.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(directory).map_err(|e| FsError::new("create", directory, e))?;
        std::fs::write(&exclude, format!("{known}{gap}{line}\n")).map_err(|e| FsError::new("write", &exclude, e))?;
    }
    Ok(format!("{line} is kept out of commits by {}", exclude.display()))
}
