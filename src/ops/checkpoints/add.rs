//! Adding a checkpoint.

use std::collections::BTreeSet;

use super::{CheckpointError, Stored, snapshots, stored};
use crate::model::change::ChangeError;
use crate::model::checkpoint::{Checkpoint, CheckpointKind, Noted, raw_json};
use crate::model::lease::Standing;
use crate::model::query::{Expr, Field};
use crate::model::row::Raw;
use crate::model::state_id::{self, CHECKPOINT};
use crate::ops::agents::identity;
use crate::ops::reservations::typed::{plain, standpoint};
use crate::ops::{OpError, Result, here};
use crate::store::{CHECKPOINTS, LeaseRow, StateDir, Store, StoreError};
use crate::vcs;

/// Which files a checkpoint names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilesWish {
    /// As typed, relative to the working directory.
    These(Vec<String>),
    /// Those that are changed or new according to version control.
    Changed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCheckpoint {
    /// An id or its beginning; by default the issue that the actor works on.
    pub issue: Option<String>,
    pub summary: String,
    pub kind: String,
    pub files: FilesWish,
    /// JSON.
    pub detail: Option<String>,
    /// Nothing is added if the issue already has a checkpoint with this key.
    pub key: Option<String>,
    /// Also save the files of the checkout.
    pub snapshot: bool,
}

