//! hg: its files are read, and the program `hg` does the rest.

mod archive;
mod call;
mod changes;
mod checkouts;
pub(super) mod clones;
mod commit;
mod commits;
mod exchange;
mod held;
mod here;
mod hgrc;
mod integrate;
mod lines;
mod outgoing;
mod programs;
mod remote;
mod scratch;
mod server;
pub(super) mod shares;
pub(super) mod snapshot;
mod texts;
mod way;
pub(super) mod whereabouts;

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::clones::NOT_RENEWED;
use super::commit::{CommitError, Committed, Order};
use super::snapshot::Snapshot;
use super::sync::{Carried, Integrated, Integration, Outgoing, Parcel, Pushed, Route, Standing, SyncError};
use super::{Archive, Checkout, Facts, Kind, NewCheckout, NewClone, Tips, Vcs, Work, any_exists, files};
use super::{Origin, Rescue, Versions, Whereabouts};
use crate::sys::Env;
use crate::sys::activity::Step;

pub(super) use archive::HgArchive;
pub(super) use call::Client;
pub(super) use changes::changes;
pub(super) use checkouts::{admin_dir, branch, checkouts};
pub(super) use commit::{commit, pattern};
pub(super) use exchange::{
    OUTRUN, call as exchange_with, call_with_hooks as exchange_with_hooks, fetch, refused, says,
};
pub(super) use held::committed_lines;
pub(super) use hgrc::{Settings, facts};
pub(super) use integrate::unresolved;
pub(super) use outgoing::carried;
pub(super) use programs::programs;
pub(super) use remote::Remote;
pub(super) use scratch::write_below;
pub(super) use way::obstacles;

/// The store behind a working copy made by `hg share`; for any other it is its own. `None` if it is not there any more.
pub(super) fn common_dir(dot_hg: &Path) -> Option<PathBuf> {
    let shared = files::named(&dot_hg.join("sharedpath"), dot_hg);
    std::fs::canonicalize(shared.as_deref().unwrap_or(dot_hg)).ok()
}

/// The hash of the first commit, from the index of the commits: it stands at byte 32 of the first entry, in the one format
/// that is in use.
pub(super) fn first_commit(common: &Path) -> Option<String> {
    let is_file = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let index = ["store/00changelog.i", "00changelog.i"].map(|name| common.join(name)).into_iter().find(is_file)?;
    let mut head = [0; 52];
    std::fs::File::open(index).ok()?.read_exact(&mut head).ok()?;
    let is_known = head[2..4] == [0, 1];
    is_known.then(|| head[32..52].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A merge is under way, and some files wait for an answer.
pub(super) fn is_merging(root: &Path) -> bool {
    any_exists(&["merge/state2", "merge/state"].map(|name| root.join(".hg").join(name)))
}

/// The versions of a file that a merge of two commits left in conflict. Where commits are being moved, both sides did not grow
/// from their last common one, and the markers have to do.
pub(super) fn unmerged(root: &Path, file: &Path, env: &Env) -> Option<Versions> {
    if !is_merging(root) || commit::unfinished(&root.join(".hg")).is_some() {
        return None;
    }
    let client = Client::new(Kind::Hg, root, "", env);
    let version = |set: &str| {
        let output = client.run(&[], &["cat", &format!("--rev={set}")], &[pattern(file)]).ok()?;
        output.status.success().then_some(output.stdout)
    };
    let (ours, theirs) = (version("p1()")?, version("p2()")?);
    Some(Versions { base: version("ancestor(p1(), p2())"), ours: Some(ours), theirs: Some(theirs) })
}

/// A working copy of hg.
pub struct Hg {
    pub root: PathBuf,
    /// The one that commits are exchanged with, where the user named it.
    pub bookmark: Option<String>,
}

impl Hg {
    fn client<'a>(&self, author: &str, env: &'a Env) -> Client<'a> {
        Client::new(Kind::Hg, &self.root, author, env)
    }
}

