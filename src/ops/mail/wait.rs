//! Waiting for mail. The one who waits sleeps; an agent that waits says from time to time that it is there, and keeps what it holds.

use std::time::{Duration, Instant};

use super::read::{InboxFilter, inbox};
use super::{own_box, place};
use crate::model::agent::INTERVAL;
use crate::model::message::Message;
use crate::ops::Result;
use crate::ops::agents::identity;
use crate::store::Store;
use crate::sys::Watcher;

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waited {
    pub messages: Vec<Message>,
    /// Why the wait looked again and again instead of being told.
    pub polled: Option<String>,
}

/// Waits until there is unread mail that the filter wants, at most so long.
pub fn wait_for_mail(store: &mut Store, filter: &InboxFilter, at_most: Duration) -> Result<Waited> {
    identity::ensure_registered(store)?;
    let filter = InboxFilter { unread: true, ..filter.clone() };
    let start = Instant::now();
    let targets: Vec<_> = own_box(store).iter().map(|mailbox| mailbox.file(store).path().to_owned()).collect();
    let targets = if targets.is_empty() { vec![place(store).path().to_owned()] } else { targets };
    // Before the first look: what comes in between wakes.
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
