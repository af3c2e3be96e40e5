//! Which version control a path is under, and where its working copy begins.

use std::path::{Path, PathBuf};

use crate::sys::looks;

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

impl Kind {
    pub fn is_versioned(self) -> bool {
        self != Kind::None
    }

    /// As people call it, and as its program is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Git => "git",
            Kind::Jj => "jj",
            Kind::Hg => "hg",
            Kind::Sl => "sl",
            Kind::None => "none",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The markers of working copies. Where jj and git share a directory, jj is the one in use.
pub(super) const MARKERS: [(&str, Kind); 4] =
    [(".jj", Kind::Jj), (".git", Kind::Git), (".hg", Kind::Hg), (".sl", Kind::Sl)];

/// The nearest working copy at or above a path. Where there is none on the way to a link, what the link leads to counts.
pub(super) fn place(path: &Path) -> Option<(Kind, PathBuf)> {
    above(path).or_else(|| above(&looks::real(path).ok()?))
}

fn above(path: &Path) -> Option<(Kind, PathBuf)> {
    looks::once("working copy", path, || {
        let is_marked = |(name, _): &&(&str, Kind)| looks::exists(&path.join(name));
        let found = if looks::is_file(path) { None } else { MARKERS.iter().find(is_marked) };
        found.map(|(_, kind)| (*kind, path.to_owned())).or_else(|| above(path.parent()?))
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
