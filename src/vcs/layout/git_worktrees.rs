//! The worktrees of a git repository, as its files tell.
//!
//! Every linked worktree has a directory in `worktrees/` whose file `gitdir` says where it was last seen. One that was moved
//! without git's knowledge is found only from inside, until `git worktree repair`.

use std::path::{Path, PathBuf};

use gix::config::file::Metadata;
use gix::config::file::init::Options;
use gix::config::{File, Source};

use super::git::{common_dir, own_dir};
use crate::sys::path;
use crate::vcs::Checkout;
use crate::vcs::files;
use crate::vcs::files::real;

/// git's own directory of a working copy.
pub(crate) fn admin_dir(root: &Path) -> Option<PathBuf> {
    path::real(&own_dir(&root.join(".git"))?).ok()
}

/// The branch that is checked out. Refs in the reftable format are not read.
pub(crate) fn branch(admin: &Path) -> Option<String> {
    let head = files::text(&admin.join("HEAD"))?;
    let name = head.strip_prefix("ref:")?.trim().strip_prefix("refs/heads/")?;
    (name != ".invalid").then(|| name.to_owned())
}

/// The main worktree and the linked ones of the repository in this directory, as seen from a working copy: that one may be
/// where git does not know.
pub(crate) fn worktrees(common: &Path, here: &Path) -> Vec<Checkout> {
    let own = admin_dir(here).filter(|_| common_dir(&here.join(".git")).as_deref() == Some(common));
    let mut found: Vec<Checkout> =
        main_root(common, here).map(|root| checkout(root, common, true)).into_iter().collect();
    for admin in linked(common) {
        let is_here = own.as_ref() == Some(&admin);
        let recorded = recorded(&admin).map(|root| checkout(root, &admin, false));
        let is_listed = recorded.as_ref().is_some_and(|one| one.exists && one.root == here);
        found.extend(recorded.filter(|one| one.exists || !is_here));
        if is_here && !is_listed {
            found.push(checkout(here.to_owned(), &admin, false));
        }
    }
    found
}

/// Where git has seen a linked worktree last.
pub(crate) fn recorded(admin: &Path) -> Option<PathBuf> {
    as_written(admin).map(|path| real(&path))
}

/// The link that git takes for a linked worktree: it would delete what is behind it, and then fail.
pub(crate) fn recorded_link(admin: &Path) -> Option<PathBuf> {
    as_written(admin).filter(|path| path.is_symlink())
}

fn as_written(admin: &Path) -> Option<PathBuf> {
    let file = files::named(&admin.join("gitdir"), admin).filter(|file| file.ends_with(".git"))?;
    file.parent().map(Path::to_owned)
}

/// The directories of the linked worktrees.
fn linked(common: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(common.join("worktrees")) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// Where jj is used too, its directory is the one that counts.
fn checkout(root: PathBuf, own: &Path, is_main: bool) -> Checkout {
    let jj = root.join(".jj");
    let exists = admin_dir(&root).as_deref() == Some(own);
    let admin = if exists && jj.exists() { real(&jj) } else { own.to_owned() };
    Checkout { branch: branch(own), admin, is_main, exists, root }
}

/// The working copy of the shared directory itself: none of a bare repository, and of a separate directory only what its
/// settings or our own place tell.
fn main_root(common: &Path, here: &Path) -> Option<PathBuf> {
    let settings = settings(common);
    if settings.boolean("core.bare").ok().flatten() == Some(true) {
        return None;
    }
    let leads_back = |root: &PathBuf| admin_dir(root).as_deref() == Some(common);
    let configured = settings.string("core.worktree").map(|path| real(&common.join(files::path_of(&path))));
    let beside = common.file_name().filter(|name| *name == ".git").and_then(|_| common.parent()).map(Path::to_owned);
    [Some(here.to_owned()), configured, beside].into_iter().flatten().find(leads_back)
}

/// What the repository itself says, without the user's settings.
fn settings(common: &Path) -> File {
    let mut all = File::new(Metadata::from(Source::Api));
    for name in ["config", "config.worktree"] {
        let path = common.join(name);
        let origin = Metadata::from(Source::Local).at(path.as_path());
        let parsed =
            files::bytes(&path).and_then(|bytes| File::from_bytes_no_includes(&bytes, origin, Options::default()).ok());
        if let Some(file) = parsed {
            let _ = all.append(file);
        }
        if all.boolean("extensions.worktreeConfig").ok().flatten() != Some(true) {
            break;
        }
    }
    all
}
