//! Sending: a copy for every recipient.
//!
//! All addresses are resolved before the first copy is written. After a crash, or on a full disk, only some recipients
//! may have the message; the error then has no id.

use super::{BroughtBack, Mailbox, address, place, questions, read};
use crate::ledger::Document;
use crate::model::message::{Kind, Message, Urgency};
use crate::model::state_id::MESSAGE;
use crate::model::time::{Instant, SECOND};
use crate::model::{state_id, time};
use crate::ops::agents::identity;
use crate::ops::{OpError, Result};
use crate::store::{MAIL, Put, Store};

/// Longer texts belong in a file.
const MAX_BODY: usize = 1 << 20;
const MAX_SUBJECT: usize = 1000;

/// Who sends a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sender {
    /// The acting agent or person.
    #[default]
    Actor,
    /// The program itself.
    System,
}

/// A message to send.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Letter {
    /// The message's id, if it is planned; boxes that have it get no second one.
    pub id: Option<String>,
    pub from: Sender,
    /// Addresses as people type them.
    pub to: Vec<String>,
    pub kind: Kind,
    pub priority: Urgency,
    pub subject: Option<String>,
    pub body: String,
    /// An issue, by its full id.
    pub issue: Option<String>,
    /// Nanoseconds after which it need not be shown.
    pub expires: Option<i64>,
    pub wants_ack: bool,
    /// The message that it answers.
    pub answers: Option<Message>,
}

/// A sent message and its recipients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The copy of the first recipient.
    pub message: Message,
    pub recipients: Vec<Mailbox>,
    /// The issue that resumes because its question is now answered.
    pub back: Option<BroughtBack>,
}

/// Sends a letter. If one address has no recipient, nothing is sent.
pub fn send(store: &mut Store, letter: Letter) -> Result<Sent> {
    check(&letter)?;
    let recipients = address::resolve(store, &letter.to)?;
    deliver(store, letter, recipients)
}

/// The issue that a message is about, as typed; a workflow's id works too.
pub fn about(store: &Store, typed: &str) -> Result<String> {
    match state_id::is(state_id::WORKFLOW, typed) {
        true => Ok(store.find_workflow(typed)?.id().to_owned()),
        false => Ok(store.resolve(typed)?),
    }
}

/// Answers a message: to its sender, in its thread. Resumes an issue deferred until then.
pub fn reply(store: &mut Store, typed: &str, letter: Letter) -> Result<Sent> {
    let mailbox = super::own_box(store).ok_or_else(|| OpError::NoSuchMessage { typed: typed.to_owned() })?;
    let answered = read::find_in(store, &mailbox, typed)?;
    let to = match (&answered.from_agent, &answered.from) {
        (Some(id), _) => id.clone(),
        (None, Some(name)) => format!("person:{name}"),
        (None, None) => return Err(OpError::NoSender { id: answered.id }),
    };
    let issue = letter.issue.clone().or_else(|| answered.issue.clone());
    let sent = send(store, Letter { to: vec![to], issue, answers: Some(answered.clone()), ..letter })?;
    // Answering implies reading.
    super::marks::read(store, &answered.id)?;
    Ok(Sent { back: questions::bring_back(store, &answered), ..sent })
}

fn check(letter: &Letter) -> Result<()> {
    let too_long = |what, most| Err(OpError::TooLong { what, most });
    match letter {
        _ if letter.body.trim().is_empty() => Err(OpError::NoBody),
        _ if letter.body.len() > MAX_BODY => too_long("body", MAX_BODY),
        _ if letter.subject.as_ref().is_some_and(|subject| subject.len() > MAX_SUBJECT) => {
            too_long("subject", MAX_SUBJECT)
        }
        _ => Ok(()),
    }
}

fn deliver(store: &mut Store, letter: Letter, recipients: Vec<(String, Mailbox)>) -> Result<Sent> {
    let (from, from_agent) = match letter.from {
        Sender::System => (None, None),
        Sender::Actor => match identity::ensure_registered(store)? {
            Some(agent) => (Some(agent.name), Some(agent.id)),
            None => (Some(store.actor().to_owned()), None),
        },
    };
    let id = letter.id.unwrap_or_else(|| state_id::mint(MESSAGE, store.host().entropy.bytes()));
    // Send even if the checkout cannot get an id.
    let worktree_id = match letter.from {
        Sender::Actor => store.worktree().ok().and_then(|here| here.id),
        Sender::System => None,
    };
    let answered = letter.answers.as_ref();
    let thread = answered.map(|message| message.thread.clone()).or_else(|| letter.issue.clone());
    let held = place(store).lock(store.lock_wait())?;
    // After waiting for the lock, so that times match the order of writes.
    let now = store.host().clock.now();
    let created = moment(store, now, answered, &recipients)?;
    let mut message = Message {
        thread: thread.unwrap_or_else(|| id.clone()),
        id,
        from,
        from_agent,
        to: String::new(),
        recipient: String::new(),
        kind: letter.kind,
        priority: letter.priority,
        subject: letter.subject,
        body: letter.body,
        issue: letter.issue,
        reply_to: answered.map(|message| message.id.clone()),
        created,
        expires: letter.expires.map(|length| now.plus_nanos(length)),
        wants_ack: letter.wants_ack,
        worktree_id,
        read: None,
        acked: None,
        archived: None,
    };
    // The first one last, so that its copy is returned.
    for (to, mailbox) in recipients.iter().rev() {
        message.to = to.clone();
        message.recipient = mailbox.name().to_owned();
        let put = |document: &Document| -> Result<Vec<Put>> {
            let is_there = document.has_id(&message.id);
            Ok(if is_there { Vec::new() } else { vec![MAIL.put(document, &message.id, &message)] })
        };
        mailbox.file(store).edit(&held, &store.host().entropy, put)?;
    }
    drop(held);
    let recipients = recipients.into_iter().map(|(_, mailbox)| mailbox).collect();
    Ok(Sent { message, recipients, back: None })
}

/// Now, but after the answered message and those in the boxes, so that messages of one millisecond keep their order.
/// Messages from a clock far ahead do not count.
fn moment(
    store: &Store,
    now: Instant,
    answered: Option<&Message>,
    recipients: &[(String, Mailbox)],
) -> Result<Instant> {
    let limit = now.plus_nanos(SECOND);
    let mut latest = answered.map(|message| message.created).filter(|at| *at <= limit);
    for (_, mailbox) in recipients {
        let lying = mailbox.file(store).read()?;
        latest = latest.max(MAIL.rows(&lying).map(|message| message.created).filter(|at| *at <= limit).max());
    }
    Ok(time::after(latest, now))
}
