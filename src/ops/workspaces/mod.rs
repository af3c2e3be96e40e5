//! Workspaces: checkouts that `bd` makes for a job, maintains and removes.
//!
//! Owns `workspaces.jsonl` in the state home of a workspace's repository, and the directories of workspaces
//! (`workspace.path`). A workspace that could not be completed is removed again, and there is never a fallback to another checkout.

mod adopt;
mod artifacts;
mod checkout;
mod complete;
mod create;
pub(super) mod env;
mod finish;
mod finished;
mod gc;
mod include;
mod inspect;
mod land;
mod landing;
mod ledger;
mod limits;
mod lines;
mod orphans;
mod places;
mod ports;
mod proof;
mod removal;
mod remove;
mod repair;
mod rescue;
mod reuse;
mod setup;
mod steps;
mod survey;
mod trial;
mod update;
mod usage;
mod wish;

pub use adopt::adopt as adopt_workspace;
pub(super) use complete::set_workspace_owner;
pub use complete::{JobEnd, end_of_job};
pub use create::{MadeWorkspace, create as create_workspace};
pub use env::{ISSUE_VARIABLE, exports, variables as workspace_env};
pub use gc::{Gc, GcWish, IDLE_DAYS, gc};
pub use inspect::reasons as workspace_reasons;
pub use land::{LandWish, Landing, land};
pub use landing::{LandRow, Outcome as LandOutcome, merge_workspace};
pub use ledger::lacks_issue;
pub(in crate::ops) use lines::bring_in;
pub use orphans::{Orphan, orphans};
pub use removal::Removal;
pub use remove::{RemovedWorkspace, remove as remove_workspace};
pub use repair::repair_workspaces;
pub use rescue::{RestoredWorkspace, restore as restore_workspace};
pub use survey::{
    Class as GcClass, GcRow, fetch_parents, merged as merged_workspaces, odd as odd_workspaces,
    stale as stale_workspaces,
};
pub use update::{WorkspaceUpdate, update as update_workspace};
pub use usage::{WorkspaceUsage, measure as workspace_usage};
pub use wish::{SetupWish, WorkspaceWish};

use crate::ops::WorkspaceError;
