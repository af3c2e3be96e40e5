//! The repos of a project as one store: found, read, asked, and written through.
//!
//! Today a project is one repo. Everything that will have to know about several already does: a row carries its source, an
//! answer its `source_repo`, and a [`Transaction`] takes the locks of all the ledgers it writes in path order.
//!
//! A [`Store`] answers from the cache after looking, with one `stat` per file, whether the ledgers still are what was
//! read. Only changed lines are read again.

mod actor;
mod config;
mod discover;
mod image;
mod lines;
mod query;
mod source;
mod transaction;

pub use config::Config;
pub use discover::{BEADS_DIR, LEDGER_NAMES, Repo};
pub use query::{BlockedRow, Page, ReadyFilter, Row, SearchRow};
pub use source::{Refresh, Warning};
pub use transaction::{Transaction, Write, WriteError, Written};

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::cache::{Cache, CacheError};
use crate::ledger::{Document, Ledger, LedgerError};
use crate::model::change::{Change, ChangeError, NewIssue};
use crate::model::id::{self, IdError, Resolved};
use crate::model::issue::Issue;
use crate::sys::Host;
use crate::sys::fs::{self, FileStamp, FsError};
use source::Sources;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("no .beads directory at or above {}", start.display())]
    NoRepository { start: PathBuf },
    #[error("{variable} is set, but there is no .beads directory at {}", path.display())]
    BadVariable { variable: &'static str, path: PathBuf },
    #[error("no ledger in {}", directory.display())]
    NoLedger { directory: PathBuf },
    #[error("{} has two ledgers, {} and {}; writes need one", directory.display(), LEDGER_NAMES[0], LEDGER_NAMES[1])]
    TwoLedgers { directory: PathBuf },
    #[error("{} leads to {}, outside of this repository", from.display(), to.display())]
    Redirect { from: PathBuf, to: PathBuf },
    #[error("{}: {message}", path.display())]
    Config { path: PathBuf, message: String },
    #[error("no issue found matching {typed:?}: not found")]
    NotFound { typed: String },
    #[error("{typed:?} is ambiguous: it matches {}", list(candidates))]
    Ambiguous { typed: String, candidates: Vec<String> },
    #[error("{dependent} cannot depend on {target}: that would close a cycle ({})", path.join(" -> "))]
    Cycle { dependent: String, target: String, path: Vec<String> },
    #[error("{} is a {what}: kept, but not readable as an issue", id)]
    Unreadable { id: String, what: String },
    #[error("{id} exists already")]
    Taken { id: String },
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Cache(#[from] CacheError),
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error(transparent)]
    Id(#[from] IdError),
    #[error(transparent)]
    Change(#[from] ChangeError),
}

fn list(candidates: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = candidates.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if candidates.len() > SHOWN {
        text.push_str(&format!(" and {} more", candidates.len() - SHOWN));
    }
    text
}

pub type Result<T> = std::result::Result<T, StoreError>;

/// How to open a store, for those who need more than [`Store::open`].
#[derive(Debug)]
pub struct Options {
    pub host: Host,
    /// Where to start looking: a project directory, a `.beads` directory, or a file in one.
    pub path: PathBuf,
    /// Who writes; found out from environment and version control if not given.
    pub actor: Option<String>,
    /// How long a write waits for the lock.
    pub lock_wait: Duration,
    /// The path was named on purpose: `BEADS_DIR` and `BEADS_DB` do not win over it.
    pub ignore_env: bool,
}

impl Options {
    pub const LOCK_WAIT: Duration = Duration::from_secs(30);

    pub fn at(path: impl Into<PathBuf>) -> Self {
        Options { host: Host::real(), path: path.into(), actor: None, lock_wait: Self::LOCK_WAIT, ignore_env: false }
    }
}

/// A project's issues. `Send`, and cheap to keep: a question about unchanged files costs one `stat` each.
#[derive(Debug)]
pub struct Store {
    host: Host,
    repo: Repo,
    config: Config,
    sources: Sources,
    cache: Cache,
    actor: Option<String>,
    lock_wait: Duration,
    surroundings: Surroundings,
}

/// What tells that a ledger may have come or gone, or that the config was edited.
#[derive(Debug, PartialEq, Eq)]
struct Surroundings {
    directory: Option<FileStamp>,
    config: Option<FileStamp>,
}

impl Surroundings {
    fn of(repo: &Repo) -> Self {
        let stamp = |path: &Path| fs::stat(path).ok();
        Surroundings { directory: stamp(repo.beads()), config: stamp(&repo.beads().join(config::CONFIG_NAME)) }
    }
}

impl Store {
    /// Opens the project at or above a path. The path may be a project directory, a `.beads` directory or a file in it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(Options::at(path.as_ref()))
    }

    pub fn open_with(options: Options) -> Result<Self> {
        let repo = Repo::discover(&options.path, &options.host.env, options.ignore_env)?;
        let surroundings = Surroundings::of(&repo);
        let config = Config::read(&repo)?;
        let sources = Sources::of(&repo, &config, &options.host)?;
        Ok(Store {
            surroundings,
            repo,
            config,
            sources,
            cache: Cache::new()?,
            actor: options.actor,
            lock_wait: options.lock_wait,
            host: options.host,
        })
    }

    /// Looks for the ledgers anew, after one came or went.
    pub fn reopen(&mut self) -> Result<()> {
        self.config = Config::read(&self.repo)?;
        self.sources = Sources::of(&self.repo, &self.config, &self.host)?;
        self.cache = Cache::new()?;
        Ok(())
    }

    /// The ledgers and their text, as last read.
    pub fn documents(&self) -> Vec<(&Ledger, &Document)> {
        self.sources.documents().collect()
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The ledger that new issues go to.
    pub fn ledger_path(&self) -> &Path {
        self.sources.primary().path()
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

    /// The prefix of new ids: as configured, else the one most ids bear, else made from the directory's name.
    pub fn prefix(&mut self) -> Result<String> {
        if let Some(prefix) = &self.config.issue_prefix {
            return Ok(prefix.clone());
        }
        self.sources.read(&mut self.cache)?;
        Ok(self.sources.usual_prefix().unwrap_or_else(|| self.repo.default_prefix()))
    }

    /// Brings the answers up to date with the files.
    pub fn refresh(&mut self) -> Result<Refresh> {
        let surroundings = Surroundings::of(&self.repo);
        if surroundings != self.surroundings {
            self.surroundings = surroundings;
            let config = Config::read(&self.repo)?;
            if config != self.config || self.sources.have_moved(&self.repo, &config) {
                self.reopen()?;
            }
        }
        self.sources.refresh(&mut self.cache)
    }

    /// What is odd about the files, as of the last refresh.
    pub fn warnings(&self) -> Vec<Warning> {
        self.sources.warnings()
    }

    /// The full id that a typed one stands for.
    pub fn resolve(&mut self, typed: &str) -> Result<String> {
        self.sources.read(&mut self.cache)?;
        match id::resolve(typed, self.sources.ids().iter().map(|id| id.as_ref())) {
            Resolved::One(id) => Ok(id),
            Resolved::None => Err(StoreError::NotFound { typed: typed.to_owned() }),
            Resolved::Many(candidates) => Err(StoreError::Ambiguous { typed: typed.to_owned(), candidates }),
        }
    }

    /// Files a new issue and returns its id once it is on disk.
    pub fn create(&mut self, issue: NewIssue) -> Result<Issue> {
        self.single(Write::File { issue: Box::new(issue), id: None })
    }

    /// Changes one issue, named by its full id.
    pub fn update(&mut self, id: &str, changes: Vec<Change>) -> Result<Issue> {
        self.single(Write::Change { id: id.to_owned(), changes })
    }

    pub fn close(&mut self, id: &str, reason: Option<String>) -> Result<Issue> {
        self.update(id, vec![Change::Close { reason }])
    }

    fn single(&mut self, write: Write) -> Result<Issue> {
        let mut transaction = self.begin()?;
        transaction.stage(write)?;
        let written = transaction.commit()?.into_iter().next().expect("one write gives one answer");
        written.map(|written| written.issue()).map_err(WriteError::into_store)
    }
}
