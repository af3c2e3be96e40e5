//! Bringing a clone up to date with the working copy that it was made from. No network is needed.

use std::path::Path;

use super::clones::{Source, must};
use super::commit::git;
use super::settings::Setting;
use super::upstream::commit;
use super::work::{branch, work};
use super::worktrees::check_name;
use crate::sys::Env;
use crate::vcs::SyncError;
use crate::vcs::checkouts::{kept, no_checkout, real};
use crate::vcs::clones::NewClone;

/// The name of the remote that a working copy is.
fn name_of(root: &Path, from: &Path, env: &Env) -> Result<String, SyncError> {
    let from = real(from);
    let settings = Source { root, git_dir: None, env }.settings()?;
    let is_it = |one: &&Setting| {
        one.value.as_ref().is_some_and(|url| Path::new(url).is_absolute() && real(Path::new(url)) == from)
    };
    let urls = settings.iter().filter(is_it);
    let name = urls.filter_map(|one| one.key.strip_prefix("remote.")?.strip_suffix(".url")).next();
    let why = || kept(root, format!("it does not know {} as a remote", from.display()));
    name.map(str::to_owned).ok_or_else(why)
}

/// Gets the branches of the parent, what it knows of its own remotes, and one commit of it.
fn fetch(root: &Path, from: &Path, parent: &str, start: &str, env: &Env) -> Result<(), SyncError> {
    let source = Source { root: from, git_dir: None, env };
    let known = source.remote_refs()?;
    let rows = known.lines().map(|line| line.split(' ').collect::<Vec<_>>());
    let refs = rows.filter(|row| row.len() < 3 || row[2].is_empty()).filter_map(|row| row.first().copied());
    let mut wanted = format!("+refs/heads/*:refs/remotes/{parent}/*\n{start}\n");
    refs.for_each(|name| wanted.push_str(&format!("+{name}:{name}\n")));
    let program = git(root, env).args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--stdin"]);
    must("git fetch", root, program.arg(parent).input(wanted.into_bytes())).map(drop)
}

/// A new branch at what the parent says; that of the job before goes, since all of it is elsewhere.
pub fn renew(root: &Path, from: &Path, new: &NewClone, env: &Env) -> Result<(), SyncError> {
    refuse_unsaved(root, env)?;
    check_name(root, &new.branch, root, env)?;
    let parent = name_of(root, from, env)?;
    let start = Source { root: from, git_dir: None, env }.start(new, root)?;
    fetch(root, from, &parent, &start, env)?;
    let before = branch(root, env)?;
    let program = git(root, env).args(["-c", "submodule.recurse=false", "checkout", "--quiet", "--no-track", "-B"]);
    must("git checkout", root, program.arg(&new.branch).arg(&start).arg("--"))?;
    if let Some(before) = before.filter(|before| *before != new.branch) {
        must("git branch", root, git(root, env).args(["branch", "--quiet", "-D", "--"]).arg(before))?;
    }
    Ok(())
}

/// Forward only.
pub fn forward(root: &Path, from: &Path, base: Option<&str>, env: &Env) -> Result<bool, SyncError> {
    let found = work(root, env)?;
    if let Some(what) = found.in_files() {
        return Err(kept(root, format!("it has {what}; nothing is pulled over that")));
    }
    let name = base.unwrap_or("HEAD");
    let source = Source { root: from, git_dir: None, env };
    let Some(target) = source.commit(name)? else {
        return Err(no_checkout(root, format!("there is no commit {name} in {}", from.display())));
    };
    let parent = name_of(root, from, env)?;
    fetch(root, from, &parent, &target, env)?;
    let head = commit(root, "HEAD", env)?.map(|id| id.to_string()).unwrap_or_default();
    let is_in = |one: &str, other: &str| {
        let asked = git(root, env).args(["merge-base", "--is-ancestor", one, other]).run()?;
        Ok::<bool, SyncError>(asked.status.success())
    };
    if is_in(&target, &head)? {
        return Ok(false);
    }
    if !is_in(&head, &target)? {
        return Err(kept(root, format!("it has commits that {name} has not; merge or rebase it yourself")));
    }
    let program =
        git(root, env).args(["-c", "submodule.recurse=false", "merge", "--quiet", "--ff-only", "--no-verify"]);
    must("git merge", root, program.arg(&target))?;
    Ok(true)
}

/// Whatever is only here stays.
fn refuse_unsaved(root: &Path, env: &Env) -> Result<(), SyncError> {
    let work = work(root, env)?;
    if let Some(what) = work.in_files() {
        return Err(kept(root, format!("it has {what}")));
    }
    if work.unsaved_commits > 0 || !work.loose.is_empty() {
        return Err(kept(root, "it has commits that are nowhere else"));
    }
    Ok(())
}
