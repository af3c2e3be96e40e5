//! Integrates both sides with git, without merging in the user's files.
//!
//! `git merge` of two sides works in the working tree, and when it gives up it stashes and resets there: concurrent
//! edits are lost. So the merge is made among the objects alone (`join`). Only when a commit contains both sides are
//! the branch and the working tree fast-forwarded to it. git does that completely or not at all: it checks all files
//! before it changes one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gix::ObjectId;

use super::commit::{git, is_locked, overlooked, unfinished};
use super::hooks::{checked, failed};
use super::trees::Trees;
use super::upstream::{self, id};
use crate::sys::process::Program;
use crate::vcs::commit::{Order, patiently};
use crate::vcs::files::{any_exists, path_of};
use crate::vcs::layout::git::{common_dir, own_dir};
use crate::vcs::{CommitError, Integrated, Integration, SyncError};

/// For a working tree of any size.
const LIMIT: Duration = Duration::from_secs(600);
/// The size limit for ledgers and for lists of files.
pub(super) const MAX: usize = 256 << 20;

/// Integrates the upstream, or another commit with its name for people.
pub(super) fn integrate(
    root: &Path,
    other: Option<(&str, &str)>,
    integration: Integration<'_>,
) -> Result<Integrated, SyncError> {
    let env = integration.env;
    let link = upstream::find(root, env)?;
    let fetched = link.remote.and_then(|remote| Some((remote.shown(), remote.theirs?, Some(remote.tracking))));
    let found = match other {
        Some((commit, name)) => Some((name.to_owned(), id(commit.as_bytes())?, None)),
        None => fetched,
    };
    let Some((remote, theirs, tracking)) = found else { return Ok(Integrated::UpToDate) };
    if link.ours == Some(theirs) && unfinished(root).is_none() {
        return Ok(Integrated::UpToDate);
    }
    let order = Order { root, files: &[], message: integration.message, author: integration.author, env };
    let (trees, locks) = (Trees::open(root)?, locks(root, link.branch.as_deref()));
    let mut join = Join { root, order, upstream: remote, ledgers: integration.ledgers, trees, locks };
    join.settled()?;
    let Some(ours) = link.ours else {
        join.forward(theirs)?;
        return Ok(Integrated::Forwarded);
    };
    let own = integration.replaces.and_then(|own| ObjectId::from_hex(own.as_bytes()).ok());
    let is_own = own == Some(ours);
    let parents = if is_own { join.trees.parents(ours)? } else { Vec::new() };
    // A merge of ours that was not pushed in time is made again from the same commit.
    let is_ours = |message: Vec<u8>| message.trim_ascii_end() == integration.message.as_bytes();
    let (head, ours) = match parents.as_slice() {
        [first, _] if is_ours(join.trees.message(ours)?) => (ours, *first),
        _ => (ours, ours),
    };
    let bases = join.bases(&[ours, theirs])?;
    if bases == [theirs] {
        return Ok(Integrated::UpToDate);
    }
    let place = |join: &Join<'_>, target| if head == ours { join.forward(target) } else { join.replace(head, target) };
    if bases == [ours] {
        place(&join, theirs)?;
        return Ok(Integrated::Forwarded);
    }
    let dropped = tracking.map_or(Ok(None), |tracking| join.dropped(&tracking, ours))?;
    if let Some(commit) = dropped.filter(|dropped| !bases.contains(dropped)) {
        let (upstream, commit) = (join.upstream.clone(), commit.to_hex_with_len(8).to_string());
        return Err(SyncError::Rewritten { upstream, commit });
    }
    if let ([parent], [base]) = (parents.as_slice(), bases.as_slice())
        && parent == base
        && let Some(moved) = join.moved(ours, *base, theirs, integration.merge)?
    {
        join.replace(head, moved)?;
        return Ok(Integrated::Rebased);
    }
    let merged = join.merged(ours, theirs, &bases, integration.merge)?;
    place(&join, merged)?;
    Ok(Integrated::Merged)
}

/// Two sides, and where they are integrated.
pub(super) struct Join<'a> {
    pub root: &'a Path,
    pub order: Order<'a>,
    pub upstream: String,
    pub ledgers: &'a [PathBuf],
    pub trees: Trees,
    /// The lock files of the branch, which exist while another git moves it.
    locks: Vec<PathBuf>,
}

