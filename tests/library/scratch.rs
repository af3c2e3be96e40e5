//! A repo in a temporary directory, and stores that read it with an empty environment and a fixed clock.

use std::path::{Path, PathBuf};

use beads::internal::model::time::Instant;
use beads::internal::store::{Config, Store};
use beads::internal::sys::{Clock, Entropy, Env, Host};

/// The moment at which every test happens.
pub const NOW: &str = "2026-03-01T12:00:00.000Z";

pub struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    /// A repo whose ledger holds these bytes.
    pub fn with(bytes: impl AsRef<[u8]>) -> Self {
        let dir = crate::support::place::in_memory("scratch");
        std::fs::create_dir(dir.path().join(".beads")).expect("a .beads directory");
        let scratch = Scratch { dir };
        std::fs::write(scratch.ledger(), bytes).expect("a ledger");
        scratch
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    pub fn beads(&self) -> PathBuf {
        self.root().join(".beads")
    }

    pub fn ledger(&self) -> PathBuf {
        self.beads().join("beads.jsonl")
    }

    /// Replaces the ledger as most programs do: a new file, renamed over the old one.
    pub fn swap_in(&self, bytes: impl AsRef<[u8]>) {
        let new = self.root().join("new.jsonl");
        std::fs::write(&new, bytes).expect("a new file");
        std::fs::rename(&new, self.ledger()).expect("a rename");
    }

    pub fn open(&self) -> Store {
        Store::open_with(options(self.root(), self.root())).expect("a store")
    }
}

/// How to open a path as seen from a directory, on a machine without any settings.
pub fn options(path: &Path, directory: &Path) -> Config {
    let now = Instant::parse(NOW).expect("a time");
    let host =
        Host { clock: Clock::Fixed(now), entropy: Entropy::System, env: Env::default().at(directory.to_owned()) };
    Config { host, actor: Some("tester".to_owned()), ..Config::at(path) }
}
