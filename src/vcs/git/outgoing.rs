//! The commits that a push would send or a merge would bring, and the files that each touches.
//!
//! git's plumbing is used, on commits as they are stored. For a merge only files count that differ from all its
//! parents; so the combined change of all commits to the other side's files is compared as well, because a merge can
//! also revert a change.

use std::path::Path;

use gix::ObjectId;

use super::hooks::{checked, failed};
use super::network::not_first;
use super::upstream::{self, Link, ask, short};
use crate::sys::Env;
use crate::sys::process::Program;
use crate::vcs::files::path_of;
use crate::vcs::{Carried, Outgoing, Parcel, Route, SyncError};

/// Lists are read up to this size, and longer ones are refused.
const MAX: usize = 256 << 20;

pub(super) fn outgoing(root: &Path, route: &Route<'_>) -> Result<Outgoing, SyncError> {
    let env = route.env;
    let Link { branch, ours, remote, pushed_to } = upstream::find(root, env)?;
    let Some(branch) = branch else { return Ok(Outgoing::Held("no branch is checked out".to_owned())) };
    let Some(remote) = remote else {
        return Ok(Outgoing::Held(format!("the branch `{}` follows no branch of a remote", short(&branch))));
    };
    if let Some(other) = pushed_to {
        let text = format!("`{}` follows `{}` and is pushed to `{other}`", short(&branch), remote.shown());
        return Ok(Outgoing::Held(text));
    }
    if ours.is_none() && !route.would_commit() {
        return Ok(Outgoing::Nothing);
    }
    match remote.theirs {
        Some(theirs) => match upstream::distance(root, ours, theirs, env)? {
            (0, _) => return Ok(Outgoing::Nothing),
            (_, 0) => {}
            _ => return Ok(Outgoing::Outrun),
        },
        None if route.dry_run.is_some() => {
            if has_branches(root, &remote.name, env)? {
                let text = format!("the branch `{}` follows no branch of `{}`", short(&branch), remote.name);
                return Ok(Outgoing::Held(text));
            }
        }
        None => {
            if let Some(reason) = not_first(root, &remote, env)? {
                return Ok(Outgoing::Held(reason));
            }
        }
    }
    let commits = ours.map_or(Ok(Vec::new()), |ours| carried(root, remote.theirs, ours, route))?;
    let tip = ours.map(|ours| ours.to_string()).unwrap_or_default();
    Ok(Outgoing::Ready(Parcel { tip, to: remote.shown(), commits }))
}

pub(super) fn incoming(root: &Path, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
    let link = upstream::find(root, route.env)?;
    let theirs = link.remote.and_then(|remote| remote.theirs).filter(|theirs| link.ours != Some(*theirs));
    let Some(theirs) = theirs else { return Ok(Vec::new()) };
    carried(root, link.ours, theirs, route)
}

pub(super) fn between(root: &Path, known: &str, tip: &str, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
    carried(root, Some(upstream::id(known.as_bytes())?), upstream::id(tip.as_bytes())?, route)
}

/// The commits that one side has and the other lacks, oldest first.
fn carried(root: &Path, known: Option<ObjectId>, tip: ObjectId, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
    let flags = ["rev-list", "--topo-order", "--reverse", "--no-commit-header", "--format=%H %P%x00%s"];
    let program = question(root, route.env).args(["-c", "i18n.logOutputEncoding=UTF-8"]).args(flags);
    let program = program.arg(tip.to_string()).args(known.map(|known| format!("^{known}"))).arg("--");
    let list = checked("git rev-list", program.run()?)?.stdout;
    let mut commits = Vec::new();
    let mut merges = Vec::new();
    for line in String::from_utf8_lossy(&list).lines() {
        let Some((ids, subject)) = line.split_once('\0') else { continue };
        let mut ids = ids.split(' ').filter(|id| !id.is_empty());
        let Some(id) = ids.next() else { continue };
        if ids.count() > 1 {
            merges.push(commits.len());
        }
        commits.push(Carried { id: id.to_owned(), subject: subject.to_owned(), has_code: false, has_ledger: false });
    }
    if commits.is_empty() {
        return Ok(commits);
    }
    judge(root, &mut commits, route)?;
    let has_code = commits.iter().any(|commit| commit.has_code);
    if let (Some(known), false) = (known, has_code || merges.is_empty()) {
        let flags = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--ignore-submodules=none"];
        let program = question(root, route.env).args(flags).args([known.to_string(), tip.to_string()]).arg("--");
        let list = checked("git diff-tree", program.run()?)?.stdout;
        if names(&list).any(|name| !route.is_ledger(&path_of(name))) {
            merges.into_iter().for_each(|merge| commits[merge].has_code = true);
        }
    }
    Ok(commits)
}

/// Notes which commits touch ledgers, and which other files.
fn judge(root: &Path, commits: &mut [Carried], route: &Route<'_>) -> Result<(), SyncError> {
    let flags = ["diff-tree", "--stdin", "-r", "-c", "-z", "--name-only", "--root", "--always", "--no-renames"];
    let ids: String = commits.iter().map(|commit| format!("{}\n", commit.id)).collect();
    let program = question(root, route.env).args(flags).arg("--ignore-submodules=none").input(ids.into_bytes());
    let output = checked("git diff-tree", program.run()?)?;
    if output.stdout.len() >= MAX {
        return Err(failed("git diff-tree", &output).into());
    }
    let mut left = commits.iter_mut();
    let (mut current, mut next) = (None, left.next());
    for name in names(&output.stdout) {
        if next.as_ref().is_some_and(|commit| commit.id.as_bytes() == name) {
            (current, next) = (next, left.next());
        } else if let Some(commit) = &mut current {
            let is_ledger = route.is_ledger(&path_of(name));
            commit.has_code |= !is_ledger;
            commit.has_ledger |= is_ledger;
        }
    }
    match next {
        // It did not report every commit.
        Some(_) => Err(failed("git diff-tree", &output).into()),
        None => Ok(()),
    }
}

fn question<'a>(root: &Path, env: &'a Env) -> Program<'a> {
    ask(root, env).keeping(MAX)
}

fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == 0).filter(|name| !name.is_empty())
}

/// Whether a fetch has brought branches of a remote.
fn has_branches(root: &Path, remote: &str, env: &Env) -> Result<bool, SyncError> {
    let program = ask(root, env).args(["for-each-ref", "--count=1", "--format=%(refname)"]);
    let output = checked("git for-each-ref", program.arg(format!("refs/remotes/{remote}/")).run()?)?;
    Ok(!output.stdout.is_empty())
}
