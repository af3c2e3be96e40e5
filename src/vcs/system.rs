//! What a version control system is asked, and what it may be able to do.
//!
//! Every directory answers [`Vcs`], [`Past`] and [`Keep`], one under no version control too. What a system may lack is a trait of its
//! own among its [`Abilities`]; that it lacks one is said here and nowhere else. The same suite (`tests/vcs/conformance.rs`) runs on
//! every adapter.

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
use super::lines::{Reach, Sought};
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

    /// The directory that holds `.git`, `.jj`, `.hg` or `.sl`.
    fn root(&self) -> &Path;

    /// The directory of this checkout alone inside version control's own files: it survives a move of the checkout, is never
    /// committed and never in a status. From files alone.
    fn admin_dir(&self) -> Option<PathBuf>;

    /// The checkouts that version control knows of and this one, the main one first; from files alone. One that was moved
    /// behind its back is known only from inside.
    fn checkouts(&self) -> Vec<Checkout>;

    /// Drops the records of checkouts whose directories are gone, and gives their own directories. With `dry_run` it only
    /// says which. A checkout that was moved behind version control's back looks gone from elsewhere.
    fn prune_checkouts(&self, _dry_run: bool, _: &Env) -> Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    /// The branch or bookmark that is checked out, from files alone.
    fn branch(&self) -> Option<String>;

    /// What can be said without running a program.
    fn facts(&self, env: &Env) -> Facts;

    /// What the repository itself, and not the user, asks for: the judgement that is made before its program is started.
    fn judge(&self, env: &Env) -> Verdict;

    /// Commits exactly the files of the order.
    fn commit(&self, order: &Order) -> Result<Committed, CommitError>;

    /// Deletes a branch that nobody has checked out, if it still is at this commit.
    fn delete_branch(&self, _name: &str, _tip: &str, _: &Env) -> Result<()> {
        Err(SyncError::Unsupported { kind: self.kind(), what: "deleting a branch is left to you" })
    }
}

/// What a system can do that others cannot.
#[derive(Default)]
pub struct Abilities<'a> {
    pub exchange: Option<&'a dyn Exchange>,
    pub linking: Option<&'a dyn Linking>,
    pub cloning: Option<&'a dyn Cloning>,
    pub renewal: Option<&'a dyn Renewal>,
}

/// What is asked about the system by those who do not know which it is.
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

    fn cannot(&self, what: &'static str) -> SyncError {
        SyncError::Unsupported { kind: self.kind(), what }
    }

    /// As people call it, and as its program is called.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    pub fn is_versioned(&self) -> bool {
        self.kind().is_versioned()
    }

    /// Whether no program runs to read a committed file.
    pub fn is_read_directly(&self) -> bool {
        self.kind() == Kind::Git
    }

    /// Whether no program runs for each old version of a file.
    pub fn has_quick_past(&self) -> bool {
        matches!(self.kind(), Kind::Git | Kind::Jj)
    }

    /// Whether it shows who may push.
    pub fn shows_who_pushes(&self) -> bool {
        self.kind() == Kind::Git
    }

    /// Whether a commit takes new files without being told.
    pub fn adds_files(&self) -> bool {
        self.kind() == Kind::Jj
    }

    /// Whether a bookmark can be named to exchange with.
    pub fn has_bookmarks(&self) -> bool {
        matches!(self.kind(), Kind::Jj | Kind::Hg)
    }

    /// The revision that the other side is known to have.
    pub fn published(&self, env: &Env) -> Result<Option<String>> {
        match self.kind() {
            // For git no program need run.
            Kind::Git => Ok(Some("@{upstream}".to_owned())),
            Kind::Jj => Ok(self.exchange()?.standing(env)?.upstream),
            // hg itself keeps a commit that others have from being rewritten, and says of no other that it is there.
            _ => Ok(None),
        }
    }

    /// The command by which the user pushes.
    pub fn own_push(&self) -> &'static str {
        match self.kind() {
            Kind::Hg => "hg push",
            Kind::Jj => "jj git push",
            Kind::Sl => "sl push",
            Kind::Git | Kind::None => "git push",
        }
    }

    /// What the user does to get a committed file back that is not checked out.
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

/// What is committed, and what is not.
pub trait Past {
    /// The commit that is checked out, or that the working copy stands on.
    fn head(&self, env: &Env) -> Result<Option<String>>;

    /// The commit that a name stands for, if it stands for one.
    fn resolve(&self, name: &str, env: &Env) -> Result<Option<String>>;

    /// The names of all branches and bookmarks that the repository knows, also those of remotes.
    fn branches(&self, env: &Env) -> Result<BTreeSet<String>>;

    /// Where the branches and bookmarks are, also those of remotes as they were fetched last; no more than so many. No network.
    fn tips(&self, most: usize, env: &Env) -> Result<Tips>;

    /// A file as the commit below the working copy has it; the path is relative to the root.
    fn committed(&self, file: &Path, env: &Env) -> Result<Option<Vec<u8>>>;

