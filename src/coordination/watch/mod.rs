//! Watching a project: a stream of events, from the moment that it begins until the caller has enough.
//!
//! The file system wakes (`sys::Watcher`); then the files are read by the same code as ever, and what was known is compared with
//! what is there. So writes that come close together give their net change, whoever made them, with `bd` or not. Nothing is
//! written, not even a sign of life: a watch that runs on says nothing about the agent that started it.
//!
//! Limits: a file system that tells nothing is looked at every 30 seconds, which is also how soon a claim is known to be over
//! because its process is gone.

mod event;
mod issues;
mod leases;

pub use event::{About, Checkout, Event, EventKind, IssueNews, LeaseNews};

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant as Moment};

use super::{CoordinationError, Result, identity, mail};
use crate::model::message::Message;
use crate::model::time::Instant;
use crate::store::Store;
use crate::sys::Watcher;
use issues::Ledgers;
use leases::Claims;

/// Writes that come so close together are told as one.
const TOGETHER: Duration = Duration::from_millis(20);
/// What to tell, and for how long.
#[derive(Debug, Clone, Default)]
pub struct WatchOptions {
    /// Only what concerns these issues, by their full ids; all if there are none.
    pub issues: Vec<String>,
    /// Only these kinds; without any, the usual ones.
    pub kinds: Option<BTreeSet<EventKind>>,
    /// Mail of everybody, not only of the one who acts.
    pub all_mail: bool,
    /// Say nothing of what is there already.
    pub since_now: bool,
    pub at_most: Option<Duration>,
}

impl WatchOptions {
    fn wants(&self, kind: EventKind) -> bool {
        match (&self.kinds, kind) {
            (_, EventKind::Watching | EventKind::Trouble) => true,
            (None, kind) => kind.is_usual(),
            (Some(kinds), kind) => kinds.contains(&kind),
        }
    }

    fn wants_any(&self, kinds: &[EventKind]) -> bool {
        kinds.iter().any(|kind| self.wants(*kind))
    }

    fn wants_event(&self, event: &Event) -> bool {
        let concerned = || event.issue().is_some_and(|id| self.issues.iter().any(|wanted| wanted == id));
        let always = matches!(event.kind, EventKind::Watching | EventKind::Trouble);
        self.wants(event.kind) && (always || self.issues.is_empty() || concerned())
    }
}

const READY: [EventKind; 2] = [EventKind::IssueReady, EventKind::IssueUnready];

/// Tells what happens in a project until `tell` breaks off or the time is over. First comes what is there: ready issues, claims
/// and unread mail; then an event of the kind [`EventKind::Watching`]; then what happens.
///
/// ```no_run
/// use std::ops::ControlFlow;
/// use beads::coordination::{EventKind, WatchOptions, watch};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut store = beads::Store::open(".")?;
/// watch(&mut store, &WatchOptions::default(), |event| {
///     println!("{} {:?}", event.kind.word(), event.issue());
///     if event.kind == EventKind::IssueClosed { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// })?;
/// # Ok(())
/// # }
/// ```
pub fn watch(store: &mut Store, options: &WatchOptions, mut tell: impl FnMut(Event) -> ControlFlow<()>) -> Result<()> {
    let start = Moment::now();
    store.refresh()?;
    let mut targets = store.watched_paths()?;
    // Before the first look: what comes in between wakes.
    let mut watcher = Watcher::on(&targets).gathering(TOGETHER);
    let mut seen = Seen::default();
    let mut troubles: BTreeSet<String> = BTreeSet::new();
    let mut events = seen.look(store, options);
    events.retain(|event| event.kind == EventKind::Trouble || !options.since_now);
    events.push(event(store, EventKind::Watching, About::Nothing));
    loop {
        if let Some(why) = watcher.polls() {
            let message = format!("the system does not tell of changes ({why}): looking every two seconds");
            events.push(trouble(store, message));
        }
        // The same trouble is told once, until it is over.
        let now = events.iter().filter_map(Event::trouble).map(str::to_owned).collect();
        let known = std::mem::replace(&mut troubles, now);
        let is_new = |event: &Event| event.trouble().is_none_or(|message| !known.contains(message));
        for event in events.into_iter().filter(|event| is_new(event) && options.wants_event(event)) {
            if tell(event).is_break() {
                return Ok(());
            }
        }
        let left = options.at_most.map(|most| most.saturating_sub(start.elapsed()));
        if left.is_some_and(|left| left.is_zero()) {
            return Ok(());
        }
        let sleep = [left, seen.next_moment(store, options)].into_iter().flatten().min();
        watcher.wait(sleep.unwrap_or(Duration::MAX));
        events = seen.look(store, options);
        if let Ok(now) = store.watched_paths()
            && now != targets
        {
            // A repo or a checkout came or went.
            watcher = Watcher::on(&now).gathering(TOGETHER);
            targets = now;
            events.extend(seen.look(store, options));
        }
    }
}

