//! What a recipient does with its copies: read, acknowledge, archive. Only the first time is recorded.

use super::{own_box, place, read as look};
use crate::model::message::Message;
use crate::model::time::Instant;
use crate::ops::{OpError, Result};
use crate::store::{MAIL, Put, Store};

/// Marks a message of the actor as read.
pub fn read(store: &Store, typed: &str) -> Result<Message> {
    let marked = mark(store, &[typed.to_owned()], Message::mark_read)?;
    marked.into_iter().next().ok_or_else(|| OpError::NoSuchMessage { typed: typed.to_owned() })
}

/// Acknowledges messages to their senders. If one is missing, none is marked.
pub fn acknowledge(store: &Store, typed: &[String]) -> Result<Vec<Message>> {
    mark(store, typed, Message::mark_acked)
}

/// Archives messages: they stay in the box but are not shown.
pub fn archive(store: &Store, typed: &[String]) -> Result<Vec<Message>> {
    mark(store, typed, Message::mark_archived)
}

/// Archives messages read this long ago. Those that still need an acknowledgement stay.
pub fn archive_read(store: &Store, older_than: i64) -> Result<Vec<Message>> {
    let limit = store.host().clock.now().nanos().saturating_sub(older_than);
    let all = look::inbox(store, &look::InboxFilter::default())?;
    let old = |message: &Message| message.read.is_some_and(|at| at.nanos() <= limit) && !message.is_owed();
    let ids: Vec<String> = all.into_iter().filter(old).map(|message| message.id).collect();
    mark(store, &ids, Message::mark_archived)
}

fn mark(store: &Store, typed: &[String], change: fn(&mut Message, Instant)) -> Result<Vec<Message>> {
    let Some(first) = typed.first() else { return Ok(Vec::new()) };
    let mailbox = own_box(store).ok_or_else(|| OpError::NoSuchMessage { typed: first.clone() })?;
    let ids: Vec<String> =
        typed.iter().map(|text| Ok(look::find_in(store, &mailbox, text)?.id)).collect::<Result<_>>()?;
    let now = store.host().clock.now();
    let held = place(store).lock(store.lock_wait())?;
    let mut marked = Vec::new();
    mailbox.file(store).edit(&held, &store.host().entropy, |document| -> Result<Vec<Put>> {
        marked.clear();
        let mut puts = Vec::new();
        for id in &ids {
            let Some(mut message) = MAIL.row(document, id) else { continue };
            change(&mut message, now);
            puts.push(MAIL.put(document, id, &message));
            marked.push(message);
        }
        Ok(puts)
    })?;
    Ok(marked)
}
