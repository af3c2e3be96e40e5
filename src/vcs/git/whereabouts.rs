//! Finds out where else the commits of a git working copy are.
//!
//! A clone's refs and logs disappear with its directory. With a linked worktree the repository stays, and only commits
//! count that its own branch or nothing at all holds. A replaced commit (`commit --amend`, `rebase`) does not count.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::loose::loose;
use super::merged::Pair;
use super::objects::{line, must};
use super::refs::{Ref, at, refs};
use super::remotes;
use super::upstream::head;
use crate::sys::Env;
use crate::sys::process::Program;
use crate::vcs::checkouts::Loose;
use crate::vcs::files;
use crate::vcs::layout::git::common_dir;
use crate::vcs::whereabouts::{Origin, Unsaved, Whereabouts};
use crate::vcs::{SyncError, layout};

const LOG: &str = "the reflog";

pub(super) fn whereabouts(root: &Path, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError> {
    between(root, None, &[], origin, env)
}

/// The same where git is behind another program, which knows further commits that are on no branch.
pub(crate) fn between(
    root: &Path,
    git_dir: Option<PathBuf>,
    further: &[String],
    origin: &Origin<'_>,
    env: &Env,
) -> Result<Whereabouts, SyncError> {
    let is_behind = git_dir.is_some();
    let (other, there) = match behind(origin.root) {
        Some(found) => found,
        None => return Err(SyncError::NoVcs { root: origin.root.to_owned() }),
    };
    let pair = Pair { root, git_dir, other, env };
    let is_linked = pair.common().as_ref() == Some(&pair.other);
    let (own, theirs) = (refs(pair.git())?, refs(at(&there, env))?);
    let current = if is_behind { None } else { head(pair.git())? };
    // Commits on remotes, and the present commits of the other repository.
    let counting = remotes::counting(&pair, &own, origin.root)?;
    let is_far = |one: &&Ref| counting.contains(&one.name);
    let far: Vec<&Ref> = own.iter().filter(is_far).collect();
    let targets = targets(&far, &theirs, origin, &there, env, if is_linked { current.as_deref() } else { None })?;
    let is_kept = |one: &&Ref| one.is_commit && !(is_linked && Some(one.name.as_str()) == current.as_deref());
    let saved: BTreeSet<String> =
        far.iter().copied().chain(theirs.iter()).filter(is_kept).map(|one| format!("^{}", one.id)).collect();
    let mut lost = Lines { pair: &pair, saved, targets: &targets, found: Whereabouts::default() };
    let head = commit(&pair, "HEAD")?;
    let here = match (&head, further.first()) {
        (_, Some(first)) => Some(first.clone()),
        (head, None) => head.clone(),
    };
    if let Some(here) = &here {
        let holder = current.as_deref().and_then(|name| name.strip_prefix("refs/heads/"));
        let holder = holder.map_or_else(|| "HEAD".to_owned(), |name| format!("the branch {name}"));
        lost.add(&holder, here, true)?;
    }
    for id in further.iter().skip(1) {
        lost.add("no bookmark", id, false)?;
    }
    if !is_linked {
        for one in own.iter().filter(|one| Some(one.name.as_str()) != current.as_deref()) {
            lost.look_at(one, &theirs)?;
        }
        lost.found.stashes = stashes(&pair, at(&there, env))?;
    }
    let known = if is_linked { loose(root, env)? } else { logged(&pair, &own, head.as_deref(), at(&there, env))? };
    for one in known {
        // A change that jj created by itself and that is still empty.
        if is_behind && pair.blank_parent(&one.id)?.is_some() {
            continue;
        }
        if pair.merged(&one.id, &targets)?.is_none() {
            lost.found.loose.push(one);
        }
    }
    let mut found = lost.found;
    if let Some(here) = &here {
        let began = origin.base_commit.map_or(Ok(false), |base| pair.is_ancestor(here, base))?;
        found.is_untouched = began;
        if !began {
            found.merged = pair.merged(here, &targets)?;
        }
    } else {
        found.is_untouched = true;
    }
    Ok(found)
}

/// The shared git directory behind a checkout, and the directory where git runs for it.
pub(super) fn behind(root: &Path) -> Option<(PathBuf, PathBuf)> {
    if root.join(".jj").exists() {
        let common = layout::jj::git_target(&root.join(".jj")).and_then(|target| common_dir(&target))?;
        return Some((common.clone(), common));
    }
    Some((common_dir(&root.join(".git"))?, root.to_owned()))
}

/// The lines of history found to be lost.
struct Lines<'a> {
    pair: &'a Pair<'a>,
    saved: BTreeSet<String>,
    targets: &'a [(String, String)],
    found: Whereabouts,
}

