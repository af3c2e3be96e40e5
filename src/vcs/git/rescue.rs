//! Saves everything that only a git clone has in the repository that it was made from.
//!
//! All of it gets a name below `refs/beads/kept/<key>/` in the clone, and the other repository fetches these refs:
//! `heads/`, `tags/`, `other/`, `stash/<n>`, `loose/<n>`, and the checked-out commit as `at/<branch>` or `HEAD`. Files
//! become a snapshot under the same key. Refs from earlier rescues and snapshots (`refs/beads/checkpoints/`,
//! `refs/beads/kept/`) are included.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::hooks::checked;
use super::landing::fetching;
use super::merged::Pair;
use super::objects::line;
use super::refs::{Ref, at, refs};
use super::upstream::head;
use super::whereabouts::{behind, commit, logged, put_aside};
use super::work_tree::WorkTree;
use crate::sys::process::Program;
use crate::sys::{Env, removal};
use crate::vcs::{Returned, SyncError};

const KEPT: &str = "refs/beads/kept";
/// The refs of `bd` in a repository, with the same meaning in another one.
const OURS: [&str; 2] = ["refs/beads/checkpoints", KEPT];
const LIMIT: Duration = Duration::from_secs(600);

/// Names everything in the clone, and lets the other repository fetch it. Returns the number of names.
pub(crate) fn keep_commits(
    root: &Path,
    git_dir: Option<PathBuf>,
    further: &[String],
    key: &str,
    to: &Path,
    env: &Env,
) -> Result<usize, SyncError> {
    let is_behind = git_dir.is_some();
    let Some((other, there)) = behind(to) else { return Err(SyncError::NoVcs { root: to.to_owned() }) };
    let pair = Pair { root, git_dir, other, env };
    if pair.common().as_ref() == Some(&pair.other) {
        return Ok(0);
    }
    // A damaged HEAD names no branch; everything else is kept all the same.
    let current = if is_behind { None } else { head(pair.git()).unwrap_or_default() };
    let (own, head) = (refs(pair.git())?, commit(&pair, "HEAD")?);
    let theirs = refs(at(&there, env))?;
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for one in &own {
        let passed = ["refs/remotes/", "refs/beads/", "refs/jj/", "refs/stash", "refs/prefetch/"];
        let is_there = one.name.starts_with("refs/tags/")
            && theirs.iter().any(|other| other.name == one.name && other.id == one.id);
        if is_there || passed.iter().any(|start| one.name.starts_with(start)) {
            continue;
        }
        let rest = one.name.strip_prefix("refs/").unwrap_or(&one.name);
        let place = if rest.starts_with("heads/") || rest.starts_with("tags/") { "" } else { "other/" };
        names.insert(format!("{place}{rest}"), one.id.clone());
    }
    match (&head, current.as_deref().and_then(|name| name.strip_prefix("refs/heads/"))) {
        (Some(head), Some(branch)) => drop(names.insert(format!("at/{branch}"), head.clone())),
        (Some(head), None) => drop(names.insert("HEAD".to_owned(), head.clone())),
        (None, _) => {}
    }
    let aside = put_aside(pair.git())?;
    let aside = if aside.is_empty() { commit(&pair, "refs/stash")?.into_iter().collect() } else { aside };
    names.extend(aside.into_iter().enumerate().map(|(n, id)| (format!("stash/{n}"), id)));
    let loose = logged(&pair, &own, head.as_deref(), at(&there, env))?.into_iter().map(|one| one.id);
    let loose = loose.chain(further.iter().cloned());
    names.extend(loose.enumerate().map(|(n, id)| (format!("loose/{n}"), id)));
    let text: String = names.iter().map(|(name, id)| format!("update {KEPT}/{key}/{name} {id}\n")).collect();
    let program = own_git(&pair).args(["update-ref", "--no-deref", "--stdin"]).input(text.into_bytes());
    checked("git update-ref", program.run()?)?;
    hand_over(root, pair.git_dir.clone(), to, env)?;
    Ok(names.len())
}

