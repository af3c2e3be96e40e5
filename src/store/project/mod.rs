//! The context of a command: the project's repos, its settings, the actor and the role. Does not read ledgers.

pub(in crate::store) mod actor;
pub(in crate::store) mod agreed;
pub(in crate::store) mod checkout;
pub(in crate::store) mod consent;
pub(in crate::store) mod databases;
pub(in crate::store) mod discover;
pub(in crate::store) mod family;
pub(in crate::store) mod home;
pub(in crate::store) mod home_contents;
pub(in crate::store) mod legacy_database;
pub(in crate::store) mod mark;
pub(in crate::store) mod outboxes;
pub(in crate::store) mod paths;
pub(in crate::store) mod planning_repo;
pub(in crate::store) mod pointer;
pub(in crate::store) mod record_warnings;
pub(in crate::store) mod registry;
pub(in crate::store) mod repo_problem;
pub(in crate::store) mod repos;
pub(in crate::store) mod repositories;
pub(in crate::store) mod role;
pub(in crate::store) mod route;
pub mod settings;
pub(in crate::store) mod trust;
pub(in crate::store) mod warning;
pub(in crate::store) mod worktree;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use self::home::Site;
use self::settings::{ConfigError, ConfigFault, Origin};
use super::{
    BEADS_DIR, Identity, Repo, Repos, Result, RoleDecision, STATE_DIR, Settings, StateDir, StateHome, StateMode,
    StoreError,
};
use crate::store::file_names::CONFIG_NAME;
use crate::store::project::warning::Notices;
use crate::store::state::stamps::Stamps;
use crate::sys::{Activity, Host};
use crate::vcs;

/// How to open a store, for callers that need more than `Store::open`.
#[derive(Debug, Clone)]
pub struct Config {
    pub host: Host,
    /// The primary repo: a project directory, a `.beads` directory, or a file in one.
    pub path: PathBuf,
    /// The additional repos, instead of those that the settings name.
    pub additional: Option<Vec<String>>,
    /// Settings that override every file and the environment: `("routing.mode", "auto")`.
    pub settings: Vec<(String, String)>,
    /// Who writes; by default found from environment and version control.
    pub actor: Option<String>,
    /// How long a write waits for the lock.
    pub lock_wait: Duration,
    /// The path was named explicitly: `BEADS_DIR` and `BEADS_DB` do not override it.
    pub ignore_env: bool,
}

impl Config {
    pub const LOCK_WAIT: Duration = Duration::from_secs(30);

    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self::on(Host::real(), path)
    }

    /// The same with an existing host.
    pub fn on(host: Host, path: impl Into<PathBuf>) -> Self {
        Config {
            host,
            path: path.into(),
            additional: None,
            settings: Vec::new(),
            actor: None,
            lock_wait: Self::LOCK_WAIT,
            ignore_env: false,
        }
    }
}

/// A project's repos, its settings, and the actor.
#[derive(Debug)]
pub struct Project {
    pub(super) host: Host,
    /// Where the search for the project started.
    pub(super) start: PathBuf,
    /// Where the project was found.
    pub(super) repo: Repo,
    pub(super) given: Given,
    pub(super) settings: Settings,
    pub(super) repos: Repos,
    pub(super) role: OnceLock<RoleDecision>,
    pub(super) actor: OnceLock<String>,
    /// The acting agent; `None` for a person.
    pub(super) agent: Option<Identity>,
    pub(super) session: Option<String>,
    pub(super) lock_wait: Duration,
    /// The stamps of the files that determine all this, taken before they were read.
    pub(super) seen: Stamps,
    /// The state homes of repos, once requested.
    pub(super) homes: Mutex<BTreeMap<usize, StateHome>>,
    pub(super) notices: Notices,
    /// Reports the progress of a long operation.
    pub(super) activity: Activity,
}

/// What the caller set beyond the files.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) additional: Option<Vec<String>>,
    pub(super) settings: Vec<(String, String)>,
    /// Repos named by a command.
    pub(super) guests: Vec<String>,
}

