//! The repos of a project as one store: found, read, asked, and written through.
//!
//! A project is one repo or several: the primary, in which one stands, and those that the settings join to it. A row
//! carries its source, an answer its `source_repo`, and every write goes back to the ledger that owns the issue.
//!
//! A [`Store`] answers from the cache after looking, with one `stat` per file, whether the ledgers still are what was
//! read. Only changed lines are read again.

mod actor;
mod checkout;
mod commit;
mod companion;
mod consent;
mod damage;
mod discover;
mod error;
mod family;
mod guard;
mod history;
mod home;
mod hooks;
mod image;
mod journal;
mod leaks;
mod leases;
mod ledger_name;
mod lines;
mod mark;
mod naming;
mod news;
mod own;
mod owner;
mod pair;
mod place;
mod placeholder;
mod plan;
mod planning;
mod project;
mod proposals;
mod prune;
mod query;
mod records;
mod recover;
mod registry;
mod relocate;
mod rename_prefix;
mod repositories;
mod resolve;
mod restore;
mod role;
mod route;
pub mod settings;
mod siblings;
mod source;
mod stamps;
mod sync;
mod taking;
mod transaction;
mod undo;
mod warning;
mod watch;
mod workflows;

pub use actor::{AGENT_VARIABLE, Identity, find as find_actor};
pub use checkout::{Worktree, worktree_id_at};
pub use companion::Beside;
pub use consent::{SETUP as SETUP_KEY, command as committed_command};
pub use damage::{DamagedRecord, QUARANTINE, store_away};
pub use discover::{
    BEADS_DIR, Beyond, LEDGER_NAMES, REDIRECT_NAME, Repo, missing, named_beads, refuse_control, refuse_not_checked_out,
};
pub use error::{Result, StoreError};
pub use family::{Pointer, PointerState, counterpart, has_state, is_family};
pub use guard::{Found, FoundLeak};
pub use history::{
    Blame, BlamedField, DiffEntry, DiffKind, Event, Log, LogEnd, LogQuery, Moment, PastLine, Point, State,
};
pub use home::{
    STATE_DIR, StateHome, StateMode, WORKSPACE_VARIABLE, prepare as prepare_home, state_home, user_cache, user_config,
    user_data, user_state,
};
pub use hooks::{DriverProblem, DriverStatus, HookError, HookState, HooksChange, HooksRequest, HooksStatus};
pub use leaks::{LeakReport, LeakScope};
pub use leases::{
    AutoClaim, ClaimWish, Claimed, Evidence, LEASE_VARIABLE, LEASES_NAME, LeaseError, LeaseRow, LockedWorkflow,
    NotHandedOut, Reclaimed, ReleaseWish, Released, Stillness,
};
pub use ledger_name::RenamedLedger;
pub use mark::HomeWord;
pub use naming::Named;
pub use news::{CheckoutLedger, counting_copy};
pub use place::{
    display as display_path, expand as expand_path, from as path_from, plain as plain_path, read_named,
    real as real_path, write_named,
};
pub use placeholder::PLACEHOLDER_NAME;
pub use planning::{
    check_planning, commit_files, exclude_line, keep_out_of_commits, ledger_of_working_copy, refuse_stranded,
    start_version_control,
};
pub use project::{Member, Project, RepoProblem, beads_of, outside, trust as read_trust};
pub use proposals::{ProposalRow, ProposeRequest, Proposed, Reconciled};
pub use prune::{Kept, KeptIssue, PRUNE_DAYS, PruneRequest, Pruned, PrunedIssue};
pub use query::{BlockedRow, Page, ReadyFilter, Row, SearchRow};
pub use records::{Put, RecordError, RecordFile, StateDir, StateLock};
pub use recover::{Recovered, Recovery};
pub use relocate::Relocated;
pub use rename_prefix::RenamedPrefix;
pub use resolve::ResolvedLedger;
pub use restore::Restored;
pub use role::{Role, RoleDecision};
pub use route::{Access, Route};
pub use settings::Settings;
pub use siblings::{Elsewhere, Place, Taken, news as news_of};
pub use source::{LineWarning, Refresh};
pub use sync::{NamedPrograms, Progress, Received, RepoSync, SyncOptions, SyncReport, SyncStep, trust_programs};
pub use transaction::{Scope, Transaction, Write, WriteError, Written};
pub use undo::{Undo, UndoAction, UndoClash, UndoneIssue, UndoneWrite};
pub use warning::Warning;
pub use workflows::{TaskRow, TaskState, Withheld, WorkflowRow};

