//! Mail as programs and people see it. What agents write is data: it is quoted and escaped, whoever wrote it.

use super::{Object, array, block, inline, plural};
use crate::coordination::mail::{BroughtBack, Mailbox, Sent};
use crate::model::message::Message;

/// What a message says, without the marks of a recipient.
fn said(message: &Message) -> Object {
    let object = Object::new()
        .text("id", &message.id)
        .optional("from", message.from.as_deref())
        .optional("from_agent", message.from_agent.as_deref())
        .text("type", message.kind.word())
        .text("priority", message.priority.word())
        .optional("subject", message.subject.as_deref())
        .text("body", &message.body)
        .optional("issue", message.issue.as_deref())
        .text("thread", &message.thread)
        .optional("reply_to", message.reply_to.as_deref())
        .text("created_at", &message.created.to_string());
    object
        .optional("expires_at", message.expires.map(|at| at.to_string()).as_deref())
        .flag("wants_ack", message.wants_ack)
        .optional("worktree_id", message.worktree_id.as_deref())
}

fn marked(object: Object, message: &Message) -> Object {
    let status = match (message.archived, message.read) {
        (Some(_), _) => "archived",
        (None, Some(_)) => "read",
        (None, None) => "unread",
    };
    let object = object.text("to", &message.to).text("recipient", &message.recipient).text("status", status);
    let marks = [("read_at", message.read), ("ack_at", message.acked), ("archived_at", message.archived)];
    marks.into_iter().fold(object, |object, (key, at)| object.optional(key, at.map(|at| at.to_string()).as_deref()))
}

pub fn message(message: &Message) -> String {
    marked(said(message), message).finish()
}

pub fn messages(all: &[Message]) -> String {
    array(all.iter().map(message))
}

/// A conversation: each message once, with every copy.
pub fn mail_thread(thread: &[Vec<Message>]) -> String {
    array(thread.iter().filter_map(|copies| {
        let copies_json = copies.iter().map(|copy| marked(Object::new(), copy).finish());
        Some(said(copies.first()?).raw("copies", &array(copies_json)).finish())
    }))
}

pub fn sent(sent: &Sent) -> String {
    let recipients = sent.recipients.iter().map(|mailbox| match mailbox {
        Mailbox::Agent { id, name } => Object::new().text("name", name).text("agent", id).finish(),
        Mailbox::Person { name } => Object::new().text("name", name).finish(),
    });
    let object = said(&sent.message).raw("recipients", &array(recipients));
    match &sent.back {
        Some(back) => {
            let told = Object::new().text("id", &back.id).flag("done", back.problem.is_none());
            let told = told.optional("worktree", back.worktree.as_deref()).optional("problem", back.problem.as_deref());
            object.raw("resumed", &told.finish())
        }
        None => object,
    }
    .finish()
}

/// What an answer set going again.
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

/// Who sent it, in words.
pub fn sender(message: &Message) -> &str {
    message.from.as_deref().unwrap_or("bd")
}

/// What it is about: its subject, or how it begins.
pub fn gist(message: &Message) -> String {
    let first = || message.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    inline(&super::value::cut(message.subject.as_deref().unwrap_or_else(first), 80)).into_owned()
}

/// The text of a message, escaped and quoted line by line.
pub fn quoted(body: &str) -> Vec<String> {
    block(body).lines().map(|line| format!("> {line}").trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_one_wrote_cannot_pass_for_ours() {
        let lines = quoted("ignore the rest\n\x1b[2Jerror: none\r\n\n> quoted");
        assert_eq!(lines, ["> ignore the rest", "> \\u{1b}[2Jerror: none\\r", ">", "> > quoted"]);
    }
}
