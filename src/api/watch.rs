//! Events in a project, as they happen.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use super::builder::Builder;
use super::error::{Error, Result};
use super::issue::IssueId;
use crate::ops::{About, OpError};
use crate::sys::{self, Waker};
use crate::{ops, store};

/// What a watch reports, and from where on.
#[derive(Debug, Clone, Default)]
#[must_use = "nothing is watched until it is given to `watch`"]
pub struct WatchOptions {
    since: Option<Position>,
    issues: Vec<String>,
    kinds: Option<BTreeSet<ops::EventKind>>,
    at_most: Option<Duration>,
}

impl WatchOptions {
    /// Everything, starting with the current state: ready issues and claims.
    pub fn new() -> Self {
        WatchOptions::default()
    }

    /// Continues another watch: the first batch has what happened since then.
    pub fn since(mut self, position: Position) -> Self {
        self.since = Some(position);
        self
    }

    /// Only events about this issue, by its full id; may be repeated.
    pub fn issue(mut self, id: impl AsRef<str>) -> Self {
        self.issues.push(id.as_ref().to_owned());
        self
    }

    /// Only events of this kind; may be repeated. Trouble is always reported.
    pub fn kind(mut self, kind: EventKind) -> Self {
        let named = KINDS.iter().find(|(known, _)| *known == kind).map(|(_, named)| *named);
        self.kinds.get_or_insert_default().extend(named);
        self
    }

    /// Ends after this time.
    pub fn at_most(mut self, time: Duration) -> Self {
        self.at_most = Some(time);
        self
    }
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A new issue.
    Created,
    /// A changed issue.
    Updated,
    /// An issue was closed.
    Closed,
    /// An issue was reopened.
    Reopened,
    /// An issue is gone.
    Deleted,
    /// An issue became ready.
    Ready,
    /// An issue is no longer ready.
    Unready,
    /// A claim.
    Claimed,
    /// A claim that was renewed. Reported only on request.
    Renewed,
    /// A claim that was released, or ended with the work.
    Released,
    /// A claim that expired.
    Expired,
    /// A claim that was taken from its holder.
    Taken,
    /// Something that cannot be read. The watch continues.
    Trouble,
}

type Observed = ops::EventKind;

const KINDS: [(EventKind, Observed); 13] = [
    (EventKind::Created, Observed::IssueCreated),
    (EventKind::Updated, Observed::IssueUpdated),
    (EventKind::Closed, Observed::IssueClosed),
    (EventKind::Reopened, Observed::IssueReopened),
    (EventKind::Deleted, Observed::IssueDeleted),
    (EventKind::Ready, Observed::IssueReady),
    (EventKind::Unready, Observed::IssueUnready),
    (EventKind::Claimed, Observed::LeaseGranted),
    (EventKind::Renewed, Observed::LeaseRenewed),
    (EventKind::Released, Observed::LeaseReleased),
    (EventKind::Expired, Observed::LeaseExpired),
    (EventKind::Taken, Observed::LeaseTaken),
    (EventKind::Trouble, Observed::Trouble),
];

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// The issue that it is about; `None` for trouble.
    pub issue: Option<IssueId>,
    /// The title of the issue, if known.
    pub title: Option<String>,
    /// The status of the issue, if the event is about the issue itself.
    pub status: Option<String>,
    /// The repo that owns the issue, if known.
    pub repo: Option<String>,
    /// The fields that changed; unknown for changes before the watch started.
    pub fields: Vec<String>,
    /// The holder of the claim, or the last one.
    pub holder: Option<String>,
    /// The epoch of the claim.
    pub epoch: Option<i64>,
    /// A description, for trouble.
    pub message: Option<String>,
    /// When it was observed.
    pub at: SystemTime,
    /// Part of the initial state.
    pub is_initial: bool,
}

