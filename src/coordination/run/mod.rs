//! A program that works on an issue: the issue is claimed for as long as the program runs, and what came of it is noted.

mod isolated;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use isolated::UsedWorkspace;

use super::{ISSUE_VARIABLE, Result, WorkspaceWish, claims};
use crate::model::lease::{Owner, Standing};
use crate::store::{
    AGENT_VARIABLE, AutoClaim, ClaimWish, Claimed, LEASE_VARIABLE, ReleaseWish, Released, Store, StoreError,
};
use crate::sys;
use crate::sys::job::{Ended, Job};

/// How long a program that must end may take to tidy up.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a claim that does not end by itself is looked at.
const GLANCE: Duration = Duration::from_secs(30);

/// What to run, and on what.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// The issue, by its full id; without one the first ready one is taken.
    pub id: Option<String>,
    pub auto: AutoClaim,
    pub remote: bool,
    /// Keep the claim when the program has ended and the issue is not closed.
    pub keep: bool,
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    /// What the program prints goes to standard error.
    pub apart: bool,
    /// Run it in a workspace of its own. A workflow may ask for that, too.
    pub workspace: Option<WorkspaceWish>,
}

/// What became of the issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// It is closed.
    Closed,
    /// The program itself gave it back.
    Released,
    /// It is still claimed, as it was before or as was asked for.
    Kept,
    /// It was given back, and counts as an attempt.
    Failed(Box<Released>),
    /// The claim was lost while the program ran; the program was ended.
    Lost,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub claimed: Claimed,
    pub ended: Ended,
    pub end: RunEnd,
    /// Where it ran, if that was a workspace.
    pub workspace: Option<UsedWorkspace>,
}

/// Claims an issue and runs a program on it; `None` if nothing is ready.
pub fn run(store: &mut Store, request: &RunRequest) -> Result<Option<Run>> {
    let wish = match (&request.workspace, &request.id) {
        (Some(wish), _) => Some(wish.clone()),
        (None, Some(id)) => isolated::usual(store, id)?,
        (None, None) => None,
    };
    // Which issue is picked decides whether it is worked on apart; until then the ledger here is left alone.
    let is_open = request.workspace.is_none() && request.id.is_none() && isolated::may_be_usual(store)?;
    let Some(claimed) = take(store, request, wish.is_some() || is_open)? else { return Ok(None) };
    let wish = match wish {
        None if is_open => match settle_place(store, request, &claimed) {
            Ok(wish) => wish,
            Err(error) => {
                give_back(store, &claimed, &error.to_string())?;
                return Err(error);
            }
        },
        wish => wish,
    };
    if let Some(wish) = wish {
        return isolated::run(store, request, &wish, claimed).map(Some);
    }
    let before = owner(store, &claimed)?;
    let mut job = match start(store, request, &claimed, &request.directory, Vec::new()) {
        Ok(job) => job,
        Err(error) => {
            // It did not start, so nobody works on it.
            give_back(store, &claimed, &error.to_string())?;
            return Err(error);
        }
    };
    store.set_lease_owner(&claimed, sys::owner(job.pid()))?;
    let (ended, lost) = look_after(store, &claimed, &mut job)?;
    let end = match lost {
        true => RunEnd::Lost,
        false => {
            let standing = look(store, &claimed, before, request.keep)?;
            settle(store, &claimed, ended, standing)?
        }
    };
    Ok(Some(Run { claimed, ended, end, workspace: None }))
}

/// Where the work on an issue that was just picked is done: in the workspace that its workflow wants, or here; then the ledger here says who
/// works on it.
fn settle_place(store: &mut Store, request: &RunRequest, claimed: &Claimed) -> Result<Option<WorkspaceWish>> {
    let wish = isolated::usual(store, &claimed.id)?;
    if wish.is_none() {
        let here = ClaimWish { takeover: None, aside: false, ..request.auto.wish.clone() };
        store.claim(&claimed.id, &here)?;
    }
    Ok(wish)
}

/// Claims the issue that is asked for, or the next one.
fn take(store: &mut Store, request: &RunRequest, aside: bool) -> Result<Option<Claimed>> {
    // A job ends by closing its issue.
    let wish = ClaimWish { aside, to_write: true, ..request.auto.wish.clone() };
    match &request.id {
        Some(id) => claims::claim(store, id, &wish, request.remote).map(Some),
        None => claims::claim_ready(store, &AutoClaim { wish, ..request.auto.clone() }),
    }
}

