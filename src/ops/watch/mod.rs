//! Watching a project: a stream of events, until the caller stops it.
//!
//! The file system notifies (`sys::Watcher`); then the files are read by the usual code, and the known state is
//! compared with the new one. So close writes give their net change, whoever made them, with `bd` or not. Nothing is
//! written, not even a heartbeat: a running watch does not show that the agent that started it is alive.
//!
//! Limits: a file system without notifications is polled every 30 seconds, which is also the delay for noticing that a
//! claim ended because its process is gone.

mod event;
mod issues;
mod leases;
mod position;
mod records;
mod reported;

pub use event::{About, Event, EventKind, IssueNews, LeaseNews, RecordNews};
pub use position::{Position, PositionError};

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant as Moment};

use crate::model::message::Message;
use crate::model::time::Instant;
use crate::ops::agents::identity;
use crate::ops::{OpError, Result, mail};
use crate::store::Store;
use crate::sys::{Waker, Watcher};
use issues::Ledgers;
use leases::Claims;
use records::Records;
use reported::Reported;

/// Writes this close together are reported as one.
const TOGETHER: Duration = Duration::from_millis(20);
/// What to report, and for how long.
#[derive(Debug, Clone, Default)]
pub struct WatchOptions {
    /// Only events about these issues, by their full ids; all if empty.
    pub issues: Vec<String>,
    /// Only these kinds; by default the usual ones.
    pub kinds: Option<BTreeSet<EventKind>>,
    /// Everyone's mail, not only the actor's.
    pub all_mail: bool,
    /// Do not report the initial state.
    pub since_now: bool,
    /// The file with the position to go on from, if it exists; it is kept current.
    pub position: Option<PathBuf>,
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

