//! Mail for people: others' texts are quoted.

use super::columns;
use crate::cli::ui::{Style, Ui};
use crate::model::message::{Message, Urgency};
use crate::model::time::Instant;
use crate::view::{gist, inline, quoted, sender};

/// One line per message: mark, time, sender and recipient, subject, id.
pub(crate) fn messages(ui: &mut Ui, all: &[Message]) {
    let calendar = ui.calendar();
    let lines: Vec<[String; 6]> = all
        .iter()
        .map(|message| {
            let mark = if message.is_unread() { "*" } else { "" };
            let time = calendar.full(message.created);
            let way = format!("{} to {}", sender(message), message.to);
            let mut notes = Vec::new();
            if message.priority != Urgency::Normal {
                notes.push(message.priority.word());
            }
            if message.is_owed() {
                notes.push("wants ack");
            }
            let notes = if notes.is_empty() { String::new() } else { format!("[{}]", notes.join(", ")) };
            [mark.to_owned(), time, inline(&way).into_owned(), notes, gist(message), message.id.clone()]
        })
        .collect();
    columns(ui, "", &lines);
}

/// A whole message.
pub(crate) fn message(ui: &mut Ui, message: &Message) {
    let calendar = ui.calendar();
    let time = |at: Instant| calendar.full(at);
    let priority = (message.priority != Urgency::Normal).then(|| message.priority.word().to_owned());
    let facts = [
        ("Message", Some(message.id.clone())),
        ("From", Some(sender(message).to_owned())),
        ("To", Some(message.to.clone())),
        ("Type", Some(message.kind.word().to_owned())),
        ("Priority", priority),
        ("Subject", message.subject.clone()),
        ("Issue", message.issue.clone()),
        ("Thread", Some(message.thread.clone()).filter(|thread| *thread != message.id)),
        ("Answers", message.reply_to.clone()),
        ("Sent", Some(time(message.created))),
        ("Expires", message.expires.map(time)),
        ("Seen", message.acked.map(time).or_else(|| message.wants_ack.then(|| "not acknowledged yet".to_owned()))),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            ui.fact(name, &value);
        }
    }
    body(ui, message);
}

/// A conversation: each message with its recipients' reactions.
pub(crate) fn conversation(ui: &mut Ui, thread: &[Vec<Message>]) {
    let calendar = ui.calendar();
    for (n, copies) in thread.iter().enumerate() {
        let Some(first) = copies.first() else { continue };
        ui.blank_if(n > 0);
        let marks: Vec<String> = copies
            .iter()
            .map(|copy| {
                let mark = match (copy.acked, copy.read) {
                    (Some(_), _) => "seen",
                    (None, Some(_)) => "read",
                    (None, None) => "unread",
                };
                format!("{} ({mark})", copy.recipient)
            })
            .collect();
        let head = format!("{} {} to {}  {}", calendar.full(first.created), sender(first), marks.join(", "), first.id);
        let head = ui.paint(Style::Dim, &inline(&head));
        ui.line(&head);
        if let Some(subject) = &first.subject {
            ui.line(&format!("Subject: {}", inline(subject)));
        }
        body(ui, first);
    }
}

fn body(ui: &mut Ui, message: &Message) {
    for line in quoted(&message.body) {
        ui.line(&line);
    }
}
