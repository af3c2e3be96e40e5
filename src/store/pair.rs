//! The two copies of a proposed issue: which they are, and how an edit reaches both.

use super::source::expected;
use super::transaction::Write;
use super::{Result, Store, StoreError};
use crate::ledger::{Document, Edit, LedgerError, LockedLedger, Outcome};
use crate::model::change::Change;
use crate::model::proposal::{self, Include, Proposal, State, Visibility};
use crate::model::record::Record;

/// An open proposal with both copies at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    /// The ledger of the target.
    pub target: usize,
    /// The ledger of the planning repo.
    pub planning: usize,
    pub proposal: Proposal,
}

impl Store {
    /// Whether a ledger belongs to a repo that private issues go to.
    pub(super) fn is_planning(&self, source: usize) -> bool {
        self.project.members[self.sources.member_of(source)].planning
    }

    /// Both copies of an issue whose proposal is open.
    pub(super) fn pair(&self, id: &str) -> Option<Pair> {
        let holders = self.sources.holders(id);
        if holders.len() < 2 {
            return None;
        }
        let look = |n: usize| {
            let line = self.sources.line(n, id)?;
            let record = Record::parse(&line).ok()?;
            Some((Visibility::of(&record), Proposal::of(&record)))
        };
        let is_open = |n: &usize| match look(*n) {
            Some((Visibility::Proposed, Some(proposal))) if proposal.state == State::Open => Some((*n, proposal)),
            _ => None,
        };
        // The target comes first: the copy that a repo other than a planning one holds.
        let mut open = holders.iter().filter_map(is_open);
        let (target, proposal) = open.next()?;
        let (planning, _) = open.next()?;
        Some(Pair { target, planning, proposal })
    }

    /// Divides an edit of a proposed issue between its two copies.
    pub(super) fn divide(&self, pair: &Pair, id: &str, changes: &[Change]) -> Result<Vec<(usize, Write)>> {
        if changes.iter().any(|change| matches!(change, Change::Delete { .. })) {
            return Err(StoreError::StillProposed { id: id.to_owned() });
        }
        let visible = |other: &str| self.is_visible(pair.target, other);
        let parts = proposal::split(changes, Include::of(&pair.proposal), visible);
        let write = |source, changes| (source, Write::Change { id: id.to_owned(), changes });
        let mut writes = Vec::new();
        if !parts.public.is_empty() {
            writes.push(write(pair.target, parts.public));
        }
        writes.push(write(pair.planning, parts.planning));
        Ok(writes)
    }

    /// Whether those who read a ledger can see an issue.
    pub(super) fn is_visible(&self, source: usize, id: &str) -> bool {
        id.starts_with("external:") || self.sources.line(source, id).is_some()
    }

    /// Rewrites lines of a locked ledger: for each id the new text, or `None` to take the line out.
    pub(super) fn put_lines(&self, lock: &LockedLedger, lines: &[(String, Option<String>)]) -> Result<bool> {
        let path = lock.ledger().path();
        let plan = |document: &Document| {
            let mut edits = Vec::new();
            for (id, text) in lines {
                match (document.effective(id), text) {
                    (Some(line), Some(text)) if document.text(line) != text.as_bytes() => {
                        edits.push(Edit::Set { line, id: id.clone(), text: text.clone() });
                    }
                    (None, Some(text)) => edits.push(Edit::Insert { id: id.clone(), text: text.clone() }),
                    (Some(line), None) => edits.push(Edit::Remove { line }),
                    _ => {}
                }
            }
            Ok(edits)
        };
        let outcome = lock.apply::<LedgerError>(&self.host.entropy, || expected(path), plan)?;
        Ok(outcome == Outcome::Written)
    }
}
