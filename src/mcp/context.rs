//! The context of a call: the project, opened for this call only, and the actor.
//!
//! Nothing is kept between calls, so a call sees what other programs wrote a moment ago, and a project that was moved,
//! removed or created meanwhile. A server never creates a ledger.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::model::query::is_me;
use crate::model::when::{Bare, When};
use crate::ops::{self, OpError};
use crate::store::{AGENT_VARIABLE, Config, Moment, Store};
use crate::view::{self, Exit, Failure};

/// Which tools a server offers, and how.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Offer {
    pub all: bool,
    pub read_only: bool,
    /// Every call names its project.
    pub multi: bool,
}

/// How often a server without a project looks again.
pub(super) const PAUSE: Duration = Duration::from_secs(5);

/// How the calls of a server open their project.
#[derive(Debug)]
pub(super) struct Opening {
    /// From the command line.
    pub config: Config,
    /// The project was named on the command line.
    pub is_named: bool,
    pub offer: Offer,
    /// Distinguishes two servers started by one client.
    pub mark: String,
    /// The projects that were used, with the client: their claims are renewed as long as this server runs.
    pub used: Mutex<BTreeSet<(Option<String>, String)>>,
}

/// The project of one call.
#[derive(Debug)]
pub(super) struct Context {
    pub store: Store,
    pub root: PathBuf,
}

impl Opening {
    /// Opens the project, for a tool and for the client that calls it.
    pub(super) fn open(&self, directory: Option<&str>, client: &str, tool: &str) -> Result<Context, Failure> {
        self.opened(directory, client, tool).map_err(no_advice_to_init)
    }

    fn opened(&self, directory: Option<&str>, client: &str, tool: &str) -> Result<Context, Failure> {
        let mut config = self.config.clone();
        if let Some(directory) = directory {
            config.path = config.host.env.cwd().join(directory);
            config.host.env = config.host.env.at(config.path.clone());
        }
        if !looks_like_project(&config.path) {
            return Err(Failure::no_repository(format!("no such directory: {}", config.path.display())));
        }
        config.ignore_env |= self.is_named || directory.is_some();
        // The commands that the client runs in a shell are of the same session.
        let is_in_session = crate::model::client::is_in_session(client, |name| config.host.env.var(name));
        if config.host.env.var(AGENT_VARIABLE).is_none() && !is_in_session {
            config.host.env = config.host.env.with(AGENT_VARIABLE, self.agent(client));
        }
        let mut store = Store::open_with(config)?;
        store.write_as_one(&format!("mcp {tool}"));
        // A read-only client sends no heartbeat.
        if self.offer.read_only {
            ops::identify(&mut store)?;
        } else {
            ops::join_as_agent(&mut store)?;
            let project = (directory.map(str::to_owned), client.to_owned());
            self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(project);
        }
        let root = store.repo().root().to_owned();
        Ok(Context { store, root })
    }

    /// Renews what this server holds, as its next call would. Returns how long that lasts.
    pub(super) fn renew(&self) -> Duration {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let renewed = used.iter().filter_map(|(directory, client)| {
            let mut cx = self.open(directory.as_deref(), client, "renew").ok()?;
            ops::end_command(&mut cx.store);
            Some(ops::claim_pause(&cx.store))
        });
        renewed.min().unwrap_or(PAUSE)
    }

    /// The name of an unnamed agent: its client program and this server. The session in the environment may be an outer
    /// one, shared with others.
    fn agent(&self, client: &str) -> String {
        const LONGEST: usize = 40;
        let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let words: String = client.chars().take(LONGEST).map(word).collect();
        let words: Vec<&str> = words.split('-').filter(|part| !part.is_empty()).collect();
        let name = if words.is_empty() { "mcp".to_owned() } else { words.join("-") };
        format!("{name}-{}", self.mark)
    }
}

/// A directory, or a file in one as `--db` names it.
fn looks_like_project(path: &Path) -> bool {
    path.is_dir() || path.parent().is_some_and(Path::is_dir) && path.extension().is_some()
}

/// An agent that finds no ledger must not create one: it may just look in the wrong place.
fn no_advice_to_init(failure: Failure) -> Failure {
    if failure.exit != Exit::NoRepository {
        return failure;
    }
    failure.without_hint().hint("this server makes no ledger; start it in the project")
}

impl Context {
    /// Warnings about the project's files, in a few lines.
    pub(super) fn warnings(&mut self) -> Vec<String> {
        const SHOWN: usize = 3;
        let ended = ops::end_command(&mut self.store);
        let mut all: Vec<String> = view::warning_texts(&self.store.warnings()).into_iter().chain(ended).collect();
        let more = all.len().saturating_sub(SHOWN);
        if more > 0 {
            all.truncate(SHOWN);
            all.push(format!("{} more; bd doctor lists all of them", view::plural(more, "problem")));
        }
        all
    }

    /// A date argument of a tool.
    pub(super) fn date(&self, argument: &'static str, text: &str, bare: Bare) -> Result<When, Failure> {
        let found = self.store.host().clock.calendar().parse(text, bare);
        found.ok_or_else(|| OpError::Date { flag: argument, value: text.to_owned() }.into())
    }

    /// The name of a person or an agent: `me` is the actor.
    pub(super) fn person(&self, name: &str) -> String {
        if is_me(name) { self.store.actor().to_owned() } else { name.to_owned() }
    }

    /// A moment of the past.
    pub(super) fn moment(&self, text: &str) -> Moment {
        Moment::parse(text, &self.store.host().clock.calendar())
    }
}
