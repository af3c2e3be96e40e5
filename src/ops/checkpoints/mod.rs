//! Checkpoints (`wt/<worktree>/checkpoints.jsonl`): each checkout has its own file, and all of them are read as one.
//!
//! An issue's checkpoints are numbered across all checkouts, under the lock of the state home, so no number is used
//! twice; when they are dropped, a line with the highest number remains. A checkpoint never changes. It outlives its
//! checkout.

mod add;
mod prune;
mod snapshots;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

pub use super::error::CheckpointError;
pub use add::{AddedCheckpoint, FilesWish, NewCheckpoint, add_checkpoint, working_on};
pub use prune::{PRUNE_DAYS, PrunedCheckpoints, prune_checkpoints};

use crate::model::checkpoint::{Checkpoint, LastNumber, Noted};
use crate::model::state_id::CHECKPOINT;
use crate::ops::{Result, here};
use crate::store::{CHECKPOINTS, StateDir, StateTable, Store, StoreError, Worktree, real_path};
use crate::sys;

/// A checkpoint, as reported to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRow {
    pub checkpoint: Checkpoint,
    /// The name of its checkout, now or then.
    pub worktree: String,
    /// That checkout no longer exists.
    pub is_gone: bool,
}

/// Whose checkpoints to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Whose {
    /// This checkout's.
    #[default]
    Here,
    /// Those of a checkout, by id, name or path.
    Worktree(String),
    All,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckpointFilter {
    /// An id or its beginning.
    pub issue: Option<String>,
    /// With a higher number.
    pub since: Option<i64>,
    pub kind: Option<String>,
    pub whose: Whose,
    /// Only the latest ones.
    pub limit: Option<usize>,
}

/// Checkpoints, and how many there would be without the limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointPage {
    pub rows: Vec<CheckpointRow>,
    pub total: usize,
}

/// Lists checkpoints, oldest first.
pub fn checkpoints(store: &Store, filter: &CheckpointFilter) -> Result<CheckpointPage> {
    let issue = filter.issue.as_deref().map(|typed| known_issue(store, typed)).transpose()?;
    let worktree = match &filter.whose {
        Whose::All => None,
        // Listing creates nothing: a checkout without an id has no checkpoints.
        Whose::Here => {
            Some(store.worktrees()?.into_iter().find(|one| one.is_here).and_then(|one| one.id).unwrap_or_default())
        }
        Whose::Worktree(text) => Some(worktree_id(store, text)?),
    };
    let mut rows = all(store)?;
    rows.retain(|row| {
        let one = &row.checkpoint;
        issue.as_ref().is_none_or(|issue| one.issue == *issue)
            && worktree.as_ref().is_none_or(|id| one.worktree_id.as_ref() == Some(id))
            && filter.since.is_none_or(|since| one.number > since)
            && filter.kind.as_ref().is_none_or(|kind| one.kind.as_str() == kind)
    });
    let total = rows.len();
    rows.drain(..total.saturating_sub(filter.limit.unwrap_or(total)));
    Ok(CheckpointPage { rows, total })
}

/// The checkpoints of one issue, by its full id, across all checkouts, oldest first.
pub fn checkpoints_of(store: &Store, issue: &str) -> Result<Vec<CheckpointRow>> {
    let mut rows = all(store)?;
    rows.retain(|row| row.checkpoint.issue == issue);
    Ok(rows)
}

/// The numbers that checkpoints get in a state home into which they are copied. Where it has given one of them to another
/// checkpoint of the issue, all of that issue follow in their order.
pub(in crate::ops) fn renumbered(
    store: &Store,
    target: &StateDir,
    copied: &[Checkpoint],
) -> Result<HashMap<String, i64>> {
    let there = stored(store, target)?;
    let dropped = there.dropped.iter().map(|(_, one)| (&one.issue, &one.repo, one.last));
    let kept = there.checkpoints.iter().map(|(_, one)| (&one.issue, &one.repo, one.number));
    let given: Vec<(&String, &Option<String>, i64)> = kept.chain(dropped).collect();
    let mut of_issues: BTreeMap<(&String, &Option<String>), Vec<&Checkpoint>> = BTreeMap::new();
    for one in copied {
        of_issues.entry((&one.issue, &one.repo)).or_default().push(one);
    }
    let mut new = HashMap::new();
    for (issue, mut copied) in of_issues {
        let taken: BTreeSet<i64> =
            given.iter().filter(|(id, repo, _)| (*id, *repo) == issue).map(|(_, _, number)| *number).collect();
        if copied.iter().any(|one| taken.contains(&one.number)) {
            copied.sort_by_key(|one| one.number);
            let first = taken.last().map_or(1, |last| last + 1);
            new.extend(copied.iter().zip(first..).map(|(one, number)| (one.id.clone(), number)));
        }
    }
    Ok(new)
}

