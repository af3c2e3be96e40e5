//! All checkouts of the repository at once: their contents, who works there, and what the others lack.
//!
//! Read-only, except that checkouts without an id get one. `change.rs` creates and removes them.

use std::path::Path;

use crate::model::lease::Standing;
use crate::ops::Result;
use crate::ops::agents::roster::{self, AgentFilter, Seen};
use crate::ops::checkpoints::{CheckpointFilter, CheckpointRow, Whose, checkpoints};
use crate::store::{Elsewhere, LeaseRow, Store, Worktree};
use crate::vcs::{self, Work};

/// A checkout with everything about it.
#[derive(Debug, Clone)]
pub struct WorktreeStatus {
    pub worktree: Worktree,
    /// The work that would be lost with its directory; a message if that is unknown.
    pub work: std::result::Result<Work, String>,
    /// The agents last seen there, and those that hold an issue there.
    pub agents: Vec<Seen>,
    /// The claims made there.
    pub leases: Vec<LeaseRow>,
    /// Issues that are later there than in the main checkout, or only there.
    pub unmerged: Vec<Elsewhere>,
    /// The last checkpoint made there.
    pub checkpoint: Option<CheckpointRow>,
}

impl WorktreeStatus {
    pub fn is_dirty(&self) -> Option<bool> {
        let work = self.work.as_ref().ok()?;
        Some(!work.changed.is_empty() || !work.untracked.is_empty() || work.unfinished.is_some())
    }
}

/// Every checkout; deleted ones only on request.
pub fn worktrees(store: &Store, gone: bool) -> Result<Vec<WorktreeStatus>> {
    let all = store.worktrees_with_ids()?;
    let known = Known::of(store)?;
    let shown = all.into_iter().filter(|one| gone || one.exists);
    shown.map(|one| status_of(store, one, &known)).collect()
}

/// One checkout: the current or the named one.
pub fn worktree_status(store: &Store, typed: Option<&str>) -> Result<WorktreeStatus> {
    let own = store.worktree()?;
    let found = match typed {
        Some(typed) => store.find_worktree(typed)?,
        None => own,
    };
    let known = Known::of(store)?;
    status_of(store, found, &known)
}

/// The state home's records, of all checkouts.
struct Known {
    leases: Vec<LeaseRow>,
    agents: Vec<Seen>,
    /// Oldest first.
    checkpoints: Vec<CheckpointRow>,
}

impl Known {
    fn of(store: &Store) -> Result<Self> {
        let all = CheckpointFilter { whose: Whose::All, ..CheckpointFilter::default() };
        Ok(Known {
            leases: store.leases()?,
            agents: roster::agents(store, &AgentFilter::default())?,
            checkpoints: checkpoints(store, &all)?.rows,
        })
    }
}

fn status_of(store: &Store, worktree: Worktree, known: &Known) -> Result<WorktreeStatus> {
    let leases: Vec<LeaseRow> = held_in(&known.leases, &worktree).cloned().collect();
    let is_here = |seen: &&Seen| {
        let holds = |row: &LeaseRow| {
            let holder = row.lease.holder.as_ref();
            row.standing == Standing::Live && holder.is_some_and(|one| one.agent.as_ref() == Some(&seen.agent.id))
        };
        let heard = seen.agent.worktree_id.is_some() && seen.agent.worktree_id == worktree.id;
        heard || leases.iter().any(holds)
    };
    let agents = known.agents.iter().filter(is_here).cloned().collect();
    let work = if worktree.exists { work(store, &worktree.root) } else { Err("it is gone".to_owned()) };
    let unmerged = store.unmerged_in(&worktree)?;
    let mut made_there = known.checkpoints.iter().rev().filter(|row| row.checkpoint.worktree_id.is_some());
    let checkpoint = made_there.find(|row| row.checkpoint.worktree_id == worktree.id).cloned();
    Ok(WorktreeStatus { worktree, work, agents, leases, unmerged, checkpoint })
}

/// The claims that were made in a checkout.
pub(in crate::ops) fn held_in<'a>(
    leases: &'a [LeaseRow],
    worktree: &'a Worktree,
) -> impl Iterator<Item = &'a LeaseRow> {
    leases.iter().filter(|row| {
        let place = row.lease.holder.as_ref().and_then(|holder| holder.worktree_id.as_ref());
        place.is_some() && place == worktree.id.as_ref()
    })
}

/// What is unsaved in a checkout. Not checked where that would run programs without agreement.
fn work(store: &Store, root: &Path) -> std::result::Result<Work, String> {
    store.refuse_programs_of(root).map_err(|error| error.to_string())?;
    vcs::open(root).work(&store.host().env).map_err(|error| error.to_string())
}
