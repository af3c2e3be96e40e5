//! Exchanging commits with another copy of the repository: the values that the adapters share.
//!
//! The way is always the same. [`fetch`](super::Vcs::fetch) talks to the network and changes no file. With the ledger
//! locked, [`commit`](super::Vcs::commit) and [`integrate`](super::Vcs::integrate) bring both sides together: files of
//! ledgers by the function that the caller gives, all others by the program's own merge, and if those conflict nothing at
//! all is changed. [`outgoing`](super::Vcs::outgoing) says which commits the other side lacks; the caller looks at them, and
//! [`push`](super::Vcs::push) sends exactly those, and never by force.

use std::path::{Path, PathBuf};

use crate::sys::Env;

/// How the working copy stands to what it exchanges commits with, as far as the last fetch knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// The branch or bookmark that would be sent; `None` where no branch is checked out.
    pub branch: Option<String>,
    /// What it follows, such as `origin/main`; `None` if nothing is configured or known.
    pub upstream: Option<String>,
    /// Commits here that the other side lacks.
    pub ahead: usize,
    /// Commits there that are missing here.
    pub behind: usize,
}

/// One file in the last common version and in those of both sides; `None` where there is no such file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Versions {
    pub base: Option<Vec<u8>>,
    pub ours: Option<Vec<u8>>,
    pub theirs: Option<Vec<u8>>,
}

/// Merges one ledger; the path is as seen from the root of the working copy.
pub type Merge<'a> = &'a mut dyn FnMut(&Path, &Versions) -> Vec<u8>;

/// What bringing both sides together did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrated {
    /// The other side had nothing new.
    UpToDate,
    /// Only the other side had something new.
    Forwarded,
    /// Both had, and a merge commit joins them.
    Merged,
    /// Both had, and our commits now stand on theirs.
    Rebased,
}

/// Where ledgers are in a working copy, relative to its root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Area {
    /// The whole working copy belongs to its ledger.
    All,
    /// Everything below a directory.
    Below(PathBuf),
    File(PathBuf),
}

impl Area {
    pub fn holds(&self, file: &Path) -> bool {
        match self {
            Area::All => true,
            // A file in the place of the directory is no ledger.
            Area::Below(directory) => file != directory && file.starts_with(directory),
            Area::File(path) => file == path,
        }
    }
}

/// How commits are to be sent.
#[derive(Debug, Clone, Copy)]
pub struct Route<'a> {
    /// A commit that touches anything outside of these holds code.
    pub ledgers: &'a [Area],
    /// Commits that hold code are sent too, and the repository's own hooks run.
    pub with_code: bool,
    /// Nothing is sent: no network is asked.
    pub dry_run: Option<DryRun>,
    pub env: &'a Env,
}

impl Route<'_> {
    /// A commit of the ledger would be made before anything is sent.
    pub fn would_commit(&self) -> bool {
        self.dry_run.is_some_and(|dry| dry.commits)
    }

    pub fn is_ledger(&self, file: &Path) -> bool {
        self.ledgers.iter().any(|area| area.holds(file))
    }
}

/// What is only thought of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DryRun {
    /// The ledger has changes that would be committed first.
    pub commits: bool,
}

/// What a push would do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    Nothing,
    /// The other side has commits that must be integrated first.
    Outrun,
    /// Nothing is sent, and why that is no error: no remote, no branch, or a name that is the user's to publish.
    Held(String),
    Ready(Parcel),
}

/// Commits on their way to the other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// The last of them; empty if a dry run found none but the one that would be made.
    pub tip: String,
    /// Where they go, such as `origin/main`.
    pub to: String,
    /// All that the other side would get, oldest first.
    pub commits: Vec<Carried>,
}

/// One commit that changes hands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// It touches files that belong to no ledger.
    pub has_code: bool,
}

impl std::fmt::Display for Carried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.id.get(..SHORT).unwrap_or(&self.id), self.subject)
    }
}

/// How much of an id people are shown.
const SHORT: usize = 10;

/// What became of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    Done,
    NothingToPush,
    /// Somebody else was faster: fetch, integrate and push again.
    Outrun,
    /// Not sent, and why that is no error: no remote, no branch, or changes that are not ours to publish.
    Held(String),
}

/// A merge to make in one working copy.
pub struct Integration<'a> {
    /// The files that `merge` settles, relative to the root.
    pub ledgers: &'a [PathBuf],
    /// All that belongs to ledgers.
    pub areas: &'a [Area],
    pub merge: Merge<'a>,
    /// Of a merge commit, where there is one.
    pub message: &'a str,
    /// Counts where no identity is configured.
    pub author: &'a str,
    pub env: &'a Env,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_a_ledger() {
        let below = Area::Below(".beads".into());
        let holds = |area: &Area, file: &str| area.holds(Path::new(file));
        assert!(holds(&below, ".beads/beads.jsonl") && holds(&below, ".beads/templates/x.toml"));
        for file in [".beads", ".beadsx/y", "sub/.beads/x", "code", "x/../.beads/y"] {
            assert!(!holds(&below, file), "{file}");
        }
        let file = Area::File("beads.jsonl".into());
        assert!(holds(&file, "beads.jsonl") && !holds(&file, "code") && holds(&Area::All, "code"));
    }
}