impl Default for NewCheckpoint {
    fn default() -> Self {
        NewCheckpoint {
            issue: None,
            summary: String::new(),
            kind: CheckpointKind::default().as_str().to_owned(),
            files: FilesWish::These(Vec::new()),
            detail: None,
            key: None,
            snapshot: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedCheckpoint {
    pub checkpoint: Checkpoint,
    /// `false` if one with this key existed.
    pub is_new: bool,
}

/// Adds a checkpoint to an issue. An agent that has lost its claim on it is refused.
pub fn add_checkpoint(store: &mut Store, new: &NewCheckpoint) -> Result<AddedCheckpoint> {
    if new.summary.trim().is_empty() {
        return Err(CheckpointError::NoSummary.into());
    }
    if !CheckpointKind::KNOWN.contains(&new.kind.as_str()) {
        return Err(CheckpointError::Kind { word: new.kind.clone() }.into());
    }
    let detail = match &new.detail {
        Some(text) => Some(Raw(raw_json(text).ok_or(CheckpointError::Detail)?)),
        None => None,
    };
    let issue = match &new.issue {
        Some(typed) => store.resolve(typed)?,
        None => current_issue(store)?,
    };
    if store.get(&issue)?.is_some_and(|row| row.issue.status.is_tombstone()) {
        return Err(StoreError::from(ChangeError::Deleted(issue)).into());
    }
    let who = identity::ensure_actor(store)?;
    store.check_lease(&issue)?;
    let worktree = store.worktree()?;
    let files = files(store, &new.files)?;
    let state = store.state();
    let mut one = Checkpoint {
        id: state_id::mint(CHECKPOINT, store.host().entropy.bytes()),
        issue,
        repo: here::repo(store, &state)?,
        kind: CheckpointKind::new(&new.kind),
        summary: new.summary.clone(),
        detail,
        files,
        key: new.key.clone(),
        agent: who.agent,
        actor: who.name,
        worktree_id: worktree.id,
        worktree: Some(worktree.name),
        branch: worktree.branch,
        ..Checkpoint::default()
    };
    if let Some(known) = with_key(&stored(store, &state)?, &one) {
        return Ok(AddedCheckpoint { checkpoint: known, is_new: false });
    }
    // Before the lock, because it may take long; the id is unused so far.
    if new.snapshot {
        one.snapshot = Some(snapshots::save(store, &one.id).map_err(CheckpointError::from)?);
    }
    let added = put(store, &state, &mut one);
    if one.snapshot.is_some() && !matches!(&added, Ok(AddedCheckpoint { is_new: true, .. })) {
        // If this fails, a snapshot without a checkpoint does no harm.
        let _ = snapshots::forget(store, &one.id, None);
    }
    added
}

/// Numbers the checkpoint and writes it.
fn put(store: &mut Store, state: &StateDir, one: &mut Checkpoint) -> Result<AddedCheckpoint> {
    let _held = state.lock(store.lock_wait())?;
    // The first command in a state home initialises it.
    one.repo = here::repo(store, state)?;
    store.check_lease(&one.issue)?;
    let stored = stored(store, state)?;
    if let Some(known) = with_key(&stored, one) {
        return Ok(AddedCheckpoint { checkpoint: known, is_new: false });
    }
    let known = stored.checkpoints.iter().map(|(_, other)| (&other.issue, &other.repo, other.number));
    let gone = stored.dropped.iter().map(|(_, other)| (&other.issue, &other.repo, other.last));
    let same = known.chain(gone).filter(|(issue, repo, _)| (*issue, *repo) == (&one.issue, &one.repo));
    one.number = same.map(|(_, _, number)| number).max().unwrap_or(0) + 1;
    one.created_at = store.host().clock.now().to_string();
    let name = one.worktree_id.clone().unwrap_or_else(|| "unknown".to_owned());
    let directory = CHECKPOINTS.directory(state).inside(&name);
    let lock = directory.lock(store.lock_wait())?;
    let noted = Noted::Checkpoint(Box::new(one.clone()));
    CHECKPOINTS.file(&directory).edit::<OpError>(&lock, &store.host().entropy, |document| {
        Ok(vec![CHECKPOINTS.put(document, &one.id, &noted)])
    })?;
    Ok(AddedCheckpoint { checkpoint: one.clone(), is_new: true })
}

/// The checkpoint added earlier with the same key.
fn with_key(stored: &Stored, new: &Checkpoint) -> Option<Checkpoint> {
    let wanted = (&new.issue, &new.repo, new.key.as_ref()?);
    let same = |one: &&Checkpoint| one.key.as_ref().is_some_and(|key| (&one.issue, &one.repo, key) == wanted);
    stored.checkpoints.iter().map(|(_, one)| one).find(same).cloned()
}

/// The issue that the actor works on, if there is exactly one.
fn current_issue(store: &Store) -> Result<String> {
    let mut ids: BTreeSet<String> = working_on(store)?.into_iter().collect();
    match ids.len() {
        0 => Err(CheckpointError::NoIssue { actor: store.actor().to_owned() }.into()),
        1 => Ok(ids.pop_first().unwrap_or_default()),
        _ => {
            let actor = store.actor().to_owned();
            Err(CheckpointError::SeveralIssues { actor, ids: ids.into_iter().collect() }.into())
        }
    }
}

/// The issues that the actor has claimed, or that the ledger assigns to it in progress.
pub fn working_on(store: &Store) -> Result<Vec<String>> {
    let who = here::acting(store);
    let live = store.leases()?.into_iter().filter(|row| row.standing == Standing::Live);
    let named = live.filter(|row| row.lease.holder.as_ref().is_some_and(|holder| holder.name == who.name));
    let is_other = |row: &LeaseRow| row.lease.holder.as_ref().is_some_and(|holder| store.is_other_session(holder));
    let (others, held): (Vec<LeaseRow>, Vec<LeaseRow>) = named.partition(is_other);
    let mut ids: Vec<String> = held.into_iter().map(|row| row.id).collect();
    let filter = Expr::And(vec![Expr::text(Field::Status, "in_progress"), Expr::text(Field::Assignee, &who.name)]);
    let rows = store.list(&filter, Default::default(), None)?.rows;
    let is_fresh = |id: &String| !ids.contains(id) && !others.iter().any(|row| row.id == *id);
    let fresh: Vec<String> = rows.into_iter().map(|row| row.issue.id).filter(is_fresh).collect();
    ids.extend(fresh);
    Ok(ids)
}

fn files(store: &Store, wish: &FilesWish) -> Result<Vec<String>> {
    let (root, base) = standpoint(store);
    match wish {
        FilesWish::These(typed) => typed.iter().map(|one| plain(one, &root, &base)).collect(),
        FilesWish::Changed => {
            let work = vcs::open(&root).work(&store.host().env).map_err(StoreError::from)?;
            let paths = work.changed.into_iter().chain(work.untracked);
            let names: BTreeSet<String> = paths.map(|path| path.to_string_lossy().into_owned()).collect();
            Ok(names.into_iter().collect())
        }
    }
}
