//! An actor's open work, and for each issue the checkpoint to resume from.
//!
//! A checkpoint of type error is shown but never resumed from.

use super::checkpoints::{CheckpointRow, checkpoints_of, working_on};
use super::{Result, mail};
use crate::model::message::Message;
use crate::store::{LeaseRow, Row, Store, Worktree};

/// An issue that can be resumed.
#[derive(Debug, Clone)]
pub struct Resumption {
    pub row: Row,
    /// The claim on it, whoever holds it.
    pub lease: Option<LeaseRow>,
    /// The actor's own: claimed, or assigned and in progress.
    pub is_mine: bool,
    /// Why the acting agent must not continue, if it has lost the issue.
    pub lost: Option<String>,
    /// The last checkpoint other than an error; `None` means a fresh start.
    pub from: Option<CheckpointRow>,
    /// Errors after it.
    pub errors: Vec<CheckpointRow>,
    /// The number of checkpoints.
    pub checkpoints: usize,
    /// Unanswered questions about it, by anyone.
    pub questions: Vec<Message>,
    /// The checkout with the work, if it still exists.
    pub worktree: Option<Worktree>,
}

/// The actor's open work; or one issue, whoever holds it.
pub fn resume(store: &mut Store, typed: Option<&str>) -> Result<Vec<Resumption>> {
    let mine = working_on(store)?;
    match typed {
        Some(typed) => {
            let id = store.resolve(typed)?;
            resume_each(store, &[id], &mine)
        }
        None => resume_each(store, &mine, &mine),
    }
}

/// Several issues, as far as they are in a ledger here; `mine` names the actor's.
pub fn resume_each(store: &mut Store, ids: &[String], mine: &[String]) -> Result<Vec<Resumption>> {
    let worktrees = store.worktrees()?;
    let mut found = Vec::new();
    for id in ids {
        let Some(row) = store.get(id)? else { continue };
        let mut rows = checkpoints_of(store, id)?;
        let checkpoints = rows.len();
        let after = rows.iter().rposition(|row| !row.checkpoint.kind.is_error()).map_or(0, |at| at + 1);
        let errors = rows.split_off(after);
        let from = rows.pop();
        let lease = store.lease(id)?.filter(|row| row.lease.holder.is_some());
        let place = from.as_ref().and_then(|row| row.checkpoint.worktree_id.clone()).or_else(|| {
            let holder = lease.as_ref().and_then(|row| row.lease.holder.as_ref());
            holder.and_then(|holder| holder.worktree_id.clone())
        });
        let worktree = worktrees.iter().find(|one| one.id.is_some() && one.id == place && one.exists).cloned();
        let lost = store.check_lease(id).err().map(|error| error.to_string());
        let is_mine = mine.contains(id);
        let questions = mail::open_questions(store, id)?;
        found.push(Resumption { row, lease, is_mine, lost, from, errors, checkpoints, questions, worktree });
    }
    Ok(found)
}
