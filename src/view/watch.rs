//! Events as programs and people see them.

use super::{Object, gist, inline, message, sender};
use crate::coordination::{About, Event, EventKind, IssueNews, LeaseNews};
use crate::model::lease::Holder;

/// One event, on one line.
pub fn watch_event(event: &Event) -> String {
    let object = Object::new().text("event", event.kind.word()).text("at", &event.at.to_string());
    let object = if event.initial { object.flag("initial", true) } else { object };
    match &event.about {
        About::Nothing => object,
        About::Trouble(text) => object.text("message", text),
        About::Issue(news) => issue(object, event.kind, news),
        About::Lease(news) => lease(object, news),
        About::Mail(mail) => object.optional("id", mail.issue.as_deref()).raw("message", &message(mail)),
    }
    .finish()
}

fn issue(object: Object, kind: EventKind, news: &IssueNews) -> Object {
    let object = object
        .text("id", &news.id)
        .text("title", &news.title)
        .text("status", &news.status)
        .number("priority", news.priority)
        .text("issue_type", &news.issue_type)
        .optional("assignee", news.assignee.as_deref())
        .text("source_repo", &news.source_repo);
    let object = match kind {
        EventKind::IssueUpdated | EventKind::IssueClosed | EventKind::IssueReopened => {
            object.texts("fields", news.fields.iter().map(|change| change.field.as_str()))
        }
        _ => object,
    };
    match &news.checkout {
        Some(checkout) => object.optional("worktree_id", checkout.id.as_deref()).text("worktree", &checkout.name),
        None => object,
    }
}

fn lease(object: Object, news: &LeaseNews) -> Object {
    let object = object
        .text("id", &news.id)
        .optional("title", news.title.as_deref())
        .optional("source_repo", news.source_repo.as_deref())
        .number("epoch", news.epoch);
    let held = |object: Object, holder: &Holder| {
        object
            .text("holder", &holder.name)
            .optional("agent", holder.agent.as_deref())
            .optional("expires", holder.expires.map(|at| at.to_string()).as_deref())
            .optional("worktree_id", holder.worktree_id.as_deref())
            .optional("worktree", holder.worktree.as_deref())
    };
    let object = match &news.holder {
        Some(holder) => held(object, holder),
        None => object,
    };
    let object = match &news.from {
        Some(from) => object.raw("from", &held(Object::new(), from).finish()),
        None => object,
    };
    let object = if news.attempts > 0 { object.number("attempts", news.attempts) } else { object };
    object.optional("last_error", news.last_error.as_deref())
}

/// The same for a person.
pub fn watch_text(event: &Event) -> String {
    let said = match &event.about {
        About::Nothing => String::new(),
        About::Trouble(text) => inline(text).into_owned(),
        About::Issue(news) => {
            let fields: Vec<&str> = news.fields.iter().map(|change| change.field.as_str()).collect();
            let fields = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
            let place = news.checkout.as_ref().map(|one| format!(" in {}", one.name)).unwrap_or_default();
            format!("{}{}  {}", inline(&fields), inline(&place), inline(&news.title))
        }
        About::Lease(news) => {
            let name = |holder: &Option<Holder>| holder.as_ref().map(|one| inline(&one.name).into_owned());
            let who = match (name(&news.holder), name(&news.from)) {
                (Some(holder), Some(from)) => format!("{holder}, from {from}"),
                (Some(holder), None) => holder,
                (None, from) => format!("from {}", from.unwrap_or_default()),
            };
            format!("  {who}, epoch {}  {}", news.epoch, inline(news.title.as_deref().unwrap_or_default()))
        }
        About::Mail(mail) => {
            format!("  {} to {}: {}  {}", inline(sender(mail)), inline(&mail.recipient), gist(mail), mail.id)
        }
    };
    let words = event.kind.word().replace('_', " ");
    let id = match &event.about {
        About::Issue(_) | About::Lease(_) => event.issue().map(|id| format!("  {}", inline(id))).unwrap_or_default(),
        _ => String::new(),
    };
    let time = event.at.to_string();
    // The day is known to whoever looks on.
    let time = time.get(11..19).unwrap_or(&time);
    format!("{time}  {words}{id}{said}")
}
