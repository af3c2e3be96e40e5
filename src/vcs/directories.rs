//! The directories in which version control keeps itself, and what their files alone tell.

use std::path::{Path, PathBuf};

use super::files;
use super::layout::{git, hg, jj};
use super::place::{Found, MARKERS, found, kind, place};
use crate::vcs::kind::Kind;

/// The version control of the place where a path is, found in one search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Around {
    pub kind: Kind,
    /// Where the working copy begins.
    pub root: Option<PathBuf>,
    /// The directory that all checkouts of one repository share ([`common_dir`]).
    pub common: Option<PathBuf>,
    /// The file that should lead from the working copy to its repository and leads nowhere: that of a linked worktree, a share or a
    /// workspace whose repository was moved or deleted.
    pub stranded: Option<PathBuf>,
    /// Two markers in the root of which each may have been brought by a commit of the other's version control. There is no way
    /// to tell which one is real.
    pub disputed: Option<(PathBuf, PathBuf)>,
}

impl Around {
    pub fn of(path: &Path) -> Self {
        let Some(Found { kind, root, disputed_by }) = found(path) else { return Around::default() };
        let common = shared_by_checkouts(kind, &root);
        let stranded = if common.is_none() { lead_of(kind, &root) } else { None };
        let own = MARKERS.iter().find(|(_, known)| *known == kind);
        let disputed = own.zip(disputed_by).map(|((own, _), other)| (root.join(own), root.join(other)));
        Around { kind, root: Some(root), common, stranded, disputed }
    }

    /// The file in which git, and jj on top of it, keep the patterns of what this clone does not want to commit.
    pub fn exclude_file(&self) -> Option<PathBuf> {
        let common = self.common.as_ref().filter(|_| matches!(self.kind, Kind::Git | Kind::Jj))?;
        common.join("HEAD").exists().then(|| common.join("info/exclude"))
    }
}

/// The directory that all checkouts of one repository share, for telling whether two paths belong to one family. Where jj
/// keeps its commits in git, it is git's.
pub fn common_dir(path: &Path) -> Option<PathBuf> {
    let (kind, root) = place(path)?;
    shared_by_checkouts(kind, &root)
}

fn shared_by_checkouts(kind: Kind, root: &Path) -> Option<PathBuf> {
    match kind {
        Kind::Git => behind_worktrees(root),
        Kind::Jj => jj::common_dir(&root.join(".jj")).or_else(|| behind_worktrees(root)),
        Kind::Hg | Kind::Sl => hg::common_dir(&hg::own_dir(kind, root)),
        Kind::None => None,
    }
}

/// The directory behind the worktrees of git, of which one begins here.
pub(super) fn behind_worktrees(root: &Path) -> Option<PathBuf> {
    git::common_dir(&root.join(".git"))
}

/// The file that leads from a working copy to its repository.
fn lead_of(kind: Kind, root: &Path) -> Option<PathBuf> {
    const LEADS: [&str; 5] = [".jj/repo/store/git_target", ".jj/repo", ".git", ".hg/sharedpath", ".sl/sharedpath"];
    let (marker, _) = MARKERS.iter().find(|(_, known)| *known == kind)?;
    let lead =
        LEADS.iter().filter(|lead| lead.starts_with(marker)).map(|lead| root.join(lead)).find(|lead| lead.is_file());
    Some(lead.unwrap_or_else(|| root.join(marker)))
}

/// The file in which git, and jj on top of it, keep the patterns of what this clone does not want to commit.
pub fn exclude_file(path: &Path) -> Option<PathBuf> {
    Around::of(path).exclude_file()
}

/// Whether a linked checkout must be told where it is after a move ([`repair_checkout`](super::repair_checkout)).
pub fn is_place_recorded(path: &Path) -> bool {
    kind(path) == Kind::Git
}

/// A clone of git that was made without its older commits.
pub fn is_shallow(path: &Path) -> bool {
    let list = common_dir(path).map(|dir| dir.join("shallow"));
    list.and_then(|list| std::fs::metadata(list).ok()).is_some_and(|found| found.len() > 0)
}

/// A version control program is rewriting the working copy right now.
pub fn is_busy(path: &Path) -> bool {
    let Some((kind, root)) = place(path) else { return false };
    let index = || git::own_dir(&root.join(".git")).map(|own| own.join("index.lock"));
    let locks = match kind {
        Kind::Git => [index(), None],
        Kind::Jj => [Some(root.join(".jj/working_copy/working_copy.lock")), index()],
        Kind::Hg | Kind::Sl => [Some(hg::own_dir(kind, &root).join("wlock")), None],
        Kind::None => [None, None],
    };
    files::any_exists(&locks.into_iter().flatten().collect::<Vec<_>>())
}
