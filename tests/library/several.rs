//! A project of several repos, side by side in one temporary directory: the primary `app`, and others that it joins.

use std::fs;
use std::path::{Path, PathBuf};

use beads::internal::model::time::Instant;
use beads::internal::store::{Config, Store};
use beads::internal::sys::{Clock, Entropy, Env, Host};

use super::scratch::NOW;

pub struct Several {
    dir: tempfile::TempDir,
}

impl Several {
    /// The primary and `others` repos `r1`, `r2`… with empty ledgers; nothing joins them yet.
    pub fn new(others: usize) -> Self {
        let dir = crate::support::place::in_memory("several");
        let several = Several { dir };
        for n in 0..=others {
            several.make(n);
        }
        several
    }

    /// Makes one repo.
    pub fn make(&self, n: usize) {
        fs::create_dir_all(self.beads(n)).expect("a .beads directory");
        self.write(n, "");
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The directory of a repo; 0 is the primary.
    pub fn root(&self, n: usize) -> PathBuf {
        self.path().join(if n == 0 { "app".to_owned() } else { format!("r{n}") })
    }

    pub fn beads(&self, n: usize) -> PathBuf {
        self.root(n).join(".beads")
    }

    pub fn ledger(&self, n: usize) -> PathBuf {
        self.beads(n).join("beads.jsonl")
    }

    /// How answers and settings name a repo.
    pub fn name(&self, n: usize) -> String {
        if n == 0 { ".".to_owned() } else { format!("../r{n}") }
    }

    pub fn write(&self, n: usize, bytes: impl AsRef<[u8]>) {
        fs::write(self.ledger(n), bytes).expect("a ledger");
    }

    pub fn read(&self, n: usize) -> String {
        fs::read_to_string(self.ledger(n)).expect("a ledger")
    }

    /// Replaces a ledger as most programs do: a new file, renamed over the old one.
    pub fn swap_in(&self, n: usize, bytes: impl AsRef<[u8]>) {
        let new = self.path().join("new.jsonl");
        fs::write(&new, bytes).expect("a new file");
        fs::rename(&new, self.ledger(n)).expect("a rename");
    }

    /// The committed settings of the primary.
    pub fn configure(&self, text: &str) {
        fs::write(self.beads(0).join("config.toml"), text).expect("a config");
    }

    /// The settings of this user: what they name needs no trust.
    pub fn configure_user(&self, text: &str) {
        let directory = self.path().join("home/.config/beads");
        fs::create_dir_all(&directory).expect("a directory");
        fs::write(directory.join("config.toml"), text).expect("a config");
    }

    /// An environment that holds a home directory and nothing else, without images.
    pub fn env(&self) -> Env {
        let env = Env::default().at(self.root(0)).with("HOME", self.path().join("home"));
        env.with("BD_NO_IMAGE", "1")
    }

    /// How to open the primary with the repos that its settings name.
    pub fn config(&self, env: Env) -> Config {
        let now = Instant::parse(NOW).expect("a time");
        let host = Host { clock: Clock::Fixed(now), entropy: Entropy::System, env };
        Config { host, actor: Some("tester".to_owned()), ..Config::at(self.root(0)) }
    }

    pub fn open(&self) -> Store {
        Store::open_with(self.config(self.env())).expect("a store")
    }

    /// The list of repos as a setting.
    pub fn joined(&self, repos: impl IntoIterator<Item = usize>) -> Vec<String> {
        repos.into_iter().map(|n| self.name(n)).collect()
    }
}

/// `[repos] additional = […]`.
pub fn additional(names: &[String]) -> String {
    format!("[repos]\nadditional = {names:?}\n")
}
