//! One function per thing a user can do. No printing, no argument parsing: an operation takes values and returns a full
//! outcome, from which text and JSON are made elsewhere.

mod batch;
mod change;
mod claims;
mod configure;
mod copies;
mod dependencies;
mod doctor;
mod edit;
mod edit_error;
mod explain;
mod export;
mod facts;
mod file;
mod future;
mod graph;
mod health;
mod history;
mod hooks;
mod import;
mod init;
mod leaks;
mod lint;
mod look;
mod merge_files;
mod migrate;
mod odd;
mod offer;
mod pages;
mod plan;
mod prefix;
mod prime;
mod proposals;
mod prune;
mod recover;
mod replace;
mod repos;
mod resolve;
mod restore;
mod revise;
mod select;
mod setup;
mod show;
mod sizes;
mod state;
mod sync;
mod undo;
mod unified;
mod unsettled;
mod validate;
mod workspaces;

pub use batch::{BatchError, BatchLine, BatchOptions, MAX_BATCH_BYTES, batch};
pub use change::{Batch, change_each, rehearse_each};
pub use claims::{
    LeaseFilter, claim, claim_and_change, claim_each, give_back, leases, reclaim, release, release_remote, renew, take,
};
pub use configure::{ChangedFile, Configured, ROUTING, Request as ConfigRequest, configure, trust};
pub use dependencies::{TreeNode, add_dependency, parse_dependency, relate, remove_dependency, tree};
pub use doctor::doctor;
pub use edit::{EditSheet, apply_sheet, own_copy, sheet_of, sheet_to_file, users_editor, with_sheet};
pub use edit_error::EditError;
pub use explain::{Explanation, Reason, explain};
pub use export::export;
pub use facts::{
    AllSettings, Facts, Found, Types, Whereabouts, aliases, comment, facts, files_for_others, find, find_with_own,
    ledger, prefix, refuse_ledger, role, setting, settings, state_home, this_project, types, whereabouts, why_nothing,
    withheld,
};
pub use file::{Filing, Minted, Placed, file_all, file_minted, mint, place};
pub use graph::{Component, graph};
pub use health::{Health, Report as DoctorReport, Severity};
pub use history::{ClosedIssue, LogRequest, blame, changelog, diff, log, parse_range};
pub use hooks::{hooks_status, install_hooks, uninstall_hooks, wants_hooks};
pub use import::{ImportError, ImportOptions, Imported, import};
pub use init::{InitRequest, Initialised, PLANNING, Setup, init};
pub use leaks::check_leaks;
pub use lint::{Linted, lint};
pub use look::{
    BlockedPage, Checkouts, Listing, Marks, Only, ReadyPage, blocked, blockers, children, count, cycles, duplicates,
    epics, has_no_issues, ids_by, labels, list, list_by, list_each, marks, named, not_deleted, not_done, orphans,
    prefix_index, ready, search, statistics,
};
pub use merge_files::{MergeFiles, merge_files};
pub use migrate::{Migrated, migrate, rename_ledger};
pub use offer::{Offer, Wanted, offer};
pub use pages::{InstalledPages, install_pages};
pub use plan::{PlanError, parse_plan};
pub use prefix::rename_prefix;
pub use prime::{Prime, PrimeWish, prime};
pub use proposals::{Each, ProposeOptions, Which, decide, proposals, propose, reconcile, withdraw};
pub use prune::{PruneWish, prune};
pub use recover::{RecoverAction, recover};
pub use replace::{Replacement, replace};
pub use repos::{RepoStatus, asks_for_planning, is_guest, join, repo_names, repos};
pub use resolve::resolve;
pub use restore::{Restorations, restore};
pub use revise::{Wish, revise, revise_known};
pub use select::{check_dependency_type, check_status, check_type, parse_query, with_known_words};
pub use setup::{
    AGENTS_BLOCK, SETUP_CLIENTS, SetupAction, SetupClient, SetupError, SetupFile, SetupReport, SetupRequest,
    SetupState, setup,
};
pub use show::{Neighbour, Private, Shown, mark_elsewhere, show, show_copies, show_past, unblocked_by};
pub use state::move_state;
pub use sync::{Agreed, SyncRequest, agree, agree_at, commit, step_text, sync};
pub use undo::undo;
pub use unified::show_in_all_worktrees;
pub use unsettled::abandoned;
pub use validate::{CHECKS, Check, Polluted, dangling_dependencies, pollution, remove_dangling, validate};

use crate::model::issue::PriorityError;
use crate::model::query::QueryError;
use crate::store::StoreError;

/// Why an operation did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Coordination(#[from] crate::coordination::CoordinationError),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error(transparent)]
    Priority(#[from] PriorityError),
    #[error("invalid status {word:?}; known: {}", known.join(" "))]
    Status { word: String, known: Vec<String> },
    #[error("invalid issue type {word:?}; known: {}", known.join(" "))]
    Type { word: String, known: Vec<String> },
    #[error("invalid dependency type {0:?}: lower-case letters, digits and dashes, at most 50")]
    DependencyType(String),
    #[error("unknown dependency type {word:?}; known: {}", known.join(" "))]
    UnknownDependencyType { word: String, known: Vec<String> },
    #[error("invalid --{flag} format {value:?}: not a date")]
    Date { flag: &'static str, value: String },
    #[error("{} is part of the project in {}", directory.display(), project.display())]
    InsideProject { directory: std::path::PathBuf, project: std::path::PathBuf },
    #[error("{} is a ledger, or would be taken for one: choose another place", path.display())]
    IsLedger { path: std::path::PathBuf, renamed: Option<String> },
    #[error("{repo} stays: it is needed by {}", used.text())]
    RepoInUse { repo: String, used: crate::coordination::RepoUse },
    #[error("{0}")]
    Usage(String),
    #[error("{source}; filed before that: {}", filed.join(" "))]
    Partly { filed: Vec<String>, source: Box<StoreError> },
    #[error(transparent)]
    Batch(#[from] BatchError),
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Fs(#[from] crate::sys::fs::FsError),
}

impl From<crate::ledger::LedgerError> for OpError {
    fn from(error: crate::ledger::LedgerError) -> Self {
        OpError::Store(error.into())
    }
}

pub type Result<T> = std::result::Result<T, OpError>;
