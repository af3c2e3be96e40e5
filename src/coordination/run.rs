//! A program that works on an issue: the issue is claimed for as long as the program runs, and what came of it is noted.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{Result, claims};
use crate::model::lease::Standing;
use crate::store::{AGENT_VARIABLE, AutoClaim, Claimed, LEASE_VARIABLE, ReleaseWish, Released, Store};
use crate::sys;
use crate::sys::job::{Ended, Job};

/// The variable that names the issue which a program works on.
pub const ISSUE_VARIABLE: &str = "BD_ISSUE";
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
}

/// Claims an issue and runs a program on it; `None` if nothing is ready.
pub fn run(store: &mut Store, request: &RunRequest) -> Result<Option<Run>> {
    let wish = &request.auto.wish;
    let claimed = match &request.id {
        Some(id) => Some(claims::claim(store, id, wish, request.remote)?),
        None => claims::claim_ready(store, &request.auto)?,
    };
    let Some(claimed) = claimed else { return Ok(None) };
    let before = store.lease(&claimed.id)?.and_then(|row| row.lease.holder).and_then(|holder| holder.owner);
    let mut vars = vec![
        (ISSUE_VARIABLE.to_owned(), claimed.id.clone()),
        (LEASE_VARIABLE.to_owned(), format!("{}:{}", claimed.id, claimed.epoch)),
    ];
    vars.extend(store.agent().map(|agent| (AGENT_VARIABLE.to_owned(), agent.name.clone())));
    let _silence = store.activity().silence();
    let started = Job::start(&request.program, &request.arguments, &request.directory, &vars, request.apart);
    let mut job = match started {
        Ok(job) => job,
        Err(error) => {
            // It did not start, so nobody works on it.
            if !claimed.again {
                let failed = Some(error.to_string());
                claims::release(store, &claimed.id, &ReleaseWish { reason: None, failed })?;
            }
            return Err(crate::store::StoreError::from(error).into());
        }
    };
    store.set_lease_owner(&claimed, sys::owner(job.pid()))?;
    let (ended, lost) = look_after(store, &claimed, &mut job)?;
    if lost {
        return Ok(Some(Run { claimed, ended, end: RunEnd::Lost }));
    }
    // The claim would be over with the program that it belongs to.
    store.set_lease_owner(&claimed, before)?;
    store.refresh()?;
    let here = store.get(&claimed.id)?.is_none_or(|row| row.issue.status.is_done());
    let closed = here || store.is_done_elsewhere(&claimed.id)?;
    let held =
        store.lease(&claimed.id)?.is_some_and(|row| row.lease.epoch == claimed.epoch && row.lease.holder.is_some());
    let end = if closed {
        RunEnd::Closed
    } else if !held {
        RunEnd::Released
    } else if claimed.again || request.keep {
        RunEnd::Kept
    } else {
        let failed = Some(match ended {
            Ended::Code(0) => "the program ended and did not close the issue".to_owned(),
            Ended::Code(code) => format!("the program ended with {code}"),
            Ended::Signal(signal) => format!("the program was ended by signal {signal}"),
        });
        let released = claims::release(store, &claimed.id, &ReleaseWish { reason: None, failed })?;
        // Another may have been faster than we to see that the program is gone.
        if released.was_lost { RunEnd::Lost } else { RunEnd::Failed(Box::new(released)) }
    };
    Ok(Some(Run { claimed, ended, end }))
}

/// Renews the claim until the program ends, and ends the program if the claim is lost.
fn look_after(store: &mut Store, claimed: &Claimed, job: &mut Job) -> Result<(Ended, bool)> {
    let ttl = claimed.holder.ttl.map(|nanos| Duration::from_nanos(nanos.unsigned_abs()));
    let beat = ttl.map_or(GLANCE, |ttl| (ttl / 3).max(Duration::from_millis(50)));
    let mut sure = Instant::now();
    loop {
        let waited = job.wait(beat).map_err(crate::store::StoreError::from)?;
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
            let ended = job.end(PATIENCE).map_err(crate::store::StoreError::from)?;
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
