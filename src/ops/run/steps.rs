//! Requests and results of running a program on an issue, and the steps in between.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::change::ChangeError;
use crate::model::lease::Owner;
use crate::model::workspace::Workspace;
use crate::ops::claims::upkeep::Upkeep;
use crate::ops::{ISSUE_VARIABLE, OpError, Result, WorkspaceWish};
use crate::store::{
    AGENT_VARIABLE, AutoClaim, Claimed, LEASE_VARIABLE, LeaseError, ReleaseWish, Released, Store, StoreError,
};
use crate::sys::job::{Ended, Job};
use crate::vcs;

/// How long a program gets to clean up after being told to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to run, on which issue.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// The issue, by its full id; by default the first ready one.
    pub id: Option<String>,
    pub auto: AutoClaim,
    pub remote: bool,
    /// Keep the claim when the program has ended without closing the issue.
    pub keep: bool,
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    /// Send the program's output to standard error.
    pub apart: bool,
    /// Run it in a separate workspace. A workflow may ask for that too.
    pub workspace: Option<WorkspaceWish>,
}

/// What happened to the issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// It is closed.
    Closed,
    /// The program itself released it.
    Released,
    /// It is still claimed, as before or as requested.
    Kept,
    /// It was released, and counts as an attempt.
    Failed(Box<Released>),
    /// The claim was lost while the program ran; the program was ended.
    Lost,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub claimed: Claimed,
    pub ended: Ended,
    pub end: RunEnd,
    /// The workspace it ran in, if any.
    pub workspace: Option<UsedWorkspace>,
    /// The commit that is checked out where it ran, afterwards.
    pub commit: Option<String>,
}

/// A workspace that a program has run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedWorkspace {
    pub workspace: Workspace,
    /// It existed before.
    pub is_reused: bool,
    /// It has been removed.
    pub is_removed: bool,
    /// The checkpoint about the program's end.
    pub checkpoint: Option<String>,
    /// Further remarks, such as why it was not removed.
    pub notes: Vec<String>,
}

/// The issue is closed or deleted.
pub(super) fn is_over(error: &OpError) -> bool {
    match error {
        OpError::Store(StoreError::Change(ChangeError::Done { .. } | ChangeError::Deleted(_))) => true,
        OpError::Store(StoreError::Lease(error)) => {
            matches!(**error, LeaseError::Elsewhere { .. } | LeaseError::ClosedElsewhere { .. })
        }
        _ => false,
    }
}

/// The process that a claim is tied to.
pub(super) fn owner(store: &Store, claimed: &Claimed) -> Result<Option<Owner>> {
    Ok(store.lease(&claimed.id)?.and_then(|row| row.lease.holder).and_then(|holder| holder.owner))
}

pub(super) fn start(
    store: &Store,
    request: &RunRequest,
    claimed: &Claimed,
    directory: &Path,
    mut vars: Vec<(String, String)>,
) -> Result<Job> {
    vars.push((ISSUE_VARIABLE.to_owned(), claimed.id.clone()));
    vars.push((LEASE_VARIABLE.to_owned(), format!("{}:{}", claimed.id, claimed.epoch)));
    vars.extend(store.agent().map(|agent| (AGENT_VARIABLE.to_owned(), agent.name.clone())));
    let started = Job::start(&request.program, &request.arguments, directory, &vars, request.apart);
    started.map_err(|error| StoreError::from(error).into())
}

/// Releases an issue whose job did not start, unless the actor held it before.
pub(super) fn give_back(store: &mut Store, claimed: &Claimed, why: &str) -> Result<()> {
    if !claimed.again {
        store.release(&claimed.id, &ReleaseWish { reason: None, failed: Some(why.to_owned()) })?;
    }
    Ok(())
}

/// The state of the issue after the program has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    Closed,
    Released,
    Kept,
    Open,
}

pub(super) fn look(store: &mut Store, claimed: &Claimed, before: Option<Owner>, keep: bool) -> Result<Left> {
    // Otherwise the claim would end with its program.
    store.set_lease_owner(claimed, before)?;
    store.look_again()?;
    let here = store.get(&claimed.id)?.is_none_or(|row| row.issue.status.is_done());
    if here || store.is_done_elsewhere(&claimed.id)? {
        return Ok(Left::Closed);
    }
    let row = store.lease(&claimed.id)?;
    let held = row.is_some_and(|row| row.lease.epoch == claimed.epoch && row.lease.holder.is_some());
    Ok(match held {
        false => Left::Released,
        true if claimed.again || keep => Left::Kept,
        true => Left::Open,
    })
}

pub(super) fn settle(store: &mut Store, claimed: &Claimed, ended: Ended, left: Left) -> Result<RunEnd> {
    Ok(match left {
        Left::Closed => {
            end_claim(store, claimed)?;
            RunEnd::Closed
        }
        Left::Released => RunEnd::Released,
        Left::Kept => RunEnd::Kept,
        Left::Open => {
            let wish = ReleaseWish { reason: None, failed: Some(failure(ended)) };
            let released = store.release(&claimed.id, &wish)?;
            // Another process may have noticed first that the program is gone.
            if released.was_lost { RunEnd::Lost } else { RunEnd::Failed(Box::new(released)) }
        }
    })
}

/// Ends the claim on an issue that was closed without ending it.
pub(super) fn end_claim(store: &mut Store, claimed: &Claimed) -> Result<()> {
    let row = store.lease(&claimed.id)?;
    if !claimed.again && row.is_some_and(|row| row.lease.epoch == claimed.epoch && row.lease.holder.is_some()) {
        store.release(&claimed.id, &ReleaseWish::default())?;
    }
    Ok(())
}

/// Why a program that has ended counts as failed.
pub(super) fn failure(ended: Ended) -> String {
    match ended {
        Ended::Code(0) => "the program ended and did not close the issue".to_owned(),
        Ended::Code(code) => format!("the program ended with {code}"),
        Ended::Signal(signal) => format!("the program was ended by signal {signal}"),
    }
}

/// Renews the claim until the program ends, and ends the program if the claim is lost.
pub(super) fn supervise(store: &mut Store, claimed: &Claimed, job: &mut Job) -> Result<(Ended, bool)> {
    let _silence = store.activity().silence();
    let mut upkeep = Upkeep::of(&claimed.id, claimed.epoch, &claimed.holder.name, claimed.holder.ttl);
    loop {
        let waited = job.wait(upkeep.pause()).map_err(StoreError::from)?;
        if let Some(ended) = waited {
            return Ok((ended, false));
        }
        let renewed = upkeep.renew(store);
        if upkeep.is_lost(renewed) {
            let ended = job.end(PATIENCE).map_err(StoreError::from)?;
            return Ok((ended, true));
        }
    }
}

/// The commit that is checked out in a directory.
pub(super) fn commit_in(store: &Store, directory: &Path) -> Option<String> {
    vcs::open(directory).head(&store.host().env).ok().flatten()
}