    fn wants_records(&self) -> bool {
        EventKind::ALL.into_iter().any(|kind| kind.is_of_records() && self.wants(kind))
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

/// Reports events in a project until `tell` breaks or the time is over. First the initial state: ready issues, claims
/// and unread mail; then an event of the kind [`EventKind::Watching`]; then changes.
pub fn watch(store: &mut Store, options: &WatchOptions, mut tell: impl FnMut(Event) -> ControlFlow<()>) -> Result<()> {
    let since = options.position.as_deref().map_or(Ok(None), Position::load)?;
    if options.position.is_some() {
        // A position is of one checkout. Where the id cannot be stored, it is not checked.
        let _ = store.worktree();
    }
    let mut watch = Watch::start(store, options.clone(), since.as_ref())?;
    let mut kept = since;
    while let Some(events) = watch.next(store) {
        let mut is_over = false;
        for event in events {
            is_over |= tell(event).is_break();
            if is_over && options.position.is_none() {
                return Ok(());
            }
        }
        if let Some(path) = &options.position {
            let position = Some(watch.position(store));
            if position != kept {
                position.as_ref().map_or(Ok(()), |position| position.save(path))?;
                kept = position;
            }
        }
        if is_over {
            return Ok(());
        }
    }
    Ok(())
}

/// A watch that returns events in batches.
#[derive(Debug)]
pub struct Watch {
    options: WatchOptions,
    start: Moment,
    watcher: Watcher,
    targets: Vec<PathBuf>,
    seen: Seen,
    /// Each trouble is reported once, until it is over.
    troubles: BTreeSet<String>,
    /// The first batch, until it is returned.
    first: Option<Vec<Event>>,
}

impl Watch {
    /// Starts a watch. With a position, the first batch has the changes since then instead of the initial state.
    pub fn start(store: &mut Store, options: WatchOptions, since: Option<&Position>) -> Result<Self> {
        let start = Moment::now();
        store.look_again()?;
        let targets = store.watched_paths(options.wants_records())?;
        // Before the first read, so that later changes wake the watch.
        let watcher = Watcher::on(&targets).gathering(TOGETHER);
        let mut seen = Seen::default();
        if let Some(position) = since {
            position.check(store)?;
            (seen.mail, seen.records) = (position.mail.clone(), position.records.clone());
        }
        let mut first = seen.look(store, &options);
        // Mail and records were compared with the position.
        let is_news = |event: &Event| match event.about {
            About::Mail(_) => since.is_some_and(|position| position.mail.is_some()),
            About::Record(_) => true,
            _ => false,
        };
        first.retain(|event| match since {
            _ if event.kind == EventKind::Trouble => true,
            Some(_) => is_news(event),
            None => !options.since_now,
        });
        if let Some(position) = since {
            first.iter_mut().for_each(|event| event.initial = false);
            let news = position.news(&seen.ledgers, &seen.claims, &seen.ready);
            first.extend(news.into_iter().map(|(kind, about)| event(store, kind, about)));
            seen.reported.elsewhere(&seen.ledgers);
        }
        first.push(event(store, EventKind::Watching, About::Nothing));
        let (troubles, first) = (BTreeSet::new(), Some(first));
        Ok(Watch { options, start, watcher, targets, seen, troubles, first })
    }

    /// The next events, possibly none; `None` when the time is over. The first batch is immediate.
    pub fn next(&mut self, store: &mut Store) -> Option<Vec<Event>> {
        let mut events = match self.first.take() {
            Some(first) => first,
            None => self.wait(store)?,
        };
        if let Some(why) = self.watcher.polls() {
            let message = format!("the system does not tell of changes ({why}): looking every two seconds");
            events.push(trouble(store, message));
        }
        let now = events.iter().filter_map(Event::trouble).map(str::to_owned).collect();
        let known = std::mem::replace(&mut self.troubles, now);
        let is_new = |event: &Event| event.trouble().is_none_or(|message| !known.contains(message));
        events.retain(|event| is_new(event) && self.options.wants_event(event));
        Some(events)
    }

    fn wait(&mut self, store: &mut Store) -> Option<Vec<Event>> {
        let left = self.options.at_most.map(|most| most.saturating_sub(self.start.elapsed()));
        if left.is_some_and(|left| left.is_zero()) {
            return None;
        }
        let sleep = [left, self.seen.next_moment(store, &self.options)].into_iter().flatten().min();
        self.watcher.wait(sleep.unwrap_or(Duration::MAX));
        let mut events = self.seen.look(store, &self.options);
        if let Ok(now) = store.watched_paths(self.options.wants_records())
            && now != self.targets
        {
            // A repo or a checkout appeared or was removed.
            self.watcher.turn_to(&now);
            self.targets = now;
            events.extend(self.seen.look(store, &self.options));
        }
        Some(events)
    }

    /// Ends a wait from another thread.
    pub fn waker(&self) -> Waker {
        self.watcher.waker()
    }

    /// The current position: another watch can start there.
    pub fn position(&self, store: &Store) -> Position {
        let Seen { ledgers, claims, ready, mail, records, .. } = &self.seen;
        let mut position = Position::of(ledgers, claims, ready);
        (position.mail, position.records, position.checkout) =
            (mail.clone(), records.clone(), store.known_worktree_id());
        position
    }
}

fn event(store: &Store, kind: EventKind, about: About) -> Event {
    Event { kind, at: store.host().clock.now(), initial: false, about }
}

fn trouble(store: &Store, message: String) -> Event {
    event(store, EventKind::Trouble, About::Trouble(message))
}

/// The state as of the last events.
#[derive(Debug, Default)]
struct Seen {
    ledgers: Ledgers,
    claims: Claims,
    ready: BTreeSet<String>,
    /// Messages by box and id, and other records; `None` if they were not looked at.
    mail: Option<BTreeSet<(String, String)>>,
    records: Option<Records>,
    reported: Reported,
    is_later: bool,
}

impl Seen {
    /// The changes since the last state; the first time, the initial state. An unreadable part is reported too, and
    /// keeps its last state.
    fn look(&mut self, store: &mut Store, options: &WatchOptions) -> Vec<Event> {
        let mut found = Vec::new();
        let refreshed = store.refresh_patiently(|path| self.ledgers.own(path));
        let mut looked = refreshed.map_err(OpError::from);
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
        if options.wants_records() {
            looked = looked.and(self.look_at_records(store, &mut found));
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
        tell(self.reported.only_new(self.ledgers.own_news(store)));
        tell(self.reported.only_new(self.ledgers.news_elsewhere(store)?));
        Ok(())
    }

    fn look_at_claims(&mut self, store: &Store, found: &mut Vec<Event>) -> Result<()> {
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

    fn look_at_ready(&mut self, store: &Store, found: &mut Vec<Event>) -> Result<()> {
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
        let known = self.mail.take().unwrap_or_default();
        let mut new: Vec<&Message> = messages.iter().filter(|message| !known.contains(&key(message))).collect();
        // A message read before the watch started is not new.
        new.retain(|message| self.is_later || message.is_unread());
        new.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
        for message in new {
            found.push(event(store, EventKind::MailArrived, About::Mail(Box::new(message.clone()))));
        }
        self.mail = Some(known.into_iter().chain(messages.iter().map(key)).collect());
        Ok(())
    }

    fn look_at_records(&mut self, store: &Store, found: &mut Vec<Event>) -> Result<()> {
        let (now, news) = records::news(store, self.records.as_ref().unwrap_or(&Records::new()))?;
        // Earlier records are not news when a watch begins.
        let is_first = self.records.replace(now).is_none();
        let news = news.into_iter().filter(|_| !is_first);
        found.extend(news.map(|(kind, one)| event(store, kind, About::Record(Box::new(one)))));
        Ok(())
    }

    /// The time until something happens by time alone: a claim expires, a deferred issue becomes ready.
    fn next_moment(&self, store: &Store, options: &WatchOptions) -> Option<Duration> {
        let now = store.host().clock.both();
        let end = leases::first_end(&self.claims, &now);
        let start: Option<Instant> = options.wants_any(&READY).then(|| store.next_start().ok().flatten()).flatten();
        let start = start.map(|at| at.nanos().saturating_sub(now.wall.nanos()));
        let first = [end, start].into_iter().flatten().min()?;
        // One millisecond later it has certainly happened.
        Some(Duration::from_nanos(u64::try_from(first).unwrap_or(0)) + Duration::from_millis(1))
    }
}
