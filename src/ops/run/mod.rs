//! Running a program on an issue: the issue is claimed as long as the program runs, and the result is recorded.

mod isolated;
mod steps;

pub use steps::{Run, RunEnd, RunRequest, UsedWorkspace};

use crate::ops::claims::by_id;
use crate::ops::{Result, WorkspaceWish};
use crate::store::{AutoClaim, ClaimWish, Claimed, Store};
use crate::sys;
use isolated::Ready;
use steps::{commit_in, end_claim, give_back, is_over, look, owner, settle, start, supervise};

/// Claims an issue and runs a program on it; `None` if nothing is ready.
pub fn run(store: &mut Store, request: &RunRequest) -> Result<Option<Run>> {
    let wish = match (&request.workspace, &request.id) {
        (Some(wish), _) => Some(wish.clone()),
        (None, Some(id)) => isolated::usual(store, id)?,
        (None, None) => None,
    };
    // The chosen issue decides whether a workspace is used; until then the ledger here is not touched.
    let is_open = request.workspace.is_none() && request.id.is_none() && isolated::may_be_usual(store)?;
    let aside = wish.is_some() || is_open;
    let mut request = request.clone();
    let (claimed, ready) = loop {
        let Some(claimed) = take(store, &request, aside)? else { return Ok(None) };
        match prepare(store, &request, wish.as_ref(), is_open, &claimed) {
            Ok(ready) => break (claimed, ready),
            // Somebody has closed it, as the ledger of the workspace knows.
            Err(error) if request.id.is_none() && is_over(&error) => {
                end_claim(store, &claimed)?;
                request.auto.passed.push(claimed.id);
            }
            Err(error) => {
                give_back(store, &claimed, &error.to_string())?;
                return Err(error);
            }
        }
    };
    let request = &request;
    if let Some(ready) = ready {
        return isolated::run(store, request, ready, claimed).map(Some);
    }
    let before = owner(store, &claimed)?;
    let mut job = match start(store, request, &claimed, &request.directory, Vec::new()) {
        Ok(job) => job,
        Err(error) => {
            // It did not start, so free the issue.
            give_back(store, &claimed, &error.to_string())?;
            return Err(error);
        }
    };
    store.set_lease_owner(&claimed, sys::owner(job.pid()))?;
    let (ended, lost) = supervise(store, &claimed, &mut job)?;
    let end = match lost {
        true => RunEnd::Lost,
        false => {
            let standing = look(store, &claimed, before, request.keep)?;
            settle(store, &claimed, ended, standing)?
        }
    };
    let commit = commit_in(store, &request.directory);
    Ok(Some(Run { claimed, ended, end, workspace: None, commit }))
}

/// Makes the workspace, if the program runs in one.
fn prepare(
    store: &mut Store,
    request: &RunRequest,
    wish: Option<&WorkspaceWish>,
    is_open: bool,
    claimed: &Claimed,
) -> Result<Option<Ready>> {
    let settled = if wish.is_none() && is_open { settle_place(store, request, claimed)? } else { None };
    wish.or(settled.as_ref()).map(|wish| isolated::prepare(store, request, wish, claimed)).transpose()
}

/// Chooses the place for a newly claimed issue: the workspace that its workflow asks for, or here; then the ledger here
/// says who works on it.
fn settle_place(store: &mut Store, request: &RunRequest, claimed: &Claimed) -> Result<Option<WorkspaceWish>> {
    let wish = isolated::usual(store, &claimed.id)?;
    if wish.is_none() {
        let here = ClaimWish { takeover: None, aside: false, ..request.auto.wish.clone() };
        store.claim(&claimed.id, &here)?;
    }
    Ok(wish)
}

/// Claims the requested issue, or the next one.
fn take(store: &mut Store, request: &RunRequest, aside: bool) -> Result<Option<Claimed>> {
    // A job ends by closing its issue.
    let wish = ClaimWish { aside, to_write: true, ..request.auto.wish.clone() };
    match &request.id {
        Some(id) => by_id::claim(store, id, &wish, request.remote).map(Some),
        None => by_id::claim_ready(store, &AutoClaim { wish, ..request.auto.clone() }),
    }
}
