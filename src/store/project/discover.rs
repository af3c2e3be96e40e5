//! Finds the repo that a command is about.
//!
//! The search upwards stops where another repository starts that is not part of this one, and at another user's ledger:
//! writes would end up in someone else's project. A user who wants such a repo must name it.

use std::path::{Path, PathBuf};

use super::databases::databases;
use super::paths;
use crate::model::id;
use crate::store::error::Beyond;
use crate::store::file_names::{BEADS_DIR, CONFIG_NAME, LEDGER_NAMES, REDIRECT_NAME};
use crate::store::{Result, StoreError};
use crate::sys::{Env, below, fs, path};
use crate::{sys, vcs};

/// How many redirects to follow.
const MAX_REDIRECTS: usize = 4;

/// A directory with a `.beads` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repo {
    root: PathBuf,
    beads: PathBuf,
    /// Why this repo was chosen.
    reason: String,
}

impl Repo {
    /// Finds the repo: `BEADS_DIR`, `BEADS_DB`, then upwards from the path.
    pub fn discover(start: &Path, env: &Env, ignore_env: bool) -> Result<Self> {
        for name in ["BEADS_DIR", "BEADS_DB"] {
            if let Some(value) = env.var(name).filter(|_| !ignore_env) {
                let path = env.path(&value);
                let reason = format!("{name} is set");
                let beads = named_beads(name, &path);
                let found = Self::at(&path, reason.clone())
                    .or_else(|| beads.is_dir().then(|| Self::follow(beads.clone(), reason)));
                return found.unwrap_or(Err(StoreError::BadVariable { variable: name, path }));
            }
        }
        let start = env.cwd().join(start);
        let place = if start == env.cwd() { "working directory" } else { "given path" };
        if !start.join(BEADS_DIR).is_dir()
            && let Some(found) = Self::at(&start, place.to_owned())
        {
            return found;
        }
        let from = sys::path::real(&start).unwrap_or_else(|_| start.clone());
        let above = beads_above(&from);
        // Do not skip an odd `.beads`: the repo above it is a different one.
        if let Some(odd) = above.filter(|dir| !dir.join(BEADS_DIR).is_dir() && !is_nested(&from, dir)) {
            return Err(StoreError::NotADirectory { path: odd.join(BEADS_DIR) });
        }
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

    /// Follows `.beads/redirect` and a linked `.beads`, as long as they stay in the same repository family. No other
    /// code follows a link of a repository.
    fn follow(beads: PathBuf, reason: String) -> Result<Self> {
        let real = |path: &Path| sys::path::real(path).unwrap_or_else(|_| path.to_owned());
        let above = |path: &Path| path.parent().unwrap_or(Path::new(".")).to_owned();
        let named = real(&above(&beads)).join(beads.file_name().unwrap_or(BEADS_DIR.as_ref()));
        let mut at = named.clone();
        for hop in 0..=MAX_REDIRECTS {
            let target = real(&at);
            if target != named && !same_family(&named, &target) {
                return Err(StoreError::Redirect { from: named, to: target });
            }
            if below::is_control(&target) || target != named && is_inside_control(&named, &target) {
                return Err(StoreError::InControl { path: target });
            }
            let is_led = path::is_there(&target.join(REDIRECT_NAME));
            let text = if is_led { below::text(&target, REDIRECT_NAME)? } else { None }.unwrap_or_default();
            let line = text.lines().next().unwrap_or_default().trim();
            if line.is_empty() {
                let reason = if hop > 0 { format!("{reason}, redirected") } else { reason };
                // A ledger outside of `.beads`, such as at the root of a planning repo, has a directory to itself.
                let is_bare = hop == 0 && named.file_name().is_some_and(|name| name != BEADS_DIR);
                let root = if is_bare { target.clone() } else { above(&target) };
                return Ok(Repo { root, beads: target, reason });
            }
            let to = above(&at).join(line);
            at = if to.join(BEADS_DIR).is_dir() { to.join(BEADS_DIR) } else { to };
            if !at.is_dir() {
                return Err(StoreError::NoRepository { start: at, beyond: None });
            }
        }
        Err(StoreError::TooManyRedirects { from: named, most: MAX_REDIRECTS })
    }

    /// The directory that contains `.beads`, or the ledger itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn beads(&self) -> &Path {
        &self.beads
    }

    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(in crate::store) fn default_prefix(&self) -> String {
        let first = super::family::counterpart(&self.root);
        let root = first.as_ref().unwrap_or(&self.root);
        id::prefix_from(root.file_name().and_then(|name| name.to_str()).unwrap_or("bd"))
    }
}

/// The directory of the ledger that `BEADS_DIR` or `BEADS_DB` names, existing or not. A database in a project means the project's
/// ledger; one elsewhere has a ledger of its own, `x.db.beads` beside it, which no search upwards finds.
pub fn named_beads(variable: &str, path: &Path) -> PathBuf {
    let is_beads = |path: &Path| path.file_name().is_some_and(|name| name == BEADS_DIR);
    match (path.parent(), path.file_name()) {
        _ if is_beads(path) => path.to_owned(),
        (Some(parent), Some(name)) if variable == "BEADS_DB" && !path.is_dir() => {
            let beads = if is_beads(parent) { parent.to_owned() } else { parent.join(BEADS_DIR) };
            let own = parent.join(format!("{}{BEADS_DIR}", name.display()));
            match is_beads(parent) || beads.is_dir() && !own.is_dir() {
                true => beads,
                false => own,
            }
        }
        _ => path.join(BEADS_DIR),
    }
}

