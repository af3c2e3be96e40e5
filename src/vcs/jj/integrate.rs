//! Integrates fetched commits and ours.
//!
//! Our commits, and with them the working copy's own with all uncommitted changes, are rebased onto the remote's
//! bookmark. jj records conflicts and continues; so everything is done beside the operation log, checked, and adopted
//! only if no conflict is left. If our commits cannot be rebased one by one but both ends can be merged, a merge commit
//! joins them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::beside;
use super::bookmark::{self, Bookmark};
use super::program::{Operation, Repo};
use super::stack::{self, Commit, put};
use crate::vcs::{Integrated, Integration, Merge, SyncError, Versions};

type File = Option<Vec<u8>>;

pub(super) fn integrate(
    root: &Path,
    named: Option<&str>,
    integration: Integration<'_>,
) -> Result<Integrated, SyncError> {
    let Integration { ledgers, merge, message, author, env, .. } = integration;
    beside::check_finished(root)?;
    let repo = Repo::new(root, env).by(author);
    let course = bookmark::course(&repo, None, named)?;
    let Some(found) = course.bookmark else { return Ok(Integrated::UpToDate) };
    if bookmark::distance(&repo, None, &found)?.1 == 0 {
        return Ok(Integrated::UpToDate);
    }
    beside::check(root, env)?;
    let start = repo.snapshot()?;
    let Some(target) = bookmark::course(&repo, Some(&start), named)?.bookmark else { return Ok(Integrated::UpToDate) };
    let there = target.there.as_str();
    let before = stack::read(&repo, &start, &format!("({there}..@)::"), ledgers)?;
    let attempt = Attempt { repo: &repo, start: &start, there, ledgers, before: &before };
    let has_own = before.iter().any(|commit| !commit.current && !commit.empty);
    let rebased = attempt.rebase(merge);
    let (done, integrated) = match rebased {
        Ok(done) if has_own => (done, Integrated::Rebased),
        Ok(done) => (done, Integrated::Forwarded),
        Err(Stopped::Failed(error)) => return Err(error),
        Err(Stopped::Conflicts { committed, uncommitted }) => {
            let merged = if committed.is_empty() { None } else { attempt.join(message, merge)? };
            match merged {
                Some(done) => (done, Integrated::Merged),
                None => return Err(refusal(root, &target, committed, uncommitted)),
            }
        }
    };
    let done = settle_bookmark(&repo, done, &target, integrated)?;
    let hidden = attempt.hidden(&done)?;
    if !hidden.is_empty() {
        return Err(refusal(root, &target, BTreeSet::new(), hidden));
    }
    repo.adopt(&done)?;
    Ok(integrated)
}

fn refusal(root: &Path, target: &Bookmark, committed: BTreeSet<PathBuf>, uncommitted: BTreeSet<PathBuf>) -> SyncError {
    let (root, upstream) = (root.to_owned(), target.upstream());
    if committed.is_empty() {
        SyncError::InTheWay { root, upstream, files: uncommitted.into_iter().collect() }
    } else {
        SyncError::Conflicts { root, upstream, files: committed.into_iter().collect() }
    }
}

/// Why an attempt failed.
enum Stopped {
    /// The files in which commits conflict, and those in which only the working copy does.
    Conflicts {
        committed: BTreeSet<PathBuf>,
        uncommitted: BTreeSet<PathBuf>,
    },
    Failed(SyncError),
}

impl From<SyncError> for Stopped {
    fn from(error: SyncError) -> Self {
        Stopped::Failed(error)
    }
}

struct Attempt<'a> {
    repo: &'a Repo<'a>,
    start: &'a Operation,
    /// The commit of the remote.
    there: &'a str,
    ledgers: &'a [PathBuf],
    /// Our commits, including the working copy's, before the rebase.
    before: &'a [Commit],
}

