//! Creates and removes workspaces with the program `jj`, and finds work that would be lost with one.
//!
//! jj records the files of a workspace as a commit before it does anything else, and a forgotten workspace leaves that
//! commit behind. So its changed files are not lost with its directory; they still count, since no one would look for
//! them there.

use std::path::{Path, PathBuf};

use super::program::{Repo, quoted};
use crate::sys::Env;
use crate::vcs::Checkout;
use crate::vcs::checkouts::{
    NewCheckout, Work, check_quiet, delete, kept, make_parents, no_checkout, removable, vacant,
};
use crate::vcs::family::family;
use crate::vcs::files::path_of;
use crate::vcs::files::real;
use crate::vcs::layout::jj::repo;
use crate::vcs::layout::jj_workspaces::{name, recorded};
use crate::vcs::{SyncError, git};

/// The bookmarks that only this workspace is on. They belong to it, as a branch would.
const OWN: &str = "heads(::@ & bookmarks()) ~ ::(working_copies() ~ @)";
/// Changes without files and description, which can be ignored.
pub(super) const IDLE: &str = "(working_copies() & empty() & description(exact:\"\"))";
const FILES: &str = "self.diff().files().map(|file| file.path()).join(\"\\0\")";

/// Records the working copy, like every command of jj.
pub(super) fn work(root: &Path, env: &Env) -> Result<Work, SyncError> {
    let repo = Repo::new(root, env);
    let printed = repo.act_on(&["status"], None)?;
    let untracked = printed.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"? "));
    let changed = repo.log(None, "@", FILES)?;
    let is_lost =
        crate::vcs::layout::jj::common_dir(&root.join(".jj")).is_some_and(|common| common.starts_with(real(root)));
    let saved = match is_lost {
        true => "remote_bookmarks()".to_owned(),
        false => format!("(remote_bookmarks() | tags() | (working_copies() ~ @) | (bookmarks() ~ ({OWN})))"),
    };
    let here = if is_lost { "all()" } else { "::@" };
    // The changes of the working copy's own commit are reported as files.
    let unsaved = format!("{here} ~ ::{saved} ~ root() ~ {IDLE} ~ (@ ~ empty())");
    let conflicts = repo.count(None, "@ & conflicts()")? > 0;
    Ok(Work {
        changed: changed.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect(),
        untracked: untracked.map(path_of).collect(),
        unsaved_commits: repo.count(None, &unsaved)?,
        loose: Vec::new(),
        stashes: 0,
        unfinished: conflicts.then(|| "a conflict".to_owned()),
    })
}

