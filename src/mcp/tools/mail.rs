//! Mail of the agent that calls.

use crate::mcp::answer::{self, Answer};
use crate::mcp::arguments::Arguments;
use crate::mcp::context::Context;
use crate::model::json::Object;
use crate::model::message::{Kind, Message};
use crate::ops::mail::{self, InboxFilter, Letter};
use crate::view;

const ROWS: usize = 20;

pub(super) fn mail(cx: &mut Context, arguments: &Arguments) -> Answer {
    let store = &mut cx.store;
    match arguments.text("action").unwrap_or_default() {
        "inbox" => {
            let filter = InboxFilter { unread: arguments.flag("unread"), ..InboxFilter::default() };
            let found = mail::inbox(store, &filter)?;
            let rows = found.iter().map(|message| (message.id.clone(), row(message).finish()));
            Ok(answer::page("messages", rows, found.len(), arguments.text("after"), ROWS)?)
        }
        "thread" => {
            let thread = mail::thread(store, arguments.needed("id", "thread")?)?;
            let rows = thread.iter().filter_map(|copies| {
                let first = copies.first()?;
                Some((first.id.clone(), view::copied(first, copies).finish()))
            });
            Ok(answer::page("messages", rows, thread.len(), arguments.text("after"), ROWS)?)
        }
        "read" => {
            Ok(Object::new()
                .raw("message", &view::message(&mail::read(store, arguments.needed("id", "read")?)?).finish()))
        }
        "ack" => {
            let marked = mail::acknowledge(store, &[arguments.needed("id", "ack")?.to_owned()])?;
            Ok(Object::new().raw("acknowledged", &answer::list(&marked, row)))
        }
        "reply" => {
            let letter = Letter { kind: Kind::Response, ..letter(arguments, "reply")? };
            sent(mail::reply(store, arguments.needed("id", "reply")?, letter)?)
        }
        _ => {
            let letter = letter(arguments, "send")?;
            let issue = arguments.text("issue").map(|typed| mail::about(store, typed)).transpose()?;
            let to = arguments.texts("to");
            let kind = if to.iter().any(|to| mail::is_group(to)) { Kind::Broadcast } else { Kind::StatusUpdate };
            sent(mail::send(store, Letter { to, kind, issue, ..letter })?)
        }
    }
}

fn letter(arguments: &Arguments, what_for: &str) -> Result<Letter, view::Failure> {
    let body = arguments.needed("text", what_for)?.to_owned();
    Ok(Letter { body, subject: arguments.text("subject").map(str::to_owned), ..Letter::default() })
}

fn sent(sent: mail::Sent) -> Answer {
    let names: Vec<&str> = sent.recipients.iter().map(mail::Mailbox::name).collect();
    let object = Object::new().text("sent", &sent.message.id).texts("recipients", names);
    Ok(match &sent.back {
        Some(back) => object.text("note", &view::brought_back_text(back)),
        None => object,
    })
}

/// A message in a line of a list.
fn row(message: &Message) -> Object {
    let object = Object::new()
        .text("id", &message.id)
        .text("from", view::sender(message))
        .text("gist", &view::gist(message))
        .optional("issue", message.issue.as_deref())
        .text("at", &message.created.to_string())
        .flag("unread", message.read.is_none());
    if message.wants_ack && message.acked.is_none() { object.flag("wants_ack", true) } else { object }
}