/// The process that a claim lives and dies with.
fn owner(store: &mut Store, claimed: &Claimed) -> Result<Option<Owner>> {
    Ok(store.lease(&claimed.id)?.and_then(|row| row.lease.holder).and_then(|holder| holder.owner))
}

fn start(
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

/// Gives an issue back that nobody came to work on, unless it was one's own before.
fn give_back(store: &mut Store, claimed: &Claimed, why: &str) -> Result<()> {
    if !claimed.again {
        claims::release(store, &claimed.id, &ReleaseWish { reason: None, failed: Some(why.to_owned()) })?;
    }
    Ok(())
}

/// How the issue stands when the program has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Closed,
    Released,
    Kept,
    Open,
}

fn look(store: &mut Store, claimed: &Claimed, before: Option<Owner>, keep: bool) -> Result<Left> {
    // The claim would be over with the program that it belongs to.
    store.set_lease_owner(claimed, before)?;
    store.refresh()?;
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

fn settle(store: &mut Store, claimed: &Claimed, ended: Ended, left: Left) -> Result<RunEnd> {
    Ok(match left {
        Left::Closed => {
            end_claim(store, claimed)?;
            RunEnd::Closed
        }
        Left::Released => RunEnd::Released,
        Left::Kept => RunEnd::Kept,
        Left::Open => {
            let wish = ReleaseWish { reason: None, failed: Some(failure(ended)) };
            let released = claims::release(store, &claimed.id, &wish)?;
            // Another may have been faster than we to see that the program is gone.
            if released.was_lost { RunEnd::Lost } else { RunEnd::Failed(Box::new(released)) }
        }
    })
}

/// Ends the claim on an issue that was closed behind the back of the claims.
fn end_claim(store: &mut Store, claimed: &Claimed) -> Result<()> {
    let row = store.lease(&claimed.id)?;
    if !claimed.again && row.is_some_and(|row| row.lease.epoch == claimed.epoch && row.lease.holder.is_some()) {
        claims::release(store, &claimed.id, &ReleaseWish::default())?;
    }
    Ok(())
}

/// Why a program that has ended counts as failed.
fn failure(ended: Ended) -> String {
    match ended {
        Ended::Code(0) => "the program ended and did not close the issue".to_owned(),
        Ended::Code(code) => format!("the program ended with {code}"),
        Ended::Signal(signal) => format!("the program was ended by signal {signal}"),
    }
}

/// Renews the claim until the program ends, and ends the program if the claim is lost.
fn look_after(store: &mut Store, claimed: &Claimed, job: &mut Job) -> Result<(Ended, bool)> {
    let _silence = store.activity().silence();
    let ttl = claimed.holder.ttl.map(|nanos| Duration::from_nanos(nanos.unsigned_abs()));
    let beat = ttl.map_or(GLANCE, |ttl| (ttl / 3).max(Duration::from_millis(50)));
    let mut sure = Instant::now();
    loop {
        let waited = job.wait(beat).map_err(StoreError::from)?;
        if let Some(ended) = waited {
            return Ok((ended, false));
        }
        let is_lost = match renew(store, claimed, beat) {
            Ok(true) => {
                sure = Instant::now();
                false
            }
            Ok(false) => true,
            // Whether it still is ours cannot be told: it counts as lost before others may take it.
            Err(_) => ttl.is_some_and(|ttl| sure.elapsed() + beat * 3 / 2 >= ttl),
        };
        if is_lost {
            let ended = job.end(PATIENCE).map_err(StoreError::from)?;
            return Ok((ended, true));
        }
    }
}

/// Whether the claim still is the one that was made.
fn renew(store: &mut Store, claimed: &Claimed, wait: Duration) -> Result<bool> {
    store.renew_leases(true, wait)?;
    let row = store.lease(&claimed.id)?;
    Ok(match row {
        Some(row) if row.lease.epoch == claimed.epoch && row.lease.holder.is_some() => row.standing == Standing::Live,
        // The program itself has closed the issue or given it back, and still tidies up.
        Some(row) if row.lease.epoch == claimed.epoch => row.lease.lost_by(&claimed.holder.name).is_none(),
        _ => false,
    })
}
