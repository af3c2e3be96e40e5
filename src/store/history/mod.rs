//! What version control remembers of the ledgers: who changed what, and how the view was.
//!
//! Nothing is kept for it: every answer is read from the commits. The past of a ledger is that of the commits which the
//! working copy stands on, followed to the names that the file had before. What is in the file and in no commit yet comes
//! first, as a change that nobody has committed.

mod blame;
mod events;
mod ever;
mod known;
mod last;
mod lines;
mod living;
mod lookup;
mod own;
mod point;
mod states;

pub use blame::{Blame, BlamedField};
pub use events::{Event, Log, LogQuery};
pub use lookup::PastLine;
pub(super) use own::OwnCommit;
pub use point::{Moment, Point};
pub use states::{DiffEntry, DiffKind, State};

use std::path::Path;

use super::sync::WorkingCopy;
use super::{Result, Store};
use crate::ledger::Document;
use crate::vcs::{self, Archive, Kind, SyncError};

/// One ledger, as its working copy knows it.
pub(super) struct Place<'a> {
    pub source: usize,
    /// As seen from the root of the working copy.
    pub file: &'a Path,
}

impl Store {
    /// The working copies whose past is asked for; an error if version control is nowhere among them.
    fn remembering_copies(&self, repo: Option<usize>) -> Result<Vec<WorkingCopy>> {
        let copies = self.working_copies(repo);
        if copies.iter().any(|copy| copy.kind != Kind::None) {
            return Ok(copies);
        }
        let root = copies.first().map_or_else(|| self.repo.root().to_owned(), |copy| copy.root.clone());
        Err(SyncError::NoVcs { root }.into())
    }

    /// The ledgers of a working copy, those of one repo if one is asked for.
    fn places<'a>(&self, copy: &'a WorkingCopy, repo: Option<usize>) -> Vec<Place<'a>> {
        let pairs = copy.sources.iter().zip(&copy.ledgers);
        let wanted = pairs.filter(|(source, _)| repo.is_none_or(|repo| self.sources.member_of(**source) == repo));
        wanted.map(|(source, file)| Place { source: *source, file }).collect()
    }

    /// Opens the past of a working copy.
    fn with_archive<T>(&self, copy: &WorkingCopy, work: impl FnOnce(&mut dyn Archive) -> Result<T>) -> Result<T> {
        self.refuse_filtered(copy)?;
        let vcs = vcs::open(&copy.root);
        let mut archive = vcs.archive(&self.host.env)?;
        work(archive.as_mut())
    }

    /// A ledger as it is now; an absent one is empty.
    fn present(&self, source: usize) -> Document {
        let read = self.sources.last_read(source);
        read.map_or_else(|| Document::new(Vec::new()), |(document, _)| document.clone())
    }

    /// Repos whose clone lacks the older part of its history, by name.
    pub fn shallow_repos(&self) -> Vec<String> {
        let copies = self.working_copies(None);
        let shallow = copies.iter().filter(|copy| copy.kind != Kind::None && vcs::is_shallow(&copy.root));
        shallow.flat_map(|copy| copy.members.iter().map(|member| self.name(*member).to_owned())).collect()
    }

    /// Repos that remember nothing, by name.
    fn without_past(&self, copies: &[WorkingCopy]) -> Vec<String> {
        let without = copies.iter().filter(|copy| copy.kind == Kind::None);
        without.flat_map(|copy| copy.members.iter().map(|member| self.name(*member).to_owned())).collect()
    }
}
