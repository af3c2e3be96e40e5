//! Mail as programs and people see it. Agents' texts are data: always quoted and escaped, whoever wrote them.

use super::answer::{List, answer, each};
use super::escape::{inline, plural};
use crate::model::message::Message;
use crate::ops::mail::{BroughtBack, Mailbox, Sent};

answer! {
    /// The content of a message, without a recipient's marks.
    fn content(message: &Message) {
        id: &message.id, from: &message.from, from_agent: &message.from_agent,
        type: message.kind.word(), priority: message.priority.word(), subject: &message.subject, body: &message.body,
        issue: &message.issue, thread: &message.thread, reply_to: &message.reply_to,
        created_at: message.created, expires_at: message.expires,
        wants_ack: message.wants_ack, worktree_id: &message.worktree_id,
    }

    fn marked(message: &Message) {
        to: &message.to, recipient: &message.recipient, status: mark(message),
        read_at: message.read, ack_at: message.acked, archived_at: message.archived,
    }

    pub fn message(message: &Message) {
        ..content(message), ..marked(message),
    }

    /// One message of a conversation, with every copy.
    pub fn copied(first: &Message, copies: &[Message]) {
        ..content(first), copies: each(copies, marked),
    }

    fn recipient(mailbox: &Mailbox) {
        name: mailbox.name(), agent: if let Mailbox::Agent { id, .. } = mailbox { Some(id) } else { None },
    }

    fn brought_back(back: &BroughtBack) {
        id: &back.id, done: back.problem.is_none(), worktree: &back.worktree, problem: &back.problem,
    }

    pub fn sent(sent: &Sent) {
        ..content(&sent.message), recipients: each(&sent.recipients, recipient),
        resumed: sent.back.as_ref().map(brought_back),
    }
}

fn mark(message: &Message) -> &'static str {
    match (message.archived, message.read) {
        (Some(_), _) => "archived",
        (None, Some(_)) => "read",
        (None, None) => "unread",
    }
}

/// A conversation: each message once, with every copy.
pub fn mail_thread(thread: &[Vec<Message>]) -> List {
    each(thread.iter().filter_map(|copies| Some((copies.first()?, copies))), |(first, copies)| copied(first, copies))
}

/// What an answer resumed.
pub fn brought_back_text(back: &BroughtBack) -> String {
    let place = back.worktree.as_ref().map(|name| format!(" in {name}")).unwrap_or_default();
    match &back.problem {
        None => format!("Answered, so it is open again{place}: {}", back.id),
        Some(problem) => format!("{} stays deferred{place}: {problem}", back.id),
    }
}

pub fn sent_text(sent: &Sent) -> String {
    let names: Vec<&str> = sent.recipients.iter().map(Mailbox::name).collect();
    let shown = names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(5);
    let more = if more > 0 { format!(" and {}", plural(more, "other")) } else { String::new() };
    format!("Sent to {shown}{more}: {}", sent.message.id)
}

/// The sender's name.
pub fn sender(message: &Message) -> &str {
    message.from.as_deref().unwrap_or("bd")
}

/// The subject of a message, or its beginning.
pub fn gist(message: &Message) -> String {
    let first = || message.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    inline(&super::value::cut(message.subject.as_deref().unwrap_or_else(first), 80)).into_owned()
}
