//! Exchanging a ledger: sync, merging, hooks, proposals to a project and what comes back.

mod companions;
mod forks;
mod hooks;
mod incoming;
mod merge_driver;
mod original_hooks;
pub mod proposals;
mod proposals_joined;
mod proposals_odd;
mod resolving;
pub mod sync;
mod sync_code;
mod use_cases;
mod vcs_status;