impl Vcs for Hg {
    fn kind(&self) -> Kind {
        Kind::Hg
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn common_dir(&self) -> Option<PathBuf> {
        common_dir(&self.root.join(".hg"))
    }

    fn admin_dir(&self) -> Option<PathBuf> {
        checkouts::admin_dir(&self.root.join(".hg"))
    }

    fn checkouts(&self) -> Vec<Checkout> {
        checkouts::checkouts(Kind::Hg, &self.root.join(".hg"))
    }

    fn branch(&self) -> Option<String> {
        checkouts::branch(Kind::Hg, &self.root.join(".hg"))
    }

    fn head(&self, env: &Env) -> Result<Option<String>, SyncError> {
        Ok(self.client("", env).nodes(".")?.into_iter().next())
    }

    fn resolve(&self, name: &str, env: &Env) -> Result<Option<String>, SyncError> {
        clones::one(&self.client("", env), name)
    }

    fn branches(&self, env: &Env) -> Result<BTreeSet<String>, SyncError> {
        clones::branches(&self.client("", env))
    }

    fn tips(&self, most: usize, env: &Env) -> Result<Tips, SyncError> {
        clones::tips(&self.client("", env), most)
    }

    fn work(&self, env: &Env) -> Result<Work, SyncError> {
        shares::work(&self.client("", env))
    }

    fn ignored(&self, env: &Env) -> Result<Vec<PathBuf>, SyncError> {
        clones::ignored(&self.client("", env))
    }

    fn add_checkout(&self, new: &NewCheckout, env: &Env) -> Result<Checkout, SyncError> {
        shares::add(&self.client("", env), new)
    }

    fn clone_checkout(&self, new: &NewClone, _: Option<&Step>, env: &Env) -> Result<Checkout, SyncError> {
        clones::clone(&self.client("", env), new)
    }

    fn renew_clone(&self, _: &Path, _: &NewClone, _: &[PathBuf], _: &Env) -> Result<(), SyncError> {
        Err(SyncError::Unsupported { kind: Kind::Hg, what: NOT_RENEWED })
    }

    fn forward_clone(&self, _: &Path, _: Option<&str>, _: &Env) -> Result<bool, SyncError> {
        Err(SyncError::Unsupported { kind: Kind::Hg, what: NOT_RENEWED })
    }

    fn settle_copy(&self, from: &Path, branch: &str, env: &Env) -> Result<(), SyncError> {
        clones::settle(&self.client("", env), from, branch)
    }

    fn remove_checkout(&self, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
        shares::remove(&self.client("", env), root, force)
    }

    /// There is no list of shares to be put right.
    fn prune_checkouts(&self, _: bool, _: &Env) -> Result<Vec<PathBuf>, SyncError> {
        Ok(Vec::new())
    }

    fn facts(&self, env: &Env) -> Facts {
        facts(Kind::Hg, &self.root, env)
    }

    fn is_busy(&self) -> bool {
        any_exists(&[self.root.join(".hg/wlock")])
    }

    fn commit(&self, order: &Order) -> Result<Committed, CommitError> {
        commit(Kind::Hg, order)
    }

    fn programs(&self, env: &Env) -> Result<Vec<String>, SyncError> {
        Ok(programs(Kind::Hg, &self.root, env))
    }

    fn committed(&self, file: &Path, env: &Env) -> Result<Option<Vec<u8>>, SyncError> {
        self.client("", env).cat(".", file)
    }

    fn fetch(&self, env: &Env) -> Result<(), SyncError> {
        fetch(&self.client("", env))
    }

    fn standing(&self, env: &Env) -> Result<Standing, SyncError> {
        exchange::standing(&self.client("", env), self.bookmark.as_deref())
    }

    fn integrate(&self, integration: Integration<'_>) -> Result<Integrated, SyncError> {
        let client = self.client(integration.author, integration.env);
        integrate::integrate(&client, self.bookmark.as_deref(), integration)
    }

    fn incoming(&self, route: &Route<'_>) -> Result<Vec<Carried>, SyncError> {
        outgoing::incoming(&self.client("", route.env), self.bookmark.as_deref(), route)
    }

    fn outgoing(&self, route: &Route<'_>) -> Result<Outgoing, SyncError> {
        outgoing::outgoing(&self.client("", route.env), self.bookmark.as_deref(), route)
    }

    /// Its hooks are named by its settings, which the user agrees to in any case.
    fn push(&self, parcel: &Parcel, route: &Route<'_>) -> Result<Pushed, SyncError> {
        exchange::push(&self.client("", route.env), self.bookmark.as_deref(), parcel, route.with_code)
    }

    fn archive<'a>(&'a self, env: &'a Env) -> Result<Box<dyn Archive + 'a>, SyncError> {
        Ok(Box::new(HgArchive::new(self.client("", env))))
    }

    fn snapshot(&self, key: &str, limit: u64, env: &Env) -> Result<Snapshot, SyncError> {
        snapshot::take(&self.client("", env), key, limit)
    }

    fn restore_snapshot(&self, key: &str, to: &Path, env: &Env) -> Result<Option<PathBuf>, SyncError> {
        snapshot::restore(&self.client("", env), key, to).map(|()| None)
    }

    fn drop_snapshot(&self, key: &str, env: &Env) -> Result<(), SyncError> {
        snapshot::forget(&self.client("", env), key)
    }

    fn whereabouts(&self, origin: &Origin<'_>, env: &Env) -> Result<Whereabouts, SyncError> {
        whereabouts::whereabouts(&self.client("", env), origin)
    }

    fn rescue(&self, key: &str, to: &Path, env: &Env) -> Result<Rescue, SyncError> {
        whereabouts::rescue(&self.client("", env), key, to)
    }

    fn hand_over(&self, to: &Path, env: &Env) -> Result<(), SyncError> {
        whereabouts::hand_over(&self.client("", env), to)
    }
}
