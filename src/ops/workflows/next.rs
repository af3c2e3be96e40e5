//! The tasks that can be worked on now, and claiming one.

use super::{Flow, flow};
use crate::ops::claims::by_id;
use crate::ops::{OpError, Result};
use crate::store::{ClaimWish, Claimed, LeaseError, Store, StoreError, TaskRow, TaskState};

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct NextWish {
    /// Also failed tasks.
    pub include_failed: bool,
    /// Claim the first task that may be handed out.
    pub claim: Option<ClaimWish>,
}

/// The result of looking for tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next {
    pub flow: Flow,
    /// Tasks that could be claimed now, in order; no more than may run beside the running ones.
    pub available: Vec<TaskRow>,
    pub claimed: Option<Claimed>,
    /// Why the first unblocked task was not handed out, if none was.
    pub passed_over: Option<String>,
}

/// Finds the next tasks of a workflow, and claims one on request. A late claimant gets the next one, or none.
pub fn next_task(store: &mut Store, typed: &str, wish: &NextWish) -> Result<Next> {
    let id = store.find_workflow(typed)?.id().to_owned();
    if let Some(claim) = &wish.claim {
        return take(store, &id, wish, claim);
    }
    let flow = flow(store, &id)?;
    let mut available = available(&flow, wish.include_failed);
    let kept = store.why_kept(&flow.workflow)?.is_some();
    available.truncate(if kept { 0 } else { flow.free() });
    Ok(Next { flow, available, claimed: None, passed_over: None })
}

fn take(store: &mut Store, id: &str, wish: &NextWish, claim: &ClaimWish) -> Result<Next> {
    let before = flow(store, id)?;
    let state = before.workflow.state;
    if state.is_final() {
        return Ok(Next { flow: before, available: Vec::new(), claimed: None, passed_over: None });
    }
    if let Some(why) = store.why_kept(&before.workflow)? {
        return Err(StoreError::from(LeaseError::Withheld { id: format!("a task of {id}"), why }).into());
    }
    // Tasks held by silent or dead agents are free again.
    for task in before.tasks.iter().filter(|task| task.is_left()) {
        // A task that cannot be taken back is simply not handed out.
        let _ = by_id::reclaim(store, Some(task.id()), false);
    }
    let before = flow(store, id)?;
    let claim = &ClaimWish { to_write: true, ..claim.clone() };
    let (mut claimed, mut passed_over) = (None, None);
    for task in available(&before, wish.include_failed) {
        if let Some(why) = store.why_not_handed_out(&task.row)? {
            passed_over.get_or_insert_with(|| why.to_string());
            continue;
        }
        match by_id::claim(store, task.id(), claim, false) {
            Ok(taken) => {
                claimed = Some(taken);
                break;
            }
            Err(OpError::Store(error)) if is_passed_over(&error) => {
                passed_over.get_or_insert_with(|| error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    let flow = flow(store, id)?;
    let mut available = available(&flow, wish.include_failed);
    available.truncate(flow.free());
    let passed_over = passed_over.filter(|_| claimed.is_none());
    Ok(Next { flow, available, claimed, passed_over })
}

/// Another process was faster, or this task is not available: another may be.
fn is_passed_over(error: &StoreError) -> bool {
    matches!(error, StoreError::Lease(_) | StoreError::Change(_) | StoreError::ReadOnly { .. })
}

/// Unblocked tasks, in order.
fn available(flow: &Flow, include_failed: bool) -> Vec<TaskRow> {
    let wanted = |task: &&TaskRow| match task.state() {
        TaskState::Pending => true,
        TaskState::Failed => include_failed,
        _ => false,
    };
    flow.tasks.iter().filter(wanted).cloned().collect()
}
