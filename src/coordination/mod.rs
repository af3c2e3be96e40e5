//! What agents and checkouts on one machine share, beside the ledgers: agents, mail, reservations, checkpoints.
//!
//! All of it is in the state home (`store::StateHome`), in JSONL files that are read and written by the code of the ledgers
//! (`store::RecordFile`). Nothing here is committed, and nothing periodic touches a committed file. There is no daemon: what is
//! stale is noticed by whoever looks next.

mod abandoned;
mod agents;
mod checkout_changes;
mod checkpoints;
mod claims;
mod context;
mod error;
mod here;
mod holder;
mod identity;
mod losses;
pub mod mail;
mod move_state;
mod overruled;
mod plans;
mod primed;
mod remote;
mod repositories;
mod reservations;
mod resume;
mod roster;
mod run;
pub mod templates;
mod typed;
mod watch;
pub mod workflows;
mod workspaces;
mod worktrees;

pub use abandoned::{abandoned, free_abandoned};
pub use agents::{InHand, Pulse, Swept, heartbeat, in_hand, sweep, unregister};
pub use checkout_changes::{
    KeptFiles, PrunedWorktrees, RemovedWorktree, WorktreeWish, create_worktree, prune_worktrees, remove_worktree,
    repair_worktrees, restore_worktree,
};
pub use checkpoints::{
    AddedCheckpoint, CheckpointError, CheckpointFilter, CheckpointPage, CheckpointRow, FilesWish, NewCheckpoint,
    PRUNE_DAYS as CHECKPOINT_DAYS, PrunedCheckpoints, Whose, add_checkpoint, checkpoints, checkpoints_of,
    find_checkpoint, prune_checkpoints, restore_checkpoint, working_on,
};
pub use claims::{Assigned, assign, claim, claim_ready, end_command, reclaim, release, release_remote};
pub use context::{IssueContext, Needed, RECENT as RECENT_CHECKPOINTS, issue_context};
pub use error::{CoordinationError, Result, WorkspaceError};
pub use here::open_in;
pub use holder::{IssueHolder, holder_of};
pub use identity::{ensure_registered, identify};
pub use losses::{Loss, Reason};
pub use move_state::{MoveRequest, StateMoved, move_state, plan_move};
pub use overruled::{join_as_agent, yield_claims};
pub use plans::PlanFile;
pub use primed::note_primed;
pub use remote::{RemoteLease, remote_leases};
pub use repositories::{RepoUse, repo_use, repository_ids};
pub use reservations::{
    Checked, Obstacle, Release, ReservationError, ReserveRequest, Reserved, check_paths, check_staged, only_warns,
    release as unreserve, reservations, reserve,
};
pub use resume::{Resumption, resume, resume_each};
pub use roster::{AgentFilter, Registration, Seen, agents, find_agent, register};
pub use run::{Run, RunEnd, RunRequest, UsedWorkspace, run};
pub use watch::{
    About, Checkout, Event, EventKind, IssueNews, LeaseNews, Position, PositionError, Watch, WatchOptions, watch,
};
pub use workspaces::{
    Gc, GcClass, GcRow, GcWish, IDLE_DAYS, JobEnd, Orphan, Removal, RemovedWorkspace, RestoredWorkspace, end_of_job,
    fetch_parents, gc, merged_workspaces, odd_workspaces, orphans, remove_workspace, repair_workspaces,
    restore_workspace, stale_workspaces, unreadable_workspaces, workspace_reasons,
};
pub use workspaces::{
    ISSUE_VARIABLE, MadeWorkspace, SetupWish, WorkspaceUpdate, WorkspaceUsage, WorkspaceWish, adopt_workspace,
    create_workspace, exports, find_workspace, here as workspace_here, lacks_issue, update_workspace, workspace_env,
    workspace_usage, workspaces,
};
pub use worktrees::{WorktreeStatus, worktree_status, worktrees};

/// What a status of a checkout passes on from version control.
pub use crate::vcs::Work;
