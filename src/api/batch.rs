//! Many new issues at once.

use std::collections::HashMap;
use std::sync::Arc;

use super::acting::Acting;
use super::error::Result;
use super::issue::{Issue, IssueId};
use super::new_issue::NewIssue;
use crate::ops::{self, Minted};

/// New issues that are written together: all of them or none, as far as they go to one repo. Dropping it writes nothing.
///
/// ```no_run
/// # fn main() -> beads::Result<()> {
/// # let store = beads::Store::open(".")?;
/// let mut batch = store.batch();
/// let epic = batch.create(beads::NewIssue::titled("Dark mode").kind("epic"))?;
/// batch.create(beads::NewIssue::titled("Colours").parent(&epic))?;
/// batch.commit(|progress| eprintln!("{} of {}", progress.done, progress.total))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a batch writes nothing until it is committed"]
pub struct Batch {
    acting: Arc<Acting>,
    minted: Vec<Minted>,
    /// The ids so far, and the repo of each.
    earlier: HashMap<String, String>,
}

/// The progress of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Issues that are checked and prepared for writing.
    pub done: usize,
    /// All of them.
    pub total: usize,
}

impl Batch {
    pub(super) fn new(acting: Arc<Acting>) -> Self {
        Batch { acting, minted: Vec::new(), earlier: HashMap::new() }
    }

    /// Adds an issue to the batch, and returns its id. Later issues of the batch can refer to it, as parent or blocker.
    pub fn create(&mut self, issue: NewIssue) -> Result<IssueId> {
        let earlier = &self.earlier;
        let minted = self.acting.plan(|store| {
            let filing = issue.filing(store)?;
            ops::mint(store, filing, earlier)
        })?;
        self.earlier.insert(minted.id.to_string(), minted.repo.clone());
        let id = IssueId::of(minted.id.as_str());
        self.minted.push(minted);
        Ok(id)
    }

    /// The number of issues.
    pub fn len(&self) -> usize {
        self.minted.len()
    }

    /// It has none.
    pub fn is_empty(&self) -> bool {
        self.minted.is_empty()
    }

    /// Writes the issues, and returns them once they are on disk. `progress` is called for each that is prepared.
    pub fn commit(self, mut progress: impl FnMut(Progress)) -> Result<Vec<Issue>> {
        let (minted, total) = (self.minted, self.earlier.len());
        if minted.is_empty() {
            return Ok(Vec::new());
        }
        self.acting.act(|store| {
            let written = ops::file_minted(store, minted, |done| progress(Progress { done, total }))?;
            Ok(written.into_iter().map(Issue::from).collect())
        })
    }
}
