//! A temporary directory with a home of its own, in which the real programs run and see nothing of this machine's settings.

use std::path::{Path, PathBuf};

use beads::internal::sys::Env;
use beads::internal::vcs::{self, Area, Carried, CommitError, Committed, Outgoing, Pushed, Route, SyncError, Vcs};

use crate::support::programs::have;
use crate::support::user::User;
use crate::support::{fixture, place};

pub struct Lab {
    root: PathBuf,
    /// The library's environment. One for all calls, so that hg's server keeps running.
    env: Env,
    /// Removed with the lab. A lab that others are copied from has none: it stays as long as the process.
    _dir: Option<tempfile::TempDir>,
}

impl Lab {
    /// A place to work in with these programs; `None`, with a word about it, if one is not installed.
    pub fn with(programs: &[&str]) -> Option<Self> {
        if !have(programs) {
            return None;
        }
        // A name as long as that of a fixture: jj keeps paths in binary files.
        let dir = place::in_memory("testlab");
        let root = dir.path().canonicalize().expect("a real path");
        Some(Lab::at(root, Some(dir)))
    }

    fn at(root: PathBuf, dir: Option<tempfile::TempDir>) -> Self {
        std::fs::create_dir(root.join("home")).expect("a home");
        let env = User::at(root.join("home")).with_gitconfig_at_home().env(&root);
        Lab { root, env, _dir: dir }
    }

    /// Fills this new lab with what `make` does to another one. That one is made once in a run and then copied.
    pub fn fill(&self, name: &str, make: impl FnOnce(&Lab)) {
        fixture::copy(&format!("lab: {name}"), &self.root, |root| make(&Lab::at(root.to_owned(), None)));
    }

    /// Runs the script with which many tests begin: once in a run, with the result copied.
    pub fn begin(&self, script: &str) {
        self.fill(script, |lab| drop(lab.sh(script)));
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// The library's environment. The user has agreed to everything; `bd`'s own tests cover the other cases.
    pub fn env(&self) -> Env {
        self.env.clone().agreeing(|_, _, _| true)
    }

    /// Who has no name.
    pub fn user(&self) -> User {
        User::at(self.path("home")).with_gitconfig_at_home()
    }

    /// Runs a script that must succeed, as a user with a name.
    #[track_caller]
    pub fn sh(&self, script: &str) -> String {
        self.user().named("Script").sh(&self.root, script)
    }

    pub fn facts(&self, name: &str) -> vcs::Facts {
        vcs::facts(&self.path(name), &self.env())
    }

    /// Commits files as Ann.
    pub fn commit(&self, files: &[&str]) -> Result<Committed, CommitError> {
        self.commit_in(files, &self.env())
    }

    pub fn commit_in(&self, files: &[&str], env: &Env) -> Result<Committed, CommitError> {
        let files: Vec<PathBuf> = files.iter().map(|name| self.path(name)).collect();
        vcs::commit(&files, "bd: a write", "Ann", env)
    }
}

/// The ledger's areas in all of these repositories.
pub fn areas() -> [Area; 1] {
    [Area::Below(PathBuf::from(".beads"))]
}

/// Pushes everything: others decide what may be sent.
pub fn push(vcs: &dyn Vcs, env: &Env) -> Result<Pushed, SyncError> {
    let route = Route { ledgers: &areas(), with_code: false, dry_run: None, env };
    match vcs.exchange()?.outgoing(&route)? {
        Outgoing::Nothing => Ok(Pushed::NothingToPush),
        Outgoing::Outrun => Ok(Pushed::Outrun),
        Outgoing::Held(why) => Ok(Pushed::Held(why)),
        Outgoing::Ready(parcel) => vcs.exchange()?.push(&parcel, &route),
    }
}

/// The commits that a push would send, each with `+` if it holds code.
pub fn outgoing(vcs: &dyn Vcs, env: &Env) -> Vec<String> {
    let route = Route { ledgers: &areas(), with_code: false, dry_run: None, env };
    match vcs.exchange().unwrap().outgoing(&route).expect("an answer") {
        Outgoing::Ready(parcel) => shown(&parcel.commits),
        other => panic!("{other:?}"),
    }
}

pub fn shown(commits: &[Carried]) -> Vec<String> {
    commits.iter().map(|one| format!("{}{}", if one.has_code { "+" } else { "" }, one.subject)).collect()
}

/// Every checkout leads to one directory, from its root and from below.
pub fn assert_shared(lab: &Lab, expected: &str, checkouts: &[&str]) {
    let expected = Some(lab.path(expected));
    for checkout in checkouts {
        let root = lab.path(checkout);
        let below = root.join(".beads");
        std::fs::create_dir_all(&below).expect("a directory");
        for path in [root.as_path(), below.as_path(), &below.join("beads.jsonl") as &Path] {
            assert_eq!(vcs::common_dir(path), expected, "{}", path.display());
        }
    }
}
