//! A repository with several checkouts, for the tests of what they share.

use std::path::{Path, PathBuf};

use crate::support::harness::{BD, Env, Run, words};
use crate::support::project::Project;

/// A repo named `web` under git whose ledger has `bd-base`, and what else is made of it.
pub struct Family {
    pub project: Project,
}

impl Family {
    /// `None`, with a word about it, if git is not installed.
    pub fn new() -> Option<Self> {
        Some(Family { project: Project::single()? })
    }

    pub fn env(&self) -> &Env {
        &self.project.env
    }

    /// A path beside the repo.
    pub fn path(&self, name: &str) -> PathBuf {
        self.env().root().join(name)
    }

    /// Makes a checkout with git alone, beside the repo, on a branch of its name.
    pub fn worktree(&self, name: &str) -> PathBuf {
        self.project.git(&format!("worktree add -q -b {name} ../{name}")).ok();
        self.path(name)
    }

    /// Runs `bd` in a directory; see `words` for the line.
    pub fn bd(&self, directory: &Path, line: &str) -> Run {
        bd(self.env(), directory, line, &[])
    }

    /// The same with further variables.
    pub fn bd_with(&self, directory: &Path, line: &str, vars: &[(&str, &str)]) -> Run {
        bd(self.env(), directory, line, vars)
    }

    pub fn git(&self, directory: &Path, line: &str) -> Run {
        self.env().git(directory, line)
    }

    /// Commits everything there.
    pub fn commit(&self, directory: &Path) {
        self.git(directory, "add -A").ok();
        self.git(directory, "commit -qm more").ok();
    }

    pub fn web(&self) -> PathBuf {
        self.path("web")
    }

    /// The id of the checkout that a directory is in.
    pub fn id(&self, directory: &Path) -> String {
        let info = self.bd(directory, "worktree info --json").ok().json();
        info["worktree_id"].as_str().unwrap_or_else(|| panic!("no id: {info}")).to_owned()
    }

    /// The issues that are held, with the checkout of each, as a directory sees it.
    pub fn held(&self, directory: &Path) -> Vec<String> {
        held(&self.bd(directory, "leases --json").ok())
    }
}

/// Runs `bd` in a directory; see `words` for the line.
pub fn bd(env: &Env, directory: &Path, line: &str, vars: &[(&str, &str)]) -> Run {
    let mut command = env.bd_command(BD);
    command.current_dir(directory).args(words(line)).envs(vars.iter().copied());
    env.run(command, format!("bd {line}"), None)
}

/// `ID in CHECKOUT`, for each claim of an answer.
pub fn held(leases: &Run) -> Vec<String> {
    let rows = leases.json();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("?").to_owned();
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| format!("{} in {}", text(&row["id"]), text(&row["worktree"]))).collect()
}

/// Every file below a directory, with its time and size.
pub fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut work = vec![directory.to_owned()];
    while let Some(next) = work.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries {
            let entry = entry.unwrap();
            let data = entry.path().symlink_metadata().unwrap();
            if data.is_dir() {
                work.push(entry.path());
            }
            let size = if data.is_dir() { 0 } else { data.len() };
            found.push(format!("{} {size} {:?}", entry.path().display(), data.modified().unwrap()));
        }
    }
    found.sort();
    found
}
