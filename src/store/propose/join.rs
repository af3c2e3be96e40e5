//! Merges the two copies of a proposed issue after edits on both sides.

use std::collections::HashSet;

use crate::model::change::mirror;
use crate::model::proposal::{Include, Joined, Joining, Limits, Proposal, Visibility};
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::{issue, proposal};
use crate::store::Snapshot;

/// How joining changes the copies of an open proposal.
pub(in crate::store) struct JoinedPair {
    /// The target's line, if it changes.
    pub target: Option<String>,
    /// The planning line, if it changes.
    pub planning: Option<String>,
    pub joined: Joined,
}

impl Snapshot {
    /// Merges a planning copy with the line of a target; `None` if the last common version is unknown. `batch` are ids
    /// that the target receives in the same move.
    pub(super) fn joined(
        &self,
        planning: &Record<'_>,
        theirs: &Record<'_>,
        target: usize,
        joining: Joining,
        batch: &HashSet<String>,
    ) -> Option<Joined> {
        // A plan deleted by its author is not merged.
        if issue::status_of(planning).is_tombstone() {
            return None;
        }
        let include = Proposal::of(planning).map(|proposal| Include::of(&proposal)).unwrap_or_default();
        let id = planning.string("id").unwrap_or_default();
        let visible = |other: &str| batch.contains(other) || self.is_visible(target, other);
        let is_private = |raw: &str| self.private_word(&id, raw, batch).is_some();
        let limits = Limits { include, visible: &visible, is_private: &is_private };
        let stamp = self.stamp("", planning.text());
        proposal::join(planning, theirs, joining, &limits, stamp.now, stamp.dialect)
    }

    /// The same for an open proposal, including the marks of the planning copy.
    pub(in crate::store) fn joined_pair(
        &self,
        planning: &Record<'_>,
        theirs: &Record<'_>,
        target: usize,
        proposal: &Proposal,
    ) -> Option<JoinedPair> {
        // On an old branch the target's line is as it was before, which is not an edit.
        let synced = Proposal::of(planning).and_then(|own| Instant::parse(&own.synced?));
        if theirs.time("updated_at").zip(synced).is_some_and(|(theirs, synced)| theirs < synced) {
            return None;
        }
        let joined = self.joined(planning, theirs, target, Joining::Both, &HashSet::new())?;
        let line = joined.target.as_deref().unwrap_or(theirs.text());
        let after = Record::parse(line).ok()?;
        let is_settled =
            joined.target.is_none() && joined.planning == planning.text() && !mirror::has_moved_on(planning, theirs);
        let stamp = self.stamp("", planning.text());
        let mark = || mirror::in_step(&joined.planning, &after, Visibility::Proposed, proposal, stamp);
        let planning = (!is_settled).then(mark);
        Some(JoinedPair { target: joined.target.clone(), planning, joined })
    }
}