/// What a sync passes on from version control.
pub use crate::vcs::{Carried, Commit, CommitError, HistoryError, Integrated, SyncError};

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::Duration;

use crate::cache::Cache;
use crate::ledger::{Document, Ledger};
use crate::model::change::{Change, NewIssue};
use crate::model::issue::Issue;
use crate::sys::fs::{self, FileStamp};
use crate::sys::{Activity, Host};
use crate::vcs;
use settings::{ConfigError, ConfigFault};
use source::Sources;

/// How to open a store, for those who need more than [`Store::open`].
#[derive(Debug)]
pub struct Config {
    pub host: Host,
    /// The primary repo: a project directory, a `.beads` directory, or a file in one.
    pub path: PathBuf,
    /// The repos to read along, instead of those that the settings name.
    pub additional: Option<Vec<String>>,
    /// Settings that win over every file and over the environment: `("routing.mode", "auto")`.
    pub settings: Vec<(String, String)>,
    /// Who writes; found out from environment and version control if not given.
    pub actor: Option<String>,
    /// How long a write waits for the lock.
    pub lock_wait: Duration,
    /// The path was named on purpose: `BEADS_DIR` and `BEADS_DB` do not win over it.
    pub ignore_env: bool,
}

impl Config {
    pub const LOCK_WAIT: Duration = Duration::from_secs(30);

    pub fn at(path: impl Into<PathBuf>) -> Self {
        Config {
            host: Host::real(),
            path: path.into(),
            additional: None,
            settings: Vec::new(),
            actor: None,
            lock_wait: Self::LOCK_WAIT,
            ignore_env: false,
        }
    }
}

/// A project's issues. `Send`, and cheap to keep: a question about unchanged files costs one `stat` each.
#[derive(Debug)]
pub struct Store {
    host: Host,
    /// Where the project was found.
    repo: Repo,
    given: Given,
    settings: Settings,
    project: Project,
    role: OnceCell<RoleDecision>,
    sources: Sources,
    cache: Cache,
    actor: Option<String>,
    lock_wait: Duration,
    surroundings: Surroundings,
    /// How often repos and ledgers were numbered anew.
    numbering: u64,
    /// What went wrong beside a write that stands.
    notices: Vec<Warning>,
    /// Writes that stand and are not in the journal.
    unjournaled: RefCell<Vec<Warning>>,
    /// Records of the state home that could not be read.
    damaged_records: RefCell<Vec<Warning>>,
    /// Which write the next change of a ledger is a part of.
    writing: RefCell<undo::Writing>,
    /// The agent that acts; without one it is a person.
    agent: Option<Identity>,
    /// The state homes of repos, once they were asked for.
    homes: RefCell<BTreeMap<usize, StateHome>>,
    /// State homes whose locks are held.
    held_homes: RefCell<Vec<Weak<leases::HeldHome>>>,
    /// Claims on remotes whose work has ended: issue and version.
    ended_remotely: RefCell<Vec<(String, String)>>,
    /// The issue that is being claimed.
    claiming: RefCell<Option<String>>,
    /// Workflows may be closed over open tasks.
    forced: bool,
    /// Planning issues of other projects, as last found.
    others: owner::Others,
    /// What other checkouts say, as last read.
    siblings: siblings::Siblings,
    /// The claims, as last read.
    known_leases: Option<leases::KnownLeases>,
    /// What a long piece of work says about itself.
    activity: Activity,
}

/// What the caller said beyond the files.
#[derive(Debug)]
struct Given {
    additional: Option<Vec<String>>,
    settings: Vec<(String, String)>,
    /// Repos that a command named.
    guests: Vec<String>,
}