impl Given {
    pub(super) fn read(&self, repo: &Repo, host: &Host) -> Result<(Settings, Repos, Stamps)> {
        // Before the files are read, so that no later change is missed.
        let site = Site::of(repo.beads(), &host.env);
        let files = settings::Files::of(&site, &host.env);
        let watched = files.user.iter().chain([&files.shared, &files.personal]).cloned();
        let mut seen = Stamps::of(watched.collect());
        let mut settings = Settings::read(files, &host.env, &self.settings);
        if let Some(path) = home::committed_settings(repo.beads(), &host.env) {
            let message = "settings of one person are committed here; take the file out of version control";
            settings.broken.push(ConfigError::whole(path, message, ConfigFault::Broken));
        }
        if let Some((file, pointer)) = site.unknown_pointer() {
            let message = format!("calls this a workspace of {}, which does not know it", pointer.home.display());
            settings.broken.push(ConfigError::whole(file.to_owned(), message, ConfigFault::Stray));
        }
        // Otherwise the user's settings for the project are unknown, such as where private issues go.
        if let Some((one, other)) = site.around.disputed.clone() {
            let message = format!(
                "this and {} each look like files that the other's version control tracks, so bd cannot tell which one is real; \
                 remove the other",
                other.display()
            );
            settings.broken.push(ConfigError::whole(one, message, ConfigFault::Broken));
        }
        if let Some(outer) = site.hidden_by_submodule() {
            let message = format!(
                "this is a submodule, and what you settled for the project is in {}; a commit may have made it one, so bd writes \
                 nothing here until you settle it here too, with `bd init --contributor` or `bd config set --personal routing.role maintainer`",
                outer.display()
            );
            settings.broken.push(ConfigError::whole(repo.beads().to_owned(), message, ConfigFault::Broken));
        }
        if let Some(error) = site.stranded() {
            settings.broken.push(error);
        } else if let Some((path, what)) = site.unreachable() {
            let message = format!(
                "this is a workspace, and {what} is not there; if the repository was moved, run `bd worktree repair` there"
            );
            settings.broken.push(ConfigError::whole(path, message, ConfigFault::Broken));
        }
        let settings = match &self.additional {
            Some(additional) => settings.with_repos(additional),
            None => settings,
        };
        let trust = if settings.names_outside() { trust::read(&host.env) } else { trust::Trust::default() };
        let repos = Repos::of(repo, site, &settings, &trust, &host.env, &self.guests)?;
        // Only version control knows where its state is and what may leak from it.
        if let Some(member) = repos.members.iter().find(|member| !vcs::is_supported(member.repo.root())) {
            let root = member.repo.root().to_owned();
            return Err(StoreError::NotBuilt { system: vcs::open(&root).name(), root });
        }
        seen.add(watched_paths(&repos, &host.env));
        if settings.is_unmarked() {
            seen.add(home::user_state(&host.env).map(|dir| dir.join(trust::TRUST_NAME)));
        }
        Ok((settings, repos, seen))
    }
}

impl Project {
    pub(super) fn open(config: Config) -> Result<Self> {
        let Config { mut host, path, additional, settings, actor, lock_wait, ignore_env } = config;
        host.env = host.env.agreeing(agreed::agrees);
        let given = Given { additional, settings, guests: Vec::new() };
        let repo = Repo::discover(&path, &host.env, ignore_env)?;
        let (settings, repos, seen) = given.read(&repo, &host)?;
        Ok(Project {
            start: host.env.cwd().join(path),
            host,
            repo,
            given,
            settings,
            repos,
            role: OnceLock::new(),
            actor: actor.map_or_else(OnceLock::new, OnceLock::from),
            agent: None,
            session: None,
            lock_wait,
            seen,
            homes: Mutex::default(),
            notices: Notices::default(),
            activity: Activity::default(),
        })
    }

    /// Reads settings and repos again.
    pub(super) fn reread(&mut self) -> Result<()> {
        (self.settings, self.repos, self.seen) = self.given.read(&self.repo, &self.host)?;
        self.role = OnceLock::new();
        self.homes.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }

    /// The repo of the project that a path or a name refers to.
    pub fn find_repo(&self, text: &str) -> Option<usize> {
        self.repos.find(text, &self.host.env, self.host.env.cwd())
    }

    /// The same for a repo that must be there.
    pub fn named_repo(&self, text: &str) -> Result<usize> {
        self.find_repo(text).ok_or_else(|| self.no_such_repo(text))
    }

    pub fn no_such_repo(&self, text: &str) -> StoreError {
        let known = self.repos.members.iter().map(|member| member.name.clone()).collect();
        StoreError::NoSuchRepo { text: text.to_owned(), known }
    }

