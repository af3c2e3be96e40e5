//! What version control knows and does: who the user is, where a working copy begins, what was committed last; committing
//! files, and exchanging commits with another copy.
//!
//! One trait, [`Vcs`], and one adapter per system. Reading goes through files alone where that is possible: git is read with
//! gix, the few files of jj, hg and sl by hand. The program of the VCS runs where it alone knows: to change its files, to
//! merge, to use a network, to say what is staged, ignored or in a range of commits.

mod address;
mod archive;
mod checkouts;
mod claims;
mod clones;
mod commit;
mod copies;
mod facts;
mod files;
mod git;
mod hg;
mod history;
mod hooks;
mod identity;
mod jj;
mod lines;
mod merge_tool;
mod network;
mod none;
mod patterns;
mod rescue;
mod sl;
mod snapshot;
mod sync;
mod tips;
mod unmerged;
mod whereabouts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use address::Address;
pub use archive::{Archive, Before, Commit, Step, Steps, Trail, Version, as_of, joined, merge_base};
pub use checkouts::{Checkout, Loose, NewCheckout, Work, marks as checkout_marks, repository_inside};
pub use claims::{RemoteClaim, Swap, remote_claim, remote_claims, swap_remote_claim};
pub use clones::NewClone;
pub use commit::{CommitError, Committed, Order, commit};
pub use facts::{Facts, Remote};
pub use git::{
    committed_size, common_version, init as init_git, is_misplaced, reach_over_ssh, repair as repair_checkout,
    user_name,
};
pub use history::{Changed, HistoryError, Span, changes, staged_paths};
pub use hooks::{git_dirs, hooks_path, is_ignored, set_setting, setting};
pub use identity::{Identity, begins_with, first_commit, has_commit, is_same_project};
pub use lines::{Reach, Sought, committed_lines};
pub use merge_tool::{MergeSetup, attribute_pattern, hg_lines, hgrc, jj_settings, jj_tool, merge_setup, set_jj_tool};
pub use patterns::Patterns;
pub use rescue::{Rescue, Returned};
pub use snapshot::{LARGEST, LeftOut, Snapshot, Why};
pub use sync::{
    Area, Carried, DryRun, Integrated, Integration, Merge, Outgoing, Parcel, Pushed, Route, Standing, SyncError,
    Versions,
};
pub use tips::{Tip, Tips};
pub use unmerged::{mark_resolved, unmerged};
pub use whereabouts::{How, Merged, Origin, Unsaved, Whereabouts};

use crate::sys::{Env, activity};

/// One working copy under one version control system. The same suite (`tests/vcs/conformance.rs`) runs on every adapter.
pub trait Vcs {
    fn kind(&self) -> Kind;

    /// The directory that holds `.git`, `.jj`, `.hg` or `.sl`.
    fn root(&self) -> &Path;

    /// The directory that all checkouts of the repository share.
    fn common_dir(&self) -> Option<PathBuf>;

    /// The directory of this checkout alone inside version control's own files: it survives a move of the checkout, is never
    /// committed and never in a status. From files alone.
    fn admin_dir(&self) -> Option<PathBuf>;

    /// The checkouts that version control knows of and this one, the main one first; from files alone. One that was moved
    /// behind its back is known only from inside.
    fn checkouts(&self) -> Vec<Checkout>;

    /// The branch or bookmark that is checked out, from files alone.
    fn branch(&self) -> Option<String>;

    /// The commit that is checked out, or that the working copy stands on.
    fn head(&self, env: &Env) -> Result<Option<String>, SyncError>;

    /// The commit that a name stands for, if it stands for one.
    fn resolve(&self, name: &str, env: &Env) -> Result<Option<String>, SyncError>;

    /// The names of all branches and bookmarks that the repository knows, also those of remotes.
    fn branches(&self, env: &Env) -> Result<BTreeSet<String>, SyncError>;

    /// Where the branches and bookmarks are, also those of remotes as they were fetched last; no more than so many. No network.
    fn tips(&self, _most: usize, _: &Env) -> Result<Tips, SyncError> {
        Ok(Tips::default())
    }

    /// What would be lost if this checkout's directory went away. Ledgers count like other files.
    fn work(&self, env: &Env) -> Result<Work, SyncError>;

    /// Files that are not tracked because they are to be ignored. A directory stands for all that is in it.
    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>, SyncError>;

    /// Makes another checkout of the repository. No hooks run.
    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError>;

    /// Makes a repository of its own with the commits of this one, and a working copy of it. No branch, setting or file here
    /// changes. No hooks run; what the settings here make version control run comes along, so ask for agreement first. How far it is goes to
    /// the step, where version control tells.
    fn clone_checkout(&self, new: &NewClone, step: Option<&activity::Step>, env: &Env) -> Result<Checkout, SyncError>;