/// One checkpoint, by its id, a beginning of it, or as `ISSUE#NUMBER`.
pub fn find_checkpoint(store: &Store, typed: &str) -> Result<CheckpointRow> {
    let not_found = || CheckpointError::NotFound { typed: typed.to_owned() };
    let rows = all(store)?;
    let found: Vec<CheckpointRow> = if let Some((issue, number)) = typed.rsplit_once('#') {
        let number: i64 = number.parse().map_err(|_| not_found())?;
        let issue = known_issue(store, issue)?;
        rows.into_iter().filter(|row| row.checkpoint.issue == issue && row.checkpoint.number == number).collect()
    } else if typed.starts_with(CHECKPOINT) {
        rows.into_iter().filter(|row| row.checkpoint.id.starts_with(typed)).collect()
    } else {
        Vec::new()
    };
    let found = here::only(found, |row| &row.checkpoint.id);
    let found = found.map_err(|candidates| CheckpointError::Ambiguous { typed: typed.to_owned(), candidates })?;
    Ok(found.ok_or_else(not_found)?)
}

/// Writes the files of a checkpoint into a missing or empty directory. Returns the subdirectory with staged versions
/// that differ from the files.
pub fn restore_checkpoint(store: &Store, typed: &str, to: &Path) -> Result<(CheckpointRow, Option<PathBuf>)> {
    let row = find_checkpoint(store, typed)?;
    if row.checkpoint.snapshot.is_none() {
        return Err(CheckpointError::NoSnapshot { id: row.checkpoint.id }.into());
    }
    let is_free = match sys::path::is_empty(to) {
        Ok(is_empty) => is_empty,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound && to.symlink_metadata().is_err(),
    };
    if !is_free {
        return Err(CheckpointError::InTheWay { path: to.to_owned() }.into());
    }
    let staged = snapshots::restore(store, &row.checkpoint.id, to).map_err(CheckpointError::from)?;
    Ok((row, staged.map(|name| to.join(name))))
}

/// The issue that a typed id means; one that has left the ledger is found by its checkpoints.
fn known_issue(store: &Store, typed: &str) -> Result<String> {
    match store.resolve(typed) {
        Ok(id) => Ok(id),
        Err(error @ StoreError::NotFound { .. }) => {
            let known = all(store)?.into_iter().any(|row| row.checkpoint.issue == typed);
            if known { Ok(typed.to_owned()) } else { Err(error.into()) }
        }
        Err(error) => Err(error.into()),
    }
}

/// The id of a checkout, by id, name or path; a deleted one is found by its checkpoints. A checkout without an id has
/// none.
fn worktree_id(store: &Store, text: &str) -> Result<String> {
    let all_worktrees = store.worktrees()?;
    let path = real_path(&store.host().env.path(text));
    let found = all_worktrees.iter().find(|one| one.is_called(text) || one.root == path);
    if let Some(found) = found {
        return Ok(found.id.clone().unwrap_or_default());
    }
    let is_meant = |one: &Checkpoint| one.worktree_id.as_deref() == Some(text) || one.worktree.as_deref() == Some(text);
    let noted = all(store)?.into_iter().map(|row| row.checkpoint).find(is_meant);
    noted.and_then(|one| one.worktree_id).ok_or_else(|| {
        let known = all_worktrees.into_iter().map(|one| one.name).collect();
        StoreError::NoSuchWorktree { text: text.to_owned(), known }.into()
    })
}

/// Every checkpoint of this repository, oldest first.
fn all(store: &Store) -> Result<Vec<CheckpointRow>> {
    let state = store.state();
    state.check()?;
    let repo = here::repo(store, &state)?;
    let there: HashMap<String, Worktree> = store
        .worktrees()?
        .into_iter()
        .filter(|one| one.exists)
        .filter_map(|one| Some((one.id.clone()?, one)))
        .collect();
    let stored = stored(store, &state)?.checkpoints.into_iter().map(|(_, one)| one).filter(|one| one.repo == repo);
    let mut rows: Vec<CheckpointRow> = stored
        .map(|one| {
            let now = one.worktree_id.as_ref().and_then(|id| there.get(id));
            let then = || one.worktree.clone().or_else(|| one.worktree_id.clone()).unwrap_or_default();
            let worktree = now.map_or_else(then, |now| now.name.clone());
            CheckpointRow { is_gone: now.is_none(), worktree, checkpoint: one }
        })
        .collect();
    let key =
        |row: &CheckpointRow| (row.checkpoint.created_at.clone(), row.checkpoint.issue.clone(), row.checkpoint.number);
    rows.sort_by_cached_key(key);
    Ok(rows)
}

/// The contents of a state home, each with the name of its checkout's directory.
#[derive(Default)]
struct Stored {
    checkpoints: Vec<(String, Checkpoint)>,
    /// The numbers of dropped ones.
    dropped: Vec<(String, LastNumber)>,
}

/// An unreadable file is an error: it may contain numbers.
fn stored(store: &Store, state: &StateDir) -> Result<Stored> {
    let mut found = Stored::default();
    for (inside, name) in CHECKPOINTS.spot().files(state).map_err(StoreError::from)? {
        let document = store.records(&state.inside(&inside).file(&name))?;
        let checkout = inside.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for noted in CHECKPOINTS.rows(&document) {
            match noted {
                Noted::Checkpoint(one) => found.checkpoints.push((checkout.clone(), *one)),
                Noted::Last(one) => found.dropped.push((checkout.clone(), one)),
            }
        }
    }
    Ok(found)
}
