//! Events as programs and people see them.

use super::answer::answer;
use super::escape::inline;
use super::issue::placed;
use super::mail::{gist, message, sender};
use crate::model::agent::Agent;
use crate::model::checkpoint::Checkpoint;
use crate::model::last_sync::LastSync;
use crate::model::lease::{Holder, Lease};
use crate::model::message::Message;
use crate::model::when::Calendar;
use crate::model::workspace::Workspace;
use crate::ops::{About, Event, EventKind, IssueNews, LeaseNews, RecordNews};

answer! {
    /// One event, on one line.
    pub fn watch_event(event: &Event) {
        event: event.kind.word(), at: event.at, initial: event.initial.then_some(true),
        ..issue?(if let About::Issue(news) = &event.about { Some((event.kind, &**news)) } else { None }),
        ..lease?(if let About::Lease(news) = &event.about { Some(news) } else { None }),
        ..mailed?(if let About::Mail(mail) = &event.about { Some(mail) } else { None }),
        ..record?(if let About::Record(news) = &event.about { Some(&**news) } else { None }),
        message: if let About::Trouble(text) = &event.about { Some(text) } else { None },
    }

    fn record(news: &RecordNews) {
        ..noted?(if let RecordNews::Checkpoint(one) = news { Some(one) } else { None }),
        ..attempt?(if let RecordNews::Run { id, title, lease } = news { Some((id, title, lease)) } else { None }),
        ..known?(if let RecordNews::Agent(one) = news { Some(one) } else { None }),
        ..place?(if let RecordNews::Workspace(one) = news { Some(one) } else { None }),
        ..exchanged?(if let RecordNews::Sync(one) = news { Some(one) } else { None }),
    }

    fn noted(one: &Checkpoint) {
        id: &one.issue, checkpoint: &one.id, number: one.number, type: one.kind.as_str(), summary: &one.summary,
        agent: &one.agent, actor: &one.actor, worktree_id: &one.worktree_id, worktree: &one.worktree,
    }

    fn attempt(run: (&String, &Option<String>, &Lease)) {
        id: run.0, title: run.1, attempts: run.2.attempts, last_error: &run.2.last_error,
    }

    fn known(one: &Agent) {
        agent: &one.id, name: &one.name, role: one.role.word(), runtime: &one.runtime, host: &one.host,
    }

    fn place(one: &Workspace) {
        id: &one.issue, workspace: &one.id, state: one.state.word(), path: &one.path, branch: &one.branch,
        agent: &one.agent, actor: &one.actor, error: &one.error,
    }

    fn exchanged(one: &LastSync) {
        source_repo: &one.id, actor: &one.actor, received: one.received, pushed: one.pushed, error: &one.error,
    }

    fn mailed(mail: &Message) {
        id: &mail.issue, message: message(mail),
    }

    fn issue(event: (EventKind, &IssueNews)) {
        id: &event.1.id, title: &event.1.title, status: &event.1.status, priority: event.1.priority,
        issue_type: &event.1.issue_type, assignee: &event.1.assignee, source_repo: &event.1.source_repo,
        fields: is_change(event.0).then(|| event.1.fields.iter().map(|change| &change.field).collect::<Vec<_>>()),
        ..placed?(&event.1.checkout),
    }

    fn held(holder: &Holder) {
        holder: &holder.name, agent: &holder.agent, expires: holder.expires,
        worktree_id: &holder.worktree_id, worktree: &holder.worktree,
    }

    fn lease(news: &LeaseNews) {
        id: &news.id, title: &news.title, source_repo: &news.source_repo, epoch: news.epoch,
        ..held?(&news.holder), from: news.from.as_ref().map(held),
        attempts: (news.attempts > 0).then_some(news.attempts), last_error: &news.last_error,
    }
}

fn is_change(kind: EventKind) -> bool {
    matches!(kind, EventKind::IssueUpdated | EventKind::IssueClosed | EventKind::IssueReopened)
}

/// The same for a person.
pub fn watch_text(event: &Event, calendar: &Calendar) -> String {
    let details = match &event.about {
        About::Nothing => String::new(),
        About::Record(news) => match &**news {
            RecordNews::Checkpoint(one) => format!("  {}#{}  {}", inline(&one.issue), one.number, inline(&one.summary)),
            RecordNews::Run { id, lease, .. } => {
                let error = lease.last_error.as_deref().unwrap_or_default();
                format!("  {}  attempt {}: {}", inline(id), lease.attempts, inline(error))
            }
            RecordNews::Agent(one) => format!("  {}", inline(&one.name)),
            RecordNews::Workspace(one) => format!("  {}  {}", one.state.word(), inline(&one.path)),
            RecordNews::Sync(one) => {
                let sent = if one.pushed { ", pushed" } else { "" };
                let error = one.error.as_ref().map(|error| format!(": {}", inline(error))).unwrap_or_default();
                format!("  {}  received {}{sent}{error}", inline(&one.id), one.received)
            }
        },
        About::Trouble(text) => inline(text).into_owned(),
        About::Issue(news) => {
            let fields: Vec<&str> = news.fields.iter().map(|change| change.field.as_str()).collect();
            let fields = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
            let place = news.checkout.as_ref().map(|one| format!(" in {}", one.worktree)).unwrap_or_default();
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
    // The person watching knows the day.
    let time = calendar.clock(event.at);
    format!("{time}  {words}{id}{details}")
}
