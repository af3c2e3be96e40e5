//! The ledgers' past in version control: who changed what, and earlier states.
//!
//! Nothing needs to be recorded for it: every answer is read from the commits, or from cached facts about them. A
//! ledger's past consists of the ancestors of the checked-out commit, followed through the file's former names. A repo
//! whose ledger has both usual names, now or in a commit, has the issues of both files, as in listings. Uncommitted
//! content comes first, as a change without a commit. The past of one issue is followed through its former ids.

mod blame;
mod changed;
mod closed;
mod compared;
mod events;
mod ever;
mod known;
mod last;
mod lines;
mod living;
mod mentioned;
mod own;
mod past_lines;
mod point;
mod renames;
mod states;

pub use blame::{Blame, BlamedField};
pub use events::{Event, Log, LogEnd, LogQuery};
pub(in crate::store) use own::OwnCommit;
pub use past_lines::PastLine;
pub use point::{Moment, Point};
pub use states::{DiffEntry, DiffKind, State};

use std::path::{Path, PathBuf};

use crate::ledger::Document;
use crate::store::read::working_copies::WorkingCopy;
use crate::store::{LEDGER_NAMES, Project, Result, Snapshot};
use crate::vcs::{self, Archive, Steps, SyncError, Trail};

/// The ledger of one repo within its working copy.
pub(in crate::store) struct Place {
    /// The repo's number.
    pub member: usize,
    /// Its files: one, or two if both names exist.
    pub sources: Vec<usize>,
    /// Their names relative to the root of the working copy.
    pub trail: Trail,
}

impl Project {
    /// The names of a ledger: both usual ones, existing or not, unless the settings name another.
    fn trail(&self, member: usize, file: &Path) -> Trail {
        let is_usual = LEDGER_NAMES.iter().any(|name| file.ends_with(name));
        let names: Vec<PathBuf> = match self.repos.members[member].ledger_file {
            None if is_usual => LEDGER_NAMES.iter().map(|name| file.with_file_name(name)).collect(),
            _ => vec![file.to_owned()],
        };
        Trail::named(names, &LEDGER_NAMES)
    }

    /// Opens the history of a working copy.
    pub(in crate::store) fn with_archive<T>(
        &self,
        copy: &WorkingCopy,
        work: impl FnOnce(&mut dyn Archive) -> Result<T>,
    ) -> Result<T> {
        self.refuse_filtered(copy)?;
        let mut archive = copy.vcs.archive(&self.host.env)?;
        work(archive.as_mut())
    }

    /// Repos without history, by name.
    fn without_past(&self, copies: &[WorkingCopy]) -> Vec<String> {
        let without = copies.iter().filter(|copy| !copy.vcs.is_versioned());
        without.flat_map(|copy| copy.members.iter().map(|member| self.name(*member).to_owned())).collect()
    }
}

impl Snapshot {
    /// The working copies whose history is needed; an error if none is under version control.
    fn remembering_copies(&self, repo: Option<usize>) -> Result<Vec<WorkingCopy>> {
        let copies = self.working_copies(repo);
        if copies.iter().any(|copy| copy.vcs.is_versioned()) {
            return Ok(copies);
        }
        let root = copies.first().map_or_else(|| self.repo.root().to_owned(), |copy| copy.root.clone());
        Err(SyncError::NoHistory { root }.into())
    }

    /// Looks into the past of the ledgers of these working copies, one after the other.
    fn look_back(
        &self,
        copies: &[WorkingCopy],
        repo: Option<usize>,
        mut look: impl FnMut(&mut dyn Archive, &Place, &[String], &Steps) -> Result<()>,
    ) -> Result<()> {
        for copy in copies.iter().filter(|copy| copy.vcs.is_versioned()) {
            for place in self.places(copy, repo) {
                self.with_archive(copy, |archive| {
                    let tips = archive.tips()?;
                    let steps = archive.steps(&place.trail, &tips)?;
                    look(archive, &place, &tips, &steps)
                })?;
            }
        }
        Ok(())
    }

    /// The ledgers of a working copy, optionally only that of one repo.
    fn places(&self, copy: &WorkingCopy, repo: Option<usize>) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for (source, file) in copy.sources.iter().zip(&copy.ledgers) {
            let member = self.sources.member_of(*source);
            match places.iter_mut().find(|place| place.member == member) {
                _ if repo.is_some_and(|repo| repo != member) => {}
                Some(place) => place.sources.push(*source),
                None => places.push(Place { member, sources: vec![*source], trail: self.trail(member, file) }),
            }
        }
        places
    }

    /// A ledger as it is now; a missing one is empty.
    fn present(&self, sources: &[usize]) -> Document {
        let read = |source: &usize| self.sources.read_of(*source).map(|(document, _)| document);
        match sources.iter().filter_map(read).collect::<Vec<_>>().as_slice() {
            [only] => (*only).clone(),
            files => Document::new(vcs::joined(files.iter().map(|document| document.bytes().to_vec()).collect())),
        }
    }

    /// Repos whose clone is shallow, by name.
    pub fn shallow_repos(&self) -> Vec<String> {
        let copies = self.working_copies(None);
        let shallow = copies.iter().filter(|copy| copy.vcs.is_versioned() && vcs::is_shallow(&copy.root));
        shallow.flat_map(|copy| copy.members.iter().map(|member| self.name(*member).to_owned())).collect()
    }
}
