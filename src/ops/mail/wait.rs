//! Waiting for mail. The process sleeps; a waiting agent sends heartbeats and renews its claims.

use std::time::{Duration, Instant};

use super::read::{InboxFilter, inbox};
use super::{own_box, place};
use crate::model::agent::INTERVAL;
use crate::model::message::Message;
use crate::ops::Result;
use crate::ops::agents::identity;
use crate::store::Store;
use crate::sys::Watcher;

/// The result of a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waited {
    pub messages: Vec<Message>,
    /// Why the wait polled instead of being notified.
    pub polled: Option<String>,
}

/// Waits for unread mail that matches the filter, up to a time limit.
pub fn wait_for_mail(store: &mut Store, filter: &InboxFilter, at_most: Duration) -> Result<Waited> {
    identity::ensure_registered(store)?;
    let filter = InboxFilter { unread: true, ..filter.clone() };
    let start = Instant::now();
    let targets: Vec<_> = own_box(store).iter().map(|mailbox| mailbox.file(store).path().to_owned()).collect();
    let targets = if targets.is_empty() { vec![place(store).path().to_owned()] } else { targets };
    // Before the first read, so that later changes wake the wait.
    let mut watcher = Watcher::on(&targets);
    let interval = Duration::from_nanos(INTERVAL.unsigned_abs());
    let mut heard = start;
    loop {
        store.look_again()?;
        let messages = inbox(store, &filter)?;
        let left = at_most.saturating_sub(start.elapsed());
        if !messages.is_empty() || left.is_zero() {
            return Ok(Waited { messages, polled: watcher.polls().map(str::to_owned) });
        }
        watcher.wait(left.min(interval));
        if heard.elapsed() >= interval {
            heard = Instant::now();
            identity::join_as_agent(store)?;
        }
    }
}
