//! The working copies of a project: several ledgers may share one, and are committed and exchanged together.

use std::path::{Path, PathBuf};

use crate::ledger::MAX_LEDGER;
use crate::store::file_names::other_name;
use crate::store::project::paths;
use crate::store::{Access, BEADS_DIR, Project, RepoProblem, Result, Snapshot, StoreError};
use crate::sys::below;
use crate::vcs::{Area, SyncError, Vcs};
use crate::{sys, vcs};

pub(crate) struct WorkingCopy {
    pub vcs: Box<dyn Vcs>,
    /// With links resolved, like the paths of its ledgers.
    pub root: PathBuf,
    pub members: Vec<usize>,
    pub sources: Vec<usize>,
    /// Relative to the root.
    pub ledgers: Vec<PathBuf>,
}

impl WorkingCopy {
    /// The areas of the ledgers: their directories. If that is the whole working copy, as in a pure planning repo, it
    /// counts only where it cannot be the project's own files.
    pub(crate) fn areas(&self) -> Vec<Area> {
        let is_ledgers_own = !self.members.contains(&0) || self.root.file_name().is_some_and(|name| name == BEADS_DIR);
        let area = |ledger: &PathBuf| match ledger.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => Area::Below(directory.to_owned()),
            _ if is_ledgers_own => Area::All,
            _ => Area::File(ledger.clone()),
        };
        let mut areas: Vec<Area> = self.ledgers.iter().map(area).collect();
        areas.dedup();
        areas
    }
}

impl Project {
    /// Whether this user's commits belong there: anywhere but in a contributor's working copy of the primary.
    pub(in crate::store) fn owns(&self, copy: &WorkingCopy) -> Result<bool> {
        Ok(!copy.members.contains(&0) || self.access(0)? == Access::Write)
    }

    /// Whether private issues could get into a working copy: the primary's, in a project that joins others.
    pub(in crate::store) fn is_guarded(&self, copy: &WorkingCopy) -> bool {
        copy.members.contains(&0) && (self.repos.members.len() > 1 || self.unseen().is_some())
    }

    /// A repo that the settings join but that is missing here.
    fn unseen(&self) -> Option<&RepoProblem> {
        let is_away = |problem: &&RepoProblem| {
            matches!(problem, RepoProblem::Missing { .. } | RepoProblem::NoRepo { .. } | RepoProblem::Unusable { .. })
        };
        self.repos.problems.iter().find(is_away)
    }

    /// A missing repo's private content is unknown: nothing is committed or sent that could be it.
    pub(in crate::store) fn refuse_unseen(&self) -> Result<()> {
        match self.unseen() {
            Some(problem) => Err(StoreError::Unseen { problem: problem.to_string() }),
            None => Ok(()),
        }
    }

    /// Refuses to compare ledgers with commits if a filter converts between them.
    pub(in crate::store) fn refuse_filtered(&self, copy: &WorkingCopy) -> Result<()> {
        for ledger in &copy.ledgers {
            if let Some(filter) = copy.vcs.filter(ledger, &self.host.env) {
                return Err(SyncError::Filtered { path: copy.root.join(ledger), filter }.into());
            }
        }
        Ok(())
    }

    /// Ledgers renamed to their other usual name since the last commit, each with its committed name.
    pub(in crate::store) fn renamed_ledgers(&self, copy: &WorkingCopy) -> Result<Vec<(PathBuf, PathBuf)>> {
        let mut found = Vec::new();
        for (ledger, old) in copy.ledgers.iter().filter_map(|ledger| Some((ledger, other_name(ledger)?))) {
            let is_gone = !sys::path::is_there(&copy.root.join(&old)) && !copy.ledgers.contains(&old);
            if is_gone && copy.root.join(ledger).exists() && copy.vcs.committed(&old, &self.host.env)?.is_some() {
                found.push((ledger.clone(), old));
            }
        }
        Ok(found)
    }

    /// A ledger in the last commit, under either name.
    pub(in crate::store) fn last_committed(&self, copy: &WorkingCopy, ledger: &Path) -> Result<Option<Vec<u8>>> {
        if let Some(bytes) = copy.vcs.committed(ledger, &self.host.env)? {
            return Ok(Some(bytes));
        }
        let departed = self.renamed_ledgers(copy)?.into_iter().find(|(new, _)| new == ledger);
        Ok(departed.map(|(_, old)| copy.vcs.committed(&old, &self.host.env)).transpose()?.flatten())
    }
}

impl Snapshot {
    /// The working copies with the ledgers of the project, or of one of its repos; the primary's first.
    pub(in crate::store) fn working_copies(&self, only: Option<usize>) -> Vec<WorkingCopy> {
        let mut copies: Vec<WorkingCopy> = Vec::new();
        for source in 0..self.sources.len() {
            let member = self.sources.member_of(source);
            let ledger = paths::real(self.sources.ledger(source).path());
            let found = vcs::open(&ledger);
            let root = match found.is_versioned() {
                true => paths::real(found.root()),
                false => self.repos.members[member].repo.root().to_owned(),
            };
            let inside = ledger.strip_prefix(&root).map_or_else(|_| ledger.clone(), |path| path.to_owned());
            match copies.iter_mut().find(|copy| copy.root == root) {
                Some(copy) => {
                    copy.sources.push(source);
                    copy.ledgers.push(inside);
                    if !copy.members.contains(&member) {
                        copy.members.push(member);
                    }
                }
                None => copies.push(WorkingCopy {
                    vcs: found,
                    root,
                    members: vec![member],
                    sources: vec![source],
                    ledgers: vec![inside],
                }),
            }
        }
        copies.retain(|copy| only.is_none_or(|only| copy.members.contains(&only)));
        copies
    }

    /// Whether one of the working copies has bookmarks.
    pub fn has_bookmarks(&self, only: Option<usize>) -> bool {
        self.working_copies(only).iter().any(|copy| copy.vcs.has_bookmarks())
    }

    /// Refuses to commit private data of the project's planning repos.
    pub(in crate::store) fn guard_commit(&self, copy: &WorkingCopy) -> Result<()> {
        if !self.is_guarded(copy) {
            return Ok(());
        }
        let guard = self.guard();
        for ledger in &copy.ledgers {
            let path = copy.root.join(ledger);
            let Ok(now) = below::read(&copy.root, ledger, MAX_LEDGER) else { continue };
            let before = self.last_committed(copy, ledger)?;
            if before.as_ref() != Some(&now.bytes) {
                self.refuse_unseen()?;
            }
            let found = guard.look(&before.into_iter().collect::<Vec<_>>(), &now.bytes);
            if let Some((line, _)) = found.first() {
                return Err(StoreError::PrivateCommit { path, line: *line, count: found.len() });
            }
        }
        Ok(())
    }
}