impl Attempt<'_> {
    fn rebase(&self, merge: Merge<'_>) -> Result<Operation, Stopped> {
        let there = self.there;
        let mut now = if self.before.is_empty() {
            // The working copy is on a commit that the remote has: there is nothing of ours to move.
            self.repo.change(self.start, &["new", there])?
        } else {
            self.repo.change(self.start, &["rebase", "--branch=@", &format!("--onto={there}")])?
        };
        let after = stack::read(self.repo, &now, &format!("({there}..@)::"), self.ledgers)?;
        // Commits that cannot be rebased are joined; ledgers are merged then, so their conflicts do not matter here.
        self.check(&now, self.ledgers)?;
        for ledger in 0..self.ledgers.len() {
            now = self.settle(now, ledger, &after, merge)?;
        }
        self.check(&now, &[])?;
        Ok(now)
    }

    /// Gives each commit, from the bottom up, the ledger that it should have on its new parents.
    fn settle(
        &self,
        mut now: Operation,
        ledger: usize,
        after: &[Commit],
        merge: Merge<'_>,
    ) -> Result<Operation, SyncError> {
        let file = self.ledgers[ledger].as_path();
        let moved: HashMap<&str, &Commit> = after.iter().map(|commit| (&*commit.change, commit)).collect();
        let changes: HashMap<&str, &str> = after.iter().map(|commit| (&*commit.id, &*commit.change)).collect();
        let mut settled: HashMap<&str, File> = HashMap::new();
        for commit in self.before {
            let Some(new) = moved.get(&*commit.change) else { continue };
            let on = |index: usize, settled: &HashMap<&str, File>| -> Result<File, SyncError> {
                let Some(parent) = new.parents.get(index).or(new.parents.first()) else { return Ok(None) };
                match changes.get(&**parent).and_then(|change| settled.get(change)) {
                    Some(content) => Ok(content.clone()),
                    None => self.repo.file(Some(self.start), parent, file),
                }
            };
            if !commit.touches[ledger] && commit.parents.len() == 1 {
                settled.insert(&commit.change, on(0, &settled)?);
                continue;
            }
            let mut wanted = self.repo.file(Some(self.start), &commit.id, file)?;
            for (index, parent) in commit.parents.iter().enumerate() {
                let base = self.repo.file(Some(self.start), parent, file)?;
                wanted = three_way(file, base, wanted, on(index, &settled)?, merge);
            }
            now = self.give(now, &new.change, file, wanted.as_deref())?;
            settled.insert(&commit.change, wanted);
        }
        Ok(now)
    }

    /// Sets a file of a commit to this content, unless it has it already.
    fn give(&self, at: Operation, revision: &str, file: &Path, bytes: Option<&[u8]>) -> Result<Operation, SyncError> {
        let conflicts = stack::read(self.repo, &at, revision, &[])?.pop().map(|commit| commit.conflicts);
        let is_conflicted = conflicts.is_some_and(|files| files.iter().any(|conflict| conflict == file));
        if !is_conflicted && self.repo.file(Some(&at), revision, file)?.as_deref() == bytes {
            return Ok(at);
        }
        put(self.repo, &at, revision, file, bytes)
    }

    /// Joins both ends with a merge commit, below the working copy's own; `None` if that conflicts too.
    fn join(&self, message: &str, merge: Merge<'_>) -> Result<Option<Operation>, SyncError> {
        let (there, repo) = (self.there, self.repo);
        let Some(current) = self.before.iter().find(|commit| commit.current) else { return Ok(None) };
        let [end] = current.parents.as_slice() else { return Ok(None) };
        let message = format!("--message={message}");
        let mut now = repo.change(self.start, &["new", "--no-edit", &message, end, there])?;
        let joint = format!("children({end}) & children({there})");
        let [joint] = repo.ids(Some(&now), &joint)?.try_into().unwrap_or_default();
        let joint: String = joint;
        if joint.is_empty() {
            return Ok(None);
        }
        let change = repo.log(Some(&now), &joint, "change_id")?;
        now = repo.change(&now, &["rebase", "--source=@", &format!("--onto={joint}")])?;
        let fork = repo.ids(Some(self.start), &format!("fork_point({end} | {there})"))?;
        for file in self.ledgers {
            let read = |revision: &str| repo.file(Some(self.start), revision, file);
            let base = fork.first().map_or(Ok(None), |fork| read(fork))?;
            let wanted = three_way(file, base, read(end)?, read(there)?, merge);
            now = self.give(now, &change, file, wanted.as_deref())?;
        }
        match self.check(&now, &[]) {
            Ok(()) => Ok(Some(now)),
            Err(Stopped::Conflicts { .. }) => Ok(None),
            Err(Stopped::Failed(error)) => Err(error),
        }
    }

    /// Checks for new conflicts, except in files that are merged later.
    fn check(&self, at: &Operation, unsettled: &[PathBuf]) -> Result<(), Stopped> {
        let old: HashMap<&str, &Commit> = self.before.iter().map(|commit| (&*commit.change, commit)).collect();
        let (mut committed, mut uncommitted) = (BTreeSet::new(), BTreeSet::new());
        for commit in stack::read(self.repo, at, &format!("({}..@)::", self.there), &[])? {
            let known = old.get(&*commit.change).map(|old| old.conflicts.as_slice()).unwrap_or_default();
            let is_new = |file: &PathBuf| !known.contains(file) && !unsettled.contains(file);
            let new = commit.conflicts.into_iter().filter(is_new);
            if commit.current { uncommitted.extend(new) } else { committed.extend(new) }
        }
        let is_free = committed.is_empty() && uncommitted.is_empty();
        if is_free { Ok(()) } else { Err(Stopped::Conflicts { committed, uncommitted }) }
    }

    /// Files that jj does not track and that the new state would overwrite.
    fn hidden(&self, at: &Operation) -> Result<BTreeSet<PathBuf>, SyncError> {
        let current = self.repo.ids(Some(self.start), "@")?;
        let Some(current) = current.first() else { return Ok(BTreeSet::new()) };
        let (from, template) = (format!("--from={current}"), "--template=if(status == \"added\", path ++ \"\\0\")");
        let added = self.repo.ask(Some(at), &["diff", &from, "--to=@", template])?;
        let added = String::from_utf8_lossy(&added);
        let files = added.split('\0').filter(|path| !path.is_empty()).map(PathBuf::from);
        Ok(files.filter(|file| std::fs::symlink_metadata(self.repo.root.join(file)).is_ok()).collect())
    }
}

/// A side that did not change a file takes the other side's version.
fn three_way(file: &Path, base: File, ours: File, theirs: File, merge: Merge<'_>) -> File {
    if ours == theirs || theirs == base {
        ours
    } else if ours == base {
        theirs
    } else {
        Some(merge(file, &Versions { base, ours, theirs }))
    }
}

/// A bookmark that both sides moved is on two commits, of which one is now an ancestor of the other.
fn settle_bookmark(
    repo: &Repo,
    at: Operation,
    target: &Bookmark,
    integrated: Integrated,
) -> Result<Operation, SyncError> {
    let (name, there) = (target.pattern(), &target.there);
    let list = ["bookmark", "list", "--template=if(!remote && conflict, \"c\")", "--", &name];
    if repo.ask(Some(&at), &list)?.is_empty() {
        return Ok(at);
    }
    let ours = match integrated {
        Integrated::Merged => repo.ids(Some(&at), "@-")?,
        _ => repo.ids(Some(&at), &format!("heads(bookmarks({name}) & {there}::@)"))?,
    };
    let place = if let [ours] = ours.as_slice() { ours } else { there };
    let revision = format!("--revision={place}");
    repo.change(&at, &["bookmark", "set", "--allow-backwards", &revision, "--", &target.name])
}
