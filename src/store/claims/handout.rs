//! Which issues may be handed out automatically: one rule for every path on which no one names the issue.
//!
//! An issue is handed out if it is accepted, belongs to this project, may be written by the actor, is not kept for
//! someone else by its assignee or labels, waits for nothing open, and is neither done nor held in any checkout.
//! [`Store::ready`] already leaves out most of the rest, but not every path goes through it.

use crate::model::lease::Standing;
use crate::model::proposal::Visibility;
use crate::store::leases::NEEDS_ATTENTION;
use crate::store::state::leases::standing;
use crate::store::{Access, AutoClaim, ReadyFilter, Result, Row, Store};

/// Labels that keep an issue from being handed out unless a person names it.
const NOT_BY_ITSELF: [&str; 2] = ["no-auto-claim", NEEDS_ATTENTION];
/// Starts a label that names a capability the agent must have.
const REQUIRES: &str = "requires:";

/// Why an issue is not handed out automatically. An actor that names it may still claim it, if they may write the
/// ledger.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotHandedOut {
    #[error("{id} is only proposed: it is not handed out before a maintainer accepts it")]
    Proposed { id: String },
    #[error("{id} was planned for {project}, another project")]
    OtherProject { id: String, project: String },
    #[error("{id} is not yours to write: {reason}")]
    NotWritable { id: String, reason: String },
    #[error("{id} is assigned to {name}")]
    Assigned { id: String, name: String },
    #[error("{id} has the label {label}")]
    Label { id: String, label: String },
    #[error("{id} has failed {attempts} times; `bd claim {id}` takes it nevertheless")]
    Failed { id: String, attempts: i64 },
    #[error("{id} waits for {}", blockers.join(" "))]
    Waits { id: String, blockers: Vec<String> },
    #[error("{id} is claimed by someone else, or done or in progress in another checkout")]
    Taken { id: String },
}

impl Store {
    /// Why an issue may not be handed to the actor automatically; `None` if it may.
    pub fn why_not_handed_out(&self, row: &Row) -> Result<Option<NotHandedOut>> {
        let id = || row.issue.id.clone();
        if Visibility::of(&row.record()) == Visibility::Proposed {
            return Ok(Some(NotHandedOut::Proposed { id: id() }));
        }
        if let Some(owner) = self.of_other_projects()?.get(&row.issue.id) {
            return Ok(Some(NotHandedOut::OtherProject { id: id(), project: owner.name.clone() }));
        }
        if let Access::Read(reason) = self.access_to(row)? {
            return Ok(Some(NotHandedOut::NotWritable { id: id(), reason }));
        }
        let me = self.actor().to_owned();
        if let Some(name) = row.issue.assignee.clone().filter(|name| !name.is_empty() && *name != me) {
            return Ok(Some(NotHandedOut::Assigned { id: id(), name }));
        }
        let lacks =
            |needed: &str| self.agent.as_ref().is_some_and(|agent| !agent.capabilities.iter().any(|has| has == needed));
        let keeps = |label: &&String| {
            NOT_BY_ITSELF.contains(&label.as_str()) || label.strip_prefix(REQUIRES).is_some_and(lacks)
        };
        if let Some(label) = row.issue.labels.iter().find(keeps) {
            return Ok(Some(NotHandedOut::Label { id: id(), label: label.clone() }));
        }
        // The label may be in another checkout's ledger only.
        let failed = self.claims()?.iter().find(|(known, lease)| *known == row.issue.id && self.has_failed(lease));
        if let Some((_, lease)) = failed {
            return Ok(Some(NotHandedOut::Failed { id: id(), attempts: lease.attempts }));
        }
        let blockers = self.waits_for(&row.issue.id)?;
        if !blockers.is_empty() {
            return Ok(Some(NotHandedOut::Waits { id: id(), blockers }));
        }
        let taken = !self.why_taken(&row.issue.id)?.is_empty() || self.is_own_elsewhere(&row.issue.id)?;
        Ok(taken.then(|| NotHandedOut::Taken { id: id() }))
    }

    /// The actor works on it in another checkout. They may continue here, but only by name: two programs of one person
    /// never get the same issue.
    fn is_own_elsewhere(&self, id: &str) -> Result<bool> {
        let now = self.host.clock.both();
        let claim = self.claims()?.iter().find(|(known, _)| known == id).map(|(_, lease)| lease.clone());
        let Some(lease) = claim else {
            return Ok(self.elsewhere(id)?.iter().any(|one| one.status == "in_progress"));
        };
        let Some(holder) = lease.holder.as_ref().filter(|_| standing(&lease, &now) == Standing::Live) else {
            return Ok(false);
        };
        let Ok(here) = self.worktree() else { return Ok(false) };
        Ok(match (&holder.worktree_id, &here.id) {
            (Some(there), Some(here)) => there != here,
            _ => holder.worktree.as_ref().is_some_and(|there| *there != here.name),
        })
    }

    /// The first ready issue that may be handed out, except those in `passed`.
    pub fn next_to_hand_out(&self, auto: &AutoClaim, passed: &[String]) -> Result<Option<String>> {
        let filter = ReadyFilter { limit: None, ..auto.filter.clone() };
        // Read rows one by one: most are never needed.
        for key in self.ready_listing(&filter)?.keys {
            let row = self.row(key)?;
            if !passed.contains(&row.issue.id) && self.why_not_handed_out(&row)?.is_none() {
                return Ok(Some(row.issue.id));
            }
        }
        Ok(None)
    }

    /// Why the first ready issue is not handed out, when none is.
    pub fn why_nothing_handed_out(&self, filter: &ReadyFilter) -> Result<Option<NotHandedOut>> {
        let first = self.ready(&ReadyFilter { limit: Some(1), ..filter.clone() })?.rows.into_iter().next();
        first.map_or(Ok(None), |row| self.why_not_handed_out(&row))
    }
}
