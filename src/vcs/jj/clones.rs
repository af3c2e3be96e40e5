//! Clones with the programs `git` and `jj`: git links the objects, and jj is set up on top of it, in one directory.
//!
//! The clone has both `.git` and `.jj`, even if the parent keeps its git repository inside `.jj`.

use std::collections::BTreeSet;
use std::path::Path;

use super::program::{Repo, quoted};
use super::workspaces::{only, start_of};
use crate::sys::Env;
use crate::sys::activity::Step;
use crate::vcs::Checkout;
use crate::vcs::checkouts::{delete, no_checkout, vacant};
use crate::vcs::clones::{NewClone, name_of_parent};
use crate::vcs::files::real;
use crate::vcs::layout::jj::git_target;
use crate::vcs::{Kind, SyncError, Tip, Tips, git};

pub(super) fn clone(root: &Path, new: &NewClone, step: Option<&Step>, env: &Env) -> Result<Checkout, SyncError> {
    let path = vacant(&new.path, env)?;
    let Some(behind) = git_target(&root.join(".jj")).map(|dir| real(&dir)) else {
        return Err(SyncError::Unsupported { kind: Kind::Jj, what: "its commits are not kept in git" });
    };
    let repo = Repo::new(root, env);
    let (start, is_there) = start_of(&repo, Some(&new.branch), new.base.as_deref(), &path)?;
    // The parents of the working copy's commit.
    let start = start.map_or_else(|| only(&repo, &path, "@-", "the parent of the working copy"), Ok)?;
    if only(&repo, &path, "root()", "the root")? == start {
        return Err(no_checkout(&path, "nothing is committed yet; commit something first"));
    }
    let source = git::Source { root, git_dir: Some(&behind), env };
    let made = source.clone_at(&new.branch, &start, path, step)?;
    match set_up(&repo, &made.root, &new.branch, is_there) {
        Ok(()) => {}
        Err(error) => {
            delete(&made.root)?;
            return Err(error);
        }
    }
    let admin = real(&made.root.join(".jj"));
    Ok(Checkout { admin, branch: Some(new.branch.clone()), ..made })
}

/// A new bookmark is put on the clone's own change, as in a workspace of jj.
fn set_up(parent: &Repo<'_>, path: &Path, branch: &str, is_there: bool) -> Result<(), SyncError> {
    let repo = Repo::new(path, parent.env);
    repo.act_on(&["git", "init", "--colocate"], None)?;
    for (name, value) in identity(parent)? {
        repo.act_on(&["config", "set", "--repo", &name], Some(value.as_ref()))?;
    }
    if !is_there {
        repo.act_on(&["bookmark", "set", "--revision=@"], Some(quoted(branch).as_ref()))?;
    }
    Ok(())
}

/// The user's identity in the settings of the repository itself: names and values.
fn identity(repo: &Repo<'_>) -> Result<Vec<(String, String)>, SyncError> {
    let output = match repo.output(None, &["config", "list", "--repo", "user"]) {
        // There is none.
        Err(SyncError::Failed { .. }) => return Ok(Vec::new()),
        printed => printed?,
    };
    let known = output.lines().filter_map(|line| line.split_once(" = "));
    let plain = known.filter(|(name, _)| matches!(*name, "user.name" | "user.email"));
    Ok(plain.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
}

pub(super) fn branches(repo: &Repo<'_>) -> Result<BTreeSet<String>, SyncError> {
    repo.names(&["bookmark", "list", "--all-remotes"])
}

/// The positions of all bookmarks, including those of remotes.
pub(super) fn tips(repo: &Repo<'_>, most: usize) -> Result<Tips, SyncError> {
    const TEMPLATE: &str = "--template=if(normal_target, normal_target.commit_id() ++ \" \" ++ json(name) ++ \" \" ++ \
                            if(remote, json(remote), \"\\\"\\\"\") ++ \"\\n\")";
    let sorted = "--sort=committer-date-";
    let output = repo.output(None, &["bookmark", "list", "--all-remotes", sorted, TEMPLATE])?;
    let merged: BTreeSet<String> = repo.ids(None, "(bookmarks() | remote_bookmarks()) & ::@")?.into_iter().collect();
    let tip = |line: &str| {
        let (commit, names) = line.split_once(' ')?;
        let mut names = serde_json::Deserializer::from_str(names).into_iter::<String>().flatten();
        let name = match (names.next()?, names.next().filter(|remote| !remote.is_empty())) {
            // The repository behind it only repeats these.
            (_, Some(remote)) if remote == "git" => return None,
            (name, Some(remote)) => format!("{name}@{remote}"),
            (name, None) => name,
        };
        Some(Tip { name, commit: commit.to_owned(), is_merged: merged.contains(commit) })
    };
    Ok(Tips::first(output.lines().filter_map(tip).collect(), most))
}

/// Creates a new bookmark, with the parent as a remote; the parent's commits do not count as made here.
pub(super) fn settle(root: &Path, from: &Path, branch: &str, env: &Env) -> Result<(), SyncError> {
    let Some(behind) = git_target(&from.join(".jj")).map(|dir| real(&dir)) else {
        return Err(SyncError::Unsupported { kind: Kind::Jj, what: "its commits are not kept in git" });
    };
    let repo = Repo::new(root, env);
    // The parent keeps working on its change: an edited copy must not return as a second version of it.
    match repo.act_on(&["metaedit", "--update-change-id"], Some("@".as_ref())) {
        // Not supported before jj 0.33.
        Ok(_) | Err(SyncError::Failed { .. }) => {}
        Err(error) => return Err(error),
    }
    let output = repo.output(None, &["git", "remote", "list"])?;
    let parent = name_of_parent("origin", output.lines().filter_map(|line| line.split(' ').next()));
    repo.act_on(&["git", "remote", "add", &parent], Some(behind.as_os_str()))?;
    repo.act_on(&["git", "fetch", &format!("--remote=exact:{parent}")], None)?;
    if let Some(own) = git_target(&root.join(".jj")) {
        // The commits below the files may have no bookmark.
        for id in repo.ids(None, "@- ~ root()")? {
            git::name_remote(root, &own, &parent, &id, env)?;
        }
        repo.act_on(&["git", "import"], None)?;
    }
    repo.act_on(&["bookmark", "create", "--revision=@"], Some(quoted(branch).as_ref())).map(drop)
}
