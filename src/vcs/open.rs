//! Chooses the adapter for a directory; no other code does.

use std::path::{Path, PathBuf};

#[cfg(feature = "git")]
use super::git::Git;
use super::hg::{self, Hg};
#[cfg(feature = "git")]
use super::jj::Jj;
use super::none::Unversioned;
use super::place::{place, root};
use super::{CommitError, Committed, DatedLine, Facts, Order, Reach, SyncError, Vcs, sl};
use crate::sys::Env;
use crate::vcs::kind::Kind;

/// The adapter for the working copy that contains a path; outside of any, the one for no version control.
pub fn open(path: &Path) -> Box<dyn Vcs> {
    open_for(path, None)
}

/// The same, exchanging commits with the bookmark of this name. Only jj and hg have bookmarks.
pub fn open_for(path: &Path, bookmark: Option<&str>) -> Box<dyn Vcs> {
    let Some((kind, root)) = place(path) else { return Box::new(Unversioned { root: path.to_owned() }) };
    let bookmark = bookmark.map(str::to_owned);
    match kind {
        #[cfg(feature = "git")]
        Kind::Git => Box::new(Git { root }),
        #[cfg(feature = "git")]
        Kind::Jj => Box::new(Jj { root, bookmark }),
        #[cfg(not(feature = "git"))]
        Kind::Git | Kind::Jj => Box::new(Unversioned { root }),
        Kind::Hg => Box::new(Hg { kind, exchange: Box::new(hg::Exchanging { root: root.clone(), bookmark }), root }),
        Kind::Sl => Box::new(Hg { kind, exchange: Box::new(sl::Exchanging { root: root.clone() }), root }),
        Kind::None => Box::new(Unversioned { root }),
    }
}

/// The facts about the user and the repository that contains a path, from files alone. The environment says where the
/// user's settings are.
pub fn facts(path: &Path, env: &Env) -> Facts {
    open(path).facts(env)
}

/// Removes another checkout of the family; without `force` only if nothing would be lost with it. A checkout of jj is removed by jj,
/// also where git made the one that asks.
pub fn remove_checkout(here: &dyn Vcs, root: &Path, force: bool, env: &Env) -> Result<(), SyncError> {
    #[cfg(feature = "git")]
    if here.kind() == Kind::Git && root.join(".jj").exists() {
        return super::jj::remove(here.root(), root, force, env);
    }
    here.linking()?.remove_checkout(root, force, env)
}

/// Commits exactly these files as they are now: everything else that is changed, staged or unfinished stays as it is.
/// The author is used only if no identity is configured. The user's and the repository's hooks do not run, and nothing
/// is signed.
pub fn commit(files: &[PathBuf], message: &str, author: &str, env: &Env) -> Result<Committed, CommitError> {
    // The location of a file, and not the path to it: a link may lead into another repository.
    let real = files.iter().map(|file| real(&env.cwd().join(file))).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = real.first() else { return Ok(Committed::NothingToCommit) };
    let Some(top) = root(first) else { return Ok(Committed::NoVcs) };
    let mut inside = Vec::new();
    for file in &real {
        match file.strip_prefix(&top) {
            Ok(path) if root(file).as_ref() == Some(&top) => inside.push(path.to_owned()),
            _ => return Err(CommitError::Apart { one: first.clone(), other: file.clone() }),
        }
    }
    let author = if author.trim().is_empty() { "unknown" } else { author };
    open(&top).commit(&Order { root: &top, files: &inside, message, author, env })
}

/// A path without links in its directories. The file itself may be missing, or be a link.
fn real(file: &Path) -> Result<PathBuf, CommitError> {
    let unreachable = |source| CommitError::Path { path: file.to_owned(), source };
    match (file.parent(), file.file_name()) {
        (Some(parent), Some(name)) => Ok(std::fs::canonicalize(parent).map_err(unreachable)?.join(name)),
        _ => std::fs::canonicalize(file).map_err(unreachable),
    }
}

/// For each line whether a commit contains it, in that very file. An uncertain answer counts as no.
pub fn committed_lines(file: &Path, lines: &[DatedLine<'_>], reach: Reach, env: &Env) -> Vec<bool> {
    let found = || {
        let top = root(file)?;
        let real = |path: &Path| std::fs::canonicalize(path).ok();
        let directory = real(file.parent()?)?;
        let inside = directory.strip_prefix(real(&top)?).ok()?.join(file.file_name()?);
        open(&top).committed_lines(&inside, lines, reach, env)
    };
    found().unwrap_or_else(|| vec![false; lines.len()])
}
