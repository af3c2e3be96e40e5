//! Version control for planning repos.

use std::path::{Path, PathBuf};

use super::{family, home, paths};
use crate::store::{Project, Repo, Result, Role, StoreError};
use crate::sys::fs::{Dir, FsError};
use crate::sys::{Env, below};
use crate::vcs::Identity;
use crate::{sys, vcs};

/// The largest exclude file to read.
const MAX_EXCLUDE: u64 = 16 << 20;

/// Two working copies belong to one project: commits of one can be pushed to where the other comes from. The only check
/// for "is this the project?", made when a planning repo is joined and before each of its pushes.
pub(in crate::store) fn is_same_project(one: &Path, other: &Path, env: &Env) -> bool {
    family::is_family(one, other) || vcs::is_same_project(one, other, env)
}

/// The same from settings alone: cheap enough for every write.
pub(in crate::store) fn shares_remote(one: &Path, other: &Path, env: &Env) -> bool {
    family::is_family(one, other) || Identity::of(one, env).meets(&Identity::of(other, env))
}

/// Refuses a planning repo inside the project's working copy, or in another checkout or clone of the project: its files
/// would be committed there.
pub fn check_planning(project: &Path, planning: &Path, env: &Env) -> Result<()> {
    let root = vcs::root(project).unwrap_or_else(|| project.to_owned());
    if is_same_project(project, planning, env) || paths::real(planning).starts_with(paths::real(&root)) {
        return Err(StoreError::WouldLeak { repo: planning.display().to_string() });
    }
    match sys::path::follow(planning) {
        Ok(meta) if !meta.is_dir() => Err(StoreError::NotARepo { path: planning.to_owned() }),
        _ => Ok(()),
    }
}

impl Project {
    /// No commit by the user can include the file: version control ignores it, or there is none.
    pub fn is_kept_out_of_commits(&self, file: &Path) -> bool {
        vcs::root(self.repos.primary_member().repo.root()).is_none()
            || vcs::is_ignored(file, &self.host.env) == Some(true)
    }

    /// Whether a change of a file would show in a commit, because version control tracks it, or may.
    pub fn is_tracked(&self, file: &Path) -> bool {
        vcs::root(self.repos.primary_member().repo.root()).is_some()
            && vcs::is_tracked(file, &self.host.env).unwrap_or(true)
    }

    /// Why a user whose new issues go straight into the project looks like a contributor to it. `None` if they do not,
    /// or if routing handles it.
    pub fn files_for_others(&self) -> Option<&str> {
        let repo = &self.repos.primary_member().repo;
        let is_plain = !self.has_roles() && self.repos.members.len() == 1;
        if !is_plain || !vcs::open(repo.root()).shows_who_pushes() || kept_out_by(repo.beads()).is_some() {
            return None;
        }
        let decision = self.role();
        (decision.role == Role::Contributor).then_some(decision.because.as_str())
    }
}

/// Refuses a working copy whose repository is missing.
pub fn refuse_stranded(directory: &Path) -> Result<()> {
    home::stranded(vcs::Around::of(directory).stranded).map_or(Ok(()), |error| Err(error.into()))
}

/// The `.beads` directory of the working copy around a directory, at or above it.
pub fn ledger_of_working_copy(directory: &Path, env: &Env) -> Option<PathBuf> {
    let found = Repo::discover(directory, env, false).ok()?;
    let root = |path: &Path| vcs::root(path).map(|root| paths::real(&root));
    (root(directory).is_some() && root(directory) == root(found.root())).then(|| found.beads().to_owned())
}

/// Puts a new directory under version control, unless it is in a working copy already. Returns what was done, or why
/// not.
pub fn start_version_control(directory: &Path, env: &Env) -> Option<String> {
    let is_own = vcs::root(directory).is_some_and(|root| paths::real(&root) == paths::real(directory));
    let is_new = below::names(&paths::real(directory), "").is_ok_and(|names| names.is_empty());
    if is_own || !is_new {
        return None;
    }
    Some(match vcs::init_git(directory, env) {
        Ok(()) => format!("git init in {}", directory.display()),
        Err(error) => format!("{} has no version control: {error}", directory.display()),
    })
}