/// Lets another repository fetch the refs of `bd` in this one, and checks that it has them.
pub(crate) fn hand_over(root: &Path, git_dir: Option<PathBuf>, to: &Path, env: &Env) -> Result<(), SyncError> {
    let Some((other, there)) = behind(to) else { return Err(SyncError::NoVcs { root: to.to_owned() }) };
    let pair = Pair { root, git_dir, other, env };
    let Some(common) = pair.common().filter(|common| *common != pair.other) else { return Ok(()) };
    let is_ours = |name: &str| OURS.iter().any(|start| name.starts_with(&format!("{start}/")));
    let own: Vec<_> = refs(pair.git())?.into_iter().filter(|one| is_ours(&one.name)).collect();
    let has = |all: &[Ref], name: &str, id: &str| all.iter().any(|one| one.name == name && one.id == id);
    let theirs = refs(at(&there, env))?;
    let missing: Vec<_> = own.iter().filter(|one| !has(&theirs, &one.name, &one.id)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let program = fetching(&there, env).args(["--stdin", "--end-of-options"]).arg(&common);
    let names: String = missing.iter().map(|one| format!("{0}:{0}\n", one.name)).collect();
    checked("git fetch", program.input(names.into_bytes()).run()?)?;
    let theirs = refs(at(&there, env))?;
    match own.iter().find(|one| !has(&theirs, &one.name, &one.id)) {
        Some(one) => {
            let lost = std::io::Error::other(format!("{} did not arrive there", one.name));
            Err(SyncError::Path { path: to.to_owned(), source: lost })
        }
        None => Ok(()),
    }
}

/// Drops everything saved under a key.
pub(crate) fn forget(root: &Path, key: &str, env: &Env) -> Result<(), SyncError> {
    let Some((_, there)) = behind(root) else { return Ok(()) };
    let start = format!("{KEPT}/{key}/");
    let names = refs(at(&there, env))?.into_iter().filter(|one| one.name.starts_with(&start));
    let text: String = names.map(|one| format!("delete {}\n", one.name)).collect();
    let program = at(&there, env).args(["update-ref", "--no-deref", "--stdin"]).input(text.into_bytes());
    Ok(checked("git update-ref", program.run()?).map(drop)?)
}

/// Restores a clone into a new directory: its files, and a repository with its branches, tags and stashes. The rescue
/// of a linked worktree has no commits.
pub(crate) fn restore(
    from: &Path,
    files: &WorkTree<'_>,
    key: &str,
    to: &Path,
    env: &Env,
) -> Result<Returned, SyncError> {
    let staged = files.restore(key, to)?;
    let returned = commits(from, key, to, env);
    if returned.is_err() {
        // We created the directory: a partial one would only get in the way.
        removal::remove(to).map_err(|e| SyncError::Path { path: to.to_owned(), source: std::io::Error::other(e) })?;
    }
    Ok(Returned { staged, with_commits: returned? })
}

/// Makes a directory a repository with the saved commits; `false` if there are none.
fn commits(from: &Path, key: &str, to: &Path, env: &Env) -> Result<bool, SyncError> {
    let Some((common, there)) = behind(from) else { return Ok(false) };
    let start = format!("{KEPT}/{key}/");
    let kept: Vec<(String, String)> = refs(at(&there, env))?
        .into_iter()
        .filter_map(|one| Some((one.name.strip_prefix(&start)?.to_owned(), one.id)))
        .collect();
    if kept.is_empty() {
        return Ok(false);
    }
    let git = || super::commit::git(to, env).limit(LIMIT);
    let run = |name, program: Program<'_>| checked(name, program.run()?).map(drop);
    run("git init", git().args(["init", "--quiet", "--template="]))?;
    run(
        "git remote",
        git().args(["remote", "add", "parent"]).arg(if common.ends_with(".git") { from } else { &common }),
    )?;
    let program = git().args(["-c", "protocol.file.allow=always", "fetch", "--quiet", "--no-tags"]);
    // The repository may be shallow, and then this one is too.
    let program = program.arg("--update-shallow");
    let program =
        program.args(["--no-write-fetch-head", "--update-head-ok", "--stdin", "--end-of-options"]).arg(&common);
    let mut names = String::new();
    for (name, _) in &kept {
        let (place, rest) = name.split_once('/').unwrap_or((name, ""));
        let at = match place {
            "heads" | "tags" => format!("refs/{name}"),
            "other" => format!("refs/{rest}"),
            _ => format!("{start}{name}"),
        };
        names += &format!("+{start}{name}:{at}\n");
    }
    run("git fetch", program.input(names.into_bytes()))?;
    // The oldest first, so that the newest is on top.
    let mut aside: Vec<(usize, &String)> =
        kept.iter().filter_map(|(name, id)| Some((name.strip_prefix("stash/")?.parse().ok()?, id))).collect();
    aside.sort_by_key(|(n, _)| std::cmp::Reverse(*n));
    for (_, id) in aside {
        let subject = checked("git log", git().args(["log", "-1", "--format=%s", "--end-of-options", id]).run()?)?;
        run("git stash", git().args(["stash", "store", "-m"]).arg(line(&subject.stdout)).arg(id))?;
    }
    for (name, id) in &kept {
        match name.split_once('/') {
            Some(("at", branch)) => {
                run("git symbolic-ref", git().args(["symbolic-ref", "HEAD"]).arg(format!("refs/heads/{branch}")))?
            }
            None => run("git update-ref", git().args(["update-ref", "--no-deref", "HEAD", id]))?,
            _ => continue,
        }
        run("git read-tree", git().args(["read-tree", "HEAD"]))?;
    }
    Ok(true)
}

fn own_git<'a>(pair: &'a Pair<'a>) -> Program<'a> {
    super::upstream::ask_at(pair.root, pair.git_dir.as_deref(), pair.env)
}

/// Deletes a branch if it has not moved.
pub(super) fn delete_branch(root: &Path, name: &str, tip: &str, env: &Env) -> Result<(), SyncError> {
    let Some((_, there)) = behind(root) else { return Err(SyncError::NoVcs { root: root.to_owned() }) };
    let branch = format!("refs/heads/{name}");
    checked("git update-ref", at(&there, env).args(["update-ref", "-d", "--end-of-options", &branch, tip]).run()?)?;
    // git's settings for it; there may be none.
    at(&there, env).args(["config", "--remove-section", &format!("branch.{name}")]).run()?;
    Ok(())
}
