//! Reading mail, without changing anything.

use std::collections::BTreeSet;

use super::{Mailbox, everything, messages, own_box};
use crate::model::message::{Message, Urgency};
use crate::model::state_id::MESSAGE;
use crate::ops::{OpError, Result};
use crate::store::{Store, StoreError};

/// Which messages of a box to show, archived ones excluded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InboxFilter {
    pub unread: bool,
    pub urgent: bool,
    /// A thread, or the issue that it is about.
    pub thread: Option<String>,
    /// At most this many nanoseconds old.
    pub since: Option<i64>,
}

impl InboxFilter {
    fn wants(&self, message: &Message, oldest: Option<i64>) -> bool {
        message.archived.is_none()
            && (!self.unread || message.is_unread())
            && (!self.urgent || message.priority == Urgency::Urgent)
            && self.thread.as_ref().is_none_or(|thread| is_of(message, thread))
            && oldest.is_none_or(|oldest| message.created.nanos() >= oldest)
    }
}

fn is_of(message: &Message, thread: &str) -> bool {
    message.thread == thread || message.issue.as_deref() == Some(thread)
}

/// The actor's mail, newest first.
pub fn inbox(store: &Store, filter: &InboxFilter) -> Result<Vec<Message>> {
    let Some(mailbox) = own_box(store) else { return Ok(Vec::new()) };
    let oldest = filter.since.map(|length| store.host().clock.now().nanos().saturating_sub(length));
    let mut found = messages(store, &mailbox)?;
    found.retain(|message| filter.wants(message, oldest));
    Ok(found)
}

/// The number of the actor's unread messages, and of urgent ones among them.
pub fn inbox_counts(store: &Store) -> Result<(usize, usize)> {
    let unread = inbox(store, &InboxFilter { unread: true, ..InboxFilter::default() })?;
    let urgent = unread.iter().filter(|message| message.priority == Urgency::Urgent).count();
    Ok((unread.len(), urgent))
}

/// A message in a box, by id or its beginning.
pub(super) fn find_in(store: &Store, mailbox: &Mailbox, typed: &str) -> Result<Message> {
    one_of(messages(store, mailbox)?, typed)
}

fn one_of(mut found: Vec<Message>, typed: &str) -> Result<Message> {
    if let Some(at) = found.iter().position(|message| message.id == typed) {
        return Ok(found.swap_remove(at));
    }
    let start = typed.strip_prefix(MESSAGE).unwrap_or(typed);
    let matches = |message: &Message| {
        !start.is_empty() && message.id.strip_prefix(MESSAGE).is_some_and(|rest| rest.starts_with(start))
    };
    found.retain(matches);
    let ids: BTreeSet<String> = found.iter().map(|message| message.id.clone()).collect();
    match (ids.len(), found.pop()) {
        (1, Some(message)) => Ok(message),
        (0, _) | (_, None) => Err(OpError::NoSuchMessage { typed: typed.to_owned() }),
        _ => Err(OpError::Ambiguous { typed: typed.to_owned(), candidates: ids.into_iter().collect() }),
    }
}

/// A conversation, oldest first, from all boxes: each message once, with the marks of all recipients.
///
/// It is found by a message, its own name, or the issue it is about.
pub fn thread(store: &Store, typed: &str) -> Result<Vec<Vec<Message>>> {
    let all = everything(store)?;
    let name = if all.iter().any(|message| is_of(message, typed)) {
        typed.to_owned()
    } else if typed.starts_with(MESSAGE) {
        one_of(all.clone(), typed)?.thread
    } else {
        match store.resolve(typed) {
            Ok(issue) => issue,
            Err(StoreError::NotFound { .. }) => one_of(all.clone(), typed)?.thread,
            Err(error) => return Err(error.into()),
        }
    };
    let mut found: Vec<Message> = all.into_iter().filter(|message| is_of(message, &name)).collect();
    found.sort_by(|a, b| (a.created, &a.id, &a.recipient).cmp(&(b.created, &b.id, &b.recipient)));
    Ok(found.chunk_by(|a, b| a.id == b.id).map(<[Message]>::to_vec).collect())
}

/// Messages that lack a requested acknowledgement, oldest first: those that the actor sent or received, or everyone's.
pub fn overdue(store: &Store, of_all: bool) -> Result<Vec<Message>> {
    let (agent, actor) = match store.agent() {
        Some(agent) => (agent.id.clone(), agent.name.clone()),
        None => (None, store.actor().to_owned()),
    };
    let own = own_box(store);
    let received: BTreeSet<String> = match &own {
        Some(mailbox) => messages(store, mailbox)?.into_iter().map(|message| message.id).collect(),
        None => BTreeSet::new(),
    };
    let is_mine = |message: &Message| {
        let sent = match &message.from_agent {
            Some(id) => agent.as_ref() == Some(id),
            None => agent.is_none() && message.from.as_ref() == Some(&actor),
        };
        sent || own.as_ref().is_some_and(|own| own.name() == message.recipient) && received.contains(&message.id)
    };
    let mut found = everything(store)?;
    found.retain(|message| message.is_owed() && (of_all || is_mine(message)));
    found.sort_by(|a, b| (a.created, &a.id, &a.recipient).cmp(&(b.created, &b.id, &b.recipient)));
    Ok(found)
}