/// A new bookmark is put on the new workspace's own change.
pub(super) fn add(root: &Path, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError> {
    let path = vacant(&new.path, env)?;
    if let Some(name) = new.branch.as_ref().filter(|name| name.starts_with('-') || name.is_empty()) {
        return Err(no_checkout(&path, format!("{name:?} cannot be the name of a bookmark; choose another")));
    }
    let repo = Repo::new(root, env);
    let (start, is_there) = start_of(&repo, new.branch.as_deref(), new.base.as_deref(), &path)?;
    make_parents(&path)?;
    let name = format!("--name={}", free_name(&repo, &path)?);
    let start = start.map(|id| format!("--revision={id}"));
    let arguments: Vec<&str> = ["workspace", "add", &name].into_iter().chain(start.as_deref()).collect();
    repo.act_on(&arguments, Some(path.as_os_str()))?;
    if let Some(branch) = new.branch.as_deref().filter(|_| !is_there) {
        let made = Repo::new(&path, env).act_on(&["bookmark", "create", "--revision=@"], Some(quoted(branch).as_ref()));
        if let Err(error) = made {
            forget(&path, env)?;
            delete(&path)?;
            return Err(error);
        }
    }
    let made = family(root).into_iter().find(|checkout| checkout.root == path);
    made.ok_or_else(|| no_checkout(&path, "jj does not list it; see jj workspace list"))
}

/// The commit of a bookmark, or where a new one begins if that is named; and whether there is such a bookmark.
pub(super) fn start_of(
    repo: &Repo<'_>,
    branch: Option<&str>,
    base: Option<&str>,
    path: &Path,
) -> Result<(Option<String>, bool), SyncError> {
    let is_there = branch.map_or(Ok(false), |name| repo.ids(None, &bookmark(name)).map(|ids| !ids.is_empty()))?;
    let start = match (branch.filter(|_| is_there), base) {
        (Some(name), Some(base)) => {
            let why = format!("the bookmark {name} exists already; leave out {base}, or name another bookmark");
            return Err(no_checkout(path, why));
        }
        (Some(name), None) => Some(only(repo, path, &bookmark(name), name)?),
        (None, Some(base)) => Some(only(repo, path, base, base)?),
        (None, None) => None,
    };
    Ok((start, is_there))
}

/// The one commit that an expression means, for a checkout at a path.
pub(super) fn only(repo: &Repo<'_>, path: &Path, revisions: &str, what: &str) -> Result<String, SyncError> {
    match repo.ids(None, revisions)?.as_slice() {
        [id] => Ok(id.clone()),
        several => Err(no_checkout(path, format!("{what} is {} commits and not one; name another", several.len()))),
    }
}

fn bookmark(name: &str) -> String {
    format!("bookmarks(exact:{})", quoted(name))
}

/// The name of the directory, with a number if another workspace has it.
fn free_name(repo: &Repo<'_>, path: &Path) -> Result<String, SyncError> {
    let wanted = path.file_name().map_or_else(|| "workspace".into(), |name| name.to_string_lossy().into_owned());
    let taken: Vec<String> = repo.names(&["workspace", "list"])?;
    let mut numbered = (2..).map(|n| format!("{wanted}-{n}"));
    let is_free = |name: &String| !taken.contains(name);
    let name = Some(wanted.clone()).filter(is_free).or_else(|| numbered.find(is_free));
    Ok(name.unwrap_or(wanted))
}

pub(crate) fn remove(here: &Path, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
    let found = removable(root, here, &family(here))?;
    let root = &found.root;
    if !found.exists {
        return Err(kept(root, "its directory is gone; jj workspace forget drops the record"));
    }
    if repo(root).is_some_and(|repo| repo.starts_with(root)) {
        return Err(kept(root, "it holds the repository of the other workspaces"));
    }
    if !force {
        work(root, env)?.check_files(root)?;
        check_quiet(root)?;
    }
    match forget(root, env) {
        // The content of a stale working copy cannot be recorded.
        Err(_) if force => Repo::new(root, env).ask(None, &["workspace", "forget"]).map(drop)?,
        result => result?,
    }
    let is_worktree = root.join(".git").exists();
    if is_worktree {
        git::keep_loose(root, env)?;
    }
    delete(root)?;
    if is_worktree { git::prune(here, false, env).map(drop) } else { Ok(()) }
}

/// Stops tracking the workspace in a directory, after recording its files.
fn forget(root: &Path, env: &Env) -> Result<(), SyncError> {
    Repo::new(root, env).act_on(&["workspace", "forget"], None).map(drop)
}

/// Forgets the workspaces that have a record and whose directories are gone.
pub(super) fn prune(root: &Path, dry_run: bool, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
    let Some(store) = repo(root) else { return Ok(Vec::new()) };
    let repo = Repo::new(root, env);
    let (own, known) = (name(root), repo.names::<Vec<String>>(&["workspace", "list"])?);
    let mut gone = recorded(&store);
    gone.retain(|(name, place)| !place.exists() && own.as_ref() != Some(name) && known.contains(name));
    if !dry_run {
        for (name, _) in &gone {
            repo.act_on(&["workspace", "forget"], Some(name.as_ref()))?;
        }
    }
    Ok(gone.into_iter().map(|(_, place)| place.join(".jj")).collect())
}
