//! One function per user action. No printing, no argument parsing: an operation takes values and returns a complete
//! result, from which front ends make text and JSON.

mod agents;
mod all_checkouts;
mod batch;
mod change;
mod checkpoints;
mod claims;
mod clones;
mod configure;
mod context;
mod dependencies;
mod doctor;
mod edit;
mod error;
mod explain;
mod export;
mod facts;
mod file;
mod fleet;
mod graph;
mod here;
mod history;
mod import;
mod init;
mod keyed;
mod lint;
mod listing;
pub mod mail;
mod merge_files;
mod migrate;
mod offer;
mod pages;
mod past;
mod plan;
mod prime;
mod proposals;
mod pulse;
mod removal_reasons;
mod replace;
mod repos;
mod repositories;
mod reservations;
mod resume;
mod revise;
mod run;
mod select;
mod setup;
mod show;
mod state;
mod sync;
pub mod templates;
mod triage;
mod validate;
mod watch;
pub mod workflows;
mod workspace_records;
mod workspaces;
mod worktrees;

pub use crate::vcs::Work;
pub use agents::identity::{ensure_registered, identify};
pub use agents::primed::note_primed;
pub use agents::roster::{AgentFilter, Registration, Seen, agents, find_agent, register};
pub use all_checkouts::show_in_all_worktrees;
pub use batch::{BatchError, BatchLine, BatchOptions, MAX_BATCH_BYTES, batch};
pub use change::{Batch, change_each, rehearse_each};
pub use checkpoints::{
    AddedCheckpoint, CheckpointError, CheckpointFilter, CheckpointPage, CheckpointRow, FilesWish, NewCheckpoint,
    PRUNE_DAYS as CHECKPOINT_DAYS, PrunedCheckpoints, Whose, add_checkpoint, checkpoints, checkpoints_of,
    find_checkpoint, prune_checkpoints, restore_checkpoint, working_on,
};
pub use claims::abandoned::free_abandoned;
pub use claims::by_id::{Assigned, assign, claim_ready, end_command};
pub use claims::overruled::{join_as_agent, yield_claims};
pub use claims::remote::{RemoteLease, remote_leases};
pub use claims::upkeep::Upkeep;
pub use claims::{
    LeaseFilter, claim, claim_and_change, claim_each, claim_pause, give_back, leases, reclaim, release, release_remote,
    renew, take, wish_of_process,
};
pub use configure::{ChangedFile, Configured, ROUTING, Request as ConfigRequest, configure, trust};
pub use context::{IssueContext, Needed, RECENT as RECENT_CHECKPOINTS, issue_context};
pub use dependencies::{TreeNode, add_dependency, parse_dependency, relate, remove_dependency, tree};
pub use doctor::doctor;
pub use doctor::health::{Health, Report as DoctorReport, Severity};
pub use doctor::unsettled::abandoned;
pub use edit::{EditSheet, apply_sheet, own_copy, sheet_of, sheet_to_file, users_editor, with_sheet};
pub use error::{EditError, OpError, PlanError, RepoUse, Result, WorkspaceError};
pub use explain::{Explanation, Reason, explain};
pub use export::export;
pub use facts::{
    AllSettings, Facts, Types, Whereabouts, aliases, comment, facts, files_for_others, find, find_with_own, ledger,
    prefix, refuse_ledger, role, setting, settings, state_home, this_project, types, unset_settings, whereabouts,
    why_nothing, withheld,
};
pub use file::{Filing, Minted, Placed, file_all, file_minted, mint, place};
pub use fleet::{
    Doing, DoneIssue, FinishedWork, Fleet, FleetClone, FleetMachine, FleetMember, FleetRepo, FleetWish, Overview,
    fleet, join_fleet, leave_fleet, overview, publish_fleet,
};
pub use graph::{Component, graph};
pub use here::open_in;
pub use history::{ClosedIssue, blame, changelog, diff, log, parse_range};
pub use import::{ImportOptions, Imported, import};
pub use init::{InitRequest, Initialised, PLANNING, Setup, init};
pub use keyed::{
    Given, KeyState, Keyed, Plan, batch_once, comment_once, file_once, letter_once, note_once, plan_batch,
    plan_comment, plan_filings, plan_mail, plan_note, take_key,
};
pub use lint::{Linted, lint};
pub use listing::{
    BlockedPage, Checkouts, Listing, Marks, Only, ReadyPage, blocked, blockers, children, claimable, count, cycles,
    duplicates, epics, has_no_issues, ids_by, labels, list, list_by, list_each, marks, named, not_deleted, not_done,
    orphans, prefix_index, ready, search, statistics,
};
pub use merge_files::{MergeFiles, merge_files};
pub use migrate::{Migrated, migrate, rename_ledger, rename_prefix};
pub use offer::{Offer, Wanted, offer};
pub use pages::{InstalledPages, install_pages};
pub use past::{RecoverAction, prune, recover, restore, undo};
pub use plan::parse_plan;
pub use prime::{Errand, Prime, PrimeWish, prime};
pub use proposals::{Decided, Each, Which, decide, proposals, propose, reconcile, withdraw};
pub use pulse::{InHand, Pulse, Swept, heartbeat, in_hand, sweep, unregister};
pub use removal_reasons::{Loss, Reason as LossReason};
pub use replace::{Replacement, replace, replacement};
pub use repos::{
    MissingRepo, RepoStatus, asks_for_planning, clone_repo, is_guest, join, missing_repos, repo_names, repos,
    was_reported,
};
pub use repositories::{repo_use, repository_ids};
pub use reservations::{
    Checked, Obstacle, Release, ReservationError, ReserveRequest, Reserved, check_paths, check_staged, only_warns,
    release as unreserve, reservations, reserve,
};
pub use resume::{Resumption, resume, resume_each};
pub use revise::{Wish, revise, revise_known};
pub use run::{Run, RunEnd, RunRequest, UsedWorkspace, run};
pub use select::{check_dependency_type, check_status, check_type, dependency_type, parse_query, with_known_words};
pub use setup::{
    AGENTS_BLOCK, GENERIC, SETUP_CLIENTS, SetupAction, SetupClient, SetupError, SetupFile, SetupReport, SetupRequest,
    SetupState, original_agents, setup,
};
pub use show::{Neighbour, Private, Shown, mark_elsewhere, show, show_copies, show_past, unblocked_by};
pub use state::{StateMoved, move_state};
pub use sync::{
    Agreed, TrustPart, agree, agree_at, check_leaks, commit, hooks_status, install_hooks, resolve, sync,
    uninstall_hooks, wants_hooks,
};
pub use triage::{Concern, Triaged, triage};
pub use validate::{CHECKS, Check, Polluted, dangling_dependencies, pollution, remove_dangling, validate};
pub use watch::{
    About, Event, EventKind, IssueNews, LeaseNews, Position, PositionError, RecordNews, Watch, WatchOptions, watch,
};
pub use workflows::plan_file::PlanFile;
pub use workspace_records::{find_workspace, here as workspace_here, unreadable as unreadable_workspaces, workspaces};
pub use workspaces::{
    Gc, GcClass, GcRow, GcWish, IDLE_DAYS, JobEnd, LandOutcome, LandRow, LandWish, Landing, Orphan, Removal,
    RemovedWorkspace, RestoredWorkspace, end_of_job, fetch_parents, gc, land, merge_workspace, merged_workspaces,
    odd_workspaces, orphans as workspace_orphans, remove_workspace, repair_workspaces, restore_workspace,
    stale_workspaces, workspace_reasons,
};
pub use workspaces::{
    ISSUE_VARIABLE, MadeWorkspace, SetupWish, WorkspaceUpdate, WorkspaceUsage, WorkspaceWish, adopt_workspace,
    create_workspace, exports, lacks_issue, update_workspace, workspace_env, workspace_usage,
};
pub use worktrees::change::{
    KeptFiles, PrunedWorktrees, RemovedWorktree, WorktreeWish, create_worktree, prune_worktrees, remove_worktree,
    repair_worktrees, restore_worktree,
};
pub use worktrees::status::{WorktreeStatus, worktree_status, worktrees};