    /// Brings a clone of another working copy, which this is, to what that one has now, and puts it on a new branch. Nothing here
    /// may be unsaved, apart from the files named in `spent`, which are set back to what was committed. So are settings and hooks: it
    /// has those that a new clone would have. The path of `new` is not looked at.
    fn renew_clone(&self, from: &Path, new: &NewClone, spent: &[PathBuf], env: &Env) -> Result<(), SyncError>;

    /// Brings the branch that is checked out forward to what another working copy has under a name, if that loses nothing
    /// here: no commit and no change in a file. Gives whether there was something new.
    fn forward_clone(&self, from: &Path, base: Option<&str>, env: &Env) -> Result<bool, SyncError>;

    /// Makes of a copy of another working copy's files, which this is, a repository of its own on a new branch. It knows the
    /// other one as a remote, and what it has of it does not look like made here. No file changes.
    fn settle_copy(&self, from: &Path, branch: &str, env: &Env) -> Result<(), SyncError>;

    /// Forgets and deletes another checkout. Its commits and its branch stay. Without `force` it is refused while files in it
    /// are changed, untracked or half merged, while another repository is inside, and for commits that no branch holds.
    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<(), SyncError>;

    /// Drops the records of checkouts whose directories are gone, and gives their own directories. With `dry_run` it only
    /// says which. A checkout that was moved behind version control's back looks gone from elsewhere.
    fn prune_checkouts(&self, dry_run: bool, env: &Env) -> Result<Vec<PathBuf>, SyncError>;

    /// What can be said without running a program.
    fn facts(&self, env: &Env) -> Facts;

    /// A program of this version control is rewriting the working copy right now.
    fn is_busy(&self) -> bool;

    /// What the repository itself, and not the user, makes its version control run while it commits, merges or talks to a
    /// network: filters, hooks, helpers, aliases, extensions. One line each, sorted; empty for an ordinary clone.
    fn programs(&self, env: &Env) -> Result<Vec<String>, SyncError>;

    /// A file as the commit below the working copy has it; the path is relative to the root.
    fn committed(&self, file: &Path, env: &Env) -> Result<Option<Vec<u8>>, SyncError>;

    /// The filter that a file passes on its way into a commit: then the commit has other bytes than the file.
    fn filter(&self, _: &Path, _: &Env) -> Option<String> {
        None
    }

    /// Commits exactly the files of the order.
    fn commit(&self, order: &Order) -> Result<Committed, CommitError>;

    /// Gets the commits of the other side. Changes no file of the working copy and no branch of ours.
    fn fetch(&self, env: &Env) -> Result<(), SyncError>;

    /// Compares with what was fetched last. No network.
    fn standing(&self, env: &Env) -> Result<Standing, SyncError>;

    /// Brings what was fetched and what is committed here together, and the working copy to it. Files that are changed and
    /// not committed stay as they are; if they or other files than ledgers are in the way, nothing is changed.
    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated, SyncError>;

    /// The commits of the other side, as fetched last, that integrating would bring.
    fn incoming(&self, route: &Route<'_>) -> Result<Vec<Carried>, SyncError>;

    /// The commits that a push would send, as far as the last fetch knows, and where to.
    fn outgoing(&self, route: &Route<'_>) -> Result<Outgoing, SyncError>;

    /// Sends exactly these commits. Never by force.
    fn push(&self, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed, SyncError>;

    /// Programs of the repository that a push with code runs besides those of [`programs`](Vcs::programs): its hooks. One
    /// line each, which changes with what the program does.
    fn hooks(&self, _: &Env) -> Result<Vec<String>, SyncError> {
        Ok(Vec::new())
    }

    /// Opens the past of the repository.
    fn archive<'a>(&'a self, env: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError>;

    /// Keeps all files of the checkout as they are now, also those that were never added. No file, index, branch or commit
    /// of the user's changes, and nothing about the work is said with it. The key is like `cp_a1b2c3d4e5f6`, and new. A file that is larger than the limit and that the
    /// repository does not have yet is left out.
    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot, SyncError>;

    /// Writes a snapshot into a directory that is not there or empty: byte for byte what the checkout held. Any checkout of
    /// the repository can do that, also when the one that was kept is gone. What was staged and is another version than the
    /// file is written beside the files, into a directory of its own; gives that, as seen from `to`.
    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>, SyncError>;

    /// Forgets a snapshot. One that is not there is forgotten already.
    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<(), SyncError>;

    /// Where else the commits of this checkout are, seen from the repository that it was made from. No network, and nothing
    /// is written.
    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError>;

    /// Keeps everything of this checkout that the repository of another one has not, in that repository, under one key: files
    /// as a snapshot, commits, and what was put aside. What cannot be kept is an error, or named as left out.
    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError>;

    /// Gives the repository of another checkout the snapshots that are kept in this one.
    fn hand_over(&self, to: &Path, env: &Env) -> Result<(), SyncError>;

    /// Writes what was kept into a directory that is not there or empty, with its commits where they were kept.
    fn restore_rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Returned, SyncError> {
        let staged = self.restore_snapshot(key, to, env)?;
        Ok(Returned { staged, with_commits: false })
    }

    /// Forgets what was kept.
    fn drop_rescue(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        self.drop_snapshot(key, env)
    }

    /// Deletes a branch that nobody has checked out, if it still is at this commit.
    fn delete_branch(&self, _name: &str, _tip: &str, _env: &Env) -> Result<(), SyncError> {
        Err(SyncError::Unsupported { kind: self.kind(), what: "deleting a branch is left to you" })
    }
}

/// The adapter for the working copy that a path is in; outside of any it is the one for no version control.
pub fn open(path: &Path) -> Box<dyn Vcs> {
    open_for(path, None)
}

/// The same, to exchange commits with the bookmark of this name. Only jj and hg have bookmarks.
pub fn open_for(path: &Path, bookmark: Option<&str>) -> Box<dyn Vcs> {
    let Some((kind, root)) = place(path) else { return Box::new(none::Unversioned { root: path.to_owned() }) };
    let bookmark = bookmark.map(str::to_owned);
    match kind {
        Kind::Git => Box::new(git::Git { root }),
        Kind::Jj => Box::new(jj::Jj { root, bookmark }),
        Kind::Hg => Box::new(hg::Hg { root, bookmark }),
        Kind::Sl => Box::new(sl::Sl { root }),
        Kind::None => Box::new(none::Unversioned { root }),
    }
}

/// What version control knows about the user and the repository that a path is in, from files alone. Settings are looked for
/// where the environment says the user keeps them.
pub fn facts(path: &Path, env: &Env) -> Facts {
    open(path).facts(env)
}

/// A version control system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    Git,
    Jj,
    Hg,
    Sl,
    #[default]
    None,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Git => "git",
            Kind::Jj => "jj",
            Kind::Hg => "hg",
            Kind::Sl => "sl",
            Kind::None => "none",
        })
    }
}