impl Given {
    fn read(&self, repo: &Repo, host: &Host) -> Result<(Settings, Project, Surroundings)> {
        // Before the files are read: a later change must not go unnoticed.
        let files = settings::Files::of(repo.beads(), &host.env);
        let watched = files.user.iter().chain([&files.shared, &files.personal]).cloned();
        let mut surroundings: Surroundings = watched.map(stamped).collect();
        let mut settings = Settings::read(files, &host.env, &self.settings);
        if let Some(path) = home::committed_settings(repo.beads(), &host.env) {
            let message = "settings of one person are committed here; take the file out of version control";
            settings.broken.push(ConfigError::whole(path, message, ConfigFault::Broken));
        }
        if let Some((file, pointer)) = home::unknown_pointer(repo.beads()) {
            let message = format!("calls this a workspace of {}, which does not know it", pointer.home.display());
            settings.broken.push(ConfigError::whole(file, message, ConfigFault::Stray));
        }
        // What the user has settled for the project is not known then, such as where private issues go.
        if let Some(error) = home::stranded(repo.beads()) {
            settings.broken.push(error);
        } else if let Some(path) = home::unreachable(repo.beads(), &host.env) {
            let message = "this is a workspace, and the state home that it shares is not there; if the repository was moved, \
                           bd worktree repair there mends it";
            settings.broken.push(ConfigError::whole(path, message, ConfigFault::Broken));
        }
        let settings = match &self.additional {
            Some(additional) => settings.with_repos(additional),
            None => settings,
        };
        let trust = if settings.names_outside() { project::trust(&host.env) } else { settings::Trust::default() };
        let project = Project::of(repo, &settings, &trust, &host.env, &self.guests)?;
        surroundings.extend(surrounding_paths(&project, &host.env).into_iter().map(stamped));
        if settings.is_unmarked() {
            surroundings.extend(home::user_state(&host.env).map(|dir| stamped(dir.join(settings::TRUST_NAME))));
        }
        Ok((settings, project, surroundings))
    }
}