/// The `.beads` directory of a workspace's parent checkout, if the workspace has no ledger because it is not committed.
fn beads_of_parent(from: &Path, found: Option<&Path>) -> Option<PathBuf> {
    let has_usual = |found: &Path| LEDGER_NAMES.iter().any(|name| found.join(BEADS_DIR).join(name).exists());
    if found == Some(from) && has_usual(from) {
        return None;
    }
    let root = vcs::root(from)?;
    let inside = found.filter(|found| found.starts_with(&root));
    let has_ledger = |found: &Path| {
        let beads = || sys::path::real(&found.join(BEADS_DIR)).unwrap_or_default();
        let names = || below::names(&beads(), "").unwrap_or_default();
        has_usual(found) || names().iter().any(|name| name.ends_with(".jsonl") || name == REDIRECT_NAME)
    };
    if inside.is_some_and(has_ledger) {
        return None;
    }
    super::family::parent(from)?;
    let first = super::family::counterpart(inside.unwrap_or(from))?;
    let above =
        beads_above(&first).filter(|above| above.join(BEADS_DIR).is_dir() && border(&first, above).is_none())?;
    Some(above.join(BEADS_DIR))
}

/// The nearest directory above with something called `.beads`.
fn beads_above(from: &Path) -> Option<&Path> {
    from.ancestors().find(|directory| sys::path::is_there(&directory.join(BEADS_DIR)))
}

/// Below `directory`, the path is in a working copy of its own.
fn is_nested(from: &Path, directory: &Path) -> bool {
    vcs::root(from).is_some_and(|inner| inner != directory && inner.starts_with(directory))
}

/// Why a ledger above a path is not the ledger of that path, if so.
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
    // A submodule and a linked worktree keep their files in the directory of their repository.
    let belongs =
        vcs::common_dir(&inner).zip(vcs::common_dir(root)).is_some_and(|(inner, outer)| inner.starts_with(outer));
    (!belongs).then_some(Beyond::Nested { root: inner, ledger })
}

/// The path is in the directory of version control's own files, whatever its name.
fn is_inside_control(repo: &Path, path: &Path) -> bool {
    vcs::common_dir(repo).is_some_and(|common| path.starts_with(common))
}

/// Both paths are in one working copy, or in two checkouts of one repository.
fn same_family(one: &Path, other: &Path) -> bool {
    let Some(root) = vcs::root(one) else { return one.parent() == other.parent() };
    other.starts_with(&root) || super::family::is_family(one, other)
}

/// Refuses to create a ledger among the files of version control: no commit would include it.
pub fn refuse_control(beads: &Path) -> Result<()> {
    let path = paths::real(beads);
    match below::is_control(&path) || path.ancestors().skip(1).any(vcs::is_bare) {
        true => Err(StoreError::InControl { path }),
        false => Ok(()),
    }
}

/// The error for a missing ledger: another one beside it may have the issues.
pub fn missing(ledger: &Path) -> StoreError {
    let (directory, _) = below::parted(ledger);
    let has_lines = |name: &&&str| fs::stat(&directory.join(name)).is_ok_and(|stat| stat.size > 0);
    let beside = LEDGER_NAMES.iter().filter(|name| directory.join(name) != *ledger).find(has_lines);
    match beside {
        Some(found) => StoreError::OtherLedger { ledger: ledger.to_owned(), found },
        None => no_ledger(directory),
    }
}

/// The error for a directory without a ledger.
pub fn no_ledger(directory: &Path) -> StoreError {
    match databases(directory).into_iter().next() {
        Some(database) => StoreError::OnlyDatabase { database },
        None => StoreError::NoLedger { directory: directory.to_owned() },
    }
}

/// Refuses to create a ledger where version control has one that is not checked out: the next commit would remove its
/// issues.
pub fn refuse_not_checked_out(beads: &Path, configured: Option<&str>, env: &Env) -> Result<()> {
    let vcs = vcs::open(beads);
    let real = paths::real(beads);
    let root = paths::real(vcs.root());
    let Ok(inside) = real.strip_prefix(&root) else { return Ok(()) };
    if !vcs.is_versioned() {
        return Ok(());
    }
    // If that is unknown, do not refuse.
    let committed = |file: &Path| vcs.committed(file, env).ok().flatten();
    // The settings that name the ledger may be missing with it.
    let settings = committed(&inside.join(CONFIG_NAME)).and_then(|bytes| String::from_utf8(bytes).ok());
    let settings = settings.and_then(|text| text.parse::<toml::Table>().ok()).unwrap_or_default();
    let named = settings.get("ledger").and_then(|ledger| ledger.get("file")?.as_str());
    for name in LEDGER_NAMES.into_iter().chain(configured).chain(named) {
        let path = inside.join(name);
        if committed(&path).is_some_and(|bytes| !bytes.trim_ascii().is_empty()) {
            return Err(StoreError::NotCheckedOut { remedy: vcs.to_get_back(&path), path });
        }
    }
    Ok(())
}
