//! Which version control a path is under, and where its working copy begins.
//!
//! That is decided by what no commit can bring. git commits `.hg`, `.sl` and `.jj` like any other directory, hg commits `.git`; who
//! can push to a project could otherwise decide where `bd` looks for the user's settings.

use std::path::{Path, PathBuf};

use super::kind::Kind;
use super::layout::git;
use super::tracked;
use crate::sys::path;

/// The markers of working copies. Where jj and git share a directory, jj is the one in use.
pub(super) const MARKERS: [(&str, Kind); 4] =
    [(".jj", Kind::Jj), (".git", Kind::Git), (".hg", Kind::Hg), (".sl", Kind::Sl)];

/// A directory in which a commit of the repository around it can put anything but `.git`.
const LEDGERS: &str = ".beads";

/// A working copy.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub kind: Kind,
    pub root: PathBuf,
    /// Another marker beside it, if each is in the list of files of the other's version control.
    pub disputed_by: Option<&'static str>,
}

/// The nearest working copy at or above a path. Where there is none on the way to a link, what the link leads to counts.
pub(super) fn place(path: &Path) -> Option<(Kind, PathBuf)> {
    found(path).map(|found| (found.kind, found.root))
}

pub(super) fn found(path: &Path) -> Option<Found> {
    above(path).or_else(|| above(&path::real(path).ok()?))
}

/// A marker counts only if no commit can have brought it: the version control around it, and another one beside it, must not
/// track it. Each refuses to track its own, so the lists of files are read only where two systems meet.
fn above(path: &Path) -> Option<Found> {
    let outer = || above(path.parent()?);
    let is_marked = |(name, _): &&(&str, Kind)| path.join(name).exists();
    let here = if path.is_file() { Vec::new() } else { MARKERS.iter().filter(is_marked).collect() };
    if here.is_empty() {
        return outer();
    }
    // Only hg and sl commit a `.git`, and one that they brought in a directory of its own hides nothing that is settled around it.
    if matches!(here[..], [(".git", _)]) && !path.iter().any(|name| name == LEDGERS) {
        return Some(Found { kind: Kind::Git, root: path.to_owned(), disputed_by: None });
    }
    let outer = outer();
    let is_brought = |name: &str| outer.as_ref().is_some_and(|outer| outer.may_have_brought(path, name));
    let own: Vec<_> = here.into_iter().filter(|(name, _)| !is_brought(name)).collect();
    let rival = |name: &str| {
        let others = own.iter().filter(|(other, _)| *other != name);
        others.map(|(other, kind)| (*other, tracks(*kind, path, name.as_bytes()))).find(|(_, tracks)| *tracks)
    };
    let root = || path.to_owned();
    let real = own.iter().find(|(name, _)| rival(name).is_none());
    let real = real.map(|(_, kind)| Found { kind: *kind, root: root(), disputed_by: None });
    real.or_else(|| {
        let (name, kind) = own.first()?;
        Some(Found { kind: *kind, root: root(), disputed_by: rival(name).map(|(other, _)| other) })
    })
    .or(outer)
}

impl Found {
    /// A commit of this working copy may have put a marker into a directory below it.
    fn may_have_brought(&self, directory: &Path, marker: &str) -> bool {
        let Ok(inside) = directory.strip_prefix(&self.root) else { return false };
        let is_in_beads = inside.iter().any(|name| name == LEDGERS) && (marker != ".git" || self.kind == Kind::Sl);
        is_in_beads || tracks(self.kind, &self.root, inside.join(marker).as_os_str().as_encoded_bytes())
    }
}

/// Whether the version control of a working copy tracks a marker in it. None tracks its own; jj and git track no `.git`. The list
/// of sl is not read.
fn tracks(kind: Kind, root: &Path, marker: &[u8]) -> bool {
    let is = |names: &[&str]| names.iter().any(|name| marker.ends_with(name.as_bytes()));
    match kind {
        Kind::Git if !is(&[".git"]) => {
            git::own_dir(&root.join(".git")).is_some_and(|own| tracked::by_git(&own, marker))
        }
        Kind::Jj if !is(&[".git", ".jj"]) => tracked::by_jj(&root.join(".jj"), marker),
        Kind::Hg if !is(&[".hg"]) => tracked::by_hg(&root.join(".hg"), marker),
        _ => false,
    }
}

/// Whether version control has a path, or anything below it, in its list of files: a commit may have brought it. True
/// for sl, whose list is not read.
pub fn is_listed(path: &Path) -> bool {
    place(path).is_some_and(|(kind, root)| {
        let inside = path.strip_prefix(&root).map(|inside| inside.as_os_str().as_encoded_bytes());
        kind == Kind::Sl || inside.is_ok_and(|inside| tracks(kind, &root, inside))
    })
}

/// Which version control a path is under.
pub fn kind(path: &Path) -> Kind {
    place(path).map_or(Kind::None, |(kind, _)| kind)
}

/// The directory that holds `.git`, `.jj`, `.hg` or `.sl`, at or above a path.
pub fn root(path: &Path) -> Option<PathBuf> {
    place(path).map(|(_, root)| root)
}

/// Whether this build can read the version control that a path is under.
pub fn is_supported(path: &Path) -> bool {
    cfg!(feature = "git") || !matches!(kind(path), Kind::Git | Kind::Jj)
}

/// Whether a path is under some version control.
pub fn is_versioned(path: &Path) -> bool {
    place(path).is_some()
}
