//! Updates a clone to the working copy that it was made from, without a network.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::clones::{Source, set_back};
use super::commit::git;
use super::hooks::must;
use super::settings::Setting;
use super::upstream::commit;
use super::work::{branch, is_any_hidden, work};
use super::worktrees::check_name;
use crate::sys::Env;
use crate::vcs::SyncError;
use crate::vcs::checkouts::{kept, no_checkout};
use crate::vcs::clones::NewClone;
use crate::vcs::files::path_of;
use crate::vcs::files::real;

/// Lists are read up to this size.
const MAX: usize = 256 << 20;

/// The name of the remote that leads to a working copy.
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

/// Fetches the branches of the parent, its refs of its own remotes, and one commit of it.
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

/// Starts a new branch at the parent's commit; the previous job's branch is deleted, since all of it is elsewhere.
/// Settings and hooks are reset to those of a new clone.
pub(super) fn renew(root: &Path, from: &Path, new: &NewClone, ledgers: &[PathBuf], env: &Env) -> Result<(), SyncError> {
    refuse_odd(root, env)?;
    check_name(root, &new.branch, root, env)?;
    let source = Source { root: from, git_dir: None, env };
    let start = source.start(new, root)?;
    let known = name_of(root, from, env)?;
    let parent = set_back(&source, root)?;
    if parent != known {
        return Err(kept(root, format!("{} has other remotes now", from.display())));
    }
    take_back(root, ledgers, env)?;
    work(root, env)?.check_files(root)?;
    fetch(root, from, &parent, &start, env)?;
    // Checked after the fetch, when the parent's commits are known.
    refuse_unsaved(root, env)?;
    refuse_covered(root, &start, env)?;
    let before = branch(root, env)?;
    let flags = ["checkout", "--quiet", "--no-track", "--no-overwrite-ignore", "-B"];
    let program = git(root, env).args(["-c", "submodule.recurse=false"]).args(flags);
    must("git checkout", root, program.arg(&new.branch).arg(&start).arg("--"))?;
    if let Some(before) = before.filter(|before| *before != new.branch) {
        must("git branch", root, git(root, env).args(["branch", "--quiet", "-D", "--"]).arg(before))?;
    }
    Ok(())
}

/// Fast-forwards only.
pub(super) fn forward(root: &Path, from: &Path, base: Option<&str>, env: &Env) -> Result<bool, SyncError> {
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
        let query = git(root, env).args(["merge-base", "--is-ancestor", one, other]).run()?;
        Ok::<bool, SyncError>(query.status.success())
    };
    if is_in(&target, &head)? {
        return Ok(false);
    }
    if !is_in(&head, &target)? {
        return Err(kept(root, format!("it has commits that {name} has not; merge or rebase it yourself")));
    }
    refuse_covered(root, &target, env)?;
    let flags = ["merge", "--quiet", "--ff-only", "--no-verify", "--no-overwrite-ignore"];
    let program = git(root, env).args(["-c", "submodule.recurse=false"]).args(flags);
    must("git merge", root, program.arg(&target))?;
    Ok(true)
}

/// Refuses to overwrite ignored files, which git does silently: the files of the new commit at paths that exist here
/// and are not in the old commit.
fn refuse_covered(root: &Path, target: &str, env: &Env) -> Result<(), SyncError> {
    let changes = |filter: &str| {
        let query = git(root, env).args(["diff", "--name-only", "--no-renames", "-z", "--ignore-submodules=all"]);
        let printed = must("git diff", root, query.arg(filter).args(["HEAD", target, "--"]).keeping(MAX))?.stdout;
        let names = printed.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path_of);
        Ok::<_, SyncError>(names.collect::<HashSet<PathBuf>>())
    };
    let (added, deleted) = (changes("--diff-filter=A")?, changes("--diff-filter=D")?);
    let is_in_way = |path: &Path| !deleted.contains(path) && std::fs::symlink_metadata(root.join(path)).is_ok();
    let is_file = |path: &Path| std::fs::symlink_metadata(root.join(path)).is_ok_and(|found| !found.is_dir());
    let in_way = |path: &PathBuf| {
        let mut above = path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty());
        above
            .find(|dir| is_file(dir) && is_in_way(dir))
            .or(Some(path.as_path()).filter(|path| is_in_way(path)))
            .map(Path::to_owned)
    };
    let mut covered: Vec<PathBuf> = added.iter().filter_map(in_way).collect();
    covered.sort();
    match covered.first() {
        None => Ok(()),
        Some(first) => {
            let more = if covered.len() > 1 { format!(" and {} more", covered.len() - 1) } else { String::new() };
            let why = format!("the ignored file {}{more} would be overwritten, which is tracked now", first.display());
            Err(kept(root, format!("{why}; move it away first")))
        }
    }
}

/// Resets ledgers to their committed state; their content is elsewhere.
fn take_back(root: &Path, ledgers: &[PathBuf], env: &Env) -> Result<(), SyncError> {
    let changed = work(root, env)?.changed;
    let changed: Vec<&PathBuf> = ledgers.iter().filter(|ledger| changed.contains(ledger)).collect();
    if changed.is_empty() {
        return Ok(());
    }
    let program = git(root, env).args(["--literal-pathspecs", "checkout", "--quiet", "HEAD", "--"]);
    must("git checkout", root, program.args(changed)).map(drop)
}

/// Refuses state that a new clone would not have and another job must not get: hidden or left-out files, refs of other
/// kinds.
fn refuse_odd(root: &Path, env: &Env) -> Result<(), SyncError> {
    if is_any_hidden(root, env)? {
        return Err(kept(root, "its checkout is sparse, or git was told not to look at some files"));
    }
    let query = git(root, env).args(["for-each-ref", "--format=%(refname)"]).keeping(MAX);
    let printed = must("git for-each-ref", root, query)?.stdout;
    let own = branch(root, env)?.map(|name| format!("refs/heads/{name}"));
    let known = ["refs/remotes/", "refs/tags/", "refs/beads/"];
    let text = String::from_utf8_lossy(&printed);
    let is_odd = |name: &&str| Some(*name) != own.as_deref() && !known.iter().any(|start| name.starts_with(start));
    match text.lines().find(is_odd) {
        Some(name) => Err(kept(root, format!("it has {name}, which a new clone would not have"))),
        None => Ok(()),
    }
}

/// Refuses if commits are only here.
fn refuse_unsaved(root: &Path, env: &Env) -> Result<(), SyncError> {
    let work = work(root, env)?;
    if work.unsaved_commits > 0 || !work.loose.is_empty() {
        return Err(kept(root, "it has commits that are nowhere else"));
    }
    Ok(())
}
