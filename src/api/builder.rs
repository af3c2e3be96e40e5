//! How to open a project.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::error::Result;
use crate::store::{self, AGENT_VARIABLE, Config, LEASE_VARIABLE};
use crate::sys::Host;

/// How to open a project, for programs that need more than [`Store::open`](crate::Store::open).
///
/// ```no_run
/// use std::time::Duration;
///
/// # fn main() -> beads::Result<()> {
/// let store = beads::Store::builder(".").actor("nightly import").lock_wait(Duration::from_secs(5)).open()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is opened until `open` is called"]
pub struct Builder {
    config: Config,
}

impl Builder {
    pub(super) fn at(path: PathBuf) -> Self {
        Builder { config: Config::at(path) }
    }

    /// The acting person, if no agent acts; by default found as `bd` does: environment, version control, user name.
    pub fn actor(mut self, name: impl Into<String>) -> Self {
        self.config.actor = Some(name.into());
        self
    }

    /// The additional repos, instead of those that the settings join.
    pub fn repos<T: Into<String>>(mut self, paths: impl IntoIterator<Item = T>) -> Self {
        self.config.additional = Some(paths.into_iter().map(Into::into).collect());
        self
    }

    /// A setting that overrides every file and the environment.
    pub fn setting(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.config.settings.push((key.into(), value.into()));
        self
    }

    /// An environment variable for this store only. An empty one counts as unset.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.config.host.env = self.config.host.env.with(name, value);
        self
    }

    /// How long a write waits for other writers, 30 seconds by default.
    pub fn lock_wait(mut self, wait: Duration) -> Self {
        self.config.lock_wait = wait;
        self
    }

    /// Clock, randomness and environment, for tests of the project itself.
    #[doc(hidden)]
    pub fn host(mut self, host: Host) -> Self {
        self.config.host = host;
        self
    }

    /// Opens the store for the handles: for the actor in the environment, or for an agent.
    pub(super) fn make(&self, agent: Option<&str>) -> Result<store::Store> {
        let mut config = self.config.clone();
        if let Some(name) = agent {
            config.host.env = config.host.env.with(AGENT_VARIABLE, name);
            config.actor = None;
        }
        config.host.env = config.host.env.with(LEASE_VARIABLE, "");
        Ok(store::Store::open_with(config)?)
    }
}
