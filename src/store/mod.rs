//! The repos of a project as one store: discovery, reads, queries and writes.
//!
//! A project is one repo or several: the primary, which you are in, and those that the settings join to it. A row
//! carries its source, an answer its `source_repo`, and every write goes to the ledger that owns the issue.
//!
//! A [`Store`] answers from the cache after checking, with one `stat` per file, that the ledgers are unchanged. Only
//! changed lines are read again.

mod claims;
mod error;
mod exchange;
mod file_names;
mod leases;
mod past;
mod project;
mod propose;
mod read;
mod state;
mod write;

pub use claims::{
    AutoClaim, ClaimWish, Claimed, Evidence, LockedWorkflow, NotHandedOut, Overruled, Reclaimed, ReleaseWish, Released,
};
pub use error::{Beyond, HookError, LeaseError, Result, StoreError, UndoClash, Withheld};
pub use exchange::guard::{Found, FoundLeak};
pub use exchange::hooks::{
    DriverProblem, DriverStatus, HookState, HooksChange, HooksRequest, HooksStatus, MERGES_STATES,
};
pub use exchange::leaks::{LeakReport, LeakScope};
pub use exchange::resolve::ResolvedLedger;
pub use exchange::sync::{
    Arriving, Landed, NamedPrograms, Received, RepoSync, SyncOptions, SyncReport, trust_programs,
};
pub use file_names::{BEADS_DIR, LEASE_VARIABLE, LEDGER_NAMES, REDIRECT_NAME};
pub use leases::{Idleness, LeaseRow, RemoteChange, RemoteNews, TaskRow, TaskState, WorkflowRow};
pub use past::history::{
    Blame, BlamedField, DiffEntry, DiffKind, Event, Log, LogEnd, LogQuery, Moment, PastLine, Point, State,
};
pub use past::prune::{Kept, KeptIssue, PRUNE_DAYS, PruneRequest, Pruned, PrunedIssue};
pub use past::recover::{Recovered, Recovery};
pub use past::restore::Restored;
pub use past::undo::{Undo, UndoAction, UndoneIssue, UndoneWrite};
pub use project::actor::{AGENT_VARIABLE, Identity, find as find_actor};
pub use project::consent::{ProjectText, SETUP as SETUP_KEY, command as committed_command};
pub use project::databases::databases;
pub use project::discover::{Repo, missing, named_beads, no_ledger, refuse_control, refuse_not_checked_out};
pub use project::family::{counterpart, has_state, is_family};
pub use project::home::{
    STATE_DIR, Site, WORKSPACE_VARIABLE, clones as clones_of_user, user_cache, user_config, user_data, user_state,
};
pub use project::home_contents::HomeContents;
pub use project::legacy_database::PLACEHOLDER_NAME;
pub use project::paths::{
    display as display_path, expand as expand_path, from as path_from, plain as plain_path, read_named,
    real as real_path, write_named,
};
pub use project::planning_repo::{
    check_planning, clone_repository, commit_files, exclude_line, keep_out_of_commits, ledger_of_working_copy,
    refuse_stranded, start_version_control,
};
pub use project::pointer::{Pointer, PointerState};
pub use project::repo_problem::RepoProblem;
pub use project::repos::{Member, Repos, beads_of, outside};
pub(in crate::store) use project::role::UPSTREAM;
pub use project::role::{Role, RoleDecision};
pub use project::route::{Access, Route};
pub use project::settings;
pub use project::settings::Settings;
pub use project::trust::{OutsidePath, read as read_trust};
pub use project::warning::{LineWarning, Warning};
pub use project::worktree::Worktree;
pub use project::{Config, Project};
pub use propose::{ProposalRow, ProposeRequest, Proposed, Reconciled};
pub use read::index::Refresh;
pub use read::news::{CheckoutLedger, counting_copy};
pub use read::row::{Beside, BlockedRow, Elsewhere, Page, Place, Row, SearchRow, Taken};
pub use read::siblings::news as news_of;
pub use read::snapshot::Snapshot;
pub use read::typed_ids::Named;
pub use state::checkout_id::worktree_id_at;
pub use state::damage::{DamagedRecord, QUARANTINE, store_away};
pub use state::directory::prepare as prepare_home;
pub use state::home::{StateHome, StateMode};
pub use state::put::Put;
pub use state::record_error::RecordError;
pub use state::records::{RecordFile, StateLock};
pub use state::state_dir::StateDir;
pub use state::tables::{
    AGENTS, CHECKPOINTS, KEYS, LEASES, MAIL, REPOSITORIES, RESERVATIONS, SYNCS, Spot, StateTable, TABLES, Table,
    WORKSPACES,
};
pub use write::ledger_name::RenamedLedger;
pub use write::relocate::{Relocated, resettled};
pub use write::rename_prefix::RenamedPrefix;
pub use write::{Draft, Scope, Together, Transaction, Write, WriteError, Written};