    /// For each line whether a commit holds it, in that very file; `None` if that cannot be told.
    fn committed_lines(&self, file: &Path, lines: &[Sought<'_>], reach: Reach, env: &Env) -> Option<Vec<bool>>;

    /// The filter that a file passes on its way into a commit: then the commit has other bytes than the file.
    fn filter(&self, _: &Path, _: &Env) -> Option<String> {
        None
    }

    /// Files that are not tracked because they are to be ignored. A directory stands for all that is in it.
    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>>;

    /// Hands over each changed file of each commit. A file of a merge counts only if it is what no parent has. What is staged is,
    /// with jj and hg, what a commit would take now.
    fn changes(&self, span: Span<'_>, env: &Env, each: &mut dyn FnMut(Changed)) -> Result<()>;

    /// Opens the past of the repository.
    fn archive<'a>(&'a self, env: &'a Env) -> Result<Box<dyn Archive + 'a>>;

    /// What would be lost if this checkout's directory went away. Ledgers count like other files.
    fn work(&self, env: &Env) -> Result<Work>;

    /// Where else the commits of this checkout are, seen from the repository that it was made from. No network, and nothing
    /// is written.
    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts>;
}

/// Exchanging commits with another copy of the repository.
pub trait Exchange {
    /// Gets the commits of the other side. Changes no file of the working copy and no branch of ours.
    fn fetch(&self, env: &Env) -> Result<()>;

    /// Compares with what was fetched last. No network.
    fn standing(&self, env: &Env) -> Result<Standing>;

    /// Brings what was fetched and what is committed here together, and the working copy to it. Files that are changed and
    /// not committed stay as they are; if they or other files than ledgers are in the way, nothing is changed.
    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated>;

    /// The commits of the other side, as fetched last, that integrating would bring.
    fn incoming(&self, route: &Route<'_>) -> Result<Vec<Carried>>;

    /// The commits that a push would send, as far as the last fetch knows, and where to.
    fn outgoing(&self, route: &Route<'_>) -> Result<Outgoing>;

    /// Sends exactly these commits. Never by force.
    fn push(&self, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed>;

    /// Programs of the repository that a push with code runs besides what [`judge`](Vcs::judge) finds: its hooks. One
    /// line each, which changes with what the program does.
    fn hooks(&self, _: &Env) -> Result<Vec<String>> {
        Ok(Vec::new())
    }
}

/// Further checkouts of one repository.
pub trait Linking {
    /// Makes another checkout of the repository. No hooks run.
    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout>;

    /// Forgets and deletes another checkout. Its commits and its branch stay. Without `force` it is refused while files in it
    /// are changed, untracked or half merged, while another repository is inside, and for commits that no branch holds.
    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<()>;
}

/// Repositories that are made from this one.
pub trait Cloning {
    /// Makes a repository of its own with the commits of this one, and a working copy of it. No branch, setting or file here
    /// changes. No hooks run; what the settings here make version control run comes along, so ask for agreement first. How far it is goes to
    /// the step, where version control tells.
    fn clone_checkout(&self, new: &NewClone, step: Option<&activity::Step>, env: &Env) -> Result<Checkout>;

    /// Makes of a copy of another working copy's files, which this is, a repository of its own on a new branch. It knows the
    /// other one as a remote, and what it has of it does not look like made here. No file changes.
    fn settle_copy(&self, from: &Path, branch: &str, env: &Env) -> Result<()>;
}

/// Clones that are used again.
pub trait Renewal {
    /// Brings a clone of another working copy, which this is, to what that one has now, and puts it on a new branch. Nothing here
    /// may be unsaved, apart from the files named in `spent`, which are set back to what was committed. So are settings and hooks: it
    /// has those that a new clone would have. The path of `new` is not looked at.
    fn renew_clone(&self, from: &Path, new: &NewClone, spent: &[PathBuf], env: &Env) -> Result<()>;

    /// Brings the branch that is checked out forward to what another working copy has under a name, if that loses nothing
    /// here: no commit and no change in a file. Gives whether there was something new.
    fn forward_clone(&self, from: &Path, base: Option<&str>, env: &Env) -> Result<bool>;
}

/// Keeping what is not committed.
pub trait Keep {
    /// Keeps all files of the checkout as they are now, also those that were never added. No file, index, branch or commit
    /// of the user's changes, and nothing about the work is said with it. The key is like `cp_a1b2c3d4e5f6`, and new. A file that is larger than the limit and that the
    /// repository does not have yet is left out.
    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot>;

    /// Writes a snapshot into a directory that is not there or empty: byte for byte what the checkout held. Any checkout of
    /// the repository can do that, also when the one that was kept is gone. What was staged and is another version than the
    /// file is written beside the files, into a directory of its own; gives that, as seen from `to`.
    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>>;

    /// Forgets a snapshot. One that is not there is forgotten already.
    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<()>;

    /// Keeps everything of this checkout that the repository of another one has not, in that repository, under one key: files
    /// as a snapshot, commits, and what was put aside. What cannot be kept is an error, or named as left out.
    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue>;

    /// Gives the repository of another checkout the snapshots that are kept in this one.
    fn hand_over(&self, to: &Path, env: &Env) -> Result<()>;

    /// Writes what was kept into a directory that is not there or empty, with its commits where they were kept.
    fn restore_rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Returned> {
        let staged = self.restore_snapshot(key, to, env)?;
        Ok(Returned { staged, with_commits: false })
    }

    /// Forgets what was kept.
    fn drop_rescue(&self, key: &str, env: &Env) -> Result<()> {
        self.drop_snapshot(key, env)
    }
}
