//! Finding the repo that a command is about.
//!
//! Looking upwards ends where another repository begins that is no part of this one, and where the ledger is another user's:
//! what is written there would end up in somebody else's project. Whoever means it names it.

use std::path::{Path, PathBuf};

use super::{Result, StoreError};
use crate::model::id;
use crate::sys::{Env, fs};
use crate::vcs;

pub const BEADS_DIR: &str = ".beads";
/// The ledger's name: ours, and that of later beads.
pub const LEDGER_NAMES: [&str; 2] = ["beads.jsonl", "issues.jsonl"];

/// Why a ledger above a path is not the one of that path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beyond {
    /// The path is in a repository of its own, below the ledger.
    Nested { root: PathBuf, ledger: PathBuf },
    /// The ledger is another user's.
    Foreign { ledger: PathBuf },
}

impl Beyond {
    /// The directory with the ledger.
    pub fn ledger(&self) -> &Path {
        match self {
            Beyond::Nested { ledger, .. } | Beyond::Foreign { ledger } => ledger,
        }
    }
}

/// A directory with a `.beads` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    root: PathBuf,
    beads: PathBuf,
    /// Why this one.
    reason: String,
}

impl Repo {
    /// Finds the repo: `BEADS_DIR`, `BEADS_DB`, then upwards from the path.
    pub fn discover(start: &Path, env: &Env, ignore_env: bool) -> Result<Self> {
        for name in ["BEADS_DIR", "BEADS_DB"] {
            if let Some(value) = env.var(name).filter(|_| !ignore_env) {
                let path = env.path(&value);
                let found = Self::at(&path, format!("{name} is set"));
                return found.unwrap_or(Err(StoreError::BadVariable { variable: name, path }));
            }
        }
        let start = env.cwd().join(start);
        let place = if start == env.cwd() { "working directory" } else { "given path" };
        let named = Self::at(&start, place.to_owned());
        if let Some(found) = named.filter(|_| !start.join(BEADS_DIR).is_dir()) {
            return found;
        }
        let from = std::fs::canonicalize(&start).unwrap_or_else(|_| start.clone());
        let above = beads_above(&from);
        if let Some(beads) = beads_of_parent(&from, above) {
            return Self::follow(beads, "the workspace has no ledger of its own, its parent has".to_owned());
        }
        let Some(root) = above else { return Err(StoreError::NoRepository { start, beyond: None }) };
        if let Some(beyond) = border(&from, root) {
            return Err(StoreError::NoRepository { start, beyond: Some(beyond) });
        }
        let reason = if root == from { place.to_owned() } else { format!("found above the {place}") };
        Self::follow(root.join(BEADS_DIR), reason)
    }

    /// A path that names a `.beads` directory, or a file in one (which need not exist).
    pub fn at(path: &Path, reason: String) -> Option<Result<Self>> {
        let is_beads = |path: &Path| path.file_name().is_some_and(|name| name == BEADS_DIR);
        let beads = if path.is_dir() && (is_beads(path) || LEDGER_NAMES.iter().any(|name| path.join(name).is_file())) {
            Some(path.to_owned())
        } else {
            path.parent().filter(|parent| !path.is_dir() && is_beads(parent) && parent.is_dir()).map(Path::to_owned)
        };
        let beads = beads.or_else(|| Some(path.join(BEADS_DIR)).filter(|beads| beads.is_dir()));
        beads.map(|beads| Self::follow(beads, reason))
    }

    /// Follows `.beads/redirect` and a linked `.beads`, as long as they stay in the same repository family.
    fn follow(beads: PathBuf, mut reason: String) -> Result<Self> {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let named =
            real(beads.parent().unwrap_or(Path::new("."))).join(beads.file_name().unwrap_or(BEADS_DIR.as_ref()));
        let mut target = real(&beads);
        if let Ok(text) = std::fs::read_to_string(beads.join("redirect")) {
            let line = text.lines().next().unwrap_or_default().trim();
            if !line.is_empty() {
                let to = named.parent().unwrap_or(Path::new(".")).join(line);
                let to = if to.join(BEADS_DIR).is_dir() { to.join(BEADS_DIR) } else { to };
                if !to.is_dir() {
                    return Err(StoreError::NoRepository { start: to, beyond: None });
                }
                target = real(&to);
                reason = format!("{reason}, redirected");
            }
        }
        if target != named && !same_family(&named, &target) {
            return Err(StoreError::Redirect { from: named, to: target });
        }
        let root = target.parent().unwrap_or(&target).to_owned();
        Ok(Repo { root, beads: target, reason })
    }

    /// The directory that holds `.beads`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn beads(&self) -> &Path {
        &self.beads
    }

    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(super) fn default_prefix(&self) -> String {
        let first = super::family::counterpart(&self.root);
        let root = first.as_ref().unwrap_or(&self.root);
        id::prefix_from(root.file_name().and_then(|name| name.to_str()).unwrap_or("bd"))
    }
}

/// The `.beads` directory of the checkout that a workspace was made from, if the workspace itself has no ledger: nobody has committed
/// it yet, or nobody ever will.
fn beads_of_parent(from: &Path, found: Option<&Path>) -> Option<PathBuf> {
    let has_usual = |found: &Path| LEDGER_NAMES.iter().any(|name| found.join(BEADS_DIR).join(name).exists());
    if found == Some(from) && has_usual(from) {
        return None;
    }
    let root = vcs::root(from)?;
    let inside = found.filter(|found| found.starts_with(&root));
    let is_jsonl = |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|end| end == "jsonl");
    let has_ledger = |found: &Path| {
        let entries = || std::fs::read_dir(found.join(BEADS_DIR)).into_iter().flatten().flatten();
        has_usual(found) || entries().any(is_jsonl) || found.join(BEADS_DIR).join("redirect").exists()
    };
    if inside.is_some_and(has_ledger) {
        return None;
    }
    super::family::parent(from)?;
    let first = super::family::counterpart(inside.unwrap_or(from))?;
    let above = beads_above(&first).filter(|above| border(&first, above).is_none())?;
    Some(above.join(BEADS_DIR))
}

fn beads_above(from: &Path) -> Option<&Path> {
    from.ancestors().find(|directory| directory.join(BEADS_DIR).is_dir())
}

/// What stands between a path and a ledger above it.
fn border(from: &Path, root: &Path) -> Option<Beyond> {
    if root == from {
        return None;
    }
    let ledger = root.to_owned();
    let owner = fs::owner(&root.join(BEADS_DIR));
    if owner != fs::owner(from) && owner != Some(fs::user()) {
        return Some(Beyond::Foreign { ledger });
    }
    let inner = vcs::root(from).filter(|inner| inner != root && inner.starts_with(root))?;
    // A submodule and a linked worktree keep their files in the directory of the repository that they belong to.
    let belongs =
        vcs::common_dir(&inner).zip(vcs::common_dir(root)).is_some_and(|(inner, outer)| inner.starts_with(outer));
    (!belongs).then_some(Beyond::Nested { root: inner, ledger })
}

/// Both paths lie in one working copy, or in two checkouts of one repository.
fn same_family(one: &Path, other: &Path) -> bool {
    let Some(root) = vcs::root(one) else { return one.parent() == other.parent() };
    other.starts_with(&root) || super::family::is_family(one, other)
}
