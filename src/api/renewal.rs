//! Keeping a claim while work goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;

use super::acting::Acting;
use super::error::Result;
use crate::ops::Upkeep;
use crate::store::StoreError;
use crate::sys::fs::FsError;

/// Renews a lease in the background, after each third of its time, until it is dropped or the claim is lost. A renewal
/// that has started is completed.
///
/// ```no_run
/// # fn build(goes_on: impl Fn() -> bool) -> beads::Result<()> {
/// # let agent = beads::Store::open(".")?.agent("builder")?;
/// let mut lease = agent.claim("bd-a3f8", std::time::Duration::from_secs(600))?;
/// let renewal = lease.keep()?;
/// while goes_on() {
///     if renewal.is_lost() {
///         return Ok(()); // another agent may have the issue by now
///     }
/// }
/// lease.close("built")?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the lease is renewed only until this is dropped"]
pub struct Renewal {
    is_lost: Arc<AtomicBool>,
    /// The thread ends once this is dropped.
    _alive: Sender<()>,
}

impl Renewal {
    pub(super) fn start(acting: Arc<Acting>, mut upkeep: Upkeep) -> Result<Self> {
        let (alive, ended) = mpsc::channel();
        let is_lost = Arc::new(AtomicBool::new(false));
        let lost = Arc::clone(&is_lost);
        let renew = move || {
            while ended.recv_timeout(upkeep.pause()) == Err(RecvTimeoutError::Timeout) {
                let renewed = acting.act(|store| upkeep.renew(store));
                if upkeep.is_lost(renewed) {
                    lost.store(true, Ordering::Release);
                    return;
                }
            }
        };
        let started = thread::Builder::new().name("bd renewal".to_owned()).spawn(renew);
        started.map_err(|error| StoreError::from(FsError::new("start", "a thread", error)))?;
        Ok(Renewal { is_lost, _alive: alive })
    }

    /// The claim is lost, or could not be renewed for so long that it may be: work on the issue should stop. An issue
    /// that its holder has closed or released is not lost.
    pub fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }
}
