//! Environment variables, the working directory and what the streams are.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A snapshot of the environment, taken once.
#[derive(Debug, Clone, Default)]
pub struct Env {
    vars: HashMap<OsString, OsString>,
    cwd: PathBuf,
}

impl Env {
    pub fn process() -> Self {
        Env { vars: std::env::vars_os().collect(), cwd: std::env::current_dir().unwrap_or_default() }
    }

    /// The same environment seen from another directory.
    pub fn at(mut self, directory: PathBuf) -> Self {
        self.cwd = directory;
        self
    }

    /// A variable that says something: an empty one counts as unset.
    pub fn var(&self, name: &str) -> Option<String> {
        let value = self.vars.get(std::ffi::OsStr::new(name))?.to_str()?;
        (!value.is_empty()).then(|| value.to_owned())
    }

    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    pub fn home(&self) -> Option<PathBuf> {
        self.var("HOME").map(PathBuf::from)
    }

    /// A path as people write it: `~/` is the home directory, relative is from the working directory.
    pub fn path(&self, text: &str) -> PathBuf {
        match (text.strip_prefix("~/"), self.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ if text == "~" => self.home().unwrap_or_else(|| self.cwd.clone()),
            _ => self.cwd.join(text),
        }
    }
}
