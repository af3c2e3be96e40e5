//! The interface of a version control system, and its optional abilities.
//!
//! Every directory has [`Vcs`], [`Past`] and [`Keep`], even one without version control. An ability that a system may
//! lack is a separate trait among its [`Abilities`]; no other code knows which system lacks one. The same suite
//! (`tests/vcs/conformance.rs`) runs on every adapter.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::archive::Archive;
use super::checkouts::{NewCheckout, Work};
use super::clones::NewClone;
use super::commit::{Committed, Order};
use super::error::{CommitError, SyncError};
use super::facts::Facts;
use super::gate::Verdict;
use super::history::{Changed, Span};
use super::lines::{DatedLine, Reach};
use super::snapshot::{Rescue, Returned, Snapshot};
use super::sync::{Carried, Integrated, Integration, Outgoing, Parcel, Pushed, Route, Standing};
use super::tips::Tips;
use super::whereabouts::{Origin, Whereabouts};
use crate::sys::{Env, activity};
use crate::vcs::Checkout;
use crate::vcs::kind::Kind;

type Result<T, E = SyncError> = std::result::Result<T, E>;

/// One working copy.
pub trait Vcs: Past + Keep {
    fn kind(&self) -> Kind;

    fn abilities(&self) -> Abilities<'_>;

    /// The directory with `.git`, `.jj`, `.hg` or `.sl`.
    fn root(&self) -> &Path;

    /// The directory of this checkout alone inside version control's own files: it survives a move of the checkout, is
    /// never committed and never in a status. From files alone.
    fn admin_dir(&self) -> Option<PathBuf>;

    /// This checkout and those that version control knows, the main one first; from files alone. A checkout that was
    /// moved without version control's knowledge is only known from inside.
    fn checkouts(&self) -> Vec<Checkout>;

    /// Drops the records of checkouts whose directories are gone, and returns their own directories. With `dry_run` it
    /// only lists them. A checkout that was moved without version control's knowledge looks gone from elsewhere.
    fn prune_checkouts(&self, _dry_run: bool, _: &Env) -> Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    /// The branch or bookmark that is checked out, from files alone.
    fn branch(&self) -> Option<String>;

    /// Everything that is known without running a program.
    fn facts(&self, env: &Env) -> Facts;

    /// Judges what the repository itself, and not the user, asks for, before version control's program is started.
    fn judge(&self, env: &Env) -> Verdict;

    /// Commits exactly the files of the order.
    fn commit(&self, order: &Order) -> Result<Committed, CommitError>;

    /// Deletes a branch that is not checked out, if it is still at this commit.
    fn delete_branch(&self, _name: &str, _tip: &str, _: &Env) -> Result<()> {
        Err(SyncError::Unsupported { kind: self.kind(), what: "deleting a branch is left to you" })
    }
}

/// The optional abilities of a system.
#[derive(Default)]
pub struct Abilities<'a> {
    pub exchange: Option<&'a dyn Exchange>,
    pub linking: Option<&'a dyn Linking>,
    pub cloning: Option<&'a dyn Cloning>,
    pub renewal: Option<&'a dyn Renewal>,
    pub landing: Option<&'a dyn Landing>,
}

