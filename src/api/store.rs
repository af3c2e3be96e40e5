//! The handle for a project.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use super::acting::Acting;
use super::agent::Agent;
use super::answers::{Blocked, Counts, Generation, Page};
use super::batch::Batch;
use super::builder::Builder;
use super::checkpoint::Checkpoint;
use super::error::Result;
use super::history::{self, Version};
use super::issue::{Issue, IssueId};
use super::new_issue::NewIssue;
use super::query::Query;
use super::roster::{AgentInfo, LeaseInfo};
use super::update::Update;
use super::watch::{Watch, WatchOptions};
use crate::cache::Sort;
use crate::model::query::Expr;
use crate::ops::{self, AgentFilter, Checkouts, CheckpointFilter, LeaseFilter, OpError, Whose};
use crate::store::{ReadyFilter, StoreError};

/// A project: its ledgers as one view, and the way to change them. Cheap to clone, and usable from many threads.
///
/// Every question looks first, with a few `stat` calls, whether something has changed; only changed lines are read again.
/// Writes of the store itself are by the person, or the agent, that the environment names, as with a command of `bd`;
/// [`Store::agent`] gives a handle that acts as another.
///
/// ```no_run
/// use beads::{NewIssue, Query, Store};
///
/// # fn main() -> beads::Result<()> {
/// let store = Store::open(".")?;
/// let issue = store.create(NewIssue::titled("Fix the parser").kind("bug"))?;
/// for issue in &store.ready(&Query::new().limit(20))? {
///     println!("{} {}", issue.id(), issue.title());
/// }
/// store.close(issue.id(), "fixed")?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    how: Builder,
    me: Arc<Acting>,
    agents: Mutex<HashMap<String, Weak<Acting>>>,
}

impl Builder {
    /// Opens the project.
    pub fn open(self) -> Result<Store> {
        let me = Arc::new(Acting::open(&self)?);
        Ok(Store { shared: Arc::new(Shared { how: self, me, agents: Mutex::default() }) })
    }
}

