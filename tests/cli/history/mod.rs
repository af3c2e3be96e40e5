//! The past of a ledger: log, undo, restore, recover, prune.

mod index;
pub mod log;
mod odd_histories;
mod prune;
mod pruned;
mod recover;
mod renamed;
mod restore;
mod undo;
mod undo_bad;
mod wrong_causes;