impl Lines<'_> {
    /// Adds the commits below a tip that are neither elsewhere nor merged.
    fn add(&mut self, holder: &str, tip: &str, is_here: bool) -> Result<(), SyncError> {
        let below = if self.pair.git_dir.is_some() { self.pair.blank_parent(tip)? } else { None };
        let tip = below.as_deref().unwrap_or(tip);
        let input: String =
            std::iter::once(tip).chain(self.saved.iter().map(String::as_str)).map(|id| format!("{id}\n")).collect();
        let query =
            self.pair.git().args(["rev-list", "--count", "--ignore-missing", "--stdin"]).input(input.into_bytes());
        let commits: usize = line(&must("git rev-list", query)?.stdout).parse().unwrap_or(usize::MAX);
        if commits > 0 && self.pair.merged(tip, self.targets)?.is_none() {
            self.found.unsaved.push(Unsaved { holder: holder.to_owned(), commits, is_here });
        }
        Ok(())
    }

    fn look_at(&mut self, one: &Ref, theirs: &[Ref]) -> Result<(), SyncError> {
        // Refs of `bd` are handed over separately, and those of jj are for commits that it lists itself.
        let passed = ["refs/remotes/", "refs/beads/", "refs/jj/", "refs/stash", "refs/prefetch/", "refs/bisect/"];
        if passed.iter().any(|start| one.name.starts_with(start)) {
            return Ok(());
        }
        let is_there = theirs.iter().any(|other| other.name == one.name && other.id == one.id);
        let tag = one.name.strip_prefix("refs/tags/").filter(|_| !is_there);
        self.found.tags.extend(tag.map(str::to_owned));
        let holder = match one.name.strip_prefix("refs/heads/") {
            Some(name) => format!("the branch {name}"),
            None => one.name.clone(),
        };
        match one.is_commit {
            true => self.add(&holder, &one.id, false),
            false => Ok(()),
        }
    }
}

pub(super) fn commit(pair: &Pair<'_>, name: &str) -> Result<Option<String>, SyncError> {
    let query = pair.git().args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
    let output = query.arg(format!("{name}^{{commit}}")).run()?;
    Ok(output.status.success().then(|| line(&output.stdout)))
}

/// The branch that the work started at, on each side: the branch itself, its upstream, and branches of remotes with its
/// name. `except` is the branch of the work itself.
fn targets(
    far: &[&Ref],
    theirs: &[Ref],
    origin: &Origin<'_>,
    there: &Path,
    env: &Env,
    except: Option<&str>,
) -> Result<Vec<(String, String)>, SyncError> {
    let named = |base: &str| -> Vec<(String, String)> {
        let branch = format!("refs/heads/{base}");
        let upstream =
            theirs.iter().find(|one| one.name == branch).map(|one| one.upstream.as_str()).unwrap_or_default();
        let is_meant = |name: &str| {
            let far = name.strip_prefix("refs/remotes/");
            let of_remote =
                far.is_some_and(|far| far == base || far.split_once('/').is_some_and(|(_, rest)| rest == base));
            name == upstream || of_remote
        };
        let near = theirs.iter().filter(|one| one.name == branch || is_meant(&one.name));
        let far = far.iter().copied().filter(|one| is_meant(&one.name));
        let mut seen = HashSet::new();
        let all = near.chain(far).filter(|one| Some(one.name.as_str()) != except && seen.insert(one.id.clone()));
        all.map(|one| (short(&one.name).to_owned(), one.id.clone())).collect()
    };
    let found = origin.base.map(named).unwrap_or_default();
    if !found.is_empty() {
        return Ok(found);
    }
    let current = head(at(there, env))?;
    Ok(current.as_deref().and_then(|name| name.strip_prefix("refs/heads/")).map(named).unwrap_or_default())
}

