//! Which ledgers a write goes to: the owner, both copies of a proposed issue, or the user's own ledger beside
//! one that they may not write.

use super::intent::{Intent, Write};
use crate::store::{Access, Result, Snapshot, StoreError};

/// A write with its ledgers.
#[derive(Debug)]
pub(super) struct Placed {
    pub write: Write,
    pub intent: Intent,
    /// The repo it was meant for.
    pub member: usize,
    pub access: Access,
    /// The ledger that takes it instead of that repo's.
    pub beside: Option<usize>,
    /// What to write to which ledger; empty if the write is not allowed.
    pub parts: Vec<(usize, Write)>,
}

impl Snapshot {
    /// Finds the ledgers of a write. The locks are held.
    pub(super) fn place(&self, write: Write, intent: Intent) -> Result<Placed> {
        let (member, line) = match &write {
            Write::File { repo, .. } => (*repo, None),
            Write::Change { .. } | Write::Put { .. } if self.sources.len() == 1 && !self.has_roles() => (0, None),
            Write::Change { id, .. } | Write::Put { id, .. } => {
                self.read_ledgers()?;
                match (self.owner(id), &write) {
                    (Some(source), _) => (self.sources.member_of(source), self.line_in(source, id)),
                    (None, Write::Put { repo, .. }) => (*repo, None),
                    (None, _) => return Err(StoreError::NotFound { typed: id.clone() }),
                }
            }
        };
        let access = match (&write, &line) {
            (Write::Change { id, .. } | Write::Put { id, .. }, Some(line)) => self.access_to_line(member, id, line)?,
            _ => self.access(member)?,
        };
        let beside = if access == Access::Write { None } else { self.beside(&write)? };
        let parts = match (&access, beside) {
            (_, Some(source)) => vec![(source, write.clone())],
            (Access::Read(_), None) => Vec::new(),
            (Access::Write, None) => {
                let source = self.writable(member)?;
                match &write {
                    Write::Change { id, changes } => self.divide(source, id.clone(), changes.clone())?,
                    // A line from elsewhere may contain anything: for a proposed issue it goes to the planning copy.
                    Write::Put { id, .. } => {
                        vec![(self.pair(id).map_or(source, |pair| pair.planning), write.clone())]
                    }
                    Write::File { .. } => vec![(source, write.clone())],
                }
            }
        };
        Ok(Placed { write, intent, member, access, beside, parts })
    }
}
