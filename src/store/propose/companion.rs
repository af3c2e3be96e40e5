//! A contributor's remarks on issues that they may not write: private lines in their planning repo (`model::proposal`).
//!
//! A companion's text never reaches the project: no listing, move, export or proposal reads it, and the leak check
//! covers it. If the planning repo has a line with the same id, as after an accepted proposal, remarks go there.

use crate::model::change::Change;
use crate::model::change::companion::is_remark;
use crate::model::issue::Issue;
use crate::model::proposal::{Visibility, is_companion, is_companion_line};
use crate::model::record::Record;
use crate::store::read::row::Beside;
use crate::store::write::Write;
use crate::store::{Access, Project, Result, Snapshot, StoreError};

impl Project {
    /// Refuses a companion anywhere but in a planning repo.
    pub(in crate::store) fn refuse_companion(&self, id: &str, line: &str, repo: usize) -> Result<()> {
        if is_companion_line(line.as_bytes()) && !self.is_planning(repo) {
            return Err(StoreError::Private { id: id.to_owned(), repo: self.name(repo).to_owned() });
        }
        Ok(())
    }
}

impl Snapshot {
    /// The ledger for remarks on an issue that this user may not write.
    pub(in crate::store) fn home_of_companion(&self, id: &str) -> Result<Option<usize>> {
        if !self.has_roles() {
            return Ok(None);
        }
        let owner = self.owner(id).filter(|source| self.sources.member_of(*source) == 0);
        let Some(line) = owner.and_then(|source| self.line_in(source, id)) else { return Ok(None) };
        if self.access_to_line(0, id, &line)? == Access::Write {
            return Ok(None);
        }
        if let Some((source, line)) = self.planned_lines(id).next() {
            // This user's own plan with the id of another proposal, or of a stranger's line, is not about that issue.
            let is_about_it = Record::parse(&line)
                .is_ok_and(|record| is_companion(&record) || Visibility::of(&record) == Visibility::Canonical);
            return match is_about_it {
                true => self.writable(self.sources.member_of(source)).map(Some),
                false => Ok(None),
            };
        }
        // Without a planning repo there is no place for it.
        match self.routed() {
            Ok(route) if self.is_planning(route.repo) && self.may_receive(route.repo).is_ok() => {
                self.writable(route.repo).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The ledger that takes a write to an issue that this user may not write: for remarks, and for private blockers of
    /// an issue that this user has proposed.
    pub(in crate::store) fn beside(&self, write: &Write) -> Result<Option<usize>> {
        match write {
            Write::Change { id, changes } if are_remarks(changes) => self.home_of_companion(id),
            Write::Change { id, changes } if self.are_private_edges(id, changes) => self.home_of_companion(id),
            _ => Ok(None),
        }
    }

    /// All changes are edges between the planning copy of an issue and issues in planning repos only.
    fn are_private_edges(&self, id: &str, changes: &[Change]) -> bool {
        let is_private = |change: &Change| match change {
            Change::AddDependency { target, .. } | Change::RemoveDependency { target, .. } => {
                self.is_only_planned(target)
            }
            _ => false,
        };
        let has_copy = || self.planned_lines(id).any(|(_, line)| !is_companion_line(line.as_bytes()));
        !changes.is_empty() && changes.iter().all(is_private) && has_copy()
    }

    /// The line of the project's issue that a change in a planning ledger is a remark on; `None` if it is about an
    /// issue of the planning ledger.
    pub(in crate::store) fn remarked(&self, source: usize, id: &str, changes: &[Change]) -> Option<String> {
        let owner = self.owner(id).filter(|owner| *owner != source && self.sources.member_of(*owner) == 0)?;
        let is_planning = self.is_planning(self.sources.member_of(source));
        let is_remark = is_planning && are_remarks(changes) && self.pair(id).is_none();
        self.line_in(owner, id).filter(|_| is_remark)
    }

    /// Whether a change in a planning ledger creates a new companion.
    pub(in crate::store) fn makes_companion(&self, source: usize, write: &Write) -> bool {
        match write {
            Write::Change { id, changes } => {
                self.line_in(source, id).is_none() && self.remarked(source, id, changes).is_some()
            }
            Write::File { .. } | Write::Put { .. } => false,
        }
    }

    /// This user's private remarks on an issue of the project.
    pub fn companion(&self, id: &str) -> Option<Beside> {
        let (source, line) = self.planned_lines(id).find(|(_, line)| is_companion_line(line.as_bytes()))?;
        let Issue { notes, comments, .. } = Issue::decode(&Record::parse(&line).ok()?);
        Some(Beside { repo: self.name(self.sources.member_of(source)).to_owned(), notes, comments })
    }

    /// The lines with an id in planning repos.
    fn planned_lines(&self, id: &str) -> impl Iterator<Item = (usize, String)> {
        self.planning_sources().filter_map(|source| Some((source, self.line_in(source, id)?)))
    }
}

fn are_remarks(changes: &[Change]) -> bool {
    !changes.is_empty() && changes.iter().all(is_remark)
}