/// The markers of working copies. Where jj and git share a directory, jj is the one in use.
const MARKERS: [(&str, Kind); 4] = [(".jj", Kind::Jj), (".git", Kind::Git), (".hg", Kind::Hg), (".sl", Kind::Sl)];

/// The nearest working copy at or above a path. Where there is none on the way to a link, what the link leads to counts.
fn place(path: &Path) -> Option<(Kind, PathBuf)> {
    let marked = |dir: &Path| MARKERS.iter().find(|(name, _)| dir.join(name).exists()).map(|(_, kind)| *kind);
    let above = |path: &Path| path.ancestors().find_map(|dir| Some((marked(dir)?, dir.to_owned())));
    above(path).or_else(|| above(&std::fs::canonicalize(path).ok()?))
}

/// Which version control a path is under.
pub fn kind(path: &Path) -> Kind {
    place(path).map_or(Kind::None, |(kind, _)| kind)
}

/// The directory that holds `.git`, `.jj`, `.hg` or `.sl`, at or above a path.
pub fn root(path: &Path) -> Option<PathBuf> {
    place(path).map(|(_, root)| root)
}

/// The directory that all checkouts of one repository share, for telling whether two paths belong to one family. Where jj
/// keeps its commits in git, it is git's.
pub fn common_dir(path: &Path) -> Option<PathBuf> {
    open(path).common_dir()
}

/// The file that should lead from the working copy around a path to its repository and leads nowhere: that of a linked
/// worktree, a share or a workspace whose repository was moved or deleted.
pub fn stranded(path: &Path) -> Option<PathBuf> {
    const LEADS: [&str; 5] = [".jj/repo/store/git_target", ".jj/repo", ".git", ".hg/sharedpath", ".sl/sharedpath"];
    let (kind, root) = place(path).filter(|_| common_dir(path).is_none())?;
    let (marker, _) = MARKERS.iter().find(|(_, known)| *known == kind)?;
    let lead =
        LEADS.iter().filter(|lead| lead.starts_with(marker)).map(|lead| root.join(lead)).find(|lead| lead.is_file());
    Some(lead.unwrap_or_else(|| root.join(marker)))
}

/// The file in which git, and jj on top of it, keep the patterns of what this clone does not want to commit.
pub fn exclude_file(path: &Path) -> Option<PathBuf> {
    let common = matches!(kind(path), Kind::Git | Kind::Jj).then(|| common_dir(path))??;
    common.join("HEAD").exists().then(|| common.join("info/exclude"))
}

/// A clone of git that was made without its older commits.
pub fn is_shallow(path: &Path) -> bool {
    let list = common_dir(path).map(|dir| dir.join("shallow"));
    list.and_then(|list| std::fs::metadata(list).ok()).is_some_and(|found| found.len() > 0)
}

/// A version control program is rewriting the working copy right now.
pub fn is_busy(path: &Path) -> bool {
    open(path).is_busy()
}

/// Whether one of these locks is there. A lock of hg is a link that may lead nowhere.
fn any_exists(locks: &[PathBuf]) -> bool {
    locks.iter().any(|lock| std::fs::symlink_metadata(lock).is_ok())
}
