//! Waiting until a workflow is done, or cannot continue by itself.
//!
//! The file system wakes the wait, as with `bd watch`; so does the expiry of a claim. A waiting agent sends heartbeats
//! and renews its claims.

use crate::model::words::words;
use std::time::{Duration, Instant as Moment};

use super::{Flow, FlowError, flow};
use crate::model::agent::INTERVAL;
use crate::model::lease::Standing;
use crate::model::workflow::State;
use crate::ops::Result;
use crate::ops::agents::identity;
use crate::store::{Store, TaskState};
use crate::sys::Watcher;

/// Writes this close together are processed at once.
const TOGETHER: Duration = Duration::from_millis(20);

/// What to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Every task is done, or the workflow has ended.
    Done,
    /// Nothing is running or available, but not all is done.
    Blocked,
    Any,
}

words! {
    /// Why a workflow has stopped.
    pub enum Halt {
        Done = "done",
        Blocked = "blocked",
    }
}

/// The result of a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitEnd {
    pub flow: Flow,
    /// `None` if it continues and the time is over.
    pub halt: Option<Halt>,
    /// The awaited state was reached.
    pub reached: bool,
    /// Why files were polled.
    pub polled: Option<String>,
}

impl Flow {
    /// Why it does not continue by itself, if so.
    pub fn halt(&self) -> Option<Halt> {
        if self.workflow.state.is_final() || self.is_done() {
            return Some(Halt::Done);
        }
        let is_free = |state: TaskState| state == TaskState::Pending && self.workflow.state == State::InProgress;
        let goes_on = self.tasks.iter().any(|task| task.is_running() || is_free(task.state()));
        (!goes_on).then_some(Halt::Blocked)
    }

    /// The time until the first claim on a task expires.
    fn next_end(&self, store: &Store) -> Option<Duration> {
        let now = store.host().clock.now();
        let live = self.tasks.iter().filter_map(|task| task.holder.as_ref());
        let ends = live.filter(|(_, standing)| *standing == Standing::Live).filter_map(|(holder, _)| holder.expires);
        let first = ends.map(|at| at.nanos().saturating_sub(now.nanos())).min()?;
        // One millisecond later it has certainly happened.
        Some(Duration::from_nanos(u64::try_from(first).unwrap_or(0)) + Duration::from_millis(1))
    }
}

/// Waits, up to a time limit.
pub fn wait(store: &mut Store, typed: &str, until: Until, at_most: Option<Duration>) -> Result<WaitEnd> {
    let start = Moment::now();
    let id = store.find_workflow(typed)?.id().to_owned();
    let mut targets = store.watched_paths(false)?;
    // Before the first read, so that later changes wake the wait.
    let mut watcher = Watcher::on(&targets).gathering(TOGETHER);
    let interval = Duration::from_nanos(INTERVAL.unsigned_abs());
    let mut heard = start;
    loop {
        store.look_again()?;
        let flow = flow(store, &id)?;
        let hidden = store.hidden_repos(&flow.workflow);
        if !hidden.is_empty() && !flow.workflow.state.is_final() {
            return Err(FlowError::Hidden { id, repos: hidden }.into());
        }
        let halt = flow.halt();
        let reached = match (until, halt) {
            (Until::Any, halt) => halt.is_some(),
            (Until::Done, halt) => halt == Some(Halt::Done),
            (Until::Blocked, halt) => halt == Some(Halt::Blocked),
        };
        // A finished workflow will not become blocked.
        let is_over = halt == Some(Halt::Done);
        let left = at_most.map(|most| most.saturating_sub(start.elapsed()));
        if reached || is_over || left.is_some_and(|left| left.is_zero()) {
            return Ok(WaitEnd { flow, halt, reached, polled: watcher.polls().map(str::to_owned) });
        }
        let sign = store.agent().map(|_| interval);
        let sleep = [left, flow.next_end(store), sign].into_iter().flatten().min();
        watcher.wait(sleep.unwrap_or(Duration::MAX));
        if store.agent().is_some() && heard.elapsed() >= interval {
            heard = Moment::now();
            identity::join_as_agent(store)?;
        }
        if let Ok(now) = store.watched_paths(false)
            && now != targets
        {
            // A repo or a checkout appeared or was removed.
            watcher = Watcher::on(&now).gathering(TOGETHER);
            targets = now;
        }
    }
}