impl Join<'_> {
    pub(super) fn git(&self) -> Program<'_> {
        git(self.root, self.order.env).limit(LIMIT).keeping(MAX)
    }

    /// Refuses to work in the middle of another operation.
    fn settled(&self) -> Result<(), SyncError> {
        let unmerged = || {
            let output = self.git().args(["ls-files", "--unmerged", "-z"]).run()?;
            Ok::<_, SyncError>(!checked("git ls-files", output)?.stdout.is_empty())
        };
        match unfinished(self.root) {
            Some(what) => Err(SyncError::Unfinished { root: self.root.to_owned(), what: what.to_owned() }),
            None if unmerged()? => {
                Err(SyncError::Unfinished { root: self.root.to_owned(), what: "a merge".to_owned() })
            }
            None => match overlooked(self.root, self.ledgers, self.order.env)? {
                Some((path, flag)) => Err(CommitError::Overlooked { path: self.root.join(path), flag }.into()),
                None => Ok(()),
            },
        }
    }

    /// The last common commits of all these.
    pub(super) fn bases(&self, commits: &[ObjectId]) -> Result<Vec<ObjectId>, SyncError> {
        let output = self.git().args(["merge-base", "--all", "--octopus"]).args(hex(commits)).run()?;
        match output.status.code() {
            Some(0) => output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(id).collect(),
            Some(1) => Ok(Vec::new()),
            _ => Err(failed("git merge-base", &output).into()),
        }
    }

    /// The last commit of ours that the other side has had at some time. If it has it no longer, somebody removed it there.
    fn dropped(&self, tracking: &str, ours: ObjectId) -> Result<Option<ObjectId>, SyncError> {
        let output = self.git().args(["merge-base", "--fork-point", tracking]).arg(ours.to_string()).run()?;
        if output.status.success() { id(&output.stdout).map(Some) } else { Ok(None) }
    }

    /// Fast-forwards the branch and the working tree, or leaves both as they are.
    fn forward(&self, target: ObjectId) -> Result<(), SyncError> {
        let settings = ["submodule.recurse=false", "merge.verifySignatures=false", "advice.diverging=false"];
        let flags = ["--ff-only", "--no-squash", "--commit", "--no-autostash", "--no-overwrite-ignore"];
        let quiet = ["--no-stat", "--quiet", "--no-verify-signatures", "--no-rerere-autoupdate"];
        let attempt = || {
            // git would move the files first and only then find that it cannot move the branch.
            if any_exists(&self.locks) {
                return Ok(None);
            }
            let program = settings.iter().fold(self.git(), |program, setting| program.arg("-c").arg(setting));
            let program = program.var("GIT_REFLOG_ACTION", "bd: merge").arg("merge").args(flags).args(quiet);
            let output = program.arg("--end-of-options").arg(target.to_string()).run()?;
            Ok(if is_locked(&output) { None } else { Some(output) })
        };
        let output = patiently(&self.order, attempt).map_err(|error| match error {
            CommitError::Busy { root } => SyncError::Busy { root },
            other => other.into(),
        })?;
        if output.status.success() {
            return Ok(());
        }
        let files = self.in_the_way(target)?;
        if !files.is_empty() {
            let (root, upstream) = (self.root.to_owned(), self.upstream.clone());
            return Err(SyncError::InTheWay { root, upstream, files });
        }
        let head = upstream::find(self.root, self.order.env)?.ours;
        match head {
            // Another process committed in the meantime.
            Some(head) if self.bases(&[head, target])? != [head] => Err(SyncError::Busy { root: self.root.to_owned() }),
            _ => Err(failed("git merge", &output).into()),
        }
    }

    /// Puts a commit in the place of the last one, which no one else has, in the branch and in the working tree; or leaves
    /// both as they are.
    fn replace(&self, head: ObjectId, target: ObjectId) -> Result<(), SyncError> {
        let [from, to] = [head, target].map(|commit| commit.to_string());
        let busy = || SyncError::Busy { root: self.root.to_owned() };
        if any_exists(&self.locks) {
            return Err(busy());
        }
        let read = |from: &str, to: &str| {
            let program = self.git().args(["-c", "submodule.recurse=false"]);
            program.args(["read-tree", "-m", "-u", from, to]).run()
        };
        let output = read(&from, &to)?;
        if is_locked(&output) {
            return Err(busy());
        }
        if !output.status.success() {
            let files = self.in_the_way(target)?;
            let (root, upstream) = (self.root.to_owned(), self.upstream.clone());
            return Err(match files.is_empty() {
                true => failed("git read-tree", &output).into(),
                false => SyncError::InTheWay { root, upstream, files },
            });
        }
        // The branch moves last, and only if no other process has moved it.
        let moved = self.git().args(["update-ref", "-m", "bd: merge", "HEAD", &to, &from]).run()?;
        if moved.status.success() {
            return Ok(());
        }
        checked("git read-tree", read(&to, &from)?)?;
        Err(busy())
    }

    /// The files that fast-forwarding would change and that are changed, untracked or ignored here.
    fn in_the_way(&self, target: ObjectId) -> Result<Vec<PathBuf>, SyncError> {
        let born = self.trees.head()?.unwrap_or_else(|| ObjectId::empty_tree(gix::hash::Kind::Sha1));
        let flags = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", "--no-ext-diff"];
        let changed = self.git().args(flags).args(hex(&[born, target])).arg("--").run()?;
        let changed = names(&checked("git diff-tree", changed)?.stdout);
        let flags = ["--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching"];
        let status = self.git().arg("status").args(flags).arg("--ignore-submodules=all").run()?;
        let status = checked("git status", status)?.stdout;
        let dirty = status.split(|byte| *byte == 0).filter(|entry| entry.len() > 3);
        let dirty = dirty.map(|entry| path_of(entry[3..].strip_suffix(b"/").unwrap_or(&entry[3..])));
        let touched = |file: &PathBuf| {
            let clash = |change: &PathBuf| change.starts_with(file) || file.starts_with(change);
            changed.iter().any(clash)
        };
        let mut files: Vec<PathBuf> = dirty.filter(touched).collect();
        files.sort();
        files.dedup();
        Ok(files)
    }
}

fn locks(root: &Path, branch: Option<&str>) -> Vec<PathBuf> {
    let dot_git = root.join(".git");
    let head = own_dir(&dot_git).map(|own| own.join("HEAD.lock"));
    let branch = branch.and_then(|branch| Some(common_dir(&dot_git)?.join(format!("{branch}.lock"))));
    head.into_iter().chain(branch).collect()
}

fn names(list: &[u8]) -> Vec<PathBuf> {
    list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path_of).collect()
}

pub(super) fn hex(ids: &[ObjectId]) -> impl Iterator<Item = String> {
    ids.iter().map(ToString::to_string)
}