fn event(store: &Store, kind: EventKind, about: About) -> Event {
    Event { kind, at: store.host().clock.now(), initial: false, about }
}

fn trouble(store: &Store, message: String) -> Event {
    event(store, EventKind::Trouble, About::Trouble(message))
}

/// What was known when events were told last.
#[derive(Debug, Default)]
struct Seen {
    ledgers: Ledgers,
    claims: Claims,
    ready: BTreeSet<String>,
    /// Messages by box and id.
    mail: BTreeSet<(String, String)>,
    is_later: bool,
}

impl Seen {
    /// What happened since the last look; at the first one, what is there. What cannot be read is told too, and stays as it was.
    fn look(&mut self, store: &mut Store, options: &WatchOptions) -> Vec<Event> {
        let mut found = Vec::new();
        let refreshed = store.refresh_patiently(|path| self.ledgers.own(path));
        let mut looked = refreshed.map_err(CoordinationError::from);
        if looked.is_ok() {
            looked = self.look_at_issues(store, &mut found);
            looked = looked.and(self.look_at_claims(store, &mut found));
            if options.wants_any(&READY) {
                looked = looked.and(self.look_at_ready(store, &mut found));
            }
        }
        if options.wants(EventKind::MailArrived) {
            looked = looked.and(self.look_at_mail(store, options, &mut found));
        }
        if !self.is_later {
            found.iter_mut().for_each(|event| event.initial = true);
            self.is_later = true;
        }
        found.extend(looked.err().map(|error| trouble(store, error.to_string())));
        found
    }

    fn look_at_issues(&mut self, store: &Store, found: &mut Vec<Event>) -> Result<()> {
        let mut tell = |issues: Vec<(EventKind, IssueNews)>| {
            let events = issues.into_iter().map(|(kind, news)| event(store, kind, About::Issue(Box::new(news))));
            found.extend(events);
        };
        tell(self.ledgers.own_news(store));
        tell(self.ledgers.news_elsewhere(store)?);
        Ok(())
    }

    fn look_at_claims(&mut self, store: &mut Store, found: &mut Vec<Event>) -> Result<()> {
        let now = leases::claims(store.lease_records()?);
        for (kind, mut news) in leases::changes(&self.claims, &now) {
            if let Some(row) = store.get(&news.id)? {
                (news.title, news.source_repo) = (Some(row.issue.title), Some(row.source_repo));
            }
            found.push(event(store, kind, About::Lease(Box::new(news))));
        }
        self.claims = now;
        Ok(())
    }

    fn look_at_ready(&mut self, store: &mut Store, found: &mut Vec<Event>) -> Result<()> {
        let now = store.ready_ids()?;
        let changed = [(EventKind::IssueReady, &now, &self.ready), (EventKind::IssueUnready, &self.ready, &now)];
        for (kind, these, others) in changed {
            for id in these.difference(others) {
                let Some(row) = store.get(id)? else { continue };
                let news = issues::of(id, row.issue, row.source_repo);
                found.push(event(store, kind, About::Issue(Box::new(news))));
            }
        }
        self.ready = now;
        Ok(())
    }

    fn look_at_mail(&mut self, store: &mut Store, options: &WatchOptions, found: &mut Vec<Event>) -> Result<()> {
        let messages: Vec<Message> = if options.all_mail {
            mail::everything(store)?
        } else {
            if store.agent().is_some_and(|agent| agent.id.is_none()) {
                // It may have registered since.
                identity::identify(store)?;
            }
            mail::inbox(store, &mail::InboxFilter::default())?
        };
        let key = |message: &Message| (message.recipient.clone(), message.id.clone());
        let mut new: Vec<&Message> = messages.iter().filter(|message| !self.mail.contains(&key(message))).collect();
        // What was read before the watch began is no news.
        new.retain(|message| self.is_later || message.is_unread());
        new.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        for message in new {
            found.push(event(store, EventKind::MailArrived, About::Mail(Box::new(message.clone()))));
        }
        self.mail.extend(messages.iter().map(key));
        Ok(())
    }

    /// How long until something happens by time alone: a claim ends, an issue that was put off becomes ready.
    fn next_moment(&self, store: &mut Store, options: &WatchOptions) -> Option<Duration> {
        let now = store.host().clock.both();
        let end = leases::first_end(&self.claims, &now);
        let start: Option<Instant> = options.wants_any(&READY).then(|| store.next_start().ok().flatten()).flatten();
        let start = start.map(|at| at.nanos().saturating_sub(now.wall.nanos()));
        let first = [end, start].into_iter().flatten().min()?;
        // A millisecond later it certainly is so.
        Some(Duration::from_nanos(u64::try_from(first).unwrap_or(0)) + Duration::from_millis(1))
    }
}