impl Store {
    /// Opens the project at or above a path, with the repos that its settings join. The path may be a project directory, a `.beads`
    /// directory or a file in it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder(path).open()
    }

    /// Configures how to open a project.
    pub fn builder(path: impl AsRef<Path>) -> Builder {
        Builder::at(path.as_ref().to_owned())
    }

    /// Checks whether anything has changed that answers depend on: ledgers, settings, claims and their expiry, other
    /// checkouts, dates. While the generation is the same, so is every answer.
    pub fn poll(&self) -> Result<Generation> {
        Ok(Generation(self.shared.me.generation()?))
    }

    /// Issues that can be worked on now, the most urgent first.
    pub fn ready(&self, query: &Query) -> Result<Page> {
        self.shared.me.ask(|store| {
            let filter = query.ready(store)?;
            Ok(Page::of(ops::ready(store, &filter, Checkouts::One(None))?.page))
        })
    }

    /// Issues that cannot be worked on because they wait for others.
    pub fn blocked(&self, query: &Query) -> Result<Arc<[Blocked]>> {
        self.shared.me.ask(|store| {
            let filter = query.condition(store)?;
            let rows = ops::blocked(store, filter, query.limit)?.rows.into_iter();
            Ok(rows.map(Blocked::of).collect())
        })
    }

    /// All issues that match a query, closed ones included and deleted ones not, in the order of `bd list`.
    pub fn list(&self, query: &Query) -> Result<Page> {
        self.shared.me.ask(|store| {
            let filter = Expr::And(vec![query.condition(store)?, ops::not_deleted()]);
            Ok(Page::of(ops::list_by(store, &filter, Sort::default(), query.limit)?))
        })
    }

    /// Issues that contain all these words in any of their texts, the best matches first, closed ones included.
    pub fn search(&self, text: &str, query: &Query) -> Result<Page> {
        self.shared.me.ask(|store| {
            let filter = query.condition(store)?;
            Ok(Page::found(ops::search(store, text, &filter, None, false, query.limit)?))
        })
    }

    /// The number of issues in each state.
    pub fn counts(&self) -> Result<Counts> {
        self.shared.me.ask(|store| {
            let none = ReadyFilter { limit: Some(0), ..ReadyFilter::default() };
            let ready = ops::ready(store, &none, Checkouts::One(None))?.page.total;
            Ok(Counts::of(&ops::statistics(store, &Expr::ALL)?, ready))
        })
    }

    /// One issue, by its id or the beginning of it; `None` if there is none. An ambiguous beginning is an error.
    pub fn get(&self, id: impl AsRef<str>) -> Result<Option<Issue>> {
        self.shared.me.ask(|store| match ops::find(store, id.as_ref()) {
            Ok(row) => Ok(Some(row.into())),
            Err(OpError::Store(StoreError::NotFound { .. })) => Ok(None),
            Err(error) => Err(error),
        })
    }

    /// The history of an issue in version control, newest change first. Uncommitted changes come before all commits.
    pub fn history(&self, id: impl AsRef<str>) -> Result<Vec<Version>> {
        self.shared.me.ask(|store| history::of(store, id.as_ref()))
    }

    /// The checkpoints of an issue, in all checkouts, newest first.
    pub fn checkpoints(&self, id: impl AsRef<str>, limit: Option<usize>) -> Result<Vec<Checkpoint>> {
        let issue = Some(id.as_ref().to_owned());
        let filter = CheckpointFilter { issue, limit, whose: Whose::All, ..CheckpointFilter::default() };
        self.shared.me.ask(|store| {
            let rows = ops::checkpoints(store, &filter)?.rows.into_iter();
            Ok(rows.rev().map(|row| Checkpoint::of(row.checkpoint)).collect())
        })
    }

    /// All leases of agents and people, by issue; expired ones too, until they are taken back.
    pub fn leases(&self) -> Result<Vec<LeaseInfo>> {
        let all = LeaseFilter::default();
        self.shared.me.ask(|store| Ok(ops::leases(store, &all)?.into_iter().filter_map(LeaseInfo::of).collect()))
    }

    /// The registered agents of this repository, by name.
    pub fn agents(&self) -> Result<Vec<AgentInfo>> {
        self.shared.me.ask(|store| {
            let seen = ops::agents(store, &AgentFilter::default())?;
            let held = ops::in_hand(store, &seen)?;
            Ok(seen.into_iter().zip(held).map(|(seen, held)| AgentInfo::of(seen, held)).collect())
        })
    }

    /// A handle that acts as an agent: it can claim issues. Handles with one name share their state; keep one as long
    /// as the agent works. The agent is registered with its first claim.
    pub fn agent(&self, name: impl AsRef<str>) -> Result<Agent> {
        let name = name.as_ref();
        let mut agents = self.shared.agents.lock().unwrap_or_else(PoisonError::into_inner);
        agents.retain(|_, known| known.strong_count() > 0);
        if let Some(acting) = agents.get(name).and_then(Weak::upgrade) {
            return Ok(Agent::new(name, acting));
        }
        let acting = Arc::new(Acting::open_agent(&self.shared.how, name)?);
        agents.insert(name.to_owned(), Arc::downgrade(&acting));
        Ok(Agent::new(name, acting))
    }

    /// Files an issue, and returns it once it is on disk.
    pub fn create(&self, issue: NewIssue) -> Result<Issue> {
        self.shared.me.create(issue)
    }

    /// Changes an issue.
    pub fn update(&self, id: impl AsRef<str>, update: &Update) -> Result<Issue> {
        self.shared.me.update(id.as_ref(), update)
    }

    /// Closes an issue. Refused while it waits for open issues, or has open children.
    pub fn close(&self, id: impl AsRef<str>, reason: &str) -> Result<Issue> {
        self.shared.me.close(id.as_ref(), reason)
    }

    /// Reopens a closed or deleted issue. A reason becomes a comment.
    pub fn reopen(&self, id: impl AsRef<str>, reason: &str) -> Result<Issue> {
        self.shared.me.reopen(id.as_ref(), reason)
    }

    /// Deletes an issue. Its line stays in the ledger, marked as deleted, and [`reopen`](Self::reopen) brings it back.
    pub fn delete(&self, id: impl AsRef<str>, reason: &str) -> Result<Issue> {
        self.shared.me.delete(id.as_ref(), reason)
    }

    /// Defers an issue: it is not ready until then; with `None`, until it gets the status `open`.
    pub fn defer(&self, id: impl AsRef<str>, until: Option<SystemTime>) -> Result<Issue> {
        self.shared.me.defer(id.as_ref(), until)
    }

    /// Undoes the last writes of this actor in this checkout, all or none, as one new write, which the next undo takes back.
    /// Later changes by others stay; if they touch the same fields, nothing is undone. Returns the changed issues.
    pub fn undo(&self, count: usize) -> Result<Vec<IssueId>> {
        self.shared.me.undo(count)
    }

    /// Starts a batch: many new issues, written at once.
    pub fn batch(&self) -> Batch {
        Batch::new(Arc::clone(&self.shared.me))
    }

    /// Watches the project from now on, or from where another watch ended. The watch is independent of this store.
    pub fn watch(&self, options: WatchOptions) -> Result<Watch> {
        Watch::start(&self.shared.how, options)
    }

    /// The names of the repos of the project, the project's own (`.`) first.
    pub fn repos(&self) -> Result<Vec<String>> {
        self.shared.me.ask(|store| Ok(ops::repo_names(store)))
    }

    /// Problems of files, repos and settings, as `bd` warns of them.
    pub fn warnings(&self) -> Vec<String> {
        self.shared.me.warnings()
    }

    /// The full id that a text means: an id, or the beginning of one.
    pub fn resolve(&self, typed: &str) -> Result<IssueId> {
        self.shared.me.ask(|store| Ok(IssueId::of(&ops::find(store, typed)?.issue.id)))
    }
}