impl Store {
    /// Opens the project at or above a path, with the repos that its settings join. The path may be a project directory, a
    /// `.beads` directory or a file in it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(Config::at(path.as_ref()))
    }

    pub fn open_with(config: Config) -> Result<Self> {
        let Config { host, path, additional, settings, actor, lock_wait, ignore_env } = config;
        let repo = Repo::discover(&path, &host.env, ignore_env)?;
        let given = Given { additional, settings, guests: Vec::new() };
        let (settings, project, surroundings) = given.read(&repo, &host)?;
        let sources = Sources::of(&project, query::unknown_ids(&settings, &project), &host)?;
        let cache = Cache::new()?;
        Ok(Store {
            host,
            repo,
            given,
            settings,
            project,
            role: OnceCell::new(),
            sources,
            cache,
            actor,
            lock_wait,
            surroundings,
            numbering: 0,
            notices: Vec::new(),
            unjournaled: RefCell::new(Vec::new()),
            damaged_records: RefCell::default(),
            writing: RefCell::default(),
            agent: None,
            homes: RefCell::default(),
            held_homes: RefCell::default(),
            ended_remotely: RefCell::default(),
            claiming: RefCell::default(),
            forced: false,
            others: owner::Others::default(),
            siblings: siblings::Siblings::default(),
            known_leases: None,
            activity: Activity::default(),
        })
    }

    /// The same project in another place, for the same one who acts and with the same settings on top.
    pub fn opened_at(&self, path: &Path) -> Result<Self> {
        let mut store = Self::open_with(Config {
            host: self.host.clone(),
            path: path.to_owned(),
            additional: self.given.additional.clone(),
            settings: self.given.settings.clone(),
            actor: self.actor.clone(),
            lock_wait: self.lock_wait,
            ignore_env: true,
        })?;
        store.agent = self.agent.clone();
        store.activity = self.activity.clone();
        Ok(store)
    }

    /// Looks for settings, repos and ledgers anew, after one came or went.
    pub fn reopen(&mut self) -> Result<()> {
        (self.settings, self.project, self.surroundings) = self.given.read(&self.repo, &self.host)?;
        self.role = OnceCell::new();
        self.homes.borrow_mut().clear();
        self.numbering += 1;
        let unknown = query::unknown_ids(&self.settings, &self.project);
        self.sources = Sources::of(&self.project, unknown, &self.host)?;
        self.cache = Cache::new()?;
        self.siblings = siblings::Siblings::default();
        self.known_leases = None;
        Ok(())
    }

    /// Brings a repo into the view that a command names: one of the project, or a guest for this once.
    pub fn join(&mut self, text: &str) -> Result<usize> {
        if let Some(repo) = self.find_repo(text) {
            return Ok(repo);
        }
        let path = place::expand(text, self.host.env.cwd(), &self.host.env);
        if Repo::at(&path, String::new()).is_none() {
            let known = self.project.members.iter().map(|member| member.name.clone()).collect();
            return Err(if text.contains(['/', '~']) || path.exists() {
                StoreError::NotARepo { path }
            } else {
                StoreError::NoSuchRepo { text: text.to_owned(), known }
            });
        }
        self.given.guests.push(place::real(&path).display().to_string());
        self.reopen()?;
        self.find_repo(text).ok_or(StoreError::NotARepo { path })
    }

    /// The repo of the project that a path or a name stands for.
    pub fn find_repo(&self, text: &str) -> Option<usize> {
        self.project.find(text, &self.host.env, self.host.env.cwd())
    }

    /// A repo that only this command named; the settings do not join it.
    pub fn is_guest(&self, name: &str) -> bool {
        self.project.members.iter().any(|member| member.name == name && member.origin == Some(settings::Origin::Flag))
    }

    /// The ledgers and their text, as last read, with the repo that each belongs to.
    pub fn documents(&self) -> Vec<(usize, &Ledger, &Document)> {
        self.sources.documents().collect()
    }

    /// What goes on in the store, for work that takes long. Whoever shows it looks at it from another thread.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// Tells what goes on here from now on.
    pub fn report_to(&mut self, activity: Activity) {
        self.activity = activity;
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn project(&self) -> &Project {
        &self.project
    }

    /// How answers name a repo.
    pub fn name(&self, repo: usize) -> &str {
        &self.project.members[repo].name
    }

    /// The ledger of a repo, the first one if there are two.
    pub fn ledger_path(&self, repo: usize) -> Option<&Path> {
        self.sources.of_member(repo).first().map(|source| self.sources.ledger(*source).path())
    }

    pub fn lock_wait(&self) -> Duration {
        self.lock_wait
    }

    /// Who acts: the given actor, `BD_ACTOR`, `BEADS_ACTOR`, git's user name, `USER`.
    pub fn actor(&mut self) -> &str {
        if self.actor.is_none() {
            self.actor = Some(actor::find(&self.host.env, self.repo.root()));
        }
        self.actor.as_deref().unwrap_or_default()
    }

    /// Somebody has said by name who acts, and nothing else decides it.
    pub fn is_actor_named(&self) -> bool {
        self.actor.is_some() || actor::is_named(&self.host.env)
    }

    /// The agent that acts; `None` if it is a person.
    pub fn agent(&self) -> Option<&Identity> {
        self.agent.as_ref()
    }

    /// Says which agent acts from now on.
    pub fn act_as(&mut self, agent: Identity) {
        self.actor.get_or_insert_with(|| agent.name.clone());
        self.agent = Some(agent);
    }

    /// Claims on remotes whose work has ended since this was asked last: issue and version.
    pub fn ended_remotely(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *self.ended_remotely.borrow_mut())
    }

    /// Notes that the remote still knows a claim that has ended here.
    pub fn claim_stays(&mut self, id: &str, message: String) {
        self.notices.push(Warning::ClaimStays { id: id.to_owned(), message });
    }

    /// The state home of the project: agents, mail, checkpoints.
    pub fn state(&self) -> StateDir {
        StateDir::of(self.state_home_of(0))
    }

    /// The state home that the project would have in another mode.
    pub fn state_home_in(&self, mode: StateMode) -> StateHome {
        let env = self.host.env.clone().with(STATE_DIR, "");
        StateHome::of(self.project.members[0].repo.beads(), &env, mode)
    }

    /// The state home for what concerns the issues of a repo.
    fn state_home_of(&self, repo: usize) -> StateHome {
        let find = || {
            // What is committed does not decide where others keep their state.
            let asked = match self.settings.text("state.mode") {
                Some((word, origin)) if origin != settings::Origin::Shared => StateMode::asked(word),
                _ => StateMode::Repo,
            };
            StateHome::of(self.project.members[repo].repo.beads(), &self.host.env, asked)
        };
        self.homes.borrow_mut().entry(repo).or_insert_with(find).clone()
    }

    /// The role of this user in the primary repo, and why.
    pub fn role(&self) -> &RoleDecision {
        self.role.get_or_init(|| {
            // A workspace pushes where it was made to; what its user may do is known where it came from.
            let own = self.project.primary_member().repo.root();
            let facts = vcs::facts(&family::parent(own).unwrap_or_else(|| own.to_owned()), &self.host.env);
            role::decide(&self.host.env, &self.settings, &facts)
        })
    }

    /// The prefix of new ids in a repo: as configured, here or for the original, else the one most ids bear, else made from the
    /// directory's name.
    pub fn prefix(&mut self, repo: usize) -> Result<String> {
        if let Some(prefix) = self.project.members[repo].named_prefix() {
            return Ok(prefix);
        }
        self.sources.read(&mut self.cache)?;
        Ok(self.sources.usual_prefix(repo).unwrap_or_else(|| self.project.members[repo].repo.default_prefix()))
    }

    /// Brings the answers up to date with the files.
    pub fn refresh(&mut self) -> Result<Refresh> {
        self.look_around()?;
        let refreshed = self.sources.refresh(&mut self.cache)?;
        self.show_own()?;
        Ok(refreshed)
    }

    /// Notices settings that were edited, and repos that came or went. Repos may have other numbers afterwards.
    fn look_around(&mut self) -> Result<()> {
        if self.surroundings.iter().any(|(path, known)| fs::stat(path).ok() != *known) {
            self.homes.borrow_mut().clear();
            let (settings, project, surroundings) = self.given.read(&self.repo, &self.host)?;
            if settings != self.settings || project != self.project || self.sources.have_moved(&project) {
                self.reopen()?;
            } else {
                self.surroundings = surroundings;
            }
        }
        Ok(())
    }

    /// What is odd about the files, the repos and the settings, as of the last refresh.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut found: Vec<Warning> = self.settings.broken.iter().cloned().map(Warning::Config).collect();
        found.extend(self.settings.unknown().cloned().map(Warning::UnknownKey));
        found.extend(self.settings.overruled().cloned().map(Warning::Held));
        found.extend(self.project.problems.iter().cloned().map(Warning::Repo));
        for member in self.project.members.iter().skip(1) {
            found.extend(member.broken.clone().map(Warning::Config));
        }
        for (member, message) in self.sources.troubles() {
            found.push(Warning::Unread { repo: self.name(member).to_owned(), message });
        }
        found.extend(self.removed());
        found.extend(self.sibling_problems().cloned());
        let lines = self.sources.warnings();
        if (0..self.sources.len()).any(|source| self.sources.is_frozen(source)) {
            // No file has these lines now, and nothing can be mended.
            found.extend((!lines.is_empty()).then_some(Warning::DamagedThen { lines: lines.len() }));
        } else {
            found.extend(lines.into_iter().map(Warning::Line));
        }
        found.extend(self.damaged_records.borrow().iter().cloned());
        found.extend(self.unjournaled.borrow().iter().cloned());
        found.extend(self.notices.iter().cloned());
        found
    }

    /// Files a new issue where routing sends it, and returns it once it is on disk.
    pub fn create(&mut self, issue: NewIssue) -> Result<Issue> {
        let repo = self.route(None, &issue.dependencies)?.repo;
        self.single(Write::File { issue: Box::new(issue), id: None, repo })
    }

    /// Files a new issue in a repo of the project, named as people name it.
    pub fn create_in(&mut self, repo: &str, issue: NewIssue) -> Result<Issue> {
        let repo = self.route(Some(repo), &issue.dependencies)?.repo;
        self.single(Write::File { issue: Box::new(issue), id: None, repo })
    }

    /// Changes one issue, named by its full id.
    pub fn update(&mut self, id: &str, changes: Vec<Change>) -> Result<Issue> {
        self.single(Write::Change { id: id.to_owned(), changes })
    }

    /// Closes one issue, named by its full id. Refused while it waits for open issues, or is an epic with open children; [`Store::force`]
    /// closes it all the same.
    pub fn close(&mut self, id: &str, reason: Option<String>) -> Result<Issue> {
        self.update(id, vec![Change::Close { reason }])
    }

    fn single(&mut self, write: Write) -> Result<Issue> {
        let scope = match &write {
            Write::File { repo, .. } | Write::Put { repo, .. } => Scope::Repos(vec![*repo]),
            Write::Change { id, .. } => Scope::Issues(vec![id.clone()]),
        };
        let mut transaction = self.begin(scope)?;
        transaction.stage(write)?;
        let written = transaction.commit()?.into_iter().next().expect("one write gives one answer");
        written.map(|written| written.issue()).map_err(WriteError::into_store)
    }
}

/// Files and directories whose change may mean that a ledger came or went, or that a setting was edited.
type Surroundings = Vec<(PathBuf, Option<FileStamp>)>;

fn stamped(path: PathBuf) -> (PathBuf, Option<FileStamp>) {
    let stamp = fs::stat(&path).ok();
    (path, stamp)
}

/// What to watch of the repos: `.beads` directories, configs of their own, and the paths of repos that are not there.
fn surrounding_paths(project: &Project, env: &crate::sys::Env) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for member in &project.members {
        paths.push(member.repo.beads().to_owned());
        if member.origin.is_some() {
            paths.push(member.repo.beads().join(settings::CONFIG_NAME));
        }
    }
    if !project.problems.is_empty() {
        paths.extend(project.watched.iter().flat_map(|path| [path.clone(), path.join(BEADS_DIR)]));
        paths.extend(home::user_state(env).map(|dir| dir.join(settings::TRUST_NAME)));
    }
    paths
}
