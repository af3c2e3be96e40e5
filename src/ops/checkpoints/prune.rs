//! Dropping the checkpoints of finished issues.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{CheckpointError, CheckpointRow, all, snapshots, stored};
use crate::model::checkpoint::LastNumber;
use crate::model::issue::Status;
use crate::model::lease::Standing;
use crate::model::row::Row;
use crate::model::state_id::{self, CHECKPOINT};
use crate::model::time::{DAY, Instant};
use crate::ops::{OpError, Result};
use crate::store::{CHECKPOINTS, Put, Store};

/// How long an issue must have been closed by default.
pub const PRUNE_DAYS: i64 = 30;

/// The checkpoints that were dropped, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PrunedCheckpoints {
    pub pruned: Vec<CheckpointRow>,
    /// How many remain.
    pub kept: usize,
    pub applied: bool,
}

/// Drops the checkpoints, with their snapshots, of issues closed at least this long ago (nanoseconds). Those of issues
/// that are open, claimed, unknown here, or not done in another checkout remain. Without `apply`, drops nothing.
pub fn prune_checkpoints(store: &Store, older_than: Option<i64>, apply: bool) -> Result<PrunedCheckpoints> {
    let before = store.host().clock.now().plus_nanos(-older_than.unwrap_or(PRUNE_DAYS * DAY));
    let rows = all(store)?;
    let issues: BTreeSet<&String> = rows.iter().map(|row| &row.checkpoint.issue).collect();
    let mut over: HashSet<String> = HashSet::new();
    for issue in issues {
        if is_over(store, issue, before)? {
            over.insert(issue.clone());
        }
    }
    let (pruned, kept): (Vec<CheckpointRow>, Vec<_>) =
        rows.into_iter().partition(|row| over.contains(&row.checkpoint.issue));
    if apply && !pruned.is_empty() {
        forget(store, &pruned)?;
    }
    Ok(PrunedCheckpoints { pruned, kept: kept.len(), applied: apply })
}

fn is_over(store: &Store, issue: &str, before: Instant) -> Result<bool> {
    let Some(row) = store.get(issue)? else { return Ok(false) };
    let at = row.issue.closed_at.or(row.issue.deleted_at).or(row.issue.updated_at);
    if !row.issue.status.is_done() || at.is_none_or(|at| at.instant > before) {
        return Ok(false);
    }
    let is_claimed = store.lease(issue)?.is_some_and(|row| row.standing == Standing::Live);
    let is_done = |status: &str| Status::new(status).is_done();
    let is_open_elsewhere = store.elsewhere(issue)?.iter().any(|other| !is_done(&other.status));
    Ok(!is_claimed && !is_open_elsewhere)
}

/// Snapshots first: a record without a snapshot is found again, a snapshot without a record is not.
fn forget(store: &Store, rows: &[CheckpointRow]) -> Result<()> {
    for row in rows.iter().filter(|row| row.checkpoint.snapshot.is_some()) {
        snapshots::forget(store, &row.checkpoint.id, row.checkpoint.worktree_id.as_deref())
            .map_err(CheckpointError::from)?;
    }
    let state = store.state();
    let _held = state.lock(store.lock_wait())?;
    let mut by_directory: BTreeMap<String, Vec<Put>> = BTreeMap::new();
    let mut last: BTreeMap<(Option<String>, String), (i64, String)> = BTreeMap::new();
    let ids: HashSet<&str> = rows.iter().map(|row| row.checkpoint.id.as_str()).collect();
    let stored = stored(store, &state)?;
    for (directory, one) in stored.checkpoints {
        if ids.contains(one.id.as_str()) {
            by_directory.entry(directory.clone()).or_default().push(Put::Gone { id: one.id });
            let highest = last.entry((one.repo, one.issue)).or_default();
            *highest = (one.number, directory).max(highest.clone());
        }
    }
    for (directory, old) in stored.dropped {
        if last.get(&(old.repo, old.issue)).is_some_and(|(number, _)| *number >= old.last) {
            by_directory.entry(directory).or_default().push(Put::Gone { id: old.id });
        }
    }
    for ((repo, issue), (last, directory)) in last {
        // The file still has the highest number until this line is added, so the number is never lost.
        let line = LastNumber { id: state_id::mint(CHECKPOINT, store.host().entropy.bytes()), issue, repo, last };
        by_directory.entry(directory).or_default().push(Put::Line { id: line.id.clone(), text: line.line() });
    }
    for (name, puts) in by_directory {
        let directory = CHECKPOINTS.directory(&state).inside(&name);
        let lock = directory.lock(store.lock_wait())?;
        CHECKPOINTS.file(&directory).edit::<OpError>(&lock, &store.host().entropy, |_| Ok(puts.clone()))?;
    }
    Ok(())
}
