//! Exchanging commits with another copy of the repository: the values that the adapters share.
//!
//! The steps are always the same. [`fetch`](super::Vcs::fetch) talks to the network and changes no file. With the
//! ledger locked, [`commit`](super::Vcs::commit) and [`integrate`](super::Vcs::integrate) bring both sides together:
//! ledgers with the caller's merge function, all other files with the program's own merge; if those conflict, nothing
//! is changed. [`outgoing`](super::Vcs::outgoing) lists the commits that the other side lacks; the caller checks them,
//! and [`push`](super::Vcs::push) sends exactly those, and never by force.

use std::path::{Path, PathBuf};

use crate::sys::Env;

/// The working copy compared with its upstream, as of the last fetch.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// The branch or bookmark that would be pushed; `None` if no branch is checked out.
    pub branch: Option<String>,
    /// Its upstream, such as `origin/main`; `None` if none is configured or known.
    pub upstream: Option<String>,
    /// The number of commits here that the other side lacks.
    pub ahead: usize,
    /// The number of commits there that are missing here.
    pub behind: usize,
}

/// One file in the last common version and in those of both sides; `None` where it does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Versions {
    pub base: Option<Vec<u8>>,
    pub ours: Option<Vec<u8>>,
    pub theirs: Option<Vec<u8>>,
}

/// Merges one ledger; the path is relative to the root of the working copy.
pub type Merge<'a> = &'a mut dyn FnMut(&Path, &Versions) -> Vec<u8>;

/// The result of integrating both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Integrated {
    /// The other side had nothing new.
    UpToDate,
    /// Only the other side had something new.
    Forwarded,
    /// Both had, and a merge commit joins them.
    Merged,
    /// Both had, and our commits are now on top of theirs.
    Rebased,
}

/// The part of a working copy that belongs to a ledger, relative to its root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Area {
    /// The whole working copy.
    All,
    /// Everything below a directory.
    Below(PathBuf),
    File(PathBuf),
}

impl Area {
    pub fn holds(&self, file: &Path) -> bool {
        match self {
            Area::All => true,
            // A file in place of the directory does not count.
            Area::Below(directory) => file != directory && file.starts_with(directory),
            Area::File(path) => file == path,
        }
    }
}

/// How commits are pushed.
#[derive(Debug, Clone, Copy)]
pub struct Route<'a> {
    /// A commit that touches anything outside of these contains code.
    pub ledgers: &'a [Area],
    /// Commits with code are pushed too, and the repository's own hooks run.
    pub with_code: bool,
    /// Only shows what would be pushed, without a network.
    pub dry_run: Option<DryRun>,
    pub env: &'a Env,
}

impl Route<'_> {
    /// Whether the ledger would be committed before the push.
    pub fn would_commit(&self) -> bool {
        self.dry_run.is_some_and(|dry| dry.commits)
    }

    pub fn is_ledger(&self, file: &Path) -> bool {
        self.ledgers.iter().any(|area| area.holds(file))
    }
}

/// The assumptions of a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DryRun {
    /// The ledger has changes that would be committed first.
    pub commits: bool,
}

/// The result that a push would have now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outgoing {
    Nothing,
    /// The other side has commits that must be integrated first.
    Outrun,
    /// Nothing is pushed, and why that is not an error: no remote, no branch, or a name that only the user should
    /// publish.
    Held(String),
    Ready(Parcel),
}

/// Commits on their way to the other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// The last of them; empty if a dry run found only the commit that would be made.
    pub tip: String,
    /// Their destination, such as `origin/main`.
    pub to: String,
    /// All commits that the other side would get, oldest first.
    pub commits: Vec<Carried>,
}

/// A commit that is pushed or merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    pub id: String,
    /// The first line of its message.
    pub subject: String,
    /// Whether it touches files that belong to no ledger.
    pub has_code: bool,
    /// Whether it touches files of a ledger.
    pub has_ledger: bool,
}

impl std::fmt::Display for Carried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.id.get(..SHORT).unwrap_or(&self.id), self.subject)
    }
}

/// The length of an id for people.
const SHORT: usize = 10;

/// The result of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    Done,
    NothingToPush,
    /// Another push was faster: fetch, integrate and push again.
    Outrun,
    /// Not pushed, and why that is not an error: no remote, no branch, or changes that are not ours to publish.
    Held(String),
}

/// A merge to make in one working copy.
pub struct Integration<'a> {
    /// The files that `merge` handles, relative to the root.
    pub ledgers: &'a [PathBuf],
    /// Everything that belongs to ledgers.
    pub areas: &'a [Area],
    pub merge: Merge<'a>,
    /// The message of a merge commit, if one is made.
    pub message: &'a str,
    /// A commit of this sync that no one else has: a new one may take its place, so that none is stacked on another.
    pub replaces: Option<&'a str>,
    /// Used if no identity is configured.
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