/// Clones a repo of the project that is not there. The address may be anybody's: it names no program.
pub fn clone_repository(address: &str, path: &Path, env: &Env) -> Result<()> {
    let (above, name) = below::parted(path);
    // The settings of a stranger may name any path of the project: version control would run what it finds in its own directories.
    let real = paths::real(above).join(name);
    if below::is_control(&real)
        || real.components().any(|part| part.as_os_str().eq_ignore_ascii_case(crate::store::BEADS_DIR))
    {
        return Err(StoreError::InControl { path: real });
    }
    if !above.is_dir() {
        return Err(StoreError::NotARepo { path: above.to_owned() });
    }
    Ok(vcs::clone_repository(address, &real, env)?)
}

/// Makes the first commit of a planning repo. Returns what was done, or why not.
pub fn commit_files(files: &[PathBuf], message: &str, author: &str, env: &Env) -> Option<String> {
    match vcs::commit(files, message, author, env) {
        Ok(vcs::Committed::Done) => Some(format!("committed: {message}")),
        Ok(_) => None,
        Err(error) => Some(format!("not committed: {error}")),
    }
}

/// The line that keeps a `.beads` out of commits, and its file.
fn exclusion(beads: &Path) -> Option<(PathBuf, String)> {
    let real = paths::real(beads);
    let around = vcs::Around::of(&real);
    let inside = real.strip_prefix(around.root.as_ref()?).unwrap_or(Path::new(crate::store::BEADS_DIR));
    Some((around.exclude_file()?, format!("/{}/", inside.display())))
}

/// The file that keeps a `.beads` out of this user's commits, if any.
pub(in crate::store) fn kept_out_by(beads: &Path) -> Option<PathBuf> {
    let (exclude, line) = exclusion(beads)?;
    let (info, name) = below::parted(&exclude);
    let known = below::text(info, name).ok()??;
    known.lines().any(|known| known == line).then_some(exclude)
}

/// Reverts [`keep_out_of_commits`].
pub(in crate::store) fn let_into_commits(beads: &Path) -> Result<()> {
    let Some((exclude, line)) = exclusion(beads) else { return Ok(()) };
    let (info, name) = below::parted(&exclude);
    let known = below::text(info, name)?.unwrap_or_default();
    let kept: String = known.split_inclusive('\n').filter(|known| known.trim_end() != line).collect();
    Ok(below::put(info, name, kept.as_bytes())?)
}

/// Keeps a `.beads` that only this user wants out of the project's commits, without a trace in the project: uses git's
/// private exclude file. Without git, does nothing and tells the user.
pub fn keep_out_of_commits(beads: &Path) -> Result<String> {
    let Some((exclude, line)) = exclusion(beads) else {
        return Ok(format!("{} is new here: keep it out of your commits", beads.display()));
    };
    exclude_line(&exclude, &line)?;
    Ok(format!("{line} is kept out of commits by {}", exclude.display()))
}

/// Adds a line to git's private exclude file, `info/exclude` in the directory that checkouts share, if it is missing.
pub fn exclude_line(exclude: &Path, line: &str) -> std::result::Result<(), FsError> {
    let (info, name) = below::parted(exclude);
    let (common, inside) = below::parted(info);
    let dir = Dir::root(common)?.make(inside)?;
    let known = match dir.read(name, MAX_EXCLUDE) {
        Ok(contents) => String::from_utf8_lossy(&contents.bytes).into_owned(),
        Err(error) if error.is_missing() => String::new(),
        Err(error) => return Err(error),
    };
    if known.lines().any(|known| known == line) {
        return Ok(());
    }
    let gap = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
    dir.put(&name.to_string_lossy(), format!("{known}{gap}{line}\n").as_bytes())
}