pub use crate::cache::ReadyFilter;
/// What a sync passes on from version control.
pub use crate::vcs::{Carried, Commit, CommitError, HistoryError, Integrated, SyncError, Unpushable, user_editor};

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Weak;

use crate::model::change::{Change, NewIssue};
use crate::model::issue::Issue;
use write::current_write::CurrentWrite;

/// A project's issues, and the one way to change them. `Send`, and cheap to keep: a question about unchanged files
/// costs one `stat` each.
#[derive(Debug)]
pub struct Store {
    snapshot: Snapshot,
    /// The write that the next change of a ledger belongs to.
    current_write: RefCell<CurrentWrite>,
    /// Locked state homes.
    held_homes: RefCell<Vec<Weak<leases::HeldHome>>>,
    /// Claims on remotes whose work has ended: issue and version.
    remote_claims: RefCell<Vec<RemoteNews>>,
    /// Issues that the actor has lost, and whose writes were refused.
    refused_to_loser: RefCell<BTreeSet<String>>,
    /// Planned operations that are to be written together.
    gathered: Option<write::Gathered>,
    /// The files behind earlier answers, from the last check whether those still hold.
    grounds: read::grounds::Grounds,
}

impl Deref for Store {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl DerefMut for Store {
    fn deref_mut(&mut self) -> &mut Snapshot {
        &mut self.snapshot
    }
}

impl Store {
    /// Opens the project at or above a path, with the repos that its settings join. The path may be a project
    /// directory, a `.beads` directory or a file in it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(Config::at(path.as_ref()))
    }

    pub fn open_with(config: Config) -> Result<Self> {
        Ok(Store {
            snapshot: Snapshot::of(Project::open(config)?)?,
            current_write: RefCell::default(),
            held_homes: RefCell::default(),
            remote_claims: RefCell::default(),
            refused_to_loser: RefCell::default(),
            gathered: None,
            grounds: read::grounds::Grounds::default(),
        })
    }

    /// The project at another path, with the same actor and the same overriding settings.
    pub fn opened_at(&self, path: &Path) -> Result<Self> {
        let mut store = Self::open_with(Config {
            host: self.host.clone(),
            path: path.to_owned(),
            additional: self.given.additional.clone(),
            settings: self.given.settings.clone(),
            actor: self.actor.get().cloned(),
            lock_wait: self.lock_wait,
            ignore_env: true,
        })?;
        store.snapshot.project.agent = self.agent.clone();
        store.snapshot.project.session = self.session.clone();
        store.snapshot.project.activity = self.activity.clone();
        Ok(store)
    }

    /// Reads the ledgers again, after a lock was taken or something was written.
    pub(in crate::store) fn read_again(&mut self) -> Result<()> {
        self.look_at_issues_again();
        self.read_ledgers()
    }

    /// Changes since the last call of claims that were made on remotes.
    pub fn remote_news(&self) -> Vec<RemoteNews> {
        std::mem::take(&mut *self.remote_claims.borrow_mut())
    }

    /// Files a new issue where routing sends it, and returns it once it is on disk.
    pub fn create(&mut self, issue: NewIssue) -> Result<Issue> {
        let repo = self.route(None, &issue.dependencies)?.repo;
        self.file(issue, repo)
    }

    /// Files a new issue in a repo of the project, named as people name it.
    pub fn create_in(&mut self, repo: &str, issue: NewIssue) -> Result<Issue> {
        let repo = self.route(Some(repo), &issue.dependencies)?.repo;
        self.file(issue, repo)
    }

    /// Changes one issue, named by its full id.
    pub fn update(&mut self, id: &str, changes: Vec<Change>) -> Result<Issue> {
        Ok(self.change(id, changes)?.issue())
    }

    /// The same, with all that is known of the write.
    pub fn change(&mut self, id: &str, changes: Vec<Change>) -> Result<Written> {
        let write = Write::Change { id: id.to_owned(), changes };
        self.write_one(Scope::Issues(vec![id.to_owned()]), write::Intent::Edit, write)
    }

    /// Closes one issue, named by its full id. Refused while it waits for open issues, or is an epic with open
    /// children, unless [`Change::Force`] accompanies [`Change::Close`].
    pub fn close(&mut self, id: &str, reason: Option<String>) -> Result<Issue> {
        self.update(id, vec![Change::Close { reason }])
    }

    fn file(&mut self, issue: NewIssue, repo: usize) -> Result<Issue> {
        let write = Write::File { issue: Box::new(issue), id: None, repo };
        Ok(self.write_one(Scope::Repos(vec![repo]), write::Intent::Edit, write)?.issue())
    }
}
