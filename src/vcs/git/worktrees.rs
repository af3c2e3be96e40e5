//! Creates and removes linked worktrees with the program `git`.

use std::path::{Path, PathBuf};

use super::commit::git;
use super::hooks::must;
use super::loose::keep;
use super::upstream::{ask, commit};
use super::work::{branch, work};
use crate::sys::Env;
use crate::vcs::Checkout;
use crate::vcs::checkouts::{NewCheckout, check_quiet, kept, no_checkout, removable, vacant};
use crate::vcs::family::family;
use crate::vcs::files::real;
use crate::vcs::layout::git::common_dir;
use crate::vcs::layout::git_worktrees::{admin_dir, recorded, recorded_link};
use crate::vcs::{SyncError, files};

/// Checks out the branch if it exists, else creates it.
pub(super) fn add(root: &Path, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError> {
    let path = vacant(&new.path, env)?;
    let branch = new.branch.as_deref();
    branch.map_or(Ok(()), |name| check_name(root, name, &path, env))?;
    let (start, is_there) = start_of(root, branch, new.base.as_deref(), &path, env)?;
    let program = git(root, env).args(["worktree", "add", "--quiet"]);
    let (program, checked_out) = match branch {
        Some(name) if is_there => (program, name),
        Some(name) => (program.args(["--no-track", "-b", name]), start.as_str()),
        None => (program.arg("--detach"), start.as_str()),
    };
    must("git worktree add", root, program.arg("--").arg(&path).arg(checked_out))?;
    let made = family(root).into_iter().find(|checkout| checkout.root == path);
    made.ok_or_else(|| no_checkout(&path, "git does not list it; see git worktree list"))
}

/// The commit of a branch, or where a new one begins; and whether there is such a branch.
pub(super) fn start_of(
    place: &Path,
    branch: Option<&str>,
    base: Option<&str>,
    path: &Path,
    env: &Env,
) -> Result<(String, bool), SyncError> {
    let there = branch.map_or(Ok(None), |name| commit(place, &format!("refs/heads/{name}"), env))?;
    match (branch, there, base) {
        (Some(name), Some(_), Some(base)) => {
            let why = format!("the branch {name} exists already; leave out {base}, or name another branch");
            Err(no_checkout(path, why))
        }
        (_, Some(id), _) => Ok((id.to_string(), true)),
        (_, None, base) => {
            let name = base.unwrap_or("HEAD");
            let remedy = if base.is_some() { "fetch it, or name another one" } else { "commit something first" };
            let missing = || no_checkout(path, format!("there is no commit {name}; {remedy}"));
            Ok((commit(place, name, env)?.ok_or_else(missing)?.to_string(), false))
        }
    }
}

/// Checks that git takes a name for a branch, and never for an option.
pub(super) fn check_name(root: &Path, name: &str, path: &Path, env: &Env) -> Result<(), SyncError> {
    let query = ask(root, env).arg("check-ref-format").arg(format!("refs/heads/{name}")).run()?;
    if name.starts_with('-') || name == "HEAD" || !query.status.success() {
        return Err(no_checkout(path, format!("{name:?} cannot be the name of a branch; choose another")));
    }
    Ok(())
}

/// Runs git in `place`, which may be the repository's directory if the current working copy is jj's.
pub(crate) fn remove(place: &Path, here: &Path, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
    let found = removable(root, here, &family(here))?;
    let root = &found.root;
    let Some(admin) = admin_dir(root).filter(|_| found.exists) else {
        return Err(kept(root, "its directory is gone; git worktree prune drops the record"));
    };
    if recorded(&admin).as_ref() != Some(root) {
        return Err(kept(root, "it was moved or copied; run git worktree repair in it first"));
    }
    if let Some(link) = recorded_link(&admin) {
        let why =
            format!("git knows it as {}, which is a link now; run git worktree repair in it first", link.display());
        return Err(kept(root, why));
    }
    if let Some(reason) = files::text(&admin.join("locked")) {
        let reason = reason.trim();
        let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
        return Err(kept(root, format!("it is locked{reason}; git worktree unlock opens it")));
    }
    if !force {
        let work = work(root, env)?;
        work.check_files(root)?;
        if work.unsaved_commits > 0 && branch(root, env)?.is_none() {
            let why = format!("{} of its commits are on no branch; make a branch there first", work.unsaved_commits);
            return Err(kept(root, why));
        }
        if let Some(what) = work.loose_commits() {
            return Err(kept(root, format!("{what}; make a branch of it first")));
        }
        check_quiet(root)?;
    }
    // Includes commits made just now, and those removed by force.
    keep(root, env)?;
    let program = git(place, env).args(["worktree", "remove"]).args(force.then_some("--force"));
    must("git worktree remove", here, program.arg("--").arg(root)).map(drop)
}

/// Repairs our own record first: git would drop it if this worktree was moved.
pub(crate) fn prune(root: &Path, dry_run: bool, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
    let Some(common) = common_dir(&root.join(".git")) else { return Ok(Vec::new()) };
    let own = admin_dir(root).filter(|own| *own != common);
    if is_misplaced(root) && !dry_run {
        repair(root, env)?;
    }
    let program = git(root, env).args(["worktree", "prune", "--verbose", "--expire=now"]);
    let output = must("git worktree prune", root, program.args(dry_run.then_some("--dry-run")))?;
    let printed = [output.stdout, output.stderr].concat();
    let dropped = printed.split(|byte| *byte == b'\n').filter_map(|line| {
        let name = line.strip_prefix(b"Removing worktrees/")?;
        let end = name.windows(2).position(|pair| pair == b": ")?;
        Some(common.join("worktrees").join(files::path_of(&name[..end])))
    });
    Ok(dropped.filter(|admin| own.as_ref() != Some(admin)).collect())
}

/// Whether git's record of this worktree has another path.
pub fn is_misplaced(root: &Path) -> bool {
    let own = admin_dir(root).filter(|own| common_dir(&root.join(".git")).as_ref() != Some(own));
    own.is_some_and(|own| !recorded(&own).is_some_and(|place| place.join(".git").exists()))
}

/// Updates git's record of a worktree that was moved without its knowledge.
pub fn repair(root: &Path, env: &Env) -> Result<(), SyncError> {
    must("git worktree repair", root, git(root, env).args(["worktree", "repair"]).arg("--").arg(real(root))).map(drop)
}
