//! Programs that a repository itself names: nothing that would run them is done before the user has agreed to them.
//!
//! The agreement is kept in the user's state, with that of paths, and is for one repository and exactly these programs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::settings::OutsidePath;
use super::super::{Result, Store, StoreError, family, place, read_trust};
use super::copies::WorkingCopy;
use crate::sys::Host;
use crate::vcs::{self, Kind};

/// What a working copy makes its version control run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPrograms {
    pub root: PathBuf,
    pub programs: Vec<String>,
    /// Agreed to before.
    pub known: bool,
}

/// Looks at the working copy that a path is in, and agrees to what it names.
pub fn trust_programs(path: &Path, host: &Host, wait: Duration, dry_run: bool) -> Result<NamedPrograms> {
    let vcs = vcs::open(path);
    if vcs.kind() == Kind::None {
        return Err(vcs::SyncError::NoVcs { root: place::plain(path) }.into());
    }
    let root = place::real(vcs.root());
    let programs = vcs.programs(&host.env)?;
    let trust = read_trust(&host.env);
    let entry = entry(&root, &programs);
    let known = trust.covers(&entry);
    if !known && !programs.is_empty() && !dry_run {
        trust.add(&[entry], wait, &host.entropy)?;
    }
    Ok(NamedPrograms { root, programs, known })
}

fn entry(root: &Path, programs: &[String]) -> OutsidePath {
    // A workspace may do what the checkout may that it was made from.
    let first = family::parent(root);
    let root = first.as_deref().unwrap_or(root);
    let repository = vcs::common_dir(root).unwrap_or_else(|| root.to_owned());
    let text = blake3::hash(programs.join("\n").as_bytes()).to_string();
    OutsidePath { repository, root: root.to_owned(), key: "programs", text, resolved: PathBuf::new() }
}

impl Store {
    /// Refuses to commit, merge or exchange where that would run programs that nobody has agreed to.
    pub(super) fn refuse_programs(&self, copy: &WorkingCopy) -> Result<()> {
        self.refuse_programs_of(&copy.root)
    }

    /// The same for the working copy with this root.
    pub fn refuse_programs_of(&self, root: &Path) -> Result<()> {
        let programs = vcs::open(root).programs(&self.host.env)?;
        if programs.is_empty() || read_trust(&self.host.env).covers(&entry(root, &programs)) {
            return Ok(());
        }
        Err(StoreError::UntrustedPrograms { root: root.to_owned(), programs })
    }

    /// The same before a commit that follows a write.
    pub(in crate::store) fn refuse_programs_at(&self, path: &Path) -> Result<()> {
        let copies = self.working_copies(None);
        let path = place::real(path);
        copies
            .iter()
            .find(|copy| copy.kind != Kind::None && path.starts_with(&copy.root))
            .map_or(Ok(()), |copy| self.refuse_programs(copy))
    }

    /// The working copies of the project; it is an error if none of its repos is in one.
    pub fn working_copy_roots(&self) -> Result<Vec<PathBuf>> {
        let versioned = self.working_copies(None).into_iter().filter(|copy| copy.kind != Kind::None);
        let roots: Vec<PathBuf> = versioned.map(|copy| copy.root).collect();
        if roots.is_empty() {
            return Err(vcs::SyncError::NoVcs { root: self.repo().root().to_owned() }.into());
        }
        Ok(roots)
    }
}
