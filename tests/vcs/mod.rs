//! Version control with the real programs: where a repository is, what it says, and committing to it.
//!
//! A program that is not installed is named and counted on stderr; with `CI=true` it is a failure.

mod archive;
mod archive_git;
mod archive_hg;
mod archive_jj;
mod archive_kinds;
mod checkouts;
mod checkouts_change;
mod checkouts_jj_hg;
mod checkouts_work;
mod clones;
mod clones_git;
mod commit;
mod commit_git;
mod commit_hg;
mod commit_jj;
mod common_dir;
mod conformance;
mod conformance_hg;
mod conformance_jj;
mod driver;
mod facts_git;
mod facts_hg;
mod facts_jj;
mod gate_git;
mod hostile_git;
mod lab;
mod markers;
mod process;
mod programs_git;
mod remote_claims;
mod snapshots;
mod snapshots_git;
mod snapshots_kinds;
mod stuck;
mod sync_git;
mod sync_hg;
mod sync_jj;
mod sync_sl;
mod whereabouts;
