//! The agents of a project in all its clones: claims that they share on remotes, turned on and off, and one view of what
//! they do.

mod overview;
mod publish;
mod shared;

pub use overview::{Doing, DoneIssue, FinishedWork, FleetClone, FleetMember, FleetWish, Overview, overview};
pub use publish::publish as publish_fleet;
pub use shared::FleetMachine;

use super::claims::remote_upkeep;
use super::configure::{Request, configure};
use super::{Configured, OpError, Result};
use crate::store::Store;
use crate::vcs::{self, SyncError};

const SETTING: &str = "claims.remote";

/// A repo whose issues are claimed on a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetRepo {
    pub repo: String,
    /// The remote that decides; `None` if this repo has none that can.
    pub remote: Option<String>,
}

/// Whether claims are made on remotes, and on which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fleet {
    pub is_on: bool,
    pub repos: Vec<FleetRepo>,
    /// The file that was changed, if any.
    pub configured: Option<Configured>,
    /// How many claims of this clone were removed from remotes.
    pub removed: usize,
}

/// How claims are made, from files alone.
pub fn fleet(store: &Store) -> Fleet {
    let places = store.claim_places().into_iter();
    let repos = places.map(|(member, root)| FleetRepo {
        repo: store.name(member).to_owned(),
        remote: vcs::claims_remote(&root, &store.host().env),
    });
    Fleet { is_on: store.settings().flag(SETTING), repos: repos.collect(), configured: None, removed: 0 }
}

/// Makes all claims on the remotes too from now on, if these take any.
pub fn join_fleet(store: &mut Store) -> Result<Fleet> {
    for (member, root) in store.claim_places() {
        match remote_upkeep::probe(store, &root) {
            Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) if member > 0 => {}
            tried => tried?,
        }
    }
    let configured = configure(store, &Request::setting(SETTING, "true", None))?;
    Ok(Fleet { configured: Some(configured), ..fleet(store) })
}

/// Takes that back, and removes the claims of this clone from the remotes. Those of closed issues stay until others can
/// see the close.
pub fn leave_fleet(store: &mut Store) -> Result<Fleet> {
    let removed = remote_upkeep::release_all(store)?;
    let configured = configure(store, &Request::setting(SETTING, "false", None))?;
    Ok(Fleet { configured: Some(configured), removed, ..fleet(store) })
}