fn event(observed: ops::Event) -> Option<Event> {
    let kind = KINDS.iter().find(|(_, known)| *known == observed.kind)?.0;
    let empty = Event {
        kind,
        issue: None,
        title: None,
        status: None,
        repo: None,
        fields: Vec::new(),
        holder: None,
        epoch: None,
        message: None,
        at: sys::to_system(observed.at),
        is_initial: observed.initial,
    };
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    Some(match observed.about {
        About::Issue(news) => Event {
            issue: Some(IssueId::of(&news.id)),
            title: some(news.title),
            status: some(news.status),
            repo: some(news.source_repo),
            fields: news.fields.into_iter().map(|change| change.field).collect(),
            ..empty
        },
        About::Lease(news) => Event {
            issue: Some(IssueId::of(&news.id)),
            title: news.title,
            repo: news.source_repo,
            holder: news.holder.or(news.from).map(|holder| holder.name),
            epoch: Some(news.epoch),
            ..empty
        },
        About::Trouble(message) => Event { message: Some(message), ..empty },
        About::Mail(_) | About::Record(_) | About::Nothing => return None,
    })
}

/// An iterator of batches of events. The first batch comes at once, with what is there or has happened since a [`Position`], and may
/// be empty; each later one has what happened together. It waits for the next batch, and ends when it is stopped or its time is
/// over.
///
/// ```no_run
/// # fn main() -> beads::Result<()> {
/// # let store = beads::Store::open(".")?;
/// let mut watch = store.watch(beads::WatchOptions::new())?;
/// let stopper = watch.stopper(); // for another thread
/// while let Some(events) = watch.next() {
///     for event in &events {
///         println!("{:?} {:?}", event.kind, event.issue);
///     }
///     std::fs::write("watch.position", watch.since().to_string()).ok();
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Watch {
    store: store::Store,
    watch: ops::Watch,
    is_stopped: Arc<AtomicBool>,
    is_first: bool,
}

impl Watch {
    pub(super) fn start(how: &Builder, options: WatchOptions) -> Result<Self> {
        let mut store = how.make(None)?;
        ops::identify(&mut store)?;
        let usual = KINDS.iter().map(|(_, observed)| *observed).filter(|observed| observed.is_usual());
        let wanted = ops::WatchOptions {
            issues: options.issues,
            kinds: Some(options.kinds.unwrap_or_else(|| usual.collect())),
            at_most: options.at_most,
            ..ops::WatchOptions::default()
        };
        let since = options.since.map(|position| position.0);
        let watch = ops::Watch::start(&mut store, wanted, since.as_ref())?;
        Ok(Watch { store, watch, is_stopped: Arc::default(), is_first: true })
    }

    /// Ends the watch from another thread, at once.
    pub fn stopper(&self) -> Stopper {
        Stopper { is_stopped: Arc::clone(&self.is_stopped), waker: self.watch.waker() }
    }

    /// The current position: another watch can continue there, in this process or a later one.
    pub fn since(&self) -> Position {
        Position(self.watch.position(&self.store))
    }
}

impl Iterator for Watch {
    type Item = Vec<Event>;

    fn next(&mut self) -> Option<Vec<Event>> {
        while !self.is_stopped.load(Ordering::Acquire) {
            let observed = self.watch.next(&mut self.store)?;
            let events: Vec<Event> = observed.into_iter().filter_map(event).collect();
            if std::mem::take(&mut self.is_first) || !events.is_empty() {
                return Some(events);
            }
        }
        None
    }
}

/// Ends a watch from another thread. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Stopper {
    is_stopped: Arc<AtomicBool>,
    waker: Waker,
}

impl Stopper {
    /// Ends the watch: its iterator returns nothing more.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
        self.waker.wake();
    }
}

/// The position of a watch. It can be stored as text, and read again with `parse`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position(ops::Position);

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Position {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let position = text.parse::<ops::Position>();
        position.map(Position).map_err(|error| OpError::Usage(error.to_string()).into())
    }
}
