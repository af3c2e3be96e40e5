//! Where hg and sl keep themselves, and what their files tell.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::vcs::{Kind, files};

/// Files beside the store while something is unfinished. hg itself sees some of it only if an extension is on.
const UNFINISHED: [(&str, &str); 6] = [
    ("rebasestate", "a rebase"),
    ("graftstate", "a graft"),
    ("histedit-state", "an edit of the history"),
    ("shelvedstate", "an unshelve"),
    ("updatestate", "an update"),
    ("bisect.state", "a bisection"),
];

/// What the program keeps for a working copy alone.
pub(crate) fn own_dir(kind: Kind, root: &Path) -> PathBuf {
    root.join(if kind == Kind::Sl { ".sl" } else { ".hg" })
}

/// The store behind a working copy made by `hg share`; for any other it is its own. `None` if it is not there any more.
pub(crate) fn common_dir(dot_hg: &Path) -> Option<PathBuf> {
    let shared = files::named(&dot_hg.join("sharedpath"), dot_hg);
    std::fs::canonicalize(shared.as_deref().unwrap_or(dot_hg)).ok()
}

/// The hash of the first commit, from the index of the commits: it is at byte 32 of the first entry, in the one format
/// that is in use.
pub(crate) fn first_commit(common: &Path) -> Option<String> {
    let is_file = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let index = ["store/00changelog.i", "00changelog.i"].map(|name| common.join(name)).into_iter().find(is_file)?;
    let mut head = [0; 52];
    std::fs::File::open(index).ok()?.read_exact(&mut head).ok()?;
    let is_known = head[2..4] == [0, 1];
    is_known.then(|| head[32..52].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A merge is under way, and some files wait for an answer.
pub(crate) fn is_merging(root: &Path) -> bool {
    files::any_exists(&["merge/state2", "merge/state"].map(|name| root.join(".hg").join(name)))
}

/// The unfinished operation of a working copy, according to its own directory.
pub(crate) fn unfinished(own: &Path) -> Option<&'static str> {
    UNFINISHED.iter().find(|(name, _)| own.join(name).exists()).map(|(_, what)| *what)
}
