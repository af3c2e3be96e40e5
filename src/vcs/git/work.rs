//! Work that would be lost with a git working copy.
//!
//! The repository of a linked worktree is elsewhere, and keeps its branches and stashes. A clone's repository
//! disappears with its directory, and so do those of the submodules in a linked worktree.

use std::path::{Path, PathBuf};

use super::commit::unfinished;
use super::hooks::failed;
use super::loose::loose;
use super::objects::must;
use super::upstream::{ask, commit, head};
use crate::sys::Env;
use crate::sys::process::Program;
use crate::vcs::SyncError;
use crate::vcs::checkouts::Work;
use crate::vcs::files::path_of;
use crate::vcs::files::real;
use crate::vcs::layout::git::common_dir;
use crate::vcs::layout::git_worktrees::admin_dir;

const SUBMODULE: &[u8] = b"160000";

pub(super) fn work(root: &Path, env: &Env) -> Result<Work, SyncError> {
    let root = real(root);
    let lost = [Some(root.clone()), admin_dir(&root)];
    let mut work = within(&root, &lost.into_iter().flatten().collect::<Vec<_>>(), env)?;
    work.loose = loose(&root, env)?;
    Ok(work)
}

/// The same for a working copy that disappears together with these directories.
fn within(root: &Path, lost: &[PathBuf], env: &Env) -> Result<Work, SyncError> {
    let mut work = Work { unfinished: unfinished(root).map(str::to_owned), ..Work::default() };
    status(root, env, &mut work)?;
    let listed = listed(root, env)?;
    work.changed.extend(hidden_changes(root, &listed, env)?);
    work.changed.sort();
    work.changed.dedup();
    let common = common_dir(&root.join(".git"));
    // A linked worktree's directory is below the repository's, never around it.
    let is_lost = common.is_some_and(|common| lost.iter().any(|dir| common.starts_with(dir)));
    work.unsaved_commits = unsaved(root, is_lost, env)?;
    if is_lost && commit(root, "refs/stash", env)?.is_some() {
        work.stashes = count(ask(root, env).args(["rev-list", "--walk-reflogs", "--count", "refs/stash", "--"]))?;
    }
    for file in listed.iter().filter(|file| file.mode == SUBMODULE) {
        let inner = root.join(&file.path);
        if inner.join(".git").exists() {
            add(&mut work, &file.path, within(&inner, lost, env)?);
        }
    }
    Ok(work)
}

/// Adds the work in a submodule.
fn add(work: &mut Work, path: &Path, inner: Work) {
    work.changed.extend(inner.changed.iter().map(|file| path.join(file)));
    work.untracked.extend(inner.untracked.iter().map(|file| path.join(file)));
    work.unsaved_commits += inner.unsaved_commits;
    work.stashes += inner.stashes;
    work.unfinished = work.unfinished.take().or(inner.unfinished);
}

fn status(root: &Path, env: &Env, work: &mut Work) -> Result<(), SyncError> {
    let flags = ["--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none"];
    let output = must("git status", ask(root, env).arg("status").args(flags))?;
    for entry in output.stdout.split(|byte| *byte == 0).filter(|entry| entry.len() > 3) {
        let list = if entry.starts_with(b"??") { &mut work.untracked } else { &mut work.changed };
        list.push(path_of(&entry[3..]));
    }
    Ok(())
}

/// A file in the index.
struct Listed {
    path: PathBuf,
    mode: Vec<u8>,
    id: Vec<u8>,
    /// git was told to ignore its changes.
    is_hidden: bool,
}

fn listed(root: &Path, env: &Env) -> Result<Vec<Listed>, SyncError> {
    let output = must("git ls-files", ask(root, env).args(["ls-files", "--stage", "-v", "-z"]))?;
    let read = |entry: &[u8]| {
        let tab = entry.iter().position(|byte| *byte == b'\t')?;
        let [tag, mode, id, stage] = entry[..tab].split(|byte| *byte == b' ').collect::<Vec<_>>().try_into().ok()?;
        let is_hidden = stage == b"0" && (tag == b"S" || tag.iter().all(u8::is_ascii_lowercase));
        Some(Listed { path: path_of(&entry[tab + 1..]), mode: mode.to_vec(), id: id.to_vec(), is_hidden })
    };
    Ok(output.stdout.split(|byte| *byte == 0).filter_map(read).collect())
}

/// Whether git was told to ignore a file's changes, or to leave it out.
pub(super) fn is_any_hidden(root: &Path, env: &Env) -> Result<bool, SyncError> {
    Ok(listed(root, env)?.iter().any(|file| file.is_hidden))
}

/// Changed files that status does not show (`assume-unchanged`, `skip-worktree`).
fn hidden_changes(root: &Path, listed: &[Listed], env: &Env) -> Result<Vec<PathBuf>, SyncError> {
    let mut changed = Vec::new();
    for file in listed.iter().filter(|file| file.is_hidden && file.mode != SUBMODULE) {
        let path = root.join(&file.path);
        let Ok(found) = std::fs::symlink_metadata(&path) else { continue };
        let mut same = false;
        if found.is_file() {
            let output = must("git hash-object", ask(root, env).args(["hash-object", "--"]).arg(&file.path))?;
            same = output.stdout.trim_ascii() == file.id;
        }
        if !same {
            changed.push(file.path.clone());
        }
    }
    Ok(changed)
}

/// The number of commits that only this working copy has; with the repository, of those that no remote is known to
/// have.
fn unsaved(root: &Path, with_repository: bool, env: &Env) -> Result<usize, SyncError> {
    let head = commit(root, "HEAD", env)?.map(|id| id.to_string());
    if with_repository {
        let query = ask(root, env).args(["rev-list", "--count"]).args(head);
        return count(query.args(["--branches", "--tags", "--not", "--remotes", "--"]));
    }
    let Some(head) = head else { return Ok(0) };
    let own = branch(root, env)?.map(|name| format!("--exclude={name}"));
    let query = ask(root, env).args(["rev-list", "--count"]).arg(head).arg("--not").args(own);
    count(query.args(["--branches", "--remotes", "--tags", "--"]))
}

/// The branch that is checked out.
pub(super) fn branch(root: &Path, env: &Env) -> Result<Option<String>, SyncError> {
    Ok(head(ask(root, env))?.and_then(|name| name.strip_prefix("refs/heads/").map(str::to_owned)))
}

fn count(program: Program<'_>) -> Result<usize, SyncError> {
    let output = must("git rev-list", program)?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    text.parse().map_err(|_| failed("git rev-list", &output).into())
}
