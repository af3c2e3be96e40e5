//! A project under git with a planning repo beside it, as a contributor has them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::support::harness::{Env, Run};
use crate::support::programs::have;

/// A working copy whose ledger is committed, and a planning repo in the home directory.
pub struct Project {
    pub env: Env,
}

impl Project {
    /// `None`, with a word about it, if git is not installed.
    pub fn new() -> Option<Self> {
        let project = Self::single()?;
        project.env.bd(["init", "--contributor", "~/.beads-planning", "--quiet"]).ok();
        Some(project)
    }

    /// The same without a planning repo.
    pub fn single() -> Option<Self> {
        if !have(&["git"]) {
            return None;
        }
        let project = Project { env: Env::new() };
        project.git("init -q -b main").ok();
        project.git("config user.name t").ok();
        project.git("config user.email t@example.org").ok();
        project.env.given("add Base --id bd-base");
        project.git("add -A").ok();
        project.git("commit -qm base").ok();
        Some(project)
    }

    /// Runs git; see `words`.
    pub fn git(&self, line: &str) -> Run {
        self.env.git(&self.env.path(""), line)
    }

    pub fn run(&self, mut command: Command, line: &str) -> Run {
        command.env("BD_ACTOR", "ann");
        self.env.run(command, format!("git {line}"), None)
    }

    /// Stages a file with this text.
    pub fn stage(&self, file: &str, text: &str) {
        self.env.write(file, text);
        self.git("add -A").ok();
    }

    /// The findings of `check-leaks`, by line.
    pub fn leaks(&self, args: &str) -> Vec<String> {
        let run = self.env.bd(["check-leaks"].into_iter().chain(args.split_whitespace()));
        assert_eq!(run.code, if run.stdout.is_empty() { 0 } else { 8 }, "{}", run.snapshot());
        run.stdout.lines().map(str::to_owned).collect()
    }
}

/// Every file below a directory with its mode and bytes, links with where they lead, but for what git itself rewrites.
pub fn listing(directory: &Path) -> Vec<String> {
    use std::os::unix::fs::MetadataExt as _;
    const REWRITTEN: [&str; 4] = [".git/index", ".git/objects", ".git/logs", ".git/COMMIT_EDITMSG"];
    let mut found = Vec::new();
    let mut work = vec![directory.to_owned()];
    while let Some(path) = work.pop() {
        if REWRITTEN.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let meta = path.symlink_metadata().unwrap();
        let text = if meta.is_dir() {
            work.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            String::new()
        } else if meta.is_symlink() {
            std::fs::read_link(&path).unwrap().display().to_string()
        } else {
            String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
        };
        found.push(format!("{} {:o} {text}", path.display(), meta.mode()));
    }
    found.sort();
    found
}

/// Every file below a directory by its path, with its bytes; of a link, where it leads.
pub fn bytes_below(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_symlink() {
                found.insert(name, std::fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes());
            } else if path.is_dir() {
                left.push(path);
            } else {
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}