/// Differences between the systems, for callers that do not know which one it is.
impl dyn Vcs + '_ {
    pub fn exchange(&self) -> Result<&dyn Exchange> {
        self.abilities().exchange.ok_or_else(|| SyncError::NoVcs { root: self.root().to_owned() })
    }

    pub fn linking(&self) -> Result<&dyn Linking> {
        self.abilities().linking.ok_or_else(|| self.cannot(NO_CHECKOUTS))
    }

    pub fn cloning(&self) -> Result<&dyn Cloning> {
        let what = if self.is_versioned() { NO_CLONES } else { NO_CHECKOUTS };
        self.abilities().cloning.ok_or_else(|| self.cannot(what))
    }

    pub fn renewal(&self) -> Result<&dyn Renewal> {
        self.abilities().renewal.ok_or_else(|| self.cannot(NOT_RENEWED))
    }

    pub fn landing(&self) -> Result<&dyn Landing> {
        self.abilities().landing.ok_or_else(|| self.cannot(NOT_LANDED))
    }

    fn cannot(&self, what: &'static str) -> SyncError {
        SyncError::Unsupported { kind: self.kind(), what }
    }

    /// Its name for people, and of its program.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    pub fn is_versioned(&self) -> bool {
        self.kind().is_versioned()
    }

    /// Whether committed files are read without running a program.
    pub fn is_read_directly(&self) -> bool {
        self.kind() == Kind::Git
    }

    /// Whether old versions of a file are read without running a program for each.
    pub fn has_quick_past(&self) -> bool {
        matches!(self.kind(), Kind::Git | Kind::Jj)
    }

    /// Whether it shows who may push.
    pub fn shows_who_pushes(&self) -> bool {
        self.kind() == Kind::Git
    }

    /// Whether a commit takes new files automatically.
    pub fn adds_files(&self) -> bool {
        self.kind() == Kind::Jj
    }

    /// Whether the user can name a bookmark to exchange with.
    pub fn has_bookmarks(&self) -> bool {
        matches!(self.kind(), Kind::Jj | Kind::Hg)
    }

    /// The revision that the other side is known to have.
    pub fn published(&self, env: &Env) -> Result<Option<String>> {
        match self.kind() {
            // For git no program has to run.
            Kind::Git => Ok(Some("@{upstream}".to_owned())),
            Kind::Jj => Ok(self.exchange()?.standing(env)?.upstream),
            // hg itself protects published commits from being rewritten, and does not know of others that they are
            // published.
            _ => Ok(None),
        }
    }

    /// The command with which the user pushes.
    pub fn own_push(&self) -> &'static str {
        match self.kind() {
            Kind::Hg => "hg push",
            Kind::Jj => "jj git push",
            Kind::Sl => "sl push",
            Kind::Git | Kind::None => "git push",
        }
    }

    /// How the user restores a committed file that is not checked out.
    pub fn to_get_back(&self, file: &Path) -> String {
        let path = file.display();
        match self.kind() {
            Kind::Hg | Kind::Sl => format!("run {} revert {path}", self.name()),
            Kind::Jj => format!("run jj restore {path}, or jj sparse set --add {path}"),
            Kind::Git | Kind::None => {
                let directory = file.parent().unwrap_or(file).display();
                format!("run git checkout -- {path}, or in a sparse checkout git sparse-checkout add {directory}")
            }
        }
    }
}

const NO_CHECKOUTS: &str = "only a repository of git, jj or hg can have several checkouts";
const NO_CLONES: &str = "it can neither clone nor copy a repository here; use --kind worktree";
const NOT_RENEWED: &str = "only clones of git can be brought up to date; make a new one";
const NOT_LANDED: &str = "only git can bring home the work of a workspace; merge its branch yourself";

/// Committed and uncommitted content.
pub trait Past {
    /// The commit that is checked out, or the one below the working copy.
    fn head(&self, env: &Env) -> Result<Option<String>>;

    /// The commit that a name means, if there is one.
    fn resolve(&self, name: &str, env: &Env) -> Result<Option<String>>;

    /// The names of all branches and bookmarks in the repository, including those of remotes.
    fn branches(&self, env: &Env) -> Result<BTreeSet<String>>;

    /// The tips of branches and bookmarks, including those of remotes as last fetched; at most `most`. No network.
    fn tips(&self, most: usize, env: &Env) -> Result<Tips>;

    /// A file in the commit below the working copy; the path is relative to the root.
    fn committed(&self, file: &Path, env: &Env) -> Result<Option<Vec<u8>>>;