fn short(name: &str) -> &str {
    let cut = |start| name.strip_prefix(start);
    cut("refs/heads/").or_else(|| cut("refs/remotes/")).unwrap_or(name)
}

/// The commits of the stash, the newest first.
pub(super) fn put_aside(program: Program<'_>) -> Result<Vec<String>, SyncError> {
    let output = program.args(["log", "--walk-reflogs", "--format=%H", "refs/stash", "--"]).run()?;
    // There is no stash, or it has no log.
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(printed.lines().map(str::to_owned).collect())
}

fn stashes(pair: &Pair<'_>, there: Program<'_>) -> Result<usize, SyncError> {
    let own = put_aside(pair.git())?;
    if own.is_empty() {
        return Ok(usize::from(commit(pair, "refs/stash")?.is_some()));
    }
    let theirs: HashSet<String> = put_aside(there)?.into_iter().collect();
    Ok(own.iter().filter(|id| !theirs.contains(*id)).count())
}

/// The last commit of every line of history that only the logs of this repository have.
pub(super) fn logged(
    pair: &Pair<'_>,
    own: &[Ref],
    head: Option<&str>,
    there: Program<'_>,
) -> Result<Vec<Loose>, SyncError> {
    let Some(common) = pair.common() else { return Ok(Vec::new()) };
    let (mut known, mut replaced) = (BTreeSet::new(), BTreeSet::new());
    for log in logs(&common.join("logs")) {
        let text = files::bytes(&log).unwrap_or_default();
        for line in String::from_utf8_lossy(&text).lines() {
            let (ids, message) = line.split_once('\t').unwrap_or((line, ""));
            let mut ids = ids.split(' ').map(str::to_owned);
            let (Some(old), Some(new)) = (ids.next(), ids.next()) else { continue };
            if message.starts_with("rebase") || message.starts_with("commit (amend)") {
                replaced.insert(old);
            }
            if !message.starts_with("rebase") {
                known.insert(new);
            }
        }
    }
    let is_id = |id: &String| id.len() >= 40 && id.bytes().any(|byte| byte != b'0');
    let mut input: String = known.iter().filter(|id| is_id(id)).map(|id| format!("{id}\n")).collect();
    if input.is_empty() {
        return Ok(Vec::new());
    }
    let query = there.args(["rev-list", "--no-walk", "--ignore-missing", "--all", "--reflog", "--"]);
    let theirs = String::from_utf8_lossy(&must("git rev-list", query)?.stdout).into_owned();
    let own = own.iter().filter(|one| one.is_commit && one.name != "refs/stash").map(|one| one.id.as_str());
    let replaced = replaced.iter().filter(|id| is_id(id)).map(String::as_str);
    let saved: BTreeSet<&str> = own.chain(replaced).chain(theirs.lines()).chain(head).collect();
    input.extend(saved.iter().map(|id| format!("^{id}\n")));
    let query = pair.git().args(["rev-list", "--parents", "--ignore-missing", "--stdin"]).input(input.into_bytes());
    let printed = String::from_utf8_lossy(&must("git rev-list", query)?.stdout).into_owned();
    let parents: HashSet<&str> = printed.lines().flat_map(|line| line.split(' ').skip(1)).collect();
    let last = printed.lines().filter_map(|line| line.split(' ').next()).filter(|id| !parents.contains(id));
    Ok(last.map(|id| Loose { id: id.to_owned(), known_to: LOG.to_owned() }).collect())
}

/// The logs of `HEAD` and of branches, without that of the stash.
fn logs(directory: &Path) -> Vec<PathBuf> {
    let mut found = vec![directory.join("HEAD")];
    let mut open = vec![directory.join("refs/heads")];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let list = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { &mut open } else { &mut found };
            list.push(entry.path());
        }
    }
    found.retain(|file| files::bytes(file).is_some());
    found
}
