//! Opens a repository with the git library, after a check that its files are regular files: the library opens them
//! itself and would block on a pipe, and a repository may come from strangers as an unchecked archive.

use std::path::{Path, PathBuf};

use super::git::{common_dir, own_dir};
use crate::vcs::files;

/// At most this many entries are checked; a repository with more is hardly an archive from strangers.
const MOST: usize = 200_000;
/// The maximal depth of refs and objects.
const DEPTH: usize = 12;

/// The repository of a working copy, or at a directory like `.git`; nothing outside of it is read.
pub(crate) fn at(place: &Path) -> Result<gix::Repository, String> {
    open(place, gix::open::Options::isolated())
}

/// The same, without replacements of objects.
pub(crate) fn as_stored(place: &Path) -> Result<gix::Repository, String> {
    open(place, gix::open::Options::isolated().config_overrides(["core.useReplaceRefs=false"]))
}

fn open(place: &Path, options: gix::open::Options) -> Result<gix::Repository, String> {
    let dot_git = place.join(".git");
    let git = if dot_git.symlink_metadata().is_ok() { dot_git } else { place.to_owned() };
    let odd = odd(&git);
    if let Some(odd) = odd {
        return Err(format!("{} is not a regular file", odd.display()));
    }
    gix::open_opts(git, options.open_path_as_is(true)).map_err(|error| error.to_string())
}

/// The repository whose working copy contains a directory.
pub(crate) fn around(directory: &Path) -> Option<gix::Repository> {
    let root = directory.ancestors().find(|dir| dir.join(".git").symlink_metadata().is_ok())?;
    at(root).ok()
}

/// One of the files that are read first.
pub(crate) fn odd_single(own: &Path, common: &Path) -> Option<PathBuf> {
    let singles = ["HEAD", "config.worktree", "commondir", "index", "gitdir"].map(|name| own.join(name));
    let shared = ["HEAD", "config", "packed-refs", "shallow", "info/exclude", "info/attributes"];
    let head = files::text(&own.join("HEAD")).unwrap_or_default();
    let branch = head.strip_prefix("ref:").map(|name| common.join(name.trim()));
    let all = singles.into_iter().chain(shared.map(|name| common.join(name))).chain(branch);
    all.into_iter().find(|path| std::fs::metadata(path).is_ok_and(|found| !found.is_file()))
}

/// The first entry in a git directory that the library would open and that is neither a file nor a directory.
fn odd(git: &Path) -> Option<PathBuf> {
    let (Some(own), Some(common)) = (own_dir(git), common_dir(git)) else { return Some(git.to_owned()) };
    let mut left = MOST;
    let objects = common.join("objects");
    let borrowed = files::text(&objects.join("info/alternates")).unwrap_or_default();
    let borrowed = borrowed.lines().filter(|line| !line.trim().is_empty()).map(|line| objects.join(line));
    let trees = [own.join("refs"), common.join("refs"), objects.clone()].into_iter().chain(borrowed);
    odd_single(&own, &common).or_else(|| trees.into_iter().find_map(|tree| files::odd_in(&tree, DEPTH, &mut left)))
}