    /// For each line whether a commit contains it, in that very file; `None` if that is unknown.
    fn committed_lines(&self, file: &Path, lines: &[DatedLine<'_>], reach: Reach, env: &Env) -> Option<Vec<bool>>;

    /// The filter for a file on its way into a commit: then the commit has other bytes than the file.
    fn filter(&self, _: &Path, _: &Env) -> Option<String> {
        None
    }

    /// Untracked files that are ignored. A directory means everything in it.
    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>>;

    /// Passes on each changed file of each commit. A file of a merge counts only if it differs from all parents. For jj
    /// and hg, the staged files are those that a commit would take now.
    fn changes(&self, span: Span<'_>, env: &Env, each: &mut dyn FnMut(Changed)) -> Result<()>;

    /// Opens the past of the repository.
    fn archive<'a>(&'a self, env: &'a Env) -> Result<Box<dyn Archive + 'a>>;

    /// The work that would be lost with this checkout's directory. Ledgers count like other files.
    fn work(&self, env: &Env) -> Result<Work>;

    /// Where else the commits of this checkout are, seen from the repository that it was made from. No network, and
    /// nothing is written.
    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts>;
}

/// Exchanging commits with another copy of the repository.
pub trait Exchange {
    /// Fetches the commits of the other side. Changes no file of the working copy and no branch of ours.
    fn fetch(&self, env: &Env) -> Result<()>;

    /// Fetches another remote by its name, and which of its branches is the default one; nothing where a repository has
    /// only one.
    fn fetch_from(&self, _remote: &str, _: &Env) -> Result<()> {
        Ok(())
    }

    /// Compares with the last fetched state. No network.
    fn standing(&self, env: &Env) -> Result<Standing>;

    /// Integrates fetched commits and ours, and updates the working copy. Uncommitted changes are kept; if they
    /// conflict with the update, or files other than ledgers conflict, nothing is changed.
    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated>;

    /// The commits of the other side, as last fetched, that integrating would bring.
    fn incoming(&self, route: &Route<'_>) -> Result<Vec<Carried>>;

    /// The commits that a push would send, as of the last fetch, and their destination.
    fn outgoing(&self, route: &Route<'_>) -> Result<Outgoing>;

    /// Pushes exactly these commits. Never by force.
    fn push(&self, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed>;

    /// Programs of the repository that a push with code runs besides those that [`judge`](Vcs::judge) finds: its hooks.
    /// One line each, which changes when the program does.
    fn hooks(&self, _: &Env) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

/// Further checkouts of one repository.
pub trait Linking {
    /// Creates another checkout of the repository. No hooks run.
    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout>;

    /// Forgets and deletes another checkout. Its commits and its branch stay. Without `force` this is refused if files
    /// in it are changed, untracked or half merged, if another repository is inside, and for commits that no branch
    /// holds.
    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<()>;
}

/// Repositories that are made from this one.
pub trait Cloning {
    /// Makes a separate repository with the commits of this one, and a working copy of it. No branch, setting or file
    /// here changes. No hooks run; programs that the settings here name do run, so ask for agreement first. The step
    /// gets the progress that version control reports.
    fn clone_checkout(&self, new: &NewClone, step: Option<&activity::Step>, env: &Env) -> Result<Checkout>;

    /// Turns this copy of another working copy's files into a separate repository on a new branch. The other one
    /// becomes a remote, and its commits do not count as made here. No file changes.
    fn settle_copy(&self, from: &Path, branch: &str, env: &Env) -> Result<()>;
}

/// Clones that are reused.
pub trait Renewal {
    /// Updates this clone to its parent working copy, on a new branch. Everything here must be saved elsewhere, except
    /// the files in `spent`, which are reset to their committed state. Settings and hooks are reset to those of a new
    /// clone. The path in `new` is ignored.
    fn renew_clone(&self, from: &Path, new: &NewClone, spent: &[PathBuf], env: &Env) -> Result<()>;

    /// Fast-forwards the checked-out branch to another working copy's branch, if nothing here is lost: no commit and no
    /// change in a file. Returns whether there was something new.
    fn forward_clone(&self, from: &Path, base: Option<&str>, env: &Env) -> Result<bool>;
}

/// Bringing home what was done in another checkout.
pub trait Landing {
    /// Copies the commits of a branch of another repository on this machine, without a name for them. Returns the last
    /// one.
    fn take_branch(&self, from: &Path, branch: &str, env: &Env) -> Result<String>;

    /// The commits of one revision that another one lacks, oldest first.
    fn between(&self, known: &str, tip: &str, route: &Route<'_>) -> Result<Vec<Carried>>;

    /// Integrates a commit as [`Exchange::integrate`] does; its name is for people.
    fn land(&self, commit: &str, name: &str, integration: Integration<'_>) -> Result<Integrated>;

    /// Checks out a commit on no branch. Changed and untracked files are deleted, ignored ones stay.
    fn set_to(&self, commit: &str, env: &Env) -> Result<()>;

    /// Deletes another checkout that was only for trying commits, with all files in it, also where its directory is gone.
    fn drop_trial(&self, root: &Path, env: &Env) -> Result<()>;
}

/// Saving uncommitted content.
pub trait Keep {
    /// Saves all files of the checkout as they are now, including those that were never added. The user's files, index,
    /// branch and commits do not change, and the snapshot has no description. The key is like `cp_a1b2c3d4e5f6`, and
    /// new. A file that is larger than the limit and not in the repository yet is left out.
    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot>;

    /// Writes a snapshot into a directory that does not exist or is empty: byte for byte the content of the checkout.
    /// Any checkout of the repository can do this, even if the saved one is gone. Staged content that differs from its
    /// file is written into a separate directory, which is returned relative to `to`.
    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>>;

    /// Deletes a snapshot. A missing one counts as deleted.
    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<()>;

    /// Saves everything that only this checkout has in the repository of another one, under one key: files as a
    /// snapshot, commits, and stashes. Parts that cannot be saved are an error, or reported as left out.
    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue>;

    /// Copies the snapshots in this repository to that of another checkout.
    fn hand_over(&self, to: &Path, env: &Env) -> Result<()>;

    /// Restores a rescue into a directory that does not exist or is empty, with its commits where they were saved.
    fn restore_rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Returned> {
        let staged = self.restore_snapshot(key, to, env)?;
        Ok(Returned { staged, with_commits: false })
    }

    /// Deletes a rescue.
    fn drop_rescue(&self, key: &str, env: &Env) -> Result<()> {
        self.drop_snapshot(key, env)
    }
}
