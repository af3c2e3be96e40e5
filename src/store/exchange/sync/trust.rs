//! Programs that a repository names: nothing that would run them happens before the user has agreed to them.
//!
//! The agreement is stored in the user's state, beside agreed paths. It covers one repository and exactly these
//! programs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::hooks;
use crate::store::project::agreed::{HOOKS, PROGRAMS, agrees, entry};
use crate::store::project::paths;
use crate::store::project::trust::OutsidePath;
use crate::store::read::working_copies::WorkingCopy;
use crate::store::{Project, Result, Snapshot, StoreError, read_trust};
use crate::sys::{Env, Host};
use crate::vcs::{self, Exchange};

/// Programs that a working copy names and makes its version control run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPrograms {
    pub root: PathBuf,
    pub programs: Vec<String>,
    /// Programs that it names but no command of ours runs or writes: no agreement is needed.
    pub idle: Vec<String>,
    /// The user has already agreed.
    pub known: bool,
}

/// Finds what the working copy around a path names, and trusts exactly that if the user agrees.
pub fn trust_programs(
    path: &Path,
    host: &Host,
    wait: Duration,
    wants: impl FnOnce(&NamedPrograms) -> bool,
) -> Result<NamedPrograms> {
    let vcs = vcs::open(path);
    if !vcs.is_versioned() {
        return Err(vcs::SyncError::NoVcs { root: paths::plain(path) }.into());
    }
    let root = paths::real(vcs.root());
    let (verdict, hooks) = (vcs.judge(&host.env), hooks_of(vcs.exchange()?, &root, &host.env)?);
    let is_agreed = verdict.is_agreed(&root, &host.env.clone().agreeing(agrees));
    let programs: Vec<String> = verdict.asks.into_iter().collect();
    let trust = read_trust(&host.env);
    let mut entries = vec![entry(&root, PROGRAMS, &programs)];
    // Without programs there is nothing to agree to, except hooks: those of a push are agreed to separately.
    entries.truncate(usize::from(!programs.is_empty() || hooks.is_empty()));
    entries.extend((!hooks.is_empty()).then(|| entry(&root, HOOKS, &hooks)));
    let covers =
        |entry: &OutsidePath| trust.covers(entry) || (entry.key == PROGRAMS && !programs.is_empty() && is_agreed);
    let known = entries.iter().all(covers);
    let programs = [programs, hooks].concat();
    let named = NamedPrograms { root, programs, idle: verdict.idle.into_iter().collect(), known };
    if !known && !named.programs.is_empty() && wants(&named) {
        trust.add(&entries, wait, &host.entropy)?;
    }
    Ok(named)
}

/// The hooks that a push with code runs, and those that our hooks run in turn.
fn hooks_of(exchange: &dyn Exchange, root: &Path, env: &Env) -> Result<Vec<String>> {
    let mut found = exchange.hooks(env)?;
    if !found.is_empty() {
        found.extend(hooks::run_next(root, env));
    }
    // Our own need no agreement.
    let path = |line: &String| Some(line.strip_prefix("hook ")?.split_once(" = ")?.1.rsplit_once(" (")?.0.to_owned());
    found.retain(|line| !path(line).is_some_and(|path| hooks::is_installed_text(Path::new(&path))));
    Ok(found)
}

impl Project {
    /// Refuses to commit, merge or exchange where that would run programs without agreement.
    pub(super) fn refuse_programs(&self, copy: &WorkingCopy) -> Result<()> {
        self.refuse_programs_of(&copy.root)
    }

    /// Refuses to push with the repository's hooks without agreement.
    pub(super) fn refuse_hooks(&self, copy: &WorkingCopy) -> Result<()> {
        let programs = hooks_of(copy.vcs.exchange()?, &copy.root, &self.host.env)?;
        if programs.is_empty() || read_trust(&self.host.env).covers(&entry(&copy.root, HOOKS, &programs)) {
            return Ok(());
        }
        Err(StoreError::UntrustedPrograms { root: copy.root.clone(), programs })
    }

    /// Whether the user has agreed to the hooks of the working copy with this root, and to their location.
    pub(in crate::store) fn trusts_hooks(&self, root: &Path) -> Result<bool> {
        let hooks = hooks_of(vcs::open(root).exchange()?, root, &self.host.env)?;
        Ok(read_trust(&self.host.env).covers(&entry(root, HOOKS, &hooks)))
    }

    /// `refuse_programs` for the working copy with this root.
    pub fn refuse_programs_of(&self, root: &Path) -> Result<()> {
        let verdict = vcs::open(root).judge(&self.host.env);
        if verdict.is_agreed(&paths::real(root), &self.host.env) {
            return Ok(());
        }
        Err(StoreError::UntrustedPrograms { root: root.to_owned(), programs: verdict.asks.into_iter().collect() })
    }
}

impl Snapshot {
    /// The same before a commit that follows a write.
    pub(in crate::store) fn refuse_programs_at(&self, path: &Path) -> Result<()> {
        let copies = self.working_copies(None);
        let path = paths::real(path);
        copies
            .iter()
            .find(|copy| copy.vcs.is_versioned() && path.starts_with(&copy.root))
            .map_or(Ok(()), |copy| self.refuse_programs(copy))
    }

    /// The working copies of the project; an error if none of its repos is in one.
    pub fn working_copy_roots(&self) -> Result<Vec<PathBuf>> {
        let versioned = self.working_copies(None).into_iter().filter(|copy| copy.vcs.is_versioned());
        let roots: Vec<PathBuf> = versioned.map(|copy| copy.root).collect();
        if roots.is_empty() {
            return Err(vcs::SyncError::NoVcs { root: self.repo().root().to_owned() }.into());
        }
        Ok(roots)
    }
}