    /// A repo that only this command named; the settings do not join it.
    pub fn is_guest(&self, name: &str) -> bool {
        self.repos.members.iter().any(|member| member.name == name && member.origin == Some(Origin::Flag))
    }

    /// The progress of long operations in the store, to be read from another thread.
    pub fn activity(&self) -> &Activity {
        &self.activity
    }

    /// Reports progress to this from now on.
    pub fn report_to(&mut self, activity: Activity) {
        self.activity = activity;
    }

    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The place where the project was found.
    pub fn site(&self) -> Cow<'_, Site> {
        let first = self.repos.primary_member();
        match first.repo.beads() == self.repo.beads() {
            true => Cow::Borrowed(&first.site),
            false => Cow::Owned(Site::of(self.repo.beads(), &self.host.env)),
        }
    }

    pub fn repo(&self) -> &Repo {
        &self.repo
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn repos(&self) -> &Repos {
        &self.repos
    }

    /// The name of a repo in answers.
    pub fn name(&self, repo: usize) -> &str {
        &self.repos.members[repo].name
    }

    pub fn lock_wait(&self) -> Duration {
        self.lock_wait
    }

    /// The actor: as given, `BD_ACTOR`, `BEADS_ACTOR`, git's user name, `USER`.
    pub fn actor(&self) -> &str {
        self.actor.get_or_init(|| actor::find(&self.host.env, self.repo.root()))
    }

    /// The actor was named explicitly, and nothing else decides it.
    pub fn is_actor_named(&self) -> bool {
        self.actor.get().is_some() || actor::is_named(&self.host.env)
    }

    /// The acting agent; `None` for a person.
    pub fn agent(&self) -> Option<&Identity> {
        self.agent.as_ref()
    }

    /// The client session of the acting person.
    pub fn session(&self) -> Option<&str> {
        self.session.as_deref().filter(|_| self.agent.is_none())
    }

    /// Sets the client session of the acting person. Claims of one person are told apart by it.
    pub fn act_in(&mut self, session: Option<String>) {
        self.session = session;
    }

    /// Sets the acting agent.
    pub fn act_as(&mut self, agent: Identity) {
        self.actor.get_or_init(|| agent.name.clone());
        self.agent = Some(agent);
    }

    /// The state home of the project: agents, mail, checkpoints.
    pub fn state(&self) -> StateDir {
        StateDir::of(self.state_home_of(0))
    }

    /// The state home that the project would have in another mode.
    pub fn state_home_in(&self, mode: StateMode) -> StateHome {
        let env = self.host.env.clone().with(STATE_DIR, "");
        self.repos.members[0].site.home(&env, mode)
    }

    /// The state home for data about the issues of a repo.
    pub(super) fn state_home_of(&self, repo: usize) -> StateHome {
        let find = || {
            let site = &self.repos.members[repo].site;
            let home = site.home(&self.host.env, self.settings.state_mode());
            StateHome { outboxes: outboxes::outboxes(site, &home), ..home }
        };
        self.homes.lock().unwrap_or_else(PoisonError::into_inner).entry(repo).or_insert_with(find).clone()
    }

    /// The role of this user in the primary repo, and why.
    pub fn role(&self) -> &RoleDecision {
        self.role.get_or_init(|| {
            // A workspace pushes to where it was made from, but its user's rights are known at the original.
            role::decide(&self.host.env, &self.settings, &self.facts())
        })
    }

    /// The project has a remote of its own beside that of the user.
    pub(in crate::store) fn is_fork(&self) -> bool {
        role::is_fork(&self.facts())
    }

    fn facts(&self) -> vcs::Facts {
        let first = self.repos.primary_member();
        let parent = first.site.parent().unwrap_or_else(|| first.repo.root().to_owned());
        vcs::facts(&parent, &self.host.env)
    }
}

/// Paths to watch: `.beads` directories, their own configs, and missing repos.
fn watched_paths(repos: &Repos, env: &crate::sys::Env) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for member in &repos.members {
        paths.push(member.repo.beads().to_owned());
        if member.origin.is_some() {
            paths.push(member.repo.beads().join(CONFIG_NAME));
        }
    }
    if !repos.problems.is_empty() {
        paths.extend(repos.watched.iter().flat_map(|path| [path.clone(), path.join(BEADS_DIR)]));
        paths.extend(home::user_state(env).map(|dir| dir.join(trust::TRUST_NAME)));
    }
    paths
}
